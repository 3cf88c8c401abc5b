/* api/explain — how one file is read, in words: for `lockstep formats --explain`.
 *
 * Owner:  text is appended to the caller's buffer; strings from the log are made safe.
 * Errors: EUSAGE as lk_reading_init; EIO the file cannot be opened; EOOM.  Damage inside the file is
 *         told in the text.
 * Cost:   reads the file twice, a pipe's first 2 MiB twice.  */
#ifndef LK_API_EXPLAIN_H
#define LK_API_EXPLAIN_H

#include "base/buf.h"
#include "base/err.h"
#include "lockstep/lockstep.h"

LK_MUST_CHECK lk_code lk_explain(const char *path, const lockstep_options *options, lk_buf *out,
                                 lk_err *e);

#endif
