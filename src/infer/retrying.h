/* infer/retrying — clocks of kind "retry" from the constants in the comebacks, and the fixed delays.
 *
 * A clock needs a constant, users that come together, comebacks caused by failures and a period: the
 * delay repeated at once, or a cycle through other delays.  Delays that follow each other in one
 * order without repeating (2, 4, 8 s) make callers synchronised but no clock.
 *
 * Owner:  rows and fixed delays in the case's arena.
 * Errors: EOOM.  */
#ifndef LK_INFER_RETRYING_H
#define LK_INFER_RETRYING_H

#include "infer/case.h"
#include "infer/delays.h"

#include <stdbool.h>

/* Takes back `synchronised` where the waves turn out to have no quiet between them. */
LK_MUST_CHECK lk_code lk_retry_rows(lk_case *c, lk_delays *delays, lk_err *e);
LK_MUST_CHECK lk_code lk_fixed_delay_rows(lk_case *c, const lk_delays *delays, lk_report *r,
                                          lk_err *e);

/* Many callers walk through the same synchronised delays in the same order. */
LK_MUST_CHECK lk_code lk_shared_sequence(lk_case *c, const lk_delays *delays, bool *out, lk_err *e);

#endif
