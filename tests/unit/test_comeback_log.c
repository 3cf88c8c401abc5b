#include "unit.h"

#include "base/hash.h"
#include "base/random.h"
#include "measure/comeback_log.h"

static lk_comeback comeback_of(uint64_t i)
{
    lk_comeback c = { .caller = lk_hash_mix(i / 7), .call = lk_hash_mix(i / 3), .at_ns = (int64_t)i,
                      .pause_ns = (int64_t)(i * 1000), .previous_ns = -1, .asked_ns = -1,
                      .population = (uint32_t)(i % 2), .retry = (uint16_t)(i % 3) };

    return c;
}

enum { COMEBACKS = 40000 };

static void evidence_of(lk_comeback_log *log, lk_arena *a, lk_evidence *out)
{
    lk_err e = { 0 };

    check_ok(lk_comeback_log_evidence(log, a, out, &e), e);
}

static void same(const lk_evidence *a, const lk_evidence *b)
{
    assert_int_equal(a->comeback_count, b->comeback_count);
    for (size_t i = 0; i < a->comeback_count; i++) {
        const lk_comeback_set *x = &a->comebacks[i], *y = &b->comebacks[i];

        assert_int_equal(x->total, y->total);
        assert_int_equal(x->count, y->count);
        assert_memory_equal(x->by_retry, y->by_retry, sizeof(x->by_retry));
        for (size_t k = 0; k < x->count; k++)
            assert_int_equal(x->sample[k].at_ns, y->sample[k].at_ns);
    }
}

TEST(comeback_log_keeps_the_same_sample_in_any_order_and_in_pieces)
{
    lk_comeback_log forth, back, part[2];
    lk_evidence one = { 0 }, two = { 0 }, three = { 0 };
    lk_arena a;

    lk_arena_init(&a, 0);
    lk_comeback_log_init(&forth);
    lk_comeback_log_init(&back);
    lk_comeback_log_init(&part[0]);
    lk_comeback_log_init(&part[1]);
    for (uint64_t i = 0; i < COMEBACKS; i++) {
        lk_comeback x = comeback_of(i), y = comeback_of(COMEBACKS - 1 - i);

        lk_comeback_log_add(&forth, &x);
        lk_comeback_log_add(&back, &y);
        lk_comeback_log_add(&part[i * 5 % 2], &x);
    }
    lk_comeback_log_merge(&part[0], &part[1]);
    evidence_of(&forth, &a, &one);
    evidence_of(&back, &a, &two);
    evidence_of(&part[0], &a, &three);
    assert_int_equal(one.comeback_count, 2);
    assert_int_equal(one.comebacks[0].total, COMEBACKS / 2);
    assert_int_equal(one.comebacks[0].count, LK_COMEBACK_SAMPLE);
    same(&one, &two);
    same(&one, &three);
    lk_comeback_log_release(&forth);
    lk_comeback_log_release(&back);
    lk_comeback_log_release(&part[0]);
    lk_comeback_log_release(&part[1]);
    lk_arena_release(&a);
}

TEST(comeback_log_counts_what_finds_no_place)
{
    lk_comeback_log log;

    lk_comeback_log_init(&log);
    for (uint32_t i = 0; i < LK_COMEBACK_GROUPS + 10; i++) {
        lk_comeback c = comeback_of(i);

        c.population = i;
        lk_comeback_log_add(&log, &c);
    }
    assert_int_equal(log.folded, 10);
    assert_int_equal(log.count, LK_COMEBACK_GROUPS);
    lk_comeback_log_release(&log);
}

TESTS(T(comeback_log_keeps_the_same_sample_in_any_order_and_in_pieces),
      T(comeback_log_counts_what_finds_no_place))
