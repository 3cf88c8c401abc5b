/* infer/sums — a cycle longer than its delay: which of the delays that were seen add up to it?
 *
 * 60 s = 2 x 12 s + 36 s; 84 s = 60 s + 2 x 12 s.  The sum is offered beside the well-known constants;
 * it makes no clock of its own.
 *
 * Owner:  the arena.
 * Errors: EOOM.  */
#ifndef LK_INFER_SUMS_H
#define LK_INFER_SUMS_H

#include "base/arena.h"
#include "base/err.h"
#include "model/report.h"

/* Adds a candidate to each clock whose period is not its delay. */
LK_MUST_CHECK lk_code lk_sums_offer(lk_report *r, double resolution_s, lk_arena *a, lk_err *e);

#endif
