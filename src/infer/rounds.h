/* infer/rounds — a herd's comebacks numbered by round and grouped into waves.
 *
 * A comeback's round is one more than that of the comeback it is linked to; one without a link counts
 * from its origin, the failed attempt one period before, placed on the herd's own beat.
 *
 * Units:  seconds after the first arrival.
 * Owner:  the arena given.
 * Errors: EOOM.
 * Source: ours.  */
#ifndef LK_INFER_ROUNDS_H
#define LK_INFER_ROUNDS_H

#include "base/arena.h"
#include "base/err.h"
#include "infer/herd.h"
#include "infer/strides.h"
#include "infer/waves.h"

typedef struct lk_rounds {
    lk_waves waves;
    size_t origins;                 /* failures that the first wave came from */
    double origin_from_s, origin_to_s; /* NAN when there are none             */
} lk_rounds;

/* The herd must have a period; `log` and its zero as for lk_waves_of_beats. */
LK_MUST_CHECK lk_code lk_rounds_find(const lk_strides *s, const lk_herd *h, const lk_line *log,
                                     double log_zero_s, lk_arena *a, lk_arena *scratch,
                                     lk_rounds *out, lk_err *e);

#endif
