#include "unit.h"

#include "base/time.h"
#include "base/hash.h"
#include "link/sdk_lines.h"

#include <string.h>

static lk_sdk sdk;
static lk_sdk_lines lines;
static lk_report report;
static lk_arena arena;
static lk_symbols symbols;
static lk_err err;

static void begin_within(const char *keys, int64_t since_ns, int64_t until_ns)
{
    lk_sdk_release(&sdk);
    lk_sdk_lines_release(&lines);
    lk_arena_init(&arena, 0);
    lk_sdk_init(&sdk);
    assert_int_equal(lk_sdk_lines_init(&lines, keys, since_ns, until_ns, &sdk, &arena, &err), LK_OK);
}

static void begin(const char *keys)
{
    begin_within(keys, LK_TIME_NONE, LK_TIME_NONE);
}

static bool take(const char *line)
{
    err = (lk_err){ 0 };
    return lk_sdk_lines_take(&lines, lk_slice_from(line), &err) == LK_OK;
}

static void finish(void)
{
    assert_int_equal(lk_sdk_lines_end(&lines, &err), LK_OK);
    lk_sdk_report(&sdk, &symbols, &report);
    lk_sdk_release(&sdk);
    lk_sdk_lines_release(&lines);
    lk_arena_release(&arena);
}

TEST(sdk_counts_calls_by_outcome)
{
    begin(NULL);
    assert_true(take("{\"ts\":1786686252.105,\"call_id\":\"a\",\"duration_s\":0.1,\"outcome\":\"ok\",\"attempts\":1}"));
    assert_true(take("{\"ts\":1786686253,\"call_id\":\"b\",\"duration_s\":24.5,\"outcome\":\"ok\",\"attempts\":3}"));
    assert_true(take("{\"ts\":\"2026-08-14T05:45:30Z\",\"outcome\":\"failed\",\"attempts\":4}"));
    lk_report_init(&report);
    finish();
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
    static const char *const BAD[] = { "{", "[]", "null", "{\"ts\":1}", "{\"outcome\":\"ok\"}",
                                       "{\"ts\":\"yesterday\",\"outcome\":\"ok\"}",
                                       "{\"ts\":1e300,\"outcome\":\"ok\"}" };

    begin(NULL);
    for (size_t i = 0; i < ROWS(BAD); i++)
        check(!take(BAD[i]), "row %zu: '%s'", i, BAD[i]);
    assert_int_equal(lines.rejected, ROWS(BAD));
    assert_int_equal(sdk.calls, 0);
    lk_report_init(&report);
    report.calls.source = "inferred";
    finish(); /* nothing in it: the access log's own counts stay */
    assert_string_equal(report.calls.source, "inferred");
}

TEST(sdk_keeps_to_the_window)
{
    static const char *const LINES[] = { "{\"ts\":99.5,\"outcome\":\"ok\"}",
                                         "{\"ts\":100,\"outcome\":\"ok\"}",
                                         "{\"ts\":199.999,\"outcome\":\"ok\"}",
                                         "{\"ts\":200,\"outcome\":\"ok\"}" };

    begin_within(NULL, 100 * LK_NS_PER_S, 200 * LK_NS_PER_S);
    for (size_t i = 0; i < ROWS(LINES); i++)
        check(take(LINES[i]), "row %zu", i);
    assert_int_equal(sdk.calls, 2);
    assert_int_equal(sdk.filtered, 2);
}

TEST(sdk_takes_recoveries_that_only_the_log_shows)
{
    begin(NULL);
    for (int i = 0; i < 10; i++)
        assert_true(take("{\"ts\":1,\"outcome\":\"ok\",\"attempts\":1}"));
    lk_report_init(&report);
    report.calls.source = "identity";
    report.calls.recovered = 4; /* a proxy below the SDK tried again */
    report.input.identity_call = "invocation_id";
    finish();
    assert_int_equal(report.calls.recovered, 4);
    assert_int_equal(report.calls.succeeded_first, 6);
}

TEST(sdk_says_what_is_wrong_with_a_line)
{
    static const struct {
        const char *line, *part;
    } ROWS_[] = {
        { "{\"outcome\":\"ok\"}", "no 'ts'" },
        { "{\"ts\":1}", "no 'outcome'" },
        { "{\"ts\":\"noon\",\"outcome\":\"ok\"}", "'ts' is neither" },
        { "{\"ts\":", "not a JSON object" },
        { "a,b,c", "header of a CSV: no column 'ts'" },
        { "ts,duration_s", "no column 'outcome'" },
    };

    begin(NULL);
    for (size_t i = 0; i < ROWS(ROWS_); i++) {
        check(!take(ROWS_[i].line), "row %zu", i);
        check(strstr(err.msg, ROWS_[i].part) != NULL, "row %zu: %s", i, err.msg);
    }
    assert_true(take("ts,outcome,\"client\""));
    assert_false(take("1,ok"));
    assert_non_null(strstr(err.msg, "2 columns, where the header has 3"));
    assert_false(take("1,\"ok,x"));
    assert_non_null(strstr(err.msg, "not closed"));
    finish();
}

TEST(sdk_reads_csv_and_other_names)
{
    begin("ts=at,call_id=request.id,duration_ms=took,outcome=result");
    assert_true(take("took;result;at;request.id;attempts"));
    assert_true(take("250;ok;2026-08-14T05:45:30Z;a;2"));
    assert_true(take("\"80\";\"timeout\";1786686253000;\"b\"\"c\";4"));
    assert_int_equal(sdk.calls, 2);
    assert_int_equal(sdk.failed, 1);
    assert_int_equal(sdk.recovered, 1);
    assert_float_equal(sdk.span_sum_s, 0.25, 1e-9);
    assert_int_equal(sdk.last_ns / LK_NS_PER_S, 1786686330);
    assert_int_equal(sdk.first_ns / LK_NS_PER_S, 1786686253);
    assert_int_equal(sdk.id_count, 2);
    finish();
    begin("ts=t,call_id=request.id,outcome=res.done");
    assert_true(take("{\"t\":1786686252,\"request\":{\"id\":\"a\"},\"res\":{\"done\":true}}"));
    assert_true(take("{\"t\":1786686252,\"request.id\":\"a\",\"res\":{\"done\":false}}"));
    assert_int_equal(sdk.failed, 1);
    assert_int_equal(sdk.ids[0].id, lk_hash("a", 1));
    assert_int_equal(sdk.ids[1].id, lk_hash("a", 1));
    finish();
}

TEST(sdk_keys_are_checked)
{
    static const char *const BAD[] = { "", "ts", "ts=", "time=x", "ts=a,ts=b", "ts=a,,outcome=b" };

    lk_arena_init(&arena, 0);
    for (size_t i = 0; i < ROWS(BAD); i++)
        check(lk_sdk_lines_init(&lines, BAD[i], 0, 0, &sdk, &arena, &err) == LK_EUSAGE, "row %zu", i);
    lk_arena_release(&arena);
}

#define SPAN(trace, self, parent, kind, from, to, attributes)                                       \
    "{\"traceId\":\"" trace "\",\"spanId\":\"" self "\",\"parentSpanId\":\"" parent "\",\"kind\":" kind \
    ",\"startTimeUnixNano\":\"" from "000000000\",\"endTimeUnixNano\":\"" to "000000000\",\"attributes\":[" \
    attributes "]}"
#define LINE_OF(spans) "{\"resourceSpans\":[{\"scopeSpans\":[{\"spans\":[" spans "]}]}]}"
#define STATUS_OF(n) "{\"key\":\"http.response.status_code\",\"value\":{\"intValue\":\"" n "\"}}"
#define RESEND(n) ",{\"key\":\"http.request.resend_count\",\"value\":{\"intValue\":\"" n "\"}}"

TEST(sdk_spans_make_calls)
{
    begin(NULL);
    /* two attempts of one call, in two lines and in the wrong order; an inner span; a server's span */
    assert_true(take(LINE_OF(SPAN("AB12", "02", "99", "3", "1786686260", "1786686262",
                                  STATUS_OF("200") RESEND("1")) ","
                             SPAN("ab12", "77", "", "2", "1786686250", "1786686290", STATUS_OF("200")))));
    assert_true(take(LINE_OF(SPAN("ab12", "01", "99", "\"SPAN_KIND_CLIENT\"", "1786686252", "1786686253",
                                  STATUS_OF("503")))));
    /* the next call of the same parent, which fails; the span that encloses both attempts is left out */
    assert_true(take(LINE_OF(SPAN("ab12", "03", "99", "3", "1786686270", "1786686271", STATUS_OF("503")) ","
                             SPAN("ab12", "04", "99", "3", "1786686272", "1786686273",
                                  STATUS_OF("429") RESEND("1")) ","
                             SPAN("ab12", "99", "77", "3", "1786686250", "1786686290", STATUS_OF("500")))));
    assert_false(take(LINE_OF(SPAN("ab13", "", "", "3", "1786686270", "1786686271", STATUS_OF("200")) ","
                              SPAN("ab14", "06", "", "3", "1786686270", "1786686271", STATUS_OF("200")))));
    assert_non_null(strstr(err.msg, "spanId"));
    lk_report_init(&report);
    finish();
    assert_int_equal(report.calls.total, 3);
    assert_int_equal(report.calls.failed, 1);
    assert_int_equal(report.calls.recovered, 1);
    assert_int_equal(report.calls.attempts_max, 2);
    assert_float_equal(report.calls.success_max_s, 10, 1e-9);
}

static void attempt(const char *id, const char *agent, int64_t at_s)
{
    lk_attempt a = { .start_ns = at_s * LK_NS_PER_S, .end_ns = at_s * LK_NS_PER_S + LK_NS_PER_MS };

    if (id)
        a.id[1] = lk_hash(id, strlen(id));
    a.id[2] = lk_hash_mix((uint64_t)at_s); /* on every line another one */
    assert_int_equal(lk_intern_id(&symbols.populations, lk_slice_from(agent), &a.population, &err),
                     LK_OK);
    assert_int_equal(lk_sdk_attempt(&sdk, &a, &err), LK_OK);
}

TEST(sdk_ids_are_looked_for_in_both_logs)
{
    assert_int_equal(lk_symbols_init(&symbols, 1, &err), LK_OK);
    begin(NULL);
    assert_true(take("{\"ts\":100,\"call_id\":\"a\",\"outcome\":\"ok\",\"client\":\"x\"}"));
    assert_true(take("{\"ts\":110,\"call_id\":\"b\",\"outcome\":\"refused\",\"client\":\"x\"}"));
    assert_true(take("{\"ts\":120,\"call_id\":\"c\",\"outcome\":\"ok\",\"client\":\"x\"}"));
    /* of another client no id is ever seen: its server does not log them */
    assert_true(take("{\"ts\":120,\"call_id\":\"web-1\",\"outcome\":\"ok\",\"client\":\"browsers\"}"));
    /* after the access log's end */
    assert_true(take("{\"ts\":900,\"call_id\":\"d\",\"outcome\":\"ok\",\"client\":\"x\"}"));
    attempt(NULL, "probe", 90);
    attempt("a", "sdk/1", 100);
    attempt("a", "sdk/1", 102);
    attempt("q", "sdk/1", 104); /* twice the same call, which the record lacks */
    attempt("q", "sdk/1", 106);
    attempt("z", "other", 107); /* of callers that no record tells of */
    attempt("c", "sdk/1", 120);
    attempt(NULL, "probe", 130);
    lk_report_init(&report);
    finish();
    assert_int_equal(report.calls.total, 5);
    assert_int_equal(report.calls.never_seen_in_http, 1);
    assert_int_equal(report.calls.never_seen_in_sdk, 1);
    lk_symbols_release(&symbols);
}

TEST(sdk_without_ids_is_compared_by_user_agent)
{
    lk_err e;

    assert_int_equal(lk_symbols_init(&symbols, 1, &err), LK_OK);
    begin(NULL);
    for (int i = 0; i < 5; i++)
        assert_true(take("{\"ts\":100,\"outcome\":\"ok\",\"client\":\"OpenAI/Python\"}"));
    assert_true(take("{\"ts\":100,\"outcome\":\"ok\",\"client\":\"unheard\"}"));
    attempt(NULL, "openai/python 1.2", 99);
    attempt(NULL, "openai/pythonic", 99);
    attempt(NULL, "openai/python 1.2", 101);
    for (int i = 0; i < 3; i++)
        assert_int_equal(lk_sdk_linked(&sdk, 0, 100 * LK_NS_PER_S, &e), LK_OK);
    assert_int_equal(lk_sdk_linked(&sdk, 1, 100 * LK_NS_PER_S, &e), LK_OK);
    assert_int_equal(lk_sdk_linked(&sdk, 0, 200 * LK_NS_PER_S, &e), LK_OK); /* after the record */
    lk_report_init(&report);
    finish();
    assert_int_equal(report.calls.never_seen_in_http, 2);
    assert_int_equal(report.calls.never_seen_in_sdk, 0);
    lk_symbols_release(&symbols);
}

TESTS(T(sdk_counts_calls_by_outcome), T(sdk_rejects_what_is_no_call), T(sdk_keeps_to_the_window),
      T(sdk_takes_recoveries_that_only_the_log_shows), T(sdk_says_what_is_wrong_with_a_line),
      T(sdk_reads_csv_and_other_names), T(sdk_keys_are_checked), T(sdk_spans_make_calls),
      T(sdk_ids_are_looked_for_in_both_logs), T(sdk_without_ids_is_compared_by_user_agent))
