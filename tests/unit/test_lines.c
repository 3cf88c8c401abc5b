#include "reading.h"

#include "base/slice.h"
#include "input/bytes.h"
#include "input/lines.h"

#include <errno.h>
#include <sys/resource.h>

#define BOM "\xEF\xBB\xBF"

/* clang-format off */
#define BYTES(literal) (literal), sizeof(literal) - 1
static const struct {
    const char *p; size_t len;
    const char *want; size_t want_len;
    uint64_t holes, hole_bytes;
} CASES[] = {
    { BYTES(""),                              BYTES(""),                 0, 0 },
    { BYTES("\n"),                            BYTES("\n"),               0, 0 },
    { BYTES("a"),                             BYTES("a\n"),              0, 0 },
    { BYTES("a\n"),                           BYTES("a\n"),              0, 0 },
    { BYTES("a\nb"),                          BYTES("a\nb\n"),           0, 0 },
    { BYTES("a\n\nb\n"),                      BYTES("a\n\nb\n"),         0, 0 },
    { BYTES("a\r\nb\r\n"),                    BYTES("a\nb\n"),           0, 0 },
    { BYTES("a\r\n\r\nb\r"),                  BYTES("a\n\nb\n"),         0, 0 },
    { BYTES("a\r\r\nb\rc\n"),                 BYTES("a\r\nb\rc\n"),      0, 0 },
    { BYTES(BOM),                             BYTES(""),                 0, 0 },
    { BYTES(BOM "\n"),                        BYTES("\n"),               0, 0 },
    { BYTES(BOM "a\r\nb\r\n"),                BYTES("a\nb\n"),           0, 0 },
    { BYTES(BOM "a"),                         BYTES("a\n"),              0, 0 },
    { BYTES(BOM BOM "a\n"),                   BYTES(BOM "a\n"),          0, 0 },
    { BYTES("a\n" BOM "b\n" BOM),             BYTES("a\n" BOM "b\n" BOM "\n"), 0, 0 },
    { BYTES("\xEF"),                          BYTES("\xEF\n"),           0, 0 },
    { BYTES("\xEF\xBB\nb\n"),                 BYTES("\xEF\xBB\nb\n"),    0, 0 },
    { BYTES("\x1F"),                          BYTES("\x1F\n"),           0, 0 }, /* no gzip */
    { BYTES("\x1F\x8B"),                      BYTES("\x1F\x8B\n"),       0, 0 },
    { BYTES("\x1F\x8B\x09" "a\n"),            BYTES("\x1F\x8B\x09" "a\n"), 0, 0 },
    { BYTES("PK"),                            BYTES("PK\n"),             0, 0 },
    { BYTES("BZh\n"),                         BYTES("BZh\n"),            0, 0 },
    { BYTES("\0"),                            BYTES(""),                 1, 1 },
    { BYTES("\0\0\0a\n"),                     BYTES("a\n"),              1, 3 },
    { BYTES("\0\0\0\n"),                      BYTES("\n"),               1, 3 },
    { BYTES("a\n\0\0\0\0\0\0\0\0\0\0b\n\0c\n\0\0"), BYTES("a\nb\nc\n"),  3, 13 },
    { BYTES("\0\n\0\0a\nb\0\0\n"),            BYTES("\na\nb\0\0\n"),     2, 3 },
    { BYTES("a\0b\n"),                        BYTES("a\0b\n"),           0, 0 },
    { BYTES("a\0\n"),                         BYTES("a\0\n"),            0, 0 },
    { BYTES("a\0\0"),                         BYTES("a\0\0\n"),          0, 0 },
};
/* clang-format on */

static void check_case(size_t row, const char *how, reading *r)
{
    const lk_buf want = { .p = (char *)(uintptr_t)CASES[row].want, .len = CASES[row].want_len };

    check(same_buf(&r->text, &want), "row %zu %s: '%s'", row, how, r->text.p ? r->text.p : "");
    check(r->end == LK_STEP_END && r->cuts == 0 && r->overlong == 0, "row %zu %s", row, how);
    check(r->stats.holes == CASES[row].holes && r->stats.hole_bytes == CASES[row].hole_bytes,
          "row %zu %s: %ju holes, %ju bytes", row, how, (uintmax_t)r->stats.holes,
          (uintmax_t)r->stats.hole_bytes);
    check(!r->stats.truncated && r->stats.bytes_out == CASES[row].len, "row %zu %s", row, how);
    reading_release(r);
}

TEST(lines_are_those_of_a_file)
{
    for (size_t i = 0; i < ROWS(CASES); i++) {
        reading r;

        read_bytes(CASES[i].p, CASES[i].len, 0, &r);
        check(r.stats.bytes == CASES[i].len, "row %zu", i);
        assert_string_equal(r.stats.compression, "none");
        check_case(i, "in a file", &r);
    }
}

TEST(lines_are_the_same_from_a_pipe_byte_by_byte)
{
    for (size_t i = 0; i < ROWS(CASES); i++) {
        reading r;

        read_piped(CASES[i].p, CASES[i].len, 1, 0, &r);
        check_case(i, "byte by byte", &r);
    }
}

TEST(lines_are_the_same_from_gzip)
{
    for (size_t i = 0; i < ROWS(CASES); i++) {
        lk_buf gz = { 0 };
        reading r;

        for (size_t k = 0; k < CASES[i].len || k == 0; k++) /* a member a byte */
            add_member(&gz, CASES[i].p + k, CASES[i].len > 0, 0, NULL);
        read_bytes(gz.p, gz.len, 0, &r);
        assert_string_equal(r.stats.compression, "gzip");
        check_case(i, "in gzip", &r);
        lk_buf_release(&gz);
    }
}

TEST(lines_are_the_same_after_any_peek)
{
    for (size_t i = 0; i < ROWS(CASES); i++)
        for (size_t max = 0; max <= CASES[i].len + 1; max++)
            for (unsigned peeked = 0; peeked < 4; peeked++) {
                reading r;

                read_replayed(CASES[i].p, CASES[i].len, max, peeked, 0, &r);
                check_case(i, "after a peek", &r);
            }
}

/* ---- long lines ----------------------------------------------------------------------------- */

/* clang-format off */
static const struct { const char *before; int len; const char *after; bool overlong; } LENGTHS[] = {
    { "",  63, "\n",   false }, { "",  64, "\n",   false }, { "",  65, "\n",   true },
    { "",  66, "\n",   true  }, { "",  70, "\n",   true  }, { "", 999, "\n",   true },
    { "",  64, "\r\n", false }, { "",  65, "\r\n", true  }, { "",  63, "\r\r\n", false },
    { "",  64, "",     false }, { "",  64, "\r",   false }, { "",  65, "",     true },
    { BOM, 64, "\n",   false }, { BOM, 65, "\n",   true  }, { BOM, 64, "\r\n", false },
    { BOM, 65, "\r\n", true  }, { BOM, 64, "",     false }, { BOM, 66, "\r\n", true },
};
/* clang-format on */

static void check_length(size_t row, reading *r)
{
    const bool ends = LENGTHS[row].after[0] == '\0' || strcmp(LENGTHS[row].after, "\r") == 0;
    const char *first = r->text.p;
    const size_t len = (size_t)(strchr(first, '\n') - first);

    check((r->overlong == 1) == LENGTHS[row].overlong, "row %zu", row);
    check(r->lines == (ends ? 1 : 2), "row %zu: %ju lines", row, (uintmax_t)r->lines);
    check(len == (LENGTHS[row].overlong
                      ? 64
                      : (size_t)LENGTHS[row].len + (strlen(LENGTHS[row].after) == 3)),
          "row %zu: %zu bytes", row, len);
    check(first[0] == 'x' && first[LENGTHS[row].len < 64 ? 62 : 63] == 'x', "row %zu", row);
    check(ends || strcmp(first + len, "\nnext\n") == 0, "row %zu: then '%s'", row, first + len);
    reading_release(r);
}

TEST(lines_may_be_as_long_as_the_longest)
{
    for (size_t i = 0; i < ROWS(LENGTHS); i++) {
        const bool ends = LENGTHS[i].after[0] == '\0' || strcmp(LENGTHS[i].after, "\r") == 0;
        lk_buf in = { 0 };
        reading r;

        lk_buf_text(&in, LENGTHS[i].before);
        lk_buf_fill(&in, 'x', (size_t)LENGTHS[i].len);
        lk_buf_text(&in, LENGTHS[i].after);
        lk_buf_text(&in, ends ? "" : "next\n");
        read_bytes(in.p, in.len, 64, &r);
        check_length(i, &r);
        for (size_t step = 1; step < 72; step += 7) {
            read_piped(in.p, in.len, step, 64, &r);
            check_length(i, &r);
        }
        lk_buf_release(&in);
    }
}

/* first: where the long line starts; its newline is near the edge of a buffer. */
static void check_long_line(size_t first, size_t len, size_t max_line)
{
    const bool overlong = len > max_line;
    lk_buf in = { 0 };
    reading r;

    lk_buf_fill(&in, 'a', first - 1);
    lk_buf_fill(&in, '\n', 1);
    lk_buf_fill(&in, 'b', len);
    lk_buf_text(&in, "\nc\n");
    read_bytes(in.p, in.len, max_line, &r);
    check(r.lines == 3 && r.cuts == 0 && r.end == LK_STEP_END, "%zu + %zu: %ju lines", first, len,
          (uintmax_t)r.lines);
    check(r.overlong == (uint64_t)overlong + (first - 1 > max_line), "%zu + %zu", first, len);
    if (first - 1 <= max_line)
        check(r.text.len == first + (overlong ? 200 : len) + 3, "%zu + %zu: %zu bytes", first, len,
              r.text.len);
    check(memcmp(r.text.p + r.text.len - 4, "b\nc\n", 4) == 0, "%zu + %zu", first, len);
    reading_release(&r);
    lk_buf_release(&in);
}

TEST(lines_cross_the_edges_of_buffers)
{
    const size_t lengths[] = { 250, LK_BYTES_CAP - 300, LK_BYTES_CAP, 3 * LK_BYTES_CAP };

    for (size_t i = 0; i < ROWS(lengths); i++)
        for (size_t off = 0; off < 6; off++) {
            size_t first = LK_BYTES_CAP - 3 + off;

            check_long_line(first, lengths[i], LK_LINE_MAX);
            check_long_line(first, lengths[i], 260);
            first = 2 * LK_BYTES_CAP - 4 + off - lengths[i] % LK_BYTES_CAP;
            check_long_line(first, lengths[i], LK_BYTES_CAP);
        }
}

TEST(lines_know_their_quotes)
{
    lk_buf in = { 0 };
    reading r;

    for (unsigned i = 0; i < 4000; i++) { /* blocks full of quotes, lines longer than a block, holes */
        lk_buf_fill(&in, i % 9 ? 'a' : '"', i * i % (i % 100 ? 400 : 30000));
        lk_buf_text(&in, i % 7 ? "\"b\" \n" : "\"\r\n");
        if (i % 50 == 0)
            lk_buf_fill(&in, '\0', i % 80);
    }
    read_bytes(in.p, in.len, 0, &r); /* which looks at them */
    check(r.lines == 4000 && r.marked > 3500, "%ju of %ju lines", (uintmax_t)r.marked, (uintmax_t)r.lines);
    reading_release(&r);
    lk_buf_release(&in);
}

TEST(lines_skip_a_line_without_end)
{
    const size_t len = 30 << 20;
    lk_buf in = { 0 }, gz = { 0 };
    reading r;

    lk_buf_text(&in, "a\n");
    lk_buf_fill(&in, 'x', len);
    add_member(&gz, in.p, in.len, 0, NULL);
    read_bytes(in.p, in.len, 0, &r);
    check(r.lines == 2 && r.overlong == 1 && r.cuts == 0, "%ju lines", (uintmax_t)r.lines);
    reading_release(&r);
    read_bytes(gz.p, gz.len, 0, &r);
    check(r.lines == 2 && r.overlong == 1 && r.cuts == 0, "%ju lines", (uintmax_t)r.lines);
    reading_release(&r);
    read_bytes(gz.p, gz.len - 9, 0, &r);
    check(r.lines == 1 && r.overlong == 1 && r.cuts == 1, "%ju lines", (uintmax_t)r.lines);
    check(r.half.len == 200, "%zu bytes", r.half.len);
    reading_release(&r);
    lk_buf_release(&gz);
    lk_buf_release(&in);
}

/* ---- holes ---------------------------------------------------------------------------------- */

TEST(lines_skip_a_hole_of_10_MB)
{
    const size_t hole = 10 << 20;
    lk_buf in = { 0 }, gz = { 0 };
    reading r;

    lk_buf_text(&in, "before\n");
    lk_buf_fill(&in, '\0', hole);
    lk_buf_text(&in, "after\n");
    add_member(&gz, in.p, in.len, 0, NULL);
    for (int way = 0; way < 3; way++) {
        if (way == 0)
            read_bytes(in.p, in.len, 64, &r);
        else if (way == 1)
            read_piped(in.p, in.len, 5000, 64, &r);
        else
            read_bytes(gz.p, gz.len, 64, &r);
        check(r.lines == 2 && r.overlong == 0, "way %d: %ju lines", way, (uintmax_t)r.lines);
        check(r.stats.holes == 1 && r.stats.hole_bytes == hole, "way %d: %ju holes", way,
              (uintmax_t)r.stats.holes);
        assert_string_equal(r.text.p, "before\nafter\n");
        reading_release(&r);
    }
    lk_buf_release(&gz);
    lk_buf_release(&in);
}

/* ---- peeking -------------------------------------------------------------------------------- */

TEST(lines_replay_what_a_pipe_gave)
{
    lk_buf in = { 0 };
    lk_lines *l = NULL;
    lk_line line = { 0 };
    lk_err e = { 0 };
    unsigned peeked = 0;
    feeding f;
    reading r;

    add_lines(&in, 20000); /* 1.3 MB */
    f = feed_stdin(in.p, in.len, 60000);
    check_ok(lk_lines_open("-", 0, &l, &e), e);
    check(!lk_lines_is_regular(l), "a pipe");
    lk_lines_record(l, 300000);
    while (lk_lines_next(l, &line, &e) == LK_STEP_ITEM)
        check(line.number == ++peeked, "line %u", peeked);
    check(peeked > 4000 && peeked < 5000, "%u lines of 300,000 bytes", peeked);
    check(lk_lines_next(l, &line, &e) == LK_STEP_END, "the peek is over");
    lk_lines_replay(l);
    read_rest(l, LK_LINE_MAX, &r);
    lk_lines_close(l);
    feed_end(f);
    check(same_buf(&r.text, &in), "%ju lines", (uintmax_t)r.lines);
    check(r.stats.bytes == in.len && r.stats.bytes_out == in.len, "%ju", (uintmax_t)r.stats.bytes);
    reading_release(&r);
    lk_buf_release(&in);
}

TEST(lines_replay_an_end_that_was_seen)
{
    lk_buf in = { 0 }, gz = { 0 };

    add_lines(&in, 40);
    add_member(&gz, in.p, in.len, 0, NULL);
    for (unsigned peeked = 0; peeked < 60; peeked += 3) {
        reading r;

        read_replayed(gz.p, gz.len, 1 << 16, peeked, 0, &r); /* clean */
        check(r.end == LK_STEP_END && same_buf(&r.text, &in), "%u lines peeked", peeked);
        reading_release(&r);
        read_replayed(gz.p, gz.len - 3, 1 << 16, peeked, 0, &r); /* cut */
        check(r.end == LK_STEP_FAIL && r.err.code == LK_ETRUNC && r.stats.truncated &&
                  same_buf(&r.text, &in),
              "%u lines peeked: %s", peeked, r.err.msg);
        reading_release(&r);
    }
    lk_buf_release(&gz);
    lk_buf_release(&in);
}

TEST(lines_replay_without_a_recording_does_nothing)
{
    char path[64];
    int fd = make_file("a\nb\n", 4, path);
    lk_lines *l = NULL;
    lk_line line = { 0 };
    lk_err e = { 0 };

    check_ok(lk_lines_open(path, 0, &l, &e), e);
    check(lk_lines_next(l, &line, &e) == LK_STEP_ITEM, "%s", e.msg);
    lk_lines_replay(l);
    check(lk_lines_next(l, &line, &e) == LK_STEP_ITEM && lk_slice_is(line.text, "b"), "%s", e.msg);
    lk_lines_close(l);
    (void)close(fd);
}

/* ---- files ---------------------------------------------------------------------------------- */

/* clang-format off */
static const struct { const char *path, *msg; } REFUSED[] = {
    { "testdata",              "cannot open 'testdata': it is a directory" },
    { "testdata/no/such.log",  "cannot open 'testdata/no/such.log': No such file or directory" },
    { "testdata/README.md/x",  "cannot open 'testdata/README.md/x': Not a directory" },
    { "",                      "cannot open '': No such file or directory" },
};
/* clang-format on */

TEST(lines_open_says_what_it_refuses)
{
    for (size_t i = 0; i < ROWS(REFUSED); i++) {
        lk_lines *l = NULL;
        lk_err e = { 0 };

        check(lk_lines_open(REFUSED[i].path, 0, &l, &e) == LK_EIO, "row %zu", i);
        assert_string_equal(e.msg, REFUSED[i].msg);
        assert_null(l);
    }
}

TEST(lines_open_refuses_a_directory_as_standard_input)
{
    int saved = dup(STDIN_FILENO), fd = open("testdata", O_RDONLY);
    lk_lines *l = NULL;
    lk_err e = { 0 };

    (void)dup2(fd, STDIN_FILENO);
    check(lk_lines_open("-", 0, &l, &e) == LK_EIO, "opened");
    assert_string_equal(e.msg, "cannot open '-': it is a directory");
    (void)dup2(saved, STDIN_FILENO);
    (void)close(fd);
    (void)close(saved);
}

TEST(lines_of_a_fifo)
{
    char dir[] = "/tmp/lockstep-test-XXXXXX";
    char path[64];
    pid_t child;
    reading r;

    check(mkdtemp(dir) != NULL, "no folder");
    (void)snprintf(path, sizeof(path), "%s/fifo", dir);
    check(mkfifo(path, 0600) == 0, "no fifo");
    child = fork();
    if (child == 0) {
        int fd = open(path, O_WRONLY);

        write_all(fd, "a\nb", 3);
        _exit(0);
    }
    read_path(path, 0, &r);
    (void)waitpid(child, NULL, 0);
    (void)unlink(path);
    (void)rmdir(dir);
    assert_string_equal(r.text.p, "a\nb\n");
    reading_release(&r);
}

TEST(lines_know_a_regular_file)
{
    char path[64];
    int fd = make_file("a\n", 2, path), saved = dup(STDIN_FILENO);
    const char *paths[] = { path, "-", "/dev/null" };

    (void)dup2(fd, STDIN_FILENO);
    for (size_t i = 0; i < ROWS(paths); i++) {
        lk_lines *l = NULL;
        lk_err e = { 0 };

        check_ok(lk_lines_open(paths[i], 0, &l, &e), e);
        check(lk_lines_is_regular(l) == (i == 0), "'%s'", paths[i]);
        lk_lines_close(l);
    }
    check(fcntl(STDIN_FILENO, F_GETFD) >= 0, "standard input was closed");
    (void)dup2(saved, STDIN_FILENO);
    (void)close(saved);
    (void)close(fd);
    lk_lines_close(NULL);
}

TEST(lines_wait_for_a_pipe_that_does_not_block)
{
    lk_buf in = { 0 };
    feeding f;
    reading r;

    add_lines(&in, 3000);
    f = feed_stdin(in.p, in.len, 7);
    check(fcntl(STDIN_FILENO, F_SETFL, O_NONBLOCK) == 0, "no flag");
    read_path("-", 0, &r);
    feed_end(f);
    check(r.end == LK_STEP_END && same_buf(&r.text, &in), "%s", r.err.msg);
    reading_release(&r);
    lk_buf_release(&in);
}

/* The descriptor goes away under the reader: the nearest thing to a disk that fails. */
TEST(lines_read_error_comes_after_what_was_read)
{
    lk_buf in = { 0 };
    lk_lines *l = NULL;
    lk_line line = { 0 };
    lk_err e = { 0 };
    char path[64];
    int fd, saved = dup(STDIN_FILENO);
    reading r;

    add_lines(&in, 8000);
    fd = make_file(in.p, in.len, path);
    (void)lseek(fd, 0, SEEK_SET);
    (void)dup2(fd, STDIN_FILENO);
    check_ok(lk_lines_open("-", 0, &l, &e), e);
    check(lk_lines_next(l, &line, &e) == LK_STEP_ITEM, "%s", e.msg);
    lk_lines_close(l);
    (void)lseek(fd, 0, SEEK_SET);
    check_ok(lk_lines_open("-", 0, &l, &e), e);
    lk_lines_record(l, 1);
    check(lk_lines_next(l, &line, &e) == LK_STEP_END, "%s", e.msg); /* one buffer is full now */
    lk_lines_replay(l);
    (void)close(STDIN_FILENO);
    read_rest(l, LK_LINE_MAX, &r);
    lk_lines_close(l);
    (void)dup2(saved, STDIN_FILENO);
    check(r.end == LK_STEP_FAIL && r.err.code == LK_EIO && r.cuts == 1, "%s", r.err.msg);
    assert_string_equal(r.err.msg, "cannot read: Bad file descriptor");
    assert_string_equal(r.err.file, "standard input");
    check(r.text.len + r.half.len == LK_BYTES_CAP, "%zu bytes", r.text.len + r.half.len);
    check(starts_with(&in, r.text.p, r.text.len) && !r.stats.truncated, "other bytes");
    reading_release(&r);
    (void)close(saved);
    (void)close(fd);
    lk_buf_release(&in);
}

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define HAS_SANITIZER 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define HAS_SANITIZER 1
#endif
#endif

#ifndef HAS_SANITIZER
/* No new address space, and what the heap still has is used up. */
static bool use_up_memory(void)
{
    const struct rlimit none = { 0, 0 };
    void *volatile taken; /* volatile: or the calls are optimised away */

    if (setrlimit(RLIMIT_AS, &none) != 0)
        return false;
    for (size_t size = 1 << 26; size >= 1024; size /= 2)
        do
            taken = malloc(size);
        while (taken);
    return true;
}

/* These run in a child: 0 when the code is EOOM. */
static int open_without_memory(void)
{
    lk_lines *l = NULL;
    lk_err e = { 0 };

    if (!use_up_memory())
        return 2;
    return lk_lines_open("testdata/README.md", 0, &l, &e) == LK_EOOM && !l ? 0 : 1;
}

static int next_without_memory(const void *p, size_t len, bool peeks)
{
    lk_lines *l = NULL;
    lk_line line = { 0 };
    lk_err e = { 0 };
    char path[64];

    (void)make_file(p, len, path);
    if (lk_lines_open(path, 1 << 30, &l, &e) != LK_OK)
        return 2;
    if (peeks)
        lk_lines_record(l, 1 << 30);
    if (!use_up_memory())
        return 2;
    if (lk_lines_next(l, &line, &e) != LK_STEP_FAIL || e.code != LK_EOOM)
        return 1;
    return lk_lines_next(l, &line, &e) == LK_STEP_END ? 0 : 1;
}

static int carry_without_memory(void)
{
    lk_buf in = { 0 };

    lk_buf_fill(&in, 'x', 4 << 20);
    return next_without_memory(in.p, in.len, false);
}

static int tape_without_memory(void)
{
    lk_buf in = { 0 };

    lk_buf_fill(&in, 'x', 4 << 20);
    return next_without_memory(in.p, in.len, true);
}

static int gzip_without_memory(void)
{
    lk_buf gz = { 0 };

    add_member(&gz, "a\n", 2, 0, NULL);
    return next_without_memory(gz.p, gz.len, false);
}

TEST(lines_say_when_memory_ends)
{
    int (*const runs[])(void) = { open_without_memory, carry_without_memory, tape_without_memory,
                                  gzip_without_memory };

    for (size_t i = 0; i < ROWS(runs); i++) {
        pid_t child = fork();
        int status = -1;

        if (child == 0)
            _exit(runs[i]());
        (void)waitpid(child, &status, 0);
        check(WIFEXITED(status) && WEXITSTATUS(status) == 0, "run %zu: status %x", i,
              (unsigned)status);
    }
}
#define MEMORY_TESTS T(lines_say_when_memory_ends),
#else
#define MEMORY_TESTS /* a sanitizer needs the address space */
#endif

/* ---- what is not read ----------------------------------------------------------------------- */

/* clang-format off */
static const struct { const char *p; size_t len; const char *name, *library, *command; } OTHERS[] = {
#ifndef LK_HAVE_ZSTD
    { BYTES("\x28\xB5\x2F\xFD\x04\x00"),  "zstd", "libzstd", "zstdcat" },
    { BYTES("\x5A\x2A\x4D\x18\x04\x00"),  "zstd", "libzstd", "zstdcat" },
#endif
#ifndef LK_HAVE_XZ
    { BYTES("\xFD" "7zXZ\0\0\4"),         "xz", "liblzma", "xzcat" },
#endif
#ifndef LK_HAVE_BZIP2
    { BYTES("BZh91AY&SY\x12"),            "bzip2", "libbz2", "bzcat" },
#endif
    { BYTES("\x04\x22\x4D\x18\x64"),      "lz4", NULL, "lz4 -dc" },
    { BYTES("\x02\x21\x4C\x18\x64"),      "lz4", NULL, "lz4 -dc" },
    { BYTES("\x1F\x9D\x90"),              "compress", NULL, "zcat" },
    { BYTES("PK\x03\x04\x14"),            "zip", NULL, "unzip -p" },
    { BYTES("7z\xBC\xAF\x27\x1C\0\4"),     "7z", NULL, "7z x -so" },
    { BYTES("LZIP\x01\x0C"),              "lzip", NULL, "lzip -dc" },
    { BYTES("\x89LZO\0\r\n\x1A\n\x10"),    "lzop", NULL, "lzop -dc" },
};
/* clang-format on */

TEST(lines_name_the_pipe_for_other_compressions)
{
    for (size_t i = 0; i < ROWS(OTHERS); i++) {
        char want[120], why[60] = "is not read";
        reading r;

        read_bytes(OTHERS[i].p, OTHERS[i].len, 0, &r);
        check(r.end == LK_STEP_FAIL && r.err.code == LK_EDATA && r.lines + r.cuts == 0, "row %zu",
              i);
        if (OTHERS[i].library)
            (void)snprintf(why, sizeof(why), "needs %s, which this build is without",
                           OTHERS[i].library);
        (void)snprintf(want, sizeof(want), "%s %s; use: %s FILE | lockstep analyze -",
                       OTHERS[i].name, why, OTHERS[i].command);
        assert_string_equal(r.err.msg, want);
        assert_int_equal(r.err.line, 0);
        reading_release(&r);
    }
}

/* ---- real cases ----------------------------------------------------------------------------- */

/* clang-format off */
static const struct {
    const char *path; size_t max_line;
    uint64_t lines, overlong, holes, hole_bytes;
} REAL[] = {
    { "testdata/input/09-nul-hole-copytruncate.log", 0,       3, 0, 1, 4096 },
    { "testdata/input/15-huge-line.log.gz",          0,      10, 0, 0, 0 },
    { "testdata/input/15-huge-line.log.gz",          200079, 10, 0, 0, 0 },
    { "testdata/input/15-huge-line.log.gz",          200078, 10, 1, 0, 0 },
    { "testdata/input/15-huge-line.log.gz",          4096,   10, 1, 0, 0 },
    { "testdata/input/19-bom-crlf.log",              0,       3, 0, 0, 0 },
};
/* clang-format on */

TEST(lines_of_real_cases)
{
    for (size_t i = 0; i < ROWS(REAL); i++) {
        reading r;

        read_path(REAL[i].path, REAL[i].max_line, &r);
        check(r.lines == REAL[i].lines && r.overlong == REAL[i].overlong && r.end == LK_STEP_END,
              "row %zu: %ju lines", i, (uintmax_t)r.lines);
        check(r.stats.holes == REAL[i].holes && r.stats.hole_bytes == REAL[i].hole_bytes, "row %zu",
              i);
        check(r.text.p[0] == '1' && !memchr(r.text.p, '\r', r.text.len), "row %zu: '%.20s'", i,
              r.text.p);
        reading_release(&r);
    }
}

TESTS(MEMORY_TESTS T(lines_are_those_of_a_file), T(lines_are_the_same_from_a_pipe_byte_by_byte),
      T(lines_are_the_same_from_gzip), T(lines_are_the_same_after_any_peek),
      T(lines_may_be_as_long_as_the_longest), T(lines_cross_the_edges_of_buffers), T(lines_know_their_quotes),
      T(lines_skip_a_line_without_end), T(lines_skip_a_hole_of_10_MB),
      T(lines_replay_what_a_pipe_gave), T(lines_replay_an_end_that_was_seen),
      T(lines_replay_without_a_recording_does_nothing), T(lines_open_says_what_it_refuses),
      T(lines_open_refuses_a_directory_as_standard_input), T(lines_of_a_fifo),
      T(lines_know_a_regular_file), T(lines_wait_for_a_pipe_that_does_not_block),
      T(lines_read_error_comes_after_what_was_read), T(lines_name_the_pipe_for_other_compressions),
      T(lines_of_real_cases))
