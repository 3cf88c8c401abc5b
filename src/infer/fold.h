/* infer/fold — the arrivals of a clock's time folded at its period: what a picture of its phase shows.
 *
 * Shapes: phase_all[n], phase_rejected[n], n at most LK_PHASE_MAX; bin i covers the phases
 *         [i, i + 1) * period / n after the epoch, no finer than the stamps.
 * Owner:  the arena.
 * Errors: EOOM.
 * Cost:   one pass over the bins of the clock's time.  */
#ifndef LK_INFER_FOLD_H
#define LK_INFER_FOLD_H

#include "base/arena.h"
#include "base/err.h"
#include "model/evidence.h"
#include "model/report.h"

/* Fills the clock's phase; leaves it empty where the bins are too coarse for four of them. */
LK_MUST_CHECK lk_code lk_fold(const lk_series *s, lk_report_clock *c, lk_arena *a, lk_err *e);

#endif
