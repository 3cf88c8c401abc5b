/* Models and studies as their users run them, with the values of S4, S5 and the network of 2015. */
#include "unit.h"

#include "sanitized.h"
#include "sim/fleet.h"
#include "sim/model.h"
#include "sim/occ.h"
#include "sim/recovery.h"
#include "sim/study.h"

#include <math.h>
#include <stdlib.h>

static lk_err e;

static void near(const char *what, double got, double want, double allowed)
{
    check(fabs(got - want) <= allowed, "%s: %.6g is not %.6g +- %.3g", what, got, want, allowed);
}

static void sampler(lk_sampler *s, const char *policy, double base, double cap, unsigned attempts)
{
    lk_policy_params p = { base, 2, cap, 0.1, attempts };

    lk_sampler_init(s, lk_policy_find(policy), &p);
}

enum { RUNS = LK_RUNS_DIVISOR == 1 ? 50 : 5 };

/* ---- runs over threads ---- */

typedef struct digest {
    double sum;
    size_t cells;
} digest;

static digest run_model(const char *name, unsigned threads, uint64_t seed)
{
    const lk_model *m = lk_model_find(name);
    void *settings = calloc(1, m->size);
    lk_lab lab = LK_LAB_INIT;
    lk_tables t;
    lk_arena a;
    digest d = { 0, 0 };

    assert_non_null(settings);
    lk_arena_init(&a, 0);
    lk_tables_init(&t, &a);
    m->init(settings);
    lab.threads = threads;
    lab.seed = seed;
    check_ok(m->run(&lab, 3, settings, &t, &e), e);
    assert_false(t.failed);
    for (size_t i = 0; i < t.count; i++)
        for (size_t j = 0; j < t.items[i].row_count * t.items[i].column_count; j++) {
            const lk_cell *c = &t.items[i].cells[j];

            d.cells++;
            d.sum = d.sum * 1.0000001 + (c->text || isnan(c->value) ? 1 : c->value);
            d.sum += isnan(c->error) ? 2 : c->error;
        }
    lk_arena_release(&a);
    free(settings);
    return d;
}

TEST(lab_results_do_not_depend_on_threads)
{
    static const char *const MODEL[] = { "contention", "saturation", "fleet", "occ-network" };

    for (size_t i = 0; i < ROWS(MODEL); i++) {
        digest one = run_model(MODEL[i], 1, 1), four = run_model(MODEL[i], 4, 1),
               other = run_model(MODEL[i], 2, 2);

        check(one.sum == four.sum && one.cells == four.cells, "%s: other numbers", MODEL[i]);
        check(one.sum != other.sum, "%s: another seed, the same numbers", MODEL[i]);
    }
}

static lk_code third_fails(const void *context, void *worker, uint64_t seed, uint64_t stream,
                           double *m, lk_err *err)
{
    (void)context;
    (void)worker;
    (void)seed;
    m[0] = stream == 1 ? (double)NAN : (double)stream;
    return stream == 3 ? lk_fail(err, LK_EUSAGE, "run %d fails", (int)stream) : LK_OK;
}

TEST(lab_estimates_and_fails)
{
    lk_experiment x = { 1, 3, NULL, NULL, NULL, third_fails };
    lk_lab lab = LK_LAB_INIT;
    lk_estimate m[1];

    check_ok(lk_lab_run(&lab, &x, m, &e), e);
    assert_int_equal(m[0].runs, 2); /* 0 and 2; what is no number is left out */
    near("mean", m[0].mean, 1, 0);
    near("deviation", m[0].deviation, sqrt(2), 1e-15);
    near("error", m[0].error, 1, 1e-15);
    x.runs = 10;
    lab.threads = 3;
    assert_int_equal(lk_lab_run(&lab, &x, m, &e), LK_EUSAGE);
    assert_string_equal(e.msg, "run 3 fails");
}

TEST(model_refuses_wrong_settings)
{
    static const char *const WRONG[][2] = {
        { "callers", "many" },   { "callers", "-1" },  { "down", "long" },
        { "capacity", "fast" },  { "policy", "jitter" }, { "policy", "" },
        { "no-such-thing", "1" },
    };
    const lk_model *m = lk_model_find("outage");
    void *settings = calloc(1, m->size);

    assert_non_null(settings);
    m->init(settings);
    for (size_t i = 0; i < ROWS(WRONG); i++)
        check(lk_model_set(m, settings, WRONG[i][0], WRONG[i][1], &e) == LK_EUSAGE, "row %zu", i);
    check_ok(lk_model_set(m, settings, "policy", "full-jitter:base=1; equal-jitter", &e), e);
    free(settings);
    assert_null(lk_model_find("weather"));
}

/* ---- S4 ---- */

TEST(fleet_has_the_values_of_the_sizing_study)
{
    static const struct {
        const char *policy;
        double base, depth;
        unsigned attempts;
        int measure;
        double want, allowed;
    } ROW[] = {
        { "full-jitter", 1, 67, 0, LK_FLEET_DRAINED, 11.0, 0.6 },
        { "full-jitter", 1, 67, 0, LK_FLEET_RETRIES, 2.65, 0.05 },
        { "full-jitter", 1, 67, 0, LK_FLEET_ROUND_1 + 1, 346, 8 },
        { "full-jitter", 1, 67, 0, LK_FLEET_ROUND_1 + 2, 245, 9 },
        { "full-jitter", 1, 67, 0, LK_FLEET_ROUND_1 + 3, 63, 9 },
        { "full-jitter", 1, 1, 0, LK_FLEET_DRAINED, 20, 1.5 },
        { "full-jitter", 1, 1, 0, LK_FLEET_RETRIES, 3.2, 0.1 },
        { "exponential", 1, 67, 0, LK_FLEET_DRAINED, 31, 0.5 }, /* six waves: slower, not never */
        { "exponential", 1, 1, 0, LK_FLEET_DRAINED, 277, 8 },
        { "exponential", 1, 1, 0, LK_FLEET_RETRIES, 17.5, 0.3 },
        { "exponential", 1, 67, 6, LK_FLEET_GAVE_UP, 40, 3 },
        { "exponential", 1, 1, 6, LK_FLEET_GAVE_UP, 359, 5 },
        { "full-jitter", 1, 67, 6, LK_FLEET_GAVE_UP, 0.3, 0.8 },
        { "full-jitter", 1, 1, 6, LK_FLEET_GAVE_UP, 15, 4 },
        { "full-jitter", 8, 67, 0, LK_FLEET_ADMITTED_1, 398.5, 2 },
        { "full-jitter", 8, 1, 0, LK_FLEET_ADMITTED_1, 218, 4 },
    };

    for (size_t i = 0; i < ROWS(ROW); i++) {
        lk_fleet fleet = LK_FLEET_INIT;
        lk_lab lab = LK_LAB_INIT;
        lk_estimate m[LK_FLEET_MEASURES];
        lk_sampler s;
        char row[32];

        fleet.depth = ROW[i].depth;
        sampler(&s, ROW[i].policy, ROW[i].base, fmax(8, 2 * ROW[i].base), ROW[i].attempts);
        check_ok(lk_fleet_measure(&lab, RUNS, &fleet, &s, m, &e), e);
        (void)snprintf(row, sizeof(row), "row %zu", i);
        near(row, m[ROW[i].measure].mean, ROW[i].want, ROW[i].allowed);
    }
}

TEST(fleet_third_retry_has_its_rates)
{
    static const struct {
        const char *policy;
        double base;
        int measure;
        double want, allowed;
    } ROW[] = {
        { "fixed", 4, LK_FLEET_THIRD_MEAN, 8039, 60 },
        { "full-jitter", 1, LK_FLEET_THIRD_MEAN, 100.5, 1.5 },
        { "equal-jitter", 1, LK_FLEET_THIRD_MEAN, 200, 4 },
        { "decorrelated-jitter", 1, LK_FLEET_THIRD_MEAN, 57, 0.5 },
        { "decorrelated-jitter", 1, LK_FLEET_THIRD_AT_CAP, 0.235, 0.02 }, /* an atom at the cap */
        { "decorrelated-jitter", 1, LK_FLEET_THIRD_SLOT, 1900, 150 },
    };

    for (size_t i = 0; i < ROWS(ROW); i++) {
        const lk_fleet fleet = LK_FLEET_INIT;
        lk_lab lab = LK_LAB_INIT;
        lk_estimate d[LK_FLEET_DRAWS];
        lk_sampler s;

        sampler(&s, ROW[i].policy, ROW[i].base, 8, 0);
        check_ok(lk_fleet_third(&lab, RUNS, &fleet, &s, d, &e), e);
        near(ROW[i].policy, d[ROW[i].measure].mean, ROW[i].want, ROW[i].allowed);
    }
}

/* ---- S5 ---- */

static void run_recovery(unsigned clients, const char *policy, double share, unsigned runs, lk_estimate *m)
{
    lk_recovery r = { .clients = clients, .retry = 10, .down_s = 240, .share = share, .bin_s = 5.2 };
    lk_lab lab = LK_LAB_INIT;
    lk_sampler s, plain;

    sampler(&s, policy, 0.1, (double)INFINITY, 0);
    sampler(&plain, "exponential", 0.1, (double)INFINITY, 0);
    r.policy = &s;
    r.other = &plain;
    check_ok(lk_recovery_measure(&lab, runs, &r, m, &e), e);
}

TEST(recovery_has_the_values_of_the_lab)
{
    lk_estimate m[LK_RECOVERY_MEASURES];
    double sum = 0;

    run_recovery(10000, "exponential", 1, 1, m);
    near("fullest second", m[LK_RECOVERY_FULLEST].mean, 10000, 0);
    near("its end", m[LK_RECOVERY_FIRST].mean, 102.3, 1e-9);
    near("first success", m[LK_RECOVERY_MEAN].mean, 409.5, 1e-9);
    run_recovery(10000, "full-jitter", 1, LK_RUNS_DIVISOR == 1 ? 4 : 1, m);
    near("fullest second", m[LK_RECOVERY_FULLEST].mean, 215, 25);
    near("median", m[LK_RECOVERY_MEDIAN].mean, 51.1, 1.2);
    near("first", m[LK_RECOVERY_FIRST].mean, 6.8, 4);
    near("last", m[LK_RECOVERY_LAST].mean, 95.7, 4);
    for (size_t i = 0; i < LK_RECOVERY_BINS; i++)
        sum += m[LK_RECOVERY_HISTOGRAM + i].mean;
    near("the histogram holds all", sum, 10000, 1e-6);
    run_recovery(10000, "full-jitter", 0.0001, 1, m); /* one that jitters changes nothing */
    near("fullest second", m[LK_RECOVERY_FULLEST].mean, 9999, 1);
    run_recovery(10, "full-jitter", 1, 40, m);
    near("ten clients", m[LK_RECOVERY_FULLEST].mean, 1.6, 0.5);
}

/* ---- the network of 2015 ---- */

TEST(occ_has_the_values_of_the_network)
{
    static const struct {
        const char *policy;
        double base;
        unsigned clients;
        double writes, allowed, completion_s, completion_allowed;
    } ROW[] = {
        { "immediate", 0.01, 100, 2419, 25, 2.024, 0.04 },
        { "exponential", 0.01, 100, 1855, 40, 63.5, 2.5 },
        { "decorrelated-jitter", 0.005, 100, 1004, 20, 4.53, 0.5 },
        { "equal-jitter", 0.01, 100, 810, 8, 6.595, 0.5 },
        { "full-jitter", 0.01, 100, 795, 7, 4.872, 0.45 },
        { "immediate", 0.01, 50, 690, 18, 0, 1e9 },
        { "full-jitter", 0.01, 50, 333, 5, 0, 1e9 },
    };

    for (size_t i = 0; i < ROWS(ROW); i++) {
        lk_lab lab = LK_LAB_INIT;
        lk_estimate m[LK_OCC_MEASURES];
        lk_sampler s;
        lk_occ o = { ROW[i].clients, 0.01, 0.002, &s };

        sampler(&s, ROW[i].policy, ROW[i].base, 2, 0);
        check_ok(lk_occ_measure(&lab, 40, &o, m, &e), e);
        near(ROW[i].policy, m[LK_OCC_WRITES].mean, ROW[i].writes, ROW[i].allowed);
        near(ROW[i].policy, m[LK_OCC_COMPLETION].mean, ROW[i].completion_s, ROW[i].completion_allowed);
    }
}

/* ---- studies ---- */

static const lk_figure *figure(const lk_figures *f, const char *name)
{
    for (size_t i = 0; i < f->count; i++)
        if (strcmp(f->items[i].name, name) == 0)
            return &f->items[i];
    return NULL;
}

TEST(study_tells_what_holds_from_what_cannot)
{
    static const struct {
        size_t study;
        const char *name;
        lk_figure_verdict verdict;
    } ROW[] = {
        { 0, "drain time (min)", LK_FIGURE_HOLDS },
        { 0, "tasks a minute", LK_FIGURE_HOLDS },
        { 0, "requests until drained", LK_FIGURE_DOES_NOT_HOLD },
        { 0, "period (s)", LK_FIGURE_CANNOT_HOLD },
        { 0, "interactive refused, token bucket", LK_FIGURE_CANNOT_HOLD },
        { 3, "third attempt, full: mean/s", LK_FIGURE_HOLDS },
        { 3, "no jitter: drained after (s)", LK_FIGURE_DOES_NOT_HOLD },
        { 3, "five retries: longest wait (s)", LK_FIGURE_HOLDS },
    };
    static lk_figures f[4];

    for (size_t i = 0; i < 4; i += 3) {
        lk_lab lab = LK_LAB_INIT;

        lab.scale = 0.01;
        check_ok(LK_STUDIES[i].run(&lab, &f[i], &e), e);
    }
    for (size_t i = 0; i < ROWS(ROW); i++) {
        const lk_figure *x = figure(&f[ROW[i].study], ROW[i].name);

        if (!x)
            fail_msg("no figure '%s'", ROW[i].name);
        check(x && x->verdict == ROW[i].verdict, "'%s' is judged otherwise", ROW[i].name);
        check(x && (x->verdict == LK_FIGURE_HOLDS || x->why), "'%s' has no reason", ROW[i].name);
    }
}

TESTS(T(lab_results_do_not_depend_on_threads), T(lab_estimates_and_fails),
      T(model_refuses_wrong_settings), T(fleet_has_the_values_of_the_sizing_study),
      T(fleet_third_retry_has_its_rates), T(recovery_has_the_values_of_the_lab),
      T(occ_has_the_values_of_the_network), T(study_tells_what_holds_from_what_cannot))
