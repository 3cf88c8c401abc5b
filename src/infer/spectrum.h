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

/* The same at twice as many frequencies, power[k], k = 0 .. length, of k / (2 length bin_s) Hz: between two
 * points stands half the square of their difference, which noise fills alike, and in which a tone half way
 * keeps four fifths of its power instead of two fifths. */
LK_MUST_CHECK lk_code lk_spectrum_halves(lk_spectrum *s, const double *y, size_t n, double *power,
                                         lk_err *e);

/* Autocorrelation by way of the power; length >= 2 n keeps the ends apart (biased: lag j is a sum
 * of n - j products).  acf holds n values. */
LK_MUST_CHECK lk_code lk_spectrum_acf(lk_spectrum *s, const double *y, size_t n, double *acf,
                                      lk_err *e);

enum { LK_WHITEN_WORK = 256 };

/* white[k] = power[k] / (median of power around k, over +-30 % or +-least points, / ln 2);
 * of many points a hundred stand for all.  `work` holds LK_WHITEN_WORK values. */
void lk_spectrum_whiten(const double *power, size_t points, size_t least, double *white,
                        double *work);

/* -ln p of harmonic sums: a table, since a logarithm a frequency would cost more than the transform. */
typedef struct lk_tails lk_tails;

LK_MUST_CHECK lk_code lk_tails_new(lk_arena *a, lk_tails **out, lk_err *e);

/* Where to look for peaks, and how high they must be. */
typedef struct lk_peak_range {
    double span_s; /* white[k] is of the period span_s / k */
    double period_min_s, period_max_s;
    double least; /* -ln p of the best harmonic sum */
} lk_peak_range;

typedef struct lk_peak {
    double period_s, score; /* score: -ln p, above 0 */
} lk_peak;

/* The `max` best harmonic sums (1, 2, 4, 8 terms) of whitened power, best first, no two within 3 %; gives
 * their number.  `work` holds as many as `white` has points. */
size_t lk_spectrum_peaks(const lk_tails *t, const double *white, size_t points,
                         const lk_peak_range *range, lk_peak *out, size_t max, lk_peak *work);

#endif
