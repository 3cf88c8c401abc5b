#include "unit.h"

#include "order/ahead.h"

/* Attempts 0, 1, 2 ... by their stamp, then an end or a failure. */
typedef struct counting {
    lk_source source;
    int64_t count, at;
    bool fails, is_closed;
} counting;

static lk_step next(lk_source *self, lk_attempt *out, lk_err *e)
{
    counting *c = (counting *)self;

    if (c->at == c->count && c->fails)
        (void)lk_fail(e, LK_ETRUNC, "cut at %d", (int)c->at);
    if (c->at == c->count)
        return c->fails ? LK_STEP_FAIL : LK_STEP_END;
    *out = (lk_attempt){ .stamp_ns = c->at++ };
    return LK_STEP_ITEM;
}

static void close_counting(lk_source *self)
{
    ((counting *)self)->is_closed = true;
}

static counting count_to(int64_t count, bool fails)
{
    return (counting){ .source = { 7, next, close_counting }, .count = count, .fails = fails };
}

static const int64_t COUNTS[] = { 0, 1, 511, 512, 513, 2047, 2048, 2049, 100000 };

TEST(ahead_gives_what_the_source_gives)
{
    for (size_t i = 0; i < ROWS(COUNTS); i++)
        for (int fails = 0; fails < 2; fails++) {
            counting inner = count_to(COUNTS[i], fails);
            lk_arena arena;
            lk_source *s = NULL;
            lk_attempt a;
            lk_err e = { 0 };
            int64_t seen = 0;
            lk_step got;

            lk_arena_init(&arena, 0);
            check_ok(lk_ahead_open(&inner.source, &arena, &s, &e), e);
            assert_int_equal(s->first_ns, 7);
            while ((got = s->next(s, &a, &e)) == LK_STEP_ITEM)
                assert_int_equal(a.stamp_ns, seen++);
            assert_int_equal(seen, COUNTS[i]);
            assert_int_equal(got, fails ? LK_STEP_FAIL : LK_STEP_END);
            assert_int_equal(e.code, fails ? LK_ETRUNC : LK_OK);
            s->close(s);
            s->close(s);
            assert_true(inner.is_closed);
            lk_arena_release(&arena);
        }
}

TEST(ahead_may_be_left_at_any_time)
{
    for (int64_t taken = 0; taken < 5000; taken += 311) {
        counting inner = count_to(INT64_MAX, false);
        lk_arena arena;
        lk_source *s = NULL;
        lk_attempt a;
        lk_err e = { 0 };

        lk_arena_init(&arena, 0);
        check_ok(lk_ahead_open(&inner.source, &arena, &s, &e), e);
        for (int64_t i = 0; i < taken; i++)
            assert_int_equal(s->next(s, &a, &e), LK_STEP_ITEM);
        s->close(s);
        assert_true(inner.is_closed);
        lk_arena_release(&arena);
    }
}

TESTS(T(ahead_gives_what_the_source_gives), T(ahead_may_be_left_at_any_time))
