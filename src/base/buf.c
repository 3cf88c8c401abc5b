#include "base/buf.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CAP_MIN = 256 };

void lk_buf_init(lk_buf *b)
{
    *b = (lk_buf){ 0 };
}

void lk_buf_release(lk_buf *b)
{
    free(b->p);
    *b = (lk_buf){ 0 };
}

/* At least `need` bytes, doubled; `need` itself once doubling would overflow. */
static size_t grown(size_t cap, size_t need)
{
    if (cap < CAP_MIN)
        cap = CAP_MIN;
    while (cap < need)
        cap = cap > SIZE_MAX / 2 ? need : cap * 2;
    return cap;
}

/* Room for `more` bytes and the NUL. */
static bool reserve(lk_buf *b, size_t more)
{
    size_t cap;
    char *p;

    if (b->failed)
        return false;
    if (more < b->cap - b->len)
        return true;
    if (more >= SIZE_MAX - b->len) {
        b->failed = true;
        return false;
    }
    cap = grown(b->cap, b->len + more + 1);
    p = realloc(b->p, cap);
    if (!p) {
        b->failed = true;
        return false;
    }
    b->p = p;
    b->cap = cap;
    return true;
}

void lk_buf_add(lk_buf *b, const char *p, size_t len)
{
    if (!reserve(b, len))
        return;
    if (len > 0)
        memcpy(b->p + b->len, p, len);
    b->len += len;
    b->p[b->len] = '\0';
}

void lk_buf_text(lk_buf *b, const char *text)
{
    lk_buf_add(b, text, strlen(text));
}

void lk_buf_fill(lk_buf *b, char c, size_t count)
{
    if (!reserve(b, count))
        return;
    memset(b->p + b->len, c, count);
    b->len += count;
    b->p[b->len] = '\0';
}

void lk_buf_printf(lk_buf *b, const char *fmt, ...)
{
    va_list args;
    int len;

    va_start(args, fmt);
    len = vsnprintf(NULL, 0, fmt, args);
    va_end(args);
    if (len < 0)
        b->failed = true;
    if (len < 0 || !reserve(b, (size_t)len))
        return;
    va_start(args, fmt);
    (void)vsnprintf(b->p + b->len, (size_t)len + 1, fmt, args);
    va_end(args);
    b->len += (size_t)len;
}
