/* infer/capacity — what the server admits against what is asked of it, and how many waves are to come.
 *
 * The allowance is given, or read off stretches in which the server refused all along: what it
 * admitted there, when that was steady; of the population that comes in waves, or that has most of
 * the rejections, where there is one.  Demand is what is no comeback.
 *
 * Fills r->capacity, r->overload and r->outlook; reads clocks, policies, layers, incident.
 * Units:  requests a second.
 * Errors: EOOM.
 * Source: survival of waves as a geometric series; sizing as in model/sizing.  */
#ifndef LK_INFER_CAPACITY_H
#define LK_INFER_CAPACITY_H

#include "base/arena.h"
#include "model/attempt.h"
#include "model/evidence.h"
#include "model/report.h"

/* What the operator says; NAN = not given. */
typedef struct lk_given_capacity {
    double allowance_per_s, bucket;
} lk_given_capacity;

LK_MUST_CHECK lk_code lk_infer_capacity(const lk_evidence *ev, const lk_symbols *symbols,
                                        const lk_given_capacity *given, lk_arena *arena,
                                        lk_arena *scratch, lk_report *r, lk_err *e);

#endif
