/* Planted servers are found again by replay of what they were asked. */
#include "infer/admission.h"

#include "base/random.h"

#include "unit.h"

#include <math.h>

enum { N = 600 };

static double asked[N], served[N], share[N];

static void ask_in_waves(double size, double decay, size_t every)
{
    for (size_t i = 0; i < N; i++)
        asked[i] = 0;
    for (size_t i = 10; i < N; i += every, size *= decay)
        asked[i] = floor(size);
}

static lk_admission fit(void)
{
    const lk_asked_served a = { N, 1, 0, asked, served };
    lk_admission found;
    lk_arena scratch;
    lk_err e = { 0 };

    lk_arena_init(&scratch, 0);
    assert_int_equal(lk_admission_fit(&a, &scratch, &found, share, &e), LK_OK);
    lk_arena_release(&scratch);
    return found;
}

static void admission_finds_a_bucket(void **state)
{
    double tokens = 40;
    lk_admission found;

    (void)state;
    ask_in_waves(500, 0.95, 12);
    for (size_t i = 0; i < N; i++) {
        tokens = fmin(40, tokens + 1.5);
        served[i] = fmin(asked[i], floor(tokens));
        tokens -= served[i];
    }
    found = fit();
    assert_int_equal(found.kind, LK_ADMISSION_BUCKET);
    assert_true(fabs(found.per_s - 1.5) < 0.1);
}

static void admission_finds_a_quota_of_each_minute(void **state)
{
    double left = 0;
    lk_admission found;

    (void)state;
    for (size_t i = 0; i < N; i++)
        asked[i] = 3 + (double)(i * 7 % 5);
    for (size_t i = 0; i < N; i++) {
        left = i % 60 ? left : 120;
        served[i] = fmin(asked[i], left);
        left -= served[i];
    }
    found = fit();
    assert_int_equal(found.kind, LK_ADMISSION_WINDOW);
    assert_true(fabs(60 * found.per_s - 120) < 6);
}

static void admission_of_an_outage_is_a_share(void **state)
{
    (void)state;
    for (size_t i = 0; i < N; i++) {
        asked[i] = 20 + (double)(i * 13 % 7);
        served[i] = i >= 200 && i < 400 ? 0 : asked[i];
    }
    assert_int_equal(fit().kind, LK_ADMISSION_SHARE);
    assert_true(share[300] > 0.99);
    assert_true(share[100] < 0.01);
}

static void few_refusals_at_random_are_a_share(void **state)
{
    lk_admission found;

    (void)state;
    for (size_t i = 0; i < N; i++) { /* one in a hundred, whatever is asked */
        asked[i] = 5 + (double)(i * 13 % 11);
        served[i] = asked[i] - (i * 37 % 10 == 0);
    }
    found = fit();
    assert_int_equal(found.kind, LK_ADMISSION_SHARE);
    assert_true(share[0] > 0.005 && fabs(share[0] - share[N - 1]) < 1e-9);
}

/* A call every few seconds: what serves everybody is never far off. */
static void refusals_at_random_of_few_requests_are_a_share(void **state)
{
    static const struct {
        double asked, refused;
    } ROWS[] = { { 0.3, 0.2 }, { 1, 0.2 }, { 1, 0.1 }, { 2, 0.1 }, { 5, 0.1 }, { 10, 0.05 } };

    (void)state;
    for (uint64_t seed = 1; seed <= 8; seed++)
        for (size_t k = 0; k < sizeof(ROWS) / sizeof(ROWS[0]); k++) {
            lk_random random;

            lk_random_init(&random, seed);
            for (size_t i = 0; i < N; i++) {
                asked[i] = served[i] = 0;
                for (double at = lk_random_exponential(&random, 1); at < ROWS[k].asked;
                     at += lk_random_exponential(&random, 1)) {
                    asked[i]++;
                    served[i] += lk_random_unit(&random) >= ROWS[k].refused;
                }
            }
            assert_int_equal(fit().kind, LK_ADMISSION_SHARE);
        }
}

/* ... and an allowance of as few requests stays one. */
static void admission_finds_a_quota_of_few_requests(void **state)
{
    double left = 0;
    lk_random random;
    lk_admission found;

    (void)state;
    lk_random_init(&random, 5);
    for (size_t i = 0; i < N; i++) {
        asked[i] = lk_random_unit(&random) < 0.5;
        left = i % 60 ? left : 20;
        served[i] = fmin(asked[i], left);
        left -= served[i];
    }
    found = fit();
    assert_int_equal(found.kind, LK_ADMISSION_WINDOW);
    assert_true(fabs(60 * found.per_s - 20) < 2);
}

TESTS(T(few_refusals_at_random_are_a_share), T(refusals_at_random_of_few_requests_are_a_share),
      T(admission_finds_a_quota_of_few_requests), T(admission_finds_a_bucket), T(admission_finds_a_quota_of_each_minute),
      T(admission_of_an_outage_is_a_share))
