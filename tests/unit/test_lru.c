#include "unit.h"

#include "base/lru.h"
#include "base/random.h"

typedef struct item {
    uint64_t key;
    uint32_t value;
} item;

static lk_err e;

static void init(lk_lru *t, size_t max)
{
    check_ok(lk_lru_init(t, sizeof(item), max, 77, &e), e);
}

static item *add(lk_lru *t, uint64_t key, uint32_t value)
{
    void *entry = NULL;
    item *it;

    check_ok(lk_lru_add(t, key, &entry, &e), e);
    it = entry;
    assert_int_equal(it->key, 0);
    assert_int_equal(it->value, 0);
    it->key = key;
    it->value = value;
    return it;
}

/* Keys in order of visit. */
typedef struct visited {
    uint64_t keys[64];
    size_t count;
} visited;

static void note(void *ctx, uint64_t key, void *entry)
{
    visited *v = ctx;

    assert_int_equal(((item *)entry)->key, key);
    v->keys[v->count++ % ROWS(v->keys)] = key;
}

static void check_order(const lk_lru *t, const char *want)
{
    visited v = { .count = 0 };
    char got[128] = "";
    size_t at = 0;

    lk_lru_each(t, note, &v);
    for (size_t i = 0; i < v.count; i++)
        at +=
            (size_t)snprintf(got + at, sizeof(got) - at, "%s%u", i ? " " : "", (unsigned)v.keys[i]);
    assert_string_equal(got, want);
    assert_int_equal(v.count, t->count);
}

TEST(lru_starts_empty)
{
    lk_lru t;

    init(&t, 3);
    assert_null(lk_lru_find(&t, 1));
    assert_null(lk_lru_oldest(&t));
    assert_false(lk_lru_is_full(&t));
    check_order(&t, "");
    lk_lru_release(&t);
}

TEST(lru_keeps_the_order_of_last_use)
{
    lk_lru t;

    init(&t, 4);
    add(&t, 1, 10);
    add(&t, 2, 20);
    add(&t, 3, 30);
    check_order(&t, "1 2 3");
    assert_int_equal(((item *)lk_lru_find(&t, 1))->value, 10);
    check_order(&t, "2 3 1");
    assert_non_null(lk_lru_find(&t, 3));
    check_order(&t, "2 1 3");
    assert_non_null(lk_lru_find(&t, 3));
    check_order(&t, "2 1 3");
    assert_null(lk_lru_find(&t, 9));
    check_order(&t, "2 1 3");
    assert_int_equal(lk_lru_key(&t, lk_lru_oldest(&t)), 2);
    check_order(&t, "2 1 3"); /* looking at the oldest does not use it */
    lk_lru_release(&t);
}

TEST(lru_drops_first_middle_and_last)
{
    lk_lru t;

    init(&t, 8);
    for (uint32_t key = 0; key < 5; key++)
        add(&t, key, key);
    lk_lru_drop(&t, lk_lru_oldest(&t));
    check_order(&t, "1 2 3 4");
    lk_lru_drop(&t, lk_lru_find(&t, 4));
    check_order(&t, "1 2 3");
    assert_non_null(lk_lru_find(&t, 3));
    assert_non_null(lk_lru_find(&t, 1));
    lk_lru_drop(&t, lk_lru_find(&t, 3));
    check_order(&t, "2 1");
    lk_lru_drop(&t, lk_lru_oldest(&t));
    lk_lru_drop(&t, lk_lru_oldest(&t));
    check_order(&t, "");
    assert_null(lk_lru_oldest(&t));
    add(&t, 4, 44); /* a dropped key is absent and its entry comes back zeroed */
    check_order(&t, "4");
    lk_lru_release(&t);
}

TEST(lru_is_full_at_its_bound)
{
    lk_lru t;

    init(&t, 3);
    for (uint32_t key = 1; key <= 100; key++) {
        if (lk_lru_is_full(&t))
            lk_lru_drop(&t, lk_lru_oldest(&t));
        add(&t, key, key);
        assert_true(t.count <= 3);
    }
    check_order(&t, "98 99 100");
    assert_int_equal(t.fresh, 3);
    lk_lru_release(&t);
}

TEST(lru_grows_and_keeps_everything)
{
    enum { COUNT = 20000 };
    lk_lru t;

    init(&t, COUNT);
    for (uint32_t i = 0; i < COUNT; i++)
        add(&t, (uint64_t)i << 40, i);
    assert_true(lk_lru_is_full(&t));
    for (uint32_t i = 0; i < COUNT; i++) {
        item *it = lk_lru_find(&t, (uint64_t)i << 40);

        check(it && it->value == i, "key %u", i);
        check(lk_lru_key(&t, it) == (uint64_t)i << 40, "key %u", i);
    }
    lk_lru_release(&t);
}

/* A plain array of keys, oldest first, is the oracle of some 200,000 random steps. */
typedef struct model {
    uint64_t keys[40];
    size_t count;
} model;

static size_t model_find(const model *m, uint64_t key)
{
    size_t i = 0;

    while (i < m->count && m->keys[i] != key)
        i++;
    return i;
}

static void model_drop(model *m, size_t i)
{
    m->count--;
    memmove(m->keys + i, m->keys + i + 1, (m->count - i) * sizeof(m->keys[0]));
}

static void step(lk_lru *t, model *m, uint64_t key, bool drop)
{
    size_t i = model_find(m, key);
    item *it = lk_lru_find(t, key);

    check((it != NULL) == (i < m->count), "key %u", (unsigned)key);
    if (!it && lk_lru_is_full(t)) {
        check(lk_lru_key(t, lk_lru_oldest(t)) == m->keys[0], "oldest");
        lk_lru_drop(t, lk_lru_oldest(t));
        model_drop(m, 0);
    }
    if (!it)
        it = add(t, key, (uint32_t)key);
    else
        model_drop(m, i);
    check(it->value == (uint32_t)key, "key %u", (unsigned)key);
    m->keys[m->count++] = key;
    if (drop) {
        lk_lru_drop(t, it);
        m->count--;
    }
}

TEST(lru_agrees_with_a_plain_list)
{
    lk_random r;
    lk_lru t;

    for (uint64_t seed = 1; seed <= 4; seed++) {
        model m = { .count = 0 };
        visited v = { .count = 0 };

        lk_random_init(&r, seed);
        check_ok(lk_lru_init(&t, sizeof(item), ROWS(m.keys), seed, &e), e);
        for (int i = 0; i < 50000; i++)
            step(&t, &m, 1 + lk_random_u64(&r) % 60, lk_random_u64(&r) % 4 == 0);
        lk_lru_each(&t, note, &v);
        assert_int_equal(v.count, m.count);
        assert_memory_equal(v.keys, m.keys, m.count * sizeof(m.keys[0]));
        lk_lru_release(&t);
    }
}

TEST(lru_says_when_memory_ends)
{
    lk_err err = { 0 };
    lk_lru t;

    assert_int_equal(lk_lru_init(&t, SIZE_MAX / 2, 4, 0, &err), LK_EOOM);
    assert_int_equal(err.code, LK_EOOM);
    assert_true(err.msg[0] != '\0');
}

TEST(lru_survives_a_failed_growth)
{
    lk_err err = { 0 };
    lk_lru t;
    void *entry = NULL;

    init(&t, 4096);
    for (uint32_t i = 0; i < 1024; i++)
        add(&t, i, i);
    t.entry_size = SIZE_MAX / 16; /* the next doubling cannot be had */
    assert_int_equal(lk_lru_add(&t, 5000, &entry, &err), LK_EOOM);
    assert_null(entry);
    t.entry_size = sizeof(item);
    assert_null(lk_lru_find(&t, 5000));
    assert_int_equal(((item *)lk_lru_find(&t, 1023))->value, 1023);
    add(&t, 5000, 5);
    assert_int_equal(t.count, 1025);
    lk_lru_release(&t);
}

TESTS(T(lru_starts_empty), T(lru_keeps_the_order_of_last_use), T(lru_drops_first_middle_and_last),
      T(lru_is_full_at_its_bound), T(lru_grows_and_keeps_everything),
      T(lru_agrees_with_a_plain_list), T(lru_says_when_memory_ends),
      T(lru_survives_a_failed_growth))
