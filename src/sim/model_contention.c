/* The contention study's model as a command: a burst, steady traffic, a burst on steady traffic. */
#include "sim/contention_lab.h"
#include "sim/model.h"

#include <math.h>
#include <stddef.h>

typedef struct settings {
    lk_policies policies;
    unsigned conflict;
    unsigned burst;
    double rate, horizon;
    unsigned waiting_max, drained_most, hopeless;
    double unfinished_max, drained_every;
    bool frontier, sleeps;
} settings;

/* clang-format off */
static const lk_setting SETTINGS[] = {
    { "policy", LK_SETTING_POLICIES, offsetof(settings, policies), "LIST",
      "policies to compare, separated by ';' (default: immediate, exponential, full-jitter, equal-jitter, decorrelated-jitter; base=1,cap=1000)", NULL },
    { "conflict", LK_SETTING_CHOICE, offsetof(settings, conflict), "KIND",
      "what spoils an attempt: collisions; free: a version check, failures are free (default); shared: the same, failures use capacity; no-conflict", LK_CONFLICT_NAMES },
    { "burst", LK_SETTING_COUNT, offsetof(settings, burst), "N",
      "clients at time 0 (default 100; 0 where --steady is given)", NULL },
    { "steady", LK_SETTING_NUMBER, offsetof(settings, rate), "RATE",
      "Poisson arrivals per unit of time (default 0)", NULL },
    { "horizon", LK_SETTING_NUMBER, offsetof(settings, horizon), "TIME",
      "end of a run with steady traffic (default 20000; 60000 with a burst)", NULL },
    { "collapsed-waiting", LK_SETTING_COUNT, offsetof(settings, waiting_max), "N",
      "steady: a run has collapsed when N wait (default 3000)", NULL },
    { "collapsed-share", LK_SETTING_SHARE, offsetof(settings, unfinished_max), "P",
      "steady: ... or when more than P of the arrivals are unfinished at the end (default 0.05)", NULL },
    { "drained-clients", LK_SETTING_COUNT, offsetof(settings, drained_most), "N",
      "burst on steady: drained when at most N are in the system (default 3)", NULL },
    { "drained-every", LK_SETTING_NUMBER, offsetof(settings, drained_every), "TIME",
      "burst on steady: how often that is looked at (default 5)", NULL },
    { "hopeless", LK_SETTING_COUNT, offsetof(settings, hopeless), "N",
      "burst on steady: give a run up when N wait (default 0: never)", NULL },
    { "frontier", LK_SETTING_FLAG, offsetof(settings, frontier), NULL,
      "search base and cap for the least mean latency of the burst, and the best fixed window", NULL },
    { "sleeps", LK_SETTING_FLAG, offsetof(settings, sleeps), NULL,
      "quantiles of the sleeps by retry", NULL },
    { .kind = LK_SETTING_END },
};
/* clang-format on */

static void init(void *at)
{
    settings *s = at;

    *s = (settings){ .conflict = LK_CONFLICT_FREE, .burst = UINT32_MAX, .horizon = -1,
                     .waiting_max = 3000, .unfinished_max = 0.05, .drained_most = 3,
                     .drained_every = 5 };
    lk_policies_init(&s->policies, (lk_policy_params){ 1, 2, 1000, 0.1, 0 },
                     "immediate;exponential;full-jitter;equal-jitter;decorrelated-jitter");
}

/* What is not given follows from what is. */
static lk_contention_options options_of(const settings *s)
{
    lk_contention_options o = LK_CONTENTION_INIT;
    bool steady = s->rate > 0;

    o.conflict = (lk_conflict)s->conflict;
    o.burst = s->burst == UINT32_MAX ? (steady ? 0 : 100) : s->burst;
    o.rate = s->rate;
    o.horizon = s->horizon >= 0 ? s->horizon
                : !steady       ? (s->conflict == LK_CONFLICT_COLLISIONS ? 1e6 : (double)INFINITY)
                : o.burst       ? 60000
                                : 20000;
    if (steady && o.burst) {
        o.drained_every = s->drained_every;
        o.drained_most = s->drained_most;
        o.hopeless = s->hopeless;
    } else if (steady) {
        o.waiting_max = s->waiting_max;
        o.unfinished_max = s->unfinished_max;
    }
    return o;
}

static const lk_column BURST[] = {
    { "policy", "policy" },           { "attempts_per_client", "attempts\nper client" },
    { "makespan", "makespan" },       { "latency", "mean\nlatency" },
    { "served", "share\nserved" },
};
static const lk_column STEADY[] = {
    { "policy", "policy" },           { "attempts_per_client", "attempts\nper client" },
    { "latency", "mean\nlatency" },   { "goodput", "goodput" },
    { "collapsed", "share of runs\ncollapsed" },
};
static const lk_column MIXED[] = {
    { "policy", "policy" },           { "attempts_per_client", "attempts\nper client" },
    { "latency", "mean\nlatency" },   { "drained", "share of runs\ndrained" },
    { "drain_time", "drain\ntime" },
};

static void burst_row(lk_tables *out, lk_table *t, const lk_estimate *m, const char *policy)
{
    lk_table_row(out, t);
    lk_table_text(out, t, policy);
    lk_table_estimate(out, t, &m[LK_MEASURE_ATTEMPTS]);
    if (t->columns == BURST) {
        lk_table_estimate(out, t, &m[LK_MEASURE_MAKESPAN]);
        lk_table_estimate(out, t, &m[LK_MEASURE_LATENCY]);
        lk_table_estimate(out, t, &m[LK_MEASURE_SERVED]);
        return;
    }
    lk_table_estimate(out, t, &m[LK_MEASURE_LATENCY]);
    if (t->columns == STEADY) {
        lk_table_estimate(out, t, &m[LK_MEASURE_GOODPUT]);
        lk_table_estimate(out, t, &m[LK_MEASURE_COLLAPSED]);
        return;
    }
    lk_table_estimate(out, t, &m[LK_MEASURE_DRAINED]);
    lk_table_estimate(out, t, &m[LK_MEASURE_DRAIN_TIME]);
}

static lk_code compare(lk_lab *lab, unsigned runs, const settings *s, lk_tables *out, lk_err *e)
{
    lk_contention_options o = options_of(s);
    bool mixed = o.rate > 0 && o.burst;
    lk_table *t = lk_tables_add(out, "policies",
                                mixed        ? "A burst on steady traffic"
                                : o.rate > 0 ? "Steady traffic"
                                             : "One burst",
                                mixed        ? MIXED
                                : o.rate > 0 ? STEADY
                                             : BURST,
                                5);

    for (size_t i = 0; i < s->policies.count; i++) {
        lk_estimate m[LK_MEASURES];

        o.policy = &s->policies.items[i].sampler;
        LK_TRY(lk_contention_measure(lab, runs, &o, m, e));
        burst_row(out, t, m, s->policies.items[i].text);
    }
    lk_tables_note(out, "Times in units of one attempt alone on the server; beside each mean, its standard error.");
    return LK_OK;
}

/* ---- the frontier ---- */

static const lk_column FRONTIER[] = {
    { "policy", "policy" }, { "base", "base" }, { "cap", "cap" }, { "latency", "mean\nlatency" },
    { "ratio", "against the\nbest window" },
};

static lk_code frontier(lk_lab *lab, unsigned runs, const settings *s, lk_tables *out, lk_err *e)
{
    lk_contention_options o = options_of(s);
    lk_table *t = lk_tables_add(out, "frontier", "Least mean latency of one burst", FRONTIER, 5);
    lk_frontier best[LK_FRONTIER_ROWS];

    LK_TRY(lk_contention_frontier(lab, runs, (lk_conflict)s->conflict, o.burst, best, e));
    for (size_t i = 0; i < LK_FRONTIER_ROWS; i++) {
        lk_table_row(out, t);
        lk_table_text(out, t, best[i].policy);
        lk_table_number(out, t, best[i].base);
        lk_table_number(out, t, best[i].cap);
        lk_table_estimate(out, t, &best[i].latency);
        lk_table_number(out, t, best[i].latency.mean / best[0].latency.mean);
    }
    lk_tables_note(out, "Bases 0.25, 0.5 ... 64, caps 100, 1000 and none (-); windows up to four times the burst.");
    return LK_OK;
}

/* ---- sleeps ---- */

static const lk_column SLEEPS[] = {
    { "policy", "policy" }, { "retry", "retry" }, { "p10", "p10" },
    { "p50", "median" },    { "p90", "p90" },     { "at_cap", "share\nat the cap" },
};

static lk_code sleeps(lk_lab *lab, unsigned runs, const settings *s, lk_tables *out, lk_err *e)
{
    static const unsigned RETRY[] = { 1, 2, 3, 5, 10, 11, 20, 30 };
    lk_table *t = lk_tables_add(out, "sleeps", "Sleeps by retry", SLEEPS, 6);

    for (size_t p = 0; p < s->policies.count; p++)
        for (size_t r = 0; r < sizeof(RETRY) / sizeof(RETRY[0]); r++) {
            lk_estimate m[LK_SLEEPS];

            LK_TRY(lk_sleeps_measure(lab, runs, &s->policies.items[p].sampler, RETRY[r], m, e));
            lk_table_row(out, t);
            lk_table_text(out, t, s->policies.items[p].text);
            lk_table_number(out, t, RETRY[r]);
            for (size_t i = 0; i < LK_SLEEPS; i++)
                lk_table_estimate(out, t, &m[i]);
        }
    lk_tables_note(out, "A run is 1,000 chains of sleeps.");
    return LK_OK;
}

static lk_code run(lk_lab *lab, unsigned runs, const void *at, lk_tables *out, lk_err *e)
{
    const settings *s = at;
    double parts = s->frontier ? 1 : (double)s->policies.count * (s->sleeps ? 8 : 1);

    lab->step = 1 / parts;
    if (s->frontier)
        return frontier(lab, runs, s, out, e);
    return s->sleeps ? sleeps(lab, runs, s, out, e) : compare(lab, runs, s, out, e);
}

const lk_model LK_MODEL_CONTENTION = {
    .name = "contention",
    .help = "clients that spoil each other's attempts (S2)",
    .settings = SETTINGS,
    .size = sizeof(settings),
    .runs = 200,
    .init = init,
    .run = run,
};
