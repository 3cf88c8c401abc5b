#include "unit.h"

#include "report/axis.h"

#include <math.h>

/* Columns of eight bins of 0.25 s: of a whole one and of one cut by the log's end in the middle or later the mean of
 * what there is; of one bin with a wave of 150 the 75 /s that the waves before it have. */
TEST(axis_rate_of_a_column_that_is_cut)
{
    static const uint32_t WAVE[8] = { 150 }, EVEN[8] = { 3, 3, 3, 3, 3, 3, 3, 3 };

    check(fabs(lk_axis_rate(WAVE, 0, 8, 8, 0.25) - 75.0) < 1e-9, "whole");
    check(fabs(lk_axis_rate(WAVE, 0, 1, 8, 0.25) - 75.0) < 1e-9, "one bin");
    check(fabs(lk_axis_rate(EVEN, 0, 4, 8, 0.25) - 12.0) < 1e-9, "half");
    check(fabs(lk_axis_rate(EVEN, 2, 8, 8, 0.25) - 12.0) < 1e-9, "most of it");
}

TESTS(T(axis_rate_of_a_column_that_is_cut))
