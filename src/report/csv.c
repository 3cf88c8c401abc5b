#include "report/csv.h"

#include "base/text.h"

#include <string.h>

/* '=', '+', '-', '@' begin a formula, in some locales their full-width forms as well, and so does what
 * follows a tab, CR or LF. */
static bool is_formula(const char *text)
{
    static const char *const WIDE[] = { "\xEF\xBC\x9D", "\xEF\xBC\x8B", "\xEF\xBC\x8D", "\xEF\xBC\xA0" };

    for (size_t i = 0; i < sizeof(WIDE) / sizeof(WIDE[0]); i++)
        if (strncmp(text, WIDE[i], 3) == 0)
            return true;
    return *text != '\0' && strchr("=+-@\t\r\n", *text) != NULL;
}

void lk_csv_text(lk_buf *out, lk_arena *scratch, const char *raw)
{
    const char *text = raw ? lk_text_safe(scratch, lk_slice_from(raw), SIZE_MAX) : "";
    bool guarded;

    if (!text) {
        out->failed = true;
        return;
    }
    guarded = is_formula(text);
    if (!guarded && !strpbrk(text, ",\"\r\n ;'")) {
        lk_buf_text(out, text);
        return;
    }
    lk_buf_text(out, guarded ? "\"'" : "\"");
    for (; *text; text++)
        lk_buf_add(out, *text == '"' ? "\"\"" : text, *text == '"' ? 2 : 1);
    lk_buf_text(out, "\"");
}
