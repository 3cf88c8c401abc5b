#include "report/markdown.h"

#include "base/text.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { FENCE_MAX = 40 };

static const char *keep(lk_markdown *m, const lk_buf *text)
{
    const char *kept =
        text->failed ? NULL : lk_arena_text(m->arena, (lk_slice){ text->p, text->len });

    if (!kept)
        m->out->failed = true;
    return kept ? kept : "";
}

static size_t longest_run(const char *text, char c)
{
    size_t longest = 0, run = 0;

    for (; *text; text++) {
        run = *text == c ? run + 1 : 0;
        longest = run > longest ? run : longest;
    }
    return longest;
}

static void add_code(lk_buf *out, const char *text)
{
    size_t fence = longest_run(text, '`') + 1;

    lk_buf_fill(out, '`', fence);
    if (fence > 1 || *text == ' ' || *text == '\0')
        lk_buf_text(out, " ");
    for (; *text; text++)
        lk_buf_printf(out, *text == '|' ? "\\%c" : "%c", *text);
    if (fence > 1)
        lk_buf_text(out, " ");
    lk_buf_fill(out, '`', fence);
}

const char *lk_markdown_code(lk_markdown *m, const char *raw, size_t max, const char *absent)
{
    char *safe = raw ? lk_text_safe(m->arena, lk_slice_from(raw), max) : NULL;
    lk_buf text;
    const char *kept;

    if (!raw)
        return absent;
    lk_buf_init(&text);
    if (safe && longest_run(safe, '`') < FENCE_MAX)
        add_code(&text, safe);
    else
        lk_buf_text(&text, "(text that cannot be shown)");
    kept = keep(m, &text);
    lk_buf_release(&text);
    return kept;
}

const char *lk_markdown_words(lk_markdown *m, const char *text)
{
    const char *kept;
    lk_buf out;

    lk_buf_init(&out);
    lk_buf_text(&out, "");
    for (; *text; text++) {
        if (strchr("\\`*_[]<>&|~#@", *text))
            lk_buf_text(&out, "\\");
        lk_buf_add(&out, text, 1);
    }
    kept = keep(m, &out);
    lk_buf_release(&out);
    return kept;
}

#define ADD_PRINTED()                                                    \
    do {                                                                 \
        va_list args;                                                    \
        char *text;                                                      \
        int len;                                                         \
                                                                         \
        va_start(args, fmt);                                             \
        len = vsnprintf(NULL, 0, fmt, args);                             \
        va_end(args);                                                    \
        text = len < 0 ? NULL : LK_NEW(m->arena, char, (size_t)len + 1); \
        if (text) {                                                      \
            va_start(args, fmt);                                         \
            (void)vsnprintf(text, (size_t)len + 1, fmt, args);           \
            va_end(args);                                                \
            lk_buf_text(m->out, text);                                   \
        } else {                                                         \
            m->out->failed = true;                                       \
        }                                                                \
    } while (0)

void lk_markdown_blank(lk_markdown *m)
{
    lk_buf_text(m->out, "\n");
}

void lk_markdown_heading(lk_markdown *m, int level, const char *fmt, ...)
{
    if (m->out->len > 1 && m->out->p[m->out->len - 2] != '\n')
        lk_markdown_blank(m);
    lk_buf_fill(m->out, '#', (size_t)level);
    lk_buf_text(m->out, " ");
    ADD_PRINTED();
    lk_buf_text(m->out, "\n\n");
}

void lk_markdown_para(lk_markdown *m, const char *fmt, ...)
{
    ADD_PRINTED();
    lk_buf_text(m->out, "\n\n");
}

void lk_markdown_item(lk_markdown *m, const char *fmt, ...)
{
    lk_buf_text(m->out, "- ");
    ADD_PRINTED();
    lk_buf_text(m->out, "\n");
}

void lk_markdown_table(lk_markdown *m, const char *titles)
{
    const char *at;

    lk_buf_text(m->out, "| ");
    for (at = titles; *at; at++)
        if (*at == '|')
            lk_buf_text(m->out, " | ");
        else if (*at != '>')
            lk_buf_add(m->out, at, 1);
    lk_buf_text(m->out, " |\n|");
    for (at = titles; at; at = strchr(at, '|') ? strchr(at, '|') + 1 : NULL) {
        size_t len = strcspn(at, "|");

        lk_buf_text(m->out, len > 0 && at[len - 1] == '>' ? "---:|" : "---|");
    }
    lk_buf_text(m->out, "\n");
}

void lk_markdown_row(lk_markdown *m, const char *fmt, ...)
{
    lk_buf_text(m->out, "| ");
    ADD_PRINTED();
    lk_buf_text(m->out, " |\n");
}
