/* infer/policy_noise — what stands between the delay that a policy drew and the pause that a log
 * shows: the grain of two stamps, and the caller's own overhead.
 *
 * Two instants cut to a grain r differ from the truth by a triangle over -r..r; timers, queues and
 * sending add an exponential lag of mean s.  Distribution functions of the sum, as tables.
 *
 * Units:  seconds.
 * Owner:  the arena.
 * Errors: EOOM.
 * Source: the distribution of a sum by its second antiderivative: with K'' the distribution of the
 *         lag, F(v) = (K(v + r) - 2 K(v) + K(v - r)) / r^2.  */
#ifndef LK_INFER_POLICY_NOISE_H
#define LK_INFER_POLICY_NOISE_H

#include "base/arena.h"

enum { LK_NOISE_STEPS = 1024 };

typedef struct lk_noise {
    double grain_s, lag_s;
    double from_s, step_s;
    double reach_s; /* a little more than the table's length: F is 1 from there on, whatever rounding does */
    double below[LK_NOISE_STEPS + 1];    /* F at from + i * step              */
    double integral[LK_NOISE_STEPS + 1]; /* of F, from the start of the table */
} lk_noise;

LK_MUST_CHECK lk_code lk_noise_new(lk_arena *a, double grain_s, double lag_s, lk_noise **out,
                                   lk_err *e);

/* F(v): the share of errors below v. */
static inline double lk_noise_below(const lk_noise *n, double v_s)
{
    double past = v_s - n->from_s, at;
    size_t i;

    if (!(past > 0))
        return 0;
    if (past > n->reach_s)
        return 1;
    at = past / n->step_s;
    if (at >= LK_NOISE_STEPS)
        return 1;
    i = (size_t)at;
    return n->below[i] + (at - (double)i) * (n->below[i + 1] - n->below[i]);
}

/* An even spread over low..high (low = high: a point), no narrower than the error. */
typedef struct lk_noise_edges {
    double low_s, high_s, width_s;
} lk_noise_edges;

lk_noise_edges lk_noise_edges_of(const lk_noise *n, double low_s, double high_s);

/* Density and distribution function, at x, of such a spread with this error on top. */
static inline double lk_noise_density_of(const lk_noise *n, const lk_noise_edges *s, double x_s)
{
    return (lk_noise_below(n, x_s - s->low_s) - lk_noise_below(n, x_s - s->high_s)) / s->width_s;
}

double lk_noise_distribution_of(const lk_noise *n, const lk_noise_edges *s, double x_s);

/* The same of a spread that is asked for once. */
double lk_noise_density(const lk_noise *n, double low_s, double high_s, double x_s);
double lk_noise_distribution(const lk_noise *n, double low_s, double high_s, double x_s);

#endif
