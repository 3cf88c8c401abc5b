/* model/note — sentences for the report's notes.
 *
 * Owner:  the arena; the text is kept as it is.
 * Errors: EOOM.  */
#ifndef LK_MODEL_NOTE_H
#define LK_MODEL_NOTE_H

#include "base/arena.h"
#include "base/err.h"
#include "model/report.h"

LK_MUST_CHECK lk_code lk_report_note(lk_report *r, lk_arena *a, const char *text, lk_err *e);

#endif
