#include "unit.h"

#include "base/lru.h"
#include "base/random.h"
#include "base/recent.h"

typedef struct item {
    uint64_t key;
    uint64_t value;
} item;

static lk_err e;

static void init(lk_recent *t, size_t max)
{
    check_ok(lk_recent_init(t, sizeof(item), max, 77, &e), e);
}

static item *add(lk_recent *t, uint64_t key, uint64_t value)
{
    void *entry = NULL;
    item *it;

    check_ok(lk_recent_add(t, key, &entry, &e), e);
    it = entry;
    assert_int_equal(it->key, 0);
    assert_int_equal(it->value, 0);
    *it = (item){ key, value };
    return it;
}

/* Keys in order of visit, as one number. */
typedef struct visited {
    uint64_t order;
    size_t count;
} visited;

static void note(void *ctx, uint64_t key, void *entry)
{
    visited *v = ctx;

    check(((item *)entry)->key == key, "key %u", (unsigned)key);
    v->order = v->order * 1000003 + key;
    v->count++;
}

static void check_order(const lk_recent *t, const uint64_t *want, size_t count)
{
    visited v = { 0 }, w = { 0 };

    lk_recent_each(t, note, &v);
    for (size_t i = 0; i < count; i++) {
        item it = { want[i], 0 };

        note(&w, want[i], &it);
    }
    assert_int_equal(v.count, count);
    assert_int_equal(t->count, count);
    assert_true(v.order == w.order);
}

TEST(recent_starts_empty)
{
    lk_recent t;

    init(&t, 3);
    assert_null(lk_recent_find(&t, 0));
    assert_null(lk_recent_oldest(&t));
    assert_false(lk_recent_is_full(&t));
    check_order(&t, NULL, 0);
    lk_recent_foresee(&t, 5);
    lk_recent_foresee_entry(&t, 5);
    lk_recent_release(&t);
}

TEST(recent_keeps_the_order_of_last_use)
{
    lk_recent t;

    init(&t, 4);
    for (uint64_t key = 0; key < 3; key++) /* 0 is a key like any other */
        add(&t, key, 10 * key);
    check_order(&t, (uint64_t[]){ 0, 1, 2 }, 3);
    assert_int_equal(((item *)lk_recent_find(&t, 1))->value, 10);
    check_order(&t, (uint64_t[]){ 0, 2, 1 }, 3);
    assert_non_null(lk_recent_find(&t, 1)); /* the newest stays where it is */
    check_order(&t, (uint64_t[]){ 0, 2, 1 }, 3);
    assert_non_null(lk_recent_find(&t, 0));
    assert_int_equal(((item *)lk_recent_oldest(&t))->key, 2);
    check_order(&t, (uint64_t[]){ 2, 1, 0 }, 3); /* looking at the oldest does not use it */
    lk_recent_drop_oldest(&t);
    assert_null(lk_recent_find(&t, 2));
    check_order(&t, (uint64_t[]){ 1, 0 }, 2);
    add(&t, 2, 7); /* it comes back zeroed */
    check_order(&t, (uint64_t[]){ 1, 0, 2 }, 3);
    lk_recent_release(&t);
}

TEST(recent_of_one_entry)
{
    lk_recent t;

    init(&t, 1);
    for (uint64_t key = 0; key < 1000; key++) {
        if (lk_recent_is_full(&t)) {
            assert_int_equal(((item *)lk_recent_oldest(&t))->key, key - 1);
            lk_recent_drop_oldest(&t);
        }
        add(&t, key, key);
        check_order(&t, &key, 1);
    }
    lk_recent_release(&t);
}

TEST(recent_grows_and_keeps_everything)
{
    enum { COUNT = 20000, AGAIN = 10 };
    lk_recent t;

    init(&t, COUNT);
    for (uint64_t i = 0; i < COUNT; i++)
        add(&t, i << 40, i);
    assert_true(lk_recent_is_full(&t));
    for (int round = 0; round < AGAIN; round++) /* holes alone wear the ring out again and again */
        for (uint64_t i = 0; i < COUNT; i++) {
            const item *it = lk_recent_find(&t, i << 40);

            check(it && it->value == i, "key %u", (unsigned)i);
        }
    assert_int_equal(((item *)lk_recent_oldest(&t))->value, 0);
    lk_recent_release(&t);
}

/* base/lru is the oracle: whatever comes, both give the same, in the same order. */
static void step(lk_recent *t, lk_lru *o, uint64_t key)
{
    item *got = lk_recent_find(t, key), *want = lk_lru_find(o, key);
    void *entry;

    check((got != NULL) == (want != NULL), "key %u", (unsigned)key);
    if (got) {
        check(got->key == key && got->value == want->value, "key %u", (unsigned)key);
        got->value = ++want->value;
        return;
    }
    if (lk_lru_is_full(o)) {
        check(lk_recent_is_full(t), "full");
        check(((item *)lk_recent_oldest(t))->key == ((item *)lk_lru_oldest(o))->key, "oldest");
        lk_recent_drop_oldest(t);
        lk_lru_drop(o, lk_lru_oldest(o));
    }
    (void)add(t, key, 1);
    check_ok(lk_lru_add(o, key, &entry, &e), e);
    *(item *)entry = (item){ key, 1 };
}

static void compare(const lk_recent *t, const lk_lru *o)
{
    visited got = { 0 }, want = { 0 };

    lk_recent_each(t, note, &got);
    lk_lru_each(o, note, &want);
    assert_int_equal(got.count, want.count);
    assert_true(got.order == want.order);
}

/* Of so many keys, as often found as new, seldom found, seldom new. */
TEST(recent_agrees_with_a_list_whatever_comes)
{
    static const struct {
        size_t max;
        uint64_t keys;
    } ROWS_OF[] = { { 1, 2 }, { 7, 9 }, { 40, 60 }, { 40, 4000 }, { 1500, 1400 }, { 3000, 4000 }, { 3000, 1 << 20 } };
    enum { STEPS = 40000, LOOKS = 4 };

    for (size_t row = 0; row < ROWS(ROWS_OF); row++) {
        lk_random r;
        lk_recent t;
        lk_lru o;

        lk_random_init(&r, row + 1);
        init(&t, ROWS_OF[row].max);
        check_ok(lk_lru_init(&o, sizeof(item), ROWS_OF[row].max, 5, &e), e);
        for (int i = 0; i < STEPS; i++) {
            step(&t, &o, lk_random_u64(&r) % ROWS_OF[row].keys);
            if (i % (STEPS / LOOKS) == 0)
                compare(&t, &o);
        }
        compare(&t, &o);
        lk_recent_release(&t);
        lk_lru_release(&o);
    }
}

TEST(recent_lays_out_anew_before_its_places_end)
{
    lk_recent t;

    init(&t, 3);
    for (uint64_t key = 1; key <= 3; key++)
        add(&t, key, key);
    lk_recent_drop_oldest(&t);
    t.head += UINT32_MAX - 10 - t.tail; /* as if that many had passed */
    t.tail = UINT32_MAX - 10;
    assert_null(lk_recent_find(&t, 3)); /* no slot names these places */
    for (uint64_t key = 10; key < 60; key++) {
        if (lk_recent_is_full(&t)) {
            assert_non_null(lk_recent_oldest(&t));
            lk_recent_drop_oldest(&t);
        }
        add(&t, key, key);
        assert_int_equal(((item *)lk_recent_find(&t, key))->value, key);
    }
    assert_true(t.tail < 100);
    check_order(&t, (uint64_t[]){ 57, 58, 59 }, 3);
    lk_recent_release(&t);
}

TEST(recent_says_when_memory_ends)
{
    lk_err err = { 0 };
    lk_recent t;
    void *entry = NULL;

    assert_int_equal(lk_recent_init(&t, SIZE_MAX / 4, 4, 0, &err), LK_EOOM);
    assert_true(err.msg[0] != '\0');
    err = (lk_err){ 0 };
    init(&t, 4096);
    while (4 * (t.count + 1) <= 3 * t.cap)
        add(&t, t.count, t.count);
    t.stride = SIZE_MAX / 16; /* the next growth cannot be had */
    assert_int_equal(lk_recent_add(&t, 5000, &entry, &err), LK_EOOM);
    assert_null(entry);
    t.stride = (16 + sizeof(item) + 7) & ~(size_t)7;
    assert_null(lk_recent_find(&t, 5000));
    assert_int_equal(((item *)lk_recent_find(&t, 700))->value, 700);
    add(&t, 5000, 5);
    lk_recent_release(&t);
}

TESTS(T(recent_starts_empty), T(recent_keeps_the_order_of_last_use), T(recent_of_one_entry),
      T(recent_grows_and_keeps_everything), T(recent_agrees_with_a_list_whatever_comes),
      T(recent_lays_out_anew_before_its_places_end), T(recent_says_when_memory_ends))
