#include "unit.h"

#include "base/xoshiro.h"
#include "sim/sampler.h"

#include <math.h>
#include <stdlib.h>

/* A sampler draws what its row draws, from every row, at every retry. */
TEST(sampler_draws_as_its_row)
{
    static const lk_policy_params PARAMS[] = {
        { 1, 2, 1000, 0.1, 0 }, { 0.25, 2, 60, 0.5, 0 }, { 3, 1.5, (double)INFINITY, 0, 0 },
        { 8, 2, 4, 0.1, 0 }, /* the cap below the base */
    };
    lk_xoshiro x;

    lk_xoshiro_init(&x, 1, 0);
    for (const lk_policy *row = LK_POLICIES; row->name; row++)
        for (size_t p = 0; p < ROWS(PARAMS); p++) {
            lk_wait w = { 0, PARAMS[p].base_s, -1 };
            lk_sampler s;

            lk_sampler_init(&s, row, &PARAMS[p]);
            if (s.kind == LK_SAMPLER_NEVER)
                continue;
            for (w.retry = 0; w.retry < 80; w.retry++) {
                double u = lk_xoshiro_unit(&x), want;

                w.asked_s = w.retry % 3 ? -1 : 12;
                want = lk_policy_delay_s(row, &PARAMS[p], &w, u);
                check(fabs(lk_sampler_draw(&s, &w, u) - want) <= 1e-12 * fabs(want),
                      "%s, parameters %zu, retry %u", row->name, p, w.retry);
                w.previous_s = want;
            }
        }
}

static double twice_the_last(void *context, unsigned retry, double previous_s, double asked_s, double u)
{
    (void)asked_s;
    (void)u;
    return retry == 5 ? (double)NAN : *(double *)context * previous_s;
}

TEST(sampler_asks_a_callback)
{
    double factor = 2;
    lk_sampler s;

    lk_sampler_init_callback(&s, twice_the_last, &factor);
    assert_true(lk_sampler_draw(&s, &(lk_wait){ 1, 3, -1 }, 0.5) == 6);
    assert_true(lk_sampler_draw(&s, &(lk_wait){ 5, 3, -1 }, 0.5) == 0); /* no number: no delay */
}

/* Quantiles of 20,000 chains, cap 1000: the study's medians, four standard errors either way. */
enum { CHAINS = 20000, RETRIES = 30 };

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

static double quantile(const char *policy, unsigned retry, double q)
{
    static double drawn[CHAINS];
    lk_policy_params p = { 1, 2, 1000, 0.1, 0 };
    lk_sampler s;
    lk_xoshiro x;

    lk_sampler_init(&s, lk_policy_find(policy), &p);
    lk_xoshiro_init(&x, 3, retry);
    for (size_t i = 0; i < CHAINS; i++) {
        lk_wait w = { 0, 1, -1 };

        for (w.retry = 0; w.retry < retry; w.retry++)
            w.previous_s = lk_sampler_draw(&s, &w, lk_xoshiro_unit(&x));
        drawn[i] = w.previous_s;
    }
    qsort(drawn, CHAINS, sizeof(drawn[0]), by_value);
    return drawn[(size_t)(q * CHAINS)];
}

TEST(sampler_sleeps_have_the_study_s_quantiles)
{
    static const struct {
        const char *policy;
        unsigned retry;
        double q, want, allowed;
    } ROW[] = {
        { "full-jitter", 1, 0.5, 0.5, 0.015 },
        { "full-jitter", 10, 0.5, 256, 7.5 },
        { "full-jitter", 11, 0.5, 500, 15 }, /* flat from here */
        { "full-jitter", 30, 0.5, 500, 15 },
        { "equal-jitter", 11, 0.5, 750, 7.5 },
        { "decorrelated-jitter", 10, 0.5, 24.6, 1.5 },
        { "decorrelated-jitter", 20, 0.5, 109.3, 9 },
        { "decorrelated-jitter", 30, 0.5, 198.8, 18 },
        { "decorrelated-jitter", 30, 0.1, 7.28, 0.9 },
    };

    for (size_t i = 0; i < ROWS(ROW); i++) {
        double got = quantile(ROW[i].policy, ROW[i].retry, ROW[i].q);

        check(fabs(got - ROW[i].want) <= ROW[i].allowed, "row %zu: %g", i, got);
    }
}

TESTS(T(sampler_draws_as_its_row), T(sampler_asks_a_callback),
      T(sampler_sleeps_have_the_study_s_quantiles))
