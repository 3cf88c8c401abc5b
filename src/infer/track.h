/* infer/track — follows the waves of a known period through a count series.
 *
 * Sizes are what stands above the local median; the walk goes both ways from the strongest wave and
 * stops after three misses.
 *
 * Units:  seconds after the start of the series.
 * Owner:  the arena given; it must not be the scratch.
 * Errors: EOOM.
 * Source: ours.  */
#ifndef LK_INFER_TRACK_H
#define LK_INFER_TRACK_H

#include "base/arena.h"
#include "base/err.h"
#include "infer/series.h"
#include "infer/waves.h"

#include <stddef.h>

typedef struct lk_track_range {
    size_t from, to; /* bins in which the period was seen */
    double period_s;
} lk_track_range;

LK_MUST_CHECK lk_code lk_track_waves(const lk_line *line, const lk_track_range *range, lk_arena *a,
                                     lk_arena *scratch, lk_waves *out, lk_err *e);

/* The decay as a line through the logarithms of the sizes from the largest wave on, for sizes that
 * are excesses over a background; fills survival and its interval. */
void lk_track_decay(lk_waves *w);

#endif
