/* Attempts that carry a number and no id of their call: the n-th comes from the (n-1)-th of the same
 * caller, method, target and user agent.  Where several wait for the same number, the first that
 * failed is taken: the sums are right whichever it is, and so are delays that are alike. */
#include "base/hash.h"
#include "link/state.h"

enum { SEQUELS_PER_FOUND = 10, SLACK_NS = 1000000000 };

/* The queue of those whose last attempt has the number `no`. */
static uint64_t queue_of(const lk_attempt *a, uint32_t no)
{
    return lk_hash_mix(a->key ^ lk_hash_mix(no));
}

/* It may have been joined in another way since, have been answered after all (by a later try of the same
 * line), or be one of those that never came back. */
static bool is_waiting(const lk_unit *u, const lk_attempt *a)
{
    return (u->failed || lk_status_is_hopeless(u->status)) && u->key == a->key &&
           u->last_no + 1 == (uint32_t)a->attempt_no &&
           a->start_ns - u->end_ns < LK_DELAY_MAX_NS;
}

int32_t lk_sequence_find(struct lk_linker *l, const lk_attempt *a, uint16_t group)
{
    lk_group *g = &l->groups.items[group];
    lk_id_state *queue;
    int32_t found = LK_UNIT_NONE;

    if (lk_names_call(l, a))
        return LK_UNIT_NONE;
    queue = lk_lru_find(&l->ids, queue_of(a, (uint32_t)a->attempt_no - 1));
    while (queue && queue->unit >= 0 && found == LK_UNIT_NONE) {
        const lk_unit *u = &l->units.items[queue->unit];

        if (is_waiting(u, a) && u->end_ns > a->start_ns + SLACK_NS)
            break; /* it goes on yet, and so do those behind it, as a rule */
        if (is_waiting(u, a))
            found = queue->unit;
        queue->unit = u->after;
    }
    if (queue && queue->unit < 0)
        lk_lru_drop(&l->ids, queue);
    if (!lk_is_early(l, a->start_ns)) {
        g->sequels++;
        g->sequels_found += found != LK_UNIT_NONE;
    }
    return found;
}

lk_code lk_sequence_wait(struct lk_linker *l, const lk_attempt *a, int32_t unit, lk_err *e)
{
    uint64_t name = queue_of(a, (uint32_t)a->attempt_no);
    lk_id_state *queue;
    lk_unit *u = &l->units.items[unit];

    if (lk_names_call(l, a))
        return LK_OK;
    queue = lk_lru_find(&l->ids, name);
    if (queue && queue->unit >= 0 && a->try_no > 1)
        return LK_OK; /* tries of one line have one number: the first of them waits for all */
    u->after = LK_UNIT_NONE;
    if (!queue || queue->unit < 0)
        return lk_remember_id(l, name, (lk_id_state){ unit, unit, 0 }, e);
    if (queue->last != unit)
        l->units.items[queue->last].after = unit;
    queue->last = unit;
    return LK_OK;
}

bool lk_group_is_numbered(const lk_group *g)
{
    return g->numbered && g->numbered * 100 >= g->lines * 95 &&
           (g->sequels - g->sequels_found) * SEQUELS_PER_FOUND <= g->sequels;
}
