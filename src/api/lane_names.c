#include "api/lane_names.h"

#include "api/beside.h"

#include <string.h>

lk_code lk_lane_names_init(lk_lane_names *n, const lk_lane_tables *all, lk_err *e)
{
    const uint64_t seed = all->symbols->populations.seed;

    memset(n->agents, 0, sizeof(n->agents));
    memset(n->targets, 0, sizeof(n->targets));
    n->unit = n->value = 0;
    n->all = *all;
    lk_buf_init(&n->beside);
    LK_TRY(lk_symbols_init_within(&n->own, LK_LANE_AGENTS, LK_LANE_TARGETS, seed, e));
    return lk_symbols_keep_past(&n->own, e);
}

void lk_lane_names_release(lk_lane_names *n)
{
    lk_symbols_release(&n->own);
    lk_buf_release(&n->beside);
}

lk_buf *lk_lane_names_beside(lk_lane_names *n)
{
    return n->all.above || n->all.breakdown ? &n->beside : NULL;
}

/* Of a line that hides tries. */
static bool is_first(const lk_attempt *a)
{
    return a->try_no <= 1;
}

/* Numbers above those of the table say where the text is. */
static void send(const lk_intern *own, const lk_symbols_past *text, uint32_t *id, lk_buf *side)
{
    if (*id != own->max)
        return;
    *id = (uint32_t)(own->max + side->len);
    lk_beside_add(side, (lk_slice){ text->p, text->len });
}

lk_code lk_lane_names_pack(lk_lane_names *n, lk_attempt *a, lk_buf *side, lk_err *e)
{
    send(&n->own.populations, &n->own.past[LK_PAST_AGENT], &a->population, side);
    send(&n->own.targets, &n->own.past[LK_PAST_TARGET], &a->target, side);
    if (lk_lane_names_beside(n) && is_first(a)) {
        a->value = (uint32_t)side->len;
        lk_buf_add(side, n->beside.p, n->beside.len);
    }
    return side->failed || n->beside.failed ? lk_fail(e, LK_EOOM, "no memory for the names of a log") : LK_OK;
}

static lk_slice sent(lk_slice side, size_t at)
{
    lk_slice rest = lk_slice_skip(side, at);

    return lk_beside_take(&rest);
}

/* A string past the bound counts once a line, whatever tries the line hides. */
static lk_code number(lk_intern *all, lk_slice text, bool counts, uint32_t *id, lk_err *e)
{
    const uint64_t folded = all->folded;

    LK_TRY(lk_intern_id(all, text, id, e));
    if (!counts)
        all->folded = folded;
    return LK_OK;
}

static lk_code renumber(const lk_intern *own, uint32_t *known, lk_intern *all, lk_slice side, bool counts, uint32_t *id,
                        lk_err *e)
{
    uint32_t *seen = *id < own->max ? &known[*id] : NULL;

    if (!seen)
        return number(all, sent(side, *id - own->max), counts, id, e);
    if (!*seen) {
        LK_TRY(number(all, lk_intern_text(own, *id), counts, id, e));
        *seen = *id + 1;
        return LK_OK;
    }
    *id = *seen - 1;
    all->folded += counts && *id == all->max;
    return LK_OK;
}

/* In the order in which they were sent. */
static lk_code number_beside(lk_lane_names *n, uint32_t population, lk_slice rest, lk_err *e)
{
    lk_slice units[LK_NAMED_LAYERS_MAX], value;

    if (n->all.above) {
        for (size_t i = 0; i < n->all.above->layers; i++)
            units[i] = lk_beside_take(&rest);
        LK_TRY(lk_above_number(n->all.above, population, units, &n->unit, e));
    }
    if (!n->all.breakdown)
        return LK_OK;
    value = lk_beside_take(&rest);
    return lk_breakdown_number(n->all.breakdown, value, lk_beside_take(&rest).len > 0, &n->value, e);
}

lk_code lk_lane_names_unpack(lk_lane_names *n, lk_attempt *a, lk_slice side, lk_err *e)
{
    lk_symbols *all = n->all.symbols;
    const bool counts = is_first(a);

    LK_TRY(renumber(&n->own.populations, n->agents, &all->populations, side, counts, &a->population, e));
    LK_TRY(renumber(&n->own.targets, n->targets, &all->targets, side, counts, &a->target, e));
    if (!lk_lane_names_beside(n))
        return LK_OK;
    if (counts)
        LK_TRY(number_beside(n, a->population, lk_slice_skip(side, a->value), e));
    a->above = n->unit;
    a->value = n->value;
    return LK_OK;
}
