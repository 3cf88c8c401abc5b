/* infer/spectrum — power spectrum of a series, whitened, and what can be read off it.
 *
 * Shapes: a plan of `length` points (even, 2^a 3^b 5^c) takes up to that many values, the rest are
 *         zeros; power[k], k = 0 .. length/2, belongs to k / (length * bin_s) Hz; power[0] is 0
 *         (the mean is removed first, in double).  acf[lag], lag = 0 .. n-1, acf[0] = 1.
 * Units:  power in squares of the values times their number; whitened power has mean 1 in noise.
 * Owner:  the plan and its buffers come from the arena; kissfft writes into them.
 * Errors: EUSAGE length odd, below 4 or above INT_MAX, or more values than that; EOOM.
 * Thread: one plan, one thread.
 * Cost:   20 bytes a point; O(length log length) a transform, in float.
 * Source: whitening by a running median after Israel & Stella 1996; harmonic sums after Ransom,
 *         Eikenberry & Middleditch 2002.  */
#ifndef LK_INFER_SPECTRUM_H
#define LK_INFER_SPECTRUM_H

#include "base/arena.h"
#include "base/err.h"

#include <stddef.h>

typedef struct lk_spectrum lk_spectrum;

/* The least even 2^a 3^b 5^c that is not below n (nor below 4). */
size_t lk_spectrum_length(size_t n);

LK_MUST_CHECK lk_code lk_spectrum_new(lk_arena *a, size_t length, lk_spectrum **out, lk_err *e);
size_t lk_spectrum_points(const lk_spectrum *s); /* length / 2 + 1 */

LK_MUST_CHECK lk_code lk_spectrum_power(lk_spectrum *s, const double *y, size_t n, double *power,
                                        lk_err *e);

/* Autocorrelation by way of the power; length >= 2 n keeps the ends apart (biased: lag j is a sum
 * of n - j products).  acf holds n values. */
LK_MUST_CHECK lk_code lk_spectrum_acf(lk_spectrum *s, const double *y, size_t n, double *acf,
                                      lk_err *e);

/* white[k] = power[k] / (median of power around k, over +-30 % or +-least points, / ln 2);
 * of many points some hundreds stand for all. */
void lk_spectrum_whiten(const double *power, size_t points, size_t least, double *white,
                        double *work);

/* Where to look for peaks: a grid spacing of 1 / (length * bin_s) Hz. */
typedef struct lk_peak_range {
    double bin_s, period_min_s, period_max_s;
} lk_peak_range;

/* The periods of the `max` best harmonic sums (1, 2, 4, 8 terms) of whitened power, best first, no two
 * within 3 %; gives their number.  `work` holds as
 * many values as the spectrum has points. */
size_t lk_spectrum_candidates(const lk_spectrum *s, const double *white, const lk_peak_range *range,
                              double *period_s, size_t max, double *work);

#endif
