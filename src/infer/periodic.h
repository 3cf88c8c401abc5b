/* infer/periodic — clocks that the arrival times show and no caller has explained yet.
 *
 * Where callers can be told apart they are asked whether failures cause the waves; without an answer a
 * clock is "unexplained", never "retry".
 *
 * Owner:  rows in the case's arena.
 * Errors: EOOM.  */
#ifndef LK_INFER_PERIODIC_H
#define LK_INFER_PERIODIC_H

#include "infer/case.h"
#include "infer/timing.h"

LK_MUST_CHECK lk_code lk_periodic_rows(lk_case *c, const lk_hits hits[LK_LINES], lk_err *e);

#endif
