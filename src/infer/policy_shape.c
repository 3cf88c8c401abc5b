#include "infer/policy_shape.h"

#include "base/whole.h"

#include <math.h>
#include <stdlib.h>

enum { CALLERS_MIN = 8, DELAYS_MIN = 3, SHARED_MIN = 8 };

static int ascending(const void *pa, const void *pb)
{
    double a = *(const double *)pa, b = *(const double *)pb;

    return (a > b) - (a < b);
}

static double quantile(double *x, size_t n, double q)
{
    double at = q * (double)(n - 1);
    size_t i = lk_whole_size(at);

    qsort(x, n, sizeof(*x), ascending);
    return i + 1 < n ? x[i] + (at - (double)i) * (x[i + 1] - x[i]) : x[n - 1];
}

static double median(double *x, size_t n)
{
    return quantile(x, n, 0.5);
}

/* Median distance from the median; x is sorted by it. */
static double spread_around(double *x, size_t n, double middle)
{
    for (size_t i = 0; i < n; i++)
        x[i] = fabs(x[i] - middle);
    return median(x, n);
}

/* ---- one draw for ever ---- */

struct callers {
    double *middle, *inside, *asked, *scratch;
    size_t count;
};

static void take_caller(const lk_judged_set *set, size_t from, size_t to, struct callers *c)
{
    size_t n = to - from;
    double middle;

    if (n < DELAYS_MIN)
        return;
    for (size_t i = 0; i < n; i++)
        c->scratch[i] = set->delays.delay_s[from + i];
    middle = median(c->scratch, n);
    c->middle[c->count] = middle;
    c->inside[c->count] = spread_around(c->scratch, n, middle);
    c->asked[c->count++] = set->delays.asked_s[from];
}

lk_code lk_shape_reused(const lk_judged_set *set, lk_arena *scratch, lk_delay_set *out, bool *found,
                        lk_err *e)
{
    const lk_delay_set *d = &set->delays;
    size_t n = d->n;
    double *memory = LK_NEW(scratch, double, 5 * n + 1), inside, between, middle;
    unsigned *retry = LK_NEW(scratch, unsigned, n + 1);
    struct callers c = { memory, memory + n, memory + 2 * n, memory + 3 * n, 0 };

    *found = false;
    if (!memory || !retry)
        return lk_fail(e, LK_EOOM, "no memory to compare %zu delays", n);
    for (size_t i = 0, to; i < n; i = to) {
        for (to = i; to < n && set->caller[to] == set->caller[i]; to++)
            ;
        take_caller(set, i, to, &c);
    }
    if (c.count < CALLERS_MIN)
        return LK_OK;
    inside = median(c.inside, c.count);
    for (size_t i = 0; i < c.count; i++)
        c.scratch[i] = c.middle[i];
    middle = median(c.scratch, c.count);
    between = spread_around(c.scratch, c.count, middle);
    *found = between > 4 * fmax(inside, fmax(0.35 * d->grain_s, 0.004)) && between > 0.005 * middle;
    for (size_t i = 0; i < c.count; i++)
        memory[4 * n + i] = (double)NAN;
    *out = *d;
    out->n = c.count;
    out->delay_s = c.middle;
    out->asked_s = c.asked;
    out->previous_s = memory + 4 * n;
    out->retry = retry;
    return LK_OK;
}

/* ---- one sequence for all ---- */

static size_t gather(const lk_delay_set *d, unsigned retry, double *out)
{
    size_t n = 0;

    for (size_t i = 0; i < d->n; i++)
        if (d->retry[i] == retry)
            out[n++] = d->delay_s[i];
    return n;
}

lk_code lk_shape_is_shared(const lk_delay_set *d, lk_arena *scratch, bool *found, double *spread_s,
                           lk_err *e)
{
    double *x = LK_NEW(scratch, double, d->n + 1), width[LK_RETRIES_MAX];
    size_t rows = 0, tight = 0;

    if (!x)
        return lk_fail(e, LK_EOOM, "no memory to compare %zu delays", d->n);
    for (unsigned k = 0; k < LK_RETRIES_MAX; k++) {
        size_t n = gather(d, k, x);
        double w;

        if (n < SHARED_MIN)
            continue;
        w = quantile(x, n, 0.8) - quantile(x, n, 0.2);
        tight += w <= fmax(1.1 * d->grain_s, fmax(0.02, 0.02 * quantile(x, n, 0.5)));
        width[rows++] = w;
    }
    *found = rows >= 3 && (double)tight > 0.8 * (double)rows;
    *spread_s = rows ? median(width, rows) : (double)NAN;
    return LK_OK;
}

/* ---- a schedule that breaks ---- */

lk_code lk_shape_collapse(const lk_delay_set *d, lk_arena *scratch, unsigned *from, lk_err *e)
{
    double *x = LK_NEW(scratch, double, d->n + 1), middle[LK_RETRIES_MAX], most = 0;
    unsigned first = 0;

    *from = 0;
    if (!x)
        return lk_fail(e, LK_EOOM, "no memory to compare %zu delays", d->n);
    for (unsigned k = 0; k < LK_RETRIES_MAX; k++) {
        size_t n = gather(d, k, x);

        middle[k] = n >= DELAYS_MIN ? median(x, n) : (double)NAN;
        if (isnan(middle[k]))
            continue;
        if (k >= 3 && !first && middle[k] < 0.15 * most && most > 5 * fmax(d->grain_s, 0.02))
            first = k;
        else if (first && middle[k] > 0.3 * most)
            return LK_OK; /* it grows again: a sawtooth, not a break */
        most = fmax(most, middle[k]);
    }
    *from = first;
    return LK_OK;
}
