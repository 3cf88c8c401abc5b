#include "measure/heavy.h"

#include "base/hash.h"
#include "base/word.h"

#include <string.h>

void lk_heavy_init(lk_heavy *h)
{
    *h = (lk_heavy){ 0 };
}

/* Of all its bytes, eight at a time: values that differ in the middle alone are many. */
static uint64_t mark_of(lk_slice value)
{
    uint64_t mixed = value.len * UINT64_C(0x9e3779b97f4a7c15);

    for (size_t at = 0; at + 8 <= value.len; at += 8) {
        mixed = (mixed ^ lk_word_64(value.p + at)) * UINT64_C(0xff51afd7ed558ccd);
        mixed ^= mixed >> 32;
    }
    return lk_hash_mix(mixed ^ lk_word_tail(value.p, value.len));
}

static void keep(lk_heavy *h, lk_slice value, uint64_t mark)
{
    h->votes = 1;
    h->mark = mark;
    h->len = (uint8_t)(value.len < LK_HEAVY_TEXT ? value.len : LK_HEAVY_TEXT);
    memcpy(h->text, value.p, h->len);
}

void lk_heavy_add(lk_heavy *h, lk_slice value)
{
    uint64_t mark;

    h->lines++;
    if (!value.len)
        return;
    mark = mark_of(value);
    for (size_t row = 0; row < LK_HEAVY_ROWS; row++)
        h->cells[row][mark >> (8 * row) & (LK_HEAVY_CELLS - 1)]++;
    if (h->votes == 0)
        keep(h, value, mark);
    else if (h->mark == mark)
        h->votes++;
    else
        h->votes--;
}

/* Votes for different values cancel each other. */
static void merge_votes(lk_heavy *h, const lk_heavy *other)
{
    uint64_t before = h->votes;

    if (before && h->mark == other->mark) {
        h->votes += other->votes;
    } else if (before >= other->votes) {
        h->votes -= other->votes;
    } else {
        keep(h, (lk_slice){ other->text, other->len }, other->mark);
        h->votes = other->votes - before;
    }
}

void lk_heavy_merge(lk_heavy *h, const lk_heavy *other)
{
    merge_votes(h, other);
    h->lines += other->lines;
    for (size_t row = 0; row < LK_HEAVY_ROWS; row++)
        for (size_t i = 0; i < LK_HEAVY_CELLS; i++)
            h->cells[row][i] += other->cells[row][i];
}

static uint64_t root_of(uint64_t x)
{
    uint64_t root = 0;

    for (uint64_t bit = UINT64_C(1) << 31; bit; bit >>= 1)
        if ((root | bit) * (root | bit) <= x)
            root |= bit;
    return root;
}

/* What all other values put into one cell, and chance on top of that. */
static uint64_t noise_of(uint64_t others)
{
    uint64_t mean = others / LK_HEAVY_CELLS;

    return mean + 4 * root_of(mean);
}

lk_slice lk_heavy_top(const lk_heavy *h, uint64_t *at_least)
{
    uint64_t top = UINT64_MAX, noise;

    for (size_t row = 0; row < LK_HEAVY_ROWS; row++) {
        uint64_t most = 0;

        for (size_t i = 0; i < LK_HEAVY_CELLS; i++)
            if (h->cells[row][i] > most)
                most = h->cells[row][i];
        if (most < top)
            top = most;
    }
    noise = noise_of(h->lines - top);
    *at_least = top > noise ? top - noise : 0;
    return h->votes ? (lk_slice){ h->text, h->len } : LK_SLICE_NONE;
}
