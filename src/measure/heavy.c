#include "measure/heavy.h"

#include <string.h>

void lk_heavy_init(lk_heavy *h)
{
    *h = (lk_heavy){ 0 };
}

static bool is_kept(const lk_heavy *h, size_t i, lk_slice value)
{
    return h->count[i] && h->len[i] == value.len && memcmp(h->text[i], value.p, value.len) == 0;
}

static void keep(lk_heavy *h, size_t i, lk_slice value)
{
    h->count[i] = 1;
    h->len[i] = (uint8_t)value.len;
    memcpy(h->text[i], value.p, value.len);
}

void lk_heavy_add(lk_heavy *h, lk_slice value)
{
    size_t empty = LK_HEAVY_KEPT;

    h->lines++;
    if (!value.len)
        return;
    if (value.len > LK_HEAVY_TEXT)
        value.len = LK_HEAVY_TEXT;
    for (size_t i = 0; i < LK_HEAVY_KEPT; i++) {
        if (is_kept(h, i, value)) {
            h->count[i]++;
            return;
        }
        if (!h->count[i] && empty == LK_HEAVY_KEPT)
            empty = i;
    }
    if (empty < LK_HEAVY_KEPT) {
        keep(h, empty, value);
        return;
    }
    for (size_t i = 0; i < LK_HEAVY_KEPT; i++)
        h->count[i]--;
}

lk_slice lk_heavy_top(const lk_heavy *h, uint64_t *at_least)
{
    size_t best = 0;

    for (size_t i = 1; i < LK_HEAVY_KEPT; i++)
        if (h->count[i] > h->count[best])
            best = i;
    *at_least = h->count[best];
    return h->count[best] ? (lk_slice){ h->text[best], h->len[best] } : LK_SLICE_NONE;
}
