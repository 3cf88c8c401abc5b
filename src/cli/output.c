#define _XOPEN_SOURCE 700 /* realpath */

#include "cli/output.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* errno of the first write that failed, or 0. */
static int write_all(int fd, const char *text, size_t len)
{
    while (len > 0) {
        ssize_t wrote = write(fd, text, len);

        if (wrote < 0 && errno == EINTR)
            continue;
        if (wrote < 0)
            return errno;
        text += wrote;
        len -= (size_t)wrote;
    }
    return 0;
}

static int close_after(int fd, int failed)
{
    return close(fd) != 0 && failed == 0 ? errno : failed;
}

lk_code lk_output_stdout(const char *text, size_t len, lk_err *e)
{
    int failed = close_after(STDOUT_FILENO, write_all(STDOUT_FILENO, text, len));

    if (failed != 0 && failed != EPIPE)
        return lk_fail(e, LK_EOUT, "cannot write standard output: %s", strerror(failed));
    return LK_OK;
}

lk_code lk_output_now(const char *text, size_t len, bool *gone, lk_err *e)
{
    int failed = write_all(STDOUT_FILENO, text, len);

    *gone = failed == EPIPE;
    if (failed != 0 && failed != EPIPE)
        return lk_fail(e, LK_EOUT, "cannot write standard output: %s", strerror(failed));
    return LK_OK;
}

static lk_code cannot_write(const char *path, int reason, lk_err *e)
{
    return lk_fail(e, LK_EOUT, "cannot write '%s': %s", path, strerror(reason));
}

static mode_t usual_mode(void)
{
    mode_t mask = umask(0);

    (void)umask(mask);
    return 0666 & ~mask;
}

/* `mode`: of the file that is replaced, or the usual one. */
static lk_code replace(const char *path, mode_t mode, const char *text, size_t len, lk_err *e)
{
    char beside[PATH_MAX];
    int fd, failed;

    if ((size_t)snprintf(beside, sizeof(beside), "%s.XXXXXX", path) >= sizeof(beside))
        return cannot_write(path, ENAMETOOLONG, e);
    fd = mkstemp(beside);
    if (fd < 0)
        return cannot_write(path, errno, e);
    failed = fchmod(fd, mode) == 0 ? write_all(fd, text, len) : errno;
    failed = close_after(fd, failed);
    if (failed == 0 && rename(beside, path) != 0)
        failed = errno;
    if (failed == 0)
        return LK_OK;
    (void)unlink(beside);
    return cannot_write(path, failed, e);
}

static lk_code write_through(const char *path, const char *text, size_t len, lk_err *e)
{
    int fd = open(path, O_WRONLY | O_NOCTTY), failed;

    if (fd < 0)
        return cannot_write(path, errno, e);
    failed = close_after(fd, write_all(fd, text, len));
    return failed == 0 || failed == EPIPE ? LK_OK : cannot_write(path, failed, e);
}

/* Through a symbolic link the file that it names is replaced, not the link. */
lk_code lk_output_file(const char *path, const char *text, size_t len, lk_err *e)
{
    char target[PATH_MAX];
    struct stat st;

    if (stat(path, &st) != 0)
        return replace(path, usual_mode(), text, len, e);
    if (S_ISDIR(st.st_mode))
        return cannot_write(path, EISDIR, e);
    if (!S_ISREG(st.st_mode))
        return write_through(path, text, len, e);
    if (!realpath(path, target))
        return cannot_write(path, errno, e);
    return replace(target, st.st_mode & 0777, text, len, e);
}
