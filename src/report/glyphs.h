/* report/glyphs — what charts are drawn with: block characters, or ASCII.  */
#ifndef LK_REPORT_GLYPHS_H
#define LK_REPORT_GLYPHS_H

#include "report/page.h"

#include <stddef.h>

enum { LK_LEVELS = 8 }; /* heights of a bar inside one row */

typedef struct lk_glyphs { /* each of them one column */
    const char *level[LK_LEVELS + 1];
    const char *axis, *axis_label, *corner, *base, *tick;
} lk_glyphs;

const lk_glyphs *lk_glyphs_of(const lk_page *p);

/* The level of a value in row `row` (0 = lowest) of rows `height` high; what is not nothing shows as
 * something. */
size_t lk_level_of(double value, double height, size_t row);

#endif
