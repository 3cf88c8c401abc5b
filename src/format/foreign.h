/* format/foreign — what a line is that no log format fits.
 *
 * Owner: none.  */
#ifndef LK_FORMAT_FOREIGN_H
#define LK_FORMAT_FOREIGN_H

#include "format/fields.h"

/* The byte-order mark of UTF-16 at the start of a file. */
bool lk_foreign_is_utf16_mark(lk_slice line);

/* `why`, or where that is LK_REJECT_UNRECOGNISED: BINARY (NUL or many control bytes), UTF16 (every other
 * byte is NUL). */
lk_reject lk_foreign_reason(lk_slice line, lk_reject why);

#endif
