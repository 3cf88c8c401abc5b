#define _XOPEN_SOURCE 700

#include "cli/beside.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static lk_code cannot_write(const lk_beside *b, int reason, lk_err *e)
{
    if (!b->path)
        return lk_fail(e, LK_EOUT, "cannot write standard output: %s", strerror(reason));
    return lk_fail(e, LK_EOUT, "cannot write '%s': %s", b->path, strerror(reason));
}

static mode_t usual_mode(void)
{
    mode_t mask = umask(0);

    (void)umask(mask);
    return 0666 & ~mask;
}

lk_code lk_beside_open(lk_beside *b, const char *path, lk_err *e)
{
    *b = (lk_beside){ .path = path, .fd = STDOUT_FILENO };
    if (!path)
        return LK_OK;
    b->beside = malloc(strlen(path) + sizeof(".XXXXXX"));
    if (!b->beside)
        return lk_fail(e, LK_EOOM, "no memory to write '%s'", path);
    (void)sprintf(b->beside, "%s.XXXXXX", path);
    b->fd = mkstemp(b->beside);
    if (b->fd >= 0 && fchmod(b->fd, usual_mode()) == 0)
        return LK_OK;
    (void)cannot_write(b, errno, e);
    if (b->fd < 0) {
        free(b->beside);
        b->beside = NULL;
    }
    lk_beside_drop(b);
    return e->code;
}

lk_code lk_beside_write(lk_beside *b, const char *bytes, size_t len, lk_err *e)
{
    while (len > 0 && !b->gone) {
        ssize_t wrote = write(b->fd, bytes, len);

        if (wrote < 0 && errno == EINTR)
            continue;
        if (wrote < 0 && errno == EPIPE && !b->path) {
            b->gone = true;
            return LK_OK;
        }
        if (wrote < 0)
            return cannot_write(b, errno, e);
        bytes += wrote;
        len -= (size_t)wrote;
    }
    return LK_OK;
}

lk_code lk_beside_keep(lk_beside *b, lk_err *e)
{
    int failed;

    if (!b->path)
        return LK_OK;
    failed = close(b->fd) == 0 ? 0 : errno;
    b->fd = -1;
    if (failed == 0 && rename(b->beside, b->path) != 0)
        failed = errno;
    if (failed != 0)
        return cannot_write(b, failed, e);
    free(b->beside);
    b->beside = NULL;
    return LK_OK;
}

void lk_beside_drop(lk_beside *b)
{
    if (b->path && b->fd >= 0)
        (void)close(b->fd);
    if (b->beside)
        (void)unlink(b->beside);
    free(b->beside);
    *b = (lk_beside){ .fd = -1 };
}
