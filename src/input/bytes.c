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

static lk_file_id id_of(const struct stat *st)
{
    return (lk_file_id){ (uint64_t)st->st_dev, (uint64_t)st->st_ino };
}

lk_code lk_bytes_open(lk_bytes *b, const char *path, lk_err *e)
{
    const bool is_stdin = strcmp(path, "-") == 0;
    const char *why = NULL;
    struct stat st = { 0 };

    b->fd = is_stdin ? STDIN_FILENO : open_again(path);
    b->is_owned = !is_stdin;
    b->path = path;
    b->at_end = false;
    b->meter = NULL;
    b->is_counted = false;
    b->room = 0;
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
    b->id = id_of(&st);
    return LK_OK;
}

bool lk_bytes_changed(const lk_bytes *b, int64_t *at_ns)
{
    static const int64_t SECONDS_MAX = INT64_C(9000000000);
    struct stat st = { 0 };

    if (b->fd < 0 || fstat(b->fd, &st) != 0 || !S_ISREG(st.st_mode) || st.st_mtime < 0 ||
        st.st_mtime > SECONDS_MAX)
        return false;
    *at_ns = (int64_t)st.st_mtime * INT64_C(1000000000);
    return true;
}

uint64_t lk_bytes_size(const lk_bytes *b)
{
    struct stat st = { 0 };

    if (b->fd < 0 || fstat(b->fd, &st) != 0 || !S_ISREG(st.st_mode) || st.st_size < 0)
        return 0;
    return (uint64_t)st.st_size;
}

void lk_bytes_close(lk_bytes *b)
{
    if (b->is_owned && b->fd >= 0)
        (void)close(b->fd);
    b->fd = -1;
}

void lk_bytes_let_go(lk_bytes *b)
{
    if (b->is_regular)
        lk_bytes_close(b);
}

/* Waits until the pipe has something, or its end; false: stopped meanwhile. */
static bool await(const lk_bytes *b)
{
    enum { LOOK_UP_MS = 100 };
    struct pollfd wait = { .fd = b->fd, .events = POLLIN };

    while (b->meter && !b->is_regular && b->fd >= 0) {
        if (lk_meter_is_stopped(b->meter))
            return false;
        if (poll(&wait, 1, LOOK_UP_MS) > 0)
            break;
    }
    return !lk_meter_is_stopped(b->meter);
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

/* The file again, if it is still the same one, where reading goes on; -1 with *why. */
static int reopen(const lk_bytes *b, const char **why)
{
    const int fd = open_again(b->path);
    struct stat st = { 0 };
    lk_file_id id;

    *why = NULL;
    if (fd < 0 || fstat(fd, &st) != 0 || lseek(fd, (off_t)b->total, SEEK_SET) < 0)
        *why = strerror(errno);
    id = id_of(&st);
    if (!*why && (id.device != b->id.device || id.number != b->id.number))
        *why = "another file has taken its place";
    if (*why && fd >= 0)
        (void)close(fd);
    return *why ? -1 : fd;
}

static ssize_t read_some(lk_bytes *b, const char **why)
{
    const int fd = b->fd >= 0 ? b->fd : reopen(b, why);
    ssize_t got = fd < 0 ? -1 : read_again(fd, b->buf + b->len, sizeof(b->buf) - b->len);

    if (fd >= 0 && got < 0)
        *why = strerror(errno);
    if (fd >= 0 && fd != b->fd)
        (void)close(fd);
    return got;
}

lk_step lk_bytes_fill(lk_bytes *b, lk_err *e)
{
    const char *why = NULL;
    ssize_t got;

    if (b->at_end) /* a terminal would give more after its end */
        return LK_STEP_END;
    if (!await(b)) {
        atomic_store(&b->meter->is_cut, true);
        b->at_end = true;
        return LK_STEP_END;
    }
    if (b->at > LK_BYTES_BACK) {
        const size_t gone = b->at - LK_BYTES_BACK;

        memmove(b->buf, b->buf + gone, b->len - gone);
        b->len -= gone;
        b->at = LK_BYTES_BACK;
    }
    assert(b->len < sizeof(b->buf));
    got = read_some(b, &why);
    if (got < 0) {
        (void)lk_fail(e, LK_EIO, "cannot read: %s", why);
        return LK_STEP_FAIL;
    }
    b->at_end = got == 0;
    b->len += (size_t)got;
    b->total += (uint64_t)got;
    if (b->meter && b->is_counted)
        atomic_fetch_add_explicit(&b->meter->bytes, (uint64_t)got, memory_order_relaxed);
    return got == 0 ? LK_STEP_END : LK_STEP_ITEM;
}

lk_code lk_bytes_seek(lk_bytes *b, uint64_t offset, lk_err *e)
{
    assert(b->is_regular);
    if (b->fd >= 0 && lseek(b->fd, (off_t)offset, SEEK_SET) < 0)
        return lk_fail(e, LK_EIO, "cannot read: %s", strerror(errno));
    b->total = offset;
    b->at = b->len = 0;
    b->at_end = false;
    return LK_OK;
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

void lk_bytes_unuse(lk_bytes *b, size_t len)
{
    assert(len <= b->at);
    b->at -= len;
}

uint64_t lk_bytes_offset(const lk_bytes *b)
{
    return b->total - (b->len - b->at);
}
