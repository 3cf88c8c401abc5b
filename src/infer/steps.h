/* infer/steps — what the search for clocks tried, what it scored and why it was called so, line by
 * line, for a reader who wants to check it.
 *
 * Owner:  the caller's buffer; NULL = nobody asks, and nothing is written.  */
#ifndef LK_INFER_STEPS_H
#define LK_INFER_STEPS_H

#include "base/buf.h"
#include "base/err.h"

/* One line, `depth` levels in; `fmt` without a line end. */
void lk_steps_say(lk_buf *steps, unsigned depth, const char *fmt, ...) LK_PRINTF(3, 4);

#endif
