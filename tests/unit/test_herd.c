#include "infer_world.h"

#include "infer/attribute.h"
#include "infer/delays.h"
#include "infer/rounds.h"

static lk_err e;
static lk_arena a, scratch;
static world w;
static lk_strides s;
static lk_delays delays;
static lk_evidence ev;

static void open_world(uint64_t seed, double resolution_s)
{
    world_open(&w, seed, resolution_s);
    lk_arena_init(&a, 0);
    lk_arena_init(&scratch, 0);
}

static void find(void)
{
    lk_delay_search how = { .ln_trials = 2.0, .ln_threshold = -8.5 };

    ev = world_evidence(&w);
    how.span_s = (double)(ev.last_ns - ev.first_ns) * 1e-9;
    check_ok(lk_strides_new(&ev, &a, &scratch, &s, &e), e);
    check_ok(lk_delays_find(&s, &how, &a, &scratch, &delays, &e), e);
    check(scratch.used == 0, "%zu bytes of scratch are left", scratch.used);
}

static void drop(void)
{
    world_close(&w);
    lk_arena_release(&a);
    lk_arena_release(&scratch);
}

static lk_rounds rounds_of(const lk_herd *h)
{
    lk_frame frame = { .resolution_s = w.resolution_s,
                       .end_s = (double)(ev.last_ns - ev.first_ns) * 1e-9 };
    lk_rounds_frame in = { &s, &frame, &a, &scratch };
    lk_rounds r;

    check_ok(lk_rounds_find(h, &in, &r, &e), e);
    return r;
}

static world_herd herd_of(const double *delay_s, size_t n)
{
    return (world_herd){ .first_caller = 10,
                         .callers = 120,
                         .population = 2,
                         .trigger_s = 200,
                         .spread_s = 1,
                         .delay_s = delay_s,
                         .delays = n,
                         .service_s = 0.02,
                         .leave = 0.15,
                         .end_s = 900 };
}

static const struct {
    double delay_s, jitter, resolution_s, leave;
} HERDS[] = {
    { 10.0, 0.0, 0.001, 0.15 }, { 10.0, 0.0, 1.0, 0.15 },  { 37.0, 0.05, 0.001, 0.1 },
    { 60.0, 0.1, 1.0, 0.1 },    { 2.0, 0.0, 0.001, 0.15 }, { 90.0, 0.0, 1.0, 0.0 },
};

TEST(herd_delay_is_the_period)
{
    for (size_t i = 0; i < ROWS(HERDS); i++) {
        world_herd h = herd_of(&HERDS[i].delay_s, 1);
        const lk_delay *d;
        lk_rounds r;

        open_world(i + 1, HERDS[i].resolution_s);
        h.jitter = HERDS[i].jitter;
        h.leave = HERDS[i].leave;
        world_poisson(&w, 6, 900, 200, 0.02);
        world_herd_run(&w, &h);
        find();
        check(delays.count > 0, "row %zu", i);
        d = &delays.item[0];
        check(d->synchronised && d->answer.cause == LK_CAUSE_RETRY, "row %zu", i);
        check(!d->herd.is_cycle && fabs(d->herd.period_s / (HERDS[i].delay_s + 0.02) - 1.0) < 0.01,
              "row %zu: period %f", i, d->herd.period_s);
        check(fabs(d->herd.delay_s / HERDS[i].delay_s - 1.0) < 0.01, "row %zu: delay %f", i,
              d->herd.delay_s);
        check(d->herd.callers >= 100 && d->herd.callers <= 140, "row %zu: %zu callers", i,
              d->herd.callers);
        r = rounds_of(&d->herd);
        check(r.waves.count >= 4, "row %zu: %zu waves", i, r.waves.count);
        check(fabs(r.waves.survival - (1.0 - HERDS[i].leave)) < 0.05, "row %zu: survival %f", i,
              r.waves.survival);
        check(fabs(r.origin_from_s - 200.0) < 3.0, "row %zu: trigger at %f", i, r.origin_from_s);
        drop();
    }
}

/* 12 + 12 + 36: the waits of 12 s repeat, the third wait makes a cycle of 60 s. */
TEST(herd_of_nested_delays_has_a_cycle)
{
    static const double DELAYS[] = { 12.0, 12.0, 36.0 };
    static const double RESOLUTIONS[] = { 0.001, 1.0 };

    for (size_t i = 0; i < ROWS(RESOLUTIONS); i++) {
        world_herd h = herd_of(DELAYS, ROWS(DELAYS));
        bool inner = false, outer = false;

        open_world(21 + i, RESOLUTIONS[i]);
        h.leave = 0.08;
        world_poisson(&w, 6, 900, 200, 0.02);
        world_herd_run(&w, &h);
        find();
        for (size_t d = 0; d < delays.count; d++) {
            const lk_herd *g = &delays.item[d].herd;

            check(delays.item[d].synchronised, "delay %f", g->delay_s);
            inner |= !g->is_cycle && fabs(g->period_s - 12.02) < 0.1;
            outer |=
                g->is_cycle && fabs(g->period_s - 60.06) < 0.3 && fabs(g->delay_s - 36.0) < 0.2;
        }
        check(inner && outer, "resolution %g: %zu delays", RESOLUTIONS[i], delays.count);
        drop();
    }
}

/* 1, 2, 4, 8, 16 s: each is together, none comes again. */
TEST(herd_of_doubling_delays_has_no_period)
{
    static const double DELAYS[] = { 2.0, 4.0, 8.0, 16.0, 32.0, 1e6 };
    world_herd h = herd_of(DELAYS, ROWS(DELAYS));

    open_world(5, 0.001);
    h.leave = 0.0;
    world_poisson(&w, 6, 900, 200, 0.0);
    world_herd_run(&w, &h);
    find();
    assert_int_equal(delays.count, 5);
    for (size_t d = 0; d < delays.count; d++)
        check(delays.item[d].synchronised && isnan(delays.item[d].herd.period_s), "delay %f",
              delays.item[d].herd.delay_s);
    drop();
}

/* Each failure its own coin toss: the constant is there, the herd is not. */
TEST(herd_of_lone_failures_is_not_together)
{
    open_world(6, 0.001);
    world_poisson(&w, 10, 900, 300, 0.0);
    for (uint32_t c = 0; c < 400; c++) {
        double at = world_uniform(&w, 0, 850);

        world_add(&w, at, 0.02, 10 + c, 2, true);
        world_add(&w, at + 10.02, 0.02, 10 + c, 2, false);
    }
    find();
    assert_int_equal(delays.count, 1);
    check(!delays.item[0].synchronised, "ln sync %f, resultant %f", delays.item[0].herd.ln_sync,
          delays.item[0].herd.resultant);
    check(fabs(delays.item[0].herd.delay_s - 10.0) < 0.01, "%f", delays.item[0].herd.delay_s);
    drop();
}

/* A cron line whose calls are refused steps on after answers just the same. */
TEST(attribute_tells_schedules_from_retries)
{
    open_world(7, 0.001);
    world_poisson(&w, 10, 900, 300, 0.0);
    for (uint32_t c = 0; c < 80; c++) {
        double phase = world_uniform(&w, 0, 2);

        for (int k = 0; k < 15; k++)
            world_add(&w, 60.0 * k + phase, 0.02, 10 + c, 2, lk_random_unit(&w.random) < 0.5);
    }
    find();
    check(delays.count > 0, "a constant");
    for (size_t d = 0; d < delays.count; d++)
        check(delays.item[d].answer.cause == LK_CAUSE_SCHEDULE, "delay %f: cause %d, %f and %f",
              delays.item[d].herd.delay_s, (int)delays.item[d].answer.cause,
              delays.item[d].answer.after_failure, delays.item[d].answer.after_answer);
    drop();
}

/* Three callers are no herd, whatever they do. */
TEST(herd_wants_callers)
{
    static const double DELAY = 30.0;
    world_herd h = herd_of(&DELAY, 1);

    open_world(8, 0.001);
    h.callers = 3;
    h.leave = 0.0;
    world_poisson(&w, 10, 900, 300, 0.0);
    world_herd_run(&w, &h);
    find();
    assert_int_equal(delays.count, 0);
    drop();
}

TEST(herd_reports_no_memory)
{
    static const double DELAY = 30.0;
    world_herd h = herd_of(&DELAY, 1);
    lk_delay_search how = { .span_s = 900.0, .ln_trials = 2.0, .ln_threshold = -8.5 };
    unsigned failures = 0;
    lk_code code = LK_EOOM;

    open_world(9, 0.001);
    world_poisson(&w, 4, 900, 100, 0.05);
    world_herd_run(&w, &h);
    find();
    for (size_t limit = 4096; code != LK_OK; limit += 16384) {
        lk_arena b, temporary;

        lk_arena_init(&b, limit);
        lk_arena_init(&temporary, limit);
        code = lk_delays_find(&s, &how, &b, &temporary, &delays, &e);
        check(code == LK_OK || code == LK_EOOM, "limit %zu: %s", limit, e.msg);
        failures += code == LK_EOOM;
        lk_arena_release(&b);
        lk_arena_release(&temporary);
    }
    check(failures > 2, "%u failures", failures);
    drop();
}

TESTS(T(herd_delay_is_the_period), T(herd_of_nested_delays_has_a_cycle),
      T(herd_of_doubling_delays_has_no_period), T(herd_of_lone_failures_is_not_together),
      T(attribute_tells_schedules_from_retries), T(herd_wants_callers), T(herd_reports_no_memory))
