/* infer/crowd — do the waves of a population shrink as its callers are answered?
 *
 * Where many callers hide behind one address, or come from a pool of workers, single callers cannot be
 * asked.  Then the waves themselves are: a schedule's waves keep their size whatever the answers
 * were; those of a retry lose at least the answered and end with them.
 *
 * Shapes: row[count] one population's attempts, ascending by time.
 * Units:  seconds after the first arrival.
 * Owner:  waves in the arena given; it must not be the scratch.
 * Errors: EOOM.
 * Source: ours.  */
#ifndef LK_INFER_CROWD_H
#define LK_INFER_CROWD_H

#include "base/arena.h"
#include "base/err.h"
#include "infer/series.h"
#include "infer/strides.h"
#include "infer/waves.h"

#include <stdbool.h>
#include <stddef.h>

typedef struct lk_crowd {
    const lk_stride **row;
    size_t count;
    const lk_frame *frame;
} lk_crowd;

typedef struct lk_crowd_answer {
    bool is_retry; /* the waves keep to the period and shrink like a retry's */
    lk_waves waves;
} lk_crowd_answer;

LK_MUST_CHECK lk_code lk_crowd_ask(const lk_crowd *crowd, double period_s, lk_arena *a,
                                   lk_arena *scratch, lk_crowd_answer *out, lk_err *e);

#endif
