/* measure/heavy — the value that stands on more than a share of all lines, found in constant memory.
 *
 * Owner:  plain data.
 * Errors: none; a value longer than LK_HEAVY_TEXT is cut, and so are equal beginnings made one.
 * Cost:   LK_HEAVY_KEPT values; every count is too low by at most lines / (LK_HEAVY_KEPT + 1).
 * Source: J. Misra, D. Gries, "Finding repeated elements" (1982).  */
#ifndef LK_MEASURE_HEAVY_H
#define LK_MEASURE_HEAVY_H

#include "base/slice.h"

#include <stdint.h>

enum { LK_HEAVY_KEPT = 16, LK_HEAVY_TEXT = 64 };

typedef struct lk_heavy {
    uint64_t lines;
    uint64_t base;                 /* subtracted from all counts: what takes one off each is one addition */
    uint64_t count[LK_HEAVY_KEPT]; /* base = empty */
    size_t empty_from;             /* no place before it is empty */
    uint64_t mark[LK_HEAVY_KEPT]; /* of the value: what differs in it is another value */
    uint64_t tags[2];             /* a byte of each mark */
    uint8_t len[LK_HEAVY_KEPT];
    char text[LK_HEAVY_KEPT][LK_HEAVY_TEXT];
} lk_heavy;

void lk_heavy_init(lk_heavy *h);
void lk_heavy_add(lk_heavy *h, lk_slice value);

/* The most frequent value and how many lines it has at least; empty before the first line. */
lk_slice lk_heavy_top(const lk_heavy *h, uint64_t *at_least);

#endif
