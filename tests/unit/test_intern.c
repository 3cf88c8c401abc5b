#include "unit.h"

#include "base/hash.h"
#include "base/intern.h"

#include <stdlib.h>

#include <stdalign.h>

static lk_err e;

static uint32_t id_of(lk_intern *t, const char *text)
{
    uint32_t id = UINT32_MAX;

    check_ok(lk_intern_id(t, lk_slice_from(text), &id, &e), e);
    return id;
}

TEST(intern_numbers_first_come_first)
{
    static const struct {
        const char *text;
        uint32_t want;
    } CASES[] = {
        { "GET", 0 }, { "POST", 1 }, { "GET", 0 },  { "", 2 },
        { "get", 3 }, { "", 2 },     { "POST", 1 },
    };
    lk_intern t;

    check_ok(lk_intern_init(&t, 100, 1, &e), e);
    for (size_t i = 0; i < ROWS(CASES); i++) {
        check(id_of(&t, CASES[i].text) == CASES[i].want, "row %zu", i);
        check(lk_slice_is(lk_intern_text(&t, CASES[i].want), CASES[i].text), "row %zu", i);
    }
    assert_int_equal(t.count, 4);
    assert_int_equal(t.folded, 0);
    lk_intern_release(&t);
}

TEST(intern_absent_and_empty_are_one)
{
    uint32_t a, b;
    lk_intern t;

    check_ok(lk_intern_init(&t, 4, 1, &e), e);
    check_ok(lk_intern_id(&t, LK_SLICE_NONE, &a, &e), e);
    check_ok(lk_intern_id(&t, LK_SLICE(""), &b, &e), e);
    assert_int_equal(a, b);
    lk_intern_release(&t);
}

TEST(intern_keeps_its_own_copy)
{
    char text[] = "abc";
    lk_intern t;

    check_ok(lk_intern_init(&t, 4, 1, &e), e);
    assert_int_equal(id_of(&t, text), 0);
    text[0] = 'x';
    assert_true(lk_slice_is(lk_intern_text(&t, 0), "abc"));
    assert_int_equal(id_of(&t, text), 1);
    lk_intern_release(&t);
}

TEST(intern_grows_and_keeps_everything)
{
    enum { COUNT = 20000 };
    char text[32];
    lk_intern t;

    check_ok(lk_intern_init(&t, COUNT, 99, &e), e);
    for (int pass = 0; pass < 2; pass++)
        for (uint32_t i = 0; i < COUNT; i++) {
            (void)snprintf(text, sizeof(text), "10.%u.%u", i / 256, i);
            check(id_of(&t, text) == i, "'%s'", text);
            check(lk_slice_is(lk_intern_text(&t, i), text), "'%s'", text);
        }
    assert_int_equal(t.count, COUNT);
    lk_intern_release(&t);
}

TEST(intern_folds_past_its_bound)
{
    lk_intern t;

    check_ok(lk_intern_init(&t, 2, 1, &e), e);
    assert_int_equal(id_of(&t, "a"), 0);
    assert_int_equal(id_of(&t, "b"), 1);
    assert_int_equal(id_of(&t, "c"), 2);
    assert_int_equal(id_of(&t, "d"), 2);
    assert_int_equal(id_of(&t, "a"), 0);
    assert_int_equal(t.folded, 2);
    assert_int_equal(t.count, 2);
    assert_true(lk_slice_is(lk_intern_text(&t, 2), "other"));
    lk_intern_release(&t);
}

TEST(intern_bound_of_zero_folds_everything)
{
    lk_intern t;

    check_ok(lk_intern_init(&t, 0, 1, &e), e);
    assert_int_equal(id_of(&t, "a"), 0);
    assert_true(lk_slice_is(lk_intern_text(&t, 0), "other"));
    assert_int_equal(t.folded, 1);
    lk_intern_release(&t);
}

TEST(intern_cuts_strings_at_512_bytes)
{
    char text[600];
    uint32_t a, b, c;
    lk_intern t;

    memset(text, 'x', sizeof(text));
    check_ok(lk_intern_init(&t, 10, 1, &e), e);
    check_ok(lk_intern_id(&t, (lk_slice){ text, 600 }, &a, &e), e);
    check_ok(lk_intern_id(&t, (lk_slice){ text, 512 }, &b, &e), e);
    check_ok(lk_intern_id(&t, (lk_slice){ text, 511 }, &c, &e), e);
    assert_int_equal(a, b);
    assert_int_not_equal(a, c);
    assert_int_equal(lk_intern_text(&t, a).len, 512);
    lk_intern_release(&t);
}

TEST(intern_ids_do_not_depend_on_the_seed)
{
    char text[32];

    for (uint64_t seed = 0; seed < 3; seed++) {
        lk_intern t;

        check_ok(lk_intern_init(&t, 1000, seed, &e), e);
        for (uint32_t i = 0; i < 500; i++) {
            (void)snprintf(text, sizeof(text), "%u", i * i);
            check(id_of(&t, text) == i, "seed %u", (unsigned)seed);
        }
        lk_intern_release(&t);
    }
}

/* Strings of all lengths, also past the bounds of their length and their number, once with the table of those seen
 * lately and once without it. */
TEST(intern_seen_lately_changes_nothing)
{
    static lk_intern_lately lately;
    char text[700];
    lk_intern with, without;

    check_ok(lk_intern_init(&with, 900, 5, &e), e);
    check_ok(lk_intern_init(&without, 900, 5, &e), e);
    for (uint32_t i = 0; i < 40000; i++) {
        const size_t len = i * 31 % 700;
        uint32_t a, b;
        uint64_t hash;
        lk_slice s = { text, len };

        memset(text, 'a' + (int)(i / 700 * i % 7 % 26), sizeof(text));
        text[i * 17 % 700] = (char)('0' + i % 3);
        check_ok(lk_intern_seen_id(&with, lk_intern_foresee(&lately, s), s, &a, &hash, &e), e);
        check_ok(lk_intern_id(&without, s, &b, &e), e);
        check(a == b && hash == lk_hash_mix(lk_hash(text, len)), "string %u of %zu bytes: %u, %u", i, len, a, b);
    }
    check(with.count == 900 && with.folded == without.folded && with.folded > 1000, "%ju folded",
          (uintmax_t)with.folded);
    check(lk_intern_distinct(&with, &(bool){ 0 }) == lk_intern_distinct(&without, &(bool){ 0 }), "distinct");
    lk_intern_release(&with);
    lk_intern_release(&without);
}

/* Each byte of a string moves it: or strings that differ there alone would push each other out.  Nothing past its end
 * is read: an own malloc, which a sanitizer watches. */
TEST(intern_place_is_by_every_byte)
{
    for (size_t len = 1; len <= 130; len++) {
        char *text = malloc(len);
        size_t place, same = 0;

        assert_non_null(text);
        memset(text, 'a', len);
        place = lk_intern_place((lk_slice){ text, len });
        for (size_t i = 0; i < len; i++) {
            text[i] = 'b';
            same += lk_intern_place((lk_slice){ text, len }) == place;
            text[i] = 'a';
        }
        check(same <= 2, "length %zu: %zu bytes count for nothing", len, same);
        free(text);
    }
}

TEST(intern_says_when_memory_ends)
{
    lk_err err = { 0 };
    uint32_t id = 7;
    lk_intern t;

    check_ok(lk_intern_init(&t, 10, 1, &e), e);
    t.texts.limit = alignof(max_align_t); /* one text of a byte */
    assert_int_equal(id_of(&t, "a"), 0);
    assert_int_equal(lk_intern_id(&t, LK_SLICE("b"), &id, &err), LK_EOOM);
    assert_int_equal(err.code, LK_EOOM);
    assert_int_equal(id, 7); /* outputs of a failed call are untouched */
    assert_int_equal(id_of(&t, "a"), 0);
    lk_intern_release(&t);
}

TESTS(T(intern_numbers_first_come_first), T(intern_absent_and_empty_are_one),
      T(intern_keeps_its_own_copy), T(intern_grows_and_keeps_everything),
      T(intern_folds_past_its_bound), T(intern_bound_of_zero_folds_everything),
      T(intern_cuts_strings_at_512_bytes), T(intern_ids_do_not_depend_on_the_seed),
      T(intern_seen_lately_changes_nothing), T(intern_place_is_by_every_byte),
      T(intern_says_when_memory_ends))
