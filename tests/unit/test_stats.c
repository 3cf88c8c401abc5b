#include "infer_vectors.h"

#include "base/random.h"
#include "infer/stats.h"

static const struct {
    unsigned m;
    double s, want;
} GAMMA[] = {
    { 1, 3.0, -3.0 },        { 2, 5.0, -3.208241 },   { 4, 10.0, -4.572117 },
    { 8, 30.0, -14.462971 }, { 8, 100.0, -76.21719 },
};

static const struct {
    double k;
    unsigned m;
    double s, want;
} ALIGN[] = {
    { 3.0, 1, 2.9, -4.284303 },   { 4.0, 8, 31.1, -11.523293 }, { 5.0, 4, 18.82, -11.421843 },
    { 6.0, 8, 40.0, -14.729351 }, { 41.0, 1, 3.0, -1e9 }, /* more rows: their alignment by luck is no matter */
};

static const struct {
    double k, b, w, wb, want;
} BINOM[] = {
    { 10, 3, 1.0, 6.0, -11.123651 }, { 300, 12, 0.24, 1.6, -504.946838 },
    { 4, 4, 1.0, 6.0, -2.243222 },   { 1, 50, 1.0, 6.0, 0.0 }, /* fewer than beside it */
    { 0, 0, 1.0, 6.0, 0.0 },
};

static const double PHASES[] = {
    0.295261, 0.305512, 0.292584, 0.300099, 0.303425, 0.298014, 0.301546, 0.303709, 0.303563,
    0.309005, 0.291355, 0.300096, 0.294733, 0.306213, 0.309558, 0.29786,  0.309082, 0.302008,
    0.305468, 0.308179, 0.308621, 0.309474, 0.301053, 0.296443, 0.291742,
};

TEST(stats_tails_match_the_reference)
{
    for (size_t i = 0; i < ROWS(GAMMA); i++)
        check(is_close(lk_ln_gamma_sf(GAMMA[i].m, GAMMA[i].s), GAMMA[i].want, 1e-5), "row %zu", i);
    for (size_t i = 0; i < ROWS(ALIGN); i++)
        check(is_close(lk_ln_align(ALIGN[i].k, ALIGN[i].m, ALIGN[i].s), ALIGN[i].want, 1e-5),
              "row %zu: %f", i, lk_ln_align(ALIGN[i].k, ALIGN[i].m, ALIGN[i].s));
    for (size_t i = 0; i < ROWS(BINOM); i++)
        check(is_close(lk_ln_binom_sf(BINOM[i].k, BINOM[i].b, BINOM[i].w, BINOM[i].wb),
                       BINOM[i].want, 1e-5),
              "row %zu", i);
}

TEST(stats_phases_match_the_reference)
{
    double even[60];

    check(is_close(lk_h_test(PHASES, ROWS(PHASES), 10), 439.92057, 1e-5), "%f",
          lk_h_test(PHASES, ROWS(PHASES), 10));
    check(lk_resultant(PHASES, ROWS(PHASES)) > 0.99, "narrow phases");
    for (size_t i = 0; i < ROWS(even); i++)
        even[i] = (double)i / (double)ROWS(even);
    check(lk_resultant(even, ROWS(even)) < 1e-9, "even phases");
    check(lk_h_test(even, ROWS(even), 10) < 1e-6, "even phases");
    assert_true(lk_h_test(NULL, 0, 10) < 1e-12 && lk_resultant(NULL, 0) < 1e-12);
}

/* H is about exponential with rate 0.4: one in a thousand lies above 17.3. */
TEST(stats_h_is_calibrated)
{
    lk_random r;
    unsigned above = 0;

    lk_random_init(&r, 11);
    for (int run = 0; run < 2000; run++) {
        double phase[40];

        for (size_t i = 0; i < ROWS(phase); i++)
            phase[i] = lk_random_unit(&r);
        above += lk_h_test(phase, ROWS(phase), 10) > 11.5; /* e^-4.6 = 1 % */
    }
    check(above <= 40, "%u of 2000 above the 1 %% line", above);
}

static int ascending(const void *a, const void *b)
{
    const double *x = a, *y = b;

    return (*x > *y) - (*x < *y);
}

TEST(stats_medians_are_those_of_a_sort)
{
    lk_random r;

    lk_random_init(&r, 3);
    for (size_t n = 1; n < 200; n++) {
        double v[200], sorted[200], want;

        for (size_t i = 0; i < n; i++)
            v[i] = sorted[i] = floor(lk_random_unit(&r) * (n % 3 == 0 ? 4.0 : 1e6));
        qsort(sorted, n, sizeof(*sorted), ascending);
        want = n % 2 ? sorted[n / 2] : 0.5 * (sorted[n / 2] + sorted[n / 2 - 1]);
        check(fabs(lk_median(v, n) - want) < 1e-9, "median of %zu", n);
        check(fabs(lk_quantile(v, n, 0.25) - sorted[(n - 1) / 4]) < 1e-9, "quartile of %zu", n);
        check(fabs(lk_quantile(v, n, 1.0) - sorted[n - 1]) < 1e-9, "largest of %zu", n);
    }
    assert_true(isnan(lk_median(NULL, 0)) && isnan(lk_quantile(NULL, 0, 0.5)));
}

TEST(stats_spread_is_a_deviation)
{
    double v[] = { 1, 2, 3, 4, 5, 6, 7, 8, 9, 1000 };

    check(is_close(lk_spread(v, ROWS(v), 5.5), 1.4826 * 2.5, 1e-9), "%f", v[0]);
}

static const struct {
    double k, n, low, high;
} WILSON[] = {
    { 0, 0, 0.0, 1.0 },
    { 0, 10, 0.0, 0.277533 },
    { 5, 10, 0.236593, 0.763407 },
    { 10, 10, 0.722467, 1.0 },
};

TEST(stats_wilson_is_an_interval)
{
    for (size_t i = 0; i < ROWS(WILSON); i++) {
        double low, high;

        lk_wilson(WILSON[i].k, WILSON[i].n, &low, &high);
        check(fabs(low - WILSON[i].low) < 1e-4 && fabs(high - WILSON[i].high) < 1e-4,
              "row %zu: %f %f", i, low, high);
    }
}

/* 12.33 s in whole seconds is 12, 12, 13: the median would say 12; strays on every second do not move
 * it. */
TEST(stats_typical_of_whole_seconds_is_their_mean)
{
    double v[400];
    size_t n = 0;

    for (int i = 0; i < 300; i++)
        v[n++] = i % 3 == 2 ? 13 : 12;
    check(fabs(lk_typical(v, n, 1.0, 0.0) - 12.3333) < 1e-3, "plain");
    for (int i = 0; i < 10; i++)
        for (int k = 12; k < 20; k++)
            v[n++] = k;
    check(fabs(lk_typical(v, n, 1.0, 10.0) - 12.3333) < 1e-3, "with strays: %f",
          lk_typical(v, n, 1.0, 10.0));
    check(fabs(lk_typical(v, n, 0.001, 0.0) - lk_median(v, n)) < 1e-9, "fine stamps");
}

/* Two of 12 callers came once each while the others came fifty times; where half of the callers left early, or all
 * came seldom, or the seldom ones have a fifth of all, each has a vote. */
TEST(stats_strays_have_no_vote)
{
    double strays[12] = { 1.0, 1.0 }, early[12], seldom[12], fifth[200];

    for (size_t i = 0; i < 12; i++) {
        strays[i] = i < 2 ? 1.0 : 50.0;
        early[i] = i < 6 ? 20.0 : 50.0;
        seldom[i] = 1.0 + (double)(i % 3);
    }
    for (size_t i = 0; i < 200; i++)
        fifth[i] = i < 10 ? 76.0 : 1.0;
    check(fabs(lk_vote_least(strays, 12) - 0.1 * 25002.0 / 502.0) < 1e-9, "%f", lk_vote_least(strays, 12));
    check(lk_vote_least(early, 12) <= 20.0, "%f", lk_vote_least(early, 12));
    check(lk_vote_least(seldom, 12) <= 0.0, "%f", lk_vote_least(seldom, 12));
    check(lk_vote_least(fifth, 200) <= 0.0, "%f", lk_vote_least(fifth, 200));
    check(lk_vote_least(NULL, 0) <= 0.0, "of nobody");
}

TESTS(T(stats_tails_match_the_reference), T(stats_phases_match_the_reference),
      T(stats_h_is_calibrated), T(stats_medians_are_those_of_a_sort), T(stats_spread_is_a_deviation), T(stats_wilson_is_an_interval),
      T(stats_typical_of_whole_seconds_is_their_mean), T(stats_strays_have_no_vote))
