#include "unit.h"

#include "api/attempt_stream.h"
#include "base/buf.h"
#include "base/time.h"

static lk_err e;

/* What was printed. */
struct printed {
    lk_buf text;
    size_t limit; /* bytes after which the reader leaves; 0 = never */
};

static int take(void *ctx, const char *text, size_t len)
{
    struct printed *p = ctx;

    lk_buf_add(&p->text, text, len);
    return p->limit > 0 && p->text.len > p->limit;
}

struct world {
    lk_symbols symbols;
    lk_arena arena;
    lk_redact redact;
    lk_attempt_stream *stream;
    lk_linker *linker;
    struct printed printed;
};

static void open_world(struct world *w, size_t units_max, size_t held_max)
{
    lk_linker_options lo = LK_LINKER_OPTIONS_INIT;
    lk_attempt_stream_options so = { .format = "jsonl", .held_max = held_max, .write = take };
    uint32_t id;

    memset(w, 0, sizeof(*w));
    lk_arena_init(&w->arena, 0);
    lk_buf_init(&w->printed.text);
    check_ok(lk_redact_init(&w->redact, NULL, &w->arena, &e), e);
    check_ok(lk_symbols_init(&w->symbols, 1, &e), e);
    check_ok(lk_intern_id(&w->symbols.populations, LK_SLICE("herd/1.0"), &id, &e), e);
    so.symbols = &w->symbols;
    so.redact = &w->redact;
    so.ctx = &w->printed;
    check_ok(lk_attempt_stream_open(&so, &w->stream, &e), e);
    lo.units_max = units_max;
    lo.on_unit = lk_attempt_stream_unit;
    lo.ctx = w->stream;
    check_ok(lk_linker_open(&lo, &w->symbols, &w->linker, &e), e);
}

static void close_world(struct world *w)
{
    lk_linker_close(w->linker);
    lk_attempt_stream_close(w->stream);
    lk_symbols_release(&w->symbols);
    lk_buf_release(&w->printed.text);
    lk_arena_release(&w->arena);
}

/* An attempt of 10 ms; status 503 or 200. */
static void attempt(struct world *w, int64_t at_ms, uint64_t caller, uint64_t id, unsigned status)
{
    static const lk_slice TEXTS[LK_DETAILS] = { { "10.0.0.1", 8 }, { "", 0 }, { "GET", 3 } };
    lk_attempt a = {
        .stamp_ns = at_ms * LK_NS_PER_MS,
        .start_ns = at_ms * LK_NS_PER_MS,
        .end_ns = (at_ms + 10) * LK_NS_PER_MS,
        .caller = caller,
        .key = caller,
        .id = { id },
        .call_ids = id ? 1 : 0,
        .retry_after_ns = -1,
        .status = (uint16_t)status,
        .try_no = 1,
        .failed = status == 503,
        .rejected = status == 503,
        .fraction = true,
        .has_took = true,
    };

    check_ok(lk_details_add(lk_attempt_stream_details(w->stream), TEXTS, 1, &a.value, &e), e);
    check_ok(lk_linker_take(w->linker, &a, &e), e);
    check_ok(lk_attempt_stream_take(w->stream, w->linker, &a, &e), e);
}

static void finish(struct world *w, int64_t at_ms)
{
    check_ok(lk_linker_finish(w->linker, at_ms * LK_NS_PER_MS, &e), e);
    check_ok(lk_attempt_stream_finish(w->stream, w->linker, &e), e);
}

static size_t count(const struct world *w, const char *what)
{
    size_t n = 0;

    for (const char *at = w->printed.text.p; at && (at = strstr(at, what)) != NULL; at++)
        n++;
    return n;
}

/* `calls` calls of three attempts with an id, one begun each 100 ms, each retry 5 s later. */
static void run_calls(struct world *w, size_t calls)
{
    for (size_t i = 0; i < calls + 100; i++) {
        int64_t at_ms = (int64_t)i * 100;

        if (i < calls)
            attempt(w, at_ms, 1000 + i, 1 + i, 503);
        if (i >= 50 && i < calls + 50)
            attempt(w, at_ms + 1, 1000 + i - 50, 1 + i - 50, 503);
        if (i >= 100)
            attempt(w, at_ms + 2, 1000 + i - 100, 1 + i - 100, 200);
    }
    finish(w, (int64_t)(calls + 100) * 100 + 3600000);
}

TEST(attempt_stream_prints_calls_in_order)
{
    struct world w;

    open_world(&w, 131072, 262144);
    run_calls(&w, 200);
    assert_int_equal(count(&w, "\n"), 600);
    assert_int_equal(count(&w, "\"attempt\":1,\"layer\":null,\"comeback_s\":null,\"outcome\":\"recovered\""), 200);
    assert_int_equal(count(&w, "\"attempt\":2,\"layer\":\"sdk\",\"comeback_s\":4.991,"), 200);
    assert_int_equal(count(&w, "\"attempt\":3,\"layer\":\"sdk\""), 200);
    assert_int_equal(lk_attempt_stream_undecided(w.stream), 0);
    close_world(&w);
}

/* Successes go on before those that wait, and each is printed once. */
TEST(attempt_stream_lets_the_decided_go_first)
{
    struct world w;
    const char *first;

    open_world(&w, 131072, 64);
    attempt(&w, 0, 1, 0, 503);
    for (int i = 1; i < 1000; i++)
        attempt(&w, i * 100, 1000 + (uint64_t)i, 0, 200);
    finish(&w, 3600000);
    assert_int_equal(count(&w, "\n"), 1000);
    assert_int_equal(count(&w, "\"call\":null"), 0);
    first = strstr(w.printed.text.p, "\"status\":503");
    assert_non_null(first);
    assert_true(first > strstr(w.printed.text.p, "00:00:05.000Z"));
    close_world(&w);
}

/* More wait than there is room for: the oldest are printed without a call, and counted. */
TEST(attempt_stream_counts_what_it_could_not_decide)
{
    struct world w;

    open_world(&w, 131072, 64);
    run_calls(&w, 200);
    assert_int_equal(count(&w, "\n"), 600);
    assert_true(lk_attempt_stream_undecided(w.stream) > 100);
    assert_int_equal(count(&w, "\"call\":null"), lk_attempt_stream_undecided(w.stream));
    close_world(&w);
}

/* A store of units that fills again and again decides most of them in time. */
TEST(attempt_stream_takes_decisions_as_they_come)
{
    struct world w;

    open_world(&w, 256, 4096);
    for (int i = 0; i < 20000; i++)
        attempt(&w, i * 1000, 1000 + (uint64_t)i % 50, 0, i % 3 ? 200 : 503);
    finish(&w, 20000 * 1000 + 3600000);
    assert_int_equal(count(&w, "\n"), 20000);
    assert_int_equal(count(&w, "\"rejected\":true"), 6667);
    assert_int_equal(lk_attempt_stream_undecided(w.stream), 0);
    close_world(&w);
}

TEST(attempt_stream_stops_when_its_reader_leaves)
{
    struct world w;

    open_world(&w, 131072, 64);
    w.printed.limit = 1;
    for (int i = 0; i < 5000 && !lk_attempt_stream_is_over(w.stream); i++)
        attempt(&w, i * 100, (uint64_t)i, 0, 200);
    assert_true(lk_attempt_stream_is_over(w.stream));
    close_world(&w);
}

TEST(attempt_stream_knows_its_formats_and_wants_a_key)
{
    lk_attempt_stream_options o = { .format = "xml" };
    lk_attempt_stream *s;
    lk_redact redact;
    lk_arena arena;

    lk_arena_init(&arena, 0);
    check_ok(lk_redact_init(&redact, "all", &arena, &e), e);
    o.redact = &redact;
    assert_int_equal(lk_attempt_stream_open(&o, &s, &e), LK_EUSAGE);
    o.format = "csv";
    assert_int_equal(lk_attempt_stream_open(&o, &s, &e), LK_EUSAGE);
    assert_non_null(strstr(e.msg, "--redact-key"));
    lk_arena_release(&arena);
}

TESTS(T(attempt_stream_prints_calls_in_order), T(attempt_stream_lets_the_decided_go_first),
      T(attempt_stream_counts_what_it_could_not_decide),
      T(attempt_stream_takes_decisions_as_they_come), T(attempt_stream_stops_when_its_reader_leaves),
      T(attempt_stream_knows_its_formats_and_wants_a_key))
