/* format/rows — the rows of LK_FORMATS, one file each family, and what of a line they are given. */
#ifndef LK_FORMAT_ROWS_H
#define LK_FORMAT_ROWS_H

#include "format/layout.h"

/* clf_lines.c */
extern const lk_format LK_FORMAT_COMBINED, LK_FORMAT_COMBINED_EXT, LK_FORMAT_COMMON;
/* json_lines.c */
extern const lk_format LK_FORMAT_JSON;

/* Without blanks in front and without blanks and a CR behind; empty for a line that is ignored, a
 * blank one or a comment. */
lk_slice lk_line_body(lk_slice line);

#endif
