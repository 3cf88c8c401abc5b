/* report/markdown — the pieces of a Markdown document (GitHub's dialect): headings, tables, code.
 *
 * Whatever came from a log stands in a code span, where no reader finds markup, links or mentions.
 * Owner:  text goes to the caller's buffer, scratch strings live in the caller's arena.
 * Errors: a lack of memory turns the buffer `failed`.
 * Source: CommonMark 0.31, 6.1 (code spans); GFM 4.10 (tables: '|' is escaped in code too).  */
#ifndef LK_REPORT_MARKDOWN_H
#define LK_REPORT_MARKDOWN_H

#include "base/arena.h"
#include "base/buf.h"

typedef struct lk_markdown {
    lk_arena *arena;
    lk_buf *out;
} lk_markdown;

void lk_markdown_heading(lk_markdown *m, int level, const char *fmt, ...) LK_PRINTF(3, 4);
/* A paragraph, an item of a list: words of the program itself and code spans. */
void lk_markdown_para(lk_markdown *m, const char *fmt, ...) LK_PRINTF(2, 3);
void lk_markdown_item(lk_markdown *m, const char *fmt, ...) LK_PRINTF(2, 3);
/* The head of a table: "Delay|Comebacks"; a column whose title ends in '>' is set right. */
void lk_markdown_table(lk_markdown *m, const char *titles);
/* A row: cells parted by '|' of the program's own, "%s|%s". */
void lk_markdown_row(lk_markdown *m, const char *fmt, ...) LK_PRINTF(2, 3);
void lk_markdown_blank(lk_markdown *m);

/* Text from a log, safe, cut to `max` columns, as a code span; `absent` as it is for NULL. */
const char *lk_markdown_code(lk_markdown *m, const char *raw, size_t max, const char *absent);
/* Words of the report itself with what Markdown would act on escaped. */
const char *lk_markdown_words(lk_markdown *m, const char *text);

#endif
