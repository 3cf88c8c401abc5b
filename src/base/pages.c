#define _DEFAULT_SOURCE /* madvise */

#include "base/pages.h"

#include <stdint.h>
#include <stdlib.h>

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define HAS_OWN_HEAP 1 /* a sanitizer's */
#endif
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define HAS_OWN_HEAP 1
#endif

#if defined(__GLIBC__) && !defined(HAS_OWN_HEAP)

#include <malloc.h>
#include <sys/mman.h>

enum { LARGE_PAGE = 2 << 20, KEPT_MAX = 1 << 30, HEAP = 192 << 20 };

/* Asked for and given back at once, the heap's room is advised on before any of it is touched: what is
 * allocated later comes out of it, page by page as it is used. */
void lk_pages_prefer_large(void)
{
    char *heap;
    uintptr_t from, to;

    if (!mallopt(M_MMAP_THRESHOLD, KEPT_MAX) || !mallopt(M_TRIM_THRESHOLD, KEPT_MAX) ||
        !mallopt(M_ARENA_MAX, 1))
        return;
    heap = malloc(HEAP);
    if (!heap)
        return;
    from = ((uintptr_t)heap + LARGE_PAGE - 1) / LARGE_PAGE * LARGE_PAGE;
    to = ((uintptr_t)heap + HEAP) / LARGE_PAGE * LARGE_PAGE;
#ifdef MADV_HUGEPAGE
    (void)madvise(heap + (from - (uintptr_t)heap), to - from, MADV_HUGEPAGE);
#endif
    free(heap);
}

#else

void lk_pages_prefer_large(void)
{
}

#endif
