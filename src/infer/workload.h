/* infer/workload — what the callers wanted during the incident and what the server gave to whom, so that
 * the incident can be simulated anew.
 *
 * Fills r->workload; reads the incident and the policies.
 * Units:  seconds from the window's start.
 * Owner:  rows in the arena.
 * Errors: EOOM.  */
#ifndef LK_INFER_WORKLOAD_H
#define LK_INFER_WORKLOAD_H

#include "base/arena.h"
#include "model/attempt.h"
#include "model/evidence.h"
#include "model/report.h"

/* The part of the log to look at: the incident and a little more; false where there is nothing to
 * simulate. */
bool lk_workload_span(const lk_evidence *ev, const lk_report *r, int64_t *from_ns, int64_t *to_ns);

/* populations[i]: symbol of the window's crowd number i. */
LK_MUST_CHECK lk_code lk_infer_workload(const lk_workload_window *w, const uint32_t *populations,
                                        const lk_symbols *symbols, lk_arena *arena,
                                        lk_arena *scratch, lk_report *r, lk_err *e);

#endif
