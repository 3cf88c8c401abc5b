#include "measure/heavy.h"

#include <string.h>

void lk_heavy_init(lk_heavy *h)
{
    *h = (lk_heavy){ 0 };
}

/* Length and first and last bytes, so that most values are told apart by one word. */
static uint64_t mark_of(lk_slice value)
{
    uint64_t first = 0, last = 0;

    if (value.len >= sizeof(first)) {
        memcpy(&first, value.p, sizeof(first));
        memcpy(&last, value.p + value.len - sizeof(last), sizeof(last));
    } else {
        memcpy(&first, value.p, value.len);
    }
    return (first ^ value.len) + last * 31;
}

static bool is_kept(const lk_heavy *h, size_t i, lk_slice value)
{
    return h->count[i] && h->len[i] == value.len && memcmp(h->text[i], value.p, value.len) == 0;
}

static void keep(lk_heavy *h, size_t i, lk_slice value, uint64_t mark)
{
    h->count[i] = 1;
    h->mark[i] = mark;
    h->len[i] = (uint8_t)value.len;
    memcpy(h->text[i], value.p, value.len);
}

void lk_heavy_add(lk_heavy *h, lk_slice value)
{
    uint64_t mark;

    h->lines++;
    if (!value.len)
        return;
    if (value.len > LK_HEAVY_TEXT)
        value.len = LK_HEAVY_TEXT;
    mark = mark_of(value);
    for (size_t i = 0; i < LK_HEAVY_KEPT; i++)
        if (h->mark[i] == mark && is_kept(h, i, value)) {
            h->count[i]++;
            return;
        }
    for (size_t i = 0; i < LK_HEAVY_KEPT; i++)
        if (!h->count[i]) {
            keep(h, i, value, mark);
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
