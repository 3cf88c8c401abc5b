/* infer/advice — what to change first: each line from something that was found, none without.
 *
 * Order: what helps most and costs least stands first (bound concurrency, jitter, cap attempts, a
 * retry budget, a deadline, jitter on the first attempt, a breaker, no retry of what cannot succeed,
 * less backoff where failures are cheap, full in place of decorrelated jitter, less or slower load).
 *
 * Fills r->advice without what is expected of each; reads all the rest.
 * Owner:  texts in the arena.
 * Errors: EOOM.
 * Source: sizing as in model/sizing.  */
#ifndef LK_INFER_ADVICE_H
#define LK_INFER_ADVICE_H

#include "base/arena.h"
#include "model/report.h"

LK_MUST_CHECK lk_code lk_infer_advice(lk_arena *arena, lk_report *r, lk_err *e);

#endif
