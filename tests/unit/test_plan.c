#include "unit.h"

#include "model/json.h"

#include <lockstep/plan.h>

#include <math.h>

/* The number at a key of the plan's JSON; NAN = null. */
static double value(const lockstep_plan_options *o, const char *key)
{
    lockstep_error error = { 0 };
    char *text = NULL;
    size_t len = 0;
    double v = (double)NAN;
    lk_json *root;

    check(lockstep_plan(o, "json", &text, &len, &error) == 0, "%.200s", error.message);
    root = lk_json_parse((lk_slice){ text, len });
    assert_non_null(root);
    (void)lk_json_number(lk_json_get(root, key), &v);
    lk_json_free(root);
    lockstep_text_free(text);
    return v;
}

/* Arrivals a second of round n, from 1. */
static double rate(const lockstep_plan_options *o, int n)
{
    lockstep_error error = { 0 };
    char *text = NULL;
    size_t len = 0;
    double v = (double)NAN;
    const lk_json *row;
    lk_json *root;

    check(lockstep_plan(o, "json", &text, &len, &error) == 0, "%.200s", error.message);
    root = lk_json_parse((lk_slice){ text, len });
    row = lk_json_first(lk_json_get(root, "rounds"));
    while (--n > 0)
        row = lk_json_next(row);
    (void)lk_json_number(lk_json_get(row, "arrivals_per_s"), &v);
    lk_json_free(root);
    lockstep_text_free(text);
    return v;
}

#define PLAN(...) (lockstep_plan_options){ __VA_ARGS__ }
#define about(got, want) check(fabs((got) - (double)(want)) <= 0.005 * (double)(want), "line %d", __LINE__)

TEST(plan_rates_of_the_third_retry)
{
    about(rate(&PLAN(.policy = "full-jitter", .callers = "400", .base = "1"), 3), 100);
    about(rate(&PLAN(.policy = "equal-jitter", .callers = "400", .base = "1"), 3), 200);
    about(rate(&PLAN(.policy = "decorrelated-jitter", .callers = "400", .base = "1", .cap = "8"), 3), 50);
    about(rate(&PLAN(.policy = "fixed", .callers = "400", .base = "1"), 3), 8000);
}

TEST(plan_rounds_until_one_fits)
{
    lockstep_plan_options o = PLAN(.callers = "400", .allowance = "4000/min", .base = "1", .cap = "8",
                                   .attempts = "5", .policy = "full-jitter");

    about(rate(&o, 1), 400);
    about(rate(&o, 2), 200);
    about(rate(&o, 3), 100);
    about(rate(&o, 4), 50);
    assert_float_equal(value(&o, "first_round_that_fits"), 4, 0);
    about(value(&o, "smallest_base_s"), 6);
    assert_float_equal(value(&o, "base_s"), 8, 0);
    assert_float_equal(value(&o, "longest_wait_s"), 23, 1e-6);
    assert_float_equal(value(&o, "typical_wait_s"), 11.5, 1e-6);
    o.allowance = "67";
    assert_float_equal(value(&o, "first_round_that_fits"), 4, 0);
    assert_float_equal(value(&o, "base_s"), 8, 0);
}

TEST(plan_cap_for_a_burst)
{
    about(value(&PLAN(.callers = "300", .attempt_time = "20ms"), "cap_for_burst_s"), 12);
}

TEST(plan_drain_time)
{
    lockstep_plan_options o = PLAN(.backlog = "1180", .cost = "28000", .refill = "2000000/min",
                                   .reserved = "288000/min");

    assert_float_equal(value(&o, "drain_s") / 60, 19.3, 0.02);
    assert_float_equal(value(&o, "tasks_per_min"), 61.14, 0.01);
    assert_float_equal(value(&o, "spare_per_s") * 60, 1712000, 100);
    o.reserved = "3000000/min";
    assert_true(isnan(value(&o, "drain_s"))); /* never */
}

TEST(plan_overload)
{
    lockstep_plan_options o = PLAN(.demand = "8000/min", .allowance = "4000/min", .duration = "10min");

    about(value(&o, "backlog_under_overload"), 40000);
    about(value(&o, "deficit_per_s") * 60, 4000);
    o.demand = "3000/min";
    assert_float_equal(value(&o, "backlog_under_overload"), 0, 0);
}

TEST(plan_product_of_caps)
{
    assert_float_equal(value(&PLAN(.layers = "4,3"), "requests_a_task"), 12, 0);
    assert_float_equal(value(&PLAN(.layers = "3,4,2"), "requests_a_task"), 24, 0);
    assert_true(isnan(value(&PLAN(.layers = "3,none"), "requests_a_task"))); /* no bound */
}

TEST(plan_unbounded_doubling)
{
    about(value(&PLAN(.base = "1"), "after_ten_doublings_s") / 60, 17.07);
    about(value(&PLAN(.base = "100ms"), "tenth_wait_uncapped_s"), 51.2);
}

TEST(plan_deadline_slice_and_budget)
{
    lockstep_plan_options o = PLAN(.base = "1", .cap = "8", .attempts = "5", .deadline = "45",
                                   .horizon = "60", .callers = "400", .budget = "10%", .slice = "0.1");

    assert_float_equal(value(&o, "retries_within_deadline"), 7, 0); /* 1+2+4+8+8+8+8 = 39 */
    assert_float_equal(value(&o, "budget_retries"), 40, 1e-9);
    o.deadline = "6";
    assert_float_equal(value(&o, "retries_within_deadline"), 2, 0);
}

TEST(plan_refuses_what_it_cannot_read)
{
    static const lockstep_plan_options ROW[] = {
        { .callers = "many" },    { .allowance = "4000/fortnight" }, { .policy = "jitter" },
        { .layers = "4,x" },      { .base = "none" },                { .budget = "2" },
        { .attempts = "0" },      { .base = "1,cap=3" },             { .deadline = "soon" },
    };
    lockstep_error error;
    char *text;
    size_t len;

    for (size_t i = 0; i < ROWS(ROW); i++)
        check(lockstep_plan(&ROW[i], "text", &text, &len, &error) == 2, "row %zu", i);
    check(lockstep_plan(&PLAN(.base = "1"), "xml", &text, &len, &error) == 2, "xml");
}

/* The share of the callers in the slice, of round n. */
static double slice_share(const lockstep_plan_options *o, int n)
{
    lockstep_error error = { 0 };
    char *text = NULL;
    size_t len = 0;
    double v = (double)NAN;
    const lk_json *row;
    lk_json *root;

    check(lockstep_plan(o, "json", &text, &len, &error) == 0, "%.200s", error.message);
    root = lk_json_parse((lk_slice){ text, len });
    row = lk_json_first(lk_json_get(root, "rounds"));
    while (--n > 0)
        row = lk_json_next(row);
    (void)lk_json_number(lk_json_get(row, "slice_share"), &v);
    lk_json_free(root);
    lockstep_text_free(text);
    return v;
}

TEST(plan_of_slices_and_of_two_that_collide)
{
    lockstep_plan_options nothing = PLAN(.base = NULL);
    lockstep_error error = { 0 };
    char *text = NULL;
    size_t len = 0;

    about(slice_share(&PLAN(.callers = "400", .base = "1", .slice = "0.1"), 3), 1.0 / 40); /* of 4 s */
    about(slice_share(&PLAN(.callers = "400", .base = "100ms", .slice = "0.1"), 1), 1);
    about(value(&PLAN(.collisions = "1"), "two_separate_share"), 0.5);
    about(value(&PLAN(.collisions = "2"), "two_separate_share"), 0.75);
    about(value(&PLAN(.collisions = "5"), "two_separate_share"), 1 - 1.0 / 32);
    assert_float_equal(value(&PLAN(.collisions = "0"), "two_separate_share"), 0, 0);
    check(lockstep_plan(&nothing, "text", &text, &len, &error) == 2, "nothing to size");
}

TESTS(T(plan_of_slices_and_of_two_that_collide),
      T(plan_rates_of_the_third_retry), T(plan_rounds_until_one_fits), T(plan_cap_for_a_burst),
      T(plan_drain_time), T(plan_overload), T(plan_product_of_caps), T(plan_unbounded_doubling),
      T(plan_deadline_slice_and_budget), T(plan_refuses_what_it_cannot_read))
