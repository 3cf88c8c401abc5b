/* report/read — a JSON report back into the report object.
 *
 * What was printed as null or is missing is not known; a key of a later version is passed over.
 * Numbers come back as they were printed, with 6 significant digits: a report that is read and a
 * report that was settled print the same bytes in every format.
 * Owner:  everything lives in the caller's arena.
 * Errors: EDATA: not JSON, not lockstep.report/1, or a value of the wrong kind; EOOM.
 * Source: lockstep.report/1, lockstep-report(5).  */
#ifndef LK_REPORT_READ_H
#define LK_REPORT_READ_H

#include "base/arena.h"
#include "model/report.h"

LK_MUST_CHECK lk_code lk_report_read(lk_slice text, lk_arena *arena, lk_report *out, lk_err *e);

/* Makes *r what a reader of its JSON would get: the one place where numbers are rounded and text
 * from a log is made safe, before any format is rendered. */
LK_MUST_CHECK lk_code lk_report_settle(lk_report *r, lk_arena *arena, lk_err *e);

#endif
