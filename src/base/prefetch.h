/* base/prefetch — memory that will be looked at soon, fetched ahead.
 *
 * A hint without meaning: any address does.  gcc counts a prefetch as no effect and drops the calls of
 * functions that do nothing else; an empty statement that might write memory keeps them.  */
#ifndef LK_BASE_PREFETCH_H
#define LK_BASE_PREFETCH_H

enum { LK_PREFETCH_LINE = 64 }; /* bytes that come at once, on most processors */

static inline void lk_prefetch(const void *p)
{
    __builtin_prefetch(p);
    __asm__ volatile("" ::: "memory");
}

/* It will be written. */
static inline void lk_prefetch_write(const void *p)
{
    __builtin_prefetch(p, 1);
    __asm__ volatile("" ::: "memory");
}

#endif
