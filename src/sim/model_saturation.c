/* An SDK under a job queue against an allowance of tokens, with bystanders (S1). */
#include "sim/crowds.h"
#include "sim/model.h"

#include <math.h>
#include <stddef.h>

typedef struct settings {
    lk_policies policies;
    unsigned tasks, queue_attempts, concurrency, quota;
    double spread_s, cost, requeue_s, requeue_jitter_s, leave, pace_s, deadline_s;
    double allowance_per_s, depth, initial, window_s, requests_per_s, requests_depth;
    double service_s, refusal_s, retry_after_s, retry_after_spread_s, retry_after_most_s;
    double bystanders_per_s, bystanders_cost, span_s;
    bool adaptive;
} settings;

static const char *const QUOTAS[] = { "none", "bucket", "window", "zero", NULL };

/* clang-format off */
static const lk_setting SETTINGS[] = {
    { "policy", LK_SETTING_POLICIES, offsetof(settings, policies), "LIST",
      "the SDK's policies to compare, separated by ';' (default: retry-after-exact:attempts=3)", NULL },
    { "tasks", LK_SETTING_COUNT, offsetof(settings, tasks), "N", "tasks (default 1180)", NULL },
    { "spread", LK_SETTING_SECONDS, offsetof(settings, spread_s), "TIME", "... starting uniformly within TIME (default 2)", NULL },
    { "cost", LK_SETTING_NUMBER, offsetof(settings, cost), "N", "tokens a request (default 28000)", NULL },
    { "requeue", LK_SETTING_SECONDS, offsetof(settings, requeue_s), "TIME", "a failed call is made again after TIME (default 60; none: it is lost)", NULL },
    { "requeue-jitter", LK_SETTING_SECONDS, offsetof(settings, requeue_jitter_s), "TIME", "... and a random part of TIME more", NULL },
    { "queue-attempts", LK_SETTING_COUNT, offsetof(settings, queue_attempts), "N", "calls a task is given (default 0: no bound)", NULL },
    { "leave", LK_SETTING_SHARE, offsetof(settings, leave), "P", "share of the failed calls whose owner gives up", NULL },
    { "concurrency", LK_SETTING_COUNT, offsetof(settings, concurrency), "N", "tasks at work at once (default 0: no limit)", NULL },
    { "adaptive", LK_SETTING_FLAG, offsetof(settings, adaptive), NULL, "... that limit shrinks on refusals and grows on successes", NULL },
    { "pace", LK_SETTING_SECONDS, offsetof(settings, pace_s), "TIME", "tasks are released at least TIME apart", NULL },
    { "deadline", LK_SETTING_SECONDS, offsetof(settings, deadline_s), "TIME", "no attempt of a call starts later than TIME after its first", NULL },
    { "quota", LK_SETTING_CHOICE, offsetof(settings, quota), "KIND", "bucket (default), window, none, zero", QUOTAS },
    { "allowance", LK_SETTING_RATE, offsetof(settings, allowance_per_s), "RATE", "tokens admitted (default 2000000/min)", NULL },
    { "depth", LK_SETTING_NUMBER, offsetof(settings, depth), "N", "of the token bucket (default: a minute of it)", NULL },
    { "initial", LK_SETTING_NUMBER, offsetof(settings, initial), "N", "tokens in it at the start (default: full)", NULL },
    { "window", LK_SETTING_SECONDS, offsetof(settings, window_s), "TIME", "width of the fixed window (default 60)", NULL },
    { "request-rate", LK_SETTING_RATE, offsetof(settings, requests_per_s), "RATE", "a second bucket, of requests; refused ones draw on it too", NULL },
    { "request-depth", LK_SETTING_NUMBER, offsetof(settings, requests_depth), "N", "... its depth (default: one second of it)", NULL },
    { "service", LK_SETTING_SECONDS, offsetof(settings, service_s), "TIME", "how long a success takes (default 0)", NULL },
    { "refusal", LK_SETTING_SECONDS, offsetof(settings, refusal_s), "TIME", "how long a refusal takes (default 0)", NULL },
    { "retry-after", LK_SETTING_SECONDS, offsetof(settings, retry_after_s), "TIME", "on refusals (default 12; none)", NULL },
    { "retry-after-spread", LK_SETTING_SECONDS, offsetof(settings, retry_after_spread_s), "TIME", "the server adds a random part of TIME", NULL },
    { "retry-after-cap", LK_SETTING_SECONDS, offsetof(settings, retry_after_most_s), "TIME", "callers take a longer one as TIME", NULL },
    { "interactive", LK_SETTING_RATE, offsetof(settings, bystanders_per_s), "RATE", "bystanders that do not retry (default 4)", NULL },
    { "interactive-cost", LK_SETTING_NUMBER, offsetof(settings, bystanders_cost), "N", "... tokens a request (default 1200)", NULL },
    { "span", LK_SETTING_SECONDS, offsetof(settings, span_s), "TIME", "end of a run at the latest (default 1d)", NULL },
    { .kind = LK_SETTING_END },
};
/* clang-format on */

static void init(void *at)
{
    settings *s = at;

    *s = (settings){ .tasks = 1180,
                     .spread_s = 2,
                     .cost = 28000,
                     .requeue_s = 60,
                     .quota = LK_QUOTA_BUCKET,
                     .allowance_per_s = 2e6 / 60,
                     .depth = -1,
                     .initial = -1,
                     .window_s = 60,
                     .requests_depth = -1,
                     .retry_after_s = 12,
                     .bystanders_per_s = 4,
                     .bystanders_cost = 1200,
                     .span_s = 86400 };
    lk_policies_init(&s->policies, (lk_policy_params)LK_POLICY_PARAMS_INIT,
                     "retry-after-exact:attempts=3");
}

static void fill_server(const settings *s, lk_server_options *o)
{
    o->quota = (lk_quota_kind)s->quota;
    o->allowance_per_s = s->allowance_per_s;
    o->depth = s->depth >= 0 ? s->depth : 60 * s->allowance_per_s;
    o->initial = s->initial;
    o->window_s = s->window_s;
    o->requests_per_s = s->requests_per_s;
    o->requests_depth = s->requests_depth >= 0 ? s->requests_depth : s->requests_per_s;
    o->service_s = s->service_s;
    o->refusal_s = s->refusal_s;
    o->retry_after_s = isinf(s->retry_after_s) ? -1 : s->retry_after_s;
    o->retry_after_spread_s = s->retry_after_spread_s;
}

static lk_crowds crowds_of(const settings *s, size_t policy)
{
    lk_crowds c = { .count = s->bystanders_per_s > 0 ? 2 : 1,
                    .spread_s = s->spread_s,
                    .starts = { s->tasks },
                    .o = LK_SATURATION_INIT };
    lk_population *p = &c.populations[0];

    *p = c.populations[1] = (lk_population)LK_POPULATION_INIT;
    p->name = "batch";
    p->policy = &s->policies.items[policy].sampler;
    p->cost = s->cost;
    p->requeue_s = isinf(s->requeue_s) ? -1 : s->requeue_s;
    p->requeue_jitter_s = s->requeue_jitter_s;
    p->queue_attempts = s->queue_attempts;
    p->leave_share = s->leave;
    p->concurrency = s->concurrency;
    p->adaptive = s->adaptive;
    p->pace_s = s->pace_s;
    p->deadline_s = s->deadline_s;
    p->retry_after_most_s = s->retry_after_most_s;
    c.populations[1].name = "interactive";
    c.populations[1].rate_per_s = s->bystanders_per_s;
    c.populations[1].cost = s->bystanders_cost;
    fill_server(s, &c.o.server);
    c.o.span_s = s->span_s;
    return c;
}

enum {
    REQUESTS,
    REFUSED,
    DONE,
    LOST,
    DRAIN,
    PEAK,
    BILLED,
    MEAN,
    P99,
    BYSTANDERS,
    WAVES = 16,
    MEASURES = WAVES + 12
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
    for (size_t i = 0; i < MEASURES; i++)
        m[i] = (double)NAN;
    m[REQUESTS] = (double)p->requests;
    m[REFUSED] = (double)p->refused / (double)p->requests;
    m[DONE] = (double)p->done;
    m[LOST] = (double)(p->lost + p->left);
    m[DRAIN] = p->last_done_s / 60;
    m[PEAK] = lk_saturation_peak_per_s(&r, r.bins, 0, (double)INFINITY);
    m[BILLED] = (double)(p->requests - p->refused) * c->populations[0].cost / 1e6;
    m[MEAN] = p->took_mean_s;
    m[P99] = lk_population_quantile_s(p, 0.99);
    if (c->count > 1 && r.populations[1].requests)
        m[BYSTANDERS] = (double)r.populations[1].refused / (double)r.populations[1].requests;
    for (size_t i = WAVES; i < MEASURES; i++)
        m[i] = (double)p->calls_by_no[i - WAVES];
    lk_saturation_release(&r);
    return LK_OK;
}

static const lk_column LOAD[] = {
    { "policy", "policy" },
    { "requests", "requests" },
    { "refused", "share\nrefused" },
    { "peak_per_s", "peak/s" },
    { "billed_million", "million\ntokens used" },
};
static const lk_column WORK[] = {
    { "policy", "policy" },
    { "done", "done" },
    { "lost", "lost" },
    { "drain_min", "drained\n(min)" },
    { "bystanders_refused", "bystanders\nrefused" },
};
static const lk_column TIMES[] = {
    { "policy", "policy" },
    { "mean_s", "mean" },
    { "p99_s", "p99" },
};
static const lk_column WAVE[] = { { "wave", "call" }, { "tasks", "tasks" } };

static lk_code run(lk_lab *lab, unsigned runs, const void *at, lk_tables *out, lk_err *e)
{
    const settings *s = at;
    lk_table *load = lk_tables_add(out, "load", "Requests", LOAD, 5);
    lk_table *work = lk_tables_add(out, "work", "Tasks", WORK, 5);
    lk_table *times = lk_tables_add(out, "times", "Time to success of a task (seconds)", TIMES, 3);
    lk_table *waves =
        lk_tables_add(out, "waves", "Waves: tasks that make their first, second ... call", WAVE, 2);

    if (!s->tasks)
        return lk_fail(e, LK_EUSAGE, "--tasks: there is nothing to do");
    waves->bars = true;
    lab->step = 1 / (double)s->policies.count;
    for (size_t i = 0; i < s->policies.count; i++) {
        lk_crowds c = crowds_of(s, i);
        lk_experiment x = { MEASURES, runs, &c, NULL, NULL, measure };
        lk_estimate m[MEASURES];
        static const int L[] = { REQUESTS, REFUSED, PEAK, BILLED },
                         W[] = { DONE, LOST, DRAIN, BYSTANDERS };

        LK_TRY(lk_lab_run(lab, &x, m, e));
        lk_table_row(out, load);
        lk_table_text(out, load, s->policies.items[i].text);
        lk_table_row(out, work);
        lk_table_text(out, work, s->policies.items[i].text);
        for (size_t j = 0; j < 4; j++) {
            lk_table_estimate(out, load, &m[L[j]]);
            lk_table_estimate(out, work, &m[W[j]]);
        }
        lk_table_row(out, times);
        lk_table_text(out, times, s->policies.items[i].text);
        lk_table_estimate(out, times, &m[MEAN]);
        lk_table_estimate(out, times, &m[P99]);
        for (size_t j = 0; i == 0 && j + WAVES < MEASURES && m[WAVES + j].mean > 0; j++) {
            lk_table_row(out, waves);
            lk_table_number(out, waves, (double)j + 1);
            lk_table_estimate(out, waves, &m[WAVES + j]);
        }
    }
    lk_tables_note(out,
                   "Backoff creates no capacity: what is used is the same, the requests are not.");
    return LK_OK;
}

static lk_code watch(const void *at, uint64_t seed, const lk_sat_observer *observer, lk_err *e)
{
    lk_crowds c = crowds_of(at, 0);

    return lk_crowds_watch(&c, seed, observer, e);
}

const lk_model LK_MODEL_SATURATION = {
    .name = "saturation",
    .help = "an SDK under a job queue against an allowance (S1)",
    .settings = SETTINGS,
    .size = sizeof(settings),
    .runs = 20,
    .init = init,
    .run = run,
    .watch = watch,
};
