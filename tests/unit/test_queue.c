/* The files of a run while they wait: how many are read to tell which repeat others, and in what order. */
#include "unit.h"

#include "api/queue.h"
#include "api/repeats.h"
#include "base/time.h"

#include <stdlib.h>
#include <unistd.h>

static char folder[64];
static lk_arena arena;
static lk_queue queue;
static lk_symbols symbols;
static lk_reading reading;
static size_t missing, prepared, done;
static uint64_t done_lines;
static lk_err e;

static const char *name_of(size_t i)
{
    return lk_arena_printf(&arena, "%s/%05zu", folder, i);
}

static void prepare(void *ctx, lk_logfile *f)
{
    (void)ctx;
    (void)f;
    prepared++;
}

static lk_code take_missing(void *ctx, const char *path, const lk_err *why, lk_err *err)
{
    (void)ctx;
    (void)path;
    (void)err;
    check(why->code == LK_EIO, "%s", why->msg);
    missing++;
    return LK_OK;
}

static void take_done(void *ctx, const lk_logfile *f)
{
    (void)ctx;
    done++;
    done_lines += f->total;
}

static int begin(void **state)
{
    static const char PATTERN[] = "/tmp/lockstep-test-XXXXXX";
    const lockstep_options options = LOCKSTEP_OPTIONS_INIT;

    (void)state;
    memcpy(folder, PATTERN, sizeof(PATTERN));
    check(mkdtemp(folder) != NULL, "no folder");
    lk_arena_init(&arena, 0);
    missing = prepared = done = 0;
    done_lines = 0;
    check_ok(lk_reading_init(&reading, &options, &arena, &e), e);
    check_ok(lk_symbols_init(&symbols, 1, &e), e);
    queue = (lk_queue){ .count = 0 };
    return 0;
}

static int end(void **state)
{
    (void)state;
    lk_queue_release(&queue);
    lk_symbols_release(&symbols);
    for (size_t i = 0; unlink(name_of(i)) == 0; i++)
        continue;
    lk_arena_release(&arena);
    return rmdir(folder);
}

/* A line of second `at`; n tells it from others of that second. */
static void add_line(FILE *f, int at, size_t n)
{
    (void)fprintf(f, "10.0.%zu.%zu - - [15/Jul/2025:12:%02d:%02d +0000] \"GET / HTTP/1.1\" 200 1 \"-\" \"a\"\n",
                  n >> 8 & 255, n & 255, at / 60 % 60, at % 60);
}

/* Fills file i. */
typedef void writer(FILE *f, size_t i);

static void add_files(size_t count, size_t kept_max, writer *write)
{
    const lk_queue_hooks hooks = { prepare, take_missing, take_done, NULL };

    check_ok(lk_queue_init(&queue, count, kept_max, &symbols, &reading, &hooks, &arena, &e), e);
    for (size_t i = 0; i < count; i++) {
        const lk_input in = { name_of(i), NULL };
        FILE *f = fopen(in.path, "w");

        check(f != NULL, "%s", in.path);
        write(f, i);
        check(fclose(f) == 0, "%s", in.path);
        check_ok(lk_queue_add(&queue, &in, &e), e);
    }
    lk_queue_sort(&queue);
}

static size_t counting_of(size_t count, writer *write)
{
    size_t n = 0;

    add_files(count, 8, write);
    check_ok(lk_queue_set_repeats_aside(&queue, &n, &e), e);
    return n;
}

static void write_different(FILE *f, size_t i)
{
    add_line(f, 1, i);
    add_line(f, 2, 0);
}

TEST(queue_compares_no_files_that_begin_otherwise)
{
    assert_int_equal(counting_of(3000, write_different), 3000);
    assert_int_equal(queue.compared, 0);
    assert_int_equal(queue.untried, 0);
}

static void write_equal(FILE *f, size_t i)
{
    (void)i;
    add_line(f, 1, 0);
    add_line(f, 2, 0);
}

TEST(queue_reads_copies_once_each)
{
    assert_int_equal(counting_of(2000, write_equal), 1);
    assert_int_equal(queue.compared, 1999);
    for (size_t i = 1; i < queue.count; i++)
        check(queue.items[i].repeat && queue.items[i].repeat->kind == LK_REPEAT_ALL &&
                  queue.items[i].repeat->of == queue.items[0].path,
              "file %zu", i);
}

/* A line that all begin with, as of a check that reaches every host in the same second. */
static void write_second_line(FILE *f, size_t i)
{
    add_line(f, 1, 0);
    add_line(f, 2, i);
    for (size_t k = 0; k < i % 7; k++)
        add_line(f, 3, k);
}

TEST(queue_looks_at_two_lines_of_data)
{
    assert_int_equal(counting_of(2000, write_second_line), 2000);
    assert_int_equal(queue.compared, 0);
}

/* The worst: nothing but the files themselves tells them apart. */
static void write_alike(FILE *f, size_t i)
{
    add_line(f, 1, 0);
    add_line(f, 2, 0);
    for (size_t k = 0; k < 100; k++) /* past what is kept of their start */
        add_line(f, 3, k);
    add_line(f, 4, i);
}

TEST(queue_compares_with_so_many_at_most)
{
    enum { MANY = 600 };

    assert_int_equal(counting_of(MANY, write_alike), MANY);
    check(queue.compared <= MANY * LK_REPEATS_TRIED, "%u pairs", (unsigned)queue.compared);
    check(queue.compared >= (MANY - LK_REPEATS_TRIED) * LK_REPEATS_TRIED, "%u pairs", (unsigned)queue.compared);
    assert_int_equal(queue.untried, MANY - LK_REPEATS_TRIED - 1);
}

/* Each the start of the next. */
static void write_growing(FILE *f, size_t i)
{
    for (size_t k = 0; k <= i; k++)
        add_line(f, 1, k);
}

TEST(queue_finds_the_starts_of_longer_ones)
{
    assert_int_equal(counting_of(12, write_growing), 1);
    assert_string_equal(queue.items[0].path, name_of(11));
    for (size_t i = 1; i < queue.count; i++)
        check(queue.items[i].repeat->of == queue.items[0].path &&
                  queue.items[i].repeat->kind == LK_REPEAT_START,
              "%s", queue.items[i].path);
}

/* Directives that all logs of a server begin with, and hours without a request. */
static void write_directives(FILE *f, size_t i)
{
    (void)fputs("#Version: 1.0\n#Fields: date time c-ip cs-method cs-uri-stem sc-status\n", f);
    if (i >= 5)
        (void)fprintf(f, "2025-07-15 12:00:%02zu 10.0.0.1 GET / 200\n", i % 60);
}

TEST(queue_compares_behind_comments)
{
    assert_int_equal(counting_of(30, write_directives), 25);
    check(queue.compared <= 5 * LK_REPEATS_TRIED, "%u pairs", (unsigned)queue.compared);
}

static void read_all(lk_waiting *w, size_t *lines)
{
    lk_attempt a;

    while (w->source.next(&w->source, &a, &e) == LK_STEP_ITEM)
        ++*lines;
    w->source.close(&w->source);
    w->source.close(&w->source); /* as often as one likes */
}

/* The first ones stay; each of the others is opened, read, accounted for and let go. */
TEST(queue_keeps_some_and_reads_all)
{
    enum { MANY = 40, KEPT = 8 };
    size_t counting, kept, lines = 0;
    lk_layout layout;

    add_files(MANY, KEPT, write_different);
    check_ok(lk_queue_set_repeats_aside(&queue, &counting, &e), e);
    check_ok(lk_queue_open_first(&queue, counting, &kept, &e), e);
    assert_int_equal(kept, KEPT);
    lk_reading_decide(&reading, queue.items[0].file->sniffer, &layout);
    check_ok(lk_queue_add_kind(&queue, queue.items[0].file->sniffer, &layout, &e), e);
    for (size_t i = 0; i < kept; i++)
        lk_logfile_settle(queue.items[i].file, &layout);
    for (size_t i = 0; i < counting; i++) {
        check((queue.items[i].file != NULL) == (i < KEPT), "file %zu", i);
        read_all(&queue.items[i], &lines);
        check((queue.items[i].file != NULL) == (i < KEPT), "file %zu", i);
    }
    assert_int_equal(lines, 2 * MANY);
    assert_int_equal(prepared, MANY);
    assert_int_equal(done, MANY - KEPT);
    assert_int_equal(done_lines, 2 * (MANY - KEPT));
}

TEST(queue_goes_on_without_what_does_not_open)
{
    const lk_queue_hooks hooks = { prepare, take_missing, take_done, NULL };
    const lk_err why = { .code = LK_EIO, .msg = "no folder" };
    const lk_input none = { "/no/such", NULL }, troubled = { "x", &why };

    check_ok(lk_queue_init(&queue, 2, 8, &symbols, &reading, &hooks, &arena, &e), e);
    check_ok(lk_queue_add(&queue, &none, &e), e);
    check_ok(lk_queue_add(&queue, &troubled, &e), e);
    assert_int_equal(missing, 2);
    assert_int_equal(queue.count, 0);
}

#define IN_FOLDER(name) cmocka_unit_test_setup_teardown(name, begin, end)

TESTS(IN_FOLDER(queue_compares_no_files_that_begin_otherwise), IN_FOLDER(queue_reads_copies_once_each),
      IN_FOLDER(queue_looks_at_two_lines_of_data), IN_FOLDER(queue_compares_with_so_many_at_most),
      IN_FOLDER(queue_finds_the_starts_of_longer_ones), IN_FOLDER(queue_compares_behind_comments),
      IN_FOLDER(queue_keeps_some_and_reads_all), IN_FOLDER(queue_goes_on_without_what_does_not_open))
