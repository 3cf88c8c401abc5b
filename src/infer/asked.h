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

/* A population's steps after a Retry-After to the caller's next attempt at the same target; of them, those
 * that came exactly then. */
size_t lk_asked_steps(const lk_evidence *ev, uint32_t population, size_t *exact);

LK_MUST_CHECK lk_code lk_infer_asked(const lk_evidence *ev, lk_arena *arena, lk_report *r,
                                     lk_err *e);

#endif
