#include "sim/contention_lab.h"

#include "base/xoshiro.h"

#include <math.h>
#include <stdlib.h>

static lk_code open_worker(const void *context, void **worker, lk_err *e)
{
    lk_contention *c;

    (void)context;
    LK_TRY(lk_contention_open(&c, e));
    *worker = c;
    return LK_OK;
}

static void close_worker(void *worker)
{
    lk_contention_close(worker);
}

static lk_code run_once(const void *context, void *worker, uint64_t seed, uint64_t stream,
                        double *m, lk_err *e)
{
    lk_contention_result r;
    double clients;

    LK_TRY(lk_contention_run(worker, context, seed, stream, &r, e));
    clients = (double)r.arrivals;
    m[LK_MEASURE_ATTEMPTS] = (double)r.attempts / clients;
    m[LK_MEASURE_MAKESPAN] = r.successes ? r.makespan : (double)NAN;
    m[LK_MEASURE_LATENCY] = r.successes && !r.collapsed ? r.latency_sum / (double)r.successes
                                                        : (double)NAN;
    m[LK_MEASURE_GOODPUT] = (double)r.successes / r.ended;
    m[LK_MEASURE_SERVED] = (double)r.successes / clients;
    m[LK_MEASURE_COLLAPSED] = r.collapsed;
    m[LK_MEASURE_DRAINED] = r.drained >= 0;
    m[LK_MEASURE_DRAIN_TIME] = r.drained >= 0 ? r.drained : (double)NAN;
    return LK_OK;
}

lk_code lk_contention_measure(lk_lab *lab, unsigned runs, const lk_contention_options *options,
                              lk_estimate *out, lk_err *e)
{
    const lk_experiment x = { LK_MEASURES, runs, options, open_worker, close_worker, run_once };

    return lk_lab_run(lab, &x, out, e);
}

/* ---- the frontier ---- */

enum { SCOUTS = 2 };

static lk_code try_point(lk_lab *lab, unsigned runs, lk_contention_options *o, const char *policy,
                         double base, double cap, lk_frontier *best, lk_err *e)
{
    lk_policy_params p = { base, 2, cap, 0, 0 };
    lk_estimate m[LK_MEASURES];
    lk_sampler s;

    lk_sampler_init(&s, lk_policy_find(policy), &p);
    o->policy = &s;
    LK_TRY(lk_contention_measure(lab, SCOUTS, o, m, e));
    if (m[LK_MEASURE_LATENCY].runs < SCOUTS) /* too small for the crowd: it never ends */
        return LK_OK;
    LK_TRY(lk_contention_measure(lab, runs, o, m, e));
    if (m[LK_MEASURE_LATENCY].runs == runs && /* all were served in all runs */
        !(m[LK_MEASURE_LATENCY].mean >= best->latency.mean)) {
        best->base = base;
        best->cap = isinf(cap) ? (double)NAN : cap;
        best->latency = m[LK_MEASURE_LATENCY];
    }
    return LK_OK;
}

static lk_code search_policy(lk_lab *lab, unsigned runs, lk_contention_options *o,
                             const char *policy, lk_frontier *best, lk_err *e)
{
    static const double CAPS[] = { 100, 1000, (double)INFINITY };

    for (size_t c = 0; c < sizeof(CAPS) / sizeof(CAPS[0]); c++)
        for (double base = 0.25; base <= 64; base *= 2)
            LK_TRY(try_point(lab, runs, o, policy, base, CAPS[c], best, e));
    return LK_OK;
}

/* Windows below half the crowd never end where attempts collide. */
static double first_window(lk_conflict conflict, unsigned burst)
{
    return conflict == LK_CONFLICT_COLLISIONS ? 0.5 * burst : 0.5;
}

static double window_ratio(lk_conflict conflict)
{
    return conflict == LK_CONFLICT_COLLISIONS ? 1.08 : 1.25;
}

static unsigned window_count(lk_conflict conflict, unsigned burst)
{
    double w = first_window(conflict, burst);
    unsigned count = 0;

    for (; w <= 4.0 * burst; w *= window_ratio(conflict))
        count++;
    return count;
}

static lk_code search_window(lk_lab *lab, unsigned runs, lk_contention_options *o, unsigned burst,
                             lk_frontier *best, lk_err *e)
{
    double w = first_window(o->conflict, burst);

    for (; w <= 4.0 * burst; w *= window_ratio(o->conflict))
        LK_TRY(try_point(lab, runs, o, "full-jitter", w, w, best, e));
    return LK_OK;
}

/* The best point once more, with other runs: the least of many means is too low. */
static lk_code measure_again(lk_lab *lab, unsigned runs, lk_contention_options *o,
                             const char *policy, lk_frontier *best, lk_err *e)
{
    lk_frontier again = *best;

    again.latency.mean = (double)NAN;
    lab->seed++;
    LK_TRY(try_point(lab, runs, o, policy, best->base, isnan(best->cap) ? (double)INFINITY : best->cap,
                     &again, e));
    lab->seed--;
    best->latency = again.latency;
    return LK_OK;
}

lk_code lk_contention_frontier(lk_lab *lab, unsigned runs, lk_conflict conflict, unsigned burst,
                               lk_frontier *out, lk_err *e)
{
    static const char *const POLICY[] = { "full-jitter", "equal-jitter", "decorrelated-jitter" };
    lk_contention_options o = LK_CONTENTION_INIT;
    double step = lab->step;

    o.conflict = conflict;
    o.burst = burst;
    o.horizon = fmax(20000, 40.0 * burst); /* several times what the best take */
    o.unfinished_max = 0; /* who is not served by then makes the run a collapsed one */
    for (size_t i = 0; i < LK_FRONTIER_ROWS; i++)
        out[i] = (lk_frontier){ i ? POLICY[i - 1] : "fixed window", (double)NAN, (double)NAN,
                                { (double)NAN, (double)NAN, (double)NAN, 0 } };
    lab->step = step / (2 * (window_count(conflict, burst) + 3 * 27 + 4));
    LK_TRY(search_window(lab, runs, &o, burst, &out[0], e));
    LK_TRY(measure_again(lab, runs, &o, "full-jitter", &out[0], e));
    for (size_t i = 1; i < LK_FRONTIER_ROWS; i++) {
        LK_TRY(search_policy(lab, runs, &o, POLICY[i - 1], &out[i], e));
        LK_TRY(measure_again(lab, runs, &o, POLICY[i - 1], &out[i], e));
    }
    lab->step = step;
    return LK_OK;
}

/* ---- sleeps ---- */

enum { CHAINS = 1000 };

typedef struct chain {
    const lk_sampler *policy;
    unsigned retry;
} chain;

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

static double last_sleep(const chain *c, lk_xoshiro *x)
{
    lk_wait w = { 0, c->policy->params.base_s, -1 };

    for (; w.retry < c->retry; w.retry++)
        w.previous_s = lk_sampler_draw(c->policy, &w, lk_xoshiro_unit(x));
    return w.previous_s;
}

static lk_code draw_chains(const void *context, void *worker, uint64_t seed, uint64_t stream,
                           double *m, lk_err *e)
{
    double drawn[CHAINS], at_cap = 0;
    const chain *c = context;
    lk_xoshiro x;

    (void)worker;
    (void)e;
    lk_xoshiro_init(&x, seed, stream);
    for (size_t i = 0; i < CHAINS; i++) {
        drawn[i] = last_sleep(c, &x);
        at_cap += drawn[i] >= c->policy->params.cap_s;
    }
    qsort(drawn, CHAINS, sizeof(drawn[0]), by_value);
    m[LK_SLEEPS_P10] = (drawn[CHAINS / 10 - 1] + drawn[CHAINS / 10]) / 2;
    m[LK_SLEEPS_P50] = (drawn[CHAINS / 2 - 1] + drawn[CHAINS / 2]) / 2;
    m[LK_SLEEPS_P90] = (drawn[9 * CHAINS / 10 - 1] + drawn[9 * CHAINS / 10]) / 2;
    m[LK_SLEEPS_AT_CAP] = at_cap / CHAINS;
    return LK_OK;
}

lk_code lk_sleeps_measure(lk_lab *lab, unsigned runs, const lk_sampler *policy, unsigned retry,
                          lk_estimate *out, lk_err *e)
{
    chain c = { policy, retry };
    lk_experiment x = { LK_SLEEPS, runs, &c, NULL, NULL, draw_chains };

    return lk_lab_run(lab, &x, out, e);
}
