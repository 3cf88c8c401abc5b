/* infer/fundamental — which multiple or fraction of a spectral period is the clock itself?
 *
 * Source: ours.  The autocorrelation at j p should be a hill between valleys at (j -+ 1/2) p; the
 *         smallest p = P q / k whose mean hill reaches three quarters of the highest is the clock.
 * Errors: EOOM, EUSAGE (see lk_spectrum).
 * Cost:   one transform of twice the bins and its inverse.  */
#ifndef LK_INFER_FUNDAMENTAL_H
#define LK_INFER_FUNDAMENTAL_H

#include "base/arena.h"
#include "base/err.h"
#include "infer/series.h"

/* `part` is the line over the span in which the period was seen. */
LK_MUST_CHECK lk_code lk_fundamental_find(const lk_line *part, double period_s, lk_arena *scratch,
                                          double *out_s, lk_err *e);

#endif
