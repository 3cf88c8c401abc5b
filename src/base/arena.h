/* base/arena — memory that is freed all at once.
 *
 * Owner:  lk_arena_init/lk_arena_release pair; nothing from an arena is freed alone.
 * Errors: lk_alloc gives NULL on overflow, on the limit and when memory runs out: one check.  `failed`
 *         stays set until the release, for those who can do without what they asked for: whoever
 *         answers for the whole looks at it in the end.
 * Cost:   blocks of at least 64 KiB; zeroed memory.  ARENA_DEBUG=1 (compile time) makes each
 *         allocation its own malloc so that AddressSanitizer sees its edges.  */
#ifndef LK_BASE_ARENA_H
#define LK_BASE_ARENA_H

#include "base/err.h"
#include "base/slice.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>

struct lk_arena_block;

typedef struct lk_arena {
    struct lk_arena_block *top;
    size_t used;  /* bytes handed out, all blocks */
    size_t limit; /* 0 = none */
    bool failed;  /* something that was asked for was not given */
} lk_arena;

typedef struct lk_mark {
    struct lk_arena_block *top;
    size_t at;
    size_t used;
} lk_mark;

void lk_arena_init(lk_arena *a, size_t limit);
void lk_arena_release(lk_arena *a);
/* Releases it at the end of a step that gave `code`: OK is EOOM where the arena failed meanwhile. */
LK_MUST_CHECK lk_code lk_arena_close(lk_arena *a, lk_code code, lk_err *e);

/* count * size zeroed bytes, aligned for any type; not NULL for none. */
void *lk_alloc(lk_arena *a, size_t count, size_t size);
#define LK_NEW(arena, type, count) ((type *)lk_alloc((arena), (count), sizeof(type)))

/* Makes room for so many bytes at once, so that what is taken and rewound again and again stays in
 * memory that is there already; they count when they are handed out.  false = no memory. */
bool lk_arena_reserve(lk_arena *a, size_t bytes);

lk_mark lk_arena_mark(const lk_arena *a);
void lk_arena_rewind(lk_arena *a, lk_mark m);

/* NUL-terminated copies. */
char *lk_arena_text(lk_arena *a, lk_slice s);
char *lk_arena_printf(lk_arena *a, const char *fmt, ...) LK_PRINTF(2, 3);
char *lk_arena_vprintf(lk_arena *a, const char *fmt, va_list args) LK_PRINTF(2, 0);

#endif
