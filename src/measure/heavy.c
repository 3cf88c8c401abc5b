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

/* The bytes of `tags` that are `tag`, 0x80 each, and perhaps one above another that is. */
static uint64_t alike(uint64_t tags, uint8_t tag)
{
    const uint64_t ones = UINT64_C(0x0101010101010101), x = tags ^ ones * tag;

    return (x - ones) & ~x & (ones << 7);
}

static uint8_t tag_of(uint64_t mark)
{
    return (uint8_t)(mark * UINT64_C(0x9e3779b97f4a7c15) >> 56);
}

static bool is_kept(const lk_heavy *h, size_t i, lk_slice value, uint64_t mark)
{
    return h->mark[i] == mark && h->count[i] != h->base && h->len[i] == value.len &&
           memcmp(h->text[i], value.p, value.len) == 0;
}

/* Its place; LK_HEAVY_KEPT when it has none. */
static size_t find(const lk_heavy *h, lk_slice value, uint64_t mark)
{
    for (size_t word = 0; word < LK_HEAVY_KEPT / 8; word++)
        for (uint64_t found = alike(h->tags[word], tag_of(mark)); found; found &= found - 1) {
            size_t i = 8 * word + (size_t)__builtin_ctzll(found) / 8;

            if (is_kept(h, i, value, mark))
                return i;
        }
    return LK_HEAVY_KEPT;
}

/* The first empty place; LK_HEAVY_KEPT when there is none. */
static size_t find_empty(lk_heavy *h)
{
    while (h->empty_from < LK_HEAVY_KEPT && h->count[h->empty_from] != h->base)
        h->empty_from++;
    return h->empty_from;
}

static void keep(lk_heavy *h, size_t i, lk_slice value, uint64_t mark)
{
    const unsigned shift = 8 * (unsigned)(i % 8);

    h->count[i] = h->base + 1;
    h->mark[i] = mark;
    h->tags[i / 8] &= ~(UINT64_C(0xff) << shift);
    h->tags[i / 8] |= (uint64_t)tag_of(mark) << shift;
    h->len[i] = (uint8_t)value.len;
    memcpy(h->text[i], value.p, value.len);
}

void lk_heavy_add(lk_heavy *h, lk_slice value)
{
    uint64_t mark;
    size_t i;

    h->lines++;
    if (!value.len)
        return;
    if (value.len > LK_HEAVY_TEXT)
        value.len = LK_HEAVY_TEXT;
    mark = mark_of(value);
    i = find(h, value, mark);
    if (i < LK_HEAVY_KEPT) {
        h->count[i]++;
        return;
    }
    i = find_empty(h);
    if (i < LK_HEAVY_KEPT) {
        keep(h, i, value, mark);
    } else {
        h->base++;
        h->empty_from = 0;
    }
}

lk_slice lk_heavy_top(const lk_heavy *h, uint64_t *at_least)
{
    size_t best = 0;

    for (size_t i = 1; i < LK_HEAVY_KEPT; i++)
        if (h->count[i] > h->count[best])
            best = i;
    *at_least = h->count[best] - h->base;
    return *at_least ? (lk_slice){ h->text[best], h->len[best] } : LK_SLICE_NONE;
}
