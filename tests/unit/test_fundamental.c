#include "infer_world.h"

#include "infer/fundamental.h"

static lk_err e;
static lk_arena a, scratch;

enum { BINS = 4800 };
static double x[BINS];

/* Waves every `period_s`, the k-th with the weight of the pattern; background 2 a second. */
static double resolve(double period_s, const double *pattern, size_t n, double given_s)
{
    double bin_s = 0.25, out = 0.0;
    lk_line line;
    lk_random r;

    lk_random_init(&r, 17);
    memset(x, 0, sizeof(x));
    for (double at = 0; at < BINS * bin_s; at += lk_random_exponential(&r, 0.5))
        x[(size_t)(at / bin_s)] += 1.0;
    for (int k = 0; (k + 1) * period_s < BINS * bin_s; k++)
        for (int i = 0; i < (int)(30.0 * pattern[(size_t)k % n]); i++)
            x[(size_t)((k * period_s + 1.0 * lk_random_unit(&r)) / bin_s)] += 1.0;
    lk_arena_init(&a, 0);
    lk_arena_init(&scratch, 0);
    check_ok(lk_line_init(&line, x, BINS, bin_s, &a, &e), e);
    check_ok(lk_fundamental_find(&line, given_s, &scratch, &out, &e), e);
    check(scratch.used == 0, "%zu bytes of scratch are left", scratch.used);
    lk_arena_release(&a);
    lk_arena_release(&scratch);
    return out;
}

static const double EVEN[] = { 1.0 };
static const double SHARES[] = { 1.0, 1.0 / 2, 1.0 / 3, 1.0 / 4, 2.0, 3.0, 2.0 / 3 };

TEST(fundamental_of_any_harmonic_is_the_clock)
{
    for (size_t i = 0; i < ROWS(SHARES); i++) {
        double p = resolve(24.0, EVEN, 1, 24.0 * SHARES[i]);

        check(fabs(p - 24.0) < 0.5, "given %g: %f", 24.0 * SHARES[i], p);
    }
}

TEST(fundamental_of_noise_keeps_what_was_given)
{
    static const double NONE[] = { 0.0 };
    double p = resolve(24.0, NONE, 1, 31.0);

    check(fabs(p - 31.0) < 1e-9, "%f", p);
}

TEST(fundamental_reports_no_memory)
{
    lk_line line;
    double out;

    memset(x, 0, sizeof(x));
    lk_arena_init(&a, 0);
    check_ok(lk_line_init(&line, x, BINS, 0.25, &a, &e), e);
    for (size_t limit = 1024; limit < 100000; limit *= 4) {
        lk_arena_init(&scratch, limit);
        assert_int_equal(lk_fundamental_find(&line, 24.0, &scratch, &out, &e), LK_EOOM);
        lk_arena_release(&scratch);
    }
    lk_arena_release(&a);
}

TESTS(T(fundamental_of_any_harmonic_is_the_clock), T(fundamental_of_noise_keeps_what_was_given),
      T(fundamental_reports_no_memory))
