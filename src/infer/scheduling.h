/* infer/scheduling — clocks of kind "scheduled" from callers that keep a timetable.
 *
 * Owner:  rows in the case's arena.
 * Errors: EOOM.  */
#ifndef LK_INFER_SCHEDULING_H
#define LK_INFER_SCHEDULING_H

#include "infer/case.h"
#include "infer/timetable.h"

LK_MUST_CHECK lk_code lk_schedule_rows(lk_case *c, const lk_schedules *schedules, lk_err *e);

#endif
