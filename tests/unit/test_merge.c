#include "unit.h"

#include "base/time.h"
#include "order/merge.h"

static lk_err e;

/* A source over a row of stamps in seconds; `took` seconds each; fails after the last when asked. */
typedef struct listed {
    lk_source source;
    const int *stamps;
    size_t count, at;
    int took;
    bool fails;
    unsigned closed;
} listed;

static lk_step next_listed(lk_source *s, lk_attempt *out, lk_err *err)
{
    listed *l = (listed *)s;

    if (l->at == l->count) {
        if (!l->fails)
            return LK_STEP_END;
        (void)lk_fail(err, LK_ETRUNC, "cut short");
        return LK_STEP_FAIL;
    }
    *out = (lk_attempt){ .stamp_ns = l->stamps[l->at] * LK_NS_PER_S, .key = l->at };
    out->end_ns = out->stamp_ns;
    out->start_ns = out->stamp_ns - l->took * LK_NS_PER_S;
    l->at++;
    return LK_STEP_ITEM;
}

static void close_listed(lk_source *s)
{
    ((listed *)s)->closed++;
}

static listed from(const int *stamps, size_t count)
{
    listed l = { { stamps[0] * LK_NS_PER_S, next_listed, close_listed }, stamps, count, 0, 0, false,
                 0 };

    return l;
}

/* Runs the merge to its end; starts in seconds. */
static size_t run(lk_merge *m, int *starts, size_t max)
{
    size_t n = 0;
    lk_attempt a;
    lk_step got;

    while ((got = lk_merge_next(m, &a, &e)) == LK_STEP_ITEM) {
        check(n < max, "more than %zu attempts", max);
        starts[n++] = (int)(a.start_ns / LK_NS_PER_S);
    }
    assert_int_equal(got, LK_STEP_END);
    return n;
}

static const lk_merge_options OPTIONS = { 60 * INT64_C(1000000000), 65536, NULL, NULL, 0 };

TEST(merge_orders_two_overlapping_sources)
{
    static const int A[] = { 100, 102, 103, 110 }, B[] = { 101, 102, 120, 119 };
    static const int WANT[] = { 100, 101, 102, 102, 103, 110, 119, 120 };
    listed a = from(A, ROWS(A)), b = from(B, ROWS(B));
    lk_source *sources[] = { &a.source, &b.source };
    lk_merge m;
    int got[16];

    check_ok(lk_merge_init(&m, sources, 2, &OPTIONS, &e), e);
    assert_int_equal(run(&m, got, ROWS(got)), ROWS(WANT));
    assert_memory_equal(got, WANT, sizeof(WANT));
    assert_int_equal(m.late, 0);
    lk_merge_release(&m);
    check(a.closed && b.closed, "every source is closed");
}

TEST(merge_sorts_long_requests_by_their_start)
{
    static const int ENDS[] = { 100, 130, 131, 132 };
    static const int WANT[] = { 70, 100, 101, 102 };
    listed a = from(ENDS, ROWS(ENDS));
    lk_source *sources[] = { &a.source };
    lk_merge m;
    int got[8];

    a.took = 30;
    check_ok(lk_merge_init(&m, sources, 1, &OPTIONS, &e), e);
    assert_int_equal(run(&m, got, ROWS(got)), ROWS(WANT));
    assert_memory_equal(got, WANT, sizeof(WANT));
    lk_merge_release(&m);
}

TEST(merge_opens_a_later_source_only_when_it_is_reached)
{
    static const int A[] = { 100, 400, 401 }, B[] = { 1000, 1001 };
    listed a = from(A, ROWS(A)), b = from(B, ROWS(B));
    lk_source *sources[] = { &a.source, &b.source };
    lk_merge m;
    lk_attempt out;

    check_ok(lk_merge_init(&m, sources, 2, &OPTIONS, &e), e);
    assert_int_equal(lk_merge_next(&m, &out, &e), LK_STEP_ITEM);
    assert_int_equal(lk_merge_next(&m, &out, &e), LK_STEP_ITEM);
    assert_int_equal(b.at, 0);
    lk_merge_release(&m);
}

/* Files whose first lines show no instant may hold anything: they are read before what is held goes out. */
TEST(merge_waits_for_sources_without_an_instant)
{
    static const int A[] = { 100, 110 }, B[] = { 90, 105 }, C[] = { 95 };
    static const int WANT[] = { 90, 95, 100, 105, 110 };
    listed a = from(A, ROWS(A)), b = from(B, ROWS(B)), c = from(C, ROWS(C));
    lk_source *sources[] = { &b.source, &c.source, &a.source };
    lk_merge m;
    int got[8];

    b.source.first_ns = c.source.first_ns = LK_TIME_NONE;
    check_ok(lk_merge_init(&m, sources, ROWS(sources), &OPTIONS, &e), e);
    assert_int_equal(run(&m, got, ROWS(got)), ROWS(WANT));
    assert_memory_equal(got, WANT, sizeof(WANT));
    assert_int_equal(m.late, 0);
    lk_merge_release(&m);
}

TEST(merge_counts_what_comes_after_the_window)
{
    static const int A[] = { 100, 500, 501, 120, 502 };
    listed a = from(A, ROWS(A));
    lk_source *sources[] = { &a.source };
    lk_merge m;
    int got[8];

    check_ok(lk_merge_init(&m, sources, 1, &OPTIONS, &e), e);
    assert_int_equal(run(&m, got, ROWS(got)), 5);
    assert_int_equal(m.late, 0); /* 120 came before anything later than 100 had left */
    lk_merge_release(&m);

    static const int B[] = { 100, 200, 300, 400, 500, 120, 600 };
    listed b = from(B, ROWS(B));

    sources[0] = &b.source;
    check_ok(lk_merge_init(&m, sources, 1, &OPTIONS, &e), e);
    assert_int_equal(run(&m, got, ROWS(got)), 7);
    assert_int_equal(m.late, 1);
    lk_merge_release(&m);
}

TEST(merge_never_holds_more_than_its_bound)
{
    static int STAMPS[1000];
    lk_merge_options few = { 3600 * INT64_C(1000000000), 16, NULL, NULL, 0 };
    listed a;
    lk_source *sources[1];
    lk_merge m;
    lk_attempt out;
    size_t n = 0;

    for (size_t i = 0; i < ROWS(STAMPS); i++)
        STAMPS[i] = 100 + (int)i;
    a = from(STAMPS, ROWS(STAMPS));
    sources[0] = &a.source;
    check_ok(lk_merge_init(&m, sources, 1, &few, &e), e);
    while (lk_merge_next(&m, &out, &e) == LK_STEP_ITEM) {
        check(m.held <= 16, "held %zu", m.held);
        n++;
    }
    assert_int_equal(n, ROWS(STAMPS));
    lk_merge_release(&m);
}

/* Thousands at once, in no order at all: all come out, sorted. */
TEST(merge_sorts_thousands_that_it_holds)
{
    static int STAMPS[5000];
    lk_merge_options wide = { 100000 * INT64_C(1000000000), 65536, NULL, NULL, 0 };
    listed a;
    lk_source *sources[1];
    lk_merge m;
    lk_attempt out;
    int64_t before = INT64_MIN, sum = 0;
    size_t n = 0;

    for (size_t i = 0; i < ROWS(STAMPS); i++)
        STAMPS[i] = 100 + (int)(i * 2741 % ROWS(STAMPS)); /* every number once */
    a = from(STAMPS, ROWS(STAMPS));
    sources[0] = &a.source;
    check_ok(lk_merge_init(&m, sources, 1, &wide, &e), e);
    while (lk_merge_next(&m, &out, &e) == LK_STEP_ITEM) {
        check(out.start_ns > before, "attempt %zu is out of order", n);
        before = out.start_ns;
        sum += out.start_ns / LK_NS_PER_S - 100;
        n++;
    }
    assert_int_equal(n, ROWS(STAMPS));
    assert_int_equal(sum, 4999 * 5000 / 2);
    assert_int_equal(m.late, 0);
    lk_merge_release(&m);
}

static size_t failed_source;

static void note_failure(void *ctx, size_t source, const lk_err *err)
{
    assert_null(ctx);
    assert_int_equal(err->code, LK_ETRUNC);
    failed_source = source;
}

TEST(merge_goes_on_when_a_source_fails)
{
    static const int A[] = { 100, 102 }, B[] = { 101, 103 };
    listed a = from(A, ROWS(A)), b = from(B, ROWS(B));
    lk_source *sources[] = { &a.source, &b.source };
    lk_merge m;
    int got[8];

    b.fails = true;
    failed_source = 99;
    check_ok(lk_merge_init(&m, sources, 2, &OPTIONS, &e), e);
    m.failed = note_failure;
    assert_int_equal(run(&m, got, ROWS(got)), 4);
    assert_int_equal(failed_source, 1);
    lk_merge_release(&m);
}

TEST(merge_of_nothing_ends)
{
    lk_merge m;
    lk_attempt out;

    check_ok(lk_merge_init(&m, NULL, 0, &OPTIONS, &e), e);
    assert_int_equal(lk_merge_next(&m, &out, &e), LK_STEP_END);
    lk_merge_release(&m);
}

static size_t one_each(void *ctx, size_t source)
{
    (void)ctx;
    (void)source;
    return 1;
}

/* Small sources make room for each other in time; the order is that of them all. */
TEST(merge_of_many_small_sources_reads_few_at_once)
{
    enum { MANY = 200 };
    static const int STAMPS[] = { 100, 110, 120 };
    listed small[MANY];
    lk_source *sources[MANY];
    lk_merge_options options = { 60 * INT64_C(1000000000), 65536, one_each, NULL, 2 };
    lk_merge m;
    lk_attempt out;
    int last = 0;
    size_t n = 0;

    for (size_t i = 0; i < MANY; i++) {
        small[i] = from(STAMPS, ROWS(STAMPS));
        sources[i] = &small[i].source;
    }
    check_ok(lk_merge_init(&m, sources, MANY, &options, &e), e);
    for (; lk_merge_next(&m, &out, &e) == LK_STEP_ITEM; n++) {
        check(m.open <= 2, "%zu at once", m.open);
        check(out.start_ns / LK_NS_PER_S >= last, "attempt %zu is out of order", n);
        last = (int)(out.start_ns / LK_NS_PER_S);
    }
    assert_int_equal(n, MANY * ROWS(STAMPS));
    assert_int_equal(m.late, 0);
    assert_int_equal(m.kept_waiting, 0);
    lk_merge_release(&m);
}

/* Large ones wait, and it is counted; nothing is lost. */
TEST(merge_of_large_sources_without_room_counts_what_comes_late)
{
    enum { LARGE = 4, LINES = 400 };
    static int stamps[LINES];
    listed large[LARGE];
    lk_source *sources[LARGE];
    lk_merge_options options = { 60 * INT64_C(1000000000), 64, one_each, NULL, 2 };
    lk_merge m;
    lk_attempt out;
    size_t n = 0;

    for (size_t i = 0; i < LINES; i++)
        stamps[i] = 100 + (int)i;
    for (size_t i = 0; i < LARGE; i++) {
        large[i] = from(stamps, LINES);
        sources[i] = &large[i].source;
    }
    check_ok(lk_merge_init(&m, sources, LARGE, &options, &e), e);
    for (; lk_merge_next(&m, &out, &e) == LK_STEP_ITEM; n++)
        check(m.held <= 64 && m.open <= 2, "%zu held, %zu at once", m.held, m.open);
    assert_int_equal(n, LARGE * LINES);
    check(m.late > 0, "none is late");
    assert_int_equal(m.kept_waiting, 2);
    lk_merge_release(&m);
}

/* A long source and very many short ones: what is looked at each time are those that are read. */
TEST(merge_of_very_many_sources_forgets_those_that_ended)
{
    enum { MANY = 3000 };
    static int first[2] = { 1, 1 }, all[MANY];
    static listed many[MANY + 1];
    static lk_source *sources[MANY + 1];
    lk_merge m;
    lk_attempt out;
    size_t n = 0;

    for (int i = 0; i < MANY; i++)
        all[i] = 1 + 100 * i;
    many[0] = from(all, MANY);
    sources[0] = &many[0].source;
    for (size_t i = 1; i <= MANY; i++) {
        many[i] = from(first, 2);
        many[i].source.first_ns = (int64_t)all[i - 1] * LK_NS_PER_S;
        sources[i] = &many[i].source;
    }
    check_ok(lk_merge_init(&m, sources, MANY + 1, &OPTIONS, &e), e);
    for (; lk_merge_next(&m, &out, &e) == LK_STEP_ITEM; n++)
        check(m.open <= 4 && m.reader_cap <= 8, "%zu are read", m.open);
    assert_int_equal(n, MANY + 2 * MANY);
    lk_merge_release(&m);
}

TESTS(T(merge_of_many_small_sources_reads_few_at_once),
      T(merge_of_large_sources_without_room_counts_what_comes_late),
      T(merge_of_very_many_sources_forgets_those_that_ended), T(merge_orders_two_overlapping_sources), T(merge_sorts_long_requests_by_their_start),
      T(merge_waits_for_sources_without_an_instant),
      T(merge_opens_a_later_source_only_when_it_is_reached),
      T(merge_counts_what_comes_after_the_window), T(merge_never_holds_more_than_its_bound),
      T(merge_sorts_thousands_that_it_holds), T(merge_goes_on_when_a_source_fails), T(merge_of_nothing_ends))
