#include "unit.h"

#include "lockstep/simulate.h"

#include <math.h>
#include <stdlib.h>

static lockstep_error error;

static double part_of_the_window(void *context, unsigned retry, double previous_s, double asked_s, double u)
{
    (void)previous_s;
    (void)asked_s;
    return *(double *)context * ldexp(u, (int)retry);
}

static lockstep_simulation *burst(void)
{
    lockstep_simulation *s;

    assert_int_equal(lockstep_simulation_new("contention", &s, &error), 0);
    assert_int_equal(lockstep_simulation_set(s, "burst", "20", &error), 0);
    assert_int_equal(lockstep_simulation_set(s, "policy", "full-jitter:cap=none", &error), 0);
    return s;
}

/* A callback that draws what full jitter draws gives the same numbers. */
TEST(simulate_takes_a_callback_as_policy)
{
    lockstep_simulation *s = burst();
    lockstep_runs runs = LOCKSTEP_RUNS_INIT;
    double base = 1, row, own, row_error, own_error;

    runs.runs = 5;
    assert_int_equal(lockstep_simulation_add_policy(s, "mine", part_of_the_window, &base, 0, &error), 0);
    assert_int_equal(lockstep_simulation_run(s, &runs, &error), 0);
    assert_true(lockstep_simulation_value(s, "policies", 0, "makespan", &row, &row_error));
    assert_true(lockstep_simulation_value(s, "policies", 1, "makespan", &own, &own_error));
    check(row == own && row_error == own_error, "%g +- %g, %g +- %g", row, row_error, own, own_error);
    assert_false(lockstep_simulation_value(s, "policies", 2, "makespan", &own, &own_error));
    assert_false(lockstep_simulation_value(s, "policies", 0, "no such", &own, &own_error));
    lockstep_simulation_free(s);
}

TEST(simulate_renders_after_a_run_only)
{
    lockstep_simulation *s = burst();
    lockstep_runs runs = LOCKSTEP_RUNS_INIT;
    lockstep_style style = LOCKSTEP_STYLE_INIT;
    char *text = NULL;
    size_t len = 0;

    assert_int_equal(lockstep_simulation_render(s, "text", &style, &text, &len, &error), 2);
    runs.runs = 2;
    assert_int_equal(lockstep_simulation_run(s, &runs, &error), 0);
    assert_int_equal(lockstep_simulation_render(s, "html", &style, &text, &len, &error), 2);
    assert_int_equal(lockstep_simulation_render(s, "text", &style, &text, &len, &error), 0);
    assert_int_equal(len, strlen(text));
    assert_non_null(strstr(text, "full-jitter"));
    lockstep_text_free(text);
    lockstep_simulation_free(s);
}

TEST(simulate_refuses_what_there_is_not)
{
    lockstep_simulation *s;
    const char *value, *help;

    assert_int_equal(lockstep_simulation_new("weather", &s, &error), 2);
    assert_null(s);
    assert_int_equal(lockstep_study_new("S6", &s, &error), 2);
    assert_int_equal(lockstep_study_new("all", &s, &error), 0);
    assert_int_equal(lockstep_simulation_set(s, "runs", "1", &error), 2);
    lockstep_simulation_free(s);
    assert_null(lockstep_model_name(6));
    assert_null(lockstep_model_option("weather", 0, &value, &help));
    assert_non_null(lockstep_model_option("fleet", 0, &value, &help));
    assert_string_equal(lockstep_study_name(4), "S5");
    assert_null(lockstep_study_name(5));
    lockstep_simulation_free(NULL);
}

TESTS(T(simulate_takes_a_callback_as_policy), T(simulate_renders_after_a_run_only),
      T(simulate_refuses_what_there_is_not))
