/* infer/policy_starts — where the fit of a policy begins: parameters read off the quantiles of each
 * retry's delays, and round constants near them.
 *
 * Units:  seconds.
 * Owner:  the list's items belong to an arena.
 * Errors: EOOM.  */
#ifndef LK_INFER_POLICY_STARTS_H
#define LK_INFER_POLICY_STARTS_H

#include "infer/policy_model.h"

enum { LK_STARTS_MAX = 1024, LK_OUTLINE_RETRIES = 16 };

typedef struct lk_starts {
    lk_policy_model *items; /* [LK_STARTS_MAX] */
    size_t count;
} lk_starts;

/* What the delays of each retry look like. */
typedef struct lk_outline {
    unsigned retry[LK_OUTLINE_RETRIES]; /* those with enough delays, ascending */
    size_t count;
    double low[LK_RETRIES_MAX], median[LK_RETRIES_MAX], top[LK_RETRIES_MAX]; /* NAN = too few */
    double spread[LK_RETRIES_MAX]; /* 20 % .. 80 % */
    double shortest, longest, middle; /* of all: 1 %, largest, median */
    double centre;                   /* mean of those near the median */
    unsigned last_retry;             /* largest seen */
    bool first_is_apart; /* the first retry keeps one delay, later ones do not */
} lk_outline;

LK_MUST_CHECK lk_code lk_outline_draw(const lk_delay_set *d, lk_arena *scratch, lk_outline *out,
                                      lk_err *e);

/* All that is worth trying for one policy. */
void lk_starts_of(const lk_policy *policy, const lk_outline *o, const lk_delay_set *d,
                  lk_starts *out);

#endif
