#include "unit.h"

#include "infer/chance.h"

#include <math.h>

static const double SPANS[] = { 20.0, 450.0, 3600.0, 21600.0, 2592000.0 };

/* One is the inverse of the other, both grow, and neither is above certainty. */
TEST(chance_there_and_back)
{
    for (size_t i = 0; i < ROWS(SPANS); i++) {
        double last = -1e9, span = SPANS[i];

        for (double ln = -5000.0; ln <= -3.0; ln += 7.3) {
            double there = lk_chance_measured(lk_chance_needed(ln, span), span);

            check(fabs(there - ln) < 1e-9 * fabs(ln), "%f: %f", ln, there);
            check(lk_chance_needed(ln, span) > last, "%f", ln);
            last = lk_chance_needed(ln, span);
        }
        check(lk_chance_needed(-0.5, span) <= 0.0 && lk_chance_measured(0.0, span) <= 0.0,
              "above certainty");
    }
}

/* The longer the log, the more a witness must show. */
TEST(chance_asks_more_of_long_logs)
{
    for (size_t i = 1; i < ROWS(SPANS); i++)
        check(lk_chance_needed(-9.0, SPANS[i]) < lk_chance_needed(-9.0, SPANS[i - 1]), "%g s",
              SPANS[i]);
}

/* The default level asks of a witness about what it promises. */
TEST(chance_of_the_default)
{
    double needed = lk_chance_needed(log(2e-4), 1800.0);

    check(fabs(needed - log(2e-4)) < 1.0, "%f", needed);
}

TESTS(T(chance_there_and_back), T(chance_asks_more_of_long_logs),
      T(chance_of_the_default))
