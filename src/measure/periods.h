/* measure/periods — the account of attempts and calls in bins of time, from which the incident and
 * what a retry budget would have cut are read.
 *
 * A commutative monoid but for the choice of statuses: bins only ever double and stand on multiples
 * of their width.  The first LK_PERIOD_STATUSES statuses have a count of their own in every bin, and so
 * have the first LK_PERIOD_POPULATIONS populations that were rejected.
 *
 * Shapes: items[n]; bin i covers [(first_bin + i) * bin_ns, + bin_ns).
 * Units:  ns.
 * Owner:  lk_periods_init/lk_periods_release.
 * Errors: EOOM.
 * Cost:   about 900 bytes a bin, at most LK_PERIODS_MAX of them: an hour at 1 s, a day at 32 s.  */
#ifndef LK_MEASURE_PERIODS_H
#define LK_MEASURE_PERIODS_H

#include "base/time.h"
#include "model/attempt.h"
#include "model/evidence.h"

enum { LK_PERIODS_MAX = 4096, LK_PERIOD_SYMBOLS = 4096 };

typedef struct lk_periods {
    int64_t bin_ns, first_bin;
    int64_t begin_ns, end_ns; /* of the bin used last: the next attempt is mostly in it */
    size_t n, cap, at;
    size_t front; /* bins of room before the first */
    lk_period *items;
    uint16_t statuses[LK_PERIOD_STATUSES];
    size_t status_count;
    uint8_t status_slot[1000]; /* slot + 1; 0 = none */
    uint32_t populations[LK_PERIOD_POPULATIONS];
    size_t population_count;
    uint8_t population_slot[LK_PERIOD_SYMBOLS]; /* by symbol: slot + 1; 0 = none */
} lk_periods;

LK_MUST_CHECK lk_code lk_periods_init(lk_periods *p, int64_t bin_ns, lk_err *e);
void lk_periods_release(lk_periods *p);

LK_MUST_CHECK lk_code lk_periods_attempt(lk_periods *p, const lk_attempt *a, lk_err *e);
LK_MUST_CHECK lk_code lk_periods_comeback(lk_periods *p, int64_t at_ns,
                                          uint32_t population, lk_err *e);
/* A call of one attempt that succeeded; span_ns as lk_call.span_ns. */
LK_MUST_CHECK lk_code lk_periods_first(lk_periods *p, int64_t at_ns, int64_t span_ns, lk_err *e);
/* By the start of its first attempt; one without it is not counted. */
LK_MUST_CHECK lk_code lk_periods_call(lk_periods *p, const lk_call *call, lk_err *e);

/* As infer/ wants them; they stay *p's. */
void lk_periods_evidence(const lk_periods *p, lk_evidence *out);

#endif
