/* The steps of callers, from an attempt to their next one, as infer/ wants them. */
#include "link/state.h"

static lk_code give_hop(lk_linker *l, const lk_hop *hop, bool has_failed, lk_err *e)
{
    return l->options.on_hop ? l->options.on_hop(l->options.ctx, hop, has_failed, e) : LK_OK;
}

static bool is_wanted(const lk_linker *l, uint64_t caller, bool has_failed)
{
    return l->options.on_hop &&
           (!l->options.wants_hop || l->options.wants_hop(l->options.ctx, caller, has_failed));
}

lk_code lk_step_by_key(lk_linker *l, const lk_key_state *k, const lk_attempt *a, lk_err *e)
{
    const lk_key_past *past;
    lk_hop hop;

    if (!is_wanted(l, k->caller, k->has_failed))
        return LK_OK;
    past = lk_past_of(l, k);
    hop = (lk_hop){
        .from_ns = k->start_ns,
        .gap_ns = a ? a->start_ns - k->start_ns : -1,
        .pause_ns = a ? a->start_ns - k->end_ns : -1,
        .asked_ns = past ? past->asked_ns : -1,
        .caller = k->caller,
        .population = k->population,
        .target = k->target,
        .failed = k->failed,
        .rejected = k->rejected,
        .next_rejected = a && a->rejected,
    };

    return give_hop(l, &hop, k->has_failed, e);
}

lk_code lk_step_by_id(lk_linker *l, const lk_unit *u, const lk_attempt *a, lk_err *e)
{
    const int64_t last_ns = lk_units_more(&l->units, u).last_ns;
    lk_hop hop = {
        .from_ns = last_ns,
        .gap_ns = a->start_ns - last_ns,
        .pause_ns = a->start_ns - u->end_ns,
        .asked_ns = u->asked_ns,
        .caller = u->caller,
        .population = a->population,
        .target = a->target,
        .failed = true,
        .rejected = u->refused,
        .next_rejected = a->rejected,
        .by_id = true,
    };

    return give_hop(l, &hop, true, e);
}
