/* What is kept of keys beside their last attempt. */
#include "link/state.h"

#include <stdlib.h>

static lk_code grow(lk_key_pasts *p, lk_err *e)
{
    const uint32_t cap = p->cap ? 2 * p->cap : 256;
    lk_key_past *grown = realloc(p->items, cap * sizeof(*grown));

    if (!grown)
        return lk_fail(e, LK_EOOM, "no memory for the past of %u callers", (unsigned)cap);
    p->items = grown;
    p->cap = cap;
    return LK_OK;
}

lk_code lk_past_make(struct lk_linker *l, lk_key_state *k, lk_key_past **out, lk_err *e)
{
    lk_key_pasts *p = &l->pasts;

    if (!k->past) {
        if (!p->free && p->used == p->cap)
            LK_TRY(grow(p, e));
        k->past = p->free ? p->free : ++p->used;
        *out = &p->items[k->past - 1];
        p->free = k->past == p->free ? (*out)->next_free : p->free;
        **out = (lk_key_past){ .asked_ns = -1,
                               .unit_first_ns = k->start_ns,
                               .unit_end_ns = k->end_ns,
                               .watch_until_ns = INT64_MIN,
                               .unit = LK_UNIT_NONE };
    }
    *out = &p->items[k->past - 1];
    return LK_OK;
}

void lk_past_drop(struct lk_linker *l, const lk_key_state *k)
{
    if (!k->past)
        return;
    l->pasts.items[k->past - 1].next_free = l->pasts.free;
    l->pasts.free = k->past;
}
