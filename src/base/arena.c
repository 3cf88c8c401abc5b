#include "base/arena.h"

#include <assert.h>
#include <stdalign.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#ifndef ARENA_DEBUG
#define ARENA_DEBUG 0
#endif

enum { BLOCK_MIN = 64 * 1024 };

struct lk_arena_block {
    struct lk_arena_block *prev;
    size_t size;
    size_t at;    /* bytes handed out                                     */
    size_t dirty; /* bytes ever handed out: beyond, calloc's zeros stand  */
    alignas(max_align_t) unsigned char data[];
};

typedef struct lk_arena_block block;

void lk_arena_init(lk_arena *a, size_t limit)
{
    *a = (lk_arena){ .limit = limit };
}

static void free_blocks_above(lk_arena *a, const block *keep)
{
    while (a->top != keep) {
        block *gone = a->top;

        assert(gone != NULL);
        a->top = gone->prev;
        free(gone);
    }
}

void lk_arena_release(lk_arena *a)
{
    free_blocks_above(a, NULL);
    a->used = 0;
    a->failed = false;
}

lk_code lk_arena_close(lk_arena *a, lk_code code, lk_err *e)
{
    const bool failed = a->failed;

    lk_arena_release(a);
    return failed && code == LK_OK ? lk_fail(e, LK_EOOM, "no memory for a part of it") : code;
}

/* count*size rounded up to max_align_t, at least one step; 0 when that overflows. */
static size_t rounded(size_t count, size_t size)
{
    const size_t step = alignof(max_align_t);

    if (count == 0 || size == 0)
        return step;
    if (count > (SIZE_MAX - step) / size)
        return 0;
    return (count * size + step - 1) / step * step;
}

static bool push_block(lk_arena *a, size_t bytes)
{
    block *b;

    if (bytes > SIZE_MAX - sizeof(*b))
        return false;
    b = calloc(1, sizeof(*b) + bytes);
    if (!b)
        return false;
    b->prev = a->top;
    b->size = bytes;
    a->top = b;
    return true;
}

/* The block to take `bytes` from: the top one or a new one. */
static block *block_for(lk_arena *a, size_t bytes, size_t exact)
{
    if (ARENA_DEBUG)
        return push_block(a, exact) ? a->top : NULL;
    if (a->top && bytes <= a->top->size - a->top->at)
        return a->top;
    return push_block(a, bytes > BLOCK_MIN ? bytes : BLOCK_MIN) ? a->top : NULL;
}

static void *take(block *b, size_t bytes)
{
    unsigned char *p = b->data + b->at;
    size_t end = b->at + bytes;

    if (b->at < b->dirty)
        memset(p, 0, (end < b->dirty ? end : b->dirty) - b->at);
    b->at = end;
    if (b->dirty < end)
        b->dirty = end;
    return p;
}

void *lk_alloc(lk_arena *a, size_t count, size_t size)
{
    size_t bytes = rounded(count, size);
    block *b;

    b = bytes == 0 || (a->limit != 0 && bytes > a->limit - a->used) ? NULL
                                                                    : block_for(a, bytes, count * size);
    a->failed |= b == NULL;
    if (!b)
        return NULL;
    a->used += bytes;
    return take(b, ARENA_DEBUG ? b->size : bytes);
}

bool lk_arena_reserve(lk_arena *a, size_t bytes)
{
    if (ARENA_DEBUG) /* a block each: none to set aside, but what no block can hold is still refused */
        return bytes <= PTRDIFF_MAX;
    if (a->top && bytes <= a->top->size - a->top->at)
        return true;
    return push_block(a, bytes);
}

lk_mark lk_arena_mark(const lk_arena *a)
{
    return (lk_mark){ a->top, a->top ? a->top->at : 0, a->used };
}

void lk_arena_rewind(lk_arena *a, lk_mark m)
{
    free_blocks_above(a, m.top);
    if (a->top)
        a->top->at = m.at;
    a->used = m.used;
}

char *lk_arena_text(lk_arena *a, lk_slice s)
{
    char *copy = s.len == SIZE_MAX ? NULL : LK_NEW(a, char, s.len + 1);

    if (copy && s.len > 0)
        memcpy(copy, s.p, s.len);
    return copy;
}

char *lk_arena_vprintf(lk_arena *a, const char *fmt, va_list args)
{
    va_list again;
    char *text;
    int len;

    va_copy(again, args);
    len = vsnprintf(NULL, 0, fmt, again);
    va_end(again);
    text = len < 0 ? NULL : LK_NEW(a, char, (size_t)len + 1);
    if (text)
        (void)vsnprintf(text, (size_t)len + 1, fmt, args);
    return text;
}

char *lk_arena_printf(lk_arena *a, const char *fmt, ...)
{
    va_list args;
    char *text;

    va_start(args, fmt);
    text = lk_arena_vprintf(a, fmt, args);
    va_end(args);
    return text;
}
