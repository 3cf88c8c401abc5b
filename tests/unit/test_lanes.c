/* Files read ahead by threads: the attempts, the numbers of their strings and the account of each file are those of
 * one thread. */
#include "unit.h"

#include "api/lane_names.h"
#include "api/lanes.h"
#include "order/merge.h"

#include <stdlib.h>
#include <unistd.h>

enum { FILES_MAX = 64, TAKEN_MAX = 8192 };

static char folder[64];
static lk_arena arena;
static lk_reading reading;
static lk_err e;
static size_t file_count;

/* What one run gave. */
typedef struct outcome {
    lk_symbols symbols;
    lk_heavy addresses;
    lk_breakdown *breakdown;
    lk_attempt *taken; /* [count] */
    size_t count, late, failed, done;
    uint64_t lines, rejected, samples;
} outcome;

static const char *name_of(size_t i)
{
    return lk_arena_printf(&arena, "%s/%05zu", folder, i);
}

static void prepare(void *ctx, lk_logfile *f)
{
    f->addresses = &((outcome *)ctx)->addresses;
    f->breakdown = ((outcome *)ctx)->breakdown;
}

static lk_code take_missing(void *ctx, const char *path, const lk_err *why, lk_err *err)
{
    (void)ctx;
    (void)why;
    (void)err;
    check(false, "%s", path);
    return LK_OK;
}

static void sum_account(outcome *o, const lk_logfile *f)
{
    o->lines += f->total;
    o->rejected += f->rejected;
    for (size_t i = 0; i < f->sample_count; i++) {
        assert_int_equal(strlen(f->samples[i].text), 8);
        assert_memory_equal(f->samples[i].text, "nonsense", 8);
        o->samples++;
    }
}

static void take_done(void *ctx, const lk_logfile *f)
{
    outcome *o = ctx;

    sum_account(o, f);
    o->done++;
}

static void count_failed(void *ctx, size_t source, const lk_err *why)
{
    (void)source;
    (void)why;
    ((outcome *)ctx)->failed++;
}

static int begin(void **state)
{
    static const char PATTERN[] = "/tmp/lockstep-test-XXXXXX";
    const lockstep_options options = LOCKSTEP_OPTIONS_INIT;

    (void)state;
    memcpy(folder, PATTERN, sizeof(PATTERN));
    check(mkdtemp(folder) != NULL, "no folder");
    lk_arena_init(&arena, 0);
    check_ok(lk_reading_init(&reading, &options, &arena, &e), e);
    file_count = 0;
    return 0;
}

static int end(void **state)
{
    (void)state;
    for (size_t i = 0; i < file_count; i++)
        (void)unlink(name_of(i));
    lk_arena_release(&arena);
    return rmdir(folder);
}

/* ---- files ---- */

typedef struct plan {
    size_t files, lines;
    bool overlap;
    size_t agents, targets; /* different ones, over all files */
} plan;

static void write_line(FILE *f, const plan *p, size_t file, size_t line)
{
    const size_t n = file * 7919 + line * 31, at = p->overlap ? line : file * p->lines + line;

    if (line % 41 == 40) {
        (void)fputs("nonsense\n", f);
        return;
    }
    (void)fprintf(f, "10.0.%zu.%zu - - [15/Jul/2025:%02zu:%02zu:%02zu +0000] \"GET /t%zu HTTP/1.1\" %d 1 \"-\" \"agent/%zu\"\n",
                  n % 3, n % 5, at / 3600 % 24, at / 60 % 60, at % 60, n % p->targets, n % 4 ? 200 : 503,
                  n / 7 % p->agents);
}

static void write_files(const plan *p)
{
    for (size_t i = 0; i < p->files; i++) {
        FILE *f = fopen(name_of(i), "w");

        check(f != NULL, "%s", name_of(i));
        for (size_t k = 0; k < p->lines + i % 5; k++)
            write_line(f, p, i, k);
        check(fclose(f) == 0, "%s", name_of(i));
    }
    file_count = p->files;
}

/* ---- a run ---- */

typedef struct how {
    size_t kept_max, agents_max, targets_max;
    const lk_lanes_options *lanes; /* NULL = none */
} how;

static void open_queue(lk_queue *q, outcome *o, const how *h, size_t *kept)
{
    const lk_queue_hooks hooks = { prepare, take_missing, take_done, o };
    lk_layout layout;

    check_ok(lk_symbols_init_within(&o->symbols, h->agents_max, h->targets_max, 1, &e), e);
    lk_heavy_init(&o->addresses);
    o->breakdown = calloc(1, sizeof(*o->breakdown));
    check(o->breakdown != NULL, "no memory");
    check_ok(lk_breakdown_init(o->breakdown, 1, &e), e);
    o->taken = calloc(TAKEN_MAX, sizeof(*o->taken));
    check(o->taken != NULL, "no memory");
    check_ok(lk_queue_init(q, file_count, h->kept_max, &o->symbols, &reading, &hooks, &arena, &e), e);
    for (size_t i = 0; i < file_count; i++) {
        const lk_input in = { name_of(i), NULL };

        check_ok(lk_queue_add(q, &in, &e), e);
    }
    lk_queue_sort(q);
    check_ok(lk_queue_open_first(q, file_count, kept, &e), e);
    lk_reading_decide(&reading, q->items[0].file->sniffer, &layout);
    check_ok(lk_queue_add_kind(q, q->items[0].file->sniffer, &layout, &e), e);
    for (size_t i = 0; i < *kept; i++)
        lk_logfile_settle(q->items[i].file, &layout);
}

/* Takes `most` attempts, and closes then; of all that are read the account is summed. */
static void run(outcome *o, const how *h, size_t most)
{
    lk_merge_options options = LK_MERGE_OPTIONS_INIT;
    lk_source *sources[FILES_MAX];
    lk_merge merge;
    lk_queue q;
    size_t kept;

    *o = (outcome){ .count = 0 };
    open_queue(&q, o, h, &kept);
    for (size_t i = 0; i < file_count; i++)
        sources[i] = &q.items[i].source;
    if (h->lanes)
        check_ok(lk_lanes_open(&q, file_count, h->lanes, &(lk_lane_tables){ &o->symbols, NULL, reading.by ? o->breakdown : NULL }, &e), e);
    options.window_ns = 5 * INT64_C(1000000000);
    check_ok(lk_merge_init(&merge, sources, file_count, &options, &e), e);
    merge.failed = count_failed;
    merge.ctx = o;
    while (o->count < most && lk_merge_next(&merge, &o->taken[o->count], &e) == LK_STEP_ITEM)
        check(++o->count < TAKEN_MAX, "too many");
    o->late = (size_t)merge.late;
    lk_merge_release(&merge);
    for (size_t i = 0; i < kept; i++)
        sum_account(o, q.items[i].file);
    lk_queue_release(&q);
}

static void release(outcome *o)
{
    lk_symbols_release(&o->symbols);
    lk_breakdown_release(o->breakdown);
    free(o->breakdown);
    free(o->taken);
}

static void check_same_table(const lk_intern *a, const lk_intern *b)
{
    bool exact[2];

    assert_int_equal(a->count, b->count);
    assert_int_equal(a->folded, b->folded);
    assert_int_equal(lk_intern_distinct(a, &exact[0]), lk_intern_distinct(b, &exact[1]));
    assert_int_equal(exact[0], exact[1]);
    for (uint32_t id = 0; id < a->count; id++)
        assert_true(lk_slice_equal(lk_intern_text(a, id), lk_intern_text(b, id)));
}

static void check_same(const outcome *a, const outcome *b)
{
    uint64_t lines[2];
    lk_slice top[2];

    assert_int_equal(a->count, b->count);
    assert_memory_equal(a->taken, b->taken, a->count * sizeof(*a->taken));
    assert_int_equal(a->late, b->late);
    assert_int_equal(a->failed, b->failed);
    assert_int_equal(a->done, b->done);
    assert_int_equal(a->lines, b->lines);
    assert_int_equal(a->rejected, b->rejected);
    assert_int_equal(a->samples, b->samples);
    check_same_table(&a->symbols.populations, &b->symbols.populations);
    check_same_table(&a->symbols.targets, &b->symbols.targets);
    assert_int_equal(a->breakdown->folded, b->breakdown->folded);
    top[0] = lk_heavy_top(&a->addresses, &lines[0]);
    top[1] = lk_heavy_top(&b->addresses, &lines[1]);
    assert_int_equal(lines[0], lines[1]);
    assert_true(lk_slice_equal(top[0], top[1]));
}

/* Threads, lanes, slots, attempts of a batch. */
static const lk_lanes_options LANES[] = {
    { 0, 1, 1, 1 }, { 1, 1, 1, 1 }, { 1, 4, 2, 3 }, { 3, 3, 2, 1 }, { 7, 16, 4, 8 }, { 2, 2, 2, 5 },
};

static void check_all(const plan *p, size_t agents_max, size_t targets_max, size_t kept_max)
{
    how h = { kept_max, agents_max, targets_max, NULL };
    outcome alone, other;

    write_files(p);
    run(&alone, &h, SIZE_MAX);
    check(alone.count > 100 && alone.rejected > 0, "%zu attempts", alone.count);
    check((alone.breakdown->folded > 0) == (p->targets > LK_VALUES_MAX), "%zu targets", p->targets);
    for (size_t i = 0; i < ROWS(LANES); i++) {
        h.lanes = &LANES[i];
        run(&other, &h, SIZE_MAX);
        check_same(&alone, &other);
        release(&other);
    }
    release(&alone);
}

TEST(lanes_of_files_that_overlap)
{
    check_all(&(plan){ 6, 300, true, 20, 30 }, 4096, 8192, 64);
}

TEST(lanes_of_files_one_after_the_other)
{
    check_all(&(plan){ 20, 90, false, 20, 30 }, 4096, 8192, 64);
}

/* More strings than a lane has room for, then more than the run has. */
TEST(lanes_number_strings_as_one_reader_does)
{
    check_all(&(plan){ 3, 1500, true, 600, 2500 }, 4096, 8192, 64);
}

TEST(lanes_fold_strings_as_one_reader_does)
{
    check_all(&(plan){ 4, 1300, true, 400, 2500 }, 10, 17, 64);
}

/* Values of a field: more than have an account, in the order in which one reader meets them. */
TEST(lanes_number_values_as_one_reader_does)
{
    reading.by = LK_BY_TARGET;
    check_all(&(plan){ 4, 1700, true, 9, 6500 }, 4096, 8192, 64);
    reading.by = LK_BY_CALLER;
    check_all(&(plan){ 4, 300, false, 9, 20 }, 4096, 8192, 64);
}

/* Those past the kept ones are opened by who reads them. */
TEST(lanes_of_files_that_are_let_go)
{
    check_all(&(plan){ 40, 60, false, 5, 5 }, 4096, 8192, 8);
    check_all(&(plan){ 40, 60, true, 5, 5 }, 4096, 8192, 8);
}

TEST(lanes_may_be_left_at_any_time)
{
    write_files(&(plan){ 5, 200, true, 5, 5 });
    for (size_t most = 0; most < 700; most += 97)
        for (size_t i = 0; i < ROWS(LANES); i++) {
            const how h = { i % 2 ? 64 : 2, 4096, 8192, &LANES[i] };
            outcome o;

            run(&o, &h, most);
            assert_int_equal(o.count, most);
            release(&o);
        }
}

/* ---- strings past the bounds, of lines that hide tries ---- */

TEST(lane_names_count_a_line_once)
{
    lk_lane_names *names = malloc(sizeof(*names));
    lk_attempt a = { .population = LK_LANE_AGENTS, .target = LK_LANE_TARGETS, .try_no = 1 };
    lk_symbols all;
    lk_buf side;

    check(names != NULL, "no memory");
    lk_buf_init(&side);
    check_ok(lk_symbols_init_within(&all, 0, 1, 1, &e), e);
    check_ok(lk_lane_names_init(names, &(lk_lane_tables){ &all, NULL, NULL }, &e), e);
    names->own.past[LK_PAST_AGENT] = (lk_symbols_past){ 1, "a" };
    names->own.past[LK_PAST_TARGET] = (lk_symbols_past){ 2, "/t" };
    for (uint16_t try = 1; try <= 3; try++) {
        a = (lk_attempt){ .population = LK_LANE_AGENTS, .target = LK_LANE_TARGETS, .try_no = try };
        check_ok(lk_lane_names_pack(names, &a, &side, &e), e);
        check_ok(lk_lane_names_unpack(names, &a, (lk_slice){ side.p, side.len }, &e), e);
        assert_int_equal(a.population, 0); /* "other" */
        assert_int_equal(a.target, 0);
        assert_int_equal(all.populations.folded, 1);
        assert_int_equal(all.targets.folded, 0);
    }
    assert_true(lk_slice_is(lk_intern_text(&all.targets, 0), "/t"));
    lk_lane_names_release(names);
    lk_symbols_release(&all);
    lk_buf_release(&side);
    free(names);
}

#define IN_FOLDER(name) cmocka_unit_test_setup_teardown(name, begin, end)

TESTS(IN_FOLDER(lanes_of_files_that_overlap), IN_FOLDER(lanes_of_files_one_after_the_other),
      IN_FOLDER(lanes_number_strings_as_one_reader_does), IN_FOLDER(lanes_fold_strings_as_one_reader_does),
      IN_FOLDER(lanes_number_values_as_one_reader_does), IN_FOLDER(lanes_of_files_that_are_let_go), IN_FOLDER(lanes_may_be_left_at_any_time),
      T(lane_names_count_a_line_once))
