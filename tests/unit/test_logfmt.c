#include "format/logfmt.h"
#include "format_lines.h"

#define FRONT "time=2026-11-30T03:25:00.310Z "

/* clang-format off */
static const line_row LINES[] = {
    { FRONT "level=info msg=\"http request\" method=GET path=\"/a?b=1\" status=503 duration=226ms remote_addr=203.0.113.7:4711 user_agent=\"curl/8.5.0 (\\\"x\\\")\"",
      "2026-11-30T03:25:00.310Z", 226, "203.0.113.7", "GET", "/a", 503, "curl/8.5.0 (\"x\")", NULL, false },
    { "ts=1796009100.310 http_method=POST uri=http://h.example/x http_status=429 latency=1.5s fwd=\"203.0.113.9, 10.0.0.1\" ua=go",
      "2026-11-30T03:25:00.310Z", 1500, "203.0.113.9", "POST", "/x", 429, "go", NULL, false },
    { "timestamp=\"2026-11-30 03:25:00.310Z\" request=\"GET /y HTTP/1.1\" status=200 duration_ms=12 ip=::1",
      "2026-11-30T03:25:00.310Z", 12, "::1", "GET", "/y", 200, NULL, NULL, false },
    { FRONT "method=GET path=/ status=200 request_time=0.250 client_ip=10.0.0.1",
      "2026-11-30T03:25:00.310Z", 250, "10.0.0.1", "GET", "/", 200, NULL, NULL, false },
    /* a stamp without a key; Rails, whose duration is in milliseconds */
    { "2026-11-30T03:25:00.310Z method=GET path=/jobs/1.json format=json controller=JobsController action=show status=200 duration=58 view=40.43 db=15.26",
      "2026-11-30T03:25:00.310Z", 58, NULL, "GET", "/jobs/1.json", 200, NULL, NULL, false },
    /* words, empty values, a quote that never closes */
    { FRONT "request done method=GET path=/ user= status=200 msg=\"cut",
      "2026-11-30T03:25:00.310Z", -1, NULL, "GET", "/", 200, NULL, NULL, false },
};

static const reject_row REJECTS[] = {
    { "level=info msg=starting",                                     LK_REJECT_UNRECOGNISED },
    { FRONT "level=info status=200",                                 LK_REJECT_UNRECOGNISED },
    { FRONT "level=info method=GET path=/",                          LK_REJECT_UNRECOGNISED },
    { "no equals sign, status 200 GET /",                            LK_REJECT_UNRECOGNISED },
    { "method=GET path=/ status=200",                                LK_REJECT_NO_TIME },
    { "time=noon method=GET path=/ status=200",                      LK_REJECT_TIMESTAMP },
    { FRONT "method=GET path=/ status=ok",                           LK_REJECT_STATUS },
    { FRONT "method=GET path=/ status=2000",                         LK_REJECT_STATUS },
};

/* clang-format on */

TEST(logfmt_reads_lines)
{
    for (size_t i = 0; i < ROWS(LINES); i++)
        check_row(i, &LINES[i], LK_MOMENT_UNKNOWN, false);
}

TEST(logfmt_says_why_a_line_is_no_request)
{
    check_rejects(REJECTS, ROWS(REJECTS));
}

TEST(logfmt_survives_every_cut_of_a_line)
{
    for (size_t i = 0; i < ROWS(LINES); i++)
        check_cuts(LINES[i].line);
}

/* Keys and what they mean are those of JSON lines: ids and attempts too. */
TEST(logfmt_learns_keys)
{
    static const char *const TEXT[] = {
        FRONT
        "method=GET path=/ status=503 duration=1ms idempotency_key=k1 attempt=1 retry_after=2",
        FRONT "method=GET path=/ status=200 duration=2ms idempotency_key=k1 attempt=2",
    };
    lk_sniffer *s = test_malloc(sizeof(*s));
    lk_parse_cache cache;
    lk_layout layout;
    lk_reject why;
    lk_fields f;

    lk_sniffer_init(s);
    for (size_t i = 0; i < ROWS(TEXT); i++)
        lk_sniffer_line(s, lk_slice_from(TEXT[i]));
    lk_sniffer_decide(s, &layout);
    test_free(s);
    check(layout.format && strcmp(layout.format->name, "logfmt") == 0, "format");
    check(layout.id_count >= 1 && strcmp(layout.id_name[0], "idempotency_key") == 0, "id");
    lk_parse_cache_init(&cache);
    check(lk_layout_parse(&layout, &cache, lk_slice_from(TEXT[0]), &f, &why), "parse");
    check(lk_slice_is(f.id[0], "k1") && f.attempt_no == 1, "attempt %d", f.attempt_no);
    check(f.retry_after_ns == 2 * LK_NS_PER_S && f.moment == layout.moment, "retry-after");
}

TESTS(T(logfmt_reads_lines), T(logfmt_says_why_a_line_is_no_request),
      T(logfmt_survives_every_cut_of_a_line), T(logfmt_learns_keys))
