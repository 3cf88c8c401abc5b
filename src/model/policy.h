/* model/policy — retry policies as rows: a name, parameters, and where the delay before a retry lies.
 *
 * Every policy spreads its delay evenly over an interval, which may be a point; one of them lays what
 * would pass its cap on the cap itself.  A row gives that interval, and the draw (for simulation) and
 * the log-density (for recognition) both come from it: what is simulated and what is recognised
 * cannot drift apart.
 *
 * Units:  seconds; retry counts from 0 for the delay before the first retry.
 * Owner:  const rows; randomness comes in as an argument, u in [0, 1).
 * Errors: EUSAGE from lk_policy_parse.
 * Source: window d(k) = min(cap, base * factor^k); "Exponential Backoff And Jitter" (M. Brooker, AWS
 *         Architecture Blog, 2015) for full, equal and decorrelated jitter.  */
#ifndef LK_MODEL_POLICY_H
#define LK_MODEL_POLICY_H

#include "base/err.h"
#include "base/slice.h"

#include <stdbool.h>
#include <stddef.h>

typedef struct lk_policy_params {
    double base_s;
    double factor;     /* growth a retry; 2 doubles */
    double cap_s;      /* of the window; INFINITY = none */
    double jitter;     /* share, of percent-jitter only */
    unsigned attempts; /* of a call, the first one counted; 0 = no bound */
} lk_policy_params;

#define LK_POLICY_PARAMS_INIT  \
    {                          \
        1.0, 2.0, 60.0, 0.1, 0 \
    }

/* What the caller knows when it waits. */
typedef struct lk_wait {
    unsigned retry;
    double previous_s; /* its last delay; base_s before the first retry */
    double asked_s;    /* Retry-After of the answer; negative = none     */
} lk_wait;

/* A delay is min(most, low + u * (high - low)); low = high is a point. */
typedef struct lk_spread {
    double low_s, high_s;
    double most_s; /* INFINITY = nothing is cut */
} lk_spread;

/* Which parameters a policy uses; bits. */
enum { LK_USES_BASE = 1, LK_USES_FACTOR = 2, LK_USES_CAP = 4, LK_USES_JITTER = 8 };

typedef struct lk_policy {
    const char *name;
    const char *help;
    unsigned uses; /* LK_USES_..., besides attempts */
    lk_spread (*spread)(const lk_policy_params *p, const lk_wait *w);
} lk_policy;

extern const lk_policy LK_POLICIES[]; /* ends with name NULL */

const lk_policy *lk_policy_find(const char *name); /* NULL: no such policy */

/* The delay that u in [0, 1) draws; INFINITY: no retry at all ("none"). */
double lk_policy_delay_s(const lk_policy *policy, const lk_policy_params *p, const lk_wait *w,
                         double u);

/* Natural logarithm of the density of a delay x, in 1/s, where delays are seen to a grain of grain_s
 * (> 0): a point counts as an interval one grain wide around it.  -INFINITY where x cannot be. */
double lk_policy_log_density(const lk_policy *policy, const lk_policy_params *p, const lk_wait *w,
                             double x_s, double grain_s);

/* No attempt after this one? `made`: attempts so far, at least 1. */
bool lk_policy_gives_up(const lk_policy *policy, const lk_policy_params *p, unsigned made);

/* Longest possible sum of the first `retries` delays; with retry-after rows, without a hint. */
double lk_policy_longest_s(const lk_policy *policy, const lk_policy_params *p, unsigned retries);

/* min(cap, base * factor^retry), without overflow. */
double lk_policy_window_s(const lk_policy_params *p, unsigned retry);

/* A policy with its parameters, as typed: "full-jitter:base=8,cap=60,attempts=4". */
typedef struct lk_policy_choice {
    const lk_policy *policy;
    lk_policy_params params;
} lk_policy_choice;

enum { LK_POLICY_TEXT_MAX = 160 };

/* Durations as base/quantity; jitter as a share or "10%"; what is not given keeps the value that
 * *out has. */
LK_MUST_CHECK lk_code lk_policy_parse(lk_slice text, lk_policy_choice *out, lk_err *e);

/* The value of an option --name as that parameter of c's policy; NULL: as it is. */
LK_MUST_CHECK lk_code lk_policy_parse_one(const char *name, const char *value, lk_policy_choice *c,
                                          lk_err *e);

/* The same form, with the parameters that the policy uses; reads back as the same choice (numbers to
 * 6 digits).  out holds LK_POLICY_TEXT_MAX bytes. */
void lk_policy_print(const lk_policy_choice *c, char *out);

#endif
