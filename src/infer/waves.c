#include "infer/waves.h"

#include "infer/stats.h"

#include <math.h>
#include <stdlib.h>

#define SIZEABLE 10.0      /* arrivals ...                                           */
#define SIZEABLE_SHARE 0.1 /* ... and share of the largest: waves that tell the decay */
#define WORTH_SHARE 0.02   /* smaller rounds end the train                            */
#define WIDER 1.1 /* the interval covers 95 % of planted ratios, by the benchmark */
#define OVERLAP 0.8 /* of the period: wider waves have run into each other    */
#define PEAK_WINDOW_S 0.25
#define NEAR_SHARE 0.05 /* of the period: so near the middle nobody is a straggler */
#define STRAGGLE 3.5    /* standard deviations that stay a wave's own            */
#define GROWN 0.5       /* of the largest: where the decay may begin             */

enum { ROUNDS_MISSING = 2, FIT_STEPS = 6, WIDTH_LEAST = 5 };

/* ---- period ------------------------------------------------------------------------------- */

typedef struct line_fit {
    double slope, middle; /* centre = level + slope * (round - middle) */
    double level, lever;  /* sum of weight * (round - middle)^2        */
} line_fit;

static line_fit fit_line(const lk_wave *w, size_t n, const double *weight)
{
    double sum = 0.0, k = 0.0, t = 0.0, slope = 0.0;
    line_fit f = { 0 };

    for (size_t i = 0; i < n; i++) {
        sum += weight[i];
        k += weight[i] * (double)w[i].round;
        t += weight[i] * w[i].centre_s;
    }
    f.middle = k / sum;
    f.level = t / sum;
    for (size_t i = 0; i < n; i++) {
        double x = (double)w[i].round - f.middle;

        f.lever += weight[i] * x * x;
        slope += weight[i] * x * (w[i].centre_s - f.level);
    }
    f.slope = slope / f.lever;
    return f;
}

static double residual(const line_fit *f, const lk_wave *w)
{
    return w->centre_s - f->level - f->slope * ((double)w->round - f->middle);
}

static void fit_period(lk_waves *w, double resolution_s, double *weight, double *work)
{
    double floor_s = resolution_s / sqrt(12.0), spread = floor_s;
    line_fit f = { 0 };

    for (size_t i = 0; i < w->count; i++)
        weight[i] = 1.0;
    for (int step = 0; step < FIT_STEPS; step++) {
        f = fit_line(w->item, w->count, weight);
        for (size_t i = 0; i < w->count; i++)
            work[i] = fabs(residual(&f, &w->item[i]));
        spread = fmax(1.4826 * lk_median(work, w->count), floor_s);
        for (size_t i = 0; i < w->count; i++) {
            double off = residual(&f, &w->item[i]) / (2.4 * spread);

            weight[i] = 1.0 / (1.0 + off * off);
        }
    }
    w->period_s = f.slope;
    w->period_error_s = w->count > 2 ? spread / sqrt(f.lever) : (double)NAN;
}

/* ---- decay -------------------------------------------------------------------------------- */

static double largest(const lk_waves *w)
{
    double most = 0.0;

    for (size_t i = 0; i < w->count; i++)
        most = fmax(most, w->item[i].arrivals);
    return most;
}

static bool is_sizeable(const lk_wave *w, double most)
{
    return w->arrivals >= SIZEABLE && w->arrivals >= SIZEABLE_SHARE * most;
}

/* Variance of the logarithm of a ratio of two sizes when callers leave at random, by themselves. */
static double thinning(const lk_wave *before, const lk_wave *after)
{
    return fmax(0.0, 1.0 / after->arrivals - 1.0 / before->arrivals) +
           after->noise / (after->arrivals * after->arrivals);
}

/* By how much the steps between items `from` and `to` vary more than that: a server that admits as
 * many whatever the wave, an outage that ends. */
static double excess_variance(const lk_wave *w, size_t from, size_t to, double mean)
{
    double sum = 0.0, due = 0.0;

    for (size_t i = from; i < to; i++) {
        double steps = (double)(w[i + 1].round - w[i].round);
        double off = log(w[i + 1].arrivals / w[i].arrivals) / steps - mean;

        sum += off * off;
        due += thinning(&w[i], &w[i + 1]) / (steps * steps);
    }
    return to > from + 1 ? fmax(0.0, sum - due) / (double)(to - from - 1) : 0.0;
}

/* May some of a wave have come after the log's end? */
static bool is_cut(const lk_waves *w, size_t i, double end_s)
{
    const lk_wave *before = &w->item[i - 1], *last = &w->item[i];
    double due = before->centre_s + (double)(last->round - before->round) * w->period_s;

    return end_s > 0.0 && due + 0.5 * before->width_s > end_s;
}

static void measure_decay(lk_waves *w, double end_s)
{
    double most = largest(w), turns, slope, error;
    size_t from = 0, to;

    while (from < w->count &&
           (!is_sizeable(&w->item[from], most) || w->item[from].arrivals < GROWN * most))
        from++;
    for (to = from; to + 1 < w->count && is_sizeable(&w->item[to + 1], most);)
        to++;
    if (to < w->count && to > from + 1 && is_cut(w, to, end_s))
        to--;
    if (to >= w->count || to == from)
        return;
    turns = (double)(w->item[to].round - w->item[from].round);
    slope = log(w->item[to].arrivals / w->item[from].arrivals) / turns;
    error = sqrt(thinning(&w->item[from], &w->item[to]) / (turns * turns) +
                 excess_variance(w->item, from, to, slope) / turns);
    w->survival = exp(slope);
    w->survival_low = exp(slope - 1.96 * WIDER * error);
    w->survival_high = exp(slope + 1.96 * WIDER * error);
}

static void measure_width(lk_waves *w, double *work)
{
    size_t n = 0;

    for (size_t i = 0; i < w->count; i++)
        if (w->item[i].arrivals >= WIDTH_LEAST)
            work[n++] = w->item[i].width_s;
    w->width_s = lk_median(work, n);
}

lk_code lk_waves_measure(lk_waves *w, const lk_frame *frame, lk_arena *scratch, lk_err *e)
{
    lk_mark mark = lk_arena_mark(scratch);
    double *weight = LK_NEW(scratch, double, w->count), *work = LK_NEW(scratch, double, w->count);

    if (!weight || !work)
        return lk_fail(e, LK_EOOM, "no memory for %zu waves", w->count);
    w->period_s = w->period_error_s = (double)NAN;
    w->survival = w->survival_low = w->survival_high = (double)NAN;
    if (w->count >= 2)
        fit_period(w, frame->resolution_s, weight, work);
    measure_width(w, work);
    measure_decay(w, frame->end_s);
    lk_arena_rewind(scratch, mark);
    return LK_OK;
}

/* ---- from beats --------------------------------------------------------------------------- */

static int by_round(const void *a, const void *b)
{
    const lk_beat *x = a, *y = b;

    if (x->round != y->round)
        return x->round < y->round ? -1 : 1;
    return (x->at_s > y->at_s) - (x->at_s < y->at_s);
}

static size_t round_end(const lk_beat *b, size_t n, size_t from)
{
    size_t to = from + 1;

    while (to < n && b[to].round == b[from].round)
        to++;
    return to;
}

/* The fullest moment of a sorted round. */
static double peak_per_s(const lk_beat *b, size_t n, double window_s)
{
    size_t from = 0, most = 0;

    for (size_t i = 0; i < n; i++) {
        while (b[i].at_s - b[from].at_s >= window_s)
            from++;
        most = i + 1 - from > most ? i + 1 - from : most;
    }
    return (double)most / window_s;
}

static double middle_of(const lk_beat *b, size_t n)
{
    return n % 2 == 1 ? b[n / 2].at_s : 0.5 * (b[n / 2].at_s + b[n / 2 - 1].at_s);
}

/* Leaves out callers that keep the period but not the phase: [*from, *to) stays. */
static void drop_stragglers(const lk_beat *b, size_t n, double near_s, double *work, size_t *from,
                            size_t *to)
{
    double middle = middle_of(b, n), reach;

    for (size_t i = 0; i < n; i++)
        work[i] = b[i].at_s;
    reach = fmax(STRAGGLE * lk_spread(work, n, middle), near_s);
    *from = 0;
    *to = n;
    while (b[*from].at_s < middle - reach)
        (*from)++;
    while (b[*to - 1].at_s > middle + reach)
        (*to)--;
}

static lk_wave wave_of(const lk_beat *b, size_t n, double resolution_s)
{
    size_t low = (size_t)(0.05 * (double)(n - 1)), high = n - 1 - low;
    lk_wave w = { .round = b[0].round,
                  .start_s = b[low].at_s,
                  .centre_s = middle_of(b, n),
                  .width_s = fmax(b[high].at_s - b[low].at_s, resolution_s),
                  .peak_per_s = peak_per_s(b, n, fmax(resolution_s, PEAK_WINDOW_S)),
                  .arrivals = (double)n };

    for (size_t i = 0; i < n; i++)
        w.rejected += b[i].rejected;
    return w;
}

/* From the first round to the last; 0 when there are not two. */
static double rough_period_s(const lk_beat *b, size_t n)
{
    double turns = n > 0 ? (double)(b[n - 1].round - b[0].round) : 0.0;

    return turns > 0.0 ? (b[n - 1].at_s - b[0].at_s) / turns : 0.0;
}

static size_t list_waves(const lk_beat *b, size_t n, double resolution_s, double *work,
                         lk_wave *out)
{
    double near_s = resolution_s + NEAR_SHARE * rough_period_s(b, n);
    size_t count = 0;

    for (size_t from = 0, to; from < n; from = to) {
        size_t first, last;

        to = round_end(b, n, from);
        drop_stragglers(b + from, to - from, near_s, work, &first, &last);
        out[count++] = wave_of(b + from + first, last - first, resolution_s);
    }
    return count;
}

/* The share of the time between two instants in which the log holds nothing at all. */
static double hole_share(const lk_frame *f, double from_s, double to_s)
{
    size_t from, to, holes = 0;

    if (!f->log)
        return 0.0;
    from = lk_line_bin(f->log, from_s - f->log_zero_s);
    to = lk_line_bin(f->log, to_s - f->log_zero_s);
    for (size_t i = from; i < to; i++)
        holes += f->log->hole[i];
    return to > from ? (double)holes / (double)(to - from) : 0.0;
}

static bool is_one_train(const lk_wave *a, const lk_wave *b, const lk_frame *f)
{
    double missing = (double)(b->round - a->round - 1);
    double period_s = (b->centre_s - a->centre_s) / (missing + 1.0);

    if (fmax(a->width_s, b->width_s) > OVERLAP * period_s)
        return false;
    if (missing > ROUNDS_MISSING)
        missing *= 1.0 - hole_share(f, a->centre_s, b->centre_s);
    return missing <= ROUNDS_MISSING;
}

static size_t drop_specks(lk_waves *w)
{
    double most = largest(w), least = fmax(2.0, WORTH_SHARE * most);
    size_t kept = 0;

    for (size_t i = 0; i < w->count; i++)
        if (w->item[i].arrivals >= least || w->item[i].arrivals >= most)
            w->item[kept++] = w->item[i];
    return kept;
}

/* Keeps the train around the fullest round. */
static void keep_train(lk_waves *w, const lk_frame *f)
{
    size_t kept = drop_specks(w), full = 0, from, to;

    for (size_t i = 1; i < kept; i++)
        full = w->item[i].arrivals > w->item[full].arrivals ? i : full;
    from = to = full;
    while (from > 0 && is_one_train(&w->item[from - 1], &w->item[from], f))
        from--;
    while (to + 1 < kept && is_one_train(&w->item[to], &w->item[to + 1], f))
        to++;
    w->item += from;
    w->count = kept > 0 ? to + 1 - from : 0;
}

lk_code lk_waves_of_beats(lk_beat *beats, size_t n, const lk_frame *frame, lk_arena *a,
                          lk_waves *out, lk_err *e)
{
    lk_waves w = { .item = LK_NEW(a, lk_wave, n) };
    double *work = LK_NEW(a, double, n);

    if (!w.item || !work)
        return lk_fail(e, LK_EOOM, "no memory for the waves of %zu arrivals", n);
    qsort(beats, n, sizeof(*beats), by_round);
    w.count = list_waves(beats, n, frame->resolution_s, work, w.item);
    keep_train(&w, frame);
    LK_TRY(lk_waves_measure(&w, frame, a, e));
    *out = w;
    return LK_OK;
}
