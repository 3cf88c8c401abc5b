#include "report/page.h"

#include "base/text.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { READABLE = 80, WIDTH_MIN = 40, POINT_MAX = 4 };

static const lk_signs UTF8_SIGNS = { "±", "×", "≤ ", "…", "▲", "─" };
static const lk_signs ASCII_SIGNS = { "+/-", "x", "<= ", "...", "!", "-" };

void lk_page_init(lk_page *p, const lk_style *style, lk_arena *arena, lk_buf *out)
{
    size_t width = style->width < READABLE ? style->width : READABLE;

    *p = (lk_page){ .style = style, .arena = arena, .out = out };
    p->sign = style->ascii ? &ASCII_SIGNS : &UTF8_SIGNS;
    p->width = width < WIDTH_MIN ? WIDTH_MIN : width;
}

/* ---- strings ---- */

static bool is_continuation(char c)
{
    return ((unsigned char)c & 0xc0) == 0x80;
}

/* Where there is no UTF-8, a '?' stands for each character that needs it. */
static void to_ascii(char *text)
{
    char *to = text;

    for (const char *from = text; *from; from++) {
        if (is_continuation(*from))
            continue;
        *to = *from;
        if ((unsigned char)*from >= 0x80)
            *to = '?';
        to++;
    }
    *to = '\0';
}

const char *lk_page_safe(lk_page *p, const char *raw, size_t max, const char *absent)
{
    char *safe;

    if (!raw)
        return absent;
    safe = lk_text_safe(p->arena, lk_slice_from(raw), max);
    if (!safe) {
        p->out->failed = true;
        return absent;
    }
    if (p->style->ascii)
        to_ascii(safe);
    return safe;
}

static const char *print(lk_page *p, const char *fmt, va_list args) LK_PRINTF(2, 0);

/* The printed text; "" when memory ends, which the buffer remembers. */
static const char *print(lk_page *p, const char *fmt, va_list args)
{
    const char *text = lk_arena_vprintf(p->arena, fmt, args);

    if (text)
        return text;
    p->out->failed = true;
    return "";
}

const char *lk_page_print(lk_page *p, const char *fmt, ...)
{
    const char *text;
    va_list args;

    va_start(args, fmt);
    text = print(p, fmt, args);
    va_end(args);
    return text;
}

/* ---- columns ---- */

static size_t point_len(const char *text)
{
    size_t len = 1;

    while (len < POINT_MAX && is_continuation(text[len]))
        len++;
    return len;
}

static size_t point_width(const char *text)
{
    char point[POINT_MAX + 1] = { 0 };

    memcpy(point, text, point_len(text));
    return lk_text_width(point);
}

/* Bytes of text (up to `len`) that fit `columns`, and how many columns those take. */
static size_t fitting(const char *text, size_t len, size_t columns, size_t *taken)
{
    size_t at = 0;

    *taken = 0;
    while (at < len && *taken + point_width(text + at) <= columns) {
        *taken += point_width(text + at);
        at += point_len(text + at);
    }
    return at < len ? at : len;
}

static size_t width_of(const char *text, size_t len)
{
    size_t taken;

    (void)fitting(text, len, SIZE_MAX, &taken);
    return taken;
}

/* ---- wrapping ---- */

typedef struct wrap {
    lk_page *page;
    size_t at;   /* columns written on this line */
    size_t hang; /* where further lines begin    */
    bool begun;  /* a word stands on this line   */
} wrap;

static void new_line(wrap *w)
{
    lk_buf_text(w->page->out, "\n");
    lk_buf_fill(w->page->out, ' ', w->hang);
    w->at = w->hang;
    w->begun = false;
}

/* A number does not part from its unit: "31.0 %" is one word. */
static size_t word_len(const char *text)
{
    static const char *const UNITS[] = { "%", "s", "ms", "min", "h", "d", "B", "kB", "MB", "GB" };
    size_t len = strcspn(text, " "), next;

    if (text[len] == '\0' || len == 0 || text[len - 1] < '0' || text[len - 1] > '9')
        return len;
    next = strcspn(text + len + 1, " ,;.:)");
    for (size_t i = 0; i < sizeof(UNITS) / sizeof(UNITS[0]); i++)
        if (strlen(UNITS[i]) == next && memcmp(text + len + 1, UNITS[i], next) == 0)
            return len + 1 + strcspn(text + len + 1, " ");
    return len;
}

/* A word that is wider than a whole line is cut into lines. */
static void put_word(wrap *w, const char *word, size_t len)
{
    size_t width = width_of(word, len), taken;

    if (w->begun && w->at + 1 + width > w->page->width)
        new_line(w);
    if (w->begun) {
        lk_buf_text(w->page->out, " ");
        w->at++;
    }
    while (w->at + width > w->page->width && w->at < w->page->width) {
        size_t part = fitting(word, len, w->page->width - w->at, &taken);

        if (part == 0 && w->at == w->hang)
            break;
        lk_buf_add(w->page->out, word, part);
        new_line(w);
        word += part;
        len -= part;
        width -= taken;
    }
    lk_buf_add(w->page->out, word, len);
    w->at += width;
    w->begun = true;
}

static void put_words(lk_page *p, size_t at, size_t hang, const char *text)
{
    wrap w = { p, at, hang, false };

    while (*(text += strspn(text, " ")) != '\0') {
        size_t len = word_len(text);

        put_word(&w, text, len);
        text += len;
    }
}

/* ---- the parts of a page ---- */

void lk_page_ink(lk_page *p, lk_ink ink)
{
    static const char *const CODES[] = {
        [LK_INK_PLAIN] = "\033[0m", [LK_INK_BOLD] = "\033[1m",    [LK_INK_FAINT] = "\033[2m",
        [LK_INK_RED] = "\033[31m",  [LK_INK_YELLOW] = "\033[33m", [LK_INK_GREEN] = "\033[32m",
    };

    if (p->style->colour)
        lk_buf_text(p->out, CODES[ink]);
}

void lk_page_blank(lk_page *p)
{
    lk_buf_text(p->out, "\n");
}

void lk_page_rule(lk_page *p)
{
    for (size_t i = 0; i < p->width; i++)
        lk_buf_text(p->out, p->sign->rule);
    lk_buf_text(p->out, "\n");
}

/* A chart leaves a blank line behind it. */
static bool ends_blank(const lk_buf *b)
{
    return b->len >= 2 && b->p[b->len - 1] == '\n' && b->p[b->len - 2] == '\n';
}

void lk_page_heading(lk_page *p, const char *title, const char *note)
{
    size_t width = lk_text_width(title);

    if (!ends_blank(p->out))
        lk_page_blank(p);
    lk_page_ink(p, LK_INK_BOLD);
    lk_buf_text(p->out, title);
    lk_page_ink(p, LK_INK_PLAIN);
    if (note) {
        bool beside = width + 2 + lk_text_width(note) <= p->width;

        lk_buf_text(p->out, beside ? "  " : "\n  ");
        lk_page_ink(p, LK_INK_FAINT);
        put_words(p, beside ? width + 2 : 2, 2, note);
        lk_page_ink(p, LK_INK_PLAIN);
    }
    lk_page_blank(p);
}

void lk_page_para(lk_page *p, size_t indent, const char *fmt, ...)
{
    va_list args;

    va_start(args, fmt);
    lk_buf_fill(p->out, ' ', indent);
    put_words(p, indent, indent, print(p, fmt, args));
    lk_page_blank(p);
    va_end(args);
}

void lk_page_inked(lk_page *p, lk_ink ink, size_t indent, const char *fmt, ...)
{
    va_list args;

    va_start(args, fmt);
    lk_page_ink(p, ink);
    lk_buf_fill(p->out, ' ', indent);
    put_words(p, indent, indent, print(p, fmt, args));
    lk_page_ink(p, LK_INK_PLAIN);
    lk_page_blank(p);
    va_end(args);
}

void lk_page_item(lk_page *p, size_t indent, const char *label, size_t at, const char *fmt, ...)
{
    size_t end = indent + lk_text_width(label);
    va_list args;

    va_start(args, fmt);
    lk_buf_fill(p->out, ' ', indent);
    lk_page_ink(p, LK_INK_FAINT);
    lk_buf_text(p->out, label);
    lk_page_ink(p, LK_INK_PLAIN);
    lk_buf_fill(p->out, ' ', end < at ? at - end : 1);
    put_words(p, end < at ? at : end + 1, at, print(p, fmt, args));
    lk_page_blank(p);
    va_end(args);
}

void lk_page_row(lk_page *p, const char *fmt, ...)
{
    const char *text;
    size_t len, taken;
    va_list args;

    va_start(args, fmt);
    text = print(p, fmt, args);
    va_end(args);
    len = fitting(text, strlen(text), p->width, &taken);
    while (len > 0 && text[len - 1] == ' ')
        len--;
    lk_buf_add(p->out, text, len);
    lk_page_blank(p);
}
