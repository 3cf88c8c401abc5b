/* infer/policy_shape — what is seen in comeback delays before any policy is fitted: one draw used
 * again and again, one sequence that all callers share, a schedule that breaks.
 *
 * Units:  seconds.
 * Errors: EOOM.  */
#ifndef LK_INFER_POLICY_SHAPE_H
#define LK_INFER_POLICY_SHAPE_H

#include "infer/policy_judge.h"

/* One delay for each caller, when the spread inside a caller is nothing beside that between them;
 * the arrays of *out are from scratch.  *found: that is so. */
LK_MUST_CHECK lk_code lk_shape_reused(const lk_judged_set *set, lk_arena *scratch,
                                      lk_delay_set *out, bool *found, lk_err *e);

/* Every retry has a constant of its own that all callers keep; *spread_s the median 20..80 % width. */
LK_MUST_CHECK lk_code lk_shape_is_shared(const lk_delay_set *d, lk_arena *scratch, bool *found,
                                         double *spread_s, lk_err *e);

/* The first retry from which delays fall to nothing after they had grown (an overflow, a wrapped
 * counter); 0 = none. */
LK_MUST_CHECK lk_code lk_shape_collapse(const lk_delay_set *d, lk_arena *scratch, unsigned *from,
                                        lk_err *e);

#endif
