/* infer/peel — constants among the gaps after failures (or after good answers), strongest first: each
 * is found, its gaps are set aside, and the rest is searched again.
 *
 * Units:  seconds.
 * Owner:  the scratch arena given to lk_peel_open, for as long as the search goes on.
 * Errors: EOOM.
 * Source: ours.  */
#ifndef LK_INFER_PEEL_H
#define LK_INFER_PEEL_H

#include "base/arena.h"
#include "base/err.h"
#include "infer/gaps.h"
#include "infer/strides.h"

#include <stdbool.h>
#include <stddef.h>

/* Where a constant stands: the strides whose measure lies in [low_s, high_s]. */
typedef struct lk_constant {
    lk_measure measure;
    double low_s, high_s;
    double ln_gap;                  /* that there is a constant at all, trials counted */
    double core_low_s, core_high_s; /* the peak itself                             */
    double beside;                  /* density of gaps beside the peak by that in it         */
} lk_constant;

bool lk_constant_holds(const lk_constant *c, const lk_stride *s);
double lk_constant_middle(const lk_constant *c);
double lk_constant_reach(const lk_constant *c);

enum { LK_PEEL_MAX = 16 }; /* constants that one search can give */

typedef struct lk_peel_how {
    bool after_failure;           /* gaps after failures, else after good answers    */
    bool start_to_start;          /* gaps only, no pauses                            */
    double shortest_s, longest_s; /* constants outside are not looked for   */
    double least_share;           /* of the gaps that a constant must hold           */
    double ln_trials;
    double ln_threshold; /* constants above it do not stand                 */
} lk_peel_how;

typedef struct lk_peel {
    const lk_strides *s;
    lk_peel_how how;
    bool *aside;                        /* [s->n] */
    double *weight;                     /* [s->unit_count] */
    lk_gap *gaps;                       /* [s->n] */
    lk_gap_taken taken[2][LK_PEEL_MAX]; /* by measure */
    size_t found;
    lk_arena *scratch;
} lk_peel;

LK_MUST_CHECK lk_code lk_peel_open(lk_peel *p, const lk_strides *s, const lk_peel_how *how,
                                   lk_arena *scratch, lk_err *e);

/* Who comes back on a constant. */
typedef struct lk_peel_callers {
    size_t once_or_more; /* 0 = no more constants stand */
    size_t repeatedly;   /* twice at least              */
} lk_peel_callers;

LK_MUST_CHECK lk_code lk_peel_next(lk_peel *p, lk_constant *out, lk_peel_callers *callers,
                                   lk_err *e);

/* The shortest constant that stamps of a resolution can show. */
double lk_shortest_constant(double resolution_s);

#endif
