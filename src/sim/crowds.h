/* sim/crowds — a saturation run whose callers start spread over a time, run by run anew.
 *
 * Owner:  plain data; samplers are the caller's.
 * Errors: as lk_saturation_run.  */
#ifndef LK_SIM_CROWDS_H
#define LK_SIM_CROWDS_H

#include "sim/saturation.h"

enum { LK_CROWDS = 3 };

typedef struct lk_crowds {
    lk_population populations[LK_CROWDS]; /* at_s is filled in here */
    size_t starts[LK_CROWDS];             /* callers; 0 where rate_per_s says */
    double spread_s;                      /* starts are uniform on [0, this) */
    size_t count;
    lk_saturation_options o; /* populations are filled in here */
} lk_crowds;

LK_MUST_CHECK lk_code lk_crowds_run(const lk_crowds *c, uint64_t seed, uint64_t stream,
                                    const lk_sat_observer *observer, lk_saturation_result *out,
                                    lk_err *e);

/* One run for what the observer sees of it. */
LK_MUST_CHECK lk_code lk_crowds_watch(const lk_crowds *c, uint64_t seed,
                                      const lk_sat_observer *observer, lk_err *e);

/* Instant at which a share of all callers had been served; NAN: never. */
double lk_served_at_s(const lk_population_result *p, double share);

#endif
