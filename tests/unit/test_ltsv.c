#include "format_lines.h"

#define FRONT "time:[30/Nov/2026:03:25:00 +0000]\thost:203.0.113.7\t"

/* clang-format off */
static const line_row LINES[] = {
    /* nginx and Apache httpd as ltsv.org shows them */
    { "time:30/Nov/2026:03:25:00 +0000\thost:203.0.113.7\tforwardedfor:198.51.100.1\treq:GET /a?b=1 HTTP/1.1\tstatus:503\tsize:12\treferer:-\tua:curl/8.5.0 (x: y)\treqtime:0.123\tcache:-\truntime:-\tvhost:api.example",
      "2026-11-30T03:25:00.000Z", 123, "203.0.113.7", "GET", "/a", 503, "curl/8.5.0 (x: y)", "api.example", false },
    { "host:203.0.113.7\tident:-\tuser:frank\ttime:[30/Nov/2026:04:25:00 +0100]\treq:POST / HTTP/1.1\tstatus:200\tsize:2326\treferer:http://h/?a=b\tua:Mozilla/5.0 \"q\"",
      "2026-11-30T03:25:00.000Z", -1, "203.0.113.7", "POST", "/", 200, "Mozilla/5.0 \"q\"", NULL, false },
    /* the parts by themselves; microseconds say it better than seconds */
    { FRONT "method:PUT\turi:/x?y=1\tprotocol:HTTP/1.1\tstatus:429\treqtime:1\treqtime_microsec:1234000",
      "2026-11-30T03:25:00.000Z", 1234, "203.0.113.7", "PUT", "/x", 429, NULL, NULL, false },
    /* an address of its own: the host is the one that was asked */
    { "time:2026-11-30T03:25:00.310Z\tremote_addr:::1\thost:h.example\trequest:GET / HTTP/2.0\tstatus:499\ttaken_sec:0.5\tuser_agent:",
      "2026-11-30T03:25:00.310Z", 500, "::1", "GET", "/", 499, NULL, "h.example", false },
    /* labels without a unit: as web servers write seconds, or with it */
    { FRONT "req:GET /y HTTP/1.1\tstatus:200\tresponse_time:0.250", "2026-11-30T03:25:00.000Z", 250, "203.0.113.7", "GET", "/y", 200, NULL, NULL, false },
    { FRONT "req:GET /y HTTP/1.1\tstatus:200\ttaken:12ms",          "2026-11-30T03:25:00.000Z", 12,  "203.0.113.7", "GET", "/y", 200, NULL, NULL, false },
    { FRONT "req:GET /y HTTP/1.1\tstatus:200\ttaken:12",            "2026-11-30T03:25:00.000Z", -1,  "203.0.113.7", "GET", "/y", 200, NULL, NULL, false },
};

static const reject_row REJECTS[] = {
    { FRONT "req:GET / HTTP/1.1",                                   LK_REJECT_UNRECOGNISED },
    { FRONT "status:200\tsize:5",                                   LK_REJECT_UNRECOGNISED },
    { FRONT "req:GET / HTTP/1.1\tstatus:200\tno label",             LK_REJECT_UNRECOGNISED },
    { "time:[30/Nov/2026:03:25:00 +0000] req:GET / status:200",     LK_REJECT_UNRECOGNISED },
    { "host:203.0.113.7\treq:GET / HTTP/1.1\tstatus:200",           LK_REJECT_NO_TIME },
    { "time:noon\treq:GET / HTTP/1.1\tstatus:200",                  LK_REJECT_TIMESTAMP },
    { FRONT "req:GET / HTTP/1.1\tstatus:ok",                        LK_REJECT_STATUS },
};

/* clang-format on */

TEST(ltsv_reads_lines)
{
    for (size_t i = 0; i < ROWS(LINES); i++)
        check_row(i, &LINES[i], LK_MOMENT_UNKNOWN, false);
}

TEST(ltsv_says_why_a_line_is_no_request)
{
    check_rejects(REJECTS, ROWS(REJECTS));
}

TEST(ltsv_survives_every_cut_of_a_line)
{
    for (size_t i = 0; i < ROWS(LINES); i++)
        check_cuts(LINES[i].line);
}

/* Ids, attempts and hidden tries have the keys of JSON lines. */
TEST(ltsv_learns_labels)
{
    static const char *const TEXT[] = {
        FRONT "req:GET / HTTP/1.1\tstatus:200\treqtime:0.010\tidempotency_key:k1\tattempt:1\t"
              "retry_after:2\tupstream_status:502, 200\tupstream_response_time:0.004, 0.006",
        FRONT "req:GET / HTTP/1.1\tstatus:200\treqtime:0.020\tidempotency_key:k1\tattempt:2\t"
              "retry_after:\tupstream_status:200\tupstream_response_time:0.006",
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
    check(layout.format && strcmp(layout.format->name, "ltsv") == 0, "format");
    check(layout.id_count >= 1 && strcmp(layout.id_name[0], "idempotency_key") == 0, "id");
    lk_parse_cache_init(&cache);
    check(lk_layout_parse(&layout, &cache, lk_slice_from(TEXT[0]), &f, &why), "parse");
    check(lk_slice_is(f.id[0], "k1") && f.attempt_no == 1, "attempt %d", f.attempt_no);
    check(f.retry_after_ns == 2 * LK_NS_PER_S && f.moment == layout.moment, "retry-after");
    check(f.try_count == 2 && f.tries[0].status == 502, "%zu tries", f.try_count);
}

TESTS(T(ltsv_reads_lines), T(ltsv_says_why_a_line_is_no_request),
      T(ltsv_survives_every_cut_of_a_line), T(ltsv_learns_labels))
