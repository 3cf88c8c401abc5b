/* infer/crowding — clocks of kind "retry" whose callers cannot be told apart.
 *
 * Populations with many failures that no caller's delay accounts for are looked at on their own: a
 * period in their arrivals, and waves that shrink like a retry's.
 *
 * Owner:  rows in the case's arena.
 * Errors: EOOM.
 * Cost:   one search of the arrival times for each of at most three populations.  */
#ifndef LK_INFER_CROWDING_H
#define LK_INFER_CROWDING_H

#include "infer/case.h"

LK_MUST_CHECK lk_code lk_crowd_rows(lk_case *c, lk_err *e);

#endif
