/* S1: 1,180 tasks at once, an SDK of three attempts under a job queue, 2,000,000 tokens a minute. */
#include "sim/crowds.h"
#include "sim/study.h"

#include <math.h>
#include <stddef.h>

enum { TASKS = 1180 };

typedef struct world {
    const char *policy;
    lk_policy_params params;
    lk_quota_kind quota;
    double leave;
    unsigned queue_attempts;
} world;

enum { AS_WRITTEN, AT_ONCE, LEAVING, CAPPED, NARROW, WORLDS };

static const world WORLD[WORLDS] = {
    [AS_WRITTEN] = { "retry-after-exact", { 1, 2, 60, 0.1, 3 }, LK_QUOTA_BUCKET, 0, 0 },
    [AT_ONCE] = { "immediate", { 1, 2, 60, 0.1, 3 }, LK_QUOTA_WINDOW, 0, 0 },
    [LEAVING] = { "immediate", { 1, 2, 60, 0.1, 3 }, LK_QUOTA_WINDOW, 0.26, 0 },
    [CAPPED] = { "retry-after-jitter", { 0.5, 2, 12, 0.1, 4 }, LK_QUOTA_BUCKET, 0, 3 },
    [NARROW] = { "percent-jitter", { 12, 1, 60, 0.1, 3 }, LK_QUOTA_BUCKET, 0, 0 },
};

enum { REQUESTS, DRAIN, BYSTANDERS, PERIOD, EMPTIED, FIRST_CYCLE, WAVE_2, WAVE_3, WAVE_9, WAVES_LEFT,
       PER_TASK_MOST, MEASURES };

/* What the totals do not hold. */
typedef struct notes {
    double call_start[3]; /* sums of the first attempts' starts of call 1, 2 */
    double calls[3];
    double refused_first;   /* of the tasks; 0: none yet */
    double first_cycle;     /* requests of the tasks' first calls */
    unsigned attempts[TASKS], most;
} notes;

static void note(void *context, const lk_sat_attempt *a)
{
    notes *n = context;

    if (a->population)
        return;
    if (a->attempt_no == 1 && a->call_no <= 2) {
        n->call_start[a->call_no] += a->start_s;
        n->calls[a->call_no]++;
    }
    if (a->status != 200 && !(n->refused_first > 0))
        n->refused_first = a->start_s;
    n->first_cycle += a->call_no == 1;
    if (a->caller < TASKS && ++n->attempts[a->caller] > n->most)
        n->most = n->attempts[a->caller];
}

static lk_crowds crowds_of(const world *w, const lk_sampler *policy)
{
    lk_crowds c = { .count = 2, .spread_s = 2, .starts = { TASKS }, .o = LK_SATURATION_INIT };

    c.populations[0] = c.populations[1] = (lk_population)LK_POPULATION_INIT;
    c.populations[0].policy = policy;
    c.populations[0].cost = 28000;
    c.populations[0].requeue_s = 60;
    c.populations[0].leave_share = w->leave;
    c.populations[0].queue_attempts = w->queue_attempts;
    c.populations[1].rate_per_s = 4;
    c.populations[1].cost = 1200;
    c.o.server.quota = w->quota;
    c.o.server.allowance_per_s = 2e6 / 60;
    c.o.server.depth = 2e6;
    c.o.server.retry_after_s = 12;
    return c;
}

static lk_code measure(const void *context, void *worker, uint64_t seed, uint64_t stream, double *m,
                       lk_err *e)
{
    notes n = { .most = 0 };
    const lk_sat_observer observer = { &n, note, NULL };
    const lk_population_result *p;
    lk_saturation_result r;

    (void)worker;
    LK_TRY(lk_crowds_run(context, seed, stream, &observer, &r, e));
    p = &r.populations[0];
    m[REQUESTS] = (double)p->requests;
    m[DRAIN] = p->last_done_s / 60;
    m[BYSTANDERS] = (double)r.populations[1].refused / (double)r.populations[1].requests;
    m[PERIOD] = n.call_start[2] / n.calls[2] - n.call_start[1] / n.calls[1];
    m[EMPTIED] = n.refused_first;
    m[FIRST_CYCLE] = n.first_cycle;
    m[WAVE_2] = (double)p->calls_by_no[1];
    m[WAVE_3] = (double)p->calls_by_no[2];
    m[WAVE_9] = (double)p->calls_by_no[8];
    m[WAVES_LEFT] = 0;
    for (size_t i = 0; i < LK_SATURATION_ROUNDS; i++)
        m[WAVES_LEFT] += p->calls_by_no[i] > 61;
    m[PER_TASK_MOST] = n.most;
    lk_saturation_release(&r);
    return LK_OK;
}

static lk_code run_world(lk_lab *lab, const world *w, lk_estimate *m, lk_err *e)
{
    lk_sampler policy;
    lk_crowds c;
    lk_experiment x = { MEASURES, lk_lab_runs(lab, 50, 5), &c, NULL, NULL, measure };

    lk_sampler_init(&policy, lk_policy_find(w->policy), &w->params);
    c = crowds_of(w, &policy);
    return lk_lab_run(lab, &x, m, e);
}

typedef struct row {
    const char *name;
    int world, measure;
    double claimed, allowed;
    const char *why_not;
} row;

/* clang-format off */
static const row MODELLED[] = {
    { "drain time (min)",                AS_WRITTEN, DRAIN, 19.34, 1.3, NULL },
    { "requests of the first wave",      AT_ONCE, FIRST_CYCLE, 3540, 150, NULL },
    { "wave 2 (tasks)",             LEAVING, WAVE_2, 826, 15, NULL },
    { "wave 3 (tasks)",                          LEAVING, WAVE_3, 578, 15,
      "what is admitted is a number a wave, not a share: the decay is linear" },
    { "wave 9 (tasks)",                          LEAVING, WAVE_9, 68, 5,
      "what is admitted is a number a wave, not a share: the decay is linear" },
    { "waves above the allowance",       LEAVING, WAVES_LEFT, 9, 0.5,
      "with 71 admitted and 26 % leaving a wave it is over after six or seven" },
    { "bucket emptied after (s)",        AS_WRITTEN, EMPTIED, 0.2, 0.1, NULL },
    { "bucket emptied, 10 % of jitter (s)",     NARROW, EMPTIED, 2.4, 0.5,
      "a width of 2.4 s empties it in 146 ms; one that never does is 1,158 s wide" },
    { "interactive refused, fixed window",     AT_ONCE, BYSTANDERS, 0.997, 0.06, NULL },
    { "requests until drained",          LEAVING, REQUESTS, 31900, 1000,
      "31,860 is nine undiminished waves of 3,540; with the decay of the text 11,324" },
    { "requests until drained, nobody leaves",            AT_ONCE, REQUESTS, 31900, 1000,
      "sixteen waves of a fixed window; a token bucket's nineteen make 32,906" },
    { "requests with caps and wide jitter",   CAPPED, REQUESTS, 4700, 100,
      "4,720 is one pass of four attempts; three passes are allowed, up to 14,160" },
    { "requests a task at most",         CAPPED, PER_TASK_MOST, 12, 0, NULL },
};
/* clang-format on */

static void add_arithmetic(lk_figures *out)
{
    const struct {
        const char *name;
        double claimed, value, allowed;
    } ROW[] = {
        { "tokens a minute left for batch", 1712000, 2000000 - 288000, 0 },
        { "tasks a minute", 61, floor(1712000.0 / 28000), 0 },
        { "survival ratio of a wave", 0.70, (1180.0 - 61 - 290) / 1180, 0.005 },
        { "width of 10 % of 12 s, both ways", 2.4, 2 * 0.1 * 12, 1e-9 },
        { "12 s is wider than that by", 5, 12 / 2.4, 1e-9 },
    };

    for (size_t i = 0; i < sizeof(ROW) / sizeof(ROW[0]); i++) {
        lk_estimate x = lk_exactly(ROW[i].value);

        lk_figure_add(out, ROW[i].name, ROW[i].claimed, &x, ROW[i].allowed, NULL);
    }
}

lk_code lk_study_saturation(lk_lab *lab, lk_figures *out, lk_err *e)
{
    lk_estimate m[WORLDS][MEASURES];

    lab->step /= WORLDS;
    for (size_t i = 0; i < WORLDS; i++)
        LK_TRY(run_world(lab, &WORLD[i], m[i], e));
    add_arithmetic(out);
    for (size_t i = 0; i < sizeof(MODELLED) / sizeof(MODELLED[0]); i++)
        lk_figure_add(out, MODELLED[i].name, MODELLED[i].claimed,
                      &m[MODELLED[i].world][MODELLED[i].measure], MODELLED[i].allowed,
                      MODELLED[i].why_not);
    lk_figure_add_impossible(out, "period (s)", 60, &m[AS_WRITTEN][PERIOD], 1,
                             "attempts at 0, 12, 24 s and 60 s more make 84 s; 60 s needs no spacing in a call");
    lk_figure_add_impossible(out, "interactive refused, token bucket", 0.997, &m[AS_WRITTEN][BYSTANDERS], 0.06,
                             "it refills 33,333 tokens/s and keeps only calls of 28,000 out");
    return LK_OK;
}
