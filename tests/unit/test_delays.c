#include "unit.h"

#include "base/random.h"
#include "link/delays.h"

#include <math.h>

static lk_edges edges;
static lk_delays failures, successes[LK_STRATA];
static lk_control control;
static lk_comebacks learnt;

static void begin(lk_grid grid)
{
    lk_edges_init(&edges, grid);
    memset(&failures, 0, sizeof(failures));
    memset(successes, 0, sizeof(successes));
}

static void learn(void)
{
    uint32_t by_stratum[LK_STRATA] = { (uint32_t)failures.total };

    lk_control_build(successes, by_stratum, &control);
    lk_comebacks_learn(&failures, &control, &edges, &learnt);
}

TEST(edges_cover_an_hour_without_a_gap)
{
    for (lk_grid g = LK_GRID_FINE; g <= LK_GRID_WHOLE; g++) {
        lk_edges_init(&edges, g);
        check(edges.count < LK_CELLS, "grid %d: %zu cells", g, edges.count);
        check(edges.at[edges.count] >= 3600, "grid %d ends at %g s", g, edges.at[edges.count]);
        for (size_t b = 0; b < edges.count; b++) {
            double middle = (edges.at[b] + edges.at[b + 1]) / 2;

            check(lk_edges_cell(&edges, middle) == (int)b, "grid %d cell %zu", g, b);
            check(lk_edges_cell(&edges, edges.at[b]) == (int)b, "grid %d edge %zu", g, b);
        }
        assert_int_equal(lk_edges_cell(&edges, -1), -1);
        assert_int_equal(lk_edges_cell(&edges, 1e9), edges.count);
    }
}

/* Callers that fail come back after 12 s; answered ones at any time (once a minute on average). */
TEST(comebacks_find_a_constant_after_failures)
{
    lk_random random;
    int cell;

    begin(LK_GRID_FINE);
    lk_random_init(&random, 7);
    for (int i = 0; i < 400; i++) {
        double any = lk_random_exponential(&random, 60), ordinary = lk_random_exponential(&random, 60);
        double d = any < 12.01 ? any : 12.01; /* an ordinary request may come first */

        lk_delays_add(&failures, &edges, d, d + 0.05);
        lk_delays_add(&successes[0], &edges, ordinary, ordinary + 0.05);
    }
    learn();
    cell = lk_edges_cell(&edges, 12.01);
    check(learnt.any, "excess %g", learnt.excess);
    check(learnt.caused[LK_FROM_END][cell] > 0.9, "caused %g", learnt.caused[LK_FROM_END][cell]);
    check(fabs(learnt.excess - exp(-12.01 / 60)) < 0.08, "excess %g", learnt.excess);
    check(learnt.caused[LK_FROM_END][lk_edges_cell(&edges, 30)] <= 0.5, "30 s is ordinary");
}

/* Failed or not, callers return at the same rate: no retries. */
TEST(comebacks_find_nothing_where_failures_change_nothing)
{
    for (uint64_t seed = 1; seed <= 40; seed++) {
        lk_random random;

        begin(LK_GRID_WHOLE);
        lk_random_init(&random, seed);
        for (int i = 0; i < 300; i++) {
            double a = floor(lk_random_exponential(&random, 20));
            double b = floor(lk_random_exponential(&random, 20));

            lk_delays_add(&failures, &edges, a, a);
            lk_delays_add(&successes[0], &edges, b, b);
            lk_delays_add(&successes[0], &edges, b / 2, b / 2);
        }
        learn();
        check(!learnt.any, "seed %d: excess %g", (int)seed, learnt.excess);
    }
}

/* A poller steps by 30 s from start to start, whatever the answer. */
TEST(comebacks_are_not_a_pollers_rhythm)
{
    begin(LK_GRID_FINE);
    for (int i = 0; i < 200; i++) {
        lk_delays_add(&failures, &edges, 29.0, 30.0);     /* slow refusals: another pause, same step */
        lk_delays_add(&successes[0], &edges, 29.95, 30.0);
        lk_delays_add(&successes[0], &edges, 29.95, 30.0);
    }
    learn();
    check(learnt.caused[LK_FROM_START][lk_edges_cell(&edges, 30.0)] <= 0.5,
          "the step is as common after successes");
}

TEST(comebacks_need_five_failures)
{
    begin(LK_GRID_FINE);
    for (int i = 0; i < 4; i++)
        lk_delays_add(&failures, &edges, 10, 10);
    learn();
    check(!learnt.any, "four failures are not enough");
}

TEST(delays_watched_in_vain_stay_at_risk)
{
    begin(LK_GRID_FINE);
    lk_delays_add_cut(&failures, &edges, 1e9); /* past the last cell */
    lk_delays_add(&failures, &edges, 7200, 7200); /* later than anybody waits */
    lk_delays_add(&failures, &edges, -5, 1);   /* overlapping attempts: not a delay */
    assert_int_equal(failures.total, 3);
    assert_int_equal(failures.cut[edges.count - 1], 2);
}

TESTS(T(edges_cover_an_hour_without_a_gap), T(comebacks_find_a_constant_after_failures),
      T(comebacks_find_nothing_where_failures_change_nothing),
      T(comebacks_are_not_a_pollers_rhythm), T(comebacks_need_five_failures),
      T(delays_watched_in_vain_stay_at_risk))
