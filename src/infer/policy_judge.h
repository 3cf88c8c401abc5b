/* infer/policy_judge — which policy a population runs, whether that can be known, and what is wrong
 * with it.
 *
 * The cheapest fit names it, unless the log cannot tell: too few comebacks, windows below the stamps'
 * grain, a runner-up as good, delays that no policy explains (a mixture).
 *
 * Units:  seconds.
 * Errors: EOOM.
 * Thread: pure.  */
#ifndef LK_INFER_POLICY_JUDGE_H
#define LK_INFER_POLICY_JUDGE_H

#include "infer/policy_fit.h"

#include <stdint.h>

/* What can be wrong; bits, named by lk_policy_flag_name. */
enum {
    LK_FLAG_CAP_BINDING = 1 << 0,
    LK_FLAG_ZERO_SPIKE = 1 << 1,
    LK_FLAG_IDENTICAL_DRAWS = 1 << 2,
    LK_FLAG_DRAW_REUSED = 1 << 3,
    LK_FLAG_IGNORES_RETRY_AFTER = 1 << 4,
    LK_FLAG_NO_CAP = 1 << 5,
    LK_FLAG_DETERMINISTIC = 1 << 6,
    LK_FLAG_COUNTER_RESET = 1 << 7,
    LK_FLAG_NO_JITTER_ON_FIRST = 1 << 8,
    LK_FLAG_REGIME_CHANGE = 1 << 9,
    LK_FLAG_AFTER_CLIENT_LEFT = 1 << 10,
    LK_FLAG_NON_RETRYABLE = 1 << 11
};
enum { LK_FLAGS = 12 };

const char *lk_policy_flag_name(unsigned i); /* of bit i */

/* Comebacks of one population and layer, whole callers, in their order. */
typedef struct lk_judged_set {
    lk_delay_set delays;
    const uint64_t *caller;       /* [n] */
    const bool *holds_service;    /* [n] a service time that no log shows is part of the delay */
} lk_judged_set;

typedef struct lk_policy_verdict {
    const lk_policy *policy; /* NULL = not known */
    lk_policy_model model;   /* of the cheapest fit, named or not; policy NULL: none at all */
    double lag_s;
    double log_likelihood;   /* of the delays that were fitted */
    size_t fitted;           /* their number */
    double support;          /* NAN = none */
    double distance, callers; /* of the cheapest fit: lk_policy_match */
    const lk_policy *runner_up; /* NULL = none */
    unsigned flags;
    unsigned regime_from;    /* first retry of the other regime, counted from 0 */
    unsigned merged_from;    /* retries from here on are next calls linked to given-up ones; 0 = none */
} lk_policy_verdict;

LK_MUST_CHECK lk_code lk_policy_judge(const lk_judged_set *set, lk_arena *scratch,
                                      lk_policy_verdict *out, lk_err *e);

#endif
