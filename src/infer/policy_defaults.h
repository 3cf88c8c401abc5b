/* infer/policy_defaults — the retry schedules that SDKs, HTTP clients, queues and proxies ship.
 *
 * A schedule gives, for each retry, the interval that the delay is drawn from:
 * d = min(cap, base * growth of n), low * d .. high * d + added; the first retry may have a delay of
 * its own.
 *
 * Source: the projects' own sources and documentation, and their behaviour on the wire.  */
#ifndef LK_INFER_POLICY_DEFAULTS_H
#define LK_INFER_POLICY_DEFAULTS_H

#include "infer/policy_judge.h"
#include "model/evidence.h"

typedef enum lk_growth {
    LK_GROWS_BY_FACTOR, /* base * factor^n    */
    LK_GROWS_BY_POWER   /* base * (n + 1)^factor + added start */
} lk_growth;

typedef struct lk_default_schedule {
    const char *name;
    lk_comeback_layer layer;
    lk_growth growth;
    double base_s, factor, cap_s; /* cap INFINITY = none */
    double low, high, added_s;    /* 1, 1, 0 = no jitter */
    double start_s;               /* a constant on top, before jitter */
    double first_s;               /* of the first retry; < 0: as the others */
    unsigned attempts;            /* in all; 0 = given by the user, or without end */
    const char *agent;            /* part of its user agent, or NULL */
} lk_default_schedule;

extern const lk_default_schedule LK_DEFAULT_SCHEDULES[]; /* ends with name NULL */

/* Names of the schedules that explain the delays about as well as the best fit does, those whose
 * agent is seen first; at most `most`. */
LK_MUST_CHECK lk_code lk_defaults_that_fit(const lk_judged_set *set, const lk_policy_verdict *v,
                                           lk_comeback_layer layer, const char *agent,
                                           int64_t attempts_cap, lk_arena *scratch,
                                           const char **names, size_t most, size_t *count,
                                           lk_err *e);

#endif
