/* measure/fine — arrivals and rejections of up to a month in narrow bins: what a long log keeps beside
 * the wide ones.
 *
 * A commutative monoid as arrivals are: bins of one width, aligned to the epoch, in blocks that exist
 * where something came.  A span beyond the bound gives all of it up, whatever the order.
 *
 * Shapes: a block has LK_FINE_BLOCK bins; counts saturate at 65,535.
 * Owner:  lk_fine_init/lk_fine_release.
 * Errors: EOOM.
 * Cost:   2 bytes a bin, 4 where attempts were rejected; LK_FINE_BLOCKS_MAX blocks: 31 days at 0.25 s are
 *         22 MB, 43 MB at most.  */
#ifndef LK_MEASURE_FINE_H
#define LK_MEASURE_FINE_H

#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { LK_FINE_BLOCK = 4096, LK_FINE_BLOCKS_MAX = 2616 };

typedef struct lk_fine_block {
    uint16_t *all, *rejected; /* [LK_FINE_BLOCK]; NULL = none came */
} lk_fine_block;

typedef struct lk_fine {
    int64_t bin_ns;
    int64_t first_block; /* number of block 0 since the epoch */
    size_t n;            /* blocks from the first to the last */
    lk_fine_block *block; /* [max] once something came */
    size_t max;           /* blocks; LK_FINE_BLOCKS_MAX unless limited */
    bool given_up;        /* the span was beyond the bound */
} lk_fine;

void lk_fine_init(lk_fine *f, int64_t bin_ns);
void lk_fine_limit(lk_fine *f, size_t blocks_max); /* before anything is added */
void lk_fine_release(lk_fine *f);
LK_MUST_CHECK lk_code lk_fine_add(lk_fine *f, int64_t at_ns, uint32_t all, uint32_t rejected,
                                  lk_err *e);
LK_MUST_CHECK lk_code lk_fine_merge(lk_fine *f, const lk_fine *other, lk_err *e);

/* Bins [from, from + n) after the beginning of block 0; beyond the last they are 0. */
void lk_fine_read(const lk_fine *f, size_t from, size_t n, uint32_t *all, uint32_t *rejected);

#endif
