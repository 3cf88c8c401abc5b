/* model/policy — retry policies as rows: a name, parameters, the delay before a retry.
 *
 * What is simulated draws from these rows, so that what is recognised can be compared with them.
 *
 * Units:  seconds; retry counts from 0 for the delay before the first retry.
 * Owner:  const rows; randomness comes in as an argument, u in [0, 1).
 * Source: window d(k) = min(cap, base * factor^k); "Exponential Backoff And Jitter" (M. Brooker, AWS
 *         Architecture Blog, 2015) for full, equal and decorrelated jitter.  */
#ifndef LK_MODEL_POLICY_H
#define LK_MODEL_POLICY_H

#include <stdbool.h>

typedef struct lk_policy_params {
    double base_s;
    double factor; /* growth a retry; 2 doubles */
    double cap_s;  /* of the window; INFINITY = none */
    double jitter; /* share, of percent-jitter only */
} lk_policy_params;

#define LK_POLICY_PARAMS_INIT { 1.0, 2.0, 60.0, 0.1 }

/* What the caller knows when it waits. */
typedef struct lk_wait {
    unsigned retry;
    double previous_s; /* its last delay; base_s before the first retry */
    double asked_s;    /* Retry-After of the answer; negative = none     */
} lk_wait;

typedef struct lk_policy {
    const char *name;
    const char *help;
    double (*delay_s)(const lk_policy_params *p, const lk_wait *w, double u);
} lk_policy;

extern const lk_policy LK_POLICIES[]; /* ends with name NULL */

const lk_policy *lk_policy_find(const char *name); /* NULL: no such policy */

/* min(cap, base * factor^retry), without overflow. */
double lk_policy_window_s(const lk_policy_params *p, unsigned retry);

#endif
