/* S2, "The Cap Is Doing the Work": 200, 40 or 20 runs a figure there. */
#include "sim/contention_lab.h"
#include "sim/study.h"

#include <math.h>

#define NONE ((double)INFINITY)

typedef enum rules { PLAIN, STEADY, BURST } rules;

/* One run of the model, and which of its measures the study prints. */
typedef struct point {
    const char *name;
    double claimed, allowed;
    lk_conflict conflict;
    const char *policy; /* NULL: no retries */
    double cap;
    unsigned burst;
    double rate, horizon;
    rules rules;
    unsigned runs; /* at full size */
    lk_measure measure;
    const char *why_not;
} point;

#define COLL LK_CONFLICT_COLLISIONS
#define FREE LK_CONFLICT_FREE
#define PS LK_CONFLICT_SHARED

#define NOISE_20 "that study's 20 runs have this much noise"

/* clang-format off */
static const point POINTS[] = {
    { "ALOHA at load 1: goodput",       0.1359, 0.0012, COLL, NULL, 1, 0, 1, 20000, PLAIN, 100, LK_MEASURE_GOODPUT, NULL },
    { "shared, no retries: most goodput",  0.29, 0.005, PS, NULL, 1, 0, 0.6, 20000, PLAIN, 200, LK_MEASURE_GOODPUT,
      "29 % stands at loads .5 and .7, the ends of its grid; the maximum is 30.2 % at .61" },
    { "burst of 100, full: attempts",      7.4, 0.05, FREE, "full-jitter", 1000, 100, 0, NONE, PLAIN, 5000, LK_MEASURE_ATTEMPTS, NULL },
    { "burst of 100, decorrelated: attempts", 7.5, 0.05, FREE, "decorrelated-jitter", 1000, 100, 0, NONE, PLAIN, 5000, LK_MEASURE_ATTEMPTS, NULL },
    { "burst of 100, equal: attempts", 7.6, 0.05, FREE, "equal-jitter", 1000, 100, 0, NONE, PLAIN, 5000, LK_MEASURE_ATTEMPTS, NULL },
    { "burst of 100, no jitter: attempts", 50.5, 0, FREE, "exponential", 1000, 100, 0, NONE, PLAIN, 2, LK_MEASURE_ATTEMPTS, NULL },
    { "burst of 100, full: makespan",                465, 20, FREE, "full-jitter", 1000, 100, 0, NONE, PLAIN, 5000, LK_MEASURE_MAKESPAN, NULL },
    { "burst of 100, decorrelated: makespan", 301, 10.5, FREE, "decorrelated-jitter", 1000, 100, 0, NONE, PLAIN, 5000, LK_MEASURE_MAKESPAN, NULL },
    { "burst of 100, equal: makespan", 615, 26, FREE, "equal-jitter", 1000, 100, 0, NONE, PLAIN, 5000, LK_MEASURE_MAKESPAN, NULL },
    { "burst of 100, no jitter: makespan", 90000, 500, FREE, "exponential", 1000, 100, 0, NONE, PLAIN, 2, LK_MEASURE_MAKESPAN, NULL },
    { "burst of 100, no backoff: makespan", 100, 0, FREE, "immediate", 1000, 100, 0, NONE, PLAIN, 2, LK_MEASURE_MAKESPAN, NULL },
    { "steady .95, no backoff: latency",   21, 1.5, FREE, "immediate", 1000, 0, 0.95, 20000, STEADY, 100, LK_MEASURE_LATENCY, NULL },
    { "steady .80, full: latency",         210, 8, FREE, "full-jitter", 1000, 0, 0.80, 20000, STEADY, 100, LK_MEASURE_LATENCY, NULL },
    { "shared .15, no backoff: collapse",  0.6, 0.22, PS, "immediate", 1000, 0, 0.15, 20000, STEADY, 200, LK_MEASURE_COLLAPSED, NOISE_20 },
    { "shared .20, full: collapse",        0.875, 0.12, PS, "full-jitter", 1000, 0, 0.20, 20000, STEADY, 200, LK_MEASURE_COLLAPSED, NOISE_20 },
    { "shared .20, equal: collapse", 0.875, 0.12, PS, "equal-jitter", 1000, 0, 0.20, 20000, STEADY, 200, LK_MEASURE_COLLAPSED, NOISE_20 },
    { "shared .20, decorrelated: collapse", 0.8, 0.22, PS, "decorrelated-jitter", 1000, 0, 0.20, 20000, STEADY, 200, LK_MEASURE_COLLAPSED, NOISE_20 },
    { "burst 300, full, cap 250: drained",       0, 0.02, COLL, "full-jitter", 250, 300, 0.05, 60000, BURST, 200, LK_MEASURE_DRAINED, NULL },
    { "burst 300, full, cap 500: drained", 1, 0.02, COLL, "full-jitter", 500, 300, 0.05, 60000, BURST, 200, LK_MEASURE_DRAINED, NULL },
    { "burst 300, equal, cap 250: drained",      0, 0.07, COLL, "equal-jitter", 250, 300, 0.05, 60000, BURST, 200, LK_MEASURE_DRAINED, NULL },
    { "burst 300, decorr., cap 1000: drained",       1, 0.07, COLL, "decorrelated-jitter", 1000, 300, 0.05, 60000, BURST, 200, LK_MEASURE_DRAINED, NULL },
    { "burst 1000, full, cap 1000: drained",     0, 0.02, COLL, "full-jitter", 1000, 1000, 0.05, 60000, BURST, 100, LK_MEASURE_DRAINED, NULL },
    { "burst 1000, full, cap 2000: drained", 1, 0.02, COLL, "full-jitter", 2000, 1000, 0.05, 60000, BURST, 100, LK_MEASURE_DRAINED, NULL },
    { "burst 1000, equal, cap 1000: drained",    0.95, 0.07, COLL, "equal-jitter", 1000, 1000, 0.05, 60000, BURST, 200, LK_MEASURE_DRAINED, NULL },
    { "shared 300, equal, cap 2000: drained",      0.6, 0.16, PS, "equal-jitter", 2000, 300, 0.05, 60000, BURST, 200, LK_MEASURE_DRAINED, NULL },
    { "shared 300, full, cap 4000: drained",       0.58, 0.16, PS, "full-jitter", 4000, 300, 0.05, 60000, BURST, 200, LK_MEASURE_DRAINED, NULL },
    { "shared 300, decorrelated: drained",         0, 0.02, PS, "decorrelated-jitter", 8000, 300, 0.05, 60000, BURST, 40, LK_MEASURE_DRAINED, NULL },
    { "burst 300, full, cap 1000: drain time",   3800, 120, COLL, "full-jitter", 1000, 300, 0.05, 60000, BURST, 200, LK_MEASURE_DRAIN_TIME, NULL },
    { "burst 300, full, cap 32000: drain time",                    10400, 900, COLL, "full-jitter", 32000, 300, 0.05, 60000, BURST, 200, LK_MEASURE_DRAIN_TIME, NULL },
    { "burst 1000, full, cap 4000: drain time",                15000, 400, COLL, "full-jitter", 4000, 1000, 0.05, 60000, BURST, 100, LK_MEASURE_DRAIN_TIME, NULL },
    { "burst 1000, decorr., 8000: drain time",        73000, 4500, COLL, "decorrelated-jitter", 8000, 1000, 0.05, 300000, BURST, 80, LK_MEASURE_DRAIN_TIME, NULL },
    { "free 1000, no backoff: drain time",         1021, 3, FREE, "immediate", 1000, 1000, 0.02, 60000, BURST, 100, LK_MEASURE_DRAIN_TIME, NULL },
    { "free 1000, full, cap 100: drain time",           1257, 8, FREE, "full-jitter", 100, 1000, 0.02, 60000, BURST, 100, LK_MEASURE_DRAIN_TIME, NULL },
    { "free 1000, full, cap 1000: drain time",          2688, 50, FREE, "full-jitter", 1000, 1000, 0.02, 60000, BURST, 100, LK_MEASURE_DRAIN_TIME, NULL },
};
/* clang-format on */

enum { POINT_COUNT = sizeof(POINTS) / sizeof(POINTS[0]) };

static lk_contention_options options_of(const point *p, const lk_sampler *policy)
{
    lk_contention_options o = LK_CONTENTION_INIT;

    o.conflict = p->conflict;
    o.policy = policy;
    o.burst = p->burst;
    o.rate = p->rate;
    o.horizon = p->horizon;
    if (p->rules == STEADY) {
        o.waiting_max = 3000;
        o.unfinished_max = 0.05;
    } else if (p->rules == BURST) {
        o.drained_every = 5;
        o.hopeless = p->conflict == LK_CONFLICT_COLLISIONS ? 3 * p->burst + 200 : 0;
    }
    return o;
}

static lk_code add_point(lk_lab *lab, const point *p, lk_figures *out, lk_err *e)
{
    lk_policy_params params = { 1, 2, p->cap, 0, 0 };
    lk_contention_options o;
    lk_estimate m[LK_MEASURES];
    lk_sampler s;

    lk_sampler_init(&s, p->policy ? lk_policy_find(p->policy) : NULL, &params);
    o = options_of(p, &s);
    LK_TRY(lk_contention_measure(lab, lk_lab_runs(lab, p->runs, 2), &o, m, e));
    lk_figure_add(out, p->name, p->claimed, &m[p->measure], p->allowed, p->why_not);
    return LK_OK;
}

/* ---- sleeps ---- */

static lk_code add_sleeps(lk_lab *lab, lk_figures *out, lk_err *e)
{
    static const struct {
        const char *name, *policy;
        unsigned retry;
        double claimed, allowed;
    } ROW[] = {
        { "full: median of sleep 11", "full-jitter", 11, 500, 5 },
        { "equal: median of sleep 11", "equal-jitter", 11, 750, 3 },
        { "decorrelated: median of sleep 10", "decorrelated-jitter", 10, 25, 1 },
        { "decorrelated: median of sleep 20", "decorrelated-jitter", 20, 110, 3 },
        { "decorrelated: median of sleep 30", "decorrelated-jitter", 30, 200, 6 },
    };
    lk_policy_params params = { 1, 2, 1000, 0, 0 };

    for (size_t i = 0; i < sizeof(ROW) / sizeof(ROW[0]); i++) {
        lk_estimate m[LK_SLEEPS];
        lk_sampler s;

        lk_sampler_init(&s, lk_policy_find(ROW[i].policy), &params);
        LK_TRY(lk_sleeps_measure(lab, lk_lab_runs(lab, 200, 10), &s, ROW[i].retry, m, e));
        lk_figure_add(out, ROW[i].name, ROW[i].claimed, &m[LK_SLEEPS_P50], ROW[i].allowed, NULL);
    }
    return LK_OK;
}

/* ---- the frontier ---- */

/* Quotient of two independent means. */
static lk_estimate quotient(const lk_estimate *a, const lk_estimate *b)
{
    lk_estimate q = { a->mean / b->mean, 0, (double)NAN, a->runs };

    q.error = q.mean * sqrt(pow(a->error / a->mean, 2) + pow(b->error / b->mean, 2));
    return q;
}

static lk_code add_frontier(lk_lab *lab, lk_figures *out, lk_err *e)
{
    static const struct {
        lk_conflict conflict;
        unsigned burst, runs;
        const char *window, *ratio;
        double window_claimed, window_allowed, ratio_claimed, ratio_allowed;
        const char *why_not;
    } ROW[] = {
        { COLL, 100, 200, "collisions 100: best window's latency", "collisions 100: exponential / window", 292, 6, 1.45, 0.04, NULL },
        { COLL, 1000, 40, "collisions 1000: best window's latency", "collisions 1000: exponential / window", 2938, 40, 1.56, 0.04, NULL },
        { FREE, 100, 200, NULL, "free 100: exponential / window", 0, 0, 1.29, 0.03, NULL },
        { FREE, 1000, 40, NULL, "free 1000: exponential / window", 0, 0, 1.03, 0.02,
          "a window near 0 is no backoff and serves in 500.5; 1.03 needs windows from 54 up" },
    };
    double step = lab->step;

    for (size_t i = 0; i < sizeof(ROW) / sizeof(ROW[0]); i++) {
        lk_frontier best[LK_FRONTIER_ROWS];
        size_t least = 1;
        lk_estimate ratio;

        LK_TRY(lk_contention_frontier(lab, lk_lab_runs(lab, ROW[i].runs, 10), ROW[i].conflict,
                                      ROW[i].burst, best, e));
        lab->step = step;
        for (size_t j = 2; j < LK_FRONTIER_ROWS; j++)
            if (isnan(best[least].latency.mean) || best[j].latency.mean < best[least].latency.mean)
                least = j; /* a strategy that never drained has no latency */
        ratio = quotient(&best[least].latency, &best[0].latency);
        if (ROW[i].window)
            lk_figure_add(out, ROW[i].window, ROW[i].window_claimed, &best[0].latency,
                          ROW[i].window_allowed, NULL);
        lk_figure_add(out, ROW[i].ratio, ROW[i].ratio_claimed, &ratio, ROW[i].ratio_allowed,
                      ROW[i].why_not);
    }
    return LK_OK;
}

lk_code lk_study_contention(lk_lab *lab, lk_figures *out, lk_err *e)
{
    double whole = lab->step;

    lab->step = 0.6 * whole / POINT_COUNT;
    for (size_t i = 0; i < POINT_COUNT; i++)
        LK_TRY(add_point(lab, &POINTS[i], out, e));
    lab->step = 0.1 * whole / 5;
    LK_TRY(add_sleeps(lab, out, e));
    lab->step = 0.3 * whole / 4;
    return add_frontier(lab, out, e);
}
