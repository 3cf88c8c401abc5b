/* scale/gather — the attempts of several states, in order of time, and those of one instant in the
 * order of their sources and lines.
 *
 * Owner:  lk_gather_open/lk_gather_close; the states are the caller's.
 * Errors: as scale/state.
 * Cost:   a block a run (scale/state), the attempts of one instant, those that wait for their floor, 24
 *         bytes a source; log2 of the runs a step.  */
#ifndef LK_SCALE_GATHER_H
#define LK_SCALE_GATHER_H

#include "scale/state.h"

typedef struct lk_gather lk_gather;

/* What the states call their sources: sources[i][k] is the number, from 0, that source k of states[i]
 * has among all; what comes of rank[number] comes first in an instant, UINT32_MAX: its attempts are
 * left out.  What of source `number` has a turn before floor_ns[number] has its turn then; of one instant that
 * comes first, together with what is_first says it of.  With `once`, what has the source and the number of the
 * one before it is left out. */
typedef struct lk_gather_options {
    const lk_state *states; /* [state_count] */
    size_t state_count;
    uint32_t *const *sources;
    const uint32_t *rank;
    const int64_t *floor_ns; /* NULL = none has any */
    bool (*is_first)(const void *ctx, uint32_t source, lk_slice rest); /* NULL = never */
    const void *ctx;
    bool once;
} lk_gather_options;

LK_MUST_CHECK lk_code lk_gather_open(const lk_gather_options *options, lk_gather **out, lk_err *e);
void lk_gather_close(lk_gather *g);
/* The source is its number among all; rest: until the next call. */
LK_MUST_CHECK lk_step lk_gather_next(lk_gather *g, lk_state_entry *out, lk_err *e);

#endif
