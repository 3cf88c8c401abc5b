/* infer/rounds — a herd's comebacks numbered by round and grouped into waves.
 *
 * A comeback's round is one more than that of the comeback it is linked to; one without a link counts
 * from its origin, the failed attempt one period before (the end of that, where the delay counts from the
 * end), placed on the herd's own beat.
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
    size_t origins;                    /* failures that the first wave came from */
    double origin_from_s, origin_to_s; /* NAN when there are none             */
} lk_rounds;

/* What a run needs besides the herd; the arenas differ. */
typedef struct lk_rounds_frame {
    const lk_strides *strides;
    const lk_frame *frame;
    lk_arena *a, *scratch;
} lk_rounds_frame;

/* The herd must have a period. */
LK_MUST_CHECK lk_code lk_rounds_find(const lk_herd *h, const lk_rounds_frame *in, lk_rounds *out,
                                     lk_err *e);

#endif
