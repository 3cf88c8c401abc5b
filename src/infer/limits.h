/* infer/limits — what this log cannot show, one sentence each, for the report's notes.
 *
 * Owner:  the case's arena.
 * Errors: EOOM.  */
#ifndef LK_INFER_LIMITS_H
#define LK_INFER_LIMITS_H

#include "infer/case.h"

LK_MUST_CHECK lk_code lk_limits_note(lk_case *c, lk_report *r, lk_err *e);

/* How many silences are too long for the traffic around them, and how long they are in all. */
size_t lk_limits_holes(const lk_line *line, double *seconds);

#endif
