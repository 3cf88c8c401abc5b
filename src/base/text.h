/* base/text — bytes from strangers made safe to print.
 *
 * Controls (below 0x20 and 0x7f), C1 controls, line and paragraph separators, bidirectional and
 * zero-width controls and bytes that are not UTF-8 come out as \xHH or \u{HHHH}, which no terminal,
 * browser or JSON reader acts on; everything else stays as it is.  */
#ifndef LK_BASE_TEXT_H
#define LK_BASE_TEXT_H

#include "base/arena.h"
#include "base/slice.h"

#include <stddef.h>

/* NUL-terminated safe copy of at most `max` columns; when s takes more it is cut and the last three
 * are "...".  NULL when memory ends.  */
char *lk_text_safe(lk_arena *a, lk_slice s, size_t max);

/* Columns that a safe UTF-8 text takes, one a code point (wide ones two). */
size_t lk_text_width(const char *text);

#endif
