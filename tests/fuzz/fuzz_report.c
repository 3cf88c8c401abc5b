/* Any bytes as a saved report: what is read is rendered in every format, and no text of it gets out but
 * escaped; its JSON, read again, is the same JSON. */
#include "base/buf.h"
#include "report/diff.h"
#include "report/read.h"
#include "report/render.h"
#include "require.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

static bool has(const lk_buf *b, const char *text)
{
    const size_t n = strlen(text);

    for (size_t i = 0; i + n <= b->len; i++)
        if (memcmp(b->p + i, text, n) == 0)
            return true;
    return false;
}

/* No control character but the ends of lines (and tabs, never; CR of CSV), no C1, no bidi control. */
static void check_calm(const lk_buf *b, bool is_csv)
{
    static const char *const BAD[] = { "\xc2\x9b", "\xc2\x85", "\xe2\x80\xae", "\xe2\x80\xab",
                                       "\xe2\x81\xa6", "\xe2\x80\x8f" };

    for (size_t i = 0; i < b->len; i++) {
        const unsigned char c = (unsigned char)b->p[i];

        REQUIRE((c >= 0x20 && c != 0x7f) || c == '\n' || (is_csv && c == '\r'));
    }
    for (size_t i = 0; i < sizeof(BAD) / sizeof(BAD[0]); i++)
        REQUIRE(!has(b, BAD[i]));
}

static void render_all(const lk_report *r)
{
    for (size_t i = 0; LK_RENDERERS[i]; i++) {
        const char *name = LK_RENDERERS[i]->name;
        const bool is_csv = strcmp(name, "csv") == 0;

        for (size_t t = 0; t == 0 || (is_csv && lk_csv_table_name(t)); t++) {
            const lk_style style = { 80, false, false, is_csv ? lk_csv_table_name(t) : NULL };
            lk_err e = { 0 };
            lk_buf out;

            lk_buf_init(&out);
            if (lk_render(r, name, &style, &out, &e) == LK_OK) {
                check_calm(&out, is_csv);
                if (strcmp(name, "html") == 0)
                    REQUIRE(!has(&out, "<script") && !has(&out, "javascript:"));
            }
            lk_buf_release(&out);
        }
    }
}

static void to_json(const lk_report *r, lk_buf *out)
{
    const lk_style style = { 80, false, false, NULL };
    lk_err e = { 0 };

    lk_buf_init(out);
    if (lk_render(r, "json", &style, out, &e) != LK_OK)
        out->len = 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
    const lk_style style = { 80, true, false, NULL };
    lk_arena arena;
    lk_report *first = malloc(2 * sizeof(*first)), *again = first + 1;
    lk_err e = { 0 };

    REQUIRE(first);
    lk_arena_init(&arena, (size_t)64 << 20);
    lk_report_init(first);
    lk_report_init(again);
    if (lk_report_read((lk_slice){ (const char *)data, len }, &arena, first, &e) == LK_OK) {
        lk_buf one, two, out;

        render_all(first);
        to_json(first, &one);
        REQUIRE(one.len == 0 ||
                lk_report_read((lk_slice){ one.p, one.len }, &arena, again, &e) == LK_OK);
        to_json(again, &two);
        REQUIRE(one.len == 0 || (one.len == two.len && memcmp(one.p, two.p, one.len) == 0));
        lk_buf_init(&out);
        if (lk_diff(first, again, "text", &style, &out, &e) == LK_OK)
            check_calm(&out, false);
        lk_buf_release(&out);
        lk_buf_release(&one);
        lk_buf_release(&two);
    } else {
        REQUIRE(e.code != LK_OK && e.msg[0]);
    }
    lk_arena_release(&arena);
    free(first);
    return 0;
}
