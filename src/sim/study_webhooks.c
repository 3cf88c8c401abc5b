/* S3: ten thousand deliveries, an endpoint that is down for 20 s. */
#include "sim/crowds.h"
#include "sim/study.h"

#include <math.h>
#include <stdbool.h>

enum { OUTAGE, RECOVERY, T99, MEAN, WASTED, RETRIES_WASTED, SERVED, MEASURES };

typedef struct world {
    const char *policy;
    unsigned attempts;
    double budget, budget_per_s;
} world;

enum { PLAIN, EQUAL, FULL, DECORRELATED, IMMEDIATE, LITERAL, BUDGET, WORLDS };

static const world WORLD[WORLDS] = {
    [PLAIN] = { "exponential", 0, 0, 0 },
    [EQUAL] = { "equal-jitter", 0, 0, 0 },
    [FULL] = { "full-jitter", 0, 0, 0 },
    [DECORRELATED] = { "decorrelated-jitter", 0, 0, 0 },
    [IMMEDIATE] = { "immediate", 0, 0, 0 },
    [LITERAL] = { "full-jitter", 4, 0, 0 },
    [BUDGET] = { "full-jitter", 0, 1000, 300 },
};

static lk_code measure(const void *context, void *worker, uint64_t seed, uint64_t stream, double *m,
                       lk_err *e)
{
    const lk_crowds *c = context;
    const lk_population_result *p;
    lk_saturation_result r;

    (void)worker;
    LK_TRY(lk_crowds_run(c, seed, stream, NULL, &r, e));
    p = &r.populations[0];
    m[OUTAGE] = lk_saturation_peak_per_s(&r, r.retry_bins, 0, 20);
    m[RECOVERY] = lk_saturation_peak_per_s(&r, r.retry_bins, 20, (double)INFINITY);
    m[T99] = lk_served_at_s(p, 0.99);
    m[MEAN] = p->took_mean_s;
    m[WASTED] = (double)p->refused;
    m[RETRIES_WASTED] = (double)(p->refused - p->tasks);
    m[SERVED] = (double)p->done / (double)p->tasks;
    lk_saturation_release(&r);
    return LK_OK;
}

static lk_code run_world(lk_lab *lab, const world *w, lk_estimate *m, lk_err *e)
{
    lk_crowds c = { .count = 1, .spread_s = 0.05, .starts = { 10000 }, .o = LK_SATURATION_INIT };
    lk_policy_params params = { 0.2, 2, 30, 0.1, w->attempts };
    const lk_experiment x = { MEASURES, lk_lab_runs(lab, 20, 3), &c, NULL, NULL, measure };
    lk_sampler policy;

    lk_sampler_init(&policy, lk_policy_find(w->policy), &params);
    c.populations[0] = (lk_population)LK_POPULATION_INIT;
    c.populations[0].policy = &policy;
    c.populations[0].budget = w->budget;
    c.populations[0].budget_per_s = w->budget_per_s;
    c.o.server.down_until_s = 20;
    c.o.server.refusal_s = 0.2;
    if (policy.kind == LK_SAMPLER_CONSTANT) /* 41,000/s are 10,000 every 244 ms */
        c.spread_s = c.o.server.refusal_s = 1 / 4.1;
    return lk_lab_run(lab, &x, m, e);
}

#define LONGER "shorter than the 20 s outage: who failed at 0 cannot succeed before 20 s"

typedef struct row {
    const char *name;
    int world, measure;
    double claimed, allowed;
    const char *why_not;
    bool impossible;
} row;

/* clang-format off */
static const row ROWS[] = {
    { "4 attempts, as printed: share served",   LITERAL, SERVED, 0.99, 0.005, "four attempts from 200 ms end by 1.4 s; the outage lasts 20 s", true },
    { "4 attempts, as printed: wasted", LITERAL, WASTED, 38100, 1, "with 4 attempts and 99 % served at most 30,100 can be wasted", true },
    { "plain: retries/s in the outage",             PLAIN, OUTAGE, 9900, 150, NULL, false },
    { "equal: retries/s in the outage", EQUAL, OUTAGE, 4800, 200, "callers / half a window of 4 s, no run", false },
    { "full: retries/s in the outage", FULL, OUTAGE, 2600, 200, "callers / a window of 4 s, no run: the first retries come within 200 ms", false },
    { "decorrelated: retries/s in the outage", DECORRELATED, OUTAGE, 2700, 200, "its first retries come within 600 ms", false },
    { "no backoff: retries/s in the outage", IMMEDIATE, OUTAGE, 41000, 200, NULL, false },
    { "plain: retries/s at recovery",           PLAIN, RECOVERY, 9900, 150, NULL, false },
    { "equal: retries/s at recovery", EQUAL, RECOVERY, 3100, 100, "callers / half a window of 6.4 s, no run", false },
    { "full: retries/s at recovery", FULL, RECOVERY, 1700, 50, "callers / a window of 6.4 s, no run", false },
    { "decorrelated: retries/s at recovery", DECORRELATED, RECOVERY, 1900, 60, NULL, false },
    { "no backoff: retries/s at recovery", IMMEDIATE, RECOVERY, 41000, 200, "an endpoint that recovers serves them as they come: 10,000", false },
    { "plain: 99 % served at (s)",        PLAIN, T99, 34, 1, "the eighth attempt comes at 26.8 s; only finite capacity makes it slow: 204 s at 1,500/s", false },
    { "equal: 99 % served at (s)", EQUAL, T99, 26, 1, "retries that failed late sleep up to 30 s", false },
    { "full: 99 % served at (s)", FULL, T99, 21, 1, "retries that failed late sleep up to 30 s", false },
    { "decorrelated: 99 % served at (s)", DECORRELATED, T99, 17, 0.5, LONGER, true },
    { "no backoff: 99 % served at (s)", IMMEDIATE, T99, (double)INFINITY, 0, "the same text has it recover at once; 'never' needs an endpoint that melts", true },
    { "plain: mean delay (s)",            PLAIN, MEAN, 14.0, 0.5, LONGER, true },
    { "equal: mean delay (s)", EQUAL, MEAN, 11.0, 0.5, LONGER, true },
    { "full: mean delay (s)", FULL, MEAN, 9.0, 0.5, LONGER, true },
    { "decorrelated: mean delay (s)", DECORRELATED, MEAN, 7.4, 0.5, LONGER, true },
    { "no backoff: wasted attempts",      IMMEDIATE, WASTED, 812000, 12000, NULL, false },
    { "full: wasted attempts",              FULL, WASTED, 38100, 1000, "full draws half the delay, so more attempts meet the outage, not fewer", false },
    { "full and a budget: wasted attempts",            BUDGET, WASTED, 3900, 100, "10,000 first attempts fail before any budget can deny a retry", true },
    { "full and a budget: 99 % served at (s)",  BUDGET, T99, 21, 1, "a budget that removes the retries also changes their timing", false },
};
/* clang-format on */

/* Quotient of two means of the same runs, taken as independent. */
static lk_estimate quotient(const lk_estimate *a, const lk_estimate *b)
{
    lk_estimate q = { a->mean / b->mean, 0, (double)NAN, a->runs };

    q.error = fabs(q.mean) * sqrt(pow(a->error / a->mean, 2) + pow(b->error / b->mean, 2));
    return q;
}

static lk_estimate less(const lk_estimate *q)
{
    return (lk_estimate){ 1 - q->mean, q->error, q->deviation, q->runs };
}

lk_code lk_study_webhooks(lk_lab *lab, lk_figures *out, lk_err *e)
{
    lk_estimate m[WORLDS][MEASURES], q;

    lab->step /= WORLDS;
    for (size_t i = 0; i < WORLDS; i++)
        LK_TRY(run_world(lab, &WORLD[i], m[i], e));
    for (size_t i = 0; i < sizeof(ROWS) / sizeof(ROWS[0]); i++) {
        const row *r = &ROWS[i];

        (r->impossible ? lk_figure_add_impossible : lk_figure_add)(
            out, r->name, r->claimed, &m[r->world][r->measure], r->allowed, r->why_not);
    }
    q = quotient(&m[EQUAL][RECOVERY], &m[FULL][RECOVERY]);
    lk_figure_add(out, "equal / full: retries/s at recovery", 1.82, &q, 0.1, NULL);
    q = quotient(&m[DECORRELATED][MEAN], &m[FULL][MEAN]);
    q = less(&q);
    lk_figure_add(out, "decorrelated under full: mean delay", 0.18, &q, 0.03, NULL);
    q = quotient(&m[BUDGET][RETRIES_WASTED], &m[FULL][RETRIES_WASTED]);
    q = less(&q);
    lk_figure_add(out, "share of wasted retries a budget saves", 0.90, &q, 0.01, NULL);
    return LK_OK;
}
