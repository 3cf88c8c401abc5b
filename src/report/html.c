#include "report/html.h"

#include "base/text.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* ---- text ---- */

/* Does a unit follow the blank at `at`, and a number precede it? */
static bool parts_unit(const char *text, const char *at)
{
    if (at == text || at[-1] < '0' || at[-1] > '9')
        return false;
    return at[1] == '%' || (at[1] == 's' && !isalnum((unsigned char)at[2]));
}

/* A number does not part from its unit at the end of a line. */
static void escape(lk_buf *out, const char *text)
{
    static const char SPECIAL[] = "&<>\"' ";
    static const char *const NAMES[] = { "&amp;", "&lt;", "&gt;", "&quot;", "&#39;", " " };
    const char *at = text;

    while (*at) {
        size_t plain = strcspn(at, SPECIAL);

        lk_buf_add(out, at, plain);
        at += plain;
        if (*at == ' ' && parts_unit(text, at))
            lk_buf_text(out, "&nbsp;");
        else if (*at)
            lk_buf_text(out, NAMES[strchr(SPECIAL, *at) - SPECIAL]);
        at += *at != '\0';
    }
}

static const char *print(lk_html *h, const char *fmt, va_list args) LK_PRINTF(2, 0);

static const char *print(lk_html *h, const char *fmt, va_list args)
{
    const char *text = lk_arena_vprintf(h->arena, fmt, args);

    if (text)
        return text;
    h->out->failed = true;
    return "";
}

const char *lk_html_print(lk_html *h, const char *fmt, ...)
{
    const char *text;
    va_list args;

    va_start(args, fmt);
    text = print(h, fmt, args);
    va_end(args);
    return text;
}

const char *lk_html_safe(lk_html *h, const char *raw, size_t max, const char *absent)
{
    const char *safe;

    if (!raw)
        return absent;
    safe = lk_text_safe(h->arena, lk_slice_from(raw), max);
    if (!safe)
        h->out->failed = true;
    return safe ? safe : "";
}

void lk_html_raw(lk_html *h, const char *markup)
{
    lk_buf_text(h->out, markup);
}

void lk_html_draw(lk_html *h, const char *fmt, ...)
{
    va_list args;

    va_start(args, fmt);
    lk_buf_text(h->out, print(h, fmt, args));
    va_end(args);
}

void lk_html_say(lk_html *h, const char *fmt, ...)
{
    va_list args;

    va_start(args, fmt);
    escape(h->out, print(h, fmt, args));
    va_end(args);
}

/* ---- elements ---- */

static void open_tag(lk_html *h, const char *tag, const char *class)
{
    lk_buf_printf(h->out, "<%s", tag);
    if (class)
        lk_buf_printf(h->out, " class=\"%s\"", class);
    lk_buf_text(h->out, ">");
}

static void close_tag(lk_html *h, const char *tag)
{
    lk_buf_printf(h->out, "</%s>\n", tag);
}

#define SAY_IN(tag, class)                   \
    do {                                     \
        va_list args;                        \
                                             \
        open_tag(h, tag, class);             \
        va_start(args, fmt);                 \
        escape(h->out, print(h, fmt, args)); \
        va_end(args);                        \
        close_tag(h, tag);                   \
    } while (0)

void lk_html_element(lk_html *h, const char *tag, const char *class, const char *fmt, ...)
{
    SAY_IN(tag, class);
}

void lk_html_para(lk_html *h, const char *fmt, ...)
{
    SAY_IN("p", NULL);
}

void lk_html_cell(lk_html *h, const char *fmt, ...)
{
    SAY_IN("td", NULL);
}

void lk_html_number(lk_html *h, const char *fmt, ...)
{
    SAY_IN("td", "n");
}

/* ---- blocks ---- */

void lk_html_section(lk_html *h, const char *id, const char *title)
{
    lk_buf_printf(h->out, "<section aria-labelledby=\"%s\">\n<h2 id=\"%s\">", id, id);
    lk_html_say(h, "%s", title);
    lk_html_raw(h, "</h2>\n");
}

void lk_html_section_end(lk_html *h)
{
    lk_html_raw(h, "</section>\n");
}

void lk_html_table(lk_html *h, const char *caption)
{
    lk_html_raw(h, "<section class=\"scroll\" tabindex=\"0\" aria-label=\"");
    lk_html_say(h, "%s", caption);
    lk_html_raw(h, "\"><table>\n");
    lk_html_element(h, "caption", NULL, "%s", caption);
}

void lk_html_table_end(lk_html *h)
{
    lk_html_raw(h, "</table></section>\n");
}

void lk_html_fact(lk_html *h, const char *term, const char *text)
{
    lk_html_raw(h, "<div>");
    lk_html_element(h, "dt", NULL, "%s", term);
    lk_html_element(h, "dd", NULL, "%s", text);
    lk_html_raw(h, "</div>\n");
}

void lk_html_how(lk_html *h, const lk_html_basis *basis)
{
    lk_html_raw(h, "<dl class=\"how\">\n");
    if (basis->measured)
        lk_html_fact(h, "How it was computed", basis->measured);
    if (basis->population)
        lk_html_fact(h, "On which population", basis->population);
    if (basis->sure)
        lk_html_fact(h, "How sure", basis->sure);
    if (basis->change)
        lk_html_fact(h, "What would change it", basis->change);
    lk_html_raw(h, "</dl>\n");
}
