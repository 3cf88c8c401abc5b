/* A planted request rate that refused requests draw on too is found from what it did to bystanders. */
#include "infer/request_rate.h"

#include "unit.h"

#include <math.h>

enum { N = 1200 };

static double waves[N], waves_served[N], others[N], others_served[N], refused[N];

static void fit(bool *found)
{
    const lk_asked_served in_waves = { N, 0.5, 0, waves, waves_served };
    const lk_asked_served rest = { N, 0.5, 0, others, others_served };
    lk_request_rate rate;
    lk_arena scratch;
    lk_err e = { 0 };

    lk_arena_init(&scratch, 0);
    assert_int_equal(lk_request_rate_fit(&in_waves, &rest, 4, &scratch, found, &rate, refused, &e), LK_OK);
    lk_arena_release(&scratch);
}

/* Waves of so many every 60 s, of which two dozen are served; others ask all the time. */
static void ask(double size, double decay)
{
    for (size_t i = 0; i < N; i++) {
        bool is_wave = i % 120 >= 20 && i % 120 < 23;

        waves[i] = is_wave ? floor(size / 3) : 0;
        waves_served[i] = is_wave ? fmin(8, waves[i]) : 0;
        others[i] = 6 + (double)(i * 7 % 5);
        size = i % 120 == 23 ? size * decay : size;
    }
}

/* One by one, the others first in a bin. */
static void serve(double per_s, double depth, double cost, double debt)
{
    double tokens = depth;

    for (size_t i = 0; i < N; i++) {
        tokens = fmin(depth, tokens + per_s / 2);
        others_served[i] = 0;
        for (double k = 0; k < others[i]; k++) {
            bool ok = tokens >= 1;

            others_served[i] += ok;
            tokens = fmax(-debt, tokens - (ok ? 1 : cost));
        }
        tokens = fmax(-debt, tokens - waves_served[i] - cost * (waves[i] - waves_served[i]));
    }
}

static void a_rate_that_waves_overdraw_is_found(void **state)
{
    static const struct {
        double per_s, depth, cost, debt;
    } ROWS[] = { { 24, 40, 0.3, 1000 }, { 30, 40, 1, 200 }, { 22, 10, 0.5, 120 } };
    bool found;

    (void)state;
    for (size_t i = 0; i < sizeof(ROWS) / sizeof(ROWS[0]); i++) {
        double wrong = 0, asked = 0;

        ask(1500, 0.8);
        serve(ROWS[i].per_s, ROWS[i].depth, ROWS[i].cost, ROWS[i].debt);
        fit(&found);
        assert_true(found);
        for (size_t k = 4; k < N; k++) { /* rate and cost go together: what they do is what is known */
            wrong += fabs(refused[k] * others[k] - (others[k] - others_served[k]));
            asked += others[k];
        }
        assert_true(wrong < 0.05 * asked);
    }
}

static void an_outage_is_no_rate(void **state)
{
    bool found;

    (void)state;
    ask(1500, 0.8);
    for (size_t i = 0; i < N; i++) {
        others_served[i] = i >= 300 && i < 500 ? 0 : others[i];
        waves_served[i] = i >= 300 && i < 500 ? 0 : waves_served[i];
    }
    fit(&found);
    assert_false(found);
}

static void refusals_that_come_whenever_are_no_rate(void **state)
{
    bool found;

    (void)state;
    ask(1500, 0.8);
    for (size_t i = 0; i < N; i++) /* every 37 s, for 8: a clock of its own */
        others_served[i] = i % 74 < 16 ? 1 : others[i];
    fit(&found);
    assert_false(found);
    for (size_t i = 0; i < N; i++) /* a third, always */
        others_served[i] = floor(others[i] * 2 / 3);
    fit(&found);
    assert_false(found);
}

TESTS(T(a_rate_that_waves_overdraw_is_found), T(an_outage_is_no_rate),
      T(refusals_that_come_whenever_are_no_rate))
