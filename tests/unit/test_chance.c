#include "unit.h"

#include "infer/chance.h"

#include <math.h>

/* One is the inverse of the other, both grow, and neither is above certainty. */
TEST(chance_there_and_back)
{
    double last = -1e9;

    for (double ln = -5000.0; ln <= -2.0; ln += 7.3) {
        double there = lk_chance_measured(lk_chance_needed(ln));

        check(fabs(there - ln) < 1e-9 * fabs(ln), "%f: %f", ln, there);
        check(lk_chance_needed(ln) > last, "%f", ln);
        last = lk_chance_needed(ln);
    }
    check(lk_chance_needed(-0.5) <= 0.0 && lk_chance_measured(0.0) <= 0.0, "above certainty");
}

/* The default level asks of a witness about what it promises. */
TEST(chance_of_the_default)
{
    check(fabs(lk_chance_needed(log(2e-4)) - log(2e-4)) < 1.0, "%f", lk_chance_needed(log(2e-4)));
}

TESTS(T(chance_there_and_back), T(chance_of_the_default))
