#include "clock_world.h"

static const lk_report_clock *clock_near(const char *kind, double period_s)
{
    for (size_t i = 0; i < report.clock_count; i++)
        if (strcmp(report.clocks[i].kind, kind) == 0 &&
            fabs(report.clocks[i].period_s / period_s - 1.0) < 0.02)
            return &report.clocks[i];
    return NULL;
}

static size_t count_kind(const char *kind)
{
    size_t n = 0;

    for (size_t i = 0; i < report.clock_count; i++)
        n += strcmp(report.clocks[i].kind, kind) == 0;
    return n;
}

/* What must hold for every row of every report. */
static void check_report(void)
{
    bool retry = count_kind("retry") > 0;

    check(!retry || report.synchronised == LK_YES, "a retry clock is the verdict");
    for (size_t i = 0; i < report.fixed_delay_count; i++)
        check(!report.fixed_delays[i].synchronised || report.synchronised == LK_YES,
              "fixed delay %zu: together, says only one of the two", i);
    for (size_t i = 0; i < report.clock_count; i++) {
        const lk_report_clock *c = &report.clocks[i];

        check(c->period_s > 0.0 && c->period_error_s >= 0.0 && c->ln_false_alarm < -8.0,
              "clock %zu", i);
        check(c->start_ns >= ev.first_ns && c->end_ns <= ev.last_ns + LK_NS_PER_S &&
                  c->start_ns <= c->end_ns,
              "clock %zu stands in the log", i);
        check(c->share >= 0.0 && c->share <= 1.0, "clock %zu: share %f", i, c->share);
        check(isnan(c->rejected_share) || (c->rejected_share >= 0.0 && c->rejected_share <= 1.0),
              "clock %zu", i);
        check(isnan(c->survival_ratio) ||
                  (c->survival_low <= c->survival_ratio && c->survival_ratio <= c->survival_high),
              "clock %zu", i);
        check(
            c->wave_count <= 256 && (c->waves == LK_COUNT_NONE ? c->wave_count == 0
                                                               : (size_t)c->waves >= c->wave_count),
            "clock %zu", i);
        for (size_t k = 0; k < c->wave_count; k++) {
            check(c->wave_list[k].arrivals >= 0 && c->wave_list[k].rejected >= 0 &&
                      c->wave_list[k].rejected <= c->wave_list[k].arrivals,
                  "clock %zu, wave %zu", i, k);
            if (k > 0)
                check(c->wave_list[k].start_ns > c->wave_list[k - 1].start_ns, "wave %zu", k);
        }
        check(!retry || i > 0 || strcmp(c->kind, "retry") == 0, "retries first");
    }
    for (size_t i = 1; i < report.spectrum.n; i++)
        check(report.spectrum.period_s[i] < report.spectrum.period_s[i - 1], "spectrum point %zu",
              i);
    check(report.spectrum.n <= LK_SPECTRUM_MAX, "%zu points", report.spectrum.n);
}

static world_herd herd_of(const double *delay_s, size_t n)
{
    return (world_herd){ .first_caller = 10,
                         .callers = 150,
                         .population = 2,
                         .trigger_s = 180,
                         .spread_s = 1.0,
                         .delay_s = delay_s,
                         .delays = n,
                         .service_s = 0.02,
                         .leave = 0.2,
                         .end_s = 900 };
}

static const struct {
    double delay_s, jitter, resolution_s;
} HERDS[] = {
    { 5.0, 0.0, 0.001 },   { 5.0, 0.0, 1.0 },     { 15.0, 0.0, 1.0 },
    { 33.3, 0.05, 0.001 }, { 60.0, 0.1, 0.001 },  { 60.0, 0.0, 1.0 },
    { 60.0, 0.1, 1.0 },    { 120.0, 0.0, 0.001 }, { 2.0, 0.0, 0.001 },
};

TEST(clocks_name_the_delay_of_a_herd)
{
    for (size_t i = 0; i < ROWS(HERDS); i++) {
        world_herd h = herd_of(&HERDS[i].delay_s, 1);
        const lk_report_clock *c;

        open_world(i + 1, HERDS[i].resolution_s);
        h.jitter = HERDS[i].jitter;
        world_poisson(&w, 6, 900, 500, 0.01);
        world_herd_run(&w, &h);
        infer();
        check_report();
        c = clock_near("retry", HERDS[i].delay_s + 0.02);
        check(c != NULL && report.clock_count == 1, "row %zu: %zu clocks", i, report.clock_count);
        if (!c)
            return;
        check(fabs(c->delay_s / HERDS[i].delay_s - 1.0) < 0.01, "row %zu: delay %f", i, c->delay_s);
        check(fabs(c->survival_ratio - 0.8) < 0.06, "row %zu: survival %f", i, c->survival_ratio);
        check(strcmp(c->from, "callers") == 0 && strcmp(c->population, "c") == 0 &&
                  c->target_count == 1,
              "row %zu: named", i);
        check(c->comebacks_on_delay > 0.9 && c->preceded_by_rejection > 0.95, "row %zu", i);
        check(c->cause_rejections > 0 && c->cause_end_ns < c->start_ns + 2 * LK_NS_PER_S,
              "row %zu: cause", i);
        check(report.fixed_delay_count >= 1 && report.fixed_delays[0].synchronised, "row %zu", i);
        drop();
    }
}

TEST(clocks_name_the_cycle_of_nested_delays)
{
    static const double DELAYS[] = { 12.0, 12.0, 36.0 };
    world_herd h = herd_of(DELAYS, ROWS(DELAYS));
    const lk_report_clock *cycle;

    open_world(11, 0.001);
    h.leave = 0.1;
    world_poisson(&w, 6, 900, 500, 0.01);
    world_herd_run(&w, &h);
    infer();
    check_report();
    cycle = clock_near("retry", 60.06);
    check(cycle && clock_near("retry", 12.02) && count_kind("retry") == 2, "%zu clocks",
          report.clock_count);
    if (cycle)
        check(fabs(cycle->survival_ratio - 0.9 * 0.9 * 0.9) < 0.05, "%f", cycle->survival_ratio);
    drop();
}

/* 2, 4, 8, 16 s by all: together, but no clock. */
TEST(clocks_of_a_shared_sequence)
{
    static const double DELAYS[] = { 2.0, 4.0, 8.0, 16.0, 32.0, 1e6 };
    world_herd h = herd_of(DELAYS, ROWS(DELAYS));

    open_world(12, 0.001);
    h.leave = 0.0;
    world_poisson(&w, 6, 900, 500, 0.01);
    world_herd_run(&w, &h);
    infer();
    check_report();
    assert_int_equal(count_kind("retry"), 0);
    assert_int_equal(report.synchronised, LK_YES);
    assert_int_equal(report.fixed_delay_count, 5);
    drop();
}

/* After the cap the sequence has a period. */
TEST(clocks_of_a_capped_sequence)
{
    static const double DELAYS[] = { 2, 4, 8, 16, 32, 60, 60, 60, 60, 60, 60, 60, 60, 60, 1e6 };
    world_herd h = herd_of(DELAYS, ROWS(DELAYS));

    open_world(13, 0.001);
    h.leave = 0.0;
    world_poisson(&w, 6, 900, 500, 0.01);
    world_herd_run(&w, &h);
    infer();
    check_report();
    check(count_kind("retry") == 1 && clock_near("retry", 60.02), "%zu clocks", report.clock_count);
    drop();
}

static const struct {
    double delay_s, resolution_s;
} LONE[] = { { 10.0, 0.001 }, { 10.0, 1.0 }, { 25.0, 0.001 } };

/* Failures at any time, each followed by one comeback: a fixed delay, and nobody together. */
TEST(clocks_of_unsynchronised_delays_are_none)
{
    for (size_t i = 0; i < ROWS(LONE); i++) {
        open_world(20 + i, LONE[i].resolution_s);
        world_poisson(&w, 10, 900, 500, 0.0);
        for (uint32_t c = 0; c < 500; c++) {
            double at = world_uniform(&w, 0, 850);

            world_add(&w, at, 0.02, 10 + c, 2, true);
            world_add(&w, at + LONE[i].delay_s + 0.02, 0.02, 10 + c, 2, false);
        }
        infer();
        check_report();
        assert_int_equal(count_kind("retry"), 0);
        assert_int_equal(report.synchronised, LK_NO);
        check(report.fixed_delay_count == 1 &&
                  fabs(report.fixed_delays[0].delay_s - LONE[i].delay_s) < 0.05 &&
                  !report.fixed_delays[0].synchronised,
              "row %zu", i);
        drop();
    }
}

TEST(clocks_of_schedules_are_scheduled)
{
    static const double PERIODS[] = { 10.0, 60.0 };

    for (size_t i = 0; i < 2 * ROWS(PERIODS); i++) {
        double period = PERIODS[i / 2];
        const lk_report_clock *c;

        open_world(30 + i, i % 2 ? 1.0 : 0.001);
        world_poisson(&w, 6, 900, 500, 0.02);
        world_pollers(&w, 10, i / 2 ? 150 : 2, period, i / 2 != 0, 900);
        infer();
        check_report();
        c = clock_near("scheduled", period);
        check(c != NULL && report.clock_count == 1, "row %zu: %zu clocks", i, report.clock_count);
        assert_int_equal(report.synchronised, LK_NO);
        if (c)
            check(!c->at_whole_minutes == (i / 2 == 0), "row %zu: the full minute", i);
        drop();
    }
}

/* Cron calls that are refused now and then, without a retry. */
TEST(clocks_of_refused_schedules_are_scheduled)
{
    open_world(40, 0.001);
    world_poisson(&w, 6, 900, 500, 0.02);
    for (uint32_t c = 0; c < 100; c++)
        for (int k = 0; k < 15; k++) {
            double at = 60.0 * k + world_uniform(&w, 0, 2);
            bool failed = lk_random_unit(&w.random) < 0.6;

            world_add(&w, at, 0.02, 10 + c, 1, failed);
        }
    infer();
    check_report();
    check(clock_near("scheduled", 60.0) && count_kind("retry") == 0, "%zu clocks",
          report.clock_count);
    assert_int_equal(report.synchronised, LK_NO);
    drop();
}

/* 120 callers behind one address. */
TEST(clocks_of_a_crowd_are_told_by_its_waves)
{
    static const double DELAY = 60.0;
    world_herd h = herd_of(&DELAY, 1);
    const lk_report_clock *c;

    open_world(50, 1.0);
    world_poisson(&w, 6, 900, 500, 0.01);
    world_herd_run(&w, &h);
    for (size_t i = 0; i < w.count; i++)
        if (w.event[i].population == 2)
            w.event[i].caller = 10;
    infer();
    check_report();
    c = clock_near("retry", 60.02);
    check(c && strcmp(c->from, "rejections") == 0, "%zu clocks", report.clock_count);
    drop();
}

TEST(clocks_of_noise_are_none)
{
    for (uint64_t seed = 1; seed <= 40; seed++) {
        open_world(seed, seed % 2 ? 0.001 : 1.0);
        world_poisson(&w, 2.0 + (double)(seed % 5) * 3.0, 900, 300, 0.05 * (double)(seed % 4));
        infer();
        check(report.clock_count == 0, "seed %d: %s %f s, ln p %f", (int)seed,
              report.clocks[0].kind, report.clocks[0].period_s, report.clocks[0].ln_false_alarm);
        assert_int_equal(report.synchronised, LK_NO);
        drop();
    }
}

/* An outage ends for all at once; everyone comes back when he likes within his window. */
TEST(clocks_of_jittered_storms_are_none)
{
    for (uint64_t seed = 1; seed <= 20; seed++) {
        double from = seed % 2 ? 0.0 : 10.0, to = 20.0;

        open_world(seed, seed % 4 < 2 ? 0.001 : 1.0);
        world_poisson(&w, 6, 900, 300, 0.01);
        for (uint32_t c = 0; c < 200; c++) {
            double at = 180.0 + world_uniform(&w, 0, 2);

            for (int k = 0; k < 8 && at < 890; k++) {
                world_add(&w, at, 0.02, 10 + c, 2, k < 7);
                at += world_uniform(&w, from, to);
            }
        }
        infer();
        check_report();
        check(count_kind("retry") == 0, "seed %d: %f s, ln p %f", (int)seed,
              report.clocks[0].period_s, report.clocks[0].ln_false_alarm);
        drop();
    }
}

TEST(clocks_want_something_to_look_at)
{
    open_world(60, 0.001);
    infer();
    assert_int_equal(report.synchronised, LK_NOT_KNOWN);
    assert_int_equal(report.note_count, 1);
    drop();
    open_world(61, 0.001);
    for (int i = 0; i < 19; i++)
        world_add(&w, 10.0 * i, 0.1, 10, 0, false);
    infer();
    assert_int_equal(report.synchronised, LK_NOT_KNOWN);
    drop();
    open_world(62, 0.001);
    for (int i = 0; i < 1000; i++)
        world_add(&w, 0.01 * i, 0.01, 10, 0, i % 2 == 0);
    infer();
    assert_int_equal(report.synchronised, LK_NOT_KNOWN); /* ten seconds */
    drop();
    open_world(63, 1.0);
    for (int i = 0; i < 40; i++)
        world_add(&w, 1e6, 0.01, 10, 0, true); /* all in one second */
    infer();
    assert_int_equal(report.synchronised, LK_NOT_KNOWN);
    drop();
}

TEST(clocks_say_what_was_not_searched)
{
    open_world(64, 1.0);
    world_poisson(&w, 4, 900, 300, 0.0);
    report.input.moment = "start";
    infer();
    assert_int_equal(report.note_count, 2);
    check(strstr(report.notes[0], "searched for periods of 4.5") &&
              strstr(report.notes[1], "whole seconds"),
          "%s %s", report.notes[0], report.notes[1]);
    drop();
}

/* Sampled callers stand for more. */
TEST(clocks_count_for_the_callers_left_out)
{
    static const double DELAY = 30.0;
    world_herd h = herd_of(&DELAY, 1);

    open_world(65, 0.001);
    world_poisson(&w, 6, 900, 500, 0.01);
    world_herd_run(&w, &h);
    infer();
    assert_int_equal(report.clock_count, 1);
    ev.hop_share_log2 = 3;
    lk_report_init(&report);
    infer_clocks();
    check(report.clock_count == 1 && report.clocks[0].callers > 900 &&
              report.clocks[0].wave_list[0].arrivals > 900,
          "%d callers", (int)report.clocks[0].callers);
    drop();
}

TEST(clocks_report_no_memory)
{
    static const double DELAY = 30.0;
    world_herd h = herd_of(&DELAY, 1);
    unsigned failures = 0;
    lk_code code = LK_EOOM;

    open_world(66, 1.0);
    world_poisson(&w, 3, 600, 200, 0.02);
    h.end_s = 600;
    world_herd_run(&w, &h);
    ev = world_evidence(&w);
    for (size_t limit = 256; code != LK_OK; limit += limit / 3) {
        lk_arena results, temporary;

        lk_arena_init(&results, limit);
        lk_arena_init(&temporary, limit);
        lk_report_init(&report);
        code = lk_infer_clocks(&ev, &w.symbols, &(lk_clock_search)LK_CLOCK_SEARCH_INIT, &results,
                               &temporary, &report, &e);
        check(code == LK_OK || code == LK_EOOM, "limit %zu: %s", limit, e.msg);
        failures += code == LK_EOOM;
        lk_arena_release(&results);
        lk_arena_release(&temporary);
    }
    check(failures > 10, "%u failures", failures);
    drop();
}

TESTS(T(clocks_name_the_delay_of_a_herd), T(clocks_name_the_cycle_of_nested_delays),
      T(clocks_of_a_shared_sequence), T(clocks_of_a_capped_sequence),
      T(clocks_of_unsynchronised_delays_are_none), T(clocks_of_schedules_are_scheduled),
      T(clocks_of_refused_schedules_are_scheduled), T(clocks_of_a_crowd_are_told_by_its_waves),
      T(clocks_of_noise_are_none), T(clocks_of_jittered_storms_are_none),
      T(clocks_want_something_to_look_at), T(clocks_say_what_was_not_searched),
      T(clocks_count_for_the_callers_left_out), T(clocks_report_no_memory))
