#include "sim/crowds.h"

#include "base/whole.h"
#include "base/xoshiro.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The starts come from a seed of their own: another policy meets the same callers. */
#define STARTS_SEED UINT64_C(0x7374617274733a31)

static lk_code run(const lk_crowds *c, double *at_s, uint64_t seed, uint64_t stream,
                   const lk_sat_observer *observer, lk_saturation_result *out, lk_err *e)
{
    lk_population populations[LK_CROWDS];
    lk_saturation_options o = c->o;
    lk_xoshiro x;

    memcpy(populations, c->populations, sizeof(populations));
    lk_xoshiro_init(&x, seed ^ STARTS_SEED, stream);
    for (size_t i = 0; i < c->count; i++) {
        if (populations[i].rate_per_s > 0)
            continue;
        populations[i].at_s = at_s;
        populations[i].count = c->starts[i];
        for (size_t j = 0; j < c->starts[i]; j++)
            *at_s++ = c->spread_s * lk_xoshiro_unit(&x);
    }
    o.populations = populations;
    o.population_count = c->count;
    if (observer)
        o.observer = *observer;
    return lk_saturation_run(&o, seed, stream, out, e);
}

lk_code lk_crowds_run(const lk_crowds *c, uint64_t seed, uint64_t stream,
                      const lk_sat_observer *observer, lk_saturation_result *out, lk_err *e)
{
    size_t total = 1;
    double *at_s;
    lk_code code;

    for (size_t i = 0; i < c->count; i++)
        total += c->starts[i];
    at_s = calloc(total, sizeof(*at_s));
    if (!at_s)
        return lk_fail(e, LK_EOOM, "no memory for %zu callers", total);
    code = run(c, at_s, seed, stream, observer, out, e);
    free(at_s);
    return code;
}

lk_code lk_crowds_watch(const lk_crowds *c, uint64_t seed, const lk_sat_observer *observer,
                        lk_err *e)
{
    lk_saturation_result r;

    LK_TRY(lk_crowds_run(c, seed, 0, observer, &r, e));
    lk_saturation_release(&r);
    return LK_OK;
}

double lk_served_at_s(const lk_population_result *p, double share)
{
    uint64_t wanted = (uint64_t)lk_whole(ceil(share * (double)p->tasks));

    return wanted && p->done >= wanted ? p->done_s[wanted - 1] : (double)NAN;
}
