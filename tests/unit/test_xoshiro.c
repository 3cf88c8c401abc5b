#include "unit.h"

#include "base/xoshiro.h"

/* The reference code's first numbers from the state 1, 2, 3, 4. */
TEST(xoshiro_is_xoshiro256_plus_plus)
{
    static const uint64_t WANT[] = { UINT64_C(41943041), UINT64_C(58720359),
                                     UINT64_C(3588806011781223), UINT64_C(3591011842654386),
                                     UINT64_C(9228616714210784205), UINT64_C(9973669472204895162) };
    lk_xoshiro x = { { 1, 2, 3, 4 } };

    for (size_t i = 0; i < ROWS(WANT); i++)
        check(lk_xoshiro_u64(&x) == WANT[i], "row %zu", i);
}

TEST(xoshiro_streams_differ)
{
    lk_xoshiro a, b;

    lk_xoshiro_init(&a, 1, 1);
    lk_xoshiro_init(&b, 1, 1);
    assert_true(lk_xoshiro_u64(&a) == lk_xoshiro_u64(&b));
    lk_xoshiro_init(&b, 1, 2);
    assert_true(lk_xoshiro_u64(&a) != lk_xoshiro_u64(&b));
    lk_xoshiro_init(&b, 2, 1);
    assert_true(lk_xoshiro_u64(&a) != lk_xoshiro_u64(&b));
}

TEST(xoshiro_laws_have_their_moments)
{
    double sum = 0, squares = 0, waits = 0;
    enum { N = 200000 };
    lk_xoshiro x;

    lk_xoshiro_init(&x, 4, 0);
    for (int i = 0; i < N; i++) {
        double z = lk_xoshiro_normal(&x);

        sum += z;
        squares += z * z;
        waits += lk_xoshiro_exponential(&x, 3);
    }
    check(sum / N > -0.01 && sum / N < 0.01, "mean %g", sum / N);
    check(squares / N > 0.985 && squares / N < 1.015, "variance %g", squares / N);
    check(waits / N > 2.97 && waits / N < 3.03, "mean %g", waits / N);
}

TESTS(T(xoshiro_is_xoshiro256_plus_plus), T(xoshiro_streams_differ),
      T(xoshiro_laws_have_their_moments))
