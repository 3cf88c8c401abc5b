#include "input/bytes.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

static int open_again(const char *path)
{
    int fd;

    do
        fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
    while (fd < 0 && errno == EINTR);
    return fd;
}

lk_code lk_bytes_open(lk_bytes *b, const char *path, lk_err *e)
{
    const bool is_stdin = strcmp(path, "-") == 0;
    const char *why = NULL;
    struct stat st = { 0 };

    b->fd = is_stdin ? STDIN_FILENO : open_again(path);
    b->is_owned = !is_stdin;
    b->at_end = false;
    b->total = 0;
    b->at = b->len = 0;
    if (b->fd < 0 || fstat(b->fd, &st) != 0)
        why = strerror(errno);
    else if (S_ISDIR(st.st_mode))
        why = "it is a directory";
    if (why) {
        lk_bytes_close(b);
        return lk_fail(e, LK_EIO, "cannot open '%s': %s", path, why);
    }
    /* Standard input has no name to open it by, whatever it is. */
    b->is_regular = !is_stdin && S_ISREG(st.st_mode);
    return LK_OK;
}

void lk_bytes_close(lk_bytes *b)
{
    if (b->is_owned && b->fd >= 0)
        (void)close(b->fd);
    b->fd = -1;
}

static ssize_t read_again(int fd, char *to, size_t room)
{
    struct pollfd wait = { .fd = fd, .events = POLLIN };
    ssize_t got;

    while ((got = read(fd, to, room)) < 0) {
        if (errno == EAGAIN)
            (void)poll(&wait, 1, -1);
        else if (errno != EINTR)
            break;
    }
    return got;
}

lk_step lk_bytes_fill(lk_bytes *b, lk_err *e)
{
    ssize_t got;

    if (b->at_end) /* a terminal would give more after its end */
        return LK_STEP_END;
    if (b->at > 0) {
        memmove(b->buf, b->buf + b->at, b->len - b->at);
        b->len -= b->at;
        b->at = 0;
    }
    assert(b->len < sizeof(b->buf));
    got = read_again(b->fd, b->buf + b->len, sizeof(b->buf) - b->len);
    if (got < 0) {
        (void)lk_fail(e, LK_EIO, "cannot read: %s", strerror(errno));
        return LK_STEP_FAIL;
    }
    b->at_end = got == 0;
    b->len += (size_t)got;
    b->total += (uint64_t)got;
    return got == 0 ? LK_STEP_END : LK_STEP_ITEM;
}

lk_slice lk_bytes_ahead(const lk_bytes *b)
{
    return (lk_slice){ b->buf + b->at, b->len - b->at };
}

void lk_bytes_use(lk_bytes *b, size_t len)
{
    assert(len <= b->len - b->at);
    b->at += len;
}

uint64_t lk_bytes_offset(const lk_bytes *b)
{
    return b->total - (b->len - b->at);
}
