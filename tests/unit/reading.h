/* reading — bytes, plain or gzip, made in memory, given to lk_lines in every way, and what came
 * out of it. */
#ifndef LK_TESTS_READING_H
#define LK_TESTS_READING_H

#include "unit.h"

#include "base/buf.h"
#include "input/lines.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

#include <zlib.h>

/* ---- what came out -------------------------------------------------------------------------- */

typedef struct reading {
    lk_buf text;                    /* each whole line and a newline                    */
    lk_buf half;                    /* the text of the cut line                         */
    uint64_t lines, overlong, cuts; /* lines: those that are not cut */
    uint64_t marked;                /* lines whose quotes are known  */
    lk_step end;
    lk_err err;
    lk_lines_stats stats;
} reading;

static inline void reading_release(reading *r)
{
    lk_buf_release(&r->text);
    lk_buf_release(&r->half);
}

static inline void reading_add(reading *r, const lk_line *line)
{
    r->overlong += line->overlong;
    if (line->cut) {
        r->cuts++;
        lk_buf_add(&r->half, line->text.p, line->text.len);
        return;
    }
    r->lines++;
    lk_buf_add(&r->text, line->text.p, line->text.len);
    lk_buf_add(&r->text, "\n", 1);
}

/* Where quotes are known to stand there are all of them. */
static inline void check_quotes(const lk_line *line)
{
    const lk_quotes *q = &line->quotes;
    size_t count = 0;

    if (!q->base)
        return;
    for (size_t i = 0; i < line->raw.len; i++)
        if (line->raw.p[i] == '"')
            check(count < q->count && q->base + q->at[count++] == line->raw.p + i,
                  "quote %zu of line %ju", count, (uintmax_t)line->number);
    check(count == q->count, "%zu quotes in line %ju, not %zu", count, (uintmax_t)line->number, q->count);
}

/* All that is left; checks what holds for every input. */
static inline void read_rest(lk_lines *l, size_t max_line, reading *r)
{
    lk_line line = { 0 };
    lk_err unused = { 0 };
    uint64_t number = 0;

    memset(r, 0, sizeof(*r));
    lk_buf_init(&r->text);
    lk_buf_init(&r->half);
    lk_lines_mark_quotes(l);
    while ((r->end = lk_lines_next(l, &line, &r->err)) == LK_STEP_ITEM) {
        check(line.number == ++number, "line %ju is called %ju", (uintmax_t)number,
              (uintmax_t)line.number);
        check(line.text.len <= max_line, "line %ju has %zu bytes", (uintmax_t)number,
              line.text.len);
        check(r->cuts == 0, "a line after the half line");
        check_quotes(&line);
        r->marked += line.quotes.base != NULL;
        reading_add(r, &line);
    }
    r->stats = *lk_lines_stats_of(l);
    check((r->end == LK_STEP_FAIL) == (r->err.code != LK_OK), "code %s", lk_code_name(r->err.code));
    check(lk_lines_next(l, &line, &unused) == LK_STEP_END, "something after the end");
}

static inline void read_path(const char *path, size_t max_line, reading *r)
{
    lk_lines *l = NULL;
    lk_err e = { 0 };

    check_ok(lk_lines_open(path, max_line, &l, &e), e);
    read_rest(l, max_line ? max_line : LK_LINE_MAX, r);
    lk_lines_close(l);
}

static inline bool same_buf(const lk_buf *a, const lk_buf *b)
{
    return a->len == b->len && (a->len == 0 || memcmp(a->p, b->p, a->len) == 0);
}

static inline bool starts_with(const lk_buf *text, const char *p, size_t len)
{
    return len <= text->len && (len == 0 || memcmp(text->p, p, len) == 0);
}

/* ---- what goes in --------------------------------------------------------------------------- */

static inline void write_all(int fd, const void *p, size_t len)
{
    const char *at = p;
    ssize_t got;

    for (; len > 0; at += got, len -= (size_t)got) {
        got = write(fd, at, len);
        if (got <= 0)
            return; /* the reader has gone */
    }
}

/* A file of these bytes without a name: open the path in `path`, close the descriptor. */
static inline int make_file(const void *p, size_t len, char path[64])
{
    char name[] = "/tmp/lockstep-test-XXXXXX";
    int fd = mkstemp(name);

    check(fd >= 0, "no temporary file");
    (void)unlink(name);
    write_all(fd, p, len);
    (void)snprintf(path, 64, "/proc/self/fd/%d", fd);
    return fd;
}

static inline void read_bytes(const void *p, size_t len, size_t max_line, reading *r)
{
    char path[64];
    int fd = make_file(p, len, path);

    read_path(path, max_line, r);
    (void)close(fd);
}

/* Standard input becomes a pipe into which a child writes `step` bytes at a time. */
typedef struct feeding {
    int saved;
    pid_t child;
} feeding;

static inline feeding feed_stdin(const void *p, size_t len, size_t step)
{
    feeding f = { .saved = dup(STDIN_FILENO) };
    int ends[2];

    check(pipe(ends) == 0, "no pipe");
    f.child = fork();
    check(f.child >= 0, "no process");
    if (f.child == 0) {
        const char *at = p;

        (void)close(ends[0]);
        for (; len > 0; at += step, len -= step) {
            if (step > len)
                step = len;
            write_all(ends[1], at, step);
        }
        _exit(0);
    }
    (void)close(ends[1]);
    (void)dup2(ends[0], STDIN_FILENO);
    (void)close(ends[0]);
    return f;
}

static inline void feed_end(feeding f)
{
    if (f.saved >= 0)
        (void)dup2(f.saved, STDIN_FILENO);
    else
        (void)close(STDIN_FILENO);
    (void)close(f.saved);
    (void)waitpid(f.child, NULL, 0);
}

static inline void read_piped(const void *p, size_t len, size_t step, size_t max_line, reading *r)
{
    feeding f = feed_stdin(p, len, step);

    read_path("-", max_line, r);
    feed_end(f);
}

/* Peeks at `peeked` lines with a tape of `max` bytes, then reads everything. */
static inline void read_replayed(const void *p, size_t len, size_t max, unsigned peeked,
                                 size_t max_line, reading *r)
{
    char path[64];
    int fd = make_file(p, len, path);
    lk_lines *l = NULL;
    lk_line line = { 0 };
    lk_err e = { 0 };

    check_ok(lk_lines_open(path, max_line, &l, &e), e);
    lk_lines_record(l, max);
    while (peeked > 0 && lk_lines_next(l, &line, &e) == LK_STEP_ITEM)
        peeked--;
    lk_lines_replay(l);
    read_rest(l, max_line ? max_line : LK_LINE_MAX, r);
    lk_lines_close(l);
    (void)close(fd);
}

/* One gzip member; a new deflate block at every `block` bytes (0: where zlib likes). */
static inline void add_member(lk_buf *out, const void *p, size_t len, size_t block, gz_header *head)
{
    unsigned char some[4096];
    z_stream z = { 0 };
    int code;

    check(deflateInit2(&z, 9, Z_DEFLATED, 15 + 16, 9, Z_DEFAULT_STRATEGY) == Z_OK, "no deflate");
    if (head)
        (void)deflateSetHeader(&z, head);
    z.next_in = (Bytef *)(uintptr_t)p;
    do {
        z.avail_in = (unsigned)(block && block < len ? block : len);
        len -= z.avail_in;
        do {
            z.next_out = some;
            z.avail_out = sizeof(some);
            code = deflate(&z, len > 0 ? Z_BLOCK : Z_FINISH);
            lk_buf_add(out, (char *)some, sizeof(some) - z.avail_out);
        } while (z.avail_out == 0 && code != Z_STREAM_END);
    } while (len > 0);
    (void)deflateEnd(&z);
}

/* Lines that look like a log, each different. */
static inline void add_lines(lk_buf *out, unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        lk_buf_printf(out,
                      "198.51.100.%u - - [15/Jul/2025:12:%02u:%02u +0000] \"GET /%u\" 503 %u\n",
                      i * 7 % 250, i / 60 % 60, i % 60, i * 2654435761u >> 12, i);
}

#endif
