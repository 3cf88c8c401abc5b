/* infer/verdict — what the report says in words: the headline, and how the two rates agree.
 *
 * Reads the findings in the report and fills r->headline and r->reconciliation.explanation;
 * puts the clock that the headline speaks of first.
 * Errors: EOOM.  */
#ifndef LK_INFER_VERDICT_H
#define LK_INFER_VERDICT_H

#include "base/arena.h"
#include "base/err.h"
#include "model/report.h"

LK_MUST_CHECK lk_code lk_infer_verdict(lk_arena *arena, lk_report *r, lk_err *e);

#endif
