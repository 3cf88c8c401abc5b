/* report/diff — two reports compared, before and after a change, in words or as JSON.
 *
 * Clocks are the same when kind and period agree within 5 %; populations when their names do.
 * Owner:  text is appended to the caller's buffer.
 * Errors: EUSAGE unknown format; EOOM.  */
#ifndef LK_REPORT_DIFF_H
#define LK_REPORT_DIFF_H

#include "report/render.h"

/* format: "text" or "json". */
LK_MUST_CHECK lk_code lk_diff(const lk_report *before, const lk_report *after, const char *format,
                              const lk_style *style, lk_buf *out, lk_err *e);

#endif
