/* infer/delays — every constant among the comebacks after failures, strongest first, each with its
 * herd and with the question asked whether failures cause the comebacks.
 *
 * Shapes: at most LK_DELAYS_MAX.
 * Units:  seconds; probabilities count cells, widths and the trials given.
 * Owner:  herds live in the arena given; it must not be the scratch.
 * Errors: EOOM.
 * Source: ours.  */
#ifndef LK_INFER_DELAYS_H
#define LK_INFER_DELAYS_H

#include "base/arena.h"
#include "base/err.h"
#include "infer/attribute.h"
#include "infer/herd.h"
#include "infer/strides.h"
#include "infer/timing.h"

#include <stddef.h>

enum { LK_DELAYS_MAX = 12 };

typedef struct lk_delay {
    lk_herd herd;
    lk_answer answer;
    double ln_p;       /* a constant AND its users together: the weaker of the two */
    bool synchronised; /* ln_p stands and the phases really bunch                  */
    bool by_cycle;     /* ... only since the callers' longer cycle does            */
} lk_delay;

typedef struct lk_delays {
    lk_delay item[LK_DELAYS_MAX];
    size_t count;
} lk_delays;

typedef struct lk_delay_search {
    double span_s; /* constants above half of it are not looked for */
    double ln_trials;
    double ln_threshold;   /* constants above it do not stand               */
    lk_period_range range; /* of the constants; 0 = as the stamps and the span allow */
} lk_delay_search;

LK_MUST_CHECK lk_code lk_delays_find(const lk_strides *s, const lk_delay_search *how, lk_arena *a,
                                     lk_arena *scratch, lk_delays *out, lk_err *e);

#endif
