#include "unit.h"

#include "base/arena.h"

#include <stdalign.h>

static bool is_zero(const unsigned char *p, size_t len)
{
    for (size_t i = 0; i < len; i++)
        if (p[i] != 0)
            return false;
    return true;
}

TEST(arena_gives_zeroed_aligned_separate_memory)
{
    static const size_t SIZES[] = { 1, 7, 16, 17, 1000, 65536, 65537, 200000, 3 };
    unsigned char *got[ROWS(SIZES)];
    lk_arena a;

    lk_arena_init(&a, 0);
    for (size_t i = 0; i < ROWS(SIZES); i++) {
        got[i] = lk_alloc(&a, 1, SIZES[i]);
        check(got[i] != NULL, "row %zu", i);
        check((uintptr_t)got[i] % alignof(max_align_t) == 0, "row %zu", i);
        check(is_zero(got[i], SIZES[i]), "row %zu", i);
        memset(got[i], (int)i + 1, SIZES[i]);
    }
    for (size_t i = 0; i < ROWS(SIZES); i++)
        check(got[i][0] == i + 1 && got[i][SIZES[i] - 1] == i + 1, "row %zu was overwritten", i);
    lk_arena_release(&a);
}

TEST(arena_gives_null_on_overflow)
{
    static const struct {
        size_t count, size;
    } CASES[] = {
        { SIZE_MAX, 1 },        { 1, SIZE_MAX },         { SIZE_MAX / 2 + 1, 2 },
        { SIZE_MAX, SIZE_MAX }, { SIZE_MAX / 8 + 1, 8 }, { SIZE_MAX - 15, 1 },
    };
    lk_arena a;

    lk_arena_init(&a, 0);
    for (size_t i = 0; i < ROWS(CASES); i++)
        check(lk_alloc(&a, CASES[i].count, CASES[i].size) == NULL, "row %zu", i);
    assert_int_equal(a.used, 0);
    lk_arena_release(&a);
}

TEST(arena_gives_null_past_its_limit_and_goes_on_below)
{
    lk_arena a;

    lk_arena_init(&a, 1024);
    assert_non_null(lk_alloc(&a, 1, 512));
    assert_null(lk_alloc(&a, 1, 513));
    assert_non_null(lk_alloc(&a, 1, 512));
    assert_null(lk_alloc(&a, 1, 1));
    assert_int_equal(a.used, 1024);
    lk_arena_release(&a);
}

TEST(arena_empty_allocation_is_not_null)
{
    lk_arena a;

    lk_arena_init(&a, 0);
    assert_non_null(LK_NEW(&a, uint64_t, 0));
    assert_non_null(lk_alloc(&a, 3, 0));
    lk_arena_release(&a);
}

TEST(arena_rewinds_to_a_mark)
{
    lk_arena a;
    lk_mark empty, middle;
    unsigned char *kept, *again;

    lk_arena_init(&a, 0);
    empty = lk_arena_mark(&a);
    kept = lk_alloc(&a, 1, 100);
    memset(kept, 0xab, 100);
    middle = lk_arena_mark(&a);
    memset(lk_alloc(&a, 1, 1000), 0xff, 1000);
    memset(lk_alloc(&a, 1, 100000), 0xff, 100000);

    lk_arena_rewind(&a, middle);
    assert_int_equal(a.used, middle.used);
    assert_int_equal(kept[99], 0xab);
    again = lk_alloc(&a, 1, 2000);
    assert_true(is_zero(again, 2000)); /* although it was written before */

    lk_arena_rewind(&a, empty);
    assert_int_equal(a.used, 0);
    assert_non_null(lk_alloc(&a, 1, 10));
    lk_arena_release(&a);
    assert_null(a.top);
}

TEST(arena_used_is_bounded_by_rewinding)
{
    lk_arena a;

    lk_arena_init(&a, 100000);
    for (int window = 0; window < 1000; window++) {
        lk_mark m = lk_arena_mark(&a);

        assert_non_null(lk_alloc(&a, 1, 90000));
        lk_arena_rewind(&a, m);
    }
    lk_arena_release(&a);
}

TEST(arena_reserves_what_it_then_hands_out)
{
    lk_arena a;
    lk_mark m;

    lk_arena_init(&a, 300000);
    assert_true(lk_arena_reserve(&a, 200000));
    assert_true(lk_arena_reserve(&a, 0));
    assert_int_equal(a.used, 0);
    m = lk_arena_mark(&a);
    for (int round = 0; round < 3; round++) {
        unsigned char *p = LK_NEW(&a, unsigned char, 150000);

        assert_non_null(p);
        for (size_t i = 0; i < 150000; i += 997)
            assert_int_equal(p[i], 0);
        memset(p, 1, 150000);
        lk_arena_rewind(&a, m);
    }
    assert_null(LK_NEW(&a, char, 300001)); /* the limit is as before */
    assert_false(lk_arena_reserve(&a, SIZE_MAX));
    lk_arena_release(&a);
}

TEST(arena_copies_text)
{
    lk_arena a;
    char *text;

    lk_arena_init(&a, 4096);
    assert_string_equal(lk_arena_text(&a, (lk_slice){ "abcdef", 3 }), "abc");
    assert_string_equal(lk_arena_text(&a, LK_SLICE_NONE), "");
    text = lk_arena_printf(&a, "%s has %d", "x", 12);
    assert_string_equal(text, "x has 12");
    assert_string_equal(lk_arena_printf(&a, "%s", ""), "");
    assert_null(lk_arena_printf(&a, "%*d", 5000, 1));
    assert_null(lk_arena_text(&a, (lk_slice){ "x", SIZE_MAX }));
    lk_arena_release(&a);
}

TESTS(T(arena_gives_zeroed_aligned_separate_memory), T(arena_gives_null_on_overflow),
      T(arena_gives_null_past_its_limit_and_goes_on_below), T(arena_empty_allocation_is_not_null),
      T(arena_rewinds_to_a_mark), T(arena_used_is_bounded_by_rewinding), T(arena_reserves_what_it_then_hands_out),
      T(arena_copies_text))
