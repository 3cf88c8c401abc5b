/* infer/lattice — few strong bursts at equal steps: what coherence cannot see for lack of cycles.
 *
 * Shapes: bursts [n], strongest first; each is a matched-filter excess over the local median.
 * Units:  seconds after the start of the series; z in standard deviations of the series itself.
 * Errors: EOOM.
 * Cost:   at most LK_BURSTS_MAX bursts; 100 of them, 4,950 pairs and 15 steps a segment.
 * Source: ours.  */
#ifndef LK_INFER_LATTICE_H
#define LK_INFER_LATTICE_H

#include "base/arena.h"
#include "base/err.h"
#include "infer/series.h"

#include <stddef.h>

enum { LK_BURSTS_MAX = 3000 };

typedef struct lk_burst {
    double at_s, z;
} lk_burst;

typedef struct lk_lattice {
    double ln_p, period_s;
    double first_s, last_s;
    size_t waves; /* 0 = no chain of three */
} lk_lattice;

typedef struct lk_lattice_range {
    double bin_s, span_s, period_min_s, period_max_s;
    double tolerance_bins, tolerance_share; /* of a step: how far a burst may be off, the larger */
} lk_lattice_range;

/* Bursts of width `width_s` over the median of +-15 s; `out` holds LK_BURSTS_MAX. */
LK_MUST_CHECK lk_code lk_bursts_find(const lk_line *line, double width_s, lk_arena *scratch,
                                     lk_burst *out, size_t *count, lk_err *e);

/* The best chain; its ln_p counts the pairs tried. */
lk_lattice lk_lattice_find(const lk_burst *bursts, size_t count, const lk_lattice_range *range);

#endif
