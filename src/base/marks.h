/* base/marks — where the newlines and the quotes of a block of text stand, looked for 64 bytes at a time.
 *
 * The first of the two steps in which plain lines are read: what the bytes are is asked of 64 of them at once,
 * and the fields of a line follow from the places of its marks.
 *
 * Shapes: lines[line_count], quotes[quote_count]: offsets from `base`, in order; quotes[quote_count] is past
 *         all of them.
 * Owner:  the caller's struct; it points into the text.  An array of lk_quotes lives as long as the marks.
 * Cost:   5 KiB; where a block has more marks than fit it ends before them.  */
#ifndef LK_BASE_MARKS_H
#define LK_BASE_MARKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { LK_MARKS_BLOCK = 16 << 10, LK_MARKS_LINES = 512, LK_MARKS_QUOTES = 2048, LK_MARKS_STEP = 64 };

typedef struct lk_marks {
    const char *base;
    size_t len; /* bytes of it that were looked at */
    size_t line_count, quote_count;
    uint16_t lines[LK_MARKS_LINES + LK_MARKS_STEP];
    uint16_t quotes[LK_MARKS_QUOTES + LK_MARKS_STEP + 1];
} lk_marks;

/* All quotes of one line, at base + at[0 .. count - 1].  base NULL = where they stand is not known. */
typedef struct lk_quotes {
    const char *base;
    const uint16_t *at;
    size_t count;
} lk_quotes;

#define LK_QUOTES_UNKNOWN ((lk_quotes){ NULL, NULL, 0 })

/* Looks at p[len], no further than a block goes; at quotes only where they are wanted. */
void lk_marks_find(lk_marks *m, const char *p, size_t len, bool wants_quotes);

/* The same without what only this machine can. */
void lk_marks_find_portably(lk_marks *m, const char *p, size_t len, bool wants_quotes);

#endif
