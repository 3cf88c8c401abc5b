/* report/rows — the renderers, one row each; listed in report/render.c.  */
#ifndef LK_REPORT_ROWS_H
#define LK_REPORT_ROWS_H

#include "report/render.h"

extern const lk_renderer LK_RENDER_TEXT; /* render_text.c */
extern const lk_renderer LK_RENDER_JSON; /* render_json.c */

#endif
