/* sim/storm — a herd of callers against a token bucket, as a source of attempts.
 *
 * At burst_s all callers start within spread_s.  An attempt that finds no token is refused with 429;
 * its caller waits as its policy says and tries again, up to attempts_max attempts a call; a call
 * that failed is begun anew after requeue_s (counted from its last refusal), if that is given.
 * Answered background traffic of background_per_s (Poisson) runs beside it, by callers of its own,
 * and never retries.
 *
 * Units:  seconds in the options; attempts as model/attempt.h, start_ns from 2026-01-01T00:00:00Z.
 * Owner:  lk_storm_open/lk_storm_close.
 * Errors: EUSAGE options that make no storm; EOOM.
 * Thread: none; the same options and seed give the same attempts everywhere.
 * Cost:   80 bytes a caller.  */
#ifndef LK_SIM_STORM_H
#define LK_SIM_STORM_H

#include "model/attempt.h"
#include "model/policy.h"

typedef struct lk_storm_options {
    unsigned callers;
    const lk_policy *policy; /* NULL: nobody retries */
    lk_policy_params params;
    unsigned attempts_max;   /* a call; 0 = no bound */
    double requeue_s;        /* 0 = a failed call stays failed */
    double burst_s, spread_s;
    double allowance_per_s, bucket; /* tokens */
    double retry_after_s;    /* on refusals; negative = none */
    double service_s;        /* of every attempt */
    double background_per_s;
    double span_s;
    bool with_ids;           /* attempts carry call id and number */
    uint64_t seed;
} lk_storm_options;

#define LK_STORM_OPTIONS_INIT                                                             \
    {                                                                                     \
        .callers = 200, .params = LK_POLICY_PARAMS_INIT, .attempts_max = 3,               \
        .burst_s = 120, .spread_s = 1, .allowance_per_s = 0.5, .bucket = 5,               \
        .retry_after_s = -1, .service_s = 0.02, .background_per_s = 5, .span_s = 900,     \
        .seed = 1                                                                         \
    }

typedef struct lk_storm_counts {
    uint64_t attempts, refused, calls, failed_calls, tasks;
} lk_storm_counts;

typedef struct lk_storm lk_storm;

/* population symbols: 0 the herd, 1 the background. */
LK_MUST_CHECK lk_code lk_storm_open(const lk_storm_options *options, lk_storm **out, lk_err *e);
void lk_storm_close(lk_storm *s);
lk_source *lk_storm_source(lk_storm *s); /* its close does nothing: lk_storm_close does */

/* Of the herd alone, complete once the source has ended.  Calls that the span cut off are among
 * `calls` but not among `failed_calls`. */
lk_storm_counts lk_storm_counts_of(const lk_storm *s);

#endif
