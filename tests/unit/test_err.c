#include "unit.h"

#include "base/err.h"

static lk_code first_failure(lk_code a, lk_code b)
{
    LK_TRY(a);
    LK_TRY(b);
    return LK_OK;
}

TEST(err_fail_fills_code_and_message)
{
    lk_err e = { .line = 7, .file = "a.log" };

    assert_int_equal(lk_fail(&e, LK_EIO, "cannot open '%s': %d", "x", 5), LK_EIO);
    assert_int_equal(e.code, LK_EIO);
    assert_string_equal(e.msg, "cannot open 'x': 5");
    assert_int_equal(e.line, 7);
    assert_string_equal(e.file, "a.log");
}

TEST(err_message_is_cut_not_overrun)
{
    lk_err e = { 0 };
    char lengthy[1024];

    memset(lengthy, 'x', sizeof(lengthy) - 1);
    lengthy[sizeof(lengthy) - 1] = '\0';
    (void)lk_fail(&e, LK_EDATA, "%s", lengthy);
    assert_int_equal(strlen(e.msg), sizeof(e.msg) - 1);
    (void)lk_fail_in(&e, lengthy);
    assert_int_equal(strlen(e.file), sizeof(e.file) - 1);
}

/* What stands behind a path that is longer than a message is the reason. */
TEST(err_message_keeps_its_end)
{
    lk_err e = { 0 };
    char path[4096];

    memset(path, 'x', sizeof(path) - 1);
    path[sizeof(path) - 1] = '\0';
    (void)lk_fail(&e, LK_EIO, "cannot open '%s': File name too long", path);
    assert_int_equal(strlen(e.msg), sizeof(e.msg) - 1);
    check(strncmp(e.msg, "cannot open 'xxx", 16) == 0, "%s", e.msg);
    check(strstr(e.msg, "xxx...xxx") != NULL, "%s", e.msg);
    check(strstr(e.msg, "xxx': File name too long") != NULL, "%s", e.msg);
}

TEST(err_message_stays_one_line)
{
    lk_err e = { 0 };

    (void)lk_fail(&e, LK_EIO, "cannot open '%s'", "a\nb\x1b[2J\x7f");
    assert_string_equal(e.msg, "cannot open 'a?b?[2J?'");
    (void)lk_fail_in(&e, "a\rb");
    assert_string_equal(e.file, "a?b");
}

TEST(err_message_may_quote_itself)
{
    lk_err e = { 0 };

    (void)lk_fail(&e, LK_EIO, "inner");
    (void)lk_fail(&e, LK_EDATA, "outer: %s", e.msg);
    assert_string_equal(e.msg, "outer: inner");
    assert_int_equal(e.code, LK_EDATA);
}

TEST(err_fail_in_keeps_the_first_file)
{
    lk_err e = { 0 };

    (void)lk_fail(&e, LK_ETRUNC, "cut");
    assert_int_equal(lk_fail_in(&e, "inner.gz"), LK_ETRUNC);
    assert_int_equal(lk_fail_in(&e, "outer.gz"), LK_ETRUNC);
    assert_string_equal(e.file, "inner.gz");
}

TEST(err_codes_have_the_statuses_of_the_report_contract)
{
    static const struct {
        lk_code code;
        const char *name;
        int status;
    } CASES[] = {
        { LK_OK, "OK", 0 },       { LK_EUSAGE, "EUSAGE", 2 }, { LK_EIO, "EIO", 3 },
        { LK_EDATA, "EDATA", 3 }, { LK_ETRUNC, "ETRUNC", 3 }, { LK_EOOM, "EOOM", 3 },
        { LK_EOUT, "EOUT", 4 },
        { LK_ECANCEL, "ECANCEL", 143 },
    };

    for (size_t i = 0; i < ROWS(CASES); i++) {
        check(lk_code_status(CASES[i].code) == CASES[i].status, "row %zu", i);
        check(strcmp(lk_code_name(CASES[i].code), CASES[i].name) == 0, "row %zu", i);
        check(lk_code_text(CASES[i].code)[0] != '\0', "row %zu", i);
    }
}

TEST(err_try_returns_the_first_failure)
{
    assert_int_equal(first_failure(LK_OK, LK_OK), LK_OK);
    assert_int_equal(first_failure(LK_EIO, LK_EOOM), LK_EIO);
    assert_int_equal(first_failure(LK_OK, LK_EOOM), LK_EOOM);
}

TESTS(T(err_fail_fills_code_and_message), T(err_message_is_cut_not_overrun), T(err_message_keeps_its_end),
      T(err_message_stays_one_line), T(err_message_may_quote_itself),
      T(err_fail_in_keeps_the_first_file), T(err_codes_have_the_statuses_of_the_report_contract),
      T(err_try_returns_the_first_failure))
