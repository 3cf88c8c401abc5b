#include "format_rows.h"

#define FORMAT (&LK_FORMAT_AWS_S3)
#define T0 INT64_C(1796009100000000) /* 30 Nov 2026 03:25:00 UTC */

#define OWNER "79a59df900b949e55d96a1e698fbacedfd6e09d98eacf8f8d5218e7cd47ef2be"
#define HEAD OWNER " b [30/Nov/2026:03:25:00 +0000] 203.0.113.7 - 3E57427F3 REST.GET.OBJECT data/x "
#define GET "\"GET /b/data/x?x-id=GetObject HTTP/1.1\" "

/* clang-format off */
static const format_row FILE_ROWS[] = {
    { NULL, T0, 12000, 503, "203.0.113.7", "PUT", "/data/part-0001.gz", "aws-sdk-js/3.1174.0 ua/2.1 os/linux lang/js",
      "my-bucket.s3.eu-west-1.amazonaws.com", NULL, false },
    { NULL, T0 + 1000000, 70000, 200, "203.0.113.7", "GET", "/data/x", "curl/7.15.1", NULL, NULL, false },
};

static const format_row LINES[] = {
    /* of today, with the region at the end */
    { HEAD GET "503 SlowDown 713 - 12 - \"-\" \"sdk/1\" - aG9zdA== SigV4 C AuthHeader b.s3.amazonaws.com TLSv1.3 - Yes us-east-1",
      T0, 12000, 503, "203.0.113.7", "GET", "/b/data/x", "sdk/1", "b.s3.amazonaws.com", NULL, false },
    { HEAD GET "200 - 713 713 - - - - -", T0, -1, 200, "203.0.113.7", "GET", "/b/data/x", NULL, NULL, NULL, false },
    { HEAD "- 200 - - 713 7 - - - -", T0, 7000, 200, "203.0.113.7", NULL, NULL, NULL, NULL, NULL, false }, /* the second record of a copy */
    { HEAD "\"-\" 400 RequestTimeout - - 20001 - \"-\" \"-\" -", T0, 20001000, 400, "203.0.113.7", NULL, NULL, NULL, NULL, NULL, false },
    { "- b [30/Nov/2026:04:25:00 +0100] 2001:db8::7 - 3E57427F3 REST.GET.OBJECT x " GET "404 NoSuchKey",
      T0, -1, 404, "2001:db8::7", "GET", "/b/data/x", NULL, NULL, NULL, false },
    { HEAD GET "200 - 1 1 5 4 \"http://r/\\\"\" \"a \\\"b\\\" c\" v h s c a b.s3.amazonaws.com:443",
      T0, 5000, 200, "203.0.113.7", "GET", "/b/data/x", "a \\\"b\\\" c", "b.s3.amazonaws.com", NULL, false },
};

static const reject_row REJECTS[] = {
    { OWNER,                                               LK_REJECT_UNRECOGNISED },
    { OWNER " b 30/Nov/2026:03:25:00",                     LK_REJECT_UNRECOGNISED },
    { "79a59df900b949e55d96a1e698fbaced b [30/Nov/2026:03:25:00 +0000] 203.0.113.7 - 3 R.G k " GET "200", LK_REJECT_UNRECOGNISED },
    { OWNER " b [30/Nov/2026:03:25:00",                    LK_REJECT_CUT },
    { HEAD,                                                LK_REJECT_CUT },
    { HEAD "\"GET /b/da",                                  LK_REJECT_CUT },
    { HEAD GET,                                            LK_REJECT_CUT },
    { HEAD GET "- - - 10 - - \"-\" \"-\" -",               LK_REJECT_STATUS },
    { HEAD "- - - - 10 - - \"-\" \"-\" -",                 LK_REJECT_STATUS },
    { HEAD GET "20 -",                                     LK_REJECT_STATUS },
    { OWNER " b [31/Nov/2026:03:25:00 +0000] 203.0.113.7 - 3 R.G k " GET "200", LK_REJECT_TIMESTAMP },
    { OWNER " b [30/Nov/2026:03:25:00 GMT] 203.0.113.7 - 3 R.G k " GET "200",   LK_REJECT_TIMESTAMP },
    { OWNER " b [30/Nov/2026:03:25:00 +0000 203.0.113.7 - 3 R.G k " GET "200",  LK_REJECT_TIMESTAMP },
};
/* clang-format on */

TEST(aws_s3_reads_a_file)
{
    check_file("testdata/format/aws-s3.log", FORMAT, LK_MOMENT_START, FILE_ROWS, ROWS(FILE_ROWS), 0,
               1, LK_REJECT_STATUS);
}

TEST(aws_s3_reads_lines)
{
    check_rows(FORMAT, LK_MOMENT_START, LINES, ROWS(LINES));
}

TEST(aws_s3_says_why_a_line_is_no_request)
{
    check_rejects(FORMAT, REJECTS, ROWS(REJECTS));
}

TEST(aws_s3_survives_cuts_and_long_lines)
{
    check_cuts(FORMAT, LINES[0].line, 503);
    check_long_lines(FORMAT, HEAD);
    check_long_lines(FORMAT, HEAD "\"");
    check_long_lines(FORMAT, HEAD GET "503 ");
}

TESTS(T(aws_s3_reads_a_file), T(aws_s3_reads_lines), T(aws_s3_says_why_a_line_is_no_request),
      T(aws_s3_survives_cuts_and_long_lines))
