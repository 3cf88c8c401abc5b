#include "sim/recovery.h"

#include "base/whole.h"

#include <math.h>
#include <stdlib.h>

/* When the clients make the retry asked for. */
typedef struct arrivals {
    double *at_s;
    size_t count, capacity;
    unsigned attempt;
} arrivals;

static void note(void *context, const lk_sat_attempt *a)
{
    arrivals *r = context;

    if (a->attempt_no == r->attempt && r->count < r->capacity)
        r->at_s[r->count++] = a->start_s;
}

lk_crowds lk_recovery_crowds(const lk_recovery *r)
{
    lk_crowds c = { .o = LK_SATURATION_INIT };
    size_t jittered = (size_t)lk_nearest(r->share * r->clients);

    for (size_t i = 0; i < 2; i++) {
        c.populations[i] = (lk_population)LK_POPULATION_INIT;
        c.populations[i].name = i ? "others" : "clients";
        c.populations[i].policy = i ? r->other : r->policy;
    }
    c.starts[0] = jittered;
    c.starts[1] = r->clients - jittered;
    c.count = r->share < 1 ? 2 : 1;
    c.o.server.down_until_s = r->down_s;
    c.o.server.refusal_s = r->rtt_s;
    return c;
}

static double fullest_second(const arrivals *r)
{
    size_t most = 0, run = 0;
    double second = -1;

    for (size_t i = 0; i < r->count; i++) {
        double mine = floor(r->at_s[i]);

        run = mine > second ? 1 : run + 1;
        second = mine;
        most = run > most ? run : most;
    }
    return (double)most;
}

/* at_s is in order: attempts are told as they start. */
static void read_arrivals(const arrivals *r, double bin_s, double *m)
{
    m[LK_RECOVERY_FULLEST] = fullest_second(r);
    m[LK_RECOVERY_FIRST] = r->count ? r->at_s[0] : (double)NAN;
    m[LK_RECOVERY_MEDIAN] = r->count ? r->at_s[r->count / 2] : (double)NAN;
    m[LK_RECOVERY_LAST] = r->count ? r->at_s[r->count - 1] : (double)NAN;
    for (size_t i = 0; i < LK_RECOVERY_BINS; i++)
        m[LK_RECOVERY_HISTOGRAM + i] = 0;
    for (size_t i = 0; i < r->count; i++) {
        double bin = r->at_s[i] / bin_s;

        m[LK_RECOVERY_HISTOGRAM +
          (bin < LK_RECOVERY_BINS ? lk_whole_size(bin) : LK_RECOVERY_BINS - 1)]++;
    }
}

/* Over both populations, weighted by their callers. */
static void read_times(const lk_saturation_result *r, double *m)
{
    double sum = 0, done = 0;

    m[LK_RECOVERY_P99] = 0;
    for (size_t i = 0; i < r->population_count; i++) {
        const lk_population_result *p = &r->populations[i];

        if (!p->done)
            continue;
        sum += p->took_mean_s * (double)p->done;
        done += (double)p->done;
        m[LK_RECOVERY_P99] = fmax(m[LK_RECOVERY_P99], lk_population_quantile_s(p, 0.99));
    }
    m[LK_RECOVERY_MEAN] = done > 0 ? sum / done : (double)NAN;
}

static lk_code measure(const void *context, void *worker, uint64_t seed, uint64_t stream, double *m,
                       lk_err *e)
{
    const lk_recovery *r = context;
    arrivals a = { .capacity = r->clients, .attempt = r->retry + 1 };
    lk_sat_observer observer = { &a, note, NULL };
    lk_crowds c = lk_recovery_crowds(r);
    lk_saturation_result result;
    lk_code code;

    (void)worker;
    a.at_s = calloc((size_t)r->clients + 1, sizeof(*a.at_s));
    if (!a.at_s)
        return lk_fail(e, LK_EOOM, "no memory for %u clients", r->clients);
    code = lk_crowds_run(&c, seed, stream, &observer, &result, e);
    if (code == LK_OK) {
        read_arrivals(&a, r->bin_s, m);
        read_times(&result, m);
        m[LK_RECOVERY_PEAK] = lk_saturation_peak_per_s(&result, result.bins, r->down_s,
                                                       (double)INFINITY);
        lk_saturation_release(&result);
    }
    free(a.at_s);
    return code;
}

lk_code lk_recovery_measure(lk_lab *lab, unsigned runs, const lk_recovery *r, lk_estimate *out,
                            lk_err *e)
{
    const lk_experiment x = { LK_RECOVERY_MEASURES, runs, r, NULL, NULL, measure };

    return lk_lab_run(lab, &x, out, e);
}
