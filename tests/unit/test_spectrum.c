#include "infer_vectors.h"

#include "base/random.h"
#include "infer/spectrum.h"

#include <limits.h>

static lk_err e;

static const struct {
    size_t n, want;
} LENGTHS[] = { { 0, 4 }, { 4, 4 }, { 5, 6 }, { 7, 8 }, { 11, 12 }, { 77, 80 }, { 4802, 4860 } };

TEST(spectrum_lengths_are_even_and_smooth)
{
    for (size_t i = 0; i < ROWS(LENGTHS); i++)
        check(lk_spectrum_length(LENGTHS[i].n) == LENGTHS[i].want, "%zu: %zu", LENGTHS[i].n,
              lk_spectrum_length(LENGTHS[i].n));
    for (size_t n = 1; n < 5000; n += 7) {
        size_t length = lk_spectrum_length(n), rest = length;

        while (rest % 2 == 0)
            rest /= 2;
        while (rest % 3 == 0)
            rest /= 3;
        while (rest % 5 == 0)
            rest /= 5;
        check(rest == 1 && length % 2 == 0 && length >= n && length < n + n / 4 + 5, "%zu", n);
    }
}

TEST(spectrum_refuses_bad_lengths)
{
    static const size_t BAD[] = { 0, 1, 2, 3, 5, 4801, (size_t)INT_MAX + 1 };
    double y[12] = { 0 }, power[12];
    lk_spectrum *s;
    lk_arena a;

    lk_arena_init(&a, 0);
    for (size_t i = 0; i < ROWS(BAD); i++)
        check(lk_spectrum_new(&a, BAD[i], &s, &e) == LK_EUSAGE, "%zu", BAD[i]);
    check_ok(lk_spectrum_new(&a, 8, &s, &e), e);
    assert_int_equal(lk_spectrum_power(s, y, 9, power, &e), LK_EUSAGE);
    assert_int_equal(lk_spectrum_power(s, y, 0, power, &e), LK_EUSAGE);
    assert_int_equal(lk_spectrum_acf(s, y, 9, power, &e), LK_EUSAGE);
    lk_arena_release(&a);
}

TEST(spectrum_reports_no_memory)
{
    double y[480] = { 0 }, acf[480];
    size_t need = 0;

    for (size_t limit = 16; need == 0; limit += 512) {
        lk_spectrum *s;
        lk_arena a;
        lk_code code;

        lk_arena_init(&a, limit);
        code = lk_spectrum_new(&a, 960, &s, &e);
        if (code == LK_OK)
            code = lk_spectrum_acf(s, y, ROWS(y), acf, &e); /* makes the inverse plan */
        check(code == LK_OK || code == LK_EOOM, "limit %zu: %s", limit, e.msg);
        need = code == LK_OK ? limit : 0;
        lk_arena_release(&a);
    }
}

/* Parseval: the power over all frequencies is the length times the variance's sum. */
TEST(spectrum_keeps_the_energy)
{
    static const size_t SIZES[] = { 100, 243, 1000, 5000 };

    for (size_t i = 0; i < ROWS(SIZES); i++) {
        size_t n = SIZES[i], length = lk_spectrum_length(2 * n);
        double *y = calloc(n, sizeof(*y)), *power = calloc(length, sizeof(*power));
        double mean = 0.0, energy = 0.0, total;
        lk_random r;
        lk_arena a;
        lk_spectrum *s;

        lk_random_init(&r, n);
        for (size_t k = 0; k < n; k++)
            mean += (y[k] = 1000.0 + lk_random_unit(&r)) / (double)n;
        for (size_t k = 0; k < n; k++)
            energy += (y[k] - mean) * (y[k] - mean);
        lk_arena_init(&a, 0);
        check_ok(lk_spectrum_new(&a, length, &s, &e), e);
        assert_int_equal(lk_spectrum_points(s), length / 2 + 1);
        check_ok(lk_spectrum_power(s, y, n, power, &e), e);
        total = power[length / 2];
        for (size_t k = 1; k < length / 2; k++)
            total += 2.0 * power[k];
        check(is_close(total, energy * (double)length, 1e-4), "n %zu: %g, want %g", n, total,
              energy * (double)length);
        lk_arena_release(&a);
        free(y);
        free(power);
    }
}

TEST(spectrum_acf_shows_the_period)
{
    double y[600], acf[600];
    lk_arena a;
    lk_spectrum *s;

    for (size_t i = 0; i < ROWS(y); i++)
        y[i] = i % 25 == 0;
    lk_arena_init(&a, 0);
    check_ok(lk_spectrum_new(&a, lk_spectrum_length(2 * ROWS(y)), &s, &e), e);
    check_ok(lk_spectrum_acf(s, y, ROWS(y), acf, &e), e);
    check(fabs(acf[0] - 1.0) < 1e-6, "acf[0] %f", acf[0]);
    check(fabs(acf[25] - 575.0 / 600.0) < 0.01 && acf[12] < 0.0, "%f %f", acf[25], acf[12]);
    memset(y, 0, sizeof(y));
    check_ok(lk_spectrum_acf(s, y, ROWS(y), acf, &e), e);
    check(fabs(acf[0]) < 1e-12, "nothing has no autocorrelation");
    lk_arena_release(&a);
}

typedef struct analysis {
    double white[8192], work[8192];
    lk_peak peak[5], room[8192];
    size_t count, points;
} analysis;

static void analyse(const double *y, size_t n, lk_peak_range range, analysis *out)
{
    size_t length = lk_spectrum_length(n);
    double *power = calloc(length + 1, sizeof(*power));
    lk_spectrum *s;
    lk_tails *tails;
    lk_arena a;

    lk_arena_init(&a, 0);
    check_ok(lk_spectrum_new(&a, length, &s, &e), e);
    check_ok(lk_tails_new(&a, &tails, &e), e);
    out->points = length + 1;
    assert_true(out->points <= ROWS(out->white));
    check_ok(lk_spectrum_halves(s, y, n, power, &e), e);
    lk_spectrum_whiten(power, out->points, 24, out->white, out->work);
    range.span_s = 2.0 * (double)length;
    out->count =
        lk_spectrum_peaks(tails, out->white, out->points, &range, out->peak, 5, out->room);
    lk_arena_release(&a);
    free(power);
}

/* Red noise plus a comb of 17.3 bins: the comb or one of its first harmonics comes first, wherever the
 * power is. */
TEST(spectrum_whitening_finds_a_comb_in_red_noise)
{
    static analysis out;
    lk_peak_range range = { .period_min_s = 4.0, .period_max_s = 600.0, .least = 0.1 };
    static double y[2000];
    double level = 0.0, turns;
    lk_random r;

    lk_random_init(&r, 21);
    for (size_t i = 0; i < ROWS(y); i++) {
        level = 0.98 * level + lk_random_unit(&r) - 0.5;
        y[i] = 10.0 * level + lk_random_unit(&r) + (fmod((double)i, 17.3) < 1.0 ? 2.0 : 0.0);
    }
    analyse(y, ROWS(y), range, &out);
    assert_true(out.count > 0);
    turns = rint(17.3 / out.peak[0].period_s);
    check(turns >= 1.0 && turns <= 8.0 && is_close(out.peak[0].period_s * turns, 17.3, 0.01), "%f",
          out.peak[0].period_s);
}

TEST(spectrum_of_noise_is_white)
{
    static analysis out;
    lk_peak_range range = { .period_min_s = 4.0, .period_max_s = 600.0, .least = 0.1 };
    static double y[3000];
    double mean = 0.0;
    lk_random r;

    lk_random_init(&r, 22);
    for (size_t i = 0; i < ROWS(y); i++)
        y[i] = lk_random_unit(&r);
    analyse(y, ROWS(y), range, &out);
    for (size_t k = 50; k < out.points; k++)
        mean += out.white[k] / (double)(out.points - 50);
    check(fabs(mean - 1.0) < 0.1, "mean %f", mean);
    for (size_t i = 1; i < out.count; i++)
        for (size_t j = 0; j < i; j++)
            check(fabs(out.peak[i].period_s / out.peak[j].period_s - 1.0) > 0.03, "no two within 3 %%");
    range.least = 1.01 * out.peak[1].score;
    analyse(y, ROWS(y), range, &out);
    check(out.count == 1, "%zu peaks are higher than the second", out.count);
    range.period_max_s = 4.001;
    analyse(y, ROWS(y), range, &out);
    assert_int_equal(out.count, 0); /* one point is no peak */
    range.period_max_s = 3.0;
    analyse(y, ROWS(y), range, &out);
    assert_int_equal(out.count, 0);
}

/* A tone loses at most about a quarter of its power between two points, and a half point has that of noise. */
TEST(spectrum_halves_hold_a_tone_between_points)
{
    enum { N = 1000 };
    static double y[N], power[N + 1];
    lk_arena a;
    lk_spectrum *s;

    lk_arena_init(&a, 0);
    check_ok(lk_spectrum_new(&a, N, &s, &e), e);
    for (double turns = 100.0; turns <= 101.0; turns += 0.125) {
        double most = 0.0;

        for (size_t i = 0; i < N; i++)
            y[i] = cos(2.0 * acos(-1.0) * turns * (double)i / N);
        check_ok(lk_spectrum_halves(s, y, N, power, &e), e);
        for (size_t k = 196; k <= 206; k++)
            most = fmax(most, power[k] / (0.25 * N * N));
        check(most > 0.74 && most < 1.01, "%g turns: %f", turns, most);
    }
    assert_int_equal(lk_spectrum_halves(s, y, N + 1, power, &e), LK_EUSAGE);
    lk_arena_release(&a);
}

TESTS(T(spectrum_lengths_are_even_and_smooth), T(spectrum_refuses_bad_lengths),
      T(spectrum_reports_no_memory), T(spectrum_keeps_the_energy), T(spectrum_acf_shows_the_period),
      T(spectrum_whitening_finds_a_comb_in_red_noise), T(spectrum_of_noise_is_white),
      T(spectrum_halves_hold_a_tone_between_points))
