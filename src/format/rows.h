/* format/rows — the rows of LK_FORMATS, one file each family. */
#ifndef LK_FORMAT_ROWS_H
#define LK_FORMAT_ROWS_H

#include "format/layout.h"

/* clf_lines.c */
extern const lk_format LK_FORMAT_COMBINED, LK_FORMAT_COMBINED_EXT, LK_FORMAT_COMMON;
/* json_lines.c */
extern const lk_format LK_FORMAT_JSON;

#endif
