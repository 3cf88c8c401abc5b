#include "infer/series.h"

#include "base/whole.h"
#include "infer/stats.h"

#include <math.h>
#include <string.h>

#define HOLE_S 5.0         /* shorter silences are never holes                     */
#define HOLE_NEARBY_S 60.0 /* how far around a silence the usual rate is looked up */
#define HOLE_MISSING 30.0  /* counts that should have come: Poisson chance e^-30   */

enum {
    COUNTED_MAX = 1023, /* larger counts have their medians selected    */
    ROOTS = 64          /* counts whose roots are kept: most bins' are */
};

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
    size_t near = lk_whole_size(HOLE_NEARBY_S / l->bin_s), len = to - from, got;
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

    for (size_t i = 0; i < l->n; i += lk_sample_step(l->n))
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

static double stable(double x)
{
    return 2.0 * sqrt(x + 0.375);
}

static double stabilise(const lk_line *l, double *y, double *work)
{
    double middle, root[ROOTS];

    for (size_t k = 0; k < ROOTS; k++)
        root[k] = stable((double)k);
    for (size_t i = 0; i < l->n; i++) {
        size_t k = (size_t)l->x[i];

        y[i] = k < ROOTS && !(l->x[i] > (double)k) ? root[k] : stable(l->x[i]);
    }
    middle = solid_median(l, y, work);
    for (size_t i = 0; i < l->n; i++)
        if (l->hole[i])
            y[i] = middle;
    return fmax(fmax(lk_spread(work, lk_sample(y, l->n, work), middle), 0.5 * deviation(y, l->n)),
                1e-6);
}

static void add_up(const double *y, size_t n, double *up)
{
    up[0] = 0.0;
    for (size_t i = 0; i < n; i++)
        up[i + 1] = up[i] + y[i];
}

lk_code lk_line_init(lk_line *line, const double *x, size_t n, double bin_s, lk_arena *a, lk_err *e)
{
    double *y = LK_NEW(a, double, n), *work = LK_NEW(a, double, n + 1);
    bool *hole = LK_NEW(a, bool, n);

    if (!y || !work || !hole)
        return lk_fail(e, LK_EOOM, "no memory for a series of %zu bins", n);
    *line = (lk_line){ .x = x, .y = y, .up = work, .hole = hole, .n = n, .bin_s = bin_s };
    mark_holes(line, hole, work);
    line->scale = stabilise(line, y, work);
    add_up(y, n, work);
    return LK_OK;
}

lk_code lk_line_widen(const lk_line *line, size_t merge, lk_arena *a, lk_line *out, lk_err *e)
{
    size_t n = line->n / merge;
    double *x;

    if (merge == 1) {
        *out = *line;
        return LK_OK;
    }
    if (!(x = LK_NEW(a, double, n)))
        return lk_fail(e, LK_EOOM, "no memory for a series of %zu bins", n);
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < merge; k++)
            x[i] += line->x[i * merge + k];
    return lk_line_init(out, x, n, line->bin_s * (double)merge, a, e);
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

/* Small whole numbers, counted: the median moves with the window instead of being selected anew. */
typedef struct counted {
    uint32_t count[COUNTED_MAX + 1];
    size_t middle, below, n; /* the middle's value, how many are smaller, how many in all */
} counted;

static void count_in(counted *c, double x)
{
    c->count[(size_t)x]++;
    c->below += (size_t)x < c->middle;
    c->n++;
}

static void count_out(counted *c, double x)
{
    c->count[(size_t)x]--;
    c->below -= (size_t)x < c->middle;
    c->n--;
}

/* The value of rank k, 0 the least. */
static double counted_rank(counted *c, size_t k)
{
    while (c->below > k)
        c->below -= c->count[--c->middle];
    while (c->below + c->count[c->middle] <= k)
        c->below += c->count[c->middle++];
    return (double)c->middle;
}

static double counted_median(counted *c)
{
    double upper = counted_rank(c, c->n / 2);

    return c->n % 2 == 1 ? upper : (counted_rank(c, c->n / 2 - 1) + upper) / 2.0;
}

static bool is_countable(const double *x, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (x[i] < 0.0 || x[i] > COUNTED_MAX || x[i] != floor(x[i]))
            return false;
    return n > 0;
}

/* Values of x around bins that only ever go up. */
typedef struct around {
    const double *x;
    size_t n, half, from, to; /* [from, to) is counted */
    counted counted;
    bool is_countable;
    double *work;
} around;

static double median_at(around *a, size_t at)
{
    size_t from = at > a->half ? at - a->half : 0,
           to = at + a->half + 1 < a->n ? at + a->half + 1 : a->n;

    if (!a->is_countable)
        return lk_median(a->work, copy_range(a->x, from, to, a->work));
    for (; a->to < to; a->to++)
        count_in(&a->counted, a->x[a->to]);
    for (; a->from < from; a->from++)
        count_out(&a->counted, a->x[a->from]);
    return counted_median(&a->counted);
}

void lk_local_median(const double *x, size_t n, size_t half, double *out, double *work)
{
    around a = { .x = x, .n = n, .half = half, .work = work, .is_countable = is_countable(x, n) };
    size_t step = half / 3 > 1 ? half / 3 : 1;
    double left = n > 0 ? median_at(&a, 0) : 0.0;

    for (size_t at = 0; at < n; at += step) {
        size_t next = at + step < n ? at + step : n - 1;
        double right = median_at(&a, next);

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

/* [from, to) less the mean that stands still. */
static void clip_level(const double *y, size_t from, size_t to, double mean, double per_scale,
                       float *out)
{
    for (size_t i = from; i < to; i++)
        out[i] = clipped((y[i] - mean) * per_scale);
}

/* As lk_box, with each value scaled and clipped on the way: an inner loop of a long log. */
void lk_line_clipped(const lk_line *line, size_t len, float *out)
{
    const double *y = line->y, *up = line->up;
    size_t n = line->n, half, last;
    double per_len, per_scale = 1.0 / line->scale;

    len = len < 2 ? 2 : len;
    len = len > n ? n : len;
    half = len / 2;
    last = n - len + half; /* from here on the window stands still */
    per_len = 1.0 / (double)len;
    clip_level(y, 0, half, (up[len] - up[0]) * per_len, per_scale, out);
    for (size_t i = 0; i < n - len; i++)
        out[i + half] = clipped((y[i + half] - (up[i + len] - up[i]) * per_len) * per_scale);
    clip_level(y, last, n, (up[n] - up[n - len]) * per_len, per_scale, out);
}

size_t lk_line_bin(const lk_line *line, double at_s)
{
    double bin = floor(at_s / line->bin_s + 1e-6);

    return bin <= 0.0 ? 0 : bin >= (double)line->n ? line->n : lk_whole_size(bin);
}

lk_line lk_line_part(const lk_line *line, size_t from, size_t n)
{
    return (lk_line){ .x = line->x + from,
                      .y = line->y + from,
                      .up = line->up + from,
                      .hole = line->hole + from,
                      .n = n,
                      .bin_s = line->bin_s,
                      .scale = line->scale };
}
