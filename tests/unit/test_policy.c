#include "unit.h"

#include "base/random.h"
#include "model/policy.h"

#include <math.h>

TEST(policy_delay_matches_table)
{
    static const struct {
        const char *policy;
        unsigned retry;
        double previous_s, asked_s, u, want_s;
    } ROW[] = {
        { "immediate", 3, 1, -1, 0.5, 0 },
        { "fixed", 7, 1, -1, 0.9, 1 },
        { "exponential", 3, 1, -1, 0, 8 },
        { "exponential", 9, 1, -1, 0, 60 },    /* capped      */
        { "exponential", 5000, 1, -1, 0, 60 }, /* no overflow */
        { "equal-jitter", 3, 1, -1, 0, 4 },
        { "equal-jitter", 3, 1, -1, 0.5, 6 },
        { "full-jitter", 3, 1, -1, 0.5, 4 },
        { "decorrelated-jitter", 9, 10, -1, 0.5, 15.5 }, /* 1 .. 30 */
        { "decorrelated-jitter", 9, 40, -1, 1, 60 },     /* capped  */
        { "percent-jitter", 2, 1, -1, 0, 3.6 },
        { "percent-jitter", 2, 1, -1, 0.5, 4 },
        { "retry-after-exact", 0, 1, 12, 0.7, 12 },
        { "retry-after-exact", 1, 1, -1, 0.5, 1 }, /* no hint: full jitter */
        { "retry-after-jitter", 0, 1, 12, 0.5, 18 },
        { "retry-after-jitter", 0, 1, 100, 0.5, 130 }, /* the jitter is capped */
    };
    lk_policy_params p = LK_POLICY_PARAMS_INIT;

    for (size_t i = 0; i < ROWS(ROW); i++) {
        const lk_policy *policy = lk_policy_find(ROW[i].policy);
        lk_wait w = { ROW[i].retry, ROW[i].previous_s, ROW[i].asked_s };

        check(policy != NULL, "row %zu: no policy '%s'", i, ROW[i].policy);
        check(fabs(lk_policy_delay_s(policy, &p, &w, ROW[i].u) - ROW[i].want_s) < 1e-12,
              "row %zu: %g", i, lk_policy_delay_s(policy, &p, &w, ROW[i].u));
    }
}

TEST(policy_unknown_name_is_none)
{
    assert_null(lk_policy_find("jitter"));
    assert_null(lk_policy_find(""));
}

TEST(policy_uncapped_window_stays_finite_for_real_attempts)
{
    lk_policy_params p = { 0.1, 2, (double)INFINITY, 0, 0 };

    assert_float_equal(lk_policy_window_s(&p, 9), 51.2,
                       1e-9); /* the tenth wait of 100 ms doubling */
}

/* What is drawn follows the density: Kolmogorov's distance on a grid, atoms at the cap included. */
enum { DRAWS = 20000, CELLS = 200 };

static double distance(const lk_policy *policy, const lk_policy_params *p, unsigned retry,
                       double asked_s, uint64_t seed)
{
    static double drawn[CELLS + 1], dense[CELLS + 1];
    lk_wait w = { retry, 3.7, asked_s };
    lk_spread s = policy->spread(p, &w);
    double high = fmin(s.high_s, s.most_s) + 0.5137, low = s.low_s - 0.5,
           cell = (high - low) / CELLS;
    double sum_drawn = 0, sum_dense = 0, far = 0;
    lk_random r;

    lk_random_init(&r, seed);
    memset(drawn, 0, sizeof(drawn));
    for (int i = 0; i < DRAWS; i++)
        drawn[(int)((lk_policy_delay_s(policy, p, &w, lk_random_unit(&r)) - low) / cell)] +=
            1.0 / DRAWS;
    for (int i = 0; i < CELLS; i++) {
        dense[i] = 0; /* midpoints of eight slices, each a grain of its own */
        for (int k = 0; k < 8; k++)
            dense[i] += exp(lk_policy_log_density(policy, p, &w, low + cell * (i + (k + 0.5) / 8),
                                                  cell / 8)) *
                        cell / 8;
    }
    for (int i = 0; i < CELLS; i++) {
        sum_drawn += drawn[i];
        sum_dense += dense[i];
        far = fmax(far, fabs(sum_drawn - sum_dense));
    }
    check(fabs(sum_dense - 1) < 0.03, "%s: density sums to %g", policy->name, sum_dense);
    return far;
}

TEST(policy_draws_follow_their_density)
{
    static const lk_policy_params PARAMS[] = { { 1, 2, 60, 0.1, 0 },
                                               { 2.5, 1.5, 8, 0.25, 0 },
                                               { 0.2, 3, (double)INFINITY, 0.5, 0 } };

    for (const lk_policy *policy = LK_POLICIES; policy->name; policy++)
        for (size_t i = 0; i < ROWS(PARAMS) && strcmp(policy->name, "none") != 0; i++)
            for (unsigned retry = 0; retry < 5; retry++)
                for (int asked = -1; asked <= 12; asked += 13) {
                    double d = distance(policy, &PARAMS[i], retry, asked, 7 * i + retry);

                    check(d < 0.02, "%s, parameters %zu, retry %u: %g", policy->name, i, retry, d);
                }
}

TEST(policy_none_never_retries)
{
    const lk_policy *none = lk_policy_find("none");
    lk_policy_params p = LK_POLICY_PARAMS_INIT;
    lk_wait w = { 0, 1, -1 };

    assert_true(isinf(lk_policy_delay_s(none, &p, &w, 0.5)));
    assert_true(lk_policy_gives_up(none, &p, 1));
    assert_false(lk_policy_gives_up(lk_policy_find("fixed"), &p, 1000));
    p.attempts = 3;
    assert_false(lk_policy_gives_up(lk_policy_find("fixed"), &p, 2));
    assert_true(lk_policy_gives_up(lk_policy_find("fixed"), &p, 3));
}

TEST(policy_longest_sum_is_that_of_the_windows)
{
    lk_policy_params p = { 1, 2, 8, 0.1, 0 };

    assert_float_equal(lk_policy_longest_s(lk_policy_find("full-jitter"), &p, 5), 23, 1e-9);
    assert_float_equal(lk_policy_longest_s(lk_policy_find("exponential"), &p, 5), 23, 1e-9);
    assert_float_equal(lk_policy_longest_s(lk_policy_find("decorrelated-jitter"), &p, 3), 19, 1e-9);
    assert_float_equal(lk_policy_longest_s(lk_policy_find("immediate"), &p, 5), 0, 0);
}

TEST(policy_text_reads_back)
{
    static const struct {
        const char *text, *prints;
    } ROW[] = {
        { "full-jitter:base=8,cap=60", "full-jitter:base=8,factor=2,cap=60" },
        { "full-jitter", "full-jitter:base=1,factor=2,cap=60" },
        { "percent-jitter:base=200ms,jitter=20%,cap=none,attempts=4",
          "percent-jitter:base=0.2,factor=2,cap=none,jitter=0.2,attempts=4" },
        { "fixed:base=1m", "fixed:base=60" },
        { "none", "none" },
        { "immediate:attempts=3", "immediate:attempts=3" },
        { "exponential:factor=1.5,attempts=none", "exponential:base=1,factor=1.5,cap=60" },
    };
    char out[LK_POLICY_TEXT_MAX], again[LK_POLICY_TEXT_MAX];
    lk_err e = { 0 };

    for (size_t i = 0; i < ROWS(ROW); i++) {
        lk_policy_choice c = { NULL, LK_POLICY_PARAMS_INIT }, d = c;

        check_ok(lk_policy_parse(lk_slice_from(ROW[i].text), &c, &e), e);
        lk_policy_print(&c, out);
        check(strcmp(out, ROW[i].prints) == 0, "row %zu: %s", i, out);
        check_ok(lk_policy_parse(lk_slice_from(out), &d, &e), e);
        lk_policy_print(&d, again);
        assert_string_equal(out, again);
    }
}

TEST(policy_text_refuses_what_is_none)
{
    static const char *const ROW[] = {
        "",
        "jitter",
        "full-jitter:base",
        "full-jitter:base=",
        "full-jitter:base=-1",
        "full-jitter:base=none",
        "full-jitter:speed=9",
        "full-jitter:cap=0",
        "full-jitter:,",
        "percent-jitter:jitter=1.5",
        "percent-jitter:jitter=200%",
        "fixed:attempts=0",
        "fixed:attempts=1.5",
        "exponential:factor=0.5",
        "fixed:base=0x10",
        "fixed:base=1e999",
    };

    for (size_t i = 0; i < ROWS(ROW); i++) {
        lk_policy_choice c = { NULL, LK_POLICY_PARAMS_INIT };
        lk_err e = { 0 };

        check(lk_policy_parse(lk_slice_from(ROW[i]), &c, &e) == LK_EUSAGE, "row %zu: '%s'", i,
              ROW[i]);
        assert_null(c.policy);
    }
}

TESTS(T(policy_delay_matches_table), T(policy_unknown_name_is_none),
      T(policy_uncapped_window_stays_finite_for_real_attempts),
      T(policy_draws_follow_their_density), T(policy_none_never_retries),
      T(policy_longest_sum_is_that_of_the_windows), T(policy_text_reads_back),
      T(policy_text_refuses_what_is_none))
