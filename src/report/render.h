/* report/render — renderers are rows; they read the report object and compute nothing.
 *
 * Owner:  text is appended to the caller's buffer.
 * Errors: EUSAGE unknown format name; EOOM.  */
#ifndef LK_REPORT_RENDER_H
#define LK_REPORT_RENDER_H

#include "base/buf.h"
#include "base/err.h"
#include "model/report.h"

typedef struct lk_style {
    size_t width; /* columns, at least 40 */
    bool ascii;
    bool colour;
    const char *table; /* of csv; NULL = the first */
} lk_style;

typedef struct lk_renderer {
    const char *name;
    const char *help;
    lk_code (*render)(const lk_report *r, const lk_style *style, lk_buf *out, lk_err *e);
} lk_renderer;

extern const lk_renderer *const LK_RENDERERS[]; /* NULL-terminated; the first is the default */

LK_MUST_CHECK lk_code lk_render(const lk_report *r, const char *format, const lk_style *style,
                                lk_buf *out, lk_err *e);

/* Tables of csv by index; NULL past the last. */
const char *lk_csv_table_name(size_t i);

/* The JSON Schema (2020-12) that the JSON report keeps. */
const char *lk_schema_text(void);
const char *lk_schema_diff_text(void); /* of what lk_diff prints as JSON */

#endif
