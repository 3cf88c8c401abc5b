/* The pauses between failures and comebacks that were linked, as measure/ wants them. */
#include "base/hash.h"
#include "base/time.h"
#include "link/state.h"

/* A proxy, which sends the number of the attempt that it repeats, does so sooner. */
static const int64_t TRY_WITHIN_NS = LK_NS_PER_S;

static uint64_t call_hash(uint64_t key, int64_t first_ns)
{
    return lk_hash_mix(lk_hash_mix(key) ^ (uint64_t)first_ns);
}

static uint32_t population_of(const struct lk_linker *l, const lk_unit *u)
{
    return l->groups.items[u->group].population;
}

/* A lost line between the two: the delay is of more than one retry. */
static bool is_next_number(const lk_unit *u, const lk_attempt *a)
{
    return a->attempt_no <= 0 || !u->last_no || (uint32_t)a->attempt_no == u->last_no + 1;
}

bool lk_is_uncounted(const lk_group *g, const lk_unit *u, const lk_attempt *a)
{
    return a->attempt_no > 0 && (uint32_t)a->attempt_no == u->last_no && a->try_no <= 1 && !g->has_grown &&
           a->start_ns - u->end_ns >= TRY_WITHIN_NS;
}

lk_code lk_note_pause(const struct lk_linker *l, const lk_unit *u, const lk_attempt *a, lk_err *e)
{
    const lk_unit_more m = lk_units_more(&l->units, u);
    bool uncounted = lk_is_uncounted(&l->groups.items[u->group], u, a);
    uint32_t made = u->last_no && !uncounted ? u->last_no : m.lines - m.tries;
    lk_comeback c = {
        .caller = u->caller,
        .call = call_hash(u->key, u->first_ns),
        .at_ns = u->end_ns,
        .pause_ns = a->start_ns - u->end_ns,
        .previous_ns = m.pause_ns,
        .asked_ns = u->asked_ns,
        .population = population_of(l, u),
        .retry = made && made <= UINT16_MAX ? (uint16_t)(made - 1) : 0,
        .status = u->status,
        .layer = LK_COMEBACK_CALL,
        .by_id = true,
        .fraction = a->fraction,
        .has_took = a->has_took,
        .uncounted = uncounted,
    };

    if (l->options.on_pause && a->try_no <= 1 && (uncounted || is_next_number(u, a)))
        return l->options.on_pause(l->options.ctx, &c, e);
    return LK_OK;
}

lk_code lk_note_link(const struct lk_linker *l, const lk_unit *from, const lk_unit *to,
                     lk_comeback_layer layer, uint16_t retry, int64_t previous_ns, int64_t first_ns,
                     lk_err *e)
{
    lk_comeback c = {
        .caller = to->caller,
        .call = call_hash(to->key, first_ns),
        .at_ns = from->end_ns,
        .pause_ns = to->first_ns - from->end_ns,
        .previous_ns = previous_ns,
        .asked_ns = from->asked_ns,
        .population = population_of(l, to),
        .retry = retry,
        .status = from->status,
        .layer = (uint8_t)layer,
        .by_id = to->by_id,
        .fraction = to->fraction,
        .has_took = to->has_took,
    };

    return l->options.on_pause ? l->options.on_pause(l->options.ctx, &c, e) : LK_OK;
}
