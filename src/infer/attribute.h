/* infer/attribute — do callers come back after a delay BECAUSE they failed?
 *
 * Of the callers seen to step by the delay after a failure: in what share of their failures does the
 * step follow, and in what share of their good answers?  One vote a caller; steps beside the delay are
 * taken off as chance.  A retry follows failures only; a schedule does not care.
 *
 * Thread: pure functions.
 * Errors: EOOM.
 * Source: ours.  */
#ifndef LK_INFER_ATTRIBUTE_H
#define LK_INFER_ATTRIBUTE_H

#include "base/arena.h"
#include "base/err.h"
#include "infer/strides.h"

#include <stdbool.h>
#include <stddef.h>

typedef enum lk_cause { LK_CAUSE_UNKNOWN, LK_CAUSE_RETRY, LK_CAUSE_SCHEDULE } lk_cause;

typedef struct lk_question {
    lk_measure measure;
    double step_s, tolerance_s;
    double from_s, to_s;  /* attempts that begin in here                      */
    const double *wave_s; /* [wave_count] ascending: only attempts within     */
    size_t wave_count;    /* near_s of one of these; 0 = all                  */
    double near_s;
    double side_factor; /* steps must be so much commoner than at delays beside it */
} lk_question;

typedef struct lk_answer {
    lk_cause cause;
    size_t callers;                       /* that step by the delay after a failure; strays apart */
    size_t answered_callers;              /* of these: were also answered                  */
    double after_failure, after_answer;   /* mean shares; NAN = nobody to ask   */
    double beside_failure, beside_answer; /* the same for delays beside it, per as wide a range */
    double chance;                        /* such steps expected at delays beside it       */
    double side_factor;                   /* of the question */
    double failed_share;                  /* of the attempts asked about                   */
    double steps_after_failure, steps_after_answer;
} lk_answer;

/* No caller that steps after failures was ever answered. */
bool lk_answer_was_never(const lk_answer *a);

/* Unknown only because hardly anybody was ever answered; the steps themselves are far commoner than
 * those at delays beside them. */
bool lk_answer_lacks_answers(const lk_answer *a);

LK_MUST_CHECK lk_code lk_attribute(const lk_strides *s, const lk_question *q, lk_arena *scratch,
                                   lk_answer *out, lk_err *e);

#endif
