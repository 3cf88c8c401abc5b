/* failing_alloc — a malloc for LD_PRELOAD (glibc) that fails when it is told to, and tells of leaks.
 *
 * FAIL_ALLOC=N       the N-th allocation (1 = the first of all) gives NULL, and only that one
 * FAIL_ALLOC_FROM=N  ... and all later ones, too
 * FAIL_ALLOC_LOG=F   at the end one line is appended to F: how many there were, how many blocks that
 *                    were not the C library's own are still there, and where the first was taken  */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *p, size_t size);
extern void *__libc_memalign(size_t step, size_t size);
extern void __libc_free(void *p);

enum { LIVE_MAX = 1 << 18 };

typedef struct entry {
    void *p, *by;
} entry;

static entry live[LIVE_MAX]; /* open addressing; a freed one is left with p = GONE */
static char gone;
static atomic_flag lock = ATOMIC_FLAG_INIT;
static atomic_ulong count;
static unsigned long fail_at, fail_from;
static int log_fd = -1; /* opened early: later the program may give its rights up */

static unsigned long number(const char *name)
{
    const char *text = getenv(name);

    return text ? strtoul(text, NULL, 10) : 0;
}

__attribute__((constructor)) static void begin(void)
{
    fail_at = number("FAIL_ALLOC");
    fail_from = number("FAIL_ALLOC_FROM");
    if (getenv("FAIL_ALLOC_LOG"))
        log_fd = open(getenv("FAIL_ALLOC_LOG"), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
    atomic_store(&count, 0);
}

static int is_denied(void)
{
    const unsigned long n = atomic_fetch_add(&count, 1) + 1;

    if (n != fail_at && (!fail_from || n < fail_from))
        return 0;
    errno = ENOMEM;
    return 1;
}

static size_t slot_of(const void *p)
{
    return (size_t)(((uintptr_t)p >> 4) * UINT64_C(0x9E3779B97F4A7C15) >> 46) % LIVE_MAX;
}

static void *noted(void *p, void *by)
{
    size_t i = slot_of(p);

    if (!p)
        return p;
    while (atomic_flag_test_and_set(&lock))
        continue;
    for (size_t n = 0; n < LIVE_MAX && live[i].p && live[i].p != &gone; n++)
        i = (i + 1) % LIVE_MAX;
    live[i] = (entry){ p, by };
    atomic_flag_clear(&lock);
    return p;
}

static void forget(const void *p)
{
    size_t i = slot_of(p);

    while (atomic_flag_test_and_set(&lock))
        continue;
    for (size_t n = 0; n < LIVE_MAX && live[i].p && live[i].p != p; n++)
        i = (i + 1) % LIVE_MAX;
    if (live[i].p == p)
        live[i].p = &gone;
    atomic_flag_clear(&lock);
}

void *malloc(size_t size)
{
    return is_denied() ? NULL : noted(__libc_malloc(size), __builtin_return_address(0));
}

void *calloc(size_t n, size_t size)
{
    return is_denied() ? NULL : noted(__libc_calloc(n, size), __builtin_return_address(0));
}

void *realloc(void *p, size_t size)
{
    void *q;

    if (is_denied())
        return NULL;
    if (p)
        forget(p);
    q = __libc_realloc(p, size);
    return noted(q, __builtin_return_address(0));
}

int posix_memalign(void **out, size_t step, size_t size)
{
    void *p = is_denied() ? NULL : __libc_memalign(step, size);

    if (!p)
        return ENOMEM;
    *out = noted(p, __builtin_return_address(0));
    return 0;
}

void *aligned_alloc(size_t step, size_t size)
{
    return is_denied() ? NULL : noted(__libc_memalign(step, size), __builtin_return_address(0));
}

void free(void *p)
{
    if (p)
        forget(p);
    __libc_free(p);
}

static int is_libc(const void *address, Dl_info *info)
{
    return !dladdr(address, info) || !info->dli_fname || strstr(info->dli_fname, "/libc.so") ||
           strstr(info->dli_fname, "/ld-linux");
}

__attribute__((destructor)) static void tell(void)
{
    unsigned long leaks = 0, made = atomic_load(&count);
    char text[512], where[256] = "";
    Dl_info info;

    for (size_t i = 0; i < LIVE_MAX; i++) {
        if (!live[i].p || live[i].p == &gone || is_libc(live[i].by, &info))
            continue;
        if (leaks++ == 0)
            (void)snprintf(where, sizeof(where), " %s+0x%lx", info.dli_fname,
                           (unsigned long)((char *)live[i].by - (char *)info.dli_fbase));
    }
    if (log_fd >= 0) {
        int len = snprintf(text, sizeof(text), "%lu allocations, %lu lost%s\n", made, leaks, where);

        (void)!write(log_fd, text, (size_t)len);
        (void)close(log_fd);
    }
}
