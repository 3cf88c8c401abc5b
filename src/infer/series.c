#include "infer/series.h"

#include "infer/stats.h"

#include <math.h>
#include <string.h>

#define HOLE_S 5.0         /* shorter silences are never holes                     */
#define HOLE_NEARBY_S 60.0 /* how far around a silence the usual rate is looked up */
#define HOLE_MISSING 30.0  /* counts that should have come: Poisson chance e^-30   */

static double mean(const double *v, size_t n)
{
    double sum = 0.0;

    for (size_t i = 0; i < n; i++)
        sum += v[i];
    return n > 0 ? sum / (double)n : 0.0;
}

static size_t copy_range(const double *x, size_t from, size_t to, double *out)
{
    memcpy(out, x + from, (to - from) * sizeof(*x));
    return to - from;
}

/* Is the silence [from, to) longer than the traffic around it can explain? */
static bool is_hole(const lk_line *l, size_t from, size_t to, double rate, double *work)
{
    size_t near = (size_t)(HOLE_NEARBY_S / l->bin_s), len = to - from, got;
    double bins = (double)len;

    if (bins * l->bin_s <= HOLE_S || bins * rate <= HOLE_MISSING)
        return false;
    got = copy_range(l->x, from > near ? from - near : 0, from, work);
    got += copy_range(l->x, to, to + near < l->n ? to + near : l->n, work + got);
    return got > 0 && bins * fmin(rate, lk_median(work, got) + 0.02 * rate) > HOLE_MISSING;
}

static void mark_holes(const lk_line *l, bool *hole, double *work)
{
    double rate = mean(l->x, l->n);
    size_t from = 0;

    for (size_t i = 0; i <= l->n; i++) {
        if (i < l->n && !(l->x[i] > 0.0))
            continue;
        if (i > from && is_hole(l, from, i, rate, work))
            memset(hole + from, true, i - from);
        from = i + 1;
    }
}

/* The median of the bins that are no holes; y's own memory order is kept. */
static double solid_median(const lk_line *l, const double *y, double *work)
{
    size_t got = 0;

    for (size_t i = 0; i < l->n; i++)
        if (!l->hole[i])
            work[got++] = y[i];
    return got > 0 ? lk_median(work, got) : 0.0;
}

static double deviation(const double *y, size_t n)
{
    double m = mean(y, n), sum = 0.0;

    for (size_t i = 0; i < n; i++)
        sum += (y[i] - m) * (y[i] - m);
    return n > 0 ? sqrt(sum / (double)n) : 0.0;
}

static double stabilise(const lk_line *l, double *y, double *work)
{
    double middle;

    for (size_t i = 0; i < l->n; i++)
        y[i] = 2.0 * sqrt(l->x[i] + 0.375);
    middle = solid_median(l, y, work);
    for (size_t i = 0; i < l->n; i++)
        if (l->hole[i])
            y[i] = middle;
    memcpy(work, y, l->n * sizeof(*y));
    return fmax(fmax(lk_spread(work, l->n, middle), 0.5 * deviation(y, l->n)), 1e-6);
}

lk_code lk_line_init(lk_line *line, const double *x, size_t n, double bin_s, lk_arena *a, lk_err *e)
{
    double *y = LK_NEW(a, double, n), *work = LK_NEW(a, double, n);
    bool *hole = LK_NEW(a, bool, n);

    if (!y || !work || !hole)
        return lk_fail(e, LK_EOOM, "no memory for a series of %zu bins", n);
    *line = (lk_line){ .x = x, .y = y, .hole = hole, .n = n, .bin_s = bin_s };
    mark_holes(line, hole, work);
    line->scale = stabilise(line, y, work);
    return LK_OK;
}

void lk_box(const double *y, size_t n, size_t len, double *out)
{
    double sum = 0.0;
    size_t from = 0;

    len = len < 2 ? 2 : len;
    len = len > n ? n : len;
    for (size_t i = 0; i < len; i++)
        sum += y[i];
    for (size_t i = 0; i < n; i++) {
        size_t want = i > len / 2 ? i - len / 2 : 0;

        for (; from < want && from + len < n; from++)
            sum += y[from + len] - y[from];
        out[i] = y[i] - sum / (double)len;
    }
}

static double median_around(const double *x, size_t n, size_t at, size_t half, double *work)
{
    size_t from = at > half ? at - half : 0, to = at + half + 1 < n ? at + half + 1 : n;

    return lk_median(work, copy_range(x, from, to, work));
}

void lk_local_median(const double *x, size_t n, size_t half, double *out, double *work)
{
    size_t step = half / 3 > 1 ? half / 3 : 1;
    double left = n > 0 ? median_around(x, n, 0, half, work) : 0.0;

    for (size_t at = 0; at < n; at += step) {
        size_t next = at + step < n ? at + step : n - 1;
        double right = median_around(x, n, next, half, work);

        for (size_t i = at; i < at + step && i < n; i++)
            out[i] = left + (right - left) * (double)(i - at) / (double)step;
        left = right;
    }
}

static float clipped(double z)
{
    z = z > -3.0 ? z : -3.0;
    return (float)(z < 8.0 ? z : 8.0);
}

/* As lk_box, with each value scaled and clipped on the way: this is the inner loop of a long log. */
void lk_line_clipped(const lk_line *line, size_t len, float *out)
{
    const double *y = line->y;
    size_t n = line->n, half, last;
    double sum = 0.0, per_len, per_scale = 1.0 / line->scale;

    len = len < 2 ? 2 : len;
    len = len > n ? n : len;
    half = len / 2;
    last = n - len + half; /* from here on the window stands still */
    per_len = 1.0 / (double)len;
    for (size_t i = 0; i < len; i++)
        sum += y[i];
    for (size_t i = 0; i < n; i++) {
        if (i > half && i <= last)
            sum += y[i - half - 1 + len] - y[i - half - 1];
        out[i] = clipped((y[i] - sum * per_len) * per_scale);
    }
}

size_t lk_line_bin(const lk_line *line, double at_s)
{
    double bin = floor(at_s / line->bin_s + 1e-6);

    return bin <= 0.0 ? 0 : bin >= (double)line->n ? line->n : (size_t)bin;
}

lk_line lk_line_part(const lk_line *line, size_t from, size_t n)
{
    return (lk_line){ .x = line->x + from,
                      .y = line->y + from,
                      .hole = line->hole + from,
                      .n = n,
                      .bin_s = line->bin_s,
                      .scale = line->scale };
}
