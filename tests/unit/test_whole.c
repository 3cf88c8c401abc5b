#include "unit.h"

#include "base/whole.h"

#define NONE ((double)NAN)
#define ENDLESS ((double)INFINITY)

TEST(every_floating_number_has_a_whole_one)
{
    static const struct {
        double x;
        int64_t cut, nearest, even;
    } CASES[] = {
        { 0, 0, 0, 0 },
        { -0.0, 0, 0, 0 },
        { 2.5, 2, 3, 2 },
        { -2.5, -2, -3, -2 },
        { 0.999999, 0, 1, 1 },
        { 0x1p40 + 1, (INT64_C(1) << 40) + 1, (INT64_C(1) << 40) + 1, (INT64_C(1) << 40) + 1 },
        { 0x1p62, INT64_C(1) << 62, INT64_C(1) << 62, INT64_C(1) << 62 },
        { -0x1p63, INT64_MIN, INT64_MIN, INT64_MIN },
        { 0x1p63, INT64_MAX, INT64_MAX, INT64_MAX },
        { 1e300, INT64_MAX, INT64_MAX, INT64_MAX },
        { -1e300, INT64_MIN, INT64_MIN, INT64_MIN },
    };

    for (size_t i = 0; i < ROWS(CASES); i++) {
        check(lk_whole(CASES[i].x) == CASES[i].cut, "row %zu", i);
        check(lk_nearest(CASES[i].x) == CASES[i].nearest, "row %zu", i);
        check(lk_nearest_even(CASES[i].x) == CASES[i].even, "row %zu", i);
    }
    assert_true(lk_whole(ENDLESS) == INT64_MAX && lk_whole(-ENDLESS) == INT64_MIN &&
                lk_whole(NONE) == 0);
    assert_true(lk_nearest(ENDLESS) == INT64_MAX && lk_nearest(-ENDLESS) == INT64_MIN &&
                lk_nearest(NONE) == 0);
    assert_true(lk_nearest_even(NONE) == 0);
}

TEST(numbers_of_things_have_two_ends)
{
    const size_t most = SIZE_MAX / LK_SIZE_SPARE;

    assert_true(lk_whole_size(0) == 0 && lk_whole_size(-0.5) == 0 && lk_whole_size(-1e300) == 0);
    assert_true(lk_whole_size(NONE) == 0 && lk_whole_size(-ENDLESS) == 0);
    assert_true(lk_whole_size(1.99) == 1 && lk_whole_size(1e6) == 1000000);
    assert_true(lk_whole_size(1e300) == most && lk_whole_size(ENDLESS) == most);
    assert_true(2 * lk_whole_size(ENDLESS) + 8 > most); /* does not come round */

    assert_true(lk_sum_u32(2, 3) == 5 && lk_sum_u32(UINT32_MAX, 0) == UINT32_MAX);
    assert_true(lk_sum_u32(UINT32_MAX - 1, 1) == UINT32_MAX && lk_sum_u32(UINT32_MAX, 9) == UINT32_MAX);

    assert_true(lk_whole_u32(-1) == 0 && lk_whole_u32(NONE) == 0 && lk_whole_u32(7.9) == 7);
    assert_true(lk_whole_u32(4294967295.0) == UINT32_MAX &&
                lk_whole_u32(4294967294.5) == UINT32_MAX - 1);
    assert_true(lk_whole_u32(1e300) == UINT32_MAX && lk_whole_u32(ENDLESS) == UINT32_MAX);
}

TEST(instants_stop_at_the_ends_of_time)
{
    assert_true(lk_seconds_after(5, 1.5) == INT64_C(1500000005));
    assert_true(lk_seconds_after(5, NONE) == 5);
    assert_true(lk_seconds_after(5, 1e300) == INT64_MAX &&
                lk_seconds_after(5, ENDLESS) == INT64_MAX);
    assert_true(lk_seconds_after(-5, -1e300) == INT64_MIN);
    assert_true(lk_later(INT64_MAX, 1) == INT64_MAX && lk_later(INT64_MIN, -1) == INT64_MIN);
    assert_true(lk_later(INT64_MAX - 1, 1) == INT64_MAX && lk_later(INT64_MAX, INT64_MIN) == -1);
}

TESTS(T(every_floating_number_has_a_whole_one), T(numbers_of_things_have_two_ends),
      T(instants_stop_at_the_ends_of_time))
