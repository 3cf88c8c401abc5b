#include "infer/policy_noise.h"

#include <math.h>

static const double LAGS = 12; /* mean lags that a table reaches to */

/* Second antiderivative of the lag's distribution function. */
static double antiderivative(double v, double s)
{
    return v > 0 ? v * v / 2 - s * v + s * s * -expm1(-v / s) : 0;
}

static double exact_below(double v, double r, double s)
{
    double f = (antiderivative(v + r, s) - 2 * antiderivative(v, s) + antiderivative(v - r, s)) / (r * r);

    return fmin(1, fmax(0, f));
}

lk_code lk_noise_new(lk_arena *a, double grain_s, double lag_s, lk_noise **out, lk_err *e)
{
    lk_noise *n = LK_NEW(a, lk_noise, 1);
    double sum = 0;

    if (!n)
        return lk_fail(e, LK_EOOM, "no memory for the errors of delays");
    n->grain_s = grain_s;
    n->lag_s = lag_s;
    n->from_s = -grain_s;
    n->step_s = (2 * grain_s + LAGS * lag_s) / LK_NOISE_STEPS;
    n->reach_s = 1.001 * LK_NOISE_STEPS * n->step_s;
    for (size_t i = 0; i <= LK_NOISE_STEPS; i++) {
        n->below[i] = exact_below(n->from_s + (double)i * n->step_s, grain_s, lag_s);
        if (i)
            sum += (n->below[i - 1] + n->below[i]) / 2 * n->step_s;
        n->integral[i] = sum;
    }
    *out = n;
    return LK_OK;
}

/* Integral of F up to v. */
static double integral(const lk_noise *n, double v_s)
{
    double at = (v_s - n->from_s) / n->step_s, part;
    size_t i;

    if (!(at > 0))
        return 0;
    if (at >= LK_NOISE_STEPS)
        return n->integral[LK_NOISE_STEPS] + (at - LK_NOISE_STEPS) * n->step_s;
    i = (size_t)at;
    part = at - (double)i;
    return n->integral[i] +
           part * n->step_s * (n->below[i] + part / 2 * (n->below[i + 1] - n->below[i]));
}

/* A point is a spread narrower than the error. */
lk_noise_edges lk_noise_edges_of(const lk_noise *n, double low_s, double high_s)
{
    double width = fmax(high_s - low_s, fmax(n->grain_s / 2, 1e-3)), middle = (low_s + high_s) / 2;

    return (lk_noise_edges){ middle - width / 2, middle + width / 2, width };
}

double lk_noise_distribution_of(const lk_noise *n, const lk_noise_edges *s, double x_s)
{
    return (integral(n, x_s - s->low_s) - integral(n, x_s - s->high_s)) / s->width_s;
}

double lk_noise_density(const lk_noise *n, double low_s, double high_s, double x_s)
{
    lk_noise_edges s = lk_noise_edges_of(n, low_s, high_s);

    return lk_noise_density_of(n, &s, x_s);
}

double lk_noise_distribution(const lk_noise *n, double low_s, double high_s, double x_s)
{
    lk_noise_edges s = lk_noise_edges_of(n, low_s, high_s);

    return lk_noise_distribution_of(n, &s, x_s);
}
