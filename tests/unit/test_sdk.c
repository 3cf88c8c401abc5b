#include "unit.h"

#include "base/time.h"
#include "link/sdk.h"

static lk_sdk sdk;
static lk_report report;

static bool take(const char *line)
{
    return lk_sdk_take(&sdk, lk_slice_from(line), LK_TIME_NONE, LK_TIME_NONE);
}

TEST(sdk_counts_calls_by_outcome)
{
    lk_sdk_init(&sdk);
    assert_true(take("{\"ts\":1786686252.105,\"call_id\":\"a\",\"duration_s\":0.1,\"outcome\":\"ok\",\"attempts\":1}"));
    assert_true(take("{\"ts\":1786686253,\"call_id\":\"b\",\"duration_s\":24.5,\"outcome\":\"ok\",\"attempts\":3}"));
    assert_true(take("{\"ts\":\"2026-08-14T05:45:30Z\",\"outcome\":\"failed\",\"attempts\":4}"));
    lk_report_init(&report);
    lk_sdk_report(&sdk, &report);
    assert_string_equal(report.calls.source, "sdk-log");
    assert_int_equal(report.calls.total, 3);
    assert_int_equal(report.calls.failed, 1);
    assert_int_equal(report.calls.recovered, 1);
    assert_int_equal(report.calls.succeeded_first, 1);
    assert_int_equal(report.calls.attempts_max, 4);
    assert_float_equal(report.calls.success_max_s, 24.5, 1e-9);
    assert_float_equal(report.calls.success_mean_s, 12.3, 1e-9);
}

TEST(sdk_rejects_what_is_no_call)
{
    static const char *const BAD[] = { "", "{", "[]", "null", "{\"ts\":1}", "{\"outcome\":\"ok\"}",
                                       "{\"ts\":\"yesterday\",\"outcome\":\"ok\"}",
                                       "{\"ts\":1e300,\"outcome\":\"ok\"}" };

    lk_sdk_init(&sdk);
    for (size_t i = 0; i < ROWS(BAD); i++)
        check(!take(BAD[i]), "row %zu: '%s'", i, BAD[i]);
    assert_int_equal(sdk.rejected, ROWS(BAD));
    assert_int_equal(sdk.calls, 0);
    lk_report_init(&report);
    report.calls.source = "inferred";
    lk_sdk_report(&sdk, &report); /* nothing in it: the access log's own counts stay */
    assert_string_equal(report.calls.source, "inferred");
}

TEST(sdk_keeps_to_the_window)
{
    static const char *const LINES[] = { "{\"ts\":99.5,\"outcome\":\"ok\"}",
                                         "{\"ts\":100,\"outcome\":\"ok\"}",
                                         "{\"ts\":199.999,\"outcome\":\"ok\"}",
                                         "{\"ts\":200,\"outcome\":\"ok\"}" };

    lk_sdk_init(&sdk);
    for (size_t i = 0; i < ROWS(LINES); i++)
        check(lk_sdk_take(&sdk, lk_slice_from(LINES[i]), 100 * LK_NS_PER_S, 200 * LK_NS_PER_S),
              "row %zu", i);
    assert_int_equal(sdk.calls, 2);
    assert_int_equal(sdk.filtered, 2);
}

TEST(sdk_takes_recoveries_that_only_the_log_shows)
{
    lk_sdk_init(&sdk);
    for (int i = 0; i < 10; i++)
        assert_true(take("{\"ts\":1,\"outcome\":\"ok\",\"attempts\":1}"));
    lk_report_init(&report);
    report.calls.source = "identity";
    report.calls.recovered = 4; /* a proxy below the SDK tried again */
    report.input.identity_call = "invocation_id";
    lk_sdk_report(&sdk, &report);
    assert_int_equal(report.calls.recovered, 4);
    assert_int_equal(report.calls.succeeded_first, 6);
}

TESTS(T(sdk_counts_calls_by_outcome), T(sdk_rejects_what_is_no_call), T(sdk_keeps_to_the_window),
      T(sdk_takes_recoveries_that_only_the_log_shows))
