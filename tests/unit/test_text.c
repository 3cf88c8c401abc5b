#include "unit.h"

#include "base/text.h"

typedef struct safe_case {
    lk_slice in;
    size_t max;
    const char *want;
} safe_case;

#define IN(literal)                  \
    {                                \
        literal, sizeof(literal) - 1 \
    }
#define WIDE_OPEN SIZE_MAX

static void check_cases(const safe_case *cases, size_t count)
{
    lk_arena a;

    lk_arena_init(&a, 0);
    for (size_t i = 0; i < count; i++) {
        char *got = lk_text_safe(&a, cases[i].in, cases[i].max);

        check(got && strcmp(got, cases[i].want) == 0, "row %zu: '%s', not '%s'", i, got,
              cases[i].want);
    }
    lk_arena_release(&a);
}

TEST(text_safe_leaves_text_alone)
{
    static const safe_case CASES[] = {
        { IN(""), WIDE_OPEN, "" },
        { { NULL, 0 }, WIDE_OPEN, "" },
        { IN("GET /a?b=c \"d\" \\ <e> ~"), WIDE_OPEN, "GET /a?b=c \"d\" \\ <e> ~" },
        { IN("caf\xc3\xa9"), WIDE_OPEN, "caf\xc3\xa9" },
        { IN("\xc2\xa0"), WIDE_OPEN, "\xc2\xa0" }, /* first past C1 */
        { IN("\xe2\x82\xac \xe6\xb0\xb4"), WIDE_OPEN, "\xe2\x82\xac \xe6\xb0\xb4" },
        { IN("\xf0\x9f\x98\x80"), WIDE_OPEN, "\xf0\x9f\x98\x80" },
        { IN("\xef\xbf\xbd\xef\xbf\xbe"), WIDE_OPEN, "\xef\xbf\xbd\xef\xbf\xbe" },
        { IN("\xed\x9f\xbf\xee\x80\x80"), WIDE_OPEN, "\xed\x9f\xbf\xee\x80\x80" }, /* D7FF E000 */
        { IN("\xf4\x8f\xbf\xbf"), WIDE_OPEN, "\xf4\x8f\xbf\xbf" },                 /* U+10FFFF */
        { IN("\xe2\x80\x8a\xe2\x80\x90\xe2\x80\xa7\xe2\x80\xaf"), WIDE_OPEN,
          "\xe2\x80\x8a\xe2\x80\x90\xe2\x80\xa7\xe2\x80\xaf" }, /* 200A 2010 2027 202F */
    };

    check_cases(CASES, ROWS(CASES));
}

TEST(text_safe_escapes_controls)
{
    static const safe_case CASES[] = {
        { IN("a\0b"), WIDE_OPEN, "a\\x00b" },
        { IN("\x1b[2J"), WIDE_OPEN, "\\x1b[2J" },
        { IN("\t\n\r"), WIDE_OPEN, "\\x09\\x0a\\x0d" },
        { IN("\x1f\x7f "), WIDE_OPEN, "\\x1f\\x7f " },
        { IN("\xc2\x80\xc2\x9b\xc2\x9f"), WIDE_OPEN, "\\u{0080}\\u{009b}\\u{009f}" },
        { IN("\xe2\x80\x8b\xe2\x80\x8f"), WIDE_OPEN, "\\u{200b}\\u{200f}" },
        { IN("\xe2\x80\xa8\xe2\x80\xa9"), WIDE_OPEN, "\\u{2028}\\u{2029}" },
        { IN("\xe2\x80\xaa\xe2\x80\xae"), WIDE_OPEN, "\\u{202a}\\u{202e}" },
        { IN("\xe2\x81\xa6\xe2\x81\xa9"), WIDE_OPEN, "\\u{2066}\\u{2069}" },
        { IN("\xef\xbb\xbfx"), WIDE_OPEN, "\\u{feff}x" },
        { IN("\xd8\x9c"), WIDE_OPEN, "\\u{061c}" },
        { IN("\xf3\xa0\x80\x81"), WIDE_OPEN, "\\u{e0001}" },
    };

    check_cases(CASES, ROWS(CASES));
}

TEST(text_safe_escapes_what_is_not_utf8)
{
    static const safe_case CASES[] = {
        { IN("\x80"), WIDE_OPEN, "\\x80" },          /* continuation alone */
        { IN("\xff\xfe"), WIDE_OPEN, "\\xff\\xfe" }, /* never a lead       */
        { IN("\xf8\x88\x80\x80\x80"), WIDE_OPEN, "\\xf8\\x88\\x80\\x80\\x80" },
        { IN("\xc3"), WIDE_OPEN, "\\xc3" }, /* cut short          */
        { IN("\xe2\x82"), WIDE_OPEN, "\\xe2\\x82" },
        { IN("\xf0\x9f\x98"), WIDE_OPEN, "\\xf0\\x9f\\x98" },
        { IN("\xc3(x"), WIDE_OPEN, "\\xc3(x" }, /* no continuation    */
        { IN("\xe2\x28\xa1"), WIDE_OPEN, "\\xe2(\\xa1" },
        { IN("\xc0\xaf\xc1\xbf"), WIDE_OPEN, "\\xc0\\xaf\\xc1\\xbf" }, /* overlong        */
        { IN("\xe0\x9f\xbf"), WIDE_OPEN, "\\xe0\\x9f\\xbf" },
        { IN("\xf0\x8f\xbf\xbf"), WIDE_OPEN, "\\xf0\\x8f\\xbf\\xbf" },
        { IN("\xed\xa0\x80\xed\xbf\xbf"), WIDE_OPEN, "\\xed\\xa0\\x80\\xed\\xbf\\xbf" },
        { IN("\xf4\x90\x80\x80"), WIDE_OPEN, "\\xf4\\x90\\x80\\x80" }, /* past U+10FFFF   */
        { IN("a\xc3\xc3\xa9"), WIDE_OPEN, "a\\xc3\xc3\xa9" },
    };

    check_cases(CASES, ROWS(CASES));
}

TEST(text_safe_cuts_at_columns)
{
    static const safe_case CASES[] = {
        { IN("abcdef"), 6, "abcdef" },
        { IN("abcdefg"), 6, "abc..." },
        { IN("abcd"), 3, "..." },
        { IN("abcd"), 2, ".." },
        { IN("abcd"), 0, "" },
        { IN(""), 0, "" },
        { IN("\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9"), 4, "\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9" },
        { IN("\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9"), 4, "\xc3\xa9..." },
        { IN("\xe6\xb0\xb4\xe6\xb0\xb4\xe6\xb0\xb4"), 6, "\xe6\xb0\xb4\xe6\xb0\xb4\xe6\xb0\xb4" },
        { IN("\xe6\xb0\xb4\xe6\xb0\xb4\xe6\xb0\xb4"), 5, "\xe6\xb0\xb4..." },
        { IN("\xe6\xb0\xb4\xe6\xb0\xb4\xe6\xb0\xb4"), 4, "..." }, /* half a wide one is none */
        { IN("abc\x1b"), 7, "abc\\x1b" },
        { IN("abc\x1b"), 6, "abc..." }, /* an escape is never cut in two */
    };

    check_cases(CASES, ROWS(CASES));
}

/* Whatever the bytes: printable, within the columns, and stable when made safe again. */
TEST(text_safe_holds_for_all_pairs_of_bytes)
{
    lk_arena a;

    lk_arena_init(&a, 0);
    for (unsigned pair = 0; pair < 0x10000; pair++) {
        const char bytes[4] = { (char)(pair >> 8), (char)(pair & 0xff), (char)0x80, 'x' };
        lk_mark m = lk_arena_mark(&a);
        char *once = lk_text_safe(&a, (lk_slice){ bytes, 4 }, WIDE_OPEN);
        char *twice = lk_text_safe(&a, lk_slice_from(once), WIDE_OPEN);
        char *cut = lk_text_safe(&a, (lk_slice){ bytes, 4 }, 5);

        check(strcmp(once, twice) == 0, "pair %04x", pair);
        check(lk_text_width(cut) <= 5, "pair %04x", pair);
        for (const char *p = once; *p != '\0'; p++)
            check((unsigned char)*p >= 0x20 && *p != 0x7f, "pair %04x", pair);
        lk_arena_rewind(&a, m);
    }
    lk_arena_release(&a);
}

TEST(text_safe_is_null_when_memory_ends)
{
    lk_arena a;

    lk_arena_init(&a, 16);
    assert_null(lk_text_safe(&a, LK_SLICE("more than sixteen bytes"), WIDE_OPEN));
    lk_arena_release(&a);
}

TEST(text_width_counts_columns)
{
    static const struct {
        const char *text;
        size_t want;
    } CASES[] = {
        { "", 0 },
        { "abc", 3 },
        { "caf\xc3\xa9", 4 },
        { "\xe6\xb0\xb4", 2 },             /* a CJK ideograph      */
        { "\xef\xbc\xa1", 2 },             /* fullwidth A          */
        { "\xea\xb0\x80", 2 },             /* Hangul               */
        { "\xf0\x9f\x98\x80", 2 },         /* an emoji             */
        { "\xe2\x96\x88\xe2\x94\x80", 2 }, /* block and line       */
        { "a\xff"
          "b",
          3 }, /* a bad byte takes one */
    };

    for (size_t i = 0; i < ROWS(CASES); i++)
        check(lk_text_width(CASES[i].text) == CASES[i].want, "row %zu: %zu", i,
              lk_text_width(CASES[i].text));
}

TESTS(T(text_safe_leaves_text_alone), T(text_safe_escapes_controls),
      T(text_safe_escapes_what_is_not_utf8), T(text_safe_cuts_at_columns),
      T(text_safe_holds_for_all_pairs_of_bytes), T(text_safe_is_null_when_memory_ends),
      T(text_width_counts_columns))
