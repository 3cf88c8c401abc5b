/* Which id columns join attempts, and the open calls by their ids. */
#include "base/hash.h"
#include "link/state.h"

/* A column whose values come again after successes names a session, not a call. */
bool lk_id_is_joining(const lk_id_use *use)
{
    return use->is_call || use->after_success * 64 <= 8 + use->joined;
}

bool lk_group_has_ids(const struct lk_linker *l, const lk_group *g)
{
    for (size_t i = 0; i < LK_IDS; i++) {
        const lk_id_use *use = &l->uses[i];

        if ((use->is_call || use->joined >= 3) && lk_id_is_joining(use) &&
            g->with_id[i] * 100 >= g->lines * 95)
            return true;
    }
    return false;
}

bool lk_group_has_identity(const struct lk_linker *l, const lk_group *g)
{
    return lk_group_has_ids(l, g) || lk_group_is_numbered(g);
}

static lk_code note_success(lk_linker *l, uint64_t id, lk_err *e)
{
    void *entry;

    if ((lk_hash_mix(id) & 63) != 0 || lk_lru_find(&l->good, id))
        return LK_OK;
    if (lk_lru_is_full(&l->good))
        lk_lru_drop(&l->good, lk_lru_oldest(&l->good));
    return lk_lru_add(&l->good, id, &entry, e);
}

enum { CROSSED_MIN = 5, RESTARTED_MIN = 3 };

/* The attempts of a call come from one process; a job comes back from any worker. */
static bool crosses(const lk_id_use *use)
{
    return use->crossed >= CROSSED_MIN && use->crossed * 5 >= use->unnumbered &&
           use->unnumbered * 2 >= use->joined;
}

bool lk_id_names_task(const lk_id_use *use)
{
    return !use->is_call && (use->is_task || use->restarted >= RESTARTED_MIN || crosses(use));
}

/* The attempt counter starts again: another call of the same task. */
bool lk_is_restart(const lk_attempt *a, const lk_unit *u)
{
    return a->attempt_no > 0 && u->last_no > 0 && (uint32_t)a->attempt_no < u->last_no;
}

/* Column i of the attempt names a kept unit: learns what that says of the column. */
static const lk_unit *look_up(lk_linker *l, const lk_attempt *a, size_t i, uint8_t *known_ids)
{
    lk_id_use *use = &l->uses[i];
    const lk_id_state *known;
    const lk_unit *u;

    use->lines++;
    use->is_call |= (a->call_ids >> i & 1) != 0;
    use->is_task |= (a->task_ids >> i & 1) != 0;
    if (l->good.count && (lk_hash_mix(a->id[i]) & 63) == 0 && lk_lru_find(&l->good, a->id[i]))
        use->after_success++;
    known = l->ids.count ? lk_lru_find(&l->ids, a->id[i]) : NULL;
    *known_ids |= (uint8_t)((known != NULL) << i);
    if (!known || known->unit < 0)
        return NULL;
    u = &l->units.items[known->unit];
    use->joined++;
    use->restarted += lk_is_restart(a, u);
    if (!a->attempt_no) {
        use->unnumbered++;
        use->crossed += a->caller != lk_units_more(&l->units, u).last_caller;
    }
    return u;
}

bool lk_names_call(const struct lk_linker *l, const lk_attempt *a)
{
    for (size_t i = 0; i < LK_IDS; i++) {
        const lk_id_use *use = &l->uses[i];

        if (a->id[i] && !lk_id_names_task(use) && lk_id_is_joining(use) &&
            (use->is_call || use->joined > 0))
            return true;
    }
    return false;
}

lk_joined lk_unit_by_id(struct lk_linker *l, const lk_attempt *a, uint16_t group)
{
    lk_joined found = { .unit = LK_UNIT_NONE };
    const lk_id_state *same_line = a->try_no > 1 ? lk_lru_find(&l->ids, a->request) : NULL;
    const lk_id_use *best = NULL;

    if (same_line && same_line->unit >= 0)
        return (lk_joined){ .unit = same_line->unit, .known = UINT8_MAX };
    for (size_t i = 0; i < LK_IDS; i++) {
        const lk_id_use *use = &l->uses[i];
        const lk_unit *u = a->id[i] ? look_up(l, a, i, &found.known) : NULL;

        if (!u || !lk_id_is_joining(use) || (best && lk_id_names_task(use)))
            continue;
        if (best && !lk_id_names_task(best) && !use->is_call)
            continue;
        best = use;
        found.unit = (int32_t)(u - l->units.items);
        found.column = (uint8_t)(i + 1);
    }
    if (best)
        found.is_new_call = lk_is_restart(a, &l->units.items[found.unit]) ||
                            (lk_id_names_task(best) && lk_names_call(l, a));
    else if (a->attempt_no > 1 && a->try_no <= 1)
        found.unit = lk_sequence_find(l, a, group);
    return found;
}

/* Makes room among the ids; an open call that loses its id here is counted. */
static void forget_oldest_id(lk_linker *l)
{
    lk_id_state *oldest = lk_lru_oldest(&l->ids);
    const lk_id_use *use = &l->uses[oldest->column];

    if (oldest->unit >= 0 && (use->is_call || use->joined || oldest->last >= 0) &&
        l->now_ns - l->units.items[oldest->unit].end_ns < LK_DELAY_MAX_NS)
        l->evicted++;
    lk_lru_drop(&l->ids, oldest);
}

lk_code lk_remember_id(struct lk_linker *l, uint64_t id, lk_id_state state, lk_err *e)
{
    lk_id_state *entry = lk_lru_find(&l->ids, id);
    void *fresh;

    if (!entry) {
        if (lk_lru_is_full(&l->ids))
            forget_oldest_id(l);
        LK_TRY(lk_lru_add(&l->ids, id, &fresh, e));
        entry = fresh;
    }
    *entry = state;
    return LK_OK;
}

bool lk_may_return(const lk_attempt *a)
{
    return a->failed || ((a->call_ids || a->attempt_no) && lk_status_is_hopeless(a->status));
}

lk_code lk_remember_ids(lk_linker *l, const lk_attempt *a, const lk_joined *joined, lk_err *e)
{
    const int32_t unit = joined->unit;

    if (lk_may_return(a) && a->attempt_no > 0 && unit >= 0)
        LK_TRY(lk_sequence_wait(l, a, unit, e));
    if (a->request && unit >= 0)
        LK_TRY(lk_remember_id(l, a->request, (lk_id_state){ unit, LK_UNIT_NONE, 0 }, e));
    for (uint32_t i = 0; i < LK_IDS; i++) {
        lk_id_state *entry;

        if (!a->id[i])
            continue;
        if (lk_may_return(a)) {
            LK_TRY(lk_remember_id(l, a->id[i], (lk_id_state){ unit, LK_UNIT_NONE, i }, e));
            continue;
        }
        entry = joined->known >> i & 1 ? lk_lru_find(&l->ids, a->id[i]) : NULL;
        if (entry)
            lk_lru_drop(&l->ids, entry);
        LK_TRY(note_success(l, a->id[i], e));
    }
    return LK_OK;
}
