#include "format_rows.h"

#define FORMAT (&LK_FORMAT_AWS_ELB)
#define T0 INT64_C(1796009100000000) /* 30 Nov 2026 03:25:00 UTC */

#define HEAD "2026-11-30T03:25:00.500000Z my-elb 203.0.113.7:2817 10.0.0.1:80 "
#define GET " 0 29 \"GET http://h.example:80/p?q HTTP/1.1\" \"sdk/1\" - -"

/* clang-format off */
static const format_row FILE_ROWS[] = {
    { NULL, T0 + 412345, 401178, 503, "203.0.113.7", "GET", "/api", "curl/7.38.0", "www.example.com", NULL, false },
    { NULL, T0 + 1000001, -1, 504, "203.0.113.7", "GET", "/slow", "python-requests/2.28.1", "www.example.com", NULL, false },
};

static const format_row LINES[] = {
    { HEAD "0.000073 0.401048 0.000057 503 503" GET,
      T0 + 500000, 401178, 503, "203.0.113.7", "GET", "/p", "sdk/1", "h.example", NULL, false },
    /* of 2014: nothing behind the request */
    { HEAD "0.000073 0.401048 0.000057 200 200 0 29 \"GET http://h.example:80/p HTTP/1.1\"",
      T0 + 500000, 401178, 200, "203.0.113.7", "GET", "/p", NULL, "h.example", NULL, false },
    { HEAD "-1 -1 -1 460 0" GET, T0 + 500000, -1, 460, "203.0.113.7", "GET", "/p", "sdk/1", "h.example", NULL, false },
    { HEAD "0.000073 -1 -1 408 0 0 0 \"- http://h.example:80- \" \"-\" - -",
      T0 + 500000, -1, 408, "203.0.113.7", NULL, NULL, NULL, NULL, NULL, false },
    { "2026-11-30T03:25:00Z my-elb 2001:db8::7:1 - -1 -1 -1 503 0 0 0 \"GET https://h:443/ HTTP/1.1\" \"x\" C TLSv1",
      T0, -1, 503, "2001:db8::7", "GET", "/", "x", "h", NULL, false },
};

static const reject_row REJECTS[] = {
    { "2026-11-30T03:25:00.500000Z",                             LK_REJECT_UNRECOGNISED },
    { "2026-11-30T03:25:00.500000Z ERROR worker: it failed 3:1", LK_REJECT_UNRECOGNISED },
    { "2026-11-30T03:25:00.500000Z INFO 10.0.0.1:80 - it failed", LK_REJECT_UNRECOGNISED },
    { HEAD "0.000073 0.40x048 0.000057 503 503" GET,             LK_REJECT_UNRECOGNISED },
    { HEAD "0.000073 0.401048 0.000057 503 503 0 29 - -",        LK_REJECT_UNRECOGNISED },
    { HEAD,                                                      LK_REJECT_CUT },
    { HEAD "0.000073 0.401048 0.000057 503",                     LK_REJECT_CUT },
    { HEAD "0.000073 0.401048 0.000057 503 503 0 29 \"GET http", LK_REJECT_CUT },
    { HEAD "0.001069 0.000028 0.000041 - - 82 305 \"- - - \" \"-\" - -", LK_REJECT_STATUS },
    { "2026-11-30T25:25:00.500000Z my-elb 203.0.113.7:2817 - -1 -1 -1 503 0" GET, LK_REJECT_TIMESTAMP },
    { "yesterday my-elb 203.0.113.7:2817 - -1 -1 -1 503 0" GET,  LK_REJECT_TIMESTAMP },
};
/* clang-format on */

TEST(aws_elb_reads_a_file)
{
    check_file("testdata/format/aws-elb.log", FORMAT, LK_MOMENT_START, FILE_ROWS, ROWS(FILE_ROWS),
               0, 1, LK_REJECT_STATUS);
}

TEST(aws_elb_reads_lines)
{
    check_rows(FORMAT, LK_MOMENT_START, LINES, ROWS(LINES));
}

TEST(aws_elb_says_why_a_line_is_no_request)
{
    check_rejects(FORMAT, REJECTS, ROWS(REJECTS));
}

TEST(aws_elb_survives_cuts_and_long_lines)
{
    check_cuts(FORMAT, LINES[0].line, 503);
    check_long_lines(FORMAT, HEAD);
    check_long_lines(FORMAT, HEAD "0.1 0.1 0.1 503 503 0 29 \"");
}

TESTS(T(aws_elb_reads_a_file), T(aws_elb_reads_lines), T(aws_elb_says_why_a_line_is_no_request),
      T(aws_elb_survives_cuts_and_long_lines))
