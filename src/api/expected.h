/* api/expected — what the simulator expects of each piece of advice, on the incident of the report.
 *
 * One run of a thinned incident before, and one after for each advice that a retry policy can follow:
 * a few milliseconds each, the same every time.
 *
 * Fills r->advice[].expected.
 * Owner:  texts in the arena.
 * Errors: EOOM.  */
#ifndef LK_API_EXPECTED_H
#define LK_API_EXPECTED_H

#include "base/arena.h"
#include "model/report.h"

LK_MUST_CHECK lk_code lk_expect(lk_report *r, lk_arena *arena, lk_err *e);

#endif
