/* report/rows — the renderers, one row each; listed in report/render.c.  */
#ifndef LK_REPORT_ROWS_H
#define LK_REPORT_ROWS_H

#include "report/render.h"

extern const lk_renderer LK_RENDER_TEXT; /* render_text.c */
extern const lk_renderer LK_RENDER_JSON; /* render_json.c */
extern const lk_renderer LK_RENDER_HTML; /* render_html.c */
extern const lk_renderer LK_RENDER_MARKDOWN; /* render_markdown.c */
extern const lk_renderer LK_RENDER_CSV; /* render_csv.c */

#endif
