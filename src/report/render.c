#include "report/render.h"

#include "report/rows.h"

#include <string.h>

const lk_renderer *const LK_RENDERERS[] = {
    &LK_RENDER_TEXT,
    &LK_RENDER_JSON,
    &LK_RENDER_HTML,
    &LK_RENDER_MARKDOWN,
    &LK_RENDER_CSV,
    NULL,
};

lk_code lk_render(const lk_report *r, const char *format, const lk_style *style, lk_buf *out,
                  lk_err *e)
{
    const lk_renderer *const *row;

    for (row = LK_RENDERERS; *row; row++)
        if (strcmp((*row)->name, format) == 0)
            return (*row)->render(r, style, out, e);
    return lk_fail(e, LK_EUSAGE, "unknown report format '%s'", format);
}
