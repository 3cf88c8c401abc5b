#include "unit.h"

#include "base/glob.h"

/* clang-format off */
static const struct {
    const char *glob, *text;
    bool fits;
} CASES[] = {
    { "",            "",              true  },
    { "",            "a",             false },
    { "*",           "",              true  },
    { "*",           "a/b?c*d",       true  },
    { "?",           "",              false },
    { "?*",          "a",             true  },
    { "a*b*c",       "a-b-b-c",       true  },
    { "a*b*c",       "a-b-b-c-",      false },
    { "*.example",   "a.b.example",   true  },
    { "/v1/*/jobs",  "/v1/a/b/jobs",  true  },
    { "[a-c]x",      "bx",            true  },
    { "[a-c]x",      "dx",            false },
    { "[!a-c]x",     "dx",            true  },
    { "[!a-c]x",     "ax",            false },
    { "[]]",         "]",             true  },
    { "[!]]",        "]",             false },
    { "[a-]",        "-",             true  },
    { "[\\]]",       "]",             true  },
    { "[z-a]",       "m",             false },
    { "[::1]",       ":",             true  },
    { "[abc",        "[abc",          true  },
    { "[abc",        "a",             false },
    { "\\*",         "*",             true  },
    { "\\*",         "a",             false },
    { "a\\",         "a\\",           true  },
    { "A*",          "abc",           false },
    { "\xc3*",       "\xc3\xa9",      true  },
    { "*\x01*",      "a\x01z",        true  },
};
/* clang-format on */

TEST(glob_matches_as_a_shell_does)
{
    for (size_t i = 0; i < ROWS(CASES); i++)
        check(lk_glob_matches(lk_slice_from(CASES[i].glob), lk_slice_from(CASES[i].text)) ==
                  CASES[i].fits,
              "row %zu: '%s' '%s'", i, CASES[i].glob, CASES[i].text);
}

TEST(glob_takes_bytes_of_any_kind)
{
    assert_true(lk_glob_matches(LK_SLICE("a?b"), (lk_slice){ "a\0b", 3 }));
    assert_true(lk_glob_matches(LK_SLICE("*"), LK_SLICE_NONE));
    assert_true(lk_glob_matches(LK_SLICE_NONE, LK_SLICE_NONE));
    assert_false(lk_glob_matches(LK_SLICE_NONE, LK_SLICE("a")));
}

TEST(glob_may_have_no_case)
{
    assert_true(lk_glob_matches_caseless(LK_SLICE("API.*.Example"), LK_SLICE("api.EU.example")));
    assert_true(lk_glob_matches_caseless(LK_SLICE("[A-C]1"), LK_SLICE("b1")));
    assert_false(lk_glob_matches_caseless(LK_SLICE("a"), LK_SLICE("b")));
}

/* Quadratic at worst: exponential ones would not come back. */
TEST(glob_bears_hostile_patterns)
{
    char text[4001], pattern[4001];

    memset(text, 'a', 4000);
    for (size_t i = 0; i < 4000; i += 2)
        memcpy(pattern + i, "*a", 2);
    text[4000] = pattern[4000] = '\0';
    pattern[3999] = 'b';
    assert_false(lk_glob_matches(lk_slice_from(pattern), lk_slice_from(text)));
}

TESTS(T(glob_matches_as_a_shell_does), T(glob_takes_bytes_of_any_kind), T(glob_may_have_no_case),
      T(glob_bears_hostile_patterns))
