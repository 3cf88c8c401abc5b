#include "unit.h"

#include "base/seek.h"
#include "base/slice.h"

TEST(slice_literal_and_text_agree)
{
    assert_true(lk_slice_equal(LK_SLICE("abc"), lk_slice_from("abc")));
    assert_true(lk_slice_is(LK_SLICE(""), ""));
    assert_true(lk_slice_is(LK_SLICE_NONE, ""));
    assert_false(lk_slice_is(LK_SLICE_NONE, "a"));
}

TEST(slice_compares_length_and_bytes)
{
    static const struct {
        const char *a, *b;
        bool equal, starts;
    } CASES[] = {
        { "", "", true, true },         { "a", "", false, true },     { "", "a", false, false },
        { "abc", "abc", true, true },   { "abc", "ab", false, true }, { "ab", "abc", false, false },
        { "abc", "abd", false, false },
    };

    for (size_t i = 0; i < ROWS(CASES); i++) {
        lk_slice a = lk_slice_from(CASES[i].a);

        check(lk_slice_is(a, CASES[i].b) == CASES[i].equal, "row %zu", i);
        check(lk_slice_equal(a, lk_slice_from(CASES[i].b)) == CASES[i].equal, "row %zu", i);
        check(lk_slice_starts(a, CASES[i].b) == CASES[i].starts, "row %zu", i);
    }
    assert_false(lk_slice_equal((lk_slice){ "a\0b", 3 }, (lk_slice){ "a\0c", 3 }));
}

TEST(slice_skip_stops_at_the_end)
{
    lk_slice s = LK_SLICE("abc");

    assert_true(lk_slice_is(lk_slice_skip(s, 0), "abc"));
    assert_true(lk_slice_is(lk_slice_skip(s, 2), "c"));
    assert_true(lk_slice_is(lk_slice_skip(s, 3), ""));
    assert_true(lk_slice_is(lk_slice_skip(s, SIZE_MAX), ""));
    assert_null(lk_slice_skip(LK_SLICE_NONE, 5).p);
}

TEST(slice_reads_u64)
{
    static const struct {
        const char *text;
        bool ok;
        uint64_t want;
    } CASES[] = {
        { "0", true, 0 },
        { "007", true, 7 },
        { "18446744073709551615", true, UINT64_MAX },
        { "18446744073709551616", false, 0 },
        { "18446744073709551620", false, 0 },
        { "99999999999999999999", false, 0 },
        { "", false, 0 },
        { "-1", false, 0 },
        { "+1", false, 0 },
        { " 1", false, 0 },
        { "1 ", false, 0 },
        { "1.0", false, 0 },
        { "0x10", false, 0 },
    };

    for (size_t i = 0; i < ROWS(CASES); i++) {
        uint64_t got = 42;

        check(lk_slice_u64(lk_slice_from(CASES[i].text), &got) == CASES[i].ok, "'%s'",
              CASES[i].text);
        check(got == (CASES[i].ok ? CASES[i].want : 42), "'%s'", CASES[i].text);
    }
}

TEST(slice_reads_nano)
{
    static const struct {
        const char *text;
        bool ok;
        int64_t want;
    } CASES[] = {
        { "12", true, INT64_C(12000000000) },
        { "0.250", true, 250000000 },
        { "-1.5", true, -1500000000 },
        { "-0", true, 0 },
        { "0.000000001", true, 1 },
        { "99999.999", true, INT64_C(99999999000000) },
        { "-1.250", true, -1250000000 },
        { "-.250", false, 0 },
        { "1.2.345", false, 0 },
        { "0.2x5", false, 0 },
        { "x.250", false, 0 },
        { "0.0000000019", true, 1 }, /* the tenth digit is cut, not rounded */
        { "1796014671.488", true, INT64_C(1796014671488000000) },
        { "9200000000", true, INT64_C(9200000000000000000) },
        { "-9200000000.000", true, INT64_C(-9200000000000000000) },
        { "9200000000.000000001", false, 0 },
        { "9200000001", false, 0 },
        { "99999999999999999999999999", false, 0 },
        { "", false, 0 },
        { "-", false, 0 },
        { ".5", false, 0 },
        { "5.", false, 0 },
        { "1e3", false, 0 },
        { "1.5s", false, 0 },
        { "--1", false, 0 },
        { "+1", false, 0 },
        { "1.2.3", false, 0 },
        { "0.1, 0.2", false, 0 },
        { "nan", false, 0 },
    };

    for (size_t i = 0; i < ROWS(CASES); i++) {
        int64_t got = 42;

        check(lk_slice_nano(lk_slice_from(CASES[i].text), &got) == CASES[i].ok, "'%s'",
              CASES[i].text);
        check(got == (CASES[i].ok ? CASES[i].want : 42), "'%s'", CASES[i].text);
    }
}

/* What stands before a digit, and where a text ends, found at every place of runs of every length. */
TEST(slice_seeks_as_a_plain_loop_does)
{
    static const char MADE_OF[] = "[1\"\\a9[";
    char text[80];

    for (size_t i = 0; i < sizeof(text); i++)
        text[i] = MADE_OF[(i * i + i / 7) % 7];
    for (size_t from = 0; from < sizeof(text); from++)
        for (size_t to = from; to <= sizeof(text); to++) {
            const char *p = text + from, *end = text + to, *digit = NULL, *quote = p;

            for (const char *q = p; !digit && end - q >= 2; q++)
                if (*q == '[' && (q[1] == '1' || q[1] == '9'))
                    digit = q;
            while (quote < end && *quote != '"' && *quote != '\\')
                quote++;
            check(lk_seek_before_digit(p, end, '[') == digit, "%zu to %zu", from, to);
            check(lk_seek_quote(p, end) == quote, "%zu to %zu", from, to);
        }
}

TESTS(T(slice_literal_and_text_agree), T(slice_compares_length_and_bytes),
      T(slice_skip_stops_at_the_end), T(slice_reads_u64), T(slice_reads_nano),
      T(slice_seeks_as_a_plain_loop_does))
