#include "unit.h"

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
        check(fabs(policy->delay_s(&p, &w, ROW[i].u) - ROW[i].want_s) < 1e-12, "row %zu: %g", i,
              policy->delay_s(&p, &w, ROW[i].u));
    }
}

TEST(policy_unknown_name_is_none)
{
    assert_null(lk_policy_find("jitter"));
    assert_null(lk_policy_find(""));
}

TEST(policy_uncapped_window_stays_finite_for_real_attempts)
{
    lk_policy_params p = { 0.1, 2, (double)INFINITY, 0 };

    assert_float_equal(lk_policy_window_s(&p, 9), 51.2, 1e-9); /* the tenth wait of 100 ms doubling */
}

TESTS(T(policy_delay_matches_table), T(policy_unknown_name_is_none),
      T(policy_uncapped_window_stays_finite_for_real_attempts))
