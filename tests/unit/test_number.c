#include "unit.h"

#include "base/number.h"
#include "base/random.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static void same_six(double x)
{
    char ours[LK_NUMBER_TEXT], theirs[64];

    lk_number_six(ours, x);
    (void)snprintf(theirs, sizeof(theirs), "%.6g", x);
    check(strcmp(ours, theirs) == 0, "%.17g: '%s', not '%s'", x, ours, theirs);
}

TEST(numbers_are_as_printf_has_them)
{
    static const double ROWS_SIX[] = {
        0,         1,         -1,         0.5,           0.1,         0.25,
        123456,    123456.5,  1234565e-1, 999999,        999999.5,    999999.4,
        1000000,   99999.95,  0.0001,     0.00009999995, 0.000123456, 0.0001234565,
        0.1234565, 0.2234565, 1e300,      -1e-300,       12.345675,   0.99999949,
        0.9999995, 9.999995,  100,        1e5,           250000,      0.3,
        2.5
    };
    lk_random r;

    for (size_t i = 0; i < ROWS(ROWS_SIX); i++)
        same_six(ROWS_SIX[i]);
    same_six((double)INFINITY);
    same_six((double)NAN);
    lk_random_init(&r, 7);
    for (int i = 0; i < 200000; i++) {
        double u = lk_random_unit(&r);

        same_six(ldexp(u, (int)(lk_random_u64(&r) % 48) - 24));
        same_six(-floor(u * 1e6) / 1000);
        same_six(floor(u * 1e7) / 10 + 0.05); /* halves of the seventh digit */
    }
}

TEST(counts_are_as_printf_has_them)
{
    static const int64_t ROWS_COUNT[] = { 0,  1,   -1,        9,         10,
                                          99, 100, INT64_MAX, INT64_MIN, -1234567890123 };

    for (size_t i = 0; i < ROWS(ROWS_COUNT); i++) {
        char ours[LK_NUMBER_TEXT], theirs[64];

        lk_number_count(ours, ROWS_COUNT[i]);
        (void)snprintf(theirs, sizeof(theirs), "%" PRId64, ROWS_COUNT[i]);
        assert_string_equal(ours, theirs);
    }
}

TESTS(T(numbers_are_as_printf_has_them), T(counts_are_as_printf_has_them))
