/* infer/clocks — names the clocks in the arrivals: period, evidence, waves, retry or not.
 *
 * Asked in this order, each about what the ones before left unexplained: callers after failures
 * (delays, herds, cycles), callers after good answers (timetables), populations whose callers cannot
 * be told apart (crowds), and the arrival times alone.
 *
 * Shapes: see model/evidence.h.  Fills r->clocks (worst first: retry, then by share), r->fixed_delays,
 *         r->spectrum, r->synchronised; appends to r->notes what could not be known.  With fewer
 *         than 20 attempts or 12 s it leaves synchronised at "not known" and says so.
 * Owner:  results live in `arena`; `scratch` is rewound before it returns.  The two differ.
 * Errors: EOOM.
 * Thread: none shared.
 * Cost:   FFTs of at most 2^20 points a window; a day at 0.25 s takes one to two seconds; memory 60
 *         bytes a bin and 250 a hop, besides what the report keeps.
 * Source: row coherence, burst lattice and caller steps as in lockstep's own method notes; H-test of
 *         de Jager, Raubenheimer & Swanepoel 1989, de Jager & Buesching 2010; whitening after Israel
 *         & Stella 1996.  */
#ifndef LK_INFER_CLOCKS_H
#define LK_INFER_CLOCKS_H

#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"
#include "model/attempt.h"
#include "model/evidence.h"
#include "model/report.h"

typedef struct lk_clock_search {
    double alpha;                      /* overall false-alarm probability of a clock, 0 .. 1 */
    double period_min_s, period_max_s; /* 0 = as the log allows                              */
    lk_buf *steps;                     /* gets what was tried, step by step; NULL = nobody asks */
} lk_clock_search;

#define LK_CLOCK_SEARCH_INIT \
    {                        \
        .alpha = 2e-4        \
    }

LK_MUST_CHECK lk_code lk_infer_clocks(const lk_evidence *evidence, const lk_symbols *symbols,
                                      const lk_clock_search *how, lk_arena *arena,
                                      lk_arena *scratch, lk_report *r, lk_err *e);

#endif
