#include "unit.h"

#include "base/quantity.h"

#include <math.h>

TEST(quantity_reads_durations)
{
    static const struct {
        const char *text;
        double want;
    } ROW[] = {
        { "60", 60 },    { "0.25", 0.25 }, { "200ms", 0.2 }, { "60s", 60 }, { "5m", 300 },
        { "5min", 300 }, { "2h", 7200 },   { "1d", 86400 },  { ".5", 0.5 }, { "1e3ms", 1 }
    };
    double out;

    for (size_t i = 0; i < ROWS(ROW); i++)
        check(
            lk_quantity_seconds(lk_slice_from(ROW[i].text), &out) && fabs(out - ROW[i].want) < 1e-9,
            "row %zu: '%s'", i, ROW[i].text);
    assert_true(lk_quantity_seconds(LK_SLICE("none"), &out) && isinf(out));
}

TEST(quantity_reads_rates)
{
    static const struct {
        const char *text;
        double want;
    } ROW[] = { { "67", 67 },
                { "67/s", 67 },
                { "4000/min", 4000.0 / 60 },
                { "4000/m", 4000.0 / 60 },
                { "3600/h", 1 },
                { "2e6/min", 2e6 / 60 } };
    double out;

    for (size_t i = 0; i < ROWS(ROW); i++)
        check(lk_quantity_per_second(lk_slice_from(ROW[i].text), &out) &&
                  fabs(out - ROW[i].want) < 1e-9 * ROW[i].want,
              "row %zu: '%s'", i, ROW[i].text);
}

TEST(quantity_refuses_the_rest)
{
    static const char *const ROW[] = { "",      "-1", "1x", "nan",  "infinity", "0x10", "1 s", "s",
                                       "1e999", "1/", "/s", "1/fn", "+1",       "1..2", "1,5" };
    double out;

    for (size_t i = 0; i < ROWS(ROW); i++) {
        check(!lk_quantity_seconds(lk_slice_from(ROW[i]), &out), "row %zu: '%s'", i, ROW[i]);
        check(!lk_quantity_per_second(lk_slice_from(ROW[i]), &out), "row %zu: '%s'", i, ROW[i]);
    }
}

TESTS(T(quantity_reads_durations), T(quantity_reads_rates), T(quantity_refuses_the_rest))
