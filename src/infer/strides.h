/* infer/strides — attempts in the order in which one leads to the next.
 *
 * A path is a run of attempts, each the next of the one before: of one call, of calls that follow
 * each other at one caller and target.  It, and not the address, is what votes: workers behind one
 * address walk several paths.
 *
 * Shapes: row[n] grouped by unit (a path; in order of first appearance), by time within; unit u owns
 *         [first[u], first[u + 1]).  next and previous are neighbours in it, LK_NO_STRIDE = none.
 * Units:  seconds after the evidence's first arrival; gap start to start, pause end to start,
 *         INFINITY = the caller never came again.
 * Owner:  the arena given; it must not be the scratch.
 * Errors: EOOM.
 * Cost:   56 bytes a hop, 112 more while it is made; one sort.  */
#ifndef LK_INFER_STRIDES_H
#define LK_INFER_STRIDES_H

#include "base/arena.h"
#include "base/err.h"
#include "model/evidence.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define LK_NO_STRIDE UINT32_MAX

typedef struct lk_stride {
    double at_s, gap_s, pause_s;
    uint32_t unit, next, previous;
    uint32_t population, target;
    bool failed, rejected, next_rejected, by_id;
} lk_stride;

typedef struct lk_strides {
    lk_stride *row;
    size_t n;
    size_t *first; /* [unit_count + 1] */
    size_t unit_count;
    double *weight; /* [unit_count] callers that the path's stands for: those that never failed are sampled
                       otherwise */
    bool *answered; /* [unit_count] at least once */
    double resolution_s;
    double minute_s; /* how far into its minute the first arrival came */
    bool has_pauses; /* some pause differs from its gap: durations were logged */
} lk_strides;

LK_MUST_CHECK lk_code lk_strides_new(const lk_evidence *evidence, lk_arena *a, lk_arena *scratch,
                                     lk_strides *out, lk_err *e);

/* Which of the two times of a stride is meant. */
typedef enum lk_measure { LK_MEASURE_PAUSE, LK_MEASURE_GAP } lk_measure;

double lk_stride_value(const lk_stride *s, lk_measure m);

/* When it was over; its start where that is not known. */
double lk_stride_end_s(const lk_stride *s);

#endif
