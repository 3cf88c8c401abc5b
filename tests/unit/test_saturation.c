/* The incident of S1 and the outage of S3 as a saturation: long-run values of independent prototypes
 * with their standard deviations per run; tolerances are four standard errors, and a rounding.  */
#include "unit.h"

#include "base/xoshiro.h"
#include "sim/saturation.h"

#include <math.h>
#include <stdlib.h>

#define NONE ((double)INFINITY)

static lk_err e;

typedef struct callers {
    lk_sampler sampler;
    double at_s[10000];
} callers;

/* Starts spread uniformly over width_s, their retries by the policy typed. */
static void gather(callers *c, size_t count, double width_s, const char *policy,
                   lk_policy_params params, uint64_t run)
{
    lk_policy_choice choice = { NULL, params };
    lk_xoshiro x;

    check_ok(lk_policy_parse(lk_slice_from(policy), &choice, &e), e);
    lk_sampler_init(&c->sampler, choice.policy, &choice.params);
    lk_xoshiro_init(&x, 99, run);
    for (size_t i = 0; i < count; i++)
        c->at_s[i] = width_s * lk_xoshiro_unit(&x);
}

static void near(const char *what, size_t row, double got, double want, double allowed)
{
    check(fabs(got - want) <= allowed, "%s, row %zu: %.6g is not %.6g +- %.3g", what, row, got, want,
          allowed);
}

/* Requests of a run are at least its calls, those its tasks; nothing is lost on the way. */
static void check_conservation(const lk_saturation_result *r)
{
    uint64_t requests = 0, bins = 0;

    for (size_t i = 0; i < r->population_count; i++) {
        const lk_population_result *p = &r->populations[i];

        check(p->requests >= p->calls && p->calls >= p->done + p->lost + p->left, "layers multiply");
        check(p->tasks == p->done + p->lost + p->left + p->open, "tasks are conserved");
        check(p->requests - p->refused >= p->done && p->requests - p->refused <= p->done + p->open,
              "what was not refused was served");
        requests += p->requests;
    }
    for (size_t i = 0; i < r->bin_count; i++)
        bins += r->bins[i];
    check(requests == r->requests && bins == r->requests, "requests are conserved");
}

/* ---- S1 ---- */

typedef struct incident {
    const char *policy;
    lk_quota_kind quota;
    double initial, leave;
    unsigned queue_attempts, concurrency;
    double pace;
} incident;

typedef struct sums {
    double requests, refused, done, drain_min, bystanders;
} sums;

static sums run_incident(const incident *i, unsigned runs)
{
    static callers c;
    sums s = { 0 };

    for (uint64_t run = 0; run < runs; run++) {
        lk_population p[2] = { LK_POPULATION_INIT, LK_POPULATION_INIT };
        lk_saturation_options o = LK_SATURATION_INIT;
        lk_saturation_result r;

        gather(&c, 1180, 2, i->policy, (lk_policy_params)LK_POLICY_PARAMS_INIT, run);
        p[0].at_s = c.at_s;
        p[0].count = 1180;
        p[0].cost = 28000;
        p[0].policy = &c.sampler;
        p[0].requeue_s = 60;
        p[0].queue_attempts = i->queue_attempts;
        p[0].leave_share = i->leave;
        p[0].concurrency = i->concurrency;
        p[0].pace_s = i->pace;
        p[1].rate_per_s = 4;
        p[1].cost = 1200;
        o.populations = p;
        o.population_count = 2;
        o.server.quota = i->quota;
        o.server.allowance_per_s = 2e6 / 60;
        o.server.depth = 2e6;
        o.server.initial = i->initial;
        o.server.retry_after_s = 12;
        check_ok(lk_saturation_run(&o, 20260101, run, &r, &e), e);
        check_conservation(&r);
        s.requests += (double)r.populations[0].requests / runs;
        s.refused += (double)r.populations[0].refused / (double)r.populations[0].requests / runs;
        s.done += (double)r.populations[0].done / runs;
        s.drain_min += r.populations[0].last_done_s / 60 / runs;
        s.bystanders += (double)r.populations[1].refused / (double)r.populations[1].requests / runs;
        lk_saturation_release(&r);
    }
    return s;
}

TEST(saturation_is_the_incident_of_the_chapter)
{
    static const struct {
        incident i;
        double requests, sd, refused, done, done_sd, drain_min, bystanders;
    } ROW[] = {
        { { "retry-after-exact:attempts=3", LK_QUOTA_BUCKET, 0, 0, 0, 0, 0 }, 26781, 73, 0.956, 1180, 0, 19.6, 0.002 },
        { { "retry-after-exact:attempts=3", LK_QUOTA_BUCKET, -1, 0, 0, 0, 0 }, 23837, 65, 0.950, 1180, 0, 18.2, 0.001 },
        { { "immediate:attempts=3", LK_QUOTA_BUCKET, -1, 0, 0, 0, 0 }, 32906, 98, 0.964, 1180, 0, 19.0, 0.001 },
        { { "immediate:attempts=3", LK_QUOTA_WINDOW, -1, 0, 0, 0, 0 }, 28856, 6, 0.959, 1180, 0, 16.0, 0.953 },
        { { "immediate:attempts=3", LK_QUOTA_WINDOW, -1, 0.26, 0, 0, 0 }, 8879, 197, 0.951, 452, 14, 6.0, 0.951 },
        { { "none", LK_QUOTA_BUCKET, 1712000, 0, 0, 0, 0 }, 11950, 33, 0.901, 1180, 0, 19.0, 0.001 },
        { { "percent-jitter:base=12,factor=1,jitter=0.1,attempts=3", LK_QUOTA_BUCKET, -1, 0, 0, 0, 0 }, 23629, 70, 0.950, 1180, 0, 18.3, 0.006 },
        { { "retry-after-jitter:cap=12,attempts=4", LK_QUOTA_BUCKET, -1, 0, 3, 0, 0 }, 11812, 9, 0.967, 388, 4, 5.2, 0.015 },
        { { "retry-after-jitter:cap=12,attempts=4", LK_QUOTA_BUCKET, -1, 0, 0, 12, 0 }, 1913, 6, 0.383, 1180, 0, 18.35, 0.001 },
        { { "retry-after-jitter:cap=12,attempts=4", LK_QUOTA_BUCKET, -1, 0, 0, 0, 1160.0 / 1180 }, 1180, 0, 0, 1180, 0, 19.3, 0 },
    };
    const unsigned runs = 4; /* the bounds are for so many: no fewer under sanitizers */

    for (size_t i = 0; i < ROWS(ROW); i++) {
        sums s = run_incident(&ROW[i].i, runs);

        near("requests", i, s.requests, ROW[i].requests, 4 * ROW[i].sd / sqrt(runs) + 1);
        near("refused share", i, s.refused, ROW[i].refused, 0.004);
        near("done", i, s.done, ROW[i].done, 4 * ROW[i].done_sd / sqrt(runs) + 1);
        near("drain", i, s.drain_min, ROW[i].drain_min, 0.1);
        near("bystanders", i, s.bystanders, ROW[i].bystanders, 0.01);
    }
}

/* ---- S3 ---- */

typedef struct outage {
    const char *policy;
    double capacity, budget, budget_per_s, budget_per_success;
} outage;

typedef struct outage_sums {
    double in_outage, at_recovery, t99_s, mean_s, wasted, delivered;
} outage_sums;

static outage_sums run_outage(const outage *i, unsigned runs)
{
    static callers c;
    outage_sums s = { 0 };
    bool immediate = strcmp(i->policy, "immediate") == 0;

    for (uint64_t run = 0; run < runs; run++) {
        lk_population p = LK_POPULATION_INIT;
        lk_saturation_options o = LK_SATURATION_INIT;
        lk_saturation_result r;
        const lk_population_result *q;
        double rtt = immediate ? 1 / 4.1 : 0.2;

        gather(&c, 10000, immediate ? rtt : 0.05, i->policy, (lk_policy_params){ 0.2, 2, 30, 0.1, 0 }, run);
        p.at_s = c.at_s;
        p.count = 10000;
        p.policy = &c.sampler;
        p.budget = i->budget;
        p.budget_per_s = i->budget_per_s;
        p.budget_per_success = i->budget_per_success;
        o.populations = &p;
        o.population_count = 1;
        o.server.down_until_s = 20;
        o.server.refusal_s = rtt;
        o.server.quota = i->capacity > 0 ? LK_QUOTA_BUCKET : LK_QUOTA_NONE;
        o.server.allowance_per_s = o.server.depth = i->capacity;
        check_ok(lk_saturation_run(&o, 20260101, run, &r, &e), e);
        check_conservation(&r);
        q = &r.populations[0];
        s.in_outage += lk_saturation_peak_per_s(&r, r.retry_bins, 0, 20) / runs;
        s.at_recovery += lk_saturation_peak_per_s(&r, r.retry_bins, 20, 1e9) / runs;
        s.t99_s += (q->done >= 9900 ? q->done_s[9899] : 0) / runs;
        s.mean_s += (q->done ? q->took_mean_s : 0) / runs;
        s.wasted += (double)q->refused_in_outage / runs;
        s.delivered += (double)q->done / runs;
        lk_saturation_release(&r);
    }
    return s;
}

TEST(saturation_is_the_outage_of_the_webhooks)
{
    static const struct {
        outage o;
        double in_outage, at_recovery, t99_s, mean_s, wasted, delivered;
    } ROW[] = {
        { { "exponential", 0, 0, 0, 0 }, 10000, 10000, 26.85, 26.8, 70000, 10000 },
        { { "equal-jitter", 0, 0, 0, 0 }, 19790, 1574, 44.5, 28.7, 74250, 10000 },
        { { "full-jitter", 0, 0, 0, 0 }, 21190, 831, 46.3, 29.9, 81710, 10000 },
        { { "decorrelated-jitter", 0, 0, 0, 0 }, 10700, 1914, 42.5, 25.2, 99470, 10000 },
        { { "immediate", 0, 0, 0, 0 }, 41000, 10000, 20.24, 20, 820000, 10000 },
        { { "exponential", 1500, 0, 0, 0 }, 10000, 10000, 204, 106, 70000, 10000 },
        { { "full-jitter", 1500, 0, 0, 0 }, 21190, 831, 46.3, 29.9, 81710, 10000 },
        { { "full-jitter", 0, 1000, 300, 0 }, 1239, 300, 53.0, 36.6, 16939, 10000 },
        { { "full-jitter", 0, 1000, 300, 2 }, 1239, 9985, 20.6, 20.1, 16939, 10000 },
        { { "full-jitter:attempts=4", 0, 0, 0, 0 }, 21190, 0, 0, 0, 40000, 0 }, /* the study's own numbers */
    };
    const unsigned runs = 2;

    for (size_t i = 0; i < ROWS(ROW); i++) {
        outage_sums s = run_outage(&ROW[i].o, runs);

        near("peak in the outage", i, s.in_outage, ROW[i].in_outage, 0.02 * ROW[i].in_outage + 1);
        near("peak at recovery", i, s.at_recovery, ROW[i].at_recovery, 0.06 * ROW[i].at_recovery + 1);
        near("99 % delivered", i, s.t99_s, ROW[i].t99_s, 0.5);
        near("mean delay", i, s.mean_s, ROW[i].mean_s, 0.5);
        near("wasted", i, s.wasted, ROW[i].wasted, 0.005 * ROW[i].wasted + 1);
        near("delivered", i, s.delivered, ROW[i].delivered, 0.5);
    }
}

/* ---- each means ---- */

static lk_saturation_result run_one(lk_population *p, const lk_server_options *server, double span_s)
{
    lk_saturation_options o = LK_SATURATION_INIT;
    lk_saturation_result r;

    o.populations = p;
    o.population_count = 1;
    o.server = *server;
    o.span_s = span_s;
    check_ok(lk_saturation_run(&o, 1, 1, &r, &e), e);
    check_conservation(&r);
    return r;
}

/* 100 callers of an endpoint that stays down for 100 s, a retry a second. */
static lk_saturation_result run_down(lk_population *p, const char *policy)
{
    static callers c;
    lk_server_options server = LK_SERVER_INIT;

    gather(&c, 100, 0, policy, (lk_policy_params)LK_POLICY_PARAMS_INIT, 1);
    server.down_until_s = 100;
    p->at_s = c.at_s;
    p->count = 100;
    p->policy = &c.sampler;
    return run_one(p, &server, 1000);
}

TEST(saturation_callers_keep_their_bounds)
{
    lk_population p = LK_POPULATION_INIT;
    lk_saturation_result r = run_down(&p, "fixed:base=1,attempts=4");

    assert_int_equal(r.requests, 400);
    assert_int_equal(r.populations[0].lost, 100);
    lk_saturation_release(&r);

    p.deadline_s = 10.5; /* attempts at 0, 1 ... 10 */
    r = run_down(&p, "fixed:base=1");
    assert_int_equal(r.requests, 1100);
    lk_saturation_release(&r);

    p = (lk_population)LK_POPULATION_INIT;
    p.requeue_s = 30; /* two attempts at 0, 1; 31, 32; 62, 63 */
    p.queue_attempts = 3;
    r = run_down(&p, "fixed:base=1,attempts=2");
    assert_int_equal(r.requests, 600);
    assert_int_equal(r.populations[0].calls, 300);
    assert_int_equal(r.populations[0].failed_calls, 300);
    assert_int_equal(r.populations[0].calls_by_no[2], 100);
    lk_saturation_release(&r);

    p = (lk_population)LK_POPULATION_INIT;
    p.leave_share = 1;
    r = run_down(&p, "fixed:base=1,attempts=2");
    assert_int_equal(r.populations[0].left, 100);
    lk_saturation_release(&r);
}

/* An open breaker sends one attempt in open_s; without jitter the herd half-opens as one. */
TEST(saturation_breaker_half_opens_in_step_unless_jittered)
{
    lk_population p = LK_POPULATION_INIT;
    lk_saturation_result r;
    double herd;

    p.breaker_trips = 3;
    p.breaker_open_s = 20;
    r = run_down(&p, "fixed:base=1"); /* 0, 1, 2, 22, 42, 62, 82, 102 */
    assert_int_equal(r.requests, 800);
    herd = lk_saturation_peak_per_s(&r, r.bins, 90, 200);
    check(herd == 100, "%g come back at once", herd);
    lk_saturation_release(&r);
    p.breaker_jitter_s = 20;
    r = run_down(&p, "fixed:base=1");
    check(lk_saturation_peak_per_s(&r, r.bins, 90, 200) < 30, "jitter spreads them");
    lk_saturation_release(&r);
}

TEST(saturation_server_asks_and_limits)
{
    static callers c;
    lk_population p = LK_POPULATION_INIT;
    lk_server_options server = LK_SERVER_INIT;
    lk_saturation_result r;

    gather(&c, 100, 0, "retry-after-exact", (lk_policy_params)LK_POLICY_PARAMS_INIT, 1);
    p.at_s = c.at_s;
    p.count = 100;
    p.policy = &c.sampler;
    server.in_service_max = 10; /* ten at a time, 1 s each, told to come back in 2 s */
    server.service_s = 1;
    server.retry_after_s = 2;
    r = run_one(&p, &server, 1000);
    assert_int_equal(r.populations[0].done, 100);
    assert_int_equal(r.requests, 100 + 90 + 80 + 70 + 60 + 50 + 40 + 30 + 20 + 10);
    check(fabs(r.populations[0].last_done_s - 19) < 1e-9, "%g", r.populations[0].last_done_s);
    lk_saturation_release(&r);

    p.retry_after_most_s = 1; /* clamped: the next wave finds the ten still there, or just gone */
    r = run_one(&p, &server, 1000);
    check(r.populations[0].last_done_s < 19, "%g", r.populations[0].last_done_s);
    lk_saturation_release(&r);

    server = (lk_server_options)LK_SERVER_INIT; /* refused requests draw on the request rate too */
    server.quota = LK_QUOTA_BUCKET;
    server.allowance_per_s = 1;
    server.depth = 50;
    server.requests_per_s = 1;
    server.requests_depth = 20;
    server.retry_after_s = 10;
    r = run_one(&p, &server, 5);
    assert_int_equal(r.populations[0].done, 20 + 1 + 1 + 1 + 1 + 1);
    lk_saturation_release(&r);
}

/* A hundred at once, one a second admitted: a limit of two keeps nearly all refusals away; one that
 * adapts finds it by itself. */
TEST(saturation_concurrency_limit_bounds_the_wave)
{
    static callers c;
    lk_population p = LK_POPULATION_INIT;
    lk_server_options server = LK_SERVER_INIT;
    lk_saturation_result r;
    uint64_t unbounded, fixed;

    gather(&c, 100, 0, "fixed:base=1", (lk_policy_params)LK_POLICY_PARAMS_INIT, 1);
    p.at_s = c.at_s;
    p.count = 100;
    p.policy = &c.sampler;
    server.quota = LK_QUOTA_BUCKET;
    server.allowance_per_s = server.depth = 1;
    server.service_s = server.refusal_s = 0.1;
    r = run_one(&p, &server, 1000);
    unbounded = r.requests;
    lk_saturation_release(&r);
    p.concurrency = 2;
    r = run_one(&p, &server, 1000);
    fixed = r.requests;
    check(fixed < unbounded / 3, "%u and %u requests", (unsigned)fixed, (unsigned)unbounded);
    assert_int_equal(r.populations[0].done, 100);
    lk_saturation_release(&r);
    p.concurrency = 20;
    p.adaptive = true;
    r = run_one(&p, &server, 1000);
    check(r.requests < unbounded / 2, "%u and %u requests", (unsigned)r.requests, (unsigned)unbounded);
    assert_int_equal(r.populations[0].done, 100);
    lk_saturation_release(&r);
}

TEST(saturation_refuses_what_never_ends)
{
    static callers c;
    lk_population p = LK_POPULATION_INIT;
    lk_saturation_options o = LK_SATURATION_INIT;
    lk_saturation_result r;

    gather(&c, 10, 0, "immediate", (lk_policy_params)LK_POLICY_PARAMS_INIT, 1);
    p.at_s = c.at_s;
    p.count = 10;
    p.policy = &c.sampler;
    o.populations = &p;
    assert_int_equal(lk_saturation_run(&o, 1, 1, &r, &e), LK_EUSAGE); /* no callers */
    o.population_count = 1;
    assert_int_equal(lk_saturation_run(&o, 1, 1, &r, &e), LK_EUSAGE); /* at once, for ever */
    o.server.refusal_s = 0.001;
    o.server.quota = LK_QUOTA_ZERO;
    o.requests_max = 1000;
    assert_int_equal(lk_saturation_run(&o, 1, 1, &r, &e), LK_EUSAGE); /* too many */
    p.budget = 1; /* what it puts off counts, and never comes back at once */
    assert_int_equal(lk_saturation_run(&o, 1, 1, &r, &e), LK_EUSAGE);
    o.span_s = -1;
    assert_int_equal(lk_saturation_run(&o, 1, 1, &r, &e), LK_EUSAGE);
}

TESTS(T(saturation_is_the_incident_of_the_chapter), T(saturation_is_the_outage_of_the_webhooks),
      T(saturation_callers_keep_their_bounds),
      T(saturation_breaker_half_opens_in_step_unless_jittered), T(saturation_server_asks_and_limits),
      T(saturation_concurrency_limit_bounds_the_wave), T(saturation_refuses_what_never_ends))
