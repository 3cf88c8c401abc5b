/* report/html — the pieces of an HTML page: text that stays text, elements, and what every finding
 * says of itself.
 *
 * Markup is written by lk_html_raw (constant) and lk_html_draw (numbers only); every string goes
 * through lk_html_say, which escapes it for text and for quoted attributes alike.
 * Owner:  text goes to the caller's buffer, scratch strings live in the caller's arena.
 * Errors: a lack of memory turns the buffer `failed`.  */
#ifndef LK_REPORT_HTML_H
#define LK_REPORT_HTML_H

#include "base/arena.h"
#include "base/buf.h"

#include <stdint.h>

typedef struct lk_html {
    lk_arena *arena;
    lk_buf *out;
} lk_html;

void lk_html_raw(lk_html *h, const char *markup);
/* Markup with numbers in it; never with text. */
void lk_html_draw(lk_html *h, const char *fmt, ...) LK_PRINTF(2, 3);
/* Text, escaped. */
void lk_html_say(lk_html *h, const char *fmt, ...) LK_PRINTF(2, 3);
/* <tag class="class">text</tag>; `class` may be NULL. */
void lk_html_element(lk_html *h, const char *tag, const char *class, const char *fmt, ...)
    LK_PRINTF(4, 5);
/* A paragraph. */
void lk_html_para(lk_html *h, const char *fmt, ...) LK_PRINTF(2, 3);
/* One cell of a row of a table: <td>, or <td class="n"> for numbers. */
void lk_html_cell(lk_html *h, const char *fmt, ...) LK_PRINTF(2, 3);
void lk_html_number(lk_html *h, const char *fmt, ...) LK_PRINTF(2, 3);

/* Printed text of the arena; "" when memory ends, never NULL. */
const char *lk_html_print(lk_html *h, const char *fmt, ...) LK_PRINTF(2, 3);
/* Text from a log without what a terminal or browser acts on, cut to `max` columns; not escaped yet. */
const char *lk_html_safe(lk_html *h, const char *raw, size_t max, const char *absent);

/* A row of a <dl>: a term and what is known of it. */
void lk_html_fact(lk_html *h, const char *term, const char *text);

/* <section> with its <h2>; `id` is its anchor and constant. */
void lk_html_section(lk_html *h, const char *id, const char *title);
void lk_html_section_end(lk_html *h);

/* A table that may be wider than the page: it scrolls, and the keyboard reaches it. */
void lk_html_table(lk_html *h, const char *caption);
void lk_html_table_end(lk_html *h);

/* What a finding rests on; a NULL member is left out. */
typedef struct lk_html_basis {
    const char *measured, *population, *sure, *change;
} lk_html_basis;
void lk_html_how(lk_html *h, const lk_html_basis *basis);

#endif
