/* infer/policies — the policy of each population and layer, from the comebacks that were linked.
 *
 * Shapes: see model/evidence.h.  Fills r->policies; reads r->layers and r->input.
 * Owner:  results live in `arena`; `scratch` is rewound before it returns.  The two differ.
 * Errors: EOOM.
 * Cost:   about 20 ms a population that retries.  */
#ifndef LK_INFER_POLICIES_H
#define LK_INFER_POLICIES_H

#include "base/arena.h"
#include "model/attempt.h"
#include "model/evidence.h"
#include "model/report.h"

LK_MUST_CHECK lk_code lk_infer_policies(const lk_evidence *evidence, const lk_symbols *symbols,
                                        lk_arena *arena, lk_arena *scratch, lk_report *r, lk_err *e);

#endif
