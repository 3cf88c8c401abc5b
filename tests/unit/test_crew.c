/* Threads that read sources ahead: whatever their number, each lane gives what its source gives. */
#include "unit.h"

#include "order/crew.h"

#include <stdio.h>

enum { SOURCES_MAX = 12 };

/* Attempts by their stamp, then an end or a failure. */
typedef struct counting {
    lk_source source;
    int64_t count, at;
    bool fails;
    size_t lane;
    int64_t taken;
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

static counting count_to(int64_t count, bool fails)
{
    return (counting){ .source = { .next = next }, .count = count, .fails = fails, .lane = LK_CREW_NO_LANE };
}

static lk_crew *open_crew(size_t threads, size_t lanes, size_t slots, size_t batch)
{
    const lk_crew_options o = { .threads = threads, .lanes = lanes, .slots = slots, .batch = batch };
    lk_crew *c = NULL;
    lk_err e = { 0 };

    check_ok(lk_crew_open(&o, &c, &e), e);
    return c;
}

static void take_on(lk_crew *c, counting *s)
{
    s->lane = lk_crew_find_lane(c);
    if (s->lane != LK_CREW_NO_LANE)
        lk_crew_take_on(c, s->lane, &s->source);
}

/* false: it is at its end, twice. */
static bool take_one(lk_crew *c, counting *s)
{
    lk_attempt a = { .stamp_ns = -1 };
    lk_err e = { 0 };
    lk_step got = lk_crew_next(c, s->lane, &a, &e);

    if (got == LK_STEP_ITEM) {
        assert_int_equal(a.stamp_ns, s->taken++);
        return true;
    }
    assert_int_equal(s->taken, s->count);
    assert_int_equal(got, s->fails ? LK_STEP_FAIL : LK_STEP_END);
    assert_int_equal(e.code, s->fails ? LK_ETRUNC : LK_OK);
    assert_int_equal(lk_crew_next(c, s->lane, &a, &e), got);
    return false;
}

static const struct {
    size_t threads, lanes, slots, batch;
} CREWS[] = {
    { 0, 1, 1, 1 }, { 1, 1, 1, 1 }, { 1, 3, 2, 1 }, { 2, 4, 2, 3 }, { 3, 8, 4, 16 }, { 7, 4, 3, 5 }, { 16, 2, 1, 64 },
};

/* Several at a time, in turns of different lengths; a lane that is free goes to the next source. */
static void take_all(size_t row, counting *s, size_t count)
{
    lk_crew *c = open_crew(CREWS[row].threads, CREWS[row].lanes, CREWS[row].slots, CREWS[row].batch);
    size_t ended = 0, begun = 0;

    while (ended < count) {
        for (; begun < count; begun++) {
            take_on(c, &s[begun]);
            if (s[begun].lane == LK_CREW_NO_LANE)
                break;
        }
        for (size_t i = 0; i < begun; i++)
            for (size_t k = 0; k <= 7 * i && s[i].lane != LK_CREW_NO_LANE; k++)
                if (!take_one(c, &s[i])) {
                    lk_crew_let_go(c, s[i].lane);
                    s[i].lane = LK_CREW_NO_LANE;
                    ended++;
                }
    }
    lk_crew_close(c);
}

TEST(crew_gives_what_the_sources_give)
{
    for (size_t row = 0; row < ROWS(CREWS); row++) {
        counting s[SOURCES_MAX];

        for (size_t i = 0; i < SOURCES_MAX; i++)
            s[i] = count_to((int64_t)(i * i * 17 % 800), i % 3 == 1);
        take_all(row, s, SOURCES_MAX);
    }
}

TEST(crew_may_be_left_at_any_time)
{
    for (size_t row = 0; row < ROWS(CREWS); row++)
        for (size_t taken = 0; taken < 90; taken += 11) {
            lk_crew *c = open_crew(CREWS[row].threads, CREWS[row].lanes, CREWS[row].slots, CREWS[row].batch);
            counting first = count_to(INT64_MAX, false), other = first;

            take_on(c, &first);
            take_on(c, &other); /* nobody takes from it */
            for (size_t i = 0; i < taken; i++)
                assert_true(take_one(c, &first));
            if (other.lane != LK_CREW_NO_LANE)
                lk_crew_let_go(c, other.lane);
            lk_crew_let_go(c, first.lane);
            lk_crew_close(c);
        }
    lk_crew_close(NULL);
}

/* ---- what travels beside ---- */

static lk_code pack(void *ctx, size_t lane, lk_attempt *a, lk_buf *side, lk_err *e)
{
    (void)ctx;
    (void)e;
    a->target = (uint32_t)side->len;
    lk_buf_printf(side, "%zu of lane %zu", (size_t)a->stamp_ns, lane);
    lk_buf_add(side, "", 1);
    return LK_OK;
}

static lk_code unpack(void *ctx, size_t lane, lk_attempt *a, lk_slice side, lk_err *e)
{
    char want[64];

    (void)snprintf(want, sizeof(want), "%zu of lane %zu", (size_t)a->stamp_ns, lane);
    assert_true(a->target + strlen(want) < side.len);
    assert_string_equal(side.p + a->target, want);
    ++*(size_t *)ctx;
    return a->stamp_ns == 3000 ? lk_fail(e, LK_EOOM, "no memory for 3000") : LK_OK;
}

TEST(crew_carries_what_is_packed)
{
    for (size_t threads = 0; threads < 3; threads++) {
        size_t unpacked = 0;
        const lk_crew_options o = { threads, 2, 2, 10000, pack, unpack, &unpacked };
        counting s = count_to(4000, false);
        lk_crew *c = NULL;
        lk_attempt a;
        lk_err e = { 0 };

        check_ok(lk_crew_open(&o, &c, &e), e);
        take_on(c, &s);
        while (lk_crew_next(c, s.lane, &a, &e) == LK_STEP_ITEM)
            continue;
        assert_int_equal(e.code, LK_EOOM);
        assert_int_equal(unpacked, 3001);
        lk_crew_let_go(c, s.lane);
        lk_crew_close(c);
    }
}

static lk_code refuse(void *ctx, size_t lane, lk_attempt *a, lk_buf *side, lk_err *e)
{
    (void)ctx;
    (void)lane;
    (void)side;
    return a->stamp_ns == 5 ? lk_fail(e, LK_EOOM, "no memory for 5") : LK_OK;
}

static lk_code leave(void *ctx, size_t lane, lk_attempt *a, lk_slice side, lk_err *e)
{
    (void)ctx;
    (void)lane;
    (void)a;
    (void)side;
    (void)e;
    return LK_OK;
}

TEST(crew_fails_where_packing_fails)
{
    const lk_crew_options o = { 1, 1, 2, 4, refuse, leave, NULL };
    counting s = count_to(100, false);
    lk_crew *c = NULL;
    lk_attempt a;
    lk_err e = { 0 };
    size_t seen = 0;

    check_ok(lk_crew_open(&o, &c, &e), e);
    take_on(c, &s);
    while (lk_crew_next(c, s.lane, &a, &e) == LK_STEP_ITEM)
        seen++;
    assert_int_equal(seen, 5);
    assert_string_equal(e.msg, "no memory for 5");
    lk_crew_let_go(c, s.lane);
    lk_crew_close(c);
}

TESTS(T(crew_gives_what_the_sources_give), T(crew_may_be_left_at_any_time), T(crew_carries_what_is_packed),
      T(crew_fails_where_packing_fails))
