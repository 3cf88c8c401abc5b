#include "infer_world.h"

#include "infer/crowd.h"

static lk_err e;
static lk_arena a, scratch;
static lk_stride rows[20000];
static const lk_stride *sorted[20000];
static size_t count;
static lk_random r;

enum { BINS = 4000 };
static double x[BINS];

static void begin(uint64_t seed)
{
    lk_random_init(&r, seed);
    count = 0;
}

/* One wave: n attempts within two seconds, of which `answered` succeed. */
static void wave(double at_s, size_t n, size_t answered)
{
    for (size_t i = 0; i < n; i++)
        rows[count++] = (lk_stride){ .at_s = at_s + 2.0 * lk_random_unit(&r),
                                     .failed = i >= answered,
                                     .rejected = i >= answered };
}

static int by_time(const void *p, const void *q)
{
    const lk_stride *const *m = p, *const *n = q;

    return ((*m)->at_s > (*n)->at_s) - ((*m)->at_s < (*n)->at_s);
}

static lk_crowd_answer ask(double period_s, double end_s, bool hole)
{
    lk_line line;
    lk_frame frame = { .resolution_s = 0.001, .log = &line, .end_s = end_s };
    lk_crowd crowd = { .row = sorted, .count = count, .frame = &frame };
    lk_crowd_answer answer;

    for (size_t i = 0; i < count; i++)
        sorted[i] = &rows[i];
    qsort(sorted, count, sizeof(*sorted), by_time);
    for (size_t i = 0; i < BINS; i++) /* 1 s each */
        x[i] = hole && i > 460 && i < 620 ? 0.0 : 5.0;
    lk_arena_init(&a, 0);
    lk_arena_init(&scratch, 0);
    check_ok(lk_line_init(&line, x, BINS, 1.0, &a, &e), e);
    check_ok(lk_crowd_ask(&crowd, period_s, &a, &scratch, &answer, &e), e);
    check(scratch.used == 0, "%zu bytes of scratch are left", scratch.used);
    return answer;
}

static void drop(void)
{
    lk_arena_release(&a);
    lk_arena_release(&scratch);
}

/* 280 callers behind one address: each wave loses the answered and some that give up. */
TEST(crowd_of_retries_shrinks)
{
    lk_crowd_answer answer;

    begin(1);
    for (int k = 0; k < 9; k++)
        wave(100.0 + 60.0 * k, (size_t)lrint(280.0 * pow(0.8, k)), 10);
    answer = ask(60.0, 1000.0, false);
    assert_true(answer.is_retry);
    check(answer.waves.count == 9 && fabs(answer.waves.survival - 0.8) < 0.02, "%zu waves, %f",
          answer.waves.count, answer.waves.survival);
    drop();
}

/* All are refused to the end of the outage, then all are answered: what ends the waves is that. */
TEST(crowd_of_retries_ends_when_answered)
{
    begin(2);
    for (int k = 0; k < 6; k++)
        wave(100.0 + 60.0 * k, 150, k == 5 ? 150 : 0);
    assert_true(ask(60.0, 1000.0, false).is_retry);
    drop();
    assert_true(!ask(60.0, 430.0, false).is_retry); /* the log ends with the last wave */
    drop();
}

TEST(crowd_of_a_schedule_keeps_its_size)
{
    begin(3);
    for (int k = 0; k < 12; k++)
        wave(100.0 + 60.0 * k, 200, 80);
    assert_true(!ask(60.0, 900.0, false).is_retry);
    drop();
}

/* The waves stop where the log has a hole: that tells nothing. */
TEST(crowd_before_a_hole_is_not_judged)
{
    begin(4);
    for (int k = 0; k < 6; k++)
        wave(100.0 + 60.0 * k, 150, k == 5 ? 150 : 0);
    assert_true(!ask(60.0, 1000.0, true).is_retry);
    drop();
}

TEST(crowd_without_waves_is_none)
{
    begin(5);
    for (int k = 0; k < 3000; k++)
        rows[count++] = (lk_stride){ .at_s = 600.0 * lk_random_unit(&r), .failed = k % 2 == 0 };
    assert_true(!ask(60.0, 1000.0, false).is_retry);
    drop();
    begin(6);
    wave(100.0, 20, 0);
    assert_true(!ask(60.0, 1000.0, false).is_retry); /* too few */
    drop();
}

TEST(crowd_reports_no_memory)
{
    lk_frame frame = { .resolution_s = 0.001 };
    lk_crowd crowd = { .row = sorted, .count = 0, .frame = &frame };
    lk_crowd_answer answer;

    lk_arena_init(&a, 0);
    lk_arena_init(&scratch, 1000);
    assert_int_equal(lk_crowd_ask(&crowd, 60.0, &a, &scratch, &answer, &e), LK_EOOM);
    drop();
}

TESTS(T(crowd_of_retries_shrinks), T(crowd_of_retries_ends_when_answered),
      T(crowd_of_a_schedule_keeps_its_size), T(crowd_before_a_hole_is_not_judged),
      T(crowd_without_waves_is_none), T(crowd_reports_no_memory))
