#include "api/lane_names.h"

#include <string.h>

lk_code lk_lane_names_init(lk_lane_names *n, lk_symbols *all, lk_err *e)
{
    memset(n->agents, 0, sizeof(n->agents));
    memset(n->targets, 0, sizeof(n->targets));
    n->all = all;
    LK_TRY(lk_symbols_init_within(&n->own, LK_LANE_AGENTS, LK_LANE_TARGETS, all->populations.seed, e));
    return lk_symbols_keep_past(&n->own, e);
}

void lk_lane_names_release(lk_lane_names *n)
{
    lk_symbols_release(&n->own);
}

/* Numbers above those of the table say where the text is. */
static void send(const lk_intern *own, const lk_symbols_past *text, uint32_t *id, lk_buf *side)
{
    const uint16_t len = text->len;

    if (*id != own->max)
        return;
    *id = (uint32_t)(own->max + side->len);
    lk_buf_add(side, (const char *)&len, sizeof(len));
    lk_buf_add(side, text->p, len);
}

lk_code lk_lane_names_pack(lk_lane_names *n, lk_attempt *a, lk_buf *side, lk_err *e)
{
    send(&n->own.populations, &n->own.past[LK_PAST_AGENT], &a->population, side);
    send(&n->own.targets, &n->own.past[LK_PAST_TARGET], &a->target, side);
    return side->failed ? lk_fail(e, LK_EOOM, "no memory for the names of a log") : LK_OK;
}

static lk_slice sent(lk_slice side, size_t at)
{
    uint16_t len;

    memcpy(&len, side.p + at, sizeof(len));
    return (lk_slice){ side.p + at + sizeof(len), len };
}

/* A string past the bound counts once a line, whatever tries the line hides. */
static lk_code number(lk_intern *all, lk_slice text, bool is_first, uint32_t *id, lk_err *e)
{
    const uint64_t folded = all->folded;

    LK_TRY(lk_intern_id(all, text, id, e));
    if (!is_first)
        all->folded = folded;
    return LK_OK;
}

static lk_code renumber(const lk_intern *own, uint32_t *known, lk_intern *all, lk_slice side, bool is_first, uint32_t *id,
                        lk_err *e)
{
    uint32_t *seen = *id < own->max ? &known[*id] : NULL;

    if (!seen)
        return number(all, sent(side, *id - own->max), is_first, id, e);
    if (!*seen) {
        LK_TRY(number(all, lk_intern_text(own, *id), is_first, id, e));
        *seen = *id + 1;
        return LK_OK;
    }
    *id = *seen - 1;
    all->folded += is_first && *id == all->max;
    return LK_OK;
}

lk_code lk_lane_names_unpack(lk_lane_names *n, lk_attempt *a, lk_slice side, lk_err *e)
{
    const bool is_first = a->try_no <= 1;

    LK_TRY(renumber(&n->own.populations, n->agents, &n->all->populations, side, is_first, &a->population, e));
    return renumber(&n->own.targets, n->targets, &n->all->targets, side, is_first, &a->target, e);
}
