#define _XOPEN_SOURCE 700 /* realpath */

#include "base/outfile.h"

#include "base/slice.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { TRIES = 100, USUAL_MODE = -1 };

static lk_code cannot_write(const lk_outfile *o, int reason, lk_err *e)
{
    return lk_fail(e, LK_EOUT, "cannot write %s'%s': %s", o->what, o->path, strerror(reason));
}

/* NAME.PID-N, or where such a name is too long lockstep.PID-N. */
static int create_beside(lk_outfile *o, bool is_short, unsigned n)
{
    const char *slash = strrchr(o->target, '/');
    const size_t folder = slash ? (size_t)(slash + 1 - o->target) : 0;
    const size_t kept = is_short ? folder : strlen(o->target);

    if ((size_t)snprintf(o->beside, sizeof(o->beside), "%.*s%s.%ld-%u", (int)kept, o->target,
                         is_short ? "lockstep" : "", (long)getpid(), n) >= sizeof(o->beside))
        return ENAMETOOLONG;
    o->fd = open(o->beside, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    return o->fd < 0 ? errno : 0;
}

static int open_beside(lk_outfile *o, int mode)
{
    bool is_short = false;
    int failed = EEXIST;

    for (unsigned n = 0; n < TRIES && failed == EEXIST; n++) {
        failed = create_beside(o, is_short, n);
        if (failed == ENAMETOOLONG && !is_short) {
            is_short = true;
            failed = create_beside(o, is_short, n);
        }
    }
    if (failed == 0)
        return mode == USUAL_MODE || fchmod(o->fd, (mode_t)mode) == 0 ? 0 : errno;
    o->beside[0] = '\0';
    return failed;
}

/* The descriptor that `path` is a name of, or -1. */
static int descriptor_named(const char *path)
{
    static const struct {
        const char *name;
        int fd;
    } STANDARD[] = { { "/dev/stdin", 0 }, { "/dev/stdout", 1 }, { "/dev/stderr", 2 } };
    static const char *const FOLDERS[] = { "/dev/fd/", "/proc/self/fd/" };

    for (size_t i = 0; i < sizeof(STANDARD) / sizeof(STANDARD[0]); i++)
        if (strcmp(path, STANDARD[i].name) == 0)
            return STANDARD[i].fd;
    for (size_t i = 0; i < sizeof(FOLDERS) / sizeof(FOLDERS[0]); i++) {
        const size_t len = strlen(FOLDERS[i]);
        uint64_t fd;

        if (strncmp(path, FOLDERS[i], len) == 0 &&
            lk_slice_u64(lk_slice_from(path + len), &fd) && fd <= INT_MAX)
            return (int)fd;
    }
    return -1;
}

static bool is_same(const struct stat *a, int fd)
{
    struct stat b;

    return fstat(fd, &b) == 0 && a->st_dev == b.st_dev && a->st_ino == b.st_ino;
}

/* Standard output or standard error, where that is the same file: "-o x >>x". */
static int descriptor_of(const struct stat *st)
{
    if (!S_ISREG(st->st_mode))
        return -1;
    return is_same(st, STDOUT_FILENO) ? STDOUT_FILENO :
           is_same(st, STDERR_FILENO) ? STDERR_FILENO :
                                        -1;
}

/* Opened anew it would begin at the front; what the shell opened goes on where it stands. */
static int open_again(lk_outfile *o, int fd)
{
    o->fd = fcntl(fd, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
    return o->fd < 0 ? errno : 0;
}

static int open_through(lk_outfile *o)
{
    o->fd = open(o->path, O_WRONLY | O_TRUNC | O_NOCTTY | O_CLOEXEC);
    return o->fd < 0 ? errno : 0;
}

/* Where a link that leads nowhere leads to, so that the link stays; else the path itself. */
static int new_target(lk_outfile *o)
{
    const ssize_t len = readlink(o->path, o->target, sizeof(o->target) - 1);
    char link[PATH_MAX];
    size_t folder;

    if (len < 0) {
        memcpy(o->target, o->path, strlen(o->path) + 1);
        return 0;
    }
    o->target[len] = '\0';
    if (o->target[0] == '/')
        return 0;
    memcpy(link, o->target, (size_t)len + 1);
    folder = strrchr(o->path, '/') ? (size_t)(strrchr(o->path, '/') + 1 - o->path) : 0;
    return (size_t)snprintf(o->target, sizeof(o->target), "%.*s%s", (int)folder, o->path, link) <
                   sizeof(o->target)
               ? 0
               : ENAMETOOLONG;
}

/* Nothing may be made beside a file that itself may be written. */
static bool is_closed_folder(int failed)
{
    return failed == EACCES || failed == EPERM || failed == EROFS;
}

static int open_target(lk_outfile *o)
{
    struct stat st;
    int failed, fd = descriptor_named(o->path);

    if (fd >= 0)
        return open_again(o, fd);
    if (stat(o->path, &st) != 0) {
        failed = errno == ENOENT ? new_target(o) : errno;
        return failed ? failed : open_beside(o, USUAL_MODE);
    }
    if (S_ISDIR(st.st_mode))
        return EISDIR;
    if ((fd = descriptor_of(&st)) >= 0)
        return open_again(o, fd);
    if (!S_ISREG(st.st_mode))
        return open_through(o);
    if (access(o->path, W_OK) != 0 || !realpath(o->path, o->target))
        return errno;
    failed = open_beside(o, (int)(st.st_mode & 0777));
    return is_closed_folder(failed) ? open_through(o) : failed;
}

lk_code lk_outfile_open(lk_outfile *o, const char *what, const char *path, lk_err *e)
{
    int failed;

    o->what = what;
    o->path = path;
    o->fd = -1;
    o->failed = 0;
    o->target[0] = o->beside[0] = '\0';
    failed = strlen(path) < sizeof(o->target) ? open_target(o) : ENAMETOOLONG;
    if (failed == 0)
        return LK_OK;
    lk_outfile_abandon(o);
    return cannot_write(o, failed, e);
}

/* The reader of a pipe had enough. */
static int judged(const lk_outfile *o, int failed)
{
    return failed == EPIPE && o->beside[0] == '\0' ? 0 : failed;
}

lk_code lk_outfile_add(lk_outfile *o, const char *p, size_t len, lk_err *e)
{
    while (len > 0 && o->failed == 0) {
        ssize_t wrote = write(o->fd, p, len);

        if (wrote < 0 && errno != EINTR)
            o->failed = errno;
        if (wrote < 0)
            continue;
        p += wrote;
        len -= (size_t)wrote;
    }
    return judged(o, o->failed) == 0 ? LK_OK : cannot_write(o, o->failed, e);
}

lk_code lk_outfile_finish(lk_outfile *o, lk_err *e)
{
    int failed = judged(o, o->failed);

    if (close(o->fd) != 0 && failed == 0)
        failed = errno;
    o->fd = -1;
    if (failed == 0 && o->beside[0] != '\0' && rename(o->beside, o->target) != 0)
        failed = errno;
    if (failed != 0) {
        lk_outfile_abandon(o);
        return cannot_write(o, failed, e);
    }
    o->beside[0] = '\0';
    return LK_OK;
}

void lk_outfile_abandon(lk_outfile *o)
{
    if (o->fd >= 0)
        (void)close(o->fd);
    o->fd = -1;
    if (o->beside[0] != '\0')
        (void)unlink(o->beside);
    o->beside[0] = '\0';
}
