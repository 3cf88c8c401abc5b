/* infer/stats — the tail probabilities, order statistics and intervals that the clock finder uses.
 *
 * Units:  every probability is a natural logarithm, 0 = certain.
 * Thread: pure functions; medians and quantiles reorder the array they are given.
 * Source: ln_gamma_sf is the Erlang tail (Abramowitz & Stegun 6.5); ln_align the volume of a
 *         (k-1)-ball, ours; ln_binom_sf Chernoff's bound on Li & Ma's (1983) on/off counts; H of de
 *         Jager, Raubenheimer & Swanepoel 1989 with its tail of de Jager & Buesching 2010.  */
#ifndef LK_INFER_STATS_H
#define LK_INFER_STATS_H

#include <stddef.h>

/* ln P(a sum of m unit exponentials > s). */
double lk_ln_gamma_sf(unsigned m, double s);

/* ln P that k pulses of random phase align so well that sum_{j<=m} Z_j >= s; matters below k = 40. */
double lk_ln_align(double k, unsigned m, double s);

/* ln of a bound on P(k or more of k + b counts fall in a cell of width w, b beside it in a band of
 * width wb), the density in the cell allowed to be a quarter higher for slope. */
double lk_ln_binom_sf(double k, double b, double w, double wb);

/* H = max_{m<=m_max} (Z^2_m - 4m + 4) of phases in cycles; ln p = -0.4 H.  0 for no phases. */
double lk_h_test(const double *phase, size_t n, unsigned m_max);

/* Length of the mean unit vector of phases in cycles, 0 .. 1. */
double lk_resultant(const double *phase, size_t n);

/* 95 % interval of a share of k in n; 0 .. 1 when n is 0. */
void lk_wilson(double k, double n, double *low, double *high);

/* NAN when n is 0; the mean of the two middle values when n is even. */
double lk_median(double *v, size_t n);

enum { LK_SAMPLE_MAX = 1 << 14 };

/* For medians of long series: every so many-th value, each where there are few; gives how many, at most
 * LK_SAMPLE_MAX. */
size_t lk_sample_step(size_t n);
size_t lk_sample(const double *v, size_t n, double *out);
/* Where most values are: the median; for stamps coarser than 50 ms, whose gaps are whole numbers, the
 * mean of the values around it (within 1.2 resolutions or 4 %), after `beside` other values are taken
 * off each resolution. */
double lk_typical(double *v, size_t n, double resolution_s, double beside);
/* The q-th quantile, the nearest rank below. */
double lk_quantile(double *v, size_t n, double q);
/* 1.4826 times the median distance from `middle`: the standard deviation of a clean sample.  The
 * values are replaced by their distances. */
double lk_spread(double *v, size_t n, double middle);

/* Of n callers, v[i] comebacks each on one delay: how many one needs to have a vote on it.  0 = all have one; more
 * where most comebacks are those of a few that came often and hardly any of others, which did so by chance. */
double lk_vote_least(const double *v, size_t n);

#endif
