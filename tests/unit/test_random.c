#include "unit.h"

#include "base/random.h"

static double mean_of(double (*draw)(lk_random *r), uint64_t seed, int count)
{
    lk_random r;
    double sum = 0.0;

    lk_random_init(&r, seed);
    for (int i = 0; i < count; i++)
        sum += draw(&r);
    return sum / count;
}

static double exponential_3(lk_random *r)
{
    return lk_random_exponential(r, 3.0);
}

static double exponential_3_squared(lk_random *r)
{
    double x = lk_random_exponential(r, 3.0);

    return x * x;
}

static bool is_near(double got, double want, double tolerance)
{
    return got > want - tolerance && got < want + tolerance;
}

/* The sequence that is published with SplitMix64 implementations for this seed. */
TEST(random_is_splitmix64)
{
    static const uint64_t WANT[] = { UINT64_C(6457827717110365317), UINT64_C(3203168211198807973),
                                     UINT64_C(9817491932198370423), UINT64_C(4593380528125082431),
                                     UINT64_C(16408922859458223821) };
    lk_random r;

    lk_random_init(&r, 1234567);
    for (size_t i = 0; i < ROWS(WANT); i++)
        check(lk_random_u64(&r) == WANT[i], "row %zu", i);
}

TEST(random_same_seed_same_numbers)
{
    lk_random a, b;

    lk_random_init(&a, 5);
    lk_random_init(&b, 5);
    for (int i = 0; i < 1000; i++) {
        double pair[2] = { lk_random_exponential(&a, 2.0), lk_random_exponential(&b, 2.0) };

        check(memcmp(&pair[0], &pair[1], sizeof(pair[0])) == 0, "draw %d", i);
    }
    lk_random_init(&b, 6);
    assert_int_not_equal(lk_random_u64(&a), lk_random_u64(&b));
}

TEST(random_unit_is_in_range_and_even)
{
    int tenths[10] = { 0 };
    lk_random r;

    lk_random_init(&r, 9);
    for (int i = 0; i < 100000; i++) {
        double u = lk_random_unit(&r);

        check(u >= 0.0 && u < 1.0, "%d", i);
        tenths[(int)(u * 10.0)]++;
    }
    for (int i = 0; i < 10; i++) /* sigma 95 */
        check(tenths[i] > 9500 && tenths[i] < 10500, "tenth %d: %d", i, tenths[i]);
}

/* Mean 3 and second moment 18; 200,000 draws, five sigma. */
TEST(random_exponential_has_its_moments)
{
    assert_true(is_near(mean_of(exponential_3, 11, 200000), 3.0, 0.034));
    assert_true(is_near(mean_of(exponential_3_squared, 12, 200000), 18.0, 0.45));
}

/* A simulated log is made of these bits.  libm's -log(1 - u) is within 5e-16 of them. */
TEST(random_exponential_is_the_same_everywhere)
{
    static const double WANT[] = { 0x1.b93f3ce69e6acp-2, 0x1.869d4e062ce1cp-3, 0x1.84fb55eb212b6p-1,
                                   0x1.253b827397e1ep-2, 0x1.19fc1f6f71648p+1 };
    lk_random r;

    lk_random_init(&r, 1234567);
    for (size_t i = 0; i < ROWS(WANT); i++) {
        double got = lk_random_exponential(&r, 1.0);

        check(memcmp(&got, &WANT[i], sizeof(got)) == 0, "row %zu: %a", i, got);
    }
}

TEST(random_exponential_is_finite_and_not_negative)
{
    lk_random r;

    lk_random_init(&r, 3);
    for (int i = 0; i < 100000; i++) {
        double x = lk_random_exponential(&r, 1.0);

        check(x >= 0.0 && x < 37.0, "%d: %g", i, x); /* 53 ln 2 = 36.7 */
    }
}

TEST(random_process_keys_differ)
{
    assert_int_not_equal(lk_random_process_key(), lk_random_process_key());
}

TESTS(T(random_is_splitmix64), T(random_same_seed_same_numbers),
      T(random_unit_is_in_range_and_even), T(random_exponential_has_its_moments),
      T(random_exponential_is_the_same_everywhere),
      T(random_exponential_is_finite_and_not_negative), T(random_process_keys_differ))
