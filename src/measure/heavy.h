/* measure/heavy — the value that stands on more than half of all lines, found in constant memory.
 *
 * How often it comes is read off two rows of counts, each value in one cell of each: a commutative
 * monoid, so that lines may come in any order and from any number of readers.  Which value it is, a vote
 * tells: the one that more than half have wins it.
 *
 * Owner:  plain data.
 * Errors: none; of a value longer than LK_HEAVY_TEXT the beginning is kept.
 * Cost:   4 kB; O(1) a line.  A count is too low or too high by what chance puts into its cells: that
 *         both hold another value as frequent happens once in 65,536.
 * Source: G. Cormode, S. Muthukrishnan, "An improved data stream summary: the count-min sketch" (2005);
 *         R. S. Boyer, J S. Moore, "MJRTY: a fast majority vote algorithm" (1981).  */
#ifndef LK_MEASURE_HEAVY_H
#define LK_MEASURE_HEAVY_H

#include "base/slice.h"

#include <stdint.h>

enum { LK_HEAVY_ROWS = 2, LK_HEAVY_CELLS = 256, LK_HEAVY_TEXT = 64 };

typedef struct lk_heavy {
    uint64_t lines;
    uint64_t cells[LK_HEAVY_ROWS][LK_HEAVY_CELLS];
    uint64_t votes; /* for `text`; 0 = it stands for election */
    uint64_t mark;  /* of that value                          */
    uint8_t len;
    char text[LK_HEAVY_TEXT];
} lk_heavy;

void lk_heavy_init(lk_heavy *h);
void lk_heavy_add(lk_heavy *h, lk_slice value);
void lk_heavy_merge(lk_heavy *h, const lk_heavy *other);

/* The most frequent value and how many lines it has at least, but for chance; empty before the first
 * line. */
lk_slice lk_heavy_top(const lk_heavy *h, uint64_t *at_least);

#endif
