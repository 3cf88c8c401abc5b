#define _XOPEN_SOURCE 700 /* realpath */

#include "base/outfile.h"

#include "base/slice.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { TRIES = 100, LINKS_MAX = 40, USUAL_MODE = -1 };

/* A signal handler gets no argument that would lead it to the files, so these are variables of the
 * library's.  Who holds `held` has signals blocked: a handler that waits for it waits for another thread. */
static lk_outfile *all_beside;
static atomic_flag held = ATOMIC_FLAG_INIT;

static lk_code cannot_write(const lk_outfile *o, int reason, lk_err *e)
{
    return lk_fail(e, LK_EOUT, "cannot write %s'%s': %s", o->what, o->path, strerror(reason));
}

/* ---- those written beside their names ---- */

static void hold(sigset_t *before)
{
    sigset_t all;

    (void)sigfillset(&all);
    (void)pthread_sigmask(SIG_BLOCK, &all, before);
    while (atomic_flag_test_and_set(&held))
        ;
}

static void let_go(const sigset_t *before)
{
    atomic_flag_clear(&held);
    (void)pthread_sigmask(SIG_SETMASK, before, NULL);
}

static void enlist(lk_outfile *o)
{
    o->before = NULL;
    o->after = all_beside;
    if (all_beside)
        all_beside->before = o;
    all_beside = o;
}

static void strike_off(lk_outfile *o)
{
    if (o->before)
        o->before->after = o->after;
    else
        all_beside = o->after;
    if (o->after)
        o->after->before = o->before;
    o->beside[0] = '\0';
}

void lk_outfile_remove_all(void)
{
    while (atomic_flag_test_and_set(&held))
        ;
    for (const lk_outfile *o = all_beside; o; o = o->after)
        (void)unlink(o->beside);
}

/* ---- opening ---- */

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

static int make_beside(lk_outfile *o, int mode)
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
    } STANDARD[] = { { "-", 1 }, { "/dev/stdin", 0 }, { "/dev/stdout", 1 }, { "/dev/stderr", 2 } };
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

static int open_beside(lk_outfile *o, int mode)
{
    sigset_t before;
    int failed;

    hold(&before);
    failed = make_beside(o, mode);
    if (o->beside[0] != '\0')
        enlist(o);
    let_go(&before);
    return failed;
}

static int open_through(lk_outfile *o)
{
    o->fd = open(o->path, O_WRONLY | O_TRUNC | O_NOCTTY | O_CLOEXEC);
    return o->fd < 0 ? errno : 0;
}

/* Where the link `path` leads to, seen from where it is seen; false: too far. */
static bool follow(char path[PATH_MAX], const char *link)
{
    const char *slash = strrchr(path, '/');
    const size_t folder = link[0] == '/' || !slash ? 0 : (size_t)(slash + 1 - path);

    if (folder + strlen(link) >= PATH_MAX)
        return false;
    memcpy(path + folder, link, strlen(link) + 1);
    return true;
}

int lk_outfile_target(const char *path, char out[PATH_MAX])
{
    char link[PATH_MAX];

    if (realpath(path, out))
        return 0;
    if (errno != ENOENT)
        return errno;
    if (strlen(path) >= PATH_MAX)
        return ENAMETOOLONG;
    memcpy(out, path, strlen(path) + 1);
    for (int i = 0; i < LINKS_MAX; i++) {
        const ssize_t len = readlink(out, link, sizeof(link) - 1);

        if (len < 0)
            return 0;
        link[len] = '\0';
        if (!follow(out, link))
            return ENAMETOOLONG;
    }
    return ELOOP;
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
        failed = errno == ENOENT ? lk_outfile_target(o->path, o->target) : errno;
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

static int take_name(lk_outfile *o)
{
    sigset_t before;
    int failed;

    hold(&before);
    failed = rename(o->beside, o->target) != 0 ? errno : 0;
    if (failed == 0)
        strike_off(o);
    let_go(&before);
    return failed;
}

lk_code lk_outfile_finish(lk_outfile *o, lk_err *e)
{
    int failed = judged(o, o->failed);

    if (close(o->fd) != 0 && failed == 0)
        failed = errno;
    o->fd = -1;
    if (failed == 0 && o->beside[0] != '\0')
        failed = take_name(o);
    if (failed != 0) {
        lk_outfile_abandon(o);
        return cannot_write(o, failed, e);
    }
    return LK_OK;
}

void lk_outfile_abandon(lk_outfile *o)
{
    sigset_t before;

    if (o->fd >= 0)
        (void)close(o->fd);
    o->fd = -1;
    if (o->beside[0] == '\0')
        return;
    hold(&before);
    (void)unlink(o->beside);
    strike_off(o);
    let_go(&before);
}
