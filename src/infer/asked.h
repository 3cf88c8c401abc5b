/* infer/asked — how callers treat the Retry-After that they were told, and what that does.
 *
 * Fills r->retry_after but for its counts, and lk_report_policy.retry_after by lk_obedience_of; reads
 * clocks and policies.
 * Units:  seconds in the report, ns in the evidence.
 * Errors: EOOM.
 * Source: RFC 9110, 10.2.3.  */
#ifndef LK_INFER_ASKED_H
#define LK_INFER_ASKED_H

#include "base/arena.h"
#include "model/evidence.h"
#include "model/report.h"

/* Of the comebacks sampled of one population and layer. */
lk_report_obedience lk_obedience_of(const lk_comeback_set *s);

LK_MUST_CHECK lk_code lk_infer_asked(const lk_evidence *ev, lk_arena *arena, lk_report *r,
                                     lk_err *e);

#endif
