#include "unit.h"

#include "base/time.h"
#include "model/json.h"

#include <math.h>

static lk_json *parse(const char *text)
{
    return lk_json_parse(lk_slice_from(text));
}

/* Prints, compares and frees. */
static void check_prints(lk_json *root, const char *want)
{
    lk_err e = { 0 };
    lk_buf out;

    lk_buf_init(&out);
    check_ok(lk_json_print(root, &out, &e), e);
    check(strcmp(out.p, want) == 0, "have\n%s\nwant\n%s", out.p, want);
    lk_buf_release(&out);
    lk_json_free(root);
}

/* ---- reading ---- */

TEST(json_refuses_what_is_not_json)
{
    static const char *const BAD[] = { "",      "{",         "{\"a\":}", "[1,]",    "nul",
                                       "{} {}", "{}garbage", "\"open",   "{'a':1}", "\x01" };

    for (size_t i = 0; i < ROWS(BAD); i++)
        check(parse(BAD[i]) == NULL, "row %zu: %s", i, BAD[i]);
    check(lk_json_parse(LK_SLICE_NONE) == NULL, "nothing");
}

TEST(json_refuses_nesting_without_end)
{
    char deep[5000];

    memset(deep, '[', sizeof(deep));
    check(lk_json_parse((lk_slice){ deep, sizeof(deep) }) == NULL, "5,000 levels");
}

TEST(json_reads_a_slice_and_no_further)
{
    static const char TEXT[] = " {\"a\":12} \r\n!!";
    lk_json *root = lk_json_parse((lk_slice){ TEXT, sizeof(TEXT) - 3 });
    double x = 0;

    check(root && lk_json_number(lk_json_get(root, "a"), &x) && x > 11.9 && x < 12.1, "%g", x);
    lk_json_free(root);
}

TEST(json_tells_null_from_nothing_and_case)
{
    lk_json *root = parse("{\"a\":null,\"B\":1}");

    check(lk_json_get(root, "a") == NULL, "null");
    check(lk_json_get(root, "c") == NULL, "absent");
    check(lk_json_get(root, "b") == NULL, "other case");
    check(lk_json_get(root, "B") != NULL, "present");
    check(lk_json_get(NULL, "a") == NULL, "no object");
    lk_json_free(root);
}

TEST(json_walks_members_and_elements)
{
    lk_json *root = parse("{\"x\":[1,\"two\"],\"y\":{}}");
    const lk_json *x = lk_json_first(root), *one = lk_json_first(x);
    lk_slice two;

    check(strcmp(lk_json_key(x), "x") == 0, "key %s", lk_json_key(x));
    check(strcmp(lk_json_key(lk_json_next(x)), "y") == 0, "second key");
    check(lk_json_next(lk_json_next(x)) == NULL, "no third");
    check(lk_json_key(one) == NULL, "an element has no key");
    check(lk_json_text(lk_json_next(one), &two) && lk_slice_is(two, "two"), "second element");
    check(lk_json_first(lk_json_next(x)) == NULL, "empty object");
    check(!lk_json_first(NULL) && !lk_json_next(NULL) && !lk_json_key(NULL), "nothing of nothing");
    lk_json_free(root);
}

TEST(json_reads_numbers_and_strings_that_are_numbers)
{
    static const struct {
        const char *text;
        bool ok;
        double want;
    } CASES[] = {
        { "{\"v\":1.5}", true, 1.5 },       { "{\"v\":\"0.250\"}", true, 0.25 },
        { "{\"v\":\"-3e2\"}", true, -300 }, { "{\"v\":\"\"}", false, 0 },
        { "{\"v\":\"-\"}", false, 0 },      { "{\"v\":\"0x10\"}", false, 0 },
        { "{\"v\":\"inf\"}", false, 0 },    { "{\"v\":\"1 2\"}", false, 0 },
        { "{\"v\":\"1e999\"}", false, 0 },  { "{\"v\":1e999}", false, 0 },
        { "{\"v\":true}", false, 0 },       { "{\"v\":[1]}", false, 0 },
        { "{\"v\":\" 1\"}", false, 0 },     { "{\"v\":\"1-2\"}", false, 0 },
    };

    for (size_t i = 0; i < ROWS(CASES); i++) {
        lk_json *root = parse(CASES[i].text);
        double x = -1;
        bool ok = lk_json_number(lk_json_get(root, "v"), &x);

        check(root != NULL, "row %zu does not parse", i);
        check(ok == CASES[i].ok, "row %zu: %s", i, CASES[i].text);
        check(!ok || fabs(x - CASES[i].want) < 1e-9, "row %zu: %g", i, x);
        lk_json_free(root);
    }
}

TEST(json_gives_text_of_strings_only)
{
    lk_json *root = parse("{\"s\":\"a\\u00e9\\n\",\"n\":1}");
    lk_slice s;

    check(lk_json_text(lk_json_get(root, "s"), &s) && lk_slice_is(s, "a\xc3\xa9\n"), "%s", s.p);
    check(!lk_json_text(lk_json_get(root, "n"), &s), "a number is no text");
    check(!lk_json_text(NULL, &s), "nothing is no text");
    lk_json_free(root);
}

/* ---- writing ---- */

TEST(json_prints_indented_with_numbers_on_one_line)
{
    lk_json *root = lk_json_object(NULL, NULL), *array, *item;

    lk_json_add_text(root, "text", "a \"b\" \\");
    lk_json_add_text(root, "none", NULL);
    lk_json_add_bool(root, "yes", true);
    array = lk_json_array(root, "numbers");
    lk_json_add_count(array, NULL, 1);
    lk_json_add_real(array, NULL, 0.5);
    lk_json_add_null(array, NULL);
    (void)lk_json_array(root, "empty");
    (void)lk_json_object(root, "nothing");
    array = lk_json_array(root, "objects");
    item = lk_json_object(array, NULL);
    lk_json_add_count_or_null(item, "n", -1);
    check_prints(root, "{\n"
                       "  \"text\": \"a \\\"b\\\" \\\\\",\n"
                       "  \"none\": null,\n"
                       "  \"yes\": true,\n"
                       "  \"numbers\": [1, 0.5, null],\n"
                       "  \"empty\": [],\n"
                       "  \"nothing\": {},\n"
                       "  \"objects\": [\n"
                       "    {\n"
                       "      \"n\": null\n"
                       "    }\n"
                       "  ]\n"
                       "}\n");
}

TEST(json_prints_counts_in_full_and_reals_with_six_digits)
{
    lk_json *root = lk_json_object(NULL, NULL);

    lk_json_add_count(root, "max", INT64_MAX);
    lk_json_add_count(root, "min", INT64_MIN);
    lk_json_add_real(root, "third", 1.0 / 3);
    lk_json_add_real(root, "million", 1e6);
    lk_json_add_real(root, "tiny", 1e-300);
    lk_json_add_real(root, "zero", -0.0);
    lk_json_add_real(root, "nan", (double)NAN);
    lk_json_add_real(root, "inf", (double)INFINITY);
    check_prints(root, "{\n"
                       "  \"max\": 9223372036854775807,\n"
                       "  \"min\": -9223372036854775808,\n"
                       "  \"third\": 0.333333,\n"
                       "  \"million\": 1e+06,\n"
                       "  \"tiny\": 1e-300,\n"
                       "  \"zero\": 0,\n"
                       "  \"nan\": null,\n"
                       "  \"inf\": null\n"
                       "}\n");
}

TEST(json_prints_instants_and_unknown_ones)
{
    lk_json *root = lk_json_object(NULL, NULL);

    lk_json_add_time(root, "at", INT64_C(1752580800250) * LK_NS_PER_MS);
    lk_json_add_time(root, "none", LK_TIME_NONE);
    check_prints(root, "{\n  \"at\": \"2025-07-15T12:00:00.250Z\",\n  \"none\": null\n}\n");
}

TEST(json_escapes_what_a_terminal_or_browser_would_act_on)
{
    lk_json *root = lk_json_object(NULL, NULL);

    lk_json_add_text(root, "k\n", "\x1b[31m</script>\x7f\xc3\xa9");
    check_prints(root, "{\n  \"k\\u000a\": \"\\u001b[31m\\u003c/script>\\u007f\xc3\xa9\"\n}\n");
}

TEST(json_prints_what_it_parsed)
{
    check_prints(parse("{\"a\":[0.1,12345678901234567,-2],\"b\":{\"c\":false,\"d\":[\"x\"]}}"),
                 "{\n  \"a\": [0.1, 12345678901234568, -2],\n  \"b\": {\n    \"c\": false,\n"
                 "    \"d\": [\n      \"x\"\n    ]\n  }\n}\n");
}

TEST(json_reports_a_document_that_could_not_be_built)
{
    lk_err e = { 0 };
    lk_buf out;

    lk_buf_init(&out);
    check(lk_json_print(NULL, &out, &e) == LK_EOOM, "code %s", lk_code_name(e.code));
    check(out.len == 0, "nothing is printed");
    lk_buf_release(&out);
}

TEST(json_adds_nothing_to_nothing)
{
    lk_json_add_text(NULL, "a", "b");
    lk_json_add_null(NULL, NULL);
    check(lk_json_object(NULL, "a") == NULL, "object");
    check(lk_json_array(NULL, NULL) == NULL, "array");
}

TESTS(T(json_refuses_what_is_not_json), T(json_refuses_nesting_without_end),
      T(json_reads_a_slice_and_no_further), T(json_tells_null_from_nothing_and_case),
      T(json_walks_members_and_elements), T(json_reads_numbers_and_strings_that_are_numbers),
      T(json_gives_text_of_strings_only), T(json_prints_indented_with_numbers_on_one_line),
      T(json_prints_counts_in_full_and_reals_with_six_digits),
      T(json_prints_instants_and_unknown_ones),
      T(json_escapes_what_a_terminal_or_browser_would_act_on), T(json_prints_what_it_parsed),
      T(json_reports_a_document_that_could_not_be_built), T(json_adds_nothing_to_nothing))
