/* report/page — lines of text that fit a width: headings, paragraphs, labelled items, rows.
 *
 * Units:  columns (lk_text_width).  Text is wrapped at `width`, the lesser of the style's and 80:
 *         longer lines tire the eye.
 * Owner:  text goes to the caller's buffer, scratch strings live in the caller's arena.
 * Errors: a lack of memory turns the buffer `failed`.
 * Note:   what is printed must be safe already; text from a log goes through lk_page_safe.  */
#ifndef LK_REPORT_PAGE_H
#define LK_REPORT_PAGE_H

#include "base/arena.h"
#include "base/buf.h"
#include "report/render.h"

/* Characters that ASCII lacks, and what stands for them. */
typedef struct lk_signs {
    const char *plus_minus;
    const char *times;
    const char *at_most;
    const char *more; /* "and so on" */
    const char *warning;
    const char *rule; /* one column of a line */
} lk_signs;

typedef enum lk_ink {
    LK_INK_PLAIN,
    LK_INK_BOLD,
    LK_INK_FAINT,
    LK_INK_RED,
    LK_INK_YELLOW,
    LK_INK_GREEN
} lk_ink;

typedef struct lk_page {
    const lk_style *style;
    const lk_signs *sign;
    lk_arena *arena;
    lk_buf *out;
    size_t width;
} lk_page;

void lk_page_init(lk_page *p, const lk_style *style, lk_arena *arena, lk_buf *out);

/* Text from a log, made safe and cut to `max` columns (SIZE_MAX: uncut); `absent` for NULL. */
const char *lk_page_safe(lk_page *p, const char *raw, size_t max, const char *absent);

/* Printed text of the page's arena; "" when memory ends, never NULL. */
const char *lk_page_print(lk_page *p, const char *fmt, ...) LK_PRINTF(2, 3);

void lk_page_rule(lk_page *p);
/* A blank line, then the title; `note` (may be NULL) stands faint beside it, or below when long. */
void lk_page_heading(lk_page *p, const char *title, const char *note);
/* Words wrapped, every line `indent` columns in. */
void lk_page_para(lk_page *p, size_t indent, const char *fmt, ...) LK_PRINTF(3, 4);
/* `label` at `indent`, the words from column `at` on; wrapped lines begin there as well. */
void lk_page_item(lk_page *p, size_t indent, const char *label, size_t at, const char *fmt, ...)
    LK_PRINTF(5, 6);
/* As lk_page_para in a colour, where there is colour. */
void lk_page_inked(lk_page *p, lk_ink ink, size_t indent, const char *fmt, ...) LK_PRINTF(4, 5);
/* One line as it stands, cut at the width: the rows of a table. */
void lk_page_row(lk_page *p, const char *fmt, ...) LK_PRINTF(2, 3);
void lk_page_blank(lk_page *p);

/* For text that is drawn piece by piece. */
void lk_page_ink(lk_page *p, lk_ink ink);

#endif
