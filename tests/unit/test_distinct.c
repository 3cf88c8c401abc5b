#include "unit.h"

#include "base/distinct.h"
#include "base/hash.h"

#include <math.h>
#include <stdlib.h>

static void add_range(lk_distinct *d, uint64_t from, uint64_t to)
{
    for (uint64_t i = from; i < to; i++)
        lk_distinct_add(d, lk_hash(&i, sizeof(i)));
}

TEST(distinct_is_exact_up_to_its_bound)
{
    static const uint64_t COUNTS[] = { 0, 1, 2, 1000, 1024, LK_DISTINCT_EXACT - 1, LK_DISTINCT_EXACT };

    for (size_t i = 0; i < ROWS(COUNTS); i++) {
        lk_distinct d;

        lk_distinct_init(&d, 7);
        add_range(&d, 0, COUNTS[i]);
        add_range(&d, 0, COUNTS[i]); /* once more: nothing new */
        assert_true(lk_distinct_is_exact(&d));
        assert_int_equal(lk_distinct_count(&d), COUNTS[i]);
        lk_distinct_release(&d);
    }
}

TEST(distinct_knows_the_hash_of_zero)
{
    lk_distinct d;

    lk_distinct_init(&d, 7);
    lk_distinct_add(&d, 0);
    lk_distinct_add(&d, 0);
    assert_int_equal(lk_distinct_count(&d), 1);
    lk_distinct_estimate(&d);
    assert_int_equal(lk_distinct_count(&d), 1);
    lk_distinct_release(&d);
}

/* Within four standard errors; the sets are fixed, so this never fails by chance. */
TEST(distinct_estimates_within_its_stated_error)
{
    static const uint64_t COUNTS[] = { LK_DISTINCT_EXACT + 1, 100000, 250000, 1000000, 2000000 };

    for (size_t i = 0; i < ROWS(COUNTS); i++) {
        lk_distinct d;
        double off;

        lk_distinct_init(&d, 7);
        add_range(&d, 0, COUNTS[i]);
        assert_false(lk_distinct_is_exact(&d));
        off = (double)lk_distinct_count(&d) / (double)COUNTS[i] - 1;
        check(fabs(off) < 4 * LK_DISTINCT_ERROR, "%d off by %g", (int)COUNTS[i], off);
        lk_distinct_release(&d);
    }
}

/* The stated error is that of many sets: the mean square over 40 of them. */
TEST(distinct_errs_as_much_as_it_says)
{
    enum { SETS = 40, EACH = 70000 };
    double sum = 0, squares = 0;

    for (uint64_t s = 0; s < SETS; s++) {
        lk_distinct d;
        double off;

        lk_distinct_init(&d, 7);
        lk_distinct_estimate(&d);
        add_range(&d, s * EACH, (s + 1) * EACH);
        off = (double)lk_distinct_count(&d) / EACH - 1;
        sum += off;
        squares += off * off;
        lk_distinct_release(&d);
    }
    check(sqrt(squares / SETS) < 1.3 * LK_DISTINCT_ERROR, "off by %g", sqrt(squares / SETS));
    check(fabs(sum / SETS) < 0.5 * LK_DISTINCT_ERROR, "off to one side by %g", sum / SETS);
}

TEST(distinct_counts_few_values_well_when_estimated)
{
    lk_distinct d;

    lk_distinct_init(&d, 7);
    assert_int_equal(lk_distinct_count(&d), 0);
    lk_distinct_estimate(&d);
    assert_int_equal(lk_distinct_count(&d), 0);
    add_range(&d, 0, 100);
    check(llabs((long long)lk_distinct_count(&d) - 100) <= 2, "%d", (int)lk_distinct_count(&d));
    lk_distinct_release(&d);
}

TESTS(T(distinct_is_exact_up_to_its_bound), T(distinct_knows_the_hash_of_zero),
      T(distinct_estimates_within_its_stated_error), T(distinct_errs_as_much_as_it_says),
      T(distinct_counts_few_values_well_when_estimated))
