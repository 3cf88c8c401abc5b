/* api/saved — a JSON report that was saved, from its file.
 *
 * Owner:  the report lives in the caller's arena.
 * Errors: EIO the file cannot be read; EDATA it is above LK_SAVED_MAX or as lk_report_read; EOOM.  */
#ifndef LK_API_SAVED_H
#define LK_API_SAVED_H

#include "base/arena.h"
#include "model/report.h"

enum { LK_SAVED_MAX = 64 << 20 };

/* path "-": standard input. */
LK_MUST_CHECK lk_code lk_saved_read(const char *path, lk_arena *arena, lk_report *out, lk_err *e);

#endif
