#include "sim/fleet.h"

#include "base/xoshiro.h"

#include <math.h>
#include <stdlib.h>

/* The failure at time 0 is an outage too short for anything but the first attempts. */
#define FAILURE_S 1e-9

lk_crowds lk_fleet_crowds(const lk_fleet *f, const lk_sampler *policy)
{
    lk_crowds c = { .count = 1, .starts = { f->workers }, .o = LK_SATURATION_INIT };

    c.populations[0] = (lk_population)LK_POPULATION_INIT;
    c.populations[0].name = "workers";
    c.populations[0].policy = policy;
    c.o.server.quota = LK_QUOTA_BUCKET;
    c.o.server.allowance_per_s = f->allowance_per_s;
    c.o.server.depth = f->depth;
    c.o.server.initial = 0;
    c.o.server.down_until_s = FAILURE_S;
    c.o.server.answer_spread_s = f->skew_s;
    return c;
}

static lk_code measure(const void *context, void *worker, uint64_t seed, uint64_t stream, double *m,
                       lk_err *e)
{
    const lk_crowds *c = context;
    const lk_population_result *p;
    lk_saturation_result r;
    size_t last = 0;

    (void)worker;
    LK_TRY(lk_crowds_run(c, seed, stream, NULL, &r, e));
    p = &r.populations[0];
    for (size_t i = 1; i < LK_SATURATION_ROUNDS; i++)
        last = p->requests_by_no[i] ? i : last;
    m[LK_FLEET_DRAINED] = p->last_done_s;
    m[LK_FLEET_RETRIES] = (double)(p->requests - p->tasks) / (double)p->tasks;
    m[LK_FLEET_MEAN] = p->took_mean_s;
    m[LK_FLEET_P99] = lk_population_quantile_s(p, 0.99);
    m[LK_FLEET_GAVE_UP] = (double)p->lost;
    m[LK_FLEET_ROUNDS] = (double)last;
    for (size_t i = 0; i < 8; i++)
        m[LK_FLEET_ROUND_1 + i] = (double)p->requests_by_no[1 + i];
    m[LK_FLEET_ADMITTED_1] = m[LK_FLEET_ROUND_1] - m[LK_FLEET_ROUND_1 + 1];
    lk_saturation_release(&r);
    return LK_OK;
}

lk_code lk_fleet_measure(lk_lab *lab, unsigned runs, const lk_fleet *f, const lk_sampler *policy,
                         lk_estimate *out, lk_err *e)
{
    const lk_crowds c = lk_fleet_crowds(f, policy);
    const lk_experiment x = { LK_FLEET_MEASURES, runs, &c, NULL, NULL, measure };

    return lk_lab_run(lab, &x, out, e);
}

/* ---- the third retry ---- */

typedef struct draws {
    const lk_fleet *f;
    const lk_sampler *policy;
} draws;

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

/* The fullest of the slots [i * width, (i + 1) * width). */
static double fullest(const double *at, size_t count, double width)
{
    size_t most = 0, run = 0;
    double slot = -1;

    for (size_t i = 0; i < count; i++) {
        double mine = floor(at[i] / width);

        run = mine > slot ? 1 : run + 1;
        slot = mine;
        most = run > most ? run : most;
    }
    return (double)most;
}

static double third_draw(const lk_sampler *policy, lk_xoshiro *x)
{
    lk_wait w = { 0, policy->params.base_s, -1 };

    for (; w.retry < 3; w.retry++)
        w.previous_s = lk_sampler_draw(policy, &w, lk_xoshiro_unit(x));
    return w.previous_s;
}

static lk_code draw_third(const void *context, void *worker, uint64_t seed, uint64_t stream,
                          double *m, lk_err *e)
{
    const draws *d = context;
    unsigned n = d->f->workers, at_cap = 0;
    double *at = malloc(n * sizeof(*at)), slot = d->f->skew_s > 0 ? d->f->skew_s : 0.05, width;
    lk_xoshiro x;

    (void)worker;
    if (!at)
        return lk_fail(e, LK_EOOM, "no memory for %u workers", n);
    lk_xoshiro_init(&x, seed, stream);
    for (unsigned i = 0; i < n; i++) {
        double delay = third_draw(d->policy, &x);

        at_cap += delay >= d->policy->params.cap_s;
        at[i] = delay + d->f->skew_s * lk_xoshiro_unit(&x);
    }
    qsort(at, n, sizeof(*at), by_value);
    width = at[n - 1] - at[0];
    m[LK_FLEET_THIRD_MEAN] = width > 0 ? n / width : (double)NAN;
    m[LK_FLEET_THIRD_SECOND] = fullest(at, n, 1);
    m[LK_FLEET_THIRD_SLOT] = fullest(at, n, slot) / slot;
    m[LK_FLEET_THIRD_AT_CAP] = (double)at_cap / n;
    free(at);
    return LK_OK;
}

lk_code lk_fleet_third(lk_lab *lab, unsigned runs, const lk_fleet *f, const lk_sampler *policy,
                       lk_estimate *out, lk_err *e)
{
    const draws d = { f, policy };
    const lk_experiment x = { LK_FLEET_DRAWS, runs, &d, NULL, NULL, draw_third };

    return lk_lab_run(lab, &x, out, e);
}
