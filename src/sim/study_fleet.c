/* S4 and S5: a fleet against its allowance, and ten thousand clients at one recovery. */
#include "sim/fleet.h"
#include "sim/recovery.h"
#include "sim/study.h"

#include "base/xoshiro.h"

#include <math.h>
#include <stdbool.h>

static void sampler(lk_sampler *s, const char *policy, double base, double cap, unsigned attempts)
{
    lk_policy_params params = { base, 2, cap, 0.1, attempts };

    lk_sampler_init(s, lk_policy_find(policy), &params);
}

/* ---- S4 ---- */

static lk_code add_rates(lk_lab *lab, lk_figures *out, lk_err *e)
{
    static const struct {
        const char *name, *policy;
        double base, claimed, allowed;
        const char *why_not;
    } ROW[] = {
        { "third attempt, fixed: mean/s", "fixed", 4, 8000, 100, NULL },
        { "third attempt, full: mean/s", "full-jitter", 1, 100, 2, NULL },
        { "third attempt, equal: mean/s", "equal-jitter", 1, 200, 4, NULL },
        { "third attempt, decorrelated: mean/s", "decorrelated-jitter", 1, 50, 2,
          "its draws lie on 1..8, not 0..8, and 23.5 % of them exactly on the cap" },
    };
    const lk_fleet fleet = LK_FLEET_INIT;

    for (size_t i = 0; i < sizeof(ROW) / sizeof(ROW[0]); i++) {
        lk_estimate d[LK_FLEET_DRAWS];
        lk_sampler s;

        sampler(&s, ROW[i].policy, ROW[i].base, 8, 0);
        LK_TRY(lk_fleet_third(lab, lk_lab_runs(lab, 500, 50), &fleet, &s, d, e));
        lk_figure_add(out, ROW[i].name, ROW[i].claimed, &d[LK_FLEET_THIRD_MEAN], ROW[i].allowed,
                      ROW[i].why_not);
    }
    return LK_OK;
}

static lk_code add_fleets(lk_lab *lab, lk_figures *out, lk_err *e)
{
    const unsigned runs = lk_lab_runs(lab, 200, 30);
    lk_fleet fleet = LK_FLEET_INIT;
    lk_estimate m[LK_FLEET_MEASURES];
    lk_sampler s;

    sampler(&s, "full-jitter", 1, 8, 0);
    LK_TRY(lk_fleet_measure(lab, runs, &fleet, &s, m, e));
    lk_figure_add(out, "full: rounds until drained", 4, &m[LK_FLEET_ROUNDS], 0.5,
                  "the fourth round fits on average; who is refused in it makes a fifth");
    sampler(&s, "exponential", 1, 8, 0);
    LK_TRY(lk_fleet_measure(lab, runs, &fleet, &s, m, e));
    lk_figure_add(out, "no jitter: drained after (s)", (double)INFINITY, &m[LK_FLEET_DRAINED], 0,
                  "each wave admits what the bucket holds: slower, not never");
    /* The second wait doubles, or more of the refused are back among the first round. */
    sampler(&s, "full-jitter", 8, 64, 0);
    LK_TRY(lk_fleet_measure(lab, runs, &fleet, &s, m, e));
    lk_figure_add(out, "base 8: served in round one", 400, &m[LK_FLEET_ADMITTED_1], 3, NULL);
    fleet.depth = 1;
    LK_TRY(lk_fleet_measure(lab, runs, &fleet, &s, m, e));
    lk_figure_add(out, "base 8, depth 1: served in round one", 400, &m[LK_FLEET_ADMITTED_1], 3,
                  "the bound is about averages; clumps need a bucket to fall into");
    return LK_OK;
}

/* Five attempts' waits under full jitter, as a share of the longest. */
static lk_code draw_wait(const void *context, void *worker, uint64_t seed, uint64_t stream,
                         double *m, lk_err *e)
{
    const lk_sampler *s = context;
    lk_wait w = { 0, 1, -1 };
    lk_xoshiro x;

    (void)worker;
    (void)e;
    lk_xoshiro_init(&x, seed, stream);
    for (m[0] = 0; w.retry < 5; w.retry++)
        m[0] += lk_sampler_draw(s, &w, lk_xoshiro_unit(&x));
    return LK_OK;
}

/* Two stations draw one of n slots: do they separate? */
static lk_code draw_slots(const void *context, void *worker, uint64_t seed, uint64_t stream,
                          double *m, lk_err *e)
{
    lk_xoshiro x;

    (void)context;
    (void)worker;
    (void)e;
    lk_xoshiro_init(&x, seed, stream);
    for (size_t k = 0; k < 2; k++) {
        double slots = k ? 4 : 2;

        m[k] = floor(slots * lk_xoshiro_unit(&x)) != floor(slots * lk_xoshiro_unit(&x));
    }
    return LK_OK;
}

static lk_code add_draws(lk_lab *lab, lk_figures *out, lk_err *e)
{
    const unsigned runs = lk_lab_runs(lab, 40000, 4000);
    lk_estimate wait[1], slots[2];
    lk_sampler s;

    sampler(&s, "full-jitter", 1, 8, 0);
    LK_TRY(lk_lab_run(lab, &(lk_experiment){ 1, runs, &s, NULL, NULL, draw_wait }, wait, e));
    LK_TRY(lk_lab_run(lab, &(lk_experiment){ 2, runs, NULL, NULL, NULL, draw_slots }, slots, e));
    lk_figure_add(out, "five retries, full: typical wait (s)", 11.5, &wait[0], 0.1, NULL);
    lk_figure_add(out, "two stations part after one collision", 0.5, &slots[0], 0.001, NULL);
    lk_figure_add(out, "two stations part after two collisions", 0.75, &slots[1], 0.001, NULL);
    return LK_OK;
}

static void add_arithmetic(lk_figures *out)
{
    const lk_policy_params p = { 1, 2, (double)INFINITY, 0, 0 }, capped = { 1, 2, 8, 0, 0 };
    const lk_policy *exponential = lk_policy_find("exponential");
    double fits = 1;
    lk_estimate x;

    while (400 / lk_policy_window_s(&p, (unsigned)fits - 1) > 4000.0 / 60)
        fits++;
    x = lk_exactly(fits);
    lk_figure_add(out, "round that fits 67/s", 4, &x, 0, NULL);
    x = lk_exactly(400 / (4000.0 / 60));
    lk_figure_add(out, "base whose first round fits (s)", 6, &x, 0.01, NULL);
    x = lk_exactly(lk_policy_longest_s(exponential, &capped, 5));
    lk_figure_add(out, "five retries: longest wait (s)", 23, &x, 0, NULL);
    x = lk_exactly(lk_policy_window_s(&p, 10) / 60);
    lk_figure_add(out, "eleventh wait, no cap (min)", 17, &x, 0.1, NULL);
    x = lk_exactly((8000 - 4000) * 10.0);
    lk_figure_add(out, "backlog of ten minutes", 40000, &x, 0, NULL);
}

lk_code lk_study_fleet(lk_lab *lab, lk_figures *out, lk_err *e)
{
    lab->step /= 10;
    LK_TRY(add_rates(lab, out, e));
    LK_TRY(add_fleets(lab, out, e));
    LK_TRY(add_draws(lab, out, e));
    add_arithmetic(out);
    return LK_OK;
}

/* ---- S5 ---- */

static lk_code run_lab(lk_lab *lab, unsigned clients, double share, bool jitter, unsigned runs,
                       lk_estimate *m, lk_err *e)
{
    lk_sampler full, plain;
    lk_recovery r = { .clients = clients, .retry = 10, .down_s = 240, .share = share, .bin_s = 5.2 };

    sampler(&full, "full-jitter", 0.1, (double)INFINITY, 0);
    sampler(&plain, "exponential", 0.1, (double)INFINITY, 0);
    r.policy = jitter ? &full : &plain;
    r.other = &plain;
    return lk_recovery_measure(lab, lk_lab_runs(lab, runs, 3), &r, m, e);
}

lk_code lk_study_lab(lk_lab *lab, lk_figures *out, lk_err *e)
{
    const lk_policy_params p = { 0.1, 2, (double)INFINITY, 0, 0 };
    lk_estimate plain[LK_RECOVERY_MEASURES], full[LK_RECOVERY_MEASURES], m[LK_RECOVERY_MEASURES], x;

    lab->step /= 4;
    LK_TRY(run_lab(lab, 10000, 1, false, 10, plain, e));
    LK_TRY(run_lab(lab, 10000, 1, true, 30, full, e));
    x = lk_exactly(lk_policy_window_s(&p, 9));
    lk_figure_add(out, "tenth wait (s)", 51.2, &x, 1e-9, NULL);
    lk_figure_add(out, "the tenth wait ends after (s)", 240, &plain[LK_RECOVERY_FIRST], 1,
                  "it ends at 102.3 s, inside the outage of four minutes");
    x = lk_exactly(1 + floor(log2(240 / 0.1 + 1))); /* 0.1 (2^n - 1) > 240 */
    lk_figure_add(out, "retry that finds it up, no jitter", 10, &x, 0,
                  "the first one past 240 s is the twelfth, at 409.5 s: use an outage of 100 s");
    lk_figure_add(out, "no jitter: fullest second", 10000, &plain[LK_RECOVERY_FULLEST], 0, NULL);
    lk_figure_add(out, "full jitter: median arrival (s)", 51.1, &full[LK_RECOVERY_MEDIAN], 0.5, NULL);
    lk_figure_add(out, "full jitter: fullest second", 215, &full[LK_RECOVERY_FULLEST], 15, NULL);
    LK_TRY(run_lab(lab, 10000, 0.0001, true, 3, m, e));
    lk_figure_add(out, "one of 10,000 jitters: fullest second", 9999, &m[LK_RECOVERY_FULLEST], 1, NULL);
    LK_TRY(run_lab(lab, 10, 1, true, 200, m, e));
    lk_figure_add(out, "ten clients, full: fullest second", 2, &m[LK_RECOVERY_FULLEST], 0.6, NULL);
    return LK_OK;
}
