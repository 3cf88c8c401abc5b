#include "unit.h"

#include "base/time.h"
#include "infer/incident.h"
#include "measure/periods.h"

#include <math.h>
#include <stdlib.h>

static lk_err e;
static lk_arena arena, scratch;
static lk_periods periods;
static lk_report report;
static lk_evidence evidence;

static int begin(void **state)
{
    (void)state;
    lk_arena_init(&arena, 0);
    lk_arena_init(&scratch, 0);
    check_ok(lk_periods_init(&periods, LK_NS_PER_S, &e), e);
    lk_report_init(&report);
    report.calls.source = "identity";
    evidence = (lk_evidence){ 0 };
    return 0;
}

static int end(void **state)
{
    (void)state;
    lk_periods_release(&periods);
    lk_arena_release(&scratch);
    lk_arena_release(&arena);
    return 0;
}

static void attempts(int64_t second, size_t n, unsigned status, size_t comebacks)
{
    for (size_t i = 0; i < n; i++) {
        lk_attempt a = { .start_ns = second * LK_NS_PER_S + (int64_t)i,
                         .status = (uint16_t)status,
                         .try_no = 1,
                         .failed = lk_status_is_failed(status),
                         .rejected = lk_status_is_rejected(status) };
        lk_call call = { .fate = a.failed ? LK_FATE_FAILED : LK_FATE_FIRST,
                         .lines = 1,
                         .attempts = 1,
                         .first_ns = a.start_ns,
                         .span_ns = -1 };

        check_ok(lk_periods_attempt(&periods, &a, &e), e);
        if (i < comebacks)
            check_ok(lk_periods_comeback(&periods, a.start_ns, a.population, &e), e);
        else
            check_ok(lk_periods_call(&periods, &call, &e), e);
    }
}

static void find(void)
{
    lk_periods_evidence(&periods, &evidence);
    check_ok(lk_infer_incident(&evidence, LK_TIME_NONE, LK_TIME_NONE, &arena, &scratch, &report,
                               &e),
             e);
}

/* Ten bad minutes: a surge for five, then only comebacks fail. */
static void bad_minutes(int64_t from_s)
{
    for (int64_t s = from_s; s < from_s + 300; s++)
        attempts(s, 20, 429, 0);
    for (int64_t s = from_s + 300; s < from_s + 600; s++)
        attempts(s, 5, 429, 5);
}

TEST(incident_tells_the_tail_from_the_load)
{
    for (int64_t s = 0; s < 3600; s++)
        attempts(s, 4, 200, 0);
    bad_minutes(1200);
    find();
    assert_non_null(report.incident);
    assert_int_equal(report.incident->start_ns / LK_NS_PER_S, 1200);
    assert_int_equal(report.incident->demand_back_ns / LK_NS_PER_S, 1500);
    assert_int_equal(report.incident->recovered_ns / LK_NS_PER_S, 1800);
    assert_true(fabs(report.incident->tail_s - 300) < 1e-9);
    assert_true(fabs(report.incident->tail_retry_share - 5.0 / 9) < 1e-9);
    assert_int_equal(report.incident->http.rejected, 7500);
    assert_int_equal(report.incident->http.by_status[200], 2400);
    assert_int_equal(report.incident->calls.failed, 6000);
}

/* 429 is a rejection and 499 a client that left: neither is an error of the client's. */
TEST(incident_counts_statuses_by_what_they_mean)
{
    static const struct {
        unsigned status;
        size_t each_10_s;
        bool is_error, is_clients;
    } ROW[] = {
        { 200, 6, false, false }, { 302, 1, false, false }, { 399, 1, false, false }, { 400, 2, false, true },
        { 404, 3, false, true },   { 430, 1, false, true },  { 498, 1, false, true },  { 499, 2, false, false },
        { 500, 1, true, false },  { 502, 2, true, false },
    };
    int64_t errors = 0, clients = 0;

    for (int64_t s = 0; s < 3600; s++)
        attempts(s, 4, 200, 0);
    bad_minutes(1200);
    for (int64_t s = 1200; s < 1800; s += 10)
        for (size_t i = 0; i < ROWS(ROW); i++)
            attempts(s, ROW[i].each_10_s, ROW[i].status, 0);
    find();
    assert_non_null(report.incident);
    assert_int_equal(report.incident->start_ns / LK_NS_PER_S, 1200);
    assert_int_equal(report.incident->recovered_ns / LK_NS_PER_S, 1800);
    for (size_t i = 0; i < ROWS(ROW); i++) {
        const int64_t n = 60 * (int64_t)ROW[i].each_10_s;

        check(report.incident->http.by_status[ROW[i].status] == n + (ROW[i].status == 200 ? 2400 : 0), "%u: %lld",
              ROW[i].status, (long long)report.incident->http.by_status[ROW[i].status]);
        errors += ROW[i].is_error ? n : 0;
        clients += ROW[i].is_clients ? n : 0;
    }
    assert_int_equal(report.incident->http.errors, errors + 7500);
    assert_int_equal(report.incident->http.client_errors, clients);
    assert_int_equal(report.incident->http.rejected, 7500);
}

/* The bins of a day are coarser; what they say is not. */
TEST(incident_is_found_in_a_day)
{
    for (int64_t s = 0; s < 86400; s += 2)
        attempts(s, 1, 200, 0);
    bad_minutes(40000);
    find();
    assert_non_null(report.incident);
    assert_true(periods.n <= LK_PERIODS_MAX);
    assert_int_equal(report.incident->http.rejected, 7500);
    assert_true(llabs(report.incident->start_ns - 40000 * LK_NS_PER_S) <= periods.bin_ns);
    assert_int_equal(report.incident->others, 0);
}

TEST(incident_of_two_the_larger)
{
    for (int64_t s = 0; s < 7200; s++)
        attempts(s, 4, 200, 0);
    bad_minutes(4000);
    for (int64_t s = 1000; s < 1060; s++)
        attempts(s, 10, 503, 0);
    find();
    assert_non_null(report.incident);
    assert_int_equal(report.incident->start_ns / LK_NS_PER_S, 4000);
    assert_int_equal(report.incident->others, 1);
}

TEST(incident_is_none_when_failures_are_everyday)
{
    for (int64_t s = 0; s < 3600; s++) {
        attempts(s, 4, 200, 0);
        if (s % 3 == 0)
            attempts(s, 1, 503, 0);
    }
    find();
    assert_null(report.incident);
}

TEST(incident_is_all_of_a_log_that_is_bad_throughout)
{
    for (int64_t s = 0; s < 600; s++) {
        attempts(s, 2, 200, 0);
        attempts(s, 3, 503, 0);
    }
    find();
    assert_non_null(report.incident);
    assert_true(report.incident->whole);
    assert_int_equal(report.incident->start_ns, 0);
    assert_true(report.incident->recovered_ns == LK_TIME_NONE);
    assert_int_equal(report.incident->http.rejected, 1800);
}

/* Quiet for its first 2 % only. */
TEST(incident_may_be_nearly_all_of_the_log)
{
    for (int64_t s = 0; s < 1000; s++) {
        attempts(s, 4, 200, 0);
        if (s >= 20)
            attempts(s, 4, 503, 0);
    }
    find();
    assert_non_null(report.incident);
    assert_true(report.incident->whole);
    assert_int_equal(report.incident->http.rejected, 3920);
}

TEST(incident_tells_times_to_success_inside_it)
{
    for (int64_t s = 0; s < 3600; s++)
        attempts(s, 4, 200, 0);
    bad_minutes(1200);
    for (int64_t i = 0; i < 1000; i++) { /* 10 ms to 10 s, evenly */
        lk_call call = { .fate = LK_FATE_RECOVERED, .lines = 2, .attempts = 2,
                         .first_ns = (1300 + i % 100) * LK_NS_PER_S,
                         .span_ns = (i + 1) * 10 * LK_NS_PER_MS,
                         .waited_ns = (i + 1) * 5 * LK_NS_PER_MS };

        check_ok(lk_periods_call(&periods, &call, &e), e);
    }
    find();
    assert_non_null(report.incident);
    assert_true(fabs(report.incident->calls.success_mean_s - 5.005) < 1e-6);
    assert_true(fabs(report.incident->calls.success_p50_s - 5) < 0.2);
    assert_true(fabs(report.incident->calls.success_p99_s - 9.9) < 0.2);
    assert_true(fabs(report.incident->calls.waiting_share - 0.5) < 1e-9);
}

TEST(incident_budget_cuts_what_is_above_it)
{
    for (int64_t s = 0; s < 60; s++)
        attempts(s, 20, 200, s < 30 ? 10 : 0);
    lk_periods_evidence(&periods, &evidence);
    lk_infer_budgets(&evidence, &report);
    assert_int_equal(report.wasted.over_tenth, 300 - 90);
    assert_int_equal(report.wasted.over_fifth, 300 - 180);
}

static const struct CMUnitTest TESTS_HERE[] = {
    cmocka_unit_test_setup_teardown(incident_tells_the_tail_from_the_load, begin, end),
    cmocka_unit_test_setup_teardown(incident_counts_statuses_by_what_they_mean, begin, end),
    cmocka_unit_test_setup_teardown(incident_is_found_in_a_day, begin, end),
    cmocka_unit_test_setup_teardown(incident_of_two_the_larger, begin, end),
    cmocka_unit_test_setup_teardown(incident_is_none_when_failures_are_everyday, begin, end),
    cmocka_unit_test_setup_teardown(incident_is_all_of_a_log_that_is_bad_throughout, begin, end),
    cmocka_unit_test_setup_teardown(incident_may_be_nearly_all_of_the_log, begin, end),
    cmocka_unit_test_setup_teardown(incident_tells_times_to_success_inside_it, begin, end),
    cmocka_unit_test_setup_teardown(incident_budget_cuts_what_is_above_it, begin, end),
};

int main(void)
{
    return cmocka_run_group_tests(TESTS_HERE, NULL, NULL) != 0;
}
