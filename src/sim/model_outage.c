/* A fan-out to an endpoint that is down and recovers (S3), with what callers and server may do about
 * it.  "Served" is the instant at which the attempt that succeeds arrives.  */
#include "sim/crowds.h"
#include "sim/model.h"

#include <math.h>
#include <stddef.h>

typedef struct settings {
    lk_policies policies;
    unsigned callers;
    double spread_s, down_s, rtt_s, service_s;
    double capacity, depth;
    double budget, budget_per_s, budget_per_success;
    double deadline_s, first_jitter_s;
    unsigned breaker;
    double breaker_open_s, breaker_jitter_s;
    double retry_after_s, retry_after_most_s;
} settings;

/* clang-format off */
static const lk_setting SETTINGS[] = {
    { "policy", LK_SETTING_POLICIES, offsetof(settings, policies), "LIST",
      "policies to compare, separated by ';' (default: exponential, equal-jitter, full-jitter, decorrelated-jitter; base=200ms,cap=30); attempts=N bounds the attempts", NULL },
    { "callers", LK_SETTING_COUNT, offsetof(settings, callers), "N", "deliveries wanted (default 10000)", NULL },
    { "spread", LK_SETTING_SECONDS, offsetof(settings, spread_s), "TIME", "... starting uniformly within TIME (default 50ms)", NULL },
    { "down", LK_SETTING_SECONDS, offsetof(settings, down_s), "TIME", "how long the endpoint is down, from 0 (default 20)", NULL },
    { "rtt", LK_SETTING_SECONDS, offsetof(settings, rtt_s), "TIME", "until a refusal is known (default 200ms)", NULL },
    { "service", LK_SETTING_SECONDS, offsetof(settings, service_s), "TIME", "how long a success takes (default 0: served as it arrives)", NULL },
    { "capacity", LK_SETTING_RATE, offsetof(settings, capacity), "RATE", "what the endpoint can take after recovery (default 0: everything)", NULL },
    { "depth", LK_SETTING_NUMBER, offsetof(settings, depth), "N", "... and at once (default: one second of it)", NULL },
    { "budget", LK_SETTING_NUMBER, offsetof(settings, budget), "N", "retry budget shared by the callers: tokens at first and at most (default 0: none)", NULL },
    { "budget-rate", LK_SETTING_RATE, offsetof(settings, budget_per_s), "RATE", "... refilled by RATE", NULL },
    { "budget-success", LK_SETTING_NUMBER, offsetof(settings, budget_per_success), "N", "... and by N for each success", NULL },
    { "deadline", LK_SETTING_SECONDS, offsetof(settings, deadline_s), "TIME", "no attempt starts later than TIME after the first", NULL },
    { "first-jitter", LK_SETTING_SECONDS, offsetof(settings, first_jitter_s), "TIME", "first attempts wait a random part of TIME", NULL },
    { "breaker", LK_SETTING_COUNT, offsetof(settings, breaker), "N", "N failures in a row open a caller's circuit breaker", NULL },
    { "breaker-open", LK_SETTING_SECONDS, offsetof(settings, breaker_open_s), "TIME", "... for TIME, then one attempt goes through (default 5)", NULL },
    { "breaker-jitter", LK_SETTING_SECONDS, offsetof(settings, breaker_jitter_s), "TIME", "... and a random part of TIME more", NULL },
    { "retry-after", LK_SETTING_SECONDS, offsetof(settings, retry_after_s), "TIME", "Retry-After on refusals", NULL },
    { "retry-after-cap", LK_SETTING_SECONDS, offsetof(settings, retry_after_most_s), "TIME", "callers take a longer one as TIME", NULL },
    { .kind = LK_SETTING_END },
};
/* clang-format on */

static void init(void *at)
{
    settings *s = at;

    *s = (settings){ .callers = 10000,
                     .spread_s = 0.05,
                     .down_s = 20,
                     .rtt_s = 0.2,
                     .breaker_open_s = 5,
                     .retry_after_s = -1 };
    lk_policies_init(&s->policies, (lk_policy_params){ 0.2, 2, 30, 0.1, 0 },
                     "exponential;equal-jitter;full-jitter;decorrelated-jitter");
}

static lk_crowds crowds_of(const settings *s, size_t policy)
{
    lk_crowds c = {
        .count = 1, .spread_s = s->spread_s, .starts = { s->callers }, .o = LK_SATURATION_INIT
    };
    lk_population *p = &c.populations[0];

    *p = (lk_population)LK_POPULATION_INIT;
    p->policy = &s->policies.items[policy].sampler;
    p->budget = s->budget;
    p->budget_per_s = s->budget_per_s;
    p->budget_per_success = s->budget_per_success;
    p->deadline_s = s->deadline_s;
    p->first_jitter_s = s->first_jitter_s;
    p->breaker_trips = s->breaker;
    p->breaker_open_s = s->breaker_open_s;
    p->breaker_jitter_s = s->breaker_jitter_s;
    p->retry_after_most_s = s->retry_after_most_s;
    c.o.server.down_until_s = s->down_s;
    c.o.server.refusal_s = s->rtt_s;
    c.o.server.service_s = s->service_s;
    c.o.server.retry_after_s = s->retry_after_s;
    c.o.server.quota = s->capacity > 0 ? LK_QUOTA_BUCKET : LK_QUOTA_NONE;
    c.o.server.allowance_per_s = s->capacity;
    c.o.server.depth = s->depth > 0 ? s->depth : s->capacity;
    return c;
}

enum { IN_OUTAGE, AT_RECOVERY, T50, T99, MEAN, P99, WASTED, SERVED, MEASURES };

static lk_code measure(const void *context, void *worker, uint64_t seed, uint64_t stream, double *m,
                       lk_err *e)
{
    const lk_crowds *c = context;
    const lk_population_result *p;
    lk_saturation_result r;

    (void)worker;
    LK_TRY(lk_crowds_run(c, seed, stream, NULL, &r, e));
    p = &r.populations[0];
    m[IN_OUTAGE] = lk_saturation_peak_per_s(&r, r.retry_bins, 0, c->o.server.down_until_s);
    m[AT_RECOVERY] =
        lk_saturation_peak_per_s(&r, r.retry_bins, c->o.server.down_until_s, (double)INFINITY);
    m[T50] = lk_served_at_s(p, 0.5);
    m[T99] = lk_served_at_s(p, 0.99);
    m[MEAN] = p->took_mean_s;
    m[P99] = lk_population_quantile_s(p, 0.99);
    m[WASTED] = (double)p->refused;
    m[SERVED] = (double)p->done / (double)p->tasks;
    lk_saturation_release(&r);
    return LK_OK;
}

static const lk_column COLUMNS[] = {
    { "policy", "policy" },
    { "peak_in_outage_per_s", "retries/s\nin outage" },
    { "peak_at_recovery_per_s", "... at\nrecovery" },
    { "wasted", "wasted\nattempts" },
    { "served", "share\nserved" },
};
static const lk_column TIMES[] = {
    { "policy", "policy" },
    { "half_served_s", "half\nserved at" },
    { "p99_served_s", "99 %\nserved at" },
    { "mean_s", "mean time\nto success" },
    { "p99_s", "p99" },
};

static lk_code run(lk_lab *lab, unsigned runs, const void *at, lk_tables *out, lk_err *e)
{
    const settings *s = at;
    lk_table *loads = lk_tables_add(out, "load", "Load on the endpoint", COLUMNS, 5);
    lk_table *times =
        lk_tables_add(out, "times", "When the callers are served (seconds)", TIMES, 5);

    if (!s->callers)
        return lk_fail(e, LK_EUSAGE, "--callers: nobody calls");
    lab->step = 1 / (double)s->policies.count;
    for (size_t i = 0; i < s->policies.count; i++) {
        lk_crowds c = crowds_of(s, i);
        lk_experiment x = { MEASURES, runs, &c, NULL, NULL, measure };
        lk_estimate m[MEASURES];

        LK_TRY(lk_lab_run(lab, &x, m, e));
        lk_table_row(out, loads);
        lk_table_text(out, loads, s->policies.items[i].text);
        lk_table_estimate(out, loads, &m[IN_OUTAGE]);
        lk_table_estimate(out, loads, &m[AT_RECOVERY]);
        lk_table_estimate(out, loads, &m[WASTED]);
        lk_table_estimate(out, loads, &m[SERVED]);
        lk_table_row(out, times);
        lk_table_text(out, times, s->policies.items[i].text);
        lk_table_estimate(out, times, &m[T50]);
        lk_table_estimate(out, times, &m[T99]);
        lk_table_estimate(out, times, &m[MEAN]);
        lk_table_estimate(out, times, &m[P99]);
    }
    lk_tables_note(
        out,
        "Peaks are of bins of one second, first attempts left out; \"-\" where it never comes to that.");
    return LK_OK;
}

static lk_code watch(const void *at, uint64_t seed, const lk_sat_observer *observer, lk_err *e)
{
    lk_crowds c = crowds_of(at, 0);

    return lk_crowds_watch(&c, seed, observer, e);
}

const lk_model LK_MODEL_OUTAGE = {
    .name = "outage",
    .help = "a fan-out to an endpoint that is down and recovers (S3)",
    .settings = SETTINGS,
    .size = sizeof(settings),
    .runs = 20,
    .init = init,
    .run = run,
    .watch = watch,
};
