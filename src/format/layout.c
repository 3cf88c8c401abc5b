#include "format/layout.h"

#include "format/rows.h"

#include <string.h>

const lk_format *const LK_FORMATS[] = {
    &LK_FORMAT_COMBINED, &LK_FORMAT_COMBINED_EXT, &LK_FORMAT_COMMON, &LK_FORMAT_JSON, NULL,
};

void lk_layout_init(lk_layout *l)
{
    memset(l, 0, sizeof(*l));
    memset(l->column_slot, -1, sizeof(l->column_slot));
    memset(l->key_slot, -1, sizeof(l->key_slot));
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

lk_slice lk_line_body(lk_slice line)
{
    while (line.len > 0 && is_blank(line.p[line.len - 1]))
        line.len--;
    while (line.len > 0 && is_blank(line.p[0])) {
        line.p++;
        line.len--;
    }
    return line.len > 0 && line.p[0] == '#' ? LK_SLICE_NONE : line;
}

/* Was the row's parser tried before, as that of the layout or of an earlier row? */
static bool was_tried(const lk_layout *l, size_t row)
{
    if (l->format && l->format->parse == LK_FORMATS[row]->parse)
        return true;
    for (size_t i = 0; i < row; i++)
        if (LK_FORMATS[i]->parse == LK_FORMATS[row]->parse)
            return true;
    return false;
}

static bool parse_by_any(const lk_layout *l, lk_parse_cache *c, lk_slice line, lk_fields *out,
                         lk_reject *why)
{
    for (size_t i = 0; LK_FORMATS[i]; i++) {
        lk_reject reason = LK_REJECT_UNRECOGNISED;

        if (was_tried(l, i))
            continue;
        if (LK_FORMATS[i]->parse(l, c, line, out, &reason))
            return true;
        if (*why == LK_REJECT_UNRECOGNISED)
            *why = reason;
    }
    return false;
}

bool lk_layout_parse(const lk_layout *l, lk_parse_cache *c, lk_slice line, lk_fields *out,
                     lk_reject *why)
{
    line = lk_line_body(line);
    *why = LK_REJECT_NONE;
    if (line.len == 0)
        return false;
    c->text_len = 0;
    *why = LK_REJECT_UNRECOGNISED;
    if (l->format && l->format->parse(l, c, line, out, why))
        return true;
    return parse_by_any(l, c, line, out, why);
}
