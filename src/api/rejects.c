#define _XOPEN_SOURCE 700 /* realpath */

#include "api/rejects.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { BUFFER = 64 << 10, TRIES = 100 };

struct lk_rejects {
    char path[PATH_MAX];   /* as given, for messages */
    char target[PATH_MAX]; /* what is replaced       */
    char beside[PATH_MAX]; /* "" = written through   */
    int fd;
    int failed; /* errno of the first write that failed */
    size_t len;
    char buf[BUFFER];
};

static lk_code cannot_write(const char *path, int reason, lk_err *e)
{
    return lk_fail(e, LK_EOUT, "cannot write the rejected lines to '%s': %s", path,
                   strerror(reason));
}

/* mode 0: the usual one. */
static int open_beside(lk_rejects *r, mode_t mode)
{
    for (unsigned i = 0; i < TRIES; i++) {
        if ((size_t)snprintf(r->beside, sizeof(r->beside), "%s.%ld-%u", r->target, (long)getpid(),
                             i) >= sizeof(r->beside))
            return ENAMETOOLONG;
        r->fd = open(r->beside, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (r->fd >= 0)
            return mode == 0 || fchmod(r->fd, mode) == 0 ? 0 : errno;
        if (errno != EEXIST)
            break;
    }
    r->beside[0] = '\0';
    return errno;
}

static int open_through(lk_rejects *r)
{
    r->fd = open(r->path, O_WRONLY | O_NOCTTY | O_CLOEXEC);
    return r->fd < 0 ? errno : 0;
}

/* Through a symbolic link the file that it names is replaced, not the link. */
static int open_target(lk_rejects *r)
{
    struct stat st;

    if (stat(r->path, &st) != 0) {
        if (errno != ENOENT)
            return errno;
        memcpy(r->target, r->path, sizeof(r->target));
        return open_beside(r, 0);
    }
    if (S_ISDIR(st.st_mode))
        return EISDIR;
    if (!S_ISREG(st.st_mode))
        return open_through(r);
    if (access(r->path, W_OK) != 0 || !realpath(r->path, r->target))
        return errno;
    return open_beside(r, st.st_mode & 0777);
}

lk_code lk_rejects_open(const char *path, lk_rejects **out, lk_err *e)
{
    lk_rejects *r = calloc(1, sizeof(*r));
    int failed;

    if (!r)
        return lk_fail(e, LK_EOOM, "no memory for the rejected lines");
    r->fd = -1;
    if (strlen(path) >= sizeof(r->path)) {
        free(r);
        return cannot_write(path, ENAMETOOLONG, e);
    }
    memcpy(r->path, path, strlen(path) + 1);
    failed = open_target(r);
    if (failed != 0) {
        lk_rejects_close(r);
        return cannot_write(path, failed, e);
    }
    *out = r;
    return LK_OK;
}

static void flush(lk_rejects *r)
{
    const char *p = r->buf;

    while (r->len > 0 && r->failed == 0) {
        ssize_t wrote = write(r->fd, p, r->len);

        if (wrote < 0 && errno != EINTR)
            r->failed = errno;
        if (wrote < 0)
            continue;
        p += wrote;
        r->len -= (size_t)wrote;
    }
    r->len = 0;
}

void lk_rejects_piece(lk_rejects *r, lk_slice piece)
{
    while (piece.len > 0 && r->failed == 0) {
        size_t n = piece.len < BUFFER - r->len ? piece.len : BUFFER - r->len;

        memcpy(r->buf + r->len, piece.p, n);
        r->len += n;
        piece = lk_slice_skip(piece, n);
        if (r->len == BUFFER)
            flush(r);
    }
}

void lk_rejects_line(lk_rejects *r, lk_slice raw)
{
    lk_rejects_piece(r, raw);
    lk_rejects_piece(r, LK_SLICE("\n"));
}

lk_code lk_rejects_finish(lk_rejects *r, lk_err *e)
{
    flush(r);
    if (close(r->fd) != 0 && r->failed == 0)
        r->failed = errno;
    r->fd = -1;
    if (r->failed == EPIPE && r->beside[0] == '\0') /* the reader had enough */
        r->failed = 0;
    if (r->failed == 0 && r->beside[0] != '\0' && rename(r->beside, r->target) != 0)
        r->failed = errno;
    if (r->failed != 0)
        return cannot_write(r->path, r->failed, e);
    r->beside[0] = '\0';
    return LK_OK;
}

void lk_rejects_close(lk_rejects *r)
{
    if (!r)
        return;
    if (r->fd >= 0)
        (void)close(r->fd);
    if (r->beside[0] != '\0')
        (void)unlink(r->beside);
    free(r);
}
