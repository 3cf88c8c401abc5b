#include "unit.h"

#include "model/bounds.h"

static lk_err e;

static lk_bounds of(size_t mib)
{
    lk_bounds b;

    check_ok(lk_bounds_init(&b, mib << 20, &e), e);
    return b;
}

TEST(bounds_are_the_usual_without_a_wish)
{
    lk_bounds usual = of(0), same = of(256);

    assert_int_equal(usual.memory, LK_MEMORY_DEFAULT);
    for (size_t i = 0; i < LK_BOUNDS; i++) {
        assert_int_equal(usual.max[i], LK_BOUNDS_TABLE[i].usual);
        assert_int_equal(same.max[i], LK_BOUNDS_TABLE[i].usual);
    }
}

TEST(bounds_grow_with_memory_and_keep_their_ends)
{
    static const size_t MIB[] = { 32, 33, 64, 255, 256, 257, 1024, 8192, 1 << 20 };

    for (size_t k = 0; k + 1 < ROWS(MIB); k++) {
        lk_bounds less = of(MIB[k]), more = of(MIB[k + 1]);

        for (size_t i = 0; i < LK_BOUNDS; i++) {
            check(less.max[i] <= more.max[i], "%s", LK_BOUNDS_TABLE[i].name);
            assert_in_range(less.max[i], LK_BOUNDS_TABLE[i].least, LK_BOUNDS_TABLE[i].most);
        }
    }
    assert_in_range(of(1024).max[LK_BOUND_CALLS], 500000, 600000);
}

/* What the tables of a report take together stays below the bound; beyond are rows for what few runs ask
 * for: named layers, attempts to be printed, narrow bins. */
TEST(bounds_fit_into_the_memory)
{
    static const size_t MIB[] = { 32, 64, 256, 1024 };

    for (size_t k = 0; k < ROWS(MIB); k++) {
        lk_bounds b = of(MIB[k]);
        size_t sum = 0;

        for (size_t i = 0; i < LK_BOUNDS; i++)
            if (i != LK_BOUND_UNITS && i != LK_BOUND_HELD)
                sum += b.max[i] * LK_BOUNDS_TABLE[i].bytes;
        check(sum < b.memory, "%zu MiB for %zu", sum >> 20, MIB[k]);
    }
}

TEST(bounds_refuse_too_little)
{
    lk_bounds b;

    assert_int_equal(lk_bounds_init(&b, 1, &e), LK_EUSAGE);
    assert_int_equal(lk_bounds_init(&b, LK_MEMORY_MIN - 1, &e), LK_EUSAGE);
    assert_string_equal(e.msg, "--memory: at least 32M are needed");
}

TESTS(T(bounds_are_the_usual_without_a_wish), T(bounds_grow_with_memory_and_keep_their_ends),
      T(bounds_fit_into_the_memory), T(bounds_refuse_too_little))
