/* infer/timing — periods that the arrival times alone show.
 *
 * Two engines over many windows: spectral candidates confirmed by row coherence (many weak waves),
 * and the burst lattice (few strong ones).  Every ln_p counts windows, periods and widths tried.
 *
 * Shapes: hits are distinct periods (3 %), the best of each, by ln_p.
 * Units:  bins [from, to) of the line are where the period was seen best.
 * Owner:  hits stand in the caller's struct.
 * Errors: EOOM.
 * Cost:   windows of 600 s, each next four times as long and in bins twice as wide (four fit where the
 *         stamps are fine), overlapping by half, and the whole; a peak that chance could be is not
 *         confirmed.  About 2 * 10^9 instructions for two lines of a day at 0.25 s.
 * Source: ours.  */
#ifndef LK_INFER_TIMING_H
#define LK_INFER_TIMING_H

#include "base/arena.h"
#include "base/err.h"
#include "infer/series.h"

#include <stdbool.h>
#include <stddef.h>

#define LK_PERIOD_MIN_S 3.0
#define LK_PERIOD_BINS 4.5 /* of a period, at least: below, what is faster than two bins looks the same */
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

/* Plans for lines like this one, of as many bins as wide: one plan a length of windows, for all lines. */
typedef struct lk_timing lk_timing;

LK_MUST_CHECK lk_code lk_timing_open(const lk_line *like, const lk_period_range *range, lk_arena *a,
                                     lk_timing **out, lk_err *e);
LK_MUST_CHECK lk_code lk_timing_find(const lk_timing *t, const lk_line *line, lk_arena *scratch,
                                     lk_hits *hits, lk_err *e);

/* How many of the line's bins make one where the whole of it is searched at once. */
size_t lk_timing_merge(const lk_line *line, const lk_period_range *range);

bool lk_period_in_range(const lk_period_range *range, double period_s);
double lk_period_at_most(const lk_period_range *range, double longest_s); /* the lesser */

/* The shortest and longest period of the range that a line can show. */
double lk_timing_shortest(const lk_line *line, const lk_period_range *range);
double lk_timing_longest(const lk_line *line, const lk_period_range *range);

#endif
