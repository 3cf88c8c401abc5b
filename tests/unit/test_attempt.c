#include "unit.h"

#include "base/time.h"
#include "format/attempt.h"

static lk_err e;
static lk_symbols symbols;
static lk_layout layout;

static int begin(void **state)
{
    (void)state;
    check_ok(lk_symbols_init(&symbols, 1, &e), e);
    return 0;
}

static int end(void **state)
{
    (void)state;
    lk_symbols_release(&symbols);
    return 0;
}

static lk_fields some(void)
{
    lk_fields f;

    lk_fields_init(&f);
    f.stamp_ns = 100 * LK_NS_PER_S;
    f.took_ns = 3 * LK_NS_PER_S;
    f.moment = LK_MOMENT_END;
    f.caller = LK_SLICE("192.0.2.1");
    f.method = LK_SLICE("GET");
    f.target = LK_SLICE("/a");
    f.agent = LK_SLICE("curl/8");
    f.status = 503;
    return f;
}

static lk_attempt made_of(const lk_fields *f)
{
    lk_attempt a;

    check_ok(lk_attempt_from(f, &layout, &symbols, &a, &e), e);
    return a;
}

TEST(attempt_arrives_before_it_is_logged)
{
    static const struct { lk_moment moment; int64_t took_s, start_s, end_s; } ROW[] = {
        { LK_MOMENT_END, 3, 97, 100 },
        { LK_MOMENT_START, 3, 100, 103 },
        { LK_MOMENT_UNKNOWN, 3, 97, 100 }, /* as nginx, which logs durations */
        { LK_MOMENT_END, -1, 100, 100 },
    };

    for (size_t i = 0; i < ROWS(ROW); i++) {
        lk_fields f = some();
        lk_attempt a;

        f.moment = ROW[i].moment;
        f.took_ns = ROW[i].took_s < 0 ? -1 : ROW[i].took_s * LK_NS_PER_S;
        a = made_of(&f);
        check(a.start_ns == ROW[i].start_s * LK_NS_PER_S, "row %zu starts at %lld", i,
              (long long)a.start_ns);
        check(a.end_ns == ROW[i].end_s * LK_NS_PER_S, "row %zu ends at %lld", i,
              (long long)a.end_ns);
        check(a.has_took == (ROW[i].took_s >= 0), "row %zu", i);
    }
}

TEST(attempt_key_changes_with_each_part)
{
    lk_fields f = some(), g;
    lk_attempt a = made_of(&f), b;

    b = made_of(&f);
    assert_true(a.key == b.key && a.caller == b.caller);
    g = f, g.caller = LK_SLICE("192.0.2.2"), b = made_of(&g);
    assert_true(a.key != b.key && a.caller != b.caller);
    g = f, g.method = LK_SLICE("POST"), b = made_of(&g);
    assert_true(a.key != b.key && a.caller == b.caller);
    g = f, g.target = LK_SLICE("/b"), b = made_of(&g);
    assert_true(a.key != b.key && a.caller == b.caller && a.target != b.target);
    g = f, g.agent = LK_SLICE("curl/9"), b = made_of(&g);
    assert_true(a.key != b.key && a.population != b.population);
}

TEST(attempt_ids_are_absent_or_not_zero)
{
    lk_fields f = some();
    lk_attempt a;

    f.id[1] = LK_SLICE("019a1001-01a0");
    f.id[2] = LK_SLICE("");
    layout.id_is_call[1] = true;
    a = made_of(&f);
    assert_true(a.id[0] == 0 && a.id[1] != 0 && a.id[2] == 0);
    assert_int_equal(a.call_ids, 2);
    layout.id_is_call[1] = false;
}

TEST(status_classes_are_those_of_the_report)
{
    static const struct { unsigned status; bool rejected, failed, error, gave_up; } ROW[] = {
        { 200, 0, 0, 0, 0 }, { 404, 0, 0, 0, 0 }, { 408, 0, 1, 0, 0 }, { 429, 1, 1, 1, 0 },
        { 499, 0, 1, 0, 1 }, { 500, 0, 1, 1, 0 }, { 503, 1, 1, 1, 0 }, { 504, 0, 1, 1, 0 },
        { 529, 1, 1, 1, 0 }, { 0, 0, 1, 0, 1 },   { 460, 0, 1, 0, 1 }, { 600, 0, 0, 0, 0 },
    };

    for (size_t i = 0; i < ROWS(ROW); i++) {
        unsigned s = ROW[i].status;

        check(lk_status_is_rejected(s) == ROW[i].rejected, "%u rejected", s);
        check(lk_status_is_failed(s) == ROW[i].failed, "%u failed", s);
        check(lk_status_is_error(s) == ROW[i].error, "%u error", s);
        check(lk_status_client_gave_up(s) == ROW[i].gave_up, "%u gave up", s);
    }
}

/* A proxy's tries become attempts in turn; an internal redirect goes on with the one before it. */
TEST(attempt_of_a_line_may_be_several)
{
    static const lk_try TRIES[] = { { 502, LK_NS_PER_S, false },
                                    { LK_STATUS_UNKNOWN, -1, false },
                                    { 302, LK_NS_PER_S / 2, false },
                                    { 503, LK_NS_PER_S / 2, true } };
    static const struct { int64_t start_ms, end_ms; unsigned status; bool failed; } WANT[] = {
        { 97000, 98000, 502, true }, { 98000, 98000, LK_STATUS_UNKNOWN, true },
        { 98000, 100000, 503, true },
    };
    static lk_attempt tries[LK_TRIES_MAX];
    lk_fields f = some();
    lk_attempt whole = made_of(&f);

    f.tries = TRIES;
    f.try_count = ROWS(TRIES);
    assert_int_equal(lk_attempts_of_tries(&f, &whole, 77, tries), ROWS(WANT));
    for (size_t i = 0; i < ROWS(WANT); i++) {
        check(tries[i].start_ns == WANT[i].start_ms * LK_NS_PER_MS, "try %zu starts %lld", i,
              (long long)tries[i].start_ns);
        check(tries[i].end_ns == WANT[i].end_ms * LK_NS_PER_MS, "try %zu ends %lld", i,
              (long long)tries[i].end_ns);
        check(tries[i].status == WANT[i].status, "try %zu: %d", i, tries[i].status);
        check(tries[i].failed == WANT[i].failed, "try %zu", i);
        check(tries[i].request == 77 && tries[i].try_no == i + 1, "try %zu", i);
    }
    f.try_count = 0; /* no list: the line itself */
    assert_int_equal(lk_attempts_of_tries(&f, &whole, 77, tries), 1);
    assert_int_equal(tries[0].request, 0);
    assert_int_equal(tries[0].status, 503);
}

static const struct CMUnitTest TESTS_HERE[] = {
    cmocka_unit_test_setup_teardown(attempt_arrives_before_it_is_logged, begin, end),
    cmocka_unit_test_setup_teardown(attempt_key_changes_with_each_part, begin, end),
    cmocka_unit_test_setup_teardown(attempt_ids_are_absent_or_not_zero, begin, end),
    cmocka_unit_test_setup_teardown(attempt_of_a_line_may_be_several, begin, end),
    cmocka_unit_test(status_classes_are_those_of_the_report),
};

int main(void)
{
    return cmocka_run_group_tests(TESTS_HERE, NULL, NULL) != 0;
}
