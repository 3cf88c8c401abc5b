#include "unit.h"

#include "base/random.h"
#include "base/time.h"
#include "infer/capacity.h"
#include "infer/limiter.h"

#include <math.h>
#include <string.h>

enum { HOPS_MAX = 40000, FROM_S = 1752580800 };

static lk_hop hops[HOPS_MAX];

typedef enum limit { BUCKET, WINDOW, CHANCE, NOTHING } limit;

/* Poisson arrivals at demand_per_s for span_s, in the first `wave` of each `every` seconds, against a
 * limit of rate_per_s. */
typedef struct plan {
    limit kind;
    double demand_per_s, rate_per_s, depth, window_s, phase_s, span_s, every_s, wave_s, grain_s;
} plan;

static lk_evidence make(const plan *p, uint64_t seed)
{
    double at = 0, tokens = p->depth, filled = 0, used = 0, window = -1;
    size_t n = 0;
    lk_random r;

    lk_random_init(&r, seed);
    for (;;) {
        bool rejected = false;

        at += lk_random_exponential(&r, 1 / p->demand_per_s);
        if (p->every_s > 0 && fmod(at, p->every_s) > p->wave_s)
            at = (floor(at / p->every_s) + 1) * p->every_s;
        if (at > p->span_s || n == HOPS_MAX)
            break;
        tokens = fmin(p->depth, tokens + p->rate_per_s * (at - filled));
        filled = at;
        if (floor((at - p->phase_s) / p->window_s) > window) {
            window = floor((at - p->phase_s) / p->window_s);
            used = 0;
        }
        if (p->kind == BUCKET)
            rejected = tokens < 1;
        else if (p->kind == WINDOW)
            rejected = used >= p->rate_per_s * p->window_s;
        else if (p->kind == CHANCE)
            rejected = lk_random_unit(&r) > p->rate_per_s / p->demand_per_s;
        tokens -= !rejected;
        used += !rejected;
        hops[n++] = (lk_hop){ .from_ns = (FROM_S + (int64_t)floor(at / p->grain_s) * 1) * LK_NS_PER_S,
                              .rejected = rejected, .population = 3 };
        if (p->grain_s < 1)
            hops[n - 1].from_ns = FROM_S * LK_NS_PER_S + (int64_t)(at * 1e9);
    }
    return (lk_evidence){ .hops = hops, .hop_count = n,
                          .resolution_ns = (int64_t)(p->grain_s * 1e9),
                          .first_ns = FROM_S * LK_NS_PER_S,
                          .last_ns = FROM_S * LK_NS_PER_S + (int64_t)(p->span_s * 1e9) };
}

static lk_limiter find(const plan *p, uint64_t seed)
{
    lk_evidence ev = make(p, seed);
    lk_limited of = { .population = 3, .from_ns = ev.first_ns, .to_ns = ev.last_ns };
    lk_limiter out;
    lk_arena scratch;
    lk_err e = { 0 };

    lk_arena_init(&scratch, 0);
    check_ok(lk_limiter_find(&ev, &of, &scratch, &out, &e), e);
    lk_arena_release(&scratch);
    return out;
}

TEST(limiter_tells_windows_from_buckets)
{
    static const struct {
        plan p;
        const char *kind;
        double window_s;
    } ROW[] = {
        { { WINDOW, 15, 10, 0, 60, 0, 900, 0, 0, 0.001 }, "fixed-window", 60 },
        { { WINDOW, 30, 10, 0, 10, 0, 300, 0, 0, 0.001 }, "fixed-window", 10 },
        { { WINDOW, 15, 10, 0, 60, 17, 1200, 0, 0, 0.001 }, "fixed-window", 60 },
        { { WINDOW, 15, 10, 0, 60, 0, 900, 0, 0, 1 }, "fixed-window", 60 },
        { { WINDOW, 3, 1, 0, 300, 0, 3600, 0, 0, 0.001 }, "fixed-window", 300 },
        { { BUCKET, 15, 10, 50, 60, 0, 600, 0, 0, 0.001 }, "token-bucket", 0 },
        { { BUCKET, 15, 10, 600, 60, 0, 900, 0, 0, 0.001 }, "token-bucket", 0 },
        { { BUCKET, 4, 1, 5, 60, 0, 900, 0, 0, 1 }, "token-bucket", 0 },
        { { BUCKET, 60, 2, 5, 60, 0, 1800, 60, 20, 0.001 }, "token-bucket", 0 },
        { { CHANCE, 15, 10, 0, 60, 0, 900, 0, 0, 0.001 }, NULL, 0 },
        { { NOTHING, 15, 10, 0, 60, 0, 900, 0, 0, 0.001 }, NULL, 0 },
        { { BUCKET, 300, 1, 60, 60, 0, 1200, 60, 2, 0.001 }, NULL, 0 }, /* waves that are over at */
        { { WINDOW, 300, 1, 0, 60, 0, 1200, 60, 2, 0.001 }, NULL, 0 },  /* once fit both          */
    };

    for (size_t i = 0; i < ROWS(ROW); i++) {
        lk_limiter l = find(&ROW[i].p, i + 1);

        check(l.kind == ROW[i].kind || (l.kind && ROW[i].kind && strcmp(l.kind, ROW[i].kind) == 0),
              "row %zu is %s of %g s", i, l.kind ? l.kind : "null", l.window_s);
        check(ROW[i].window_s > 0 ? l.window_s == ROW[i].window_s : isnan(l.window_s),
              "row %zu: %g s", i, l.window_s);
        if (l.kind)
            check(fabs(l.rate_per_s - ROW[i].p.rate_per_s) < 0.05 * ROW[i].p.rate_per_s &&
                      l.rate_low <= l.rate_per_s && l.rate_per_s <= l.rate_high,
                  "row %zu: %g/s, between %g and %g", i, l.rate_per_s, l.rate_low, l.rate_high);
    }
}

/* A wave of 300 a second for two seconds each minute, a bucket of 60: granted for a fifth of a second. */
TEST(limiter_sees_how_fast_a_wave_is_refused)
{
    plan p = { BUCKET, 300, 1, 60, 60, 0, 600, 60, 2, 0.001 };
    lk_evidence ev = make(&p, 7);
    lk_limited of = { .population = 3, .from_ns = ev.first_ns, .to_ns = ev.last_ns };
    lk_report_wave waves[8];
    lk_report_clock clock = { .kind = "retry", .period_s = 60, .wave_list = waves, .wave_count = 8 };
    double emptied_s, admitted;
    lk_arena scratch;
    lk_err e = { 0 };

    for (size_t i = 0; i < 8; i++)
        waves[i] = (lk_report_wave){ .start_ns = (FROM_S + 60 * (int64_t)(i + 1)) * LK_NS_PER_S,
                                     .arrivals = 600, .width_s = 2 };
    lk_arena_init(&scratch, 0);
    check_ok(lk_limiter_emptied(&ev, &of, &clock, &scratch, &emptied_s, &admitted, &e), e);
    check(fabs(emptied_s - 0.2) < 0.05, "%g s", emptied_s);
    check(fabs(admitted - 60) < 6, "%g", admitted);
    of.population = 4; /* nobody */
    check_ok(lk_limiter_emptied(&ev, &of, &clock, &scratch, &emptied_s, &admitted, &e), e);
    assert_true(isnan(emptied_s) && isnan(admitted));
    lk_arena_release(&scratch);
}

/* ---- capacity, from an account of seconds ---- */

enum { SECONDS = 900, BATCH = 1 };

static lk_period periods[SECONDS];
static const uint32_t POPULATIONS[] = { BATCH };

/* Each minute a wave of 200 in two seconds of which 60 are admitted; bystanders at 10/s of which a half
 * are refused in it and a tenth outside. */
static lk_evidence account(void)
{
    for (size_t i = 0; i < SECONDS; i++) {
        uint32_t batch = i % 60 < 2 ? 100 : 0, refused = i % 60 < 2 ? 5 : 1;

        periods[i] = (lk_period){
            .attempts = batch + 10, .rejected = (batch ? 70 : 0) + refused,
            .comebacks = batch, .of_population = { batch },
            .rejected_population = { batch ? 70 : 0 }, .comebacks_population = { batch },
            .served = 9, .served_ns = 9 * 50 * LK_NS_PER_MS,
            .refused = refused, .refused_ns = refused * 5 * LK_NS_PER_MS,
        };
    }
    return (lk_evidence){ .periods = periods, .period_count = SECONDS, .period_ns = LK_NS_PER_S,
                          .periods_from_ns = FROM_S * LK_NS_PER_S, .populations = POPULATIONS,
                          .population_count = 1, .resolution_ns = LK_NS_PER_MS,
                          .first_ns = FROM_S * LK_NS_PER_S,
                          .last_ns = (FROM_S + SECONDS) * LK_NS_PER_S };
}

static void infer(const lk_evidence *ev, const lk_symbols *symbols, double allowance_per_s,
                  lk_arena *arena, lk_report *r)
{
    lk_given_capacity given = { allowance_per_s, (double)NAN };
    lk_arena scratch;
    lk_err e = { 0 };

    lk_arena_init(&scratch, 0);
    check_ok(lk_infer_capacity(ev, symbols, &given, arena, &scratch, r, &e), e);
    lk_arena_release(&scratch);
}

static void with_symbols(lk_symbols *symbols)
{
    lk_err e = { 0 };
    uint32_t id;

    check_ok(lk_symbols_init(symbols, 1, &e), e);
    check_ok(lk_intern_id(&symbols->populations, lk_slice_from("web/1"), &id, &e), e);
    check_ok(lk_intern_id(&symbols->populations, lk_slice_from("batch/1"), &id, &e), e);
    assert_int_equal(id, BATCH);
}

TEST(capacity_is_that_of_those_who_come_in_waves)
{
    lk_report_wave waves[14];
    lk_report_clock clock = { .kind = "retry", .period_s = 60, .delay_s = 60, .population = "batch/1",
                              .survival_ratio = 1, .wave_list = waves, .wave_count = 14 };
    lk_evidence ev = account();
    lk_symbols symbols;
    lk_arena arena;
    lk_report r;

    for (size_t i = 0; i < 14; i++)
        waves[i] = (lk_report_wave){ .start_ns = (FROM_S + 60 * (int64_t)i) * LK_NS_PER_S,
                                     .arrivals = 200, .rejected = 140, .width_s = 1.9 };
    lk_arena_init(&arena, 0);
    lk_report_init(&r);
    with_symbols(&symbols);
    r.clocks = &clock;
    r.clock_count = 1;
    r.calls.source = "identity";
    r.calls.by_identity = true;
    infer(&ev, &symbols, (double)NAN, &arena, &r);
    assert_string_equal(r.capacity.population, "batch/1");
    assert_string_equal(r.capacity.source, "inferred");
    assert_float_equal(r.capacity.allowance_per_s, 1, 0.02);
    assert_float_equal(r.capacity.demand_per_s, 0, 0);
    assert_int_equal(r.overload, LK_NO);
    assert_float_equal(r.capacity.drain_s, 200, 5);
    assert_float_equal(r.capacity.failed_attempt_cost, 0.1, 1e-6);
    assert_float_equal(r.capacity.bystanders_in_waves, 0.5, 1e-6);
    assert_float_equal(r.capacity.bystanders_outside, 0.1, 0.001); /* the bins that a wave touches */
    assert_true(isnan(r.capacity.deficit_per_s));
    lk_symbols_release(&symbols);
    lk_arena_release(&arena);
}

/* All that comes is new work: 10/s and the batch against less. */
TEST(capacity_names_overload_and_its_deficit)
{
    static const struct { double allowance, demand; lk_known want; } ROW[] = {
        { 8, 10, LK_YES }, { 12, 10, LK_NO }, { 9.8, 10, LK_NOT_KNOWN },
    };

    for (size_t i = 0; i < ROWS(ROW); i++) {
        lk_evidence ev = account();
        lk_symbols symbols;
        lk_arena arena;
        lk_report r;

        for (size_t k = 0; k < SECONDS; k++)
            periods[k] = (lk_period){ .attempts = 10, .rejected = 3 };
        ev.population_count = 0;
        lk_arena_init(&arena, 0);
        lk_report_init(&r);
        with_symbols(&symbols);
        r.calls.source = "identity";
        r.calls.by_identity = true;
        infer(&ev, &symbols, ROW[i].allowance, &arena, &r);
        check(r.overload == ROW[i].want, "row %zu: %d", i, (int)r.overload);
        assert_float_equal(r.capacity.demand_per_s, 10, 1e-9);
        if (ROW[i].want == LK_YES) {
            assert_float_equal(r.capacity.deficit_per_s, 2, 1e-9);
            assert_float_equal(r.capacity.backlog, 1800, 1e-6);
            assert_true(isnan(r.capacity.drain_s)); /* it never drains */
        }
        lk_symbols_release(&symbols);
        lk_arena_release(&arena);
    }
}

TESTS(T(limiter_tells_windows_from_buckets), T(limiter_sees_how_fast_a_wave_is_refused),
      T(capacity_is_that_of_those_who_come_in_waves), T(capacity_names_overload_and_its_deficit))
