#include "infer_world.h"

#include "infer/waves.h"

static lk_err e;
static lk_arena a;
static lk_beat beats[20000];
static size_t count;
static lk_random r;

static void begin(uint64_t seed)
{
    lk_random_init(&r, seed);
    count = 0;
}

static void wave(int64_t round, double at_s, double width_s, size_t n)
{
    for (size_t i = 0; i < n; i++)
        beats[count++] = (lk_beat){ .at_s = at_s + width_s * (lk_random_unit(&r) - 0.5),
                                    .round = round,
                                    .rejected = i % 2 == 0 };
}

static lk_waves group(const lk_frame *frame)
{
    lk_waves w;

    lk_arena_init(&a, 0);
    check_ok(lk_waves_of_beats(beats, count, frame, &a, &w, &e), e);
    return w;
}

static void drop(void)
{
    lk_arena_release(&a);
}

TEST(waves_have_sizes_widths_and_decay)
{
    lk_frame frame = { .resolution_s = 0.001 };
    lk_waves w;

    begin(1);
    for (int k = 0; k < 8; k++)
        wave(k + 5, 100.0 + 30.02 * k, 2.0, (size_t)lrint(400.0 * pow(0.7, k)));
    w = group(&frame);
    assert_int_equal(w.count, 8);
    check(fabs(w.period_s - 30.02) < 0.05 && w.period_error_s < 0.05, "%f +- %f", w.period_s,
          w.period_error_s);
    check(fabs(w.survival - 0.7) < 0.01 && w.survival_low < 0.7 && w.survival_high > 0.7, "%f",
          w.survival);
    check(fabs(w.width_s - 1.8) < 0.1, "middle 90 %% of 2 s: %f", w.width_s);
    check(fabs(w.item[0].arrivals - 400.0) < 1e-9 && fabs(w.item[0].rejected - 200.0) < 1e-9,
          "sizes");
    check(w.item[0].peak_per_s > 200.0 && w.item[0].peak_per_s < 400.0, "%f a second",
          w.item[0].peak_per_s);
    drop();
}

/* Callers that keep the period at phases of their own do not widen the waves. */
TEST(waves_leave_stragglers_out)
{
    lk_frame frame = { .resolution_s = 0.001 };
    lk_waves w;

    begin(2);
    for (int k = 0; k < 6; k++) {
        wave(k, 100.0 + 20.0 * k, 0.5, 100);
        wave(k, 100.0 + 20.0 * k, 20.0, 15);
    }
    w = group(&frame);
    check(w.width_s < 0.8, "width %f", w.width_s);
    check(w.item[0].arrivals >= 98.0 && w.item[0].arrivals <= 106.0, "%f", w.item[0].arrivals);
    drop();
}

/* Two storms: the train is the larger one's. */
TEST(waves_end_where_rounds_are_missing)
{
    lk_frame frame = { .resolution_s = 0.001 };
    lk_waves w;

    begin(3);
    for (int k = 0; k < 4; k++)
        wave(k, 100.0 + 10.0 * k, 0.5, 50);
    for (int k = 9; k < 15; k++)
        wave(k, 100.0 + 10.0 * k, 0.5, 80);
    w = group(&frame);
    assert_int_equal(w.count, 6);
    assert_int_equal(w.item[0].round, 9);
    drop();
}

/* The same gap is no end when the log has a hole there. */
TEST(waves_go_on_across_a_hole)
{
    static double x[1200];
    lk_arena b;
    lk_line line;
    lk_frame frame = { .resolution_s = 0.001, .log = &line };
    lk_waves w;

    begin(4);
    for (int k = 0; k < 15; k++)
        if (k < 4 || k > 8)
            wave(k, 100.0 + 10.0 * k, 0.5, (size_t)lrint(200.0 * pow(0.9, k)));
    for (size_t i = 0; i < ROWS(x); i++)
        x[i] = i >= 540 && i < 740 ? 0.0 : 3.0; /* 135 s to 185 s of bins of 0.25 s */
    lk_arena_init(&b, 0);
    check_ok(lk_line_init(&line, x, ROWS(x), 0.25, &b, &e), e);
    w = group(&frame);
    assert_int_equal(w.count, 10);
    check(fabs(w.survival - 0.9) < 0.01, "rounds count, not waves: %f", w.survival);
    drop();
    lk_arena_release(&b);
}

TEST(waves_that_overlap_are_no_train)
{
    lk_frame frame = { .resolution_s = 0.001 };
    lk_waves w;

    begin(5);
    for (int k = 0; k < 12; k++)
        wave(k, 100.0 + 10.0 * k, 0.5 + 1.5 * k, 100);
    w = group(&frame);
    check(w.count >= 4 && w.count <= 7, "%zu waves before they run into each other", w.count);
    drop();
}

/* The last wave was cut by the end of the log: it does not count as decay. */
TEST(waves_cut_by_the_end_do_not_decay)
{
    lk_frame frame = { .resolution_s = 0.001, .end_s = 160.1 };
    lk_waves w;

    begin(6);
    for (int k = 0; k < 6; k++)
        wave(k, 100.0 + 10.0 * k, 2.0, 100);
    wave(6, 160.0 - 0.5, 1.0, 30);
    w = group(&frame);
    check(fabs(w.survival - 1.0) < 1e-9, "%f", w.survival);
    drop();
}

TEST(waves_of_few_beats)
{
    lk_frame frame = { .resolution_s = 1.0 };
    lk_waves w;

    begin(7);
    w = group(&frame);
    check(w.count == 0 && isnan(w.period_s) && isnan(w.survival), "none");
    drop();
    wave(3, 10.0, 0.0, 1);
    w = group(&frame);
    check(w.count == 1 && isnan(w.period_s) && isnan(w.survival) && isnan(w.period_error_s), "one");
    check(fabs(w.item[0].width_s - 1.0) < 1e-9, "no narrower than the stamps: %f",
          w.item[0].width_s);
    drop();
    wave(4, 22.0, 0.0, 1);
    w = group(&frame);
    check(w.count == 2 && fabs(w.period_s - 12.0) < 1e-9 && isnan(w.period_error_s), "two");
    drop();
}

TEST(waves_report_no_memory)
{
    lk_frame frame = { .resolution_s = 1.0 };
    lk_waves w;

    begin(8);
    wave(0, 10.0, 1.0, 100);
    for (size_t limit = 16; limit < 10000; limit *= 4) {
        lk_arena_init(&a, limit);
        assert_int_equal(lk_waves_of_beats(beats, count, &frame, &a, &w, &e), LK_EOOM);
        drop();
    }
}

TESTS(T(waves_have_sizes_widths_and_decay), T(waves_leave_stragglers_out),
      T(waves_end_where_rounds_are_missing), T(waves_go_on_across_a_hole),
      T(waves_that_overlap_are_no_train), T(waves_cut_by_the_end_do_not_decay),
      T(waves_of_few_beats), T(waves_report_no_memory))
