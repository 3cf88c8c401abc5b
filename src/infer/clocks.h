/* infer/clocks — names the clocks in the arrivals: period, evidence, waves, retry or not.
 *
 * Shapes: see model/evidence.h.  Fills r->clocks (worst first: retry, then by share), r->fixed_delays,
 *         r->spectrum, r->synchronised; appends to r->notes what could not be known.
 * Owner:  results live in `arena`; `scratch` is rewound before it returns.
 * Errors: EOOM.
 * Thread: none shared.
 * Cost:   FFTs of at most 2^20 points a window; see lk_spectrum.
 * Source: row coherence, burst lattice and caller steps as in lockstep's own method notes; H-test of
 *         de Jager, Raubenheimer & Swanepoel 1989, de Jager & Buesching 2010; whitening after Israel
 *         & Stella 1996.  */
#ifndef LK_INFER_CLOCKS_H
#define LK_INFER_CLOCKS_H

#include "base/arena.h"
#include "base/err.h"
#include "model/attempt.h"
#include "model/evidence.h"
#include "model/report.h"

LK_MUST_CHECK lk_code lk_infer_clocks(const lk_evidence *evidence, const lk_symbols *symbols,
                                      lk_arena *arena, lk_arena *scratch, lk_report *r, lk_err *e);

#endif
