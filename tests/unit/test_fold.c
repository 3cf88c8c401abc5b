#include "unit.h"

#include "base/time.h"
#include "infer/fold.h"

enum { BINS = 4 * 600 };

static lk_err e;
static uint32_t all[BINS], rejected[BINS];

/* Two arrivals in each bin, ten more at a quarter of each minute. */
static lk_series minutes(void)
{
    lk_series s = { .start_ns = 600 * LK_NS_PER_S,
                    .bin_ns = LK_NS_PER_S / 4,
                    .n = BINS,
                    .all = all,
                    .rejected = rejected };

    for (size_t i = 0; i < BINS; i++) {
        all[i] = i % 240 == 60 ? 12 : 2;
        rejected[i] = i % 240 == 60 ? 10 : 0;
    }
    return s;
}

TEST(fold_shows_the_phase_and_loses_nothing)
{
    lk_series s = minutes();
    lk_report_clock c = { .period_s = 60.0,
                          .start_ns = s.start_ns,
                          .end_ns = s.start_ns + 600 * LK_NS_PER_S };
    uint64_t sum = 0, most = 0;
    lk_arena a;

    lk_arena_init(&a, 0);
    check_ok(lk_fold(&s, &c, &a, &e), e);
    assert_int_equal(c.phase_count, LK_PHASE_MAX);
    for (size_t i = 0; i < c.phase_count; i++) {
        sum += c.phase_all[i];
        most = c.phase_all[i] > c.phase_all[most] ? i : most;
    }
    assert_int_equal(sum, 2 * BINS + 100);
    assert_int_equal(most, 15);
    assert_int_equal(c.phase_rejected[15], 100);
    lk_arena_release(&a);
}

TEST(fold_leaves_out_what_bins_cannot_show)
{
    lk_series s = minutes();
    lk_report_clock c = { .period_s = 0.9, .start_ns = s.start_ns, .end_ns = s.start_ns + 1 };
    lk_arena a;

    lk_arena_init(&a, 0);
    check_ok(lk_fold(&s, &c, &a, &e), e);
    assert_int_equal(c.phase_count, 0);
    c.period_s = 60.0;
    c.start_ns = LK_TIME_NONE;
    check_ok(lk_fold(&s, &c, &a, &e), e);
    assert_int_equal(c.phase_count, 0);
    lk_arena_release(&a);
    lk_arena_init(&a, 8);
    c.start_ns = s.start_ns;
    assert_int_equal(lk_fold(&s, &c, &a, &e), LK_EOOM);
    lk_arena_release(&a);
}

TESTS(T(fold_shows_the_phase_and_loses_nothing), T(fold_leaves_out_what_bins_cannot_show))
