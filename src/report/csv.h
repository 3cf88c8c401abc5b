/* report/csv — cells of comma-separated values, RFC 4180, that no spreadsheet takes for a formula.
 *
 * Errors: where memory ends the buffer turns `failed`.  */
#ifndef LK_REPORT_CSV_H
#define LK_REPORT_CSV_H

#include "base/arena.h"
#include "base/buf.h"

/* Text that may stem from a log, made safe and quoted where needed; a cell that would be a formula begins
 * with an apostrophe.  NULL: an empty cell. */
void lk_csv_text(lk_buf *out, lk_arena *scratch, const char *raw);

#endif
