/* base/buf — a growing byte buffer for text on its way out.
 *
 * Owner:  lk_buf_init/lk_buf_release.
 * Errors: when memory runs out the buffer turns `failed` and ignores further writes, so that only
 *         the end needs a check.  */
#ifndef LK_BASE_BUF_H
#define LK_BASE_BUF_H

#include "base/err.h"
#include "base/slice.h"

typedef struct lk_buf {
    char *p; /* NUL-terminated once anything was written */
    size_t len;
    size_t cap;
    bool failed;
} lk_buf;

void lk_buf_init(lk_buf *b);
void lk_buf_release(lk_buf *b);
void lk_buf_add(lk_buf *b, const char *p, size_t len);
void lk_buf_text(lk_buf *b, const char *text);
void lk_buf_fill(lk_buf *b, char c, size_t count);
void lk_buf_printf(lk_buf *b, const char *fmt, ...) LK_PRINTF(2, 3);

#endif
