/* The acceptance set of the contention study.  Centres are long-run values of independent prototypes,
 * tolerances about four standard errors of this test's own runs (counts: four binomial standard
 * deviations): with a tenth of the runs under sanitizers they widen by the root of ten.  */
#include "unit.h"

#include "../bench/heap_contention.h"
#include "sanitized.h"
#include "sim/contention.h"

#include <math.h>

#define NONE ((double)INFINITY)

static lk_err e;

/* What the rows below have in common. */
typedef struct setting {
    lk_conflict conflict;
    const char *policy; /* NULL: no retries */
    double base, cap;
    unsigned burst;
    double rate, horizon;
    unsigned runs;
    enum { PLAIN, STEADY, BURST } rules;
} setting;

typedef struct means {
    double attempts, makespan, latency, goodput, drain_time;
    unsigned runs, collapsed, drained;
} means;

static double tolerance(double stated)
{
    return LK_RUNS_DIVISOR == 1 ? stated : stated * sqrt((double)LK_RUNS_DIVISOR);
}

static void sampler_of(const setting *s, lk_sampler *out)
{
    lk_policy_params p = { s->base, 2, s->cap, 0, 0 };
    const lk_policy *row = s->policy ? lk_policy_find(s->policy) : NULL;

    check(row || !s->policy, "no policy '%s'", s->policy);
    lk_sampler_init(out, row, &p);
}

static lk_contention_options options_of(const setting *s, const lk_sampler *policy)
{
    lk_contention_options o = LK_CONTENTION_INIT;

    o.conflict = s->conflict;
    o.policy = policy;
    o.burst = s->burst;
    o.rate = s->rate;
    o.horizon = s->horizon;
    if (s->rules == STEADY) {
        o.waiting_max = 3000;
        o.unfinished_max = 0.05;
    } else if (s->rules == BURST) {
        o.drained_every = 5;
        o.hopeless = s->conflict == LK_CONFLICT_COLLISIONS ? 3 * s->burst + 200 : 0;
    }
    return o;
}

static void add(means *m, const lk_contention_result *r)
{
    check(r->attempts >= r->successes + r->failures, "attempts are successes and failures");
    check(r->arrivals == r->successes + r->left + r->in_system, "clients are conserved");
    m->runs++;
    m->attempts += (double)r->attempts / (double)r->arrivals;
    m->makespan += r->makespan;
    m->goodput += r->ended > 0 ? (double)r->successes / r->ended : 0;
    m->collapsed += r->collapsed;
    if (!r->collapsed)
        m->latency += r->latency_sum / (double)r->successes;
    if (r->drained >= 0) {
        m->drained++;
        m->drain_time += r->drained;
    }
}

static means run(const setting *s)
{
    unsigned runs = s->runs >= 2 * LK_RUNS_DIVISOR ? s->runs / LK_RUNS_DIVISOR : s->runs;
    lk_contention *c;
    lk_sampler policy;
    lk_contention_options o;
    means m = { 0 };

    sampler_of(s, &policy);
    o = options_of(s, &policy);
    if (s->runs == 1 && s->horizon < NONE)
        o.horizon /= LK_RUNS_DIVISOR;
    check_ok(lk_contention_open(&c, &e), e);
    for (unsigned i = 0; i < runs; i++) {
        lk_contention_result r;

        check_ok(lk_contention_run(c, &o, 20260101, i, &r, &e), e);
        add(&m, &r);
    }
    lk_contention_close(c);
    m.attempts /= runs;
    m.makespan /= runs;
    m.goodput /= runs;
    m.latency /= m.runs > m.collapsed ? m.runs - m.collapsed : 1;
    m.drain_time /= m.drained ? m.drained : 1;
    return m;
}

static void near(const char *what, size_t row, double got, double want, double allowed)
{
    check(fabs(got - want) <= allowed, "%s, row %zu: %.6g is not %.6g +- %.3g", what, row, got, want,
          allowed);
}

/* ---- closed forms ---- */

TEST(contention_without_retries_has_the_known_goodput)
{
    static const struct {
        setting s;
        double want, allowed;
    } ROW[] = {
        { { LK_CONFLICT_COLLISIONS, NULL, 1, 1, 0, 0.5, 2e6, 1, PLAIN }, 0.18394, 0.0018 },
        { { LK_CONFLICT_COLLISIONS, NULL, 1, 1, 0, 1, 2e6, 1, PLAIN }, 0.13534, 0.0013 },
        { { LK_CONFLICT_FREE, NULL, 1, 1, 0, 1, 1e6, 1, PLAIN }, 0.5, 0.002 },
        { { LK_CONFLICT_FREE, NULL, 1, 1, 0, 3, 1e6, 1, PLAIN }, 0.75, 0.002 },
        { { LK_CONFLICT_SHARED, NULL, 1, 1, 0, 0.5, 4e5, 1, PLAIN }, 0.291, 0.005 },
        { { LK_CONFLICT_SHARED, NULL, 1, 1, 0, 0.6, 4e5, 1, PLAIN }, 0.302, 0.005 },
        { { LK_CONFLICT_SHARED, NULL, 1, 1, 0, 0.7, 4e5, 1, PLAIN }, 0.295, 0.006 },
    };

    for (size_t i = 0; i < ROWS(ROW); i++)
        near("goodput", i, run(&ROW[i].s).goodput, ROW[i].want, tolerance(ROW[i].allowed));
}

TEST(contention_sharing_without_conflict_takes_1_over_1_minus_load)
{
    static const setting AT_60 = { LK_CONFLICT_NONE, NULL, 1, 1, 0, 0.6, 1e6, 1, PLAIN };
    static const setting AT_90 = { LK_CONFLICT_NONE, NULL, 1, 1, 0, 0.9, 4e6, 1, PLAIN };

    near("sojourn", 0, run(&AT_60).latency, 2.5, tolerance(0.04));
    near("sojourn", 1, run(&AT_90).latency, 10, tolerance(0.5));
}

/* Steady and retried at once, failures free: 1 / (1 - load), an empirical law. */
TEST(contention_free_and_at_once_takes_1_over_1_minus_load)
{
    static const double LOAD[] = { 0.3, 0.5, 0.7, 0.8 };

    for (size_t i = 0; i < ROWS(LOAD); i++) {
        setting s = { LK_CONFLICT_FREE, "immediate", 1, 1, 0, LOAD[i], 1e6, 1, PLAIN };
        double want = 1 / (1 - LOAD[i]);

        near("latency", i, run(&s).latency, want, tolerance(0.02 * want));
    }
}

TEST(contention_burst_without_jitter_is_exact)
{
    static const setting NO_BACKOFF = { LK_CONFLICT_FREE, "immediate", 1, 1000, 100, 0, NONE, 1, PLAIN };
    static const setting NO_JITTER = { LK_CONFLICT_FREE, "exponential", 1, 1000, 100, 0, NONE, 1, PLAIN };
    static const setting LOCKSTEP = { LK_CONFLICT_COLLISIONS, "exponential", 1, 1000, 100, 0, 1e6, 2, PLAIN };
    means m = run(&NO_BACKOFF);

    assert_true(m.makespan == 100 && m.attempts == 50.5 && m.latency == 50.5);
    m = run(&NO_JITTER);
    assert_true(m.makespan == 90123 && m.attempts == 50.5);
    assert_true(run(&LOCKSTEP).goodput == 0);
}

/* ---- the classic burst and the frontier ---- */

TEST(contention_classic_burst)
{
    static const struct {
        const char *policy;
        double attempts, attempts_allowed, makespan, makespan_allowed;
    } ROW[] = {
        { "full-jitter", 7.4467, 0.006, 469.2, 14 },
        { "equal-jitter", 7.5517, 0.006, 619.2, 18 },
        { "decorrelated-jitter", 7.5315, 0.022, 305.9, 7.5 },
    };

    for (size_t i = 0; i < ROWS(ROW); i++) {
        setting s = { LK_CONFLICT_FREE, ROW[i].policy, 1, 1000, 100, 0, NONE, 2000, PLAIN };
        means m = run(&s);

        near("attempts", i, m.attempts, ROW[i].attempts, tolerance(ROW[i].attempts_allowed));
        near("makespan", i, m.makespan, ROW[i].makespan, tolerance(ROW[i].makespan_allowed));
    }
}

/* Mean latency of a burst; a fixed window is full jitter whose cap is its base. */
TEST(contention_frontier_points)
{
    static const struct {
        setting s;
        double want, allowed;
    } ROW[] = {
        { { LK_CONFLICT_COLLISIONS, "full-jitter", 230, 230, 100, 0, NONE, 400, PLAIN }, 290, 6 },
        { { LK_CONFLICT_COLLISIONS, "full-jitter", 2300, 2300, 1000, 0, NONE, 40, PLAIN }, 2925, 70 },
        { { LK_CONFLICT_COLLISIONS, "decorrelated-jitter", 32, 1000, 100, 0, NONE, 400, PLAIN }, 418, 9 },
        { { LK_CONFLICT_COLLISIONS, "equal-jitter", 64, 1000, 1000, 0, NONE, 40, PLAIN }, 4592, 85 },
        { { LK_CONFLICT_FREE, "decorrelated-jitter", 0.25, 100, 100, 0, NONE, 200, PLAIN }, 66.96, 0.8 },
    };

    double latency[ROWS(ROW)];

    for (size_t i = 0; i < ROWS(ROW); i++) {
        latency[i] = run(&ROW[i].s).latency;
        near("latency", i, latency[i], ROW[i].want, tolerance(ROW[i].allowed));
    }
    /* what not knowing how many there are costs: up to 1.6 times */
    near("best exponential / best window, 100", 2, latency[2] / latency[0], 1.44, tolerance(0.05));
    near("best exponential / best window, 1000", 3, latency[3] / latency[1], 1.57, tolerance(0.06));
}

/* ---- steady traffic ---- */

TEST(contention_steady_latency)
{
    static const setting NONE_95 = { LK_CONFLICT_FREE, "immediate", 1, 1000, 0, 0.95, 2e4, 100, STEADY };
    static const setting FULL_80 = { LK_CONFLICT_FREE, "full-jitter", 1, 1000, 0, 0.80, 2e4, 40, STEADY };

    near("latency", 0, run(&NONE_95).latency, 20, tolerance(1.4));
    near("latency", 1, run(&FULL_80).latency, 205.5, tolerance(11));
}

/* `share` of the runs, four binomial standard deviations (and one run) either way. */
static void near_share(const char *what, size_t row, unsigned got, unsigned runs, double share)
{
    double want = share * runs, allowed = 4 * sqrt(want * (1 - share)) + 1;

    near(what, row, got, want, allowed);
}

TEST(contention_steady_collapses)
{
    static const struct {
        lk_conflict conflict;
        const char *policy;
        double rate, share;
    } ROW[] = {
        { LK_CONFLICT_FREE, "immediate", 0.95, 0 },
        { LK_CONFLICT_FREE, "full-jitter", 0.80, 0 },
        { LK_CONFLICT_FREE, "full-jitter", 0.90, 12.8 / 20 },
        { LK_CONFLICT_COLLISIONS, "full-jitter", 0.10, 0 },
        { LK_CONFLICT_COLLISIONS, "full-jitter", 0.15, 15.8 / 20 },
        { LK_CONFLICT_COLLISIONS, "equal-jitter", 0.10, 0 },
        { LK_CONFLICT_COLLISIONS, "equal-jitter", 0.15, 14.7 / 20 },
        { LK_CONFLICT_COLLISIONS, "decorrelated-jitter", 0.15, 1 },
        { LK_CONFLICT_SHARED, "immediate", 0.10, 0.1 / 20 },
        { LK_CONFLICT_SHARED, "immediate", 0.15, 10.8 / 20 },
        { LK_CONFLICT_SHARED, "full-jitter", 0.15, 0.5 / 20 },
        { LK_CONFLICT_SHARED, "full-jitter", 0.20, 18.4 / 20 },
        { LK_CONFLICT_SHARED, "equal-jitter", 0.20, 16.4 / 20 },
        { LK_CONFLICT_SHARED, "decorrelated-jitter", 0.15, 0.1 / 20 },
        { LK_CONFLICT_SHARED, "decorrelated-jitter", 0.20, 13.0 / 20 },
    };

    for (size_t i = 0; i < ROWS(ROW); i++) {
        setting s = { ROW[i].conflict, ROW[i].policy, 1, 1000, 0, ROW[i].rate, 2e4, 40, STEADY };
        means m = run(&s);

        near_share("collapsed", i, m.collapsed, m.runs, ROW[i].share);
    }
}

/* ---- a burst on steady traffic ---- */

TEST(contention_bursts_drain)
{
    static const struct {
        lk_conflict conflict;
        const char *policy;
        unsigned burst;
        double cap, horizon;
        unsigned runs;
        double share;
    } ROW[] = {
        { LK_CONFLICT_COLLISIONS, "full-jitter", 300, 250, 6e4, 40, 0 },
        { LK_CONFLICT_COLLISIONS, "full-jitter", 300, 500, 6e4, 40, 0.993 },
        { LK_CONFLICT_COLLISIONS, "equal-jitter", 300, 250, 6e4, 40, 0.04 },
        { LK_CONFLICT_COLLISIONS, "equal-jitter", 300, 500, 6e4, 40, 1 },
        { LK_CONFLICT_COLLISIONS, "decorrelated-jitter", 300, 500, 6e4, 40, 0 },
        { LK_CONFLICT_COLLISIONS, "decorrelated-jitter", 300, 1000, 6e4, 40, 0.965 },
        { LK_CONFLICT_COLLISIONS, "full-jitter", 1000, 1000, 6e4, 20, 0 },
        { LK_CONFLICT_COLLISIONS, "full-jitter", 1000, 2000, 6e4, 20, 1 },
        { LK_CONFLICT_COLLISIONS, "equal-jitter", 1000, 1000, 6e4, 20, 0.94 },
        { LK_CONFLICT_COLLISIONS, "decorrelated-jitter", 1000, 4000, 3e5, 10, 0.25 },
        { LK_CONFLICT_COLLISIONS, "decorrelated-jitter", 1000, 8000, 3e5, 10, 1 },
        { LK_CONFLICT_SHARED, "equal-jitter", 300, 2000, 6e4, 40, 0.65 },
        { LK_CONFLICT_SHARED, "equal-jitter", 300, 4000, 6e4, 20, 1 },
        { LK_CONFLICT_SHARED, "full-jitter", 300, 4000, 6e4, 40, 0.665 },
        { LK_CONFLICT_SHARED, "full-jitter", 300, 8000, 6e4, 20, 1 },
        { LK_CONFLICT_SHARED, "decorrelated-jitter", 300, 8000, 6e4, 10, 0 },
    };

    for (size_t i = 0; i < ROWS(ROW); i++) {
        setting s = { ROW[i].conflict, ROW[i].policy, 1,     ROW[i].cap, ROW[i].burst,
                      0.05,            ROW[i].horizon, ROW[i].runs, BURST };
        means m = run(&s);

        near_share("drained", i, m.drained, m.runs, ROW[i].share);
    }
}

TEST(contention_drain_times)
{
    static const struct {
        setting s;
        double want, allowed;
    } ROW[] = {
        { { LK_CONFLICT_COLLISIONS, "full-jitter", 1, 1000, 300, 0.05, 6e4, 40, BURST }, 3785, 440 },
        { { LK_CONFLICT_COLLISIONS, "full-jitter", 1, 32000, 300, 0.05, 6e4, 40, BURST }, 11060, 2000 },
        { { LK_CONFLICT_COLLISIONS, "full-jitter", 1, 4000, 1000, 0.05, 6e4, 40, BURST }, 14930, 900 },
        { { LK_CONFLICT_COLLISIONS, "decorrelated-jitter", 1, 8000, 1000, 0.05, 3e5, 20, BURST }, 69500, 8500 },
        { { LK_CONFLICT_FREE, "immediate", 1, 1000, 1000, 0.02, 6e4, 40, BURST }, 1020, 5 },
        { { LK_CONFLICT_FREE, "full-jitter", 1, 100, 1000, 0.02, 6e4, 40, BURST }, 1257, 30 },
        { { LK_CONFLICT_FREE, "full-jitter", 1, 1000, 1000, 0.02, 6e4, 40, BURST }, 2715, 160 },
    };

    for (size_t i = 0; i < ROWS(ROW); i++)
        near("drain time", i, run(&ROW[i].s).drain_time, ROW[i].want, tolerance(ROW[i].allowed));
}

/* ---- the engine ---- */

static bool same(const lk_contention_result *a, const lk_contention_result *b)
{
    return a->arrivals == b->arrivals && a->attempts == b->attempts &&
           a->successes == b->successes && a->failures >= b->failures && a->most == b->most &&
           a->latency_sum == b->latency_sum && a->makespan == b->makespan &&
           a->drained == b->drained && a->collapsed == b->collapsed;
}

/* Every server, policy and rule: the wheel, the rings and the early verdicts change no bit. */
TEST(contention_agrees_with_a_plain_heap)
{
    static const char *const POLICY[] = { NULL, "immediate", "fixed", "exponential", "equal-jitter",
                                          "full-jitter", "decorrelated-jitter" };
    static const struct {
        double base, cap;
        unsigned burst;
        double rate, horizon;
        int rules;
    } WORLD[] = {
        { 1, 1000, 40, 0, 600, PLAIN },    { 1, 1000, 0, 0.3, 600, STEADY },
        { 1, NONE, 60, 0.05, 3e3, BURST }, { 0.25, 8, 60, 0.1, 600, BURST },
        { 7, 1e5, 3, 0.0005, 4e4, PLAIN }, /* beyond a turn of the wheel */
    };
    lk_contention *c;
    size_t sets = 0;

    check_ok(lk_contention_open(&c, &e), e);
    for (size_t p = 0; p < ROWS(POLICY); p++)
        for (size_t w = 0; w < ROWS(WORLD); w++)
            for (int conflict = LK_CONFLICT_COLLISIONS; conflict <= LK_CONFLICT_NONE; conflict++) {
                setting s = { (lk_conflict)conflict, POLICY[p], WORLD[w].base, WORLD[w].cap,
                              WORLD[w].burst, WORLD[w].rate,
                              WORLD[w].horizon, 1, PLAIN };
                lk_contention_options o;
                lk_contention_result fast, plain;
                lk_sampler policy;

                s.rules = WORLD[w].rules == STEADY ? STEADY
                          : WORLD[w].rules == BURST ? BURST : PLAIN;
                sampler_of(&s, &policy);
                o = options_of(&s, &policy);
                check_ok(lk_contention_run(c, &o, 7, p, &fast, &e), e);
                plain = heap_contention(&o, 7, p);
                check(same(&fast, &plain), "%s, policy %zu, world %zu: %.17g and %.17g, %u and %u",
                      LK_CONFLICT_NAMES[conflict], p, w, fast.latency_sum, plain.latency_sum,
                      (unsigned)fast.attempts, (unsigned)plain.attempts);
                sets++;
            }
    lk_contention_close(c);
    assert_int_equal(sets, 140);
}

static double none_or_one(void *context, unsigned retry, double previous_s, double asked_s, double u)
{
    (void)context;
    (void)retry;
    (void)previous_s;
    (void)asked_s;
    return u < 0.5 ? 0 : 1;
}

/* Two that sleep 0 or 1 end where the other starts as soon as they draw unlike: half of the rounds. */
TEST(contention_touching_ends_do_not_collide)
{
    lk_contention_options o = LK_CONTENTION_INIT;
    double attempts = 0;
    lk_sampler policy;
    lk_contention *c;
    enum { TRIALS = 400 };

    lk_sampler_init_callback(&policy, none_or_one, NULL);
    o.policy = &policy;
    o.burst = 2;
    o.horizon = 1000;
    check_ok(lk_contention_open(&c, &e), e);
    for (unsigned i = 0; i < TRIALS; i++) {
        lk_contention_result r;

        check_ok(lk_contention_run(c, &o, 1, i, &r, &e), e);
        assert_int_equal(r.successes, 2);
        attempts += (double)r.attempts / 2 / TRIALS;
    }
    near("attempts", 0, attempts, 3, 0.35);
    lk_contention_close(c);
}

TEST(contention_attempt_cap_lets_clients_go)
{
    static const setting S = { LK_CONFLICT_COLLISIONS, "exponential", 1, 1000, 50, 0, NONE, 1, PLAIN };
    lk_contention_options o;
    lk_contention_result r;
    lk_sampler policy;
    lk_contention *c;

    sampler_of(&S, &policy);
    o = options_of(&S, &policy);
    check_ok(lk_contention_open(&c, &e), e);
    assert_int_equal(lk_contention_run(c, &o, 1, 1, &r, &e), LK_EUSAGE); /* would never end */
    policy.params.attempts = 4;
    check_ok(lk_contention_run(c, &o, 1, 1, &r, &e), e);
    assert_int_equal(r.attempts, 200);
    assert_int_equal(r.left, 50);
    o.rate = 1;
    assert_int_equal(lk_contention_run(c, &o, 1, 1, &r, &e), LK_EUSAGE);
    o.horizon = -1;
    assert_int_equal(lk_contention_run(c, &o, 1, 1, &r, &e), LK_EUSAGE);
    lk_contention_close(c);
}

TESTS(T(contention_without_retries_has_the_known_goodput),
      T(contention_sharing_without_conflict_takes_1_over_1_minus_load),
      T(contention_free_and_at_once_takes_1_over_1_minus_load),
      T(contention_burst_without_jitter_is_exact), T(contention_classic_burst),
      T(contention_frontier_points), T(contention_steady_latency), T(contention_steady_collapses),
      T(contention_bursts_drain), T(contention_drain_times),
      T(contention_agrees_with_a_plain_heap),
      T(contention_touching_ends_do_not_collide), T(contention_attempt_cap_lets_clients_go))
