/* What is like a herd on a clock and is none, and herds that do not look like one at first. */
#include "clock_world.h"

#include "infer/alias.h"

static bool is_only_clock(const char *kind, double period_s)
{
    return report.clock_count == 1 && strcmp(report.clocks[0].kind, kind) == 0 &&
           fabs(report.clocks[0].period_s / period_s - 1.0) < 0.02;
}

/* Calls of any age die at once, and their callers come back together: by the ends, not by the starts. */
TEST(kinds_a_crash_aligns_callers_at_the_end)
{
    static const double CRASH_S = 231.0, DELAY_S = 10.0;

    open_world(11, 0.001);
    world_poisson(&w, 4, 700, 500, 0.01);
    for (uint32_t c = 10; c < 160; c++) {
        double at = CRASH_S - world_uniform(&w, 0.1, 30.0);

        world_add(&w, at, CRASH_S - at, c, 2, true);
        at = CRASH_S + DELAY_S + world_uniform(&w, 0.0, 0.01);
        while (lk_random_unit(&w.random) < 0.8) {
            world_add(&w, at, 0.03, c, 2, true);
            at += 0.03 + DELAY_S + world_uniform(&w, 0.0, 0.01);
        }
        world_add(&w, at, 0.03, c, 2, false);
    }
    infer();
    assert_true(is_only_clock("retry", 10.03));
    check(report.synchronised == LK_YES, "together");
    check(report.clocks[0].width_s < 1.0, "width %f", report.clocks[0].width_s);
    check(report.clocks[0].cause_rejections >= 140 &&
              fabs((double)(report.clocks[0].cause_end_ns - ev.first_ns) * 1e-9 - CRASH_S) < 1.5,
          "%d failures before, at %f s", (int)report.clocks[0].cause_rejections,
          (double)(report.clocks[0].cause_end_ns - ev.first_ns) * 1e-9);
    drop();
}

/* Never answered from the log's beginning to its end: nobody can say that the failures are the cause. */
static void add_refused(uint32_t callers, double first_s, double period_s, double span_s)
{
    for (uint32_t c = 10; c < 10 + callers; c++)
        for (double at = first_s; at < span_s; at += period_s)
            world_add(&w, at + world_uniform(&w, 0.0, 0.1), 0.01, c, 2, true);
}

TEST(kinds_refused_from_first_to_last_are_no_retries)
{
    static const struct {
        double first_s, period_s, resolution_s;
        const char *kind;
    } ROWS_OF[] = {
        { 4.3, 17.0, 0.001, "unexplained" },
        { 4.3, 17.0, 1.0, "unexplained" },
        { 0.4, 60.0, 0.001, "scheduled" }, /* on full minutes */
        { 0.4, 60.0, 1.0, "scheduled" },
    };

    for (size_t i = 0; i < ROWS(ROWS_OF); i++) {
        open_world(20 + i, ROWS_OF[i].resolution_s);
        world_poisson(&w, 3, 1200, 300, 0.02);
        add_refused(20, ROWS_OF[i].first_s, ROWS_OF[i].period_s, 1200);
        infer();
        check(is_only_clock(ROWS_OF[i].kind, ROWS_OF[i].period_s), "row %zu: %s of %f s", i,
              report.clock_count ? report.clocks[0].kind : "none",
              report.clock_count ? report.clocks[0].period_s : 0.0);
        check(report.synchronised == LK_NO, "row %zu", i);
        drop();
    }
}

/* A handful of callers, never answered: what drives them is not shown, that they keep time together is. */
TEST(kinds_a_few_that_are_never_answered_are_a_clock)
{
    for (uint64_t seed = 0; seed < 16; seed++) {
        open_world(80 + seed, seed % 2 ? 1.0 : 0.001);
        world_poisson(&w, 3, 1200, 300, 0.02);
        add_refused(5, seed % 4 < 2 ? 4.3 : 304.3, 17.0, 1200);
        infer();
        check(is_only_clock("unexplained", 17.0), "seed %d: %zu clocks", (int)seed, report.clock_count);
        check(report.synchronised == LK_NO, "seed %d", (int)seed);
        drop();
    }
}

/* Refused throughout, each at a phase of its own: a clock with callers and without waves.  Of the crowd, one or
 * two come back after as long by chance. */
TEST(kinds_refused_apart_are_a_clock_without_waves)
{
    for (uint64_t seed = 0; seed < 12; seed++) {
        open_world(100 + seed, seed % 2 ? 1.0 : 0.001);
        world_poisson(&w, 3, 1200, 300, 0.02);
        for (uint32_t c = 10; c < 22; c++)
            for (double at = 10.0 * (c - 10) / 12.0; at < 1200.0; at += 10.0)
                world_add(&w, at + world_uniform(&w, 0.0, 0.05), 0.01, c, 2, true);
        infer();
        check(is_only_clock("unexplained", 10.0), "seed %d: %zu clocks", (int)seed, report.clock_count);
        check(report.clock_count == 0 ||
                  (report.clocks[0].callers >= 12 && report.clocks[0].callers <= 15 &&
                   report.clocks[0].waves == LK_COUNT_NONE && isnan(report.clocks[0].survival_ratio)),
              "seed %d", (int)seed);
        check(report.synchronised == LK_NO, "seed %d", (int)seed);
        drop();
    }
}

/* Apart as well, but from a moment on to another: a fixed delay and no clock. */
TEST(kinds_apart_for_a_while_is_no_clock)
{
    open_world(110, 0.001);
    world_poisson(&w, 3, 1200, 300, 0.02);
    for (uint32_t c = 10; c < 22; c++)
        for (double at = 300.0 + world_uniform(&w, 0.0, 10.0); at < 900.0; at += 10.0)
            world_add(&w, at + world_uniform(&w, 0.0, 0.05), 0.01, c, 2, true);
    infer();
    check(report.clock_count == 0, "a %s clock of %f s", report.clocks[0].kind, report.clocks[0].period_s);
    check(report.fixed_delay_count == 1, "%zu fixed delays", report.fixed_delay_count);
    drop();
}

/* Waves too small to be seen one by one, of callers that are always others. */
TEST(kinds_waves_that_show_in_their_sum)
{
    static const struct {
        double rate, period_s, resolution_s;
        int size;
    } ROWS_OF[] = {
        { 20.0, 5.0, 1.0, 15 },
        { 1.5, 10.0, 0.001, 1 },
        { 6.0, 10.0, 0.001, 3 },
    };

    for (size_t i = 0; i < ROWS(ROWS_OF); i++) {
        uint32_t other = 600000;

        open_world(120 + i, ROWS_OF[i].resolution_s);
        world_poisson(&w, ROWS_OF[i].rate, 3600, 300000, 0.0);
        for (double at = 2.2; at < 3600.0; at += ROWS_OF[i].period_s)
            for (int k = 0; k < ROWS_OF[i].size; k++)
                world_add(&w, at + world_uniform(&w, 0.0, 0.05), 0.01, other++, 2, false);
        infer();
        check(is_only_clock("scheduled", ROWS_OF[i].period_s), "row %zu: %zu clocks", i, report.clock_count);
        check(report.clock_count == 0 || report.clocks[0].waves > (int64_t)(3300.0 / ROWS_OF[i].period_s), "row %zu",
              i);
        check(report.synchronised == LK_NO, "row %zu", i);
        drop();
    }
}

/* The same callers, seen to begin with failures in the middle of the log. */
TEST(kinds_refused_from_a_moment_on_are_retries)
{
    open_world(31, 0.001);
    world_poisson(&w, 3, 1200, 300, 0.02);
    add_refused(20, 304.3, 17.0, 1200);
    infer();
    assert_true(is_only_clock("retry", 17.0));
    drop();
}

/* Faster than what is searched for: its aliases in the bins and its multiples are no clocks. */
TEST(kinds_a_fast_clock_has_no_aliases)
{
    static const double PERIOD_S[] = { 1.07, 1.3, 1.5, 2.2 };

    for (size_t i = 0; i < ROWS(PERIOD_S); i++) {
        open_world(40 + i, 0.001);
        world_poisson(&w, 3, 1200, 300, 0.01);
        for (uint32_t c = 10; c < 16; c++)
            for (double at = 0.2; at < 1200.0; at += PERIOD_S[i])
                world_add(&w, at + world_uniform(&w, 0.0, 0.01), 0.01, c, 1, false);
        infer();
        for (size_t k = 0; k < report.clock_count; k++)
            check(fabs(report.clocks[k].period_s / PERIOD_S[i] - 1.0) < 0.01, "%g s: a clock of %g s",
                  PERIOD_S[i], report.clocks[k].period_s);
        check(report.synchronised == LK_NO, "%g s", PERIOD_S[i]);
        drop();
    }
}

/* Tries a second apart inside each turn of a longer delay: the turn is the clock. */
TEST(kinds_tries_of_one_moment_are_no_clock)
{
    static const double DELAYS[] = { 1.0, 1.0, 58.0 };
    world_herd h = { .first_caller = 10,
                     .callers = 150,
                     .population = 2,
                     .trigger_s = 180,
                     .spread_s = 1.5,
                     .delay_s = DELAYS,
                     .delays = ROWS(DELAYS),
                     .service_s = 0.02,
                     .leave = 0.08,
                     .end_s = 1200 };

    open_world(90, 0.001);
    world_poisson(&w, 6, 1200, 500, 0.01);
    world_herd_run(&w, &h);
    infer();
    assert_true(is_only_clock("retry", 60.06));
    drop();
}

/* Keeps the steps of one caller in `of`, as measure/ does when they are too many. */
static void sample(unsigned share_log2, uint32_t but_from)
{
    size_t kept = 0;

    for (size_t i = 0; i < ev.hop_count; i++)
        if (w.hop[i].caller >= but_from || w.hop[i].caller % (1U << share_log2) == 0)
            w.hop[kept++] = w.hop[i];
    ev.hop_count = kept;
    ev.calm_share_log2 = share_log2;
}

static const struct {
    double period_s, jitter_s, crowd_s;
    bool known, sampled; /* its callers come under one name; not all are followed */
} FAST[] = {
    { 1.0, 0.01, 5.0, true, false }, { 1.0, 0.1, 7.0, true, true },   { 0.8, 0.1, 30.0, true, true },
    { 1.0, 0.2, 30.0, false, false }, { 1.0, 0.01, 0.0, true, false }, { 2.0, 0.05, 0.0, false, false },
};

/* A fast clock of a few dozen callers, and a slower one whose callers are always others: these two and none of
 * their multiples, fractions and beats. */
TEST(kinds_a_fast_clock_hides_no_slower_one)
{
    static const double SPAN_S = 1800.0;

    for (size_t i = 0; i < ROWS(FAST); i++) {
        uint32_t other = 600000;
        bool slow = FAST[i].crowd_s <= 0.0, fast = false;

        open_world(60 + i, 0.001);
        world_poisson(&w, 2, SPAN_S, 300000, 0.0);
        for (uint32_t c = 16; c < 56; c++)
            for (double at = 0.0; at < SPAN_S; at += FAST[i].period_s)
                world_add(&w, at + world_uniform(&w, 0.0, FAST[i].jitter_s), 0.01,
                          FAST[i].known ? c : other++, 1, false);
        for (double at = 0.4; at < SPAN_S && FAST[i].crowd_s > 0.0; at += FAST[i].crowd_s)
            for (double k = 0.0; k < 2.0 * FAST[i].crowd_s; k += 1.0)
                world_add(&w, at + world_uniform(&w, 0.0, 0.1), 0.01, other++, 2, false);
        ev = world_evidence(&w);
        if (FAST[i].sampled)
            sample(3, 56);
        infer_clocks();
        for (size_t k = 0; k < report.clock_count; k++) {
            double found_s = report.clocks[k].period_s;
            bool is_fast = fabs(found_s / FAST[i].period_s - 1.0) < 0.01,
                 is_slow = FAST[i].crowd_s > 0.0 && fabs(found_s / FAST[i].crowd_s - 1.0) < 0.01;

            check(is_fast || is_slow, "row %zu: a clock of %f s", i, found_s);
            fast |= is_fast;
            slow |= is_slow;
        }
        check(fast && slow, "row %zu: %zu clocks", i, report.clock_count);
        check(report.synchronised == LK_NO, "row %zu", i);
        drop();
    }
}

/* Callers that never failed are sampled apart from those that did: each counts for those left out. */
TEST(kinds_calm_callers_stand_for_more)
{
    open_world(51, 0.001);
    world_poisson(&w, 4, 1200, 300, 0.02);
    world_pollers(&w, 10, 12, 30.0, true, 1200);
    ev = world_evidence(&w);
    ev.calm_share_log2 = 2;
    infer_clocks();
    assert_true(is_only_clock("scheduled", 30.0));
    check(report.clocks[0].callers == 48, "%d callers", (int)report.clocks[0].callers);
    check(report.note_count > 1 && strstr(report.notes[1], "one in 4"), "%s",
          report.note_count > 1 ? report.notes[1] : "no note");
    drop();
}

TEST(kinds_aliases_report_no_memory)
{
    static const double X[64] = { 1.0 };
    lk_strides none = { .resolution_s = 1.0 };
    lk_line line;
    lk_alias_answer answer;
    lk_arena small;

    lk_arena_init(&a, 0);
    check_ok(lk_line_init(&line, X, ROWS(X), 1.0, &a, &e), e);
    lk_arena_init(&small, 1024);
    assert_int_equal(lk_alias_ask(&none,
                                  &(lk_alias_question){ .line = &line, .to = 64, .period_s = 8.0 },
                                  &small, &answer, &e),
                     LK_EOOM);
    lk_arena_release(&small);
    lk_arena_release(&a);
}

TESTS(T(kinds_a_crash_aligns_callers_at_the_end), T(kinds_refused_from_first_to_last_are_no_retries),
      T(kinds_a_few_that_are_never_answered_are_a_clock), T(kinds_refused_apart_are_a_clock_without_waves),
      T(kinds_apart_for_a_while_is_no_clock), T(kinds_waves_that_show_in_their_sum),
      T(kinds_refused_from_a_moment_on_are_retries), T(kinds_a_fast_clock_has_no_aliases),
      T(kinds_a_fast_clock_hides_no_slower_one), T(kinds_tries_of_one_moment_are_no_clock),
      T(kinds_calm_callers_stand_for_more), T(kinds_aliases_report_no_memory))
