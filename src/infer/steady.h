/* infer/steady — waves of a known period that stand out in their sum alone.
 *
 * One probe every 10 s, or 15 arrivals among 100, shows in no single round.  Folded at the period, the rounds of a
 * coherent range show where in the period they come and how many; the train is taken for one where every quarter
 * of the range shows it at the same phase.  All waves have the mean size; no decay is measured.  The
 * train begins and ends where the rounds, taken together, speak for it (the greatest sum of log-likelihood ratios).
 *
 * Units:  seconds after the start of the series.
 * Owner:  the arena given; it must not be the scratch.
 * Errors: EOOM.
 * Cost:   one pass over the range.
 * Source: ours.  */
#ifndef LK_INFER_STEADY_H
#define LK_INFER_STEADY_H

#include "infer/track.h"

/* out->count = 0: the rounds show no such train. */
LK_MUST_CHECK lk_code lk_steady_waves(const lk_line *line, const lk_track_range *range, lk_arena *a,
                                      lk_arena *scratch, lk_waves *out, lk_err *e);

#endif
