#include "unit.h"

#include "model/json.h"
#include "model/json_syntax.h"

static const struct {
    const char *text;
    bool is_json;
} CASES[] = {
    { "{}", true },
    { " [ ] ", true },
    { "{\"a\": [1, -2.5e+3, true, false, null, \"x\"]}\n", true },
    { "\"\\u00e9\\ud83d\\ude00\\n\\\\\\/\"", true },
    { "0", true },
    { "-0.5E-7", true },
    { "", false },
    { "{", false },
    { "{\"a\"}", false },
    { "{\"a\":1,}", false },
    { "[1,]", false },
    { "[1 2]", false },
    { "{} {}", false },
    { "01", false },
    { "1.", false },
    { "1e", false },
    { "-", false },
    { "nul", false },
    { "\"\\x\"", false },
    { "\"\\ud83d\"", false },
    { "\"\\ude00\"", false },
    { "\"\\u12g4\"", false },
    { "\"open", false },
    { "12345678901234567890123456789012345678901234567890123456789012", true },
    { "123456789012345678901234567890123456789012345678901234567890123", false },
};

TEST(syntax_tells_json)
{
    for (size_t i = 0; i < ROWS(CASES); i++)
        check(lk_json_syntax(lk_slice_from(CASES[i].text)) == CASES[i].is_json, "%s", CASES[i].text);
}

/* Levels of brackets: as deep as cJSON goes, and one deeper. */
TEST(syntax_goes_as_deep_as_the_parser)
{
    enum { DEEPER = LK_JSON_SYNTAX_DEPTH + 1 };
    char text[2 * DEEPER];

    memset(text, '[', DEEPER);
    memset(text + DEEPER, ']', DEEPER);
    for (size_t less = 0; less < 2; less++) {
        lk_slice s = { text + less, sizeof(text) - 2 * less };
        lk_json *root = lk_json_parse(s);

        check(lk_json_syntax(s) == (less == 1), "%zu fewer", less);
        check((root != NULL) == (less == 1), "the parser: %zu fewer", less);
        lk_json_free(root);
    }
}

/* Whatever it says yes to, the parser takes: texts with a byte changed, left out or put in. */
TEST(syntax_is_within_the_parser)
{
    static const char BYTES[] = "{}[]\",:\\u0-1e. tn\001\xff";
    char text[64];

    for (size_t i = 0; i < 6; i++) {
        const size_t len = strlen(CASES[i].text);

        for (size_t at = 0; at < len; at++) {
            for (size_t b = 0; b < sizeof(BYTES) - 1; b++) {
                lk_json *root;

                memcpy(text, CASES[i].text, len);
                text[at] = BYTES[b];
                if (!lk_json_syntax((lk_slice){ text, len }))
                    continue;
                root = lk_json_parse((lk_slice){ text, len });
                check(root != NULL, "%.*s", (int)len, text);
                lk_json_free(root);
            }
        }
    }
}

TESTS(T(syntax_tells_json), T(syntax_goes_as_deep_as_the_parser), T(syntax_is_within_the_parser))
