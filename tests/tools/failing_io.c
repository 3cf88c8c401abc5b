/* failing_io — read() and write() for LD_PRELOAD (glibc) as bad days have them; standard error is spared.
 *
 * SHORT_IO=1     every other call is interrupted (EINTR), the others move 4,093 bytes at most
 * FAIL_READ=N    the N-th read gives EIO
 * FAIL_WRITE=N   the N-th write gives ENOSPC  */
#define _GNU_SOURCE
#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { SHORT = 4093 };

static atomic_ulong reads, writes, calls;

static unsigned long number(const char *name)
{
    const char *text = getenv(name);

    return text ? strtoul(text, NULL, 10) : 0;
}

/* False: the call fails with errno. */
static int passes(atomic_ulong *count, const char *fail, int reason, size_t *len)
{
    if (atomic_fetch_add(count, 1) + 1 == number(fail)) {
        errno = reason;
        return 0;
    }
    if (!number("SHORT_IO"))
        return 1;
    if (atomic_fetch_add(&calls, 1) % 2 == 0) {
        errno = EINTR;
        return 0;
    }
    *len = *len < SHORT ? *len : SHORT;
    return 1;
}

ssize_t read(int fd, void *to, size_t len)
{
    return passes(&reads, "FAIL_READ", EIO, &len) ? syscall(SYS_read, fd, to, len) : -1;
}

ssize_t write(int fd, const void *from, size_t len)
{
    if (fd == STDERR_FILENO)
        return syscall(SYS_write, fd, from, len);
    return passes(&writes, "FAIL_WRITE", ENOSPC, &len) ? syscall(SYS_write, fd, from, len) : -1;
}
