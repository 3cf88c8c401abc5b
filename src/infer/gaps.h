/* infer/gaps — is there a constant among the gaps?  A two-sided peak test on their histogram.
 *
 * A jittered delay has edges and a capped one an atom, so a peak must stand out against the left
 * and against the right of it, hold a share of the gaps, and be no wider than a quarter of its gap.
 *
 * Units:  seconds; ln_p counts cells and widths.
 * Errors: EOOM.
 * Cost:   some 300 cells of 2 % (20 ms or the resolution at least), five widths.
 * Source: ours; on/off counts after Li & Ma 1983.  */
#ifndef LK_INFER_GAPS_H
#define LK_INFER_GAPS_H

#include "base/arena.h"
#include "base/err.h"

#include <stddef.h>

typedef struct lk_gap {
    double value_s;
    double weight; /* one, less for callers with very many gaps */
} lk_gap;

typedef struct lk_gap_taken {
    double low_s, high_s;
} lk_gap_taken;

typedef struct lk_gap_range {
    double resolution_s, min_s, max_s;
    double least_share;        /* of all gaps that a peak must hold                      */
    const lk_gap_taken *taken; /* [taken_count] whose gaps are no longer here: neither peak */
    size_t taken_count;        /* nor side band                                         */
} lk_gap_range;

typedef struct lk_gap_peak {
    double ln_p;          /* 0 = none */
    double low_s, high_s; /* [low_s, high_s): its cells and those beside it that are half as full */
    double tail_low_s, tail_high_s; /* as far as it still stands out */
    double weight, share;
    double beside; /* density of the fuller side by that of the peak */
} lk_gap_peak;

LK_MUST_CHECK lk_code lk_gap_peak_find(const lk_gap *gaps, size_t n, const lk_gap_range *range,
                                       lk_arena *scratch, lk_gap_peak *out, lk_err *e);

#endif
