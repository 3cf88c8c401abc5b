#include "input/follow.h"

#include "base/clock.h"
#include "base/time.h"
#include "input/codec.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    CHUNK = 64 << 10,
    MARK = 512,     /* bytes by which a copy is known */
    HEAD_MAX = 200, /* of an overlong line            */
    CANDIDATES_MAX = 4096
};

static const int64_t LINGER_NS = 30 * LK_NS_PER_S; /* of a file that was renamed */
static const int64_t LOOK_NS = LK_NS_PER_S / 10;   /* between looks at the name  */

/* One file that had the name, or the pipe. */
typedef struct generation {
    int fd;
    lk_file_id id;
    uint64_t offset; /* read so far                             */
    int64_t quiet_since_ns;
    char mark[MARK]; /* the last bytes read, mark_len of them   */
    size_t mark_len;
    char *buf;       /* [CHUNK] at .. len) is not used yet      */
    size_t at, len;
    char *carry; /* a line that is not complete: `held` bytes, of which `kept` are kept */
    size_t kept, cap;
    uint64_t held, nuls;
    bool skips; /* the rest of the line at which reading began in mid-file */
    bool is_copy; /* of a file that was emptied: it does not grow */
} generation;

struct lk_follow {
    const char *path;
    size_t max_line;
    uint64_t number;
    generation gen[LK_FOLLOW_GENERATIONS]; /* [count] oldest first; the last is what has the name */
    size_t count;
    bool is_pipe, is_over, is_missing;
    bool is_denied; /* of what is missing: it may not be opened */
    bool has_no_writer; /* a pipe from which nothing comes until somebody opens it again */
    int64_t looked_ns;
    lk_follow_stats stats;
};

static lk_file_id id_of(const struct stat *st)
{
    return (lk_file_id){ (uint64_t)st->st_dev, (uint64_t)st->st_ino };
}

static bool is_same(lk_file_id a, lk_file_id b)
{
    return a.device == b.device && a.number == b.number;
}

/* ---- generations ---- */

static void drop(lk_follow *f, size_t i)
{
    generation *g = &f->gen[i];

    if (g->fd > STDIN_FILENO)
        (void)close(g->fd);
    free(g->buf);
    free(g->carry);
    memmove(g, g + 1, (f->count - i - 1) * sizeof(*g));
    f->count--;
}

static lk_code add(lk_follow *f, int fd, lk_file_id id, lk_err *e)
{
    generation *g;

    if (f->count == LK_FOLLOW_GENERATIONS) {
        f->stats.dropped++;
        drop(f, 0);
    }
    g = &f->gen[f->count];
    *g = (generation){ .fd = fd, .id = id, .quiet_since_ns = lk_clock_monotonic_ns(), .buf = malloc(CHUNK) };
    if (!g->buf) {
        if (fd > STDIN_FILENO)
            (void)close(fd);
        return lk_fail(e, LK_EOOM, "no memory to follow '%s'", f->path);
    }
    f->count++;
    return LK_OK;
}

/* The bytes before `offset`, and reading goes on there. */
static void seek(generation *g, uint64_t offset)
{
    size_t len = offset < MARK ? (size_t)offset : MARK;
    ssize_t got = pread(g->fd, g->mark, len, (off_t)(offset - len));

    g->mark_len = got == (ssize_t)len ? len : 0;
    g->offset = offset;
}

static lk_code open_file(lk_follow *f, bool is_again, lk_err *e)
{
    int fd = open(f->path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
    struct stat st;

    f->is_denied = fd < 0 && errno == EACCES && is_again;
    f->is_missing = f->is_denied || (fd < 0 && errno == ENOENT);
    if (f->is_missing)
        return LK_OK;
    if (fd < 0 || fstat(fd, &st) != 0 || S_ISDIR(st.st_mode)) {
        int why = fd < 0 ? errno : EISDIR;

        if (fd >= 0)
            (void)close(fd);
        return lk_fail(e, LK_EIO, "cannot open '%s': %s", f->path, strerror(why));
    }
    f->is_pipe = !S_ISREG(st.st_mode);
    return add(f, fd, id_of(&st), e);
}

/* The name of its compression, or NULL. */
static const char *compression_of(int fd)
{
    char head[16];
    ssize_t got = pread(fd, head, sizeof(head), 0);
    bool sure = false;
    const lk_codec *c =
        got > 0 ? lk_codec_claimant((lk_slice){ head, (size_t)got }, &sure) : &LK_CODEC_NONE;

    return c != &LK_CODEC_NONE && sure ? c->name : NULL;
}

static lk_code start_in_file(lk_follow *f, uint64_t tail, lk_err *e)
{
    generation *g = &f->gen[0];
    const char *compression;
    struct stat st;

    if (f->is_pipe || fstat(g->fd, &st) != 0)
        return LK_OK;
    compression = compression_of(g->fd);
    if (compression)
        return lk_fail(e, LK_EDATA, "'%s' is compressed (%s): nobody writes to it any more", f->path,
                       compression);
    if ((uint64_t)st.st_size > tail) {
        seek(g, (uint64_t)st.st_size - tail);
        g->skips = true;
    }
    return LK_OK;
}

lk_code lk_follow_open(const char *path, uint64_t tail, size_t max_line, lk_follow **out, lk_err *e)
{
    lk_follow *f = calloc(1, sizeof(*f));
    lk_code code = LK_OK;

    if (!f)
        return lk_fail(e, LK_EOOM, "no memory to follow '%s'", path);
    f->path = path;
    f->max_line = max_line ? max_line : LK_LINE_MAX;
    if (strcmp(path, "-") == 0) {
        f->is_pipe = true;
        code = add(f, STDIN_FILENO, (lk_file_id){ 0, 0 }, e);
    } else {
        code = open_file(f, false, e);
        if (code == LK_OK && f->count)
            code = start_in_file(f, tail, e);
    }
    if (code != LK_OK) {
        lk_follow_close(f);
        return code;
    }
    *out = f;
    return LK_OK;
}

void lk_follow_close(lk_follow *f)
{
    if (!f)
        return;
    while (f->count)
        drop(f, 0);
    free(f);
}

/* ---- rotation ---- */

/* Does the file hold the last bytes read, just before where reading stands? */
static bool has_mark(int fd, const generation *g)
{
    char seen[MARK];

    return pread(fd, seen, g->mark_len, (off_t)(g->offset - g->mark_len)) ==
               (ssize_t)g->mark_len &&
           memcmp(seen, g->mark, g->mark_len) == 0;
}

/* "access.log.1" and "access-20261130.log" are names that a copy of "access.log" may have. */
static bool may_be_copy(const char *name, const char *base)
{
    const char *dot = strrchr(base, '.');
    size_t stem = dot && dot != base ? (size_t)(dot - base) : strlen(base);

    return strncmp(name, base, stem) == 0 && strcmp(name, base) != 0;
}

/* A descriptor of the copy, or -1. */
static int open_copy(const char *folder, const char *name, const generation *g, lk_file_id *id)
{
    char path[PATH_MAX];
    struct stat st;
    int fd;

    if ((size_t)snprintf(path, sizeof(path), "%s%s", folder, name) >= sizeof(path))
        return -1;
    fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
    if (fd < 0)
        return -1;
    if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && (uint64_t)st.st_size >= g->offset &&
        !is_same(id_of(&st), g->id) && has_mark(fd, g)) {
        *id = id_of(&st);
        return fd;
    }
    (void)close(fd);
    return -1;
}

static int find_copy(const char *path, const generation *g, lk_file_id *id)
{
    const char *slash = strrchr(path, '/'), *base = slash ? slash + 1 : path;
    char folder[PATH_MAX];
    struct dirent *entry;
    int fd = -1;
    DIR *dir;

    if ((size_t)snprintf(folder, sizeof(folder), "%.*s", slash ? (int)(base - path) : 2,
                         slash ? path : "./") >= sizeof(folder))
        return -1;
    dir = opendir(folder);
    for (size_t n = 0; dir && fd < 0 && n < CANDIDATES_MAX && (entry = readdir(dir)); n++)
        if (may_be_copy(entry->d_name, base))
            fd = open_copy(folder, entry->d_name, g, id);
    if (dir)
        (void)closedir(dir);
    return fd;
}

/* Emptied in place: the copy goes on where reading stood and stands before it, with the half line that
 * was kept; the file itself begins anew. */
static lk_code begin_anew(lk_follow *f, generation *g, lk_err *e)
{
    lk_file_id id = g->id, copy_id = { 0, 0 };
    int copy = g->mark_len ? find_copy(f->path, g, &copy_id) : -1;
    int fd = g->fd;

    f->stats.truncated++;
    if (copy < 0) {
        f->stats.unfound += g->mark_len > 0;
        g->offset = 0;
        g->mark_len = g->kept = 0;
        g->held = 0;
        g->skips = false;
        return LK_OK;
    }
    g->fd = copy;
    g->id = copy_id;
    g->is_copy = true;
    g->quiet_since_ns = lk_clock_monotonic_ns();
    return add(f, fd, id, e);
}

/* Has the file shrunk, or other bytes where reading stood? */
static bool is_emptied(const generation *g)
{
    struct stat st;

    if (g->is_copy || fstat(g->fd, &st) != 0)
        return false;
    return (uint64_t)st.st_size < g->offset ||
           (g->mark_len && g->at == g->len && !has_mark(g->fd, g));
}

/* Whatever has the name now. */
static lk_code look(lk_follow *f, int64_t now, lk_err *e)
{
    generation *g = f->count ? &f->gen[f->count - 1] : NULL;
    struct stat st;

    f->looked_ns = now;
    if (g && is_emptied(g))
        return begin_anew(f, g, e);
    if (stat(f->path, &st) != 0) {
        f->is_missing = errno == ENOENT;
        f->is_denied = false;
        return LK_OK;
    }
    if (g && is_same(id_of(&st), g->id)) {
        f->is_missing = f->is_denied = false;
        return LK_OK;
    }
    f->stats.renamed += g != NULL;
    if (g)
        g->quiet_since_ns = now;
    return open_file(f, true, e);
}

/* ---- lines ---- */

static void remember(generation *g, const char *p, size_t len)
{
    if (len >= MARK) {
        memcpy(g->mark, p + len - MARK, MARK);
        g->mark_len = MARK;
        return;
    }
    if (g->mark_len + len > MARK) {
        size_t keep = MARK - len;

        memmove(g->mark, g->mark + g->mark_len - keep, keep);
        g->mark_len = keep;
    }
    memcpy(g->mark + g->mark_len, p, len);
    g->mark_len += len;
}

/* Nothing to read now, where a read would wait: time goes on, and interrupts are seen to, meanwhile. */
static bool is_idle(int fd)
{
    struct pollfd p = { .fd = fd, .events = POLLIN };

    return poll(&p, 1, 0) <= 0;
}

/* ITEM: there is more; END: not now, or (a pipe) never again. */
static lk_step fill(lk_follow *f, generation *g, lk_err *e)
{
    ssize_t got;

    g->at = g->len = 0;
    if (!f->is_pipe && !g->is_copy && g->mark_len && is_emptied(g))
        return LK_STEP_END; /* `look` sees to it */
    if (f->is_pipe && is_idle(g->fd))
        return LK_STEP_END;
    do
        got = f->is_pipe ? read(g->fd, g->buf, CHUNK) : pread(g->fd, g->buf, CHUNK, (off_t)g->offset);
    while (got < 0 && errno == EINTR);
    f->has_no_writer = f->is_pipe && got == 0;
    if (got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK))
        return LK_STEP_END;
    if (got < 0)
        return lk_fail(e, LK_EIO, "cannot read '%s': %s", f->path, strerror(errno)), LK_STEP_FAIL;
    if (got == 0) {
        f->is_over = f->is_pipe && g->fd == STDIN_FILENO;
        return LK_STEP_END;
    }
    g->len = (size_t)got;
    g->offset += (uint64_t)got;
    g->quiet_since_ns = lk_clock_monotonic_ns();
    if (!f->is_pipe)
        remember(g, g->buf, g->len);
    return LK_STEP_ITEM;
}

static bool keep(lk_follow *f, generation *g, const char *p, size_t len)
{
    size_t room = f->max_line + 1 - g->kept, take = len < room ? len : room;

    if (g->kept + take > g->cap) {
        size_t cap = 2 * (g->kept + take);
        char *more = realloc(g->carry, cap);

        if (!more)
            return false;
        g->carry = more;
        g->cap = cap;
    }
    memcpy(g->carry + g->kept, p, take);
    g->kept += take;
    g->held += len;
    return true;
}

static void dress(lk_follow *f, generation *g, const char *p, size_t kept, uint64_t len,
                  lk_line *out)
{
    *out = (lk_line){ .raw = { p, kept }, .nuls = g->nuls, .number = ++f->number };
    if (len == kept && len > 0 && p[len - 1] == '\r')
        kept = (size_t)--len;
    out->overlong = len > f->max_line;
    if (out->overlong && kept > HEAD_MAX)
        kept = HEAD_MAX;
    out->text = (lk_slice){ p, kept };
    g->nuls = 0;
}

static void give_carried(lk_follow *f, generation *g, lk_line *out)
{
    dress(f, g, g->carry, g->kept, g->held, out);
    g->kept = 0;
    g->held = 0;
}

static void skip_hole(generation *g)
{
    while (g->at < g->len && g->buf[g->at] == '\0') {
        g->at++;
        g->nuls++;
    }
}

/* The next line of what was read; END: it is used up. */
static lk_step split(lk_follow *f, generation *g, lk_line *out, lk_err *e)
{
    while (g->at < g->len) {
        const char *p = g->buf + g->at, *end;
        size_t len;

        if (g->held == 0 && *p == '\0') {
            skip_hole(g);
            continue;
        }
        end = memchr(p, '\n', g->len - g->at);
        len = end ? (size_t)(end - p) : g->len - g->at;
        g->at += len + (end != NULL);
        if (g->skips) {
            g->skips = end == NULL;
            continue;
        }
        if (end && g->held == 0) {
            dress(f, g, p, len, len, out);
            return LK_STEP_ITEM;
        }
        if (!keep(f, g, p, len))
            return lk_fail(e, LK_EOOM, "no memory for a line of '%s'", f->path), LK_STEP_FAIL;
        if (end) {
            give_carried(f, g, out);
            return LK_STEP_ITEM;
        }
    }
    return LK_STEP_END;
}

static lk_step next_of(lk_follow *f, generation *g, lk_line *out, lk_err *e)
{
    lk_step got;

    for (;;) {
        got = split(f, g, out, e);
        if (got != LK_STEP_END)
            return got;
        got = fill(f, g, e);
        if (got != LK_STEP_ITEM)
            return got;
    }
}

/* A copy was read to its end: a half line there goes on in what came after it. */
static void pass_on(lk_follow *f, size_t i)
{
    generation *g = &f->gen[i], *after = &f->gen[i + 1];

    if (i + 1 < f->count && after->offset == 0 && after->held == 0) {
        after->carry = g->carry;
        after->cap = g->cap;
        after->kept = g->kept;
        after->held = g->held;
        g->carry = NULL;
    }
    drop(f, i);
}

/* The oldest that nothing came from for long; its last line may lack an end. */
static bool retire(lk_follow *f, int64_t now, lk_line *out)
{
    for (size_t i = 0; i + 1 < f->count; i++) {
        generation *g = &f->gen[i];

        if (now - g->quiet_since_ns < LINGER_NS)
            continue;
        if (g->held > 0) {
            give_carried(f, g, out);
            return true;
        }
        drop(f, i);
        return false;
    }
    return false;
}

lk_step lk_follow_next(lk_follow *f, lk_line *out, lk_err *e)
{
    int64_t now;
    lk_step got;

    /* Oldest first; a newer one's lines wait until there is nothing older for now. */
    for (size_t i = 0; i < f->count; i++) {
        got = next_of(f, &f->gen[i], out, e);
        if (got != LK_STEP_END)
            return got;
        if (f->gen[i].is_copy)
            pass_on(f, i--);
    }
    if (f->is_pipe) {
        if (!f->is_over || !f->gen[0].held)
            return LK_STEP_END;
        give_carried(f, &f->gen[0], out);
        return LK_STEP_ITEM;
    }
    now = lk_clock_monotonic_ns();
    if (retire(f, now, out))
        return LK_STEP_ITEM;
    if (now - f->looked_ns < LOOK_NS)
        return LK_STEP_END;
    return look(f, now, e) == LK_OK ? LK_STEP_END : LK_STEP_FAIL;
}

bool lk_follow_is_over(const lk_follow *f)
{
    return f->is_over;
}

bool lk_follow_is_denied(const lk_follow *f)
{
    return f->is_denied;
}

bool lk_follow_is_missing(const lk_follow *f)
{
    return f->is_missing;
}

int lk_follow_descriptor(const lk_follow *f)
{
    return f->is_pipe && f->count && !f->has_no_writer ? f->gen[0].fd : -1;
}

const lk_follow_stats *lk_follow_stats_of(const lk_follow *f)
{
    return &f->stats;
}
