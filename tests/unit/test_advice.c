#include "unit.h"

#include "infer/advice.h"
#include "sample_report.h"

/* A report that needs no advice, with room for what a row changes in it. */
typedef struct calm {
    lk_report r;
    lk_report_clock clock;
    lk_report_wave wave;
    lk_report_policy policy;
    lk_report_crowd crowd;
    lk_report_amplification amplification;
    lk_report_asked asked;
    uint32_t first[240];
    double refused[240];
} calm;

static void calm_down(calm *c)
{
    *c = (calm){ .wave = { .arrivals = 400, .rejected = 300 },
                 .clock = { .kind = "retry", .period_s = 60, .delay_s = 48, .waves = 4, .wave_count = 1,
                            .population = "cli/1", .callers = 400 },
                 .policy = { .population = "cli/1", .layer = "sdk", .policy = "full-jitter", .callers = 400,
                             .comebacks = 2000, .base_s = 2, .cap_s = (double)NAN, .jitter = (double)NAN,
                             .support = 1 },
                 .crowd = { .population = "cli/1", .tasks = 400, .calls = 400, .attempts = 400, .failed = 20,
                            .rejected = 20, .success_mean_s = 0.2, .service_s = 0.1, .refusal_s = 0.1,
                            .admission = "token-bucket", .allowance_per_s = 10, .leave_share = (double)NAN,
                            .pool = LK_COUNT_NONE },
                 .amplification = { .population = "cli/1", .max = 3 },
                 .asked = { .value_s = 12 } };
    for (size_t i = 0; i < ROWS(c->first); i++)
        c->first[i] = i < 200 ? 2 : 0;
    c->clock.wave_list = &c->wave;
    c->crowd.first = c->first;
    lk_report_init(&c->r);
    c->r.synchronised = LK_NO;
    c->r.overload = LK_NO;
    c->r.http = (lk_report_http){ .requests = 4000, .attempts = 4000, .errors = 40, .rejected = 40,
                                  .rejected_share = 0.01 };
    c->r.wasted = (lk_report_wasted){ 0, 0, 0, 0, 0, 0.05 };
    c->r.capacity.source = "inferred";
    c->r.capacity.allowance_per_s = 10;
    c->r.policies = &c->policy;
    c->r.policy_count = 1;
    c->r.amplification = &c->amplification;
    c->r.amplification_count = 1;
    c->r.workload = (lk_report_workload){ .bin_s = 1, .n = ROWS(c->first), .crowds = &c->crowd, .count = 1 };
}

static void waves(calm *c)
{
    c->r.synchronised = LK_YES;
    c->r.clocks = &c->clock;
    c->r.clock_count = 1;
}

static void flag(calm *c, const char *name)
{
    c->policy.flags[c->policy.flag_count++] = name;
}

static void told_waves(calm *c)
{
    waves(c);
    c->r.retry_after.values = &c->asked;
    c->r.retry_after.value_count = 1;
}

static void fixed_waves(calm *c)
{
    waves(c);
    c->policy.policy = "fixed";
    c->policy.base_s = 5;
}

static void forked_waves(calm *c)
{
    waves(c);
    c->policy.base_s = (double)NAN;
    flag(c, "identical-draws");
}

static void endless(calm *c) { flag(c, "no-cap"); }
static void amplified(calm *c) { c->amplification.max = 27; }
static void many_retries(calm *c)
{
    c->r.wasted.retry_share = 0.6;
    c->r.http.rejected = 2000;
}
static void left(calm *c) { c->r.wasted.after_client_left = 40; }
static void too_late(calm *c)
{
    c->r.calls.success_p99_s = 300;
    c->r.calls.waiting_share = 0.9;
    c->r.http.rejected = 2000;
}
static void fan_out(calm *c)
{
    for (size_t i = 0; i < 200; i++)
        c->first[i] = i < 4 ? 100 : 0;
    c->crowd.failed = 900;
}
static void outage(calm *c)
{
    for (size_t i = 0; i < ROWS(c->refused); i++)
        c->refused[i] = i >= 50 && i < 150 ? 1 : 0;
    c->crowd.refused_share = c->refused;
    c->crowd.attempts = 900;
}
static void hopeless(calm *c) { flag(c, "retries-non-retryable"); }
static void wrong(calm *c) { c->r.wasted.non_retryable = 30; }
static void early(calm *c) { flag(c, "ignores-retry-after"); }
static void falls(calm *c) { flag(c, "regime-change"); }
static void begins_anew(calm *c) { flag(c, "attempt-counter-reset"); }
static void first_alike(calm *c) { flag(c, "no-jitter-on-first"); }
static void cheap(calm *c)
{
    c->r.calls.waiting_share = 0.9;
    c->crowd.admission = "share";
    c->crowd.refusal_s = 0.001;
    c->crowd.service_s = 1;
    c->crowd.success_mean_s = 20;
}
static void crowd(calm *c)
{
    c->policy.policy = "decorrelated-jitter";
    c->r.http.rejected_share = 0.6;
}

static void overloaded(calm *c)
{
    c->r.overload = LK_YES;
    c->r.capacity.allowance_per_s = 4000.0 / 60;
    c->r.capacity.demand_per_s = 8000.0 / 60;
    c->r.capacity.backlog = 40000;
}

static const lk_report_advice *find(const lk_report *r, const char *action)
{
    for (size_t i = 0; i < r->advice_count; i++)
        if (strcmp(r->advice[i].action, action) == 0)
            return &r->advice[i];
    return NULL;
}

TEST(advice_follows_from_what_was_seen)
{
    static const struct {
        void (*make)(calm *c);
        const char *action;
        double value; /* NAN = none */
        const char *says;
    } ROW[] = {
        { told_waves, "bound-concurrency", 120, "10 x 12 = 120" },
        { fixed_waves, "bound-concurrency", 50, "10 x 5 = 50" },
        { waves, "bound-concurrency", 480, "waits 48 s" },
        { fixed_waves, "jitter", 40, "400 / 10" },
        { forked_waves, "jitter", 40, "seed of its own" },
        { endless, "cap-attempts", 4, "without a bound" },
        { amplified, "cap-attempts", 4, "27 requests" },
        { many_retries, "retry-budget", 0.1, "60 %" },
        { left, "deadline", (double)NAN, "40 attempts" },
        { too_late, "deadline", 60, "300 s" },
        { fan_out, "jitter-first-attempt", 40, "within 2 s" },
        { outage, "breaker", 5, "for 100 s" },
        { hopeless, "do-not-retry", (double)NAN, "cannot succeed" },
        { wrong, "do-not-retry", (double)NAN, "30 attempts" },
        { early, "honour-retry-after", (double)NAN, "before the time" },
        { falls, "fix-backoff", (double)NAN, "falls to nothing" },
        { begins_anew, "fix-backoff", (double)NAN, "counter" },
        { first_alike, "jitter-first-retry", (double)NAN, "first retry" },
        { cheap, "back-off-less", (double)NAN, "0.001 s" },
        { crowd, "full-jitter", (double)NAN, "decorrelated" },
        { overloaded, "move-load", 4000, "to 40000" },
    };
    static calm c;

    for (size_t i = 0; i < ROWS(ROW); i++) {
        const lk_report_advice *a;
        lk_arena arena;
        lk_err e = { 0 };

        calm_down(&c);
        ROW[i].make(&c);
        lk_arena_init(&arena, 0);
        check_ok(lk_infer_advice(&arena, &c.r, &e), e);
        a = find(&c.r, ROW[i].action);
        check(a && strstr(a->why, ROW[i].says), "row %zu: no %s that says '%s': %s", i, ROW[i].action,
              ROW[i].says, a ? a->why : "none");
        if (a)
            check(isnan(ROW[i].value) ? isnan(a->value) : fabs(a->value - ROW[i].value) < 1e-9,
                  "row %zu: %g", i, a->value);
        lk_arena_release(&arena);
    }
}

TEST(advice_is_none_where_nothing_speaks_for_it)
{
    static calm c;
    lk_arena arena;
    lk_err e = { 0 };

    calm_down(&c);
    lk_arena_init(&arena, 0);
    check_ok(lk_infer_advice(&arena, &c.r, &e), e);
    check(c.r.advice_count == 0, "%s", c.r.advice_count ? c.r.advice[0].why : "");
    lk_arena_release(&arena);
}

/* The order of what to do: what holds back, what spreads, what cuts, what is left. */
TEST(advice_stands_in_its_order)
{
    static const char *const ORDER[] = { "bound-concurrency", "jitter", "cap-attempts", "retry-budget",
                                         "deadline", "jitter-first-attempt", "breaker", "do-not-retry" };
    static calm c;
    lk_arena arena;
    lk_err e = { 0 };

    calm_down(&c);
    fixed_waves(&c);
    amplified(&c);
    many_retries(&c);
    left(&c);
    fan_out(&c);
    outage(&c);
    wrong(&c);
    lk_arena_init(&arena, 0);
    check_ok(lk_infer_advice(&arena, &c.r, &e), e);
    assert_int_equal(c.r.advice_count, ROWS(ORDER));
    for (size_t i = 0; i < ROWS(ORDER) && i < c.r.advice_count; i++)
        assert_string_equal(c.r.advice[i].action, ORDER[i]);
    lk_arena_release(&arena);
}

TESTS(T(advice_follows_from_what_was_seen), T(advice_is_none_where_nothing_speaks_for_it),
      T(advice_stands_in_its_order))
