#include "format_rows.h"

#define FORMAT (&LK_FORMAT_AWS_ALB)
#define T0 INT64_C(1796009100000000) /* 30 Nov 2026 03:25:00 UTC */

/* A line of all columns but the last ones. */
#define HEAD "https 2026-11-30T03:25:00.500000Z app/a/1 203.0.113.7:40712 10.0.3.11:8080 "
#define GET " 100 200 \"GET https://h.example:443/p?q HTTP/1.1\" \"sdk/1\" "
#define ARN "C TLSv1.2 arn:aws:x "

/* clang-format off */
static const format_row FILE_ROWS[] = {
    { NULL, T0 + 412345, 405345, 503, "203.0.113.7", "POST", "/v1/jobs", "OpenAI/JS 6.49.0", "api.example.com",
      "1-6a7b2c3d-0123456789abcdef01234567", false },
    { NULL, T0 + 10007900, 10001900, 504, "203.0.113.7", "GET", "/v1/jobs/7", "curl/8.5.0", "api.example.com",
      "1-6a7b2c47-0123456789abcdef01234568", false },
    { NULL, T0 + 11100000, 10000000, 460, "2001:db8::7", NULL, NULL, NULL, NULL, NULL, false },
    { NULL, T0 + 12100000, 2000, 200, "203.0.113.9", "GET", "/", "curl/7.46.0", "www.example.com",
      "1-6a7b2c48-36d228ad5d99923122bbe354", false },
};

static const format_row LINES[] = {
    /* of 2016: no creation time, so the three timers count */
    { HEAD "0.001 0.404 0.002 503 503" GET ARN "\"Root=1-a-b\"",
      T0 + 500000, 407000, 503, "203.0.113.7", "GET", "/p", "sdk/1", "h.example", "1-a-b", false },
    { HEAD "0.001 -1 -1 502 -" GET ARN "\"Root=1-a-b\" \"-\" \"-\" 0",
      T0 + 500000, -1, 502, "203.0.113.7", "GET", "/p", "sdk/1", "h.example", "1-a-b", false },
    { HEAD "-1 -1 -1 503 -" GET ARN "\"-\" \"-\" \"-\" 0 2026-11-30T03:25:00.250Z \"-\"",
      T0 + 500000, 250000, 503, "203.0.113.7", "GET", "/p", "sdk/1", "h.example", NULL, false },
    /* creation times that say nothing: behind the stamp, none, cut, years before */
    { HEAD "0.001 0.404 0.002 200 200" GET ARN "\"-\" \"-\" \"-\" 0 2026-11-30T03:25:00.600Z",
      T0 + 500000, 407000, 200, "203.0.113.7", "GET", "/p", "sdk/1", "h.example", NULL, false },
    { HEAD "0.001 0.404 0.002 200 200" GET ARN "\"-\" \"-\" \"-\" 0 - \"-\"",
      T0 + 500000, 407000, 200, "203.0.113.7", "GET", "/p", "sdk/1", "h.example", NULL, false },
    { HEAD "0.001 0.404 0.002 200 200" GET ARN "\"-\" \"-\" \"-\" 0 2026-11-30T03:2",
      T0 + 500000, 407000, 200, "203.0.113.7", "GET", "/p", "sdk/1", "h.example", NULL, false },
    { HEAD "0.001 0.404 0.002 200 200" GET ARN "\"-\" \"-\" \"-\" 0 1970-01-01T00:00:00.000Z",
      T0 + 500000, 407000, 200, "203.0.113.7", "GET", "/p", "sdk/1", "h.example", NULL, false },
    /* statuses of the balancer's own */
    { HEAD "-1 -1 -1 000 -" GET "- - -", T0 + 500000, -1, 0, "203.0.113.7", "GET", "/p", "sdk/1", "h.example", NULL, false },
    { HEAD "-1 -1 -1 463 -" GET "- - -", T0 + 500000, -1, 463, "203.0.113.7", "GET", "/p", "sdk/1", "h.example", NULL, false },
    { HEAD "-1 -1 -1 561 -" GET "- - -", T0 + 500000, -1, 561, "203.0.113.7", "GET", "/p", "sdk/1", "h.example", NULL, false },
    /* types and addresses */
    { "wss 2026-11-30T03:25:00Z app/a/1 [2001:db8::7]:1 - -1 -1 -1 101 101 0 0 \"GET wss://[::1]:443/ws HTTP/1.1\" \"x\"",
      T0, -1, 101, "2001:db8::7", "GET", "/ws", "x", "::1", NULL, false },
    { "grpcs 2026-11-30T03:25:00Z app/a/1 ::1:40000 10.0.0.1:1 0.000 0.000 0.000 200 200 0 0 \"POST https://h HTTP/2.0\" \"x\"",
      T0, 0, 200, "::1", "POST", "/", "x", "h", NULL, false },
    { "ws 2026-11-30T03:25:00Z app/a/1 203.0.113.7:1 - -1 -1 -1 400 - 0 0 \"- ws://h:80- -\" \"-\"",
      T0, -1, 400, "203.0.113.7", NULL, NULL, NULL, NULL, NULL, false },
    /* agents and traces */
    { HEAD "0.001 0.404 0.002 200 200 1 2 \"GET /p HTTP/1.1\" \"a \\\"b\\\" c\" C T A \"Self=1-x;Root=1-a-b;k=v\"",
      T0 + 500000, 407000, 200, "203.0.113.7", "GET", "/p", "a \\\"b\\\" c", NULL, "1-a-b", false },
    { HEAD "0.001 0.404 0.002 200 200 1 2 \"GET /p HTTP/1.1\" \"a \"b\" c", /* cut in the agent */
      T0 + 500000, 407000, 200, "203.0.113.7", "GET", "/p", "a \"b", NULL, NULL, false },
    { HEAD "0.001 0.404 0.002 200 200 1 2 \"GET /p HTTP/1.1\" \"Mozi",
      T0 + 500000, 407000, 200, "203.0.113.7", "GET", "/p", NULL, NULL, NULL, false },
};

static const reject_row REJECTS[] = {
    { "https hello",                                             LK_REJECT_UNRECOGNISED },
    { "https 2026-11-30T03:25:00.500000Z app/a/1",               LK_REJECT_UNRECOGNISED },
    { "https 2026-11-30T03:25:00.500000Z GET /index.html 200 1", LK_REJECT_UNRECOGNISED },
    { "tls 2026-11-30T03:25:00.500000Z app/a/1 203.0.113.7:40712 - -1 -1 -1 503 -" GET, LK_REJECT_UNRECOGNISED },
    { HEAD "x 0.404 0.002 503 503" GET,                          LK_REJECT_UNRECOGNISED },
    { HEAD "0.001 0.404 0.002 503 503 100 2x \"GET\"",           LK_REJECT_UNRECOGNISED },
    { HEAD "0.001 0.404 0.002 503 503 100 200 GET /p",           LK_REJECT_UNRECOGNISED },
    { HEAD,                                                      LK_REJECT_CUT },
    { HEAD "0.001 0.404 0.",                                     LK_REJECT_CUT },
    { HEAD "0.001 0.404 0.002 503 503 100",                      LK_REJECT_CUT },
    { HEAD "0.001 0.404 0.002 503 503 100 200 \"GET https://h",  LK_REJECT_CUT },
    { HEAD "0.001 0.404 0.002 - 503" GET,                        LK_REJECT_STATUS },
    { HEAD "0.001 0.404 0.002 50 503" GET,                       LK_REJECT_STATUS },
    { HEAD "0.001 0.404 0.002 5033 503" GET,                     LK_REJECT_STATUS },
    { "h2 2026-13-30T03:25:00.500000Z app/a/1 203.0.113.7:40712 - -1 -1 -1 503 -" GET, LK_REJECT_TIMESTAMP },
    { "h2 2026-11-30T03:25:00.500000 app/a/1 203.0.113.7:40712 - -1 -1 -1 503 -" GET,  LK_REJECT_TIMESTAMP },
    { "h2 1960-11-30T03:25:00.500000Z app/a/1 203.0.113.7:40712 - -1 -1 -1 503 -" GET, LK_REJECT_TIMESTAMP },
};
/* clang-format on */

TEST(aws_alb_reads_a_file)
{
    check_file("testdata/format/aws-alb.log", FORMAT, LK_MOMENT_END, FILE_ROWS, ROWS(FILE_ROWS), 0,
               0, LK_REJECT_NONE);
}

TEST(aws_alb_reads_lines)
{
    check_rows(FORMAT, LK_MOMENT_END, LINES, ROWS(LINES));
}

TEST(aws_alb_says_why_a_line_is_no_request)
{
    check_rejects(FORMAT, REJECTS, ROWS(REJECTS));
}

TEST(aws_alb_survives_cuts_and_long_lines)
{
    check_cuts(FORMAT, LINES[2].line, 503);
    check_cuts(FORMAT, LINES[13].line, 200);
    check_long_lines(FORMAT, HEAD);
    check_long_lines(FORMAT, HEAD "-1 -1 -1 503 - 1 2 \"");
    check_long_lines(FORMAT, HEAD "-1 -1 -1 503 -" GET);
}

#define TRIED HEAD "0.001 0.4 0.0 200 200" GET ARN "\"-\" \"-\" \"-\" 0 2026-11-30T03:25:00.25Z \"forward\" \"-\" \"-\" "

static void check_tries(const char *line, size_t count, unsigned first)
{
    lk_parse_cache cache;
    lk_layout layout;
    lk_reject why;
    lk_fields f;

    lk_layout_init(&layout);
    lk_parse_cache_init(&cache);
    check(lk_layout_parse(&layout, &cache, lk_slice_from(line), &f, &why), "%s", line);
    check(f.try_count == count, "%s: %zu tries", line, f.try_count);
    check(count == 0 || (f.tries[0].status == first && f.tries[count - 1].status == 200), "%s", line);
}

/* More targets than one: those before the last answered something else, or nothing. */
TEST(aws_alb_reads_targets_that_were_tried)
{
    check_tries(TRIED "\"10.0.0.1:80\" \"200\" \"-\" \"-\" T", 0, 0);
    check_tries(TRIED "\"-\" \"-\" \"-\" \"-\" T", 0, 0);
    check_tries(TRIED "\"10.0.0.1:80 10.0.0.2:80\" \"502 200\" \"-\" \"-\" T", 2, 502);
    check_tries(TRIED "\"10.0.0.1:80 10.0.0.2:80 [::1]:80\" \"- 503 200\"", 3, LK_STATUS_UNKNOWN);
    check_tries(TRIED "\"10.0.0.1:80 10.0.0.2:80\" \"200\"", 2, 200);
    check_tries(TRIED "\"10.0.0.1:80 10.0.0.2:80\"", 0, 0);
}

/* In a file of another format the slots of ids have other meanings. */
TEST(aws_alb_gives_its_id_to_its_own_layout_only)
{
    lk_layout layout;
    lk_parse_cache cache;
    lk_reject why;
    lk_fields f;

    layout_of(FORMAT, &layout);
    check(
        layout.id_count == 1 && strcmp(layout.id_name[0], "trace_id") == 0 && !layout.id_is_call[0],
        "the id");
    layout.format = &LK_FORMAT_JSON;
    lk_parse_cache_init(&cache);
    check(lk_layout_parse(&layout, &cache, lk_slice_from(LINES[0].line), &f, &why), "read");
    check(!f.id[0].p && f.moment == LK_MOMENT_END, "no id");
}

TESTS(T(aws_alb_reads_a_file), T(aws_alb_reads_lines), T(aws_alb_says_why_a_line_is_no_request),
      T(aws_alb_survives_cuts_and_long_lines),
      T(aws_alb_reads_targets_that_were_tried), T(aws_alb_gives_its_id_to_its_own_layout_only))
