/* infer/timing — periods that the arrival times alone show.
 *
 * Two engines over many windows: spectral candidates confirmed by row coherence (many weak waves),
 * and the burst lattice (few strong ones).  Every ln_p counts windows, periods and widths tried.
 *
 * Shapes: hits are distinct periods (3 %), the best of each, by ln_p.
 * Units:  bins [from, to) of the line are where the period was seen best.
 * Owner:  hits stand in the caller's struct.
 * Errors: EOOM.
 * Cost:   windows of 600 s, each next four times as long, overlapping by half, and the whole: about
 *         800 operations a bin and scale.
 * Source: ours.  */
#ifndef LK_INFER_TIMING_H
#define LK_INFER_TIMING_H

#include "base/arena.h"
#include "base/err.h"
#include "infer/series.h"

#include <stdbool.h>
#include <stddef.h>

#define LK_PERIOD_MIN_S 3.0
#define LK_PERIOD_MAX_S 600.0
enum { LK_HITS_MAX = 48 };

typedef enum lk_engine { LK_ENGINE_COHERENCE, LK_ENGINE_LATTICE } lk_engine;

typedef struct lk_hit {
    double ln_p, period_s;
    size_t from, to;
    lk_engine engine;
} lk_hit;

typedef struct lk_hits {
    lk_hit item[LK_HITS_MAX];
    size_t count;
} lk_hits;

/* Periods that are asked for; 0 = LK_PERIOD_MIN_S and LK_PERIOD_MAX_S. */
typedef struct lk_period_range {
    double min_s, max_s;
} lk_period_range;

LK_MUST_CHECK lk_code lk_timing_find(const lk_line *line, const lk_period_range *range,
                                     lk_arena *scratch, lk_hits *hits, lk_err *e);

bool lk_period_in_range(const lk_period_range *range, double period_s);
double lk_period_at_most(const lk_period_range *range, double longest_s); /* the lesser */

/* The shortest and longest period of the range that a line can show. */
double lk_timing_shortest(const lk_line *line, const lk_period_range *range);
double lk_timing_longest(const lk_line *line, const lk_period_range *range);

#endif
