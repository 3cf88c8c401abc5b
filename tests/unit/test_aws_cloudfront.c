#include "format_rows.h"

#define FORMAT (&LK_FORMAT_AWS_CLOUDFRONT)
#define PATH "testdata/format/aws-cloudfront.log"
#define T0 INT64_C(1796009100000000) /* 30 Nov 2026 03:25:00 UTC */

/* The 33 columns that a layout knows by itself. */
#define TO_METHOD "2026-11-30\t03:25:00\tDUB56-P1\t612\t203.0.113.7\tGET\td1.cloudfront.net\t"
#define TO_AGENT "\t-\t"
#define TO_TOOK "\t-\t-\tError\tSOX4==\tcdn.example.com\thttps\t310\t"
#define TAIL "\t-\tTLSv1.3\tC\tError\tHTTP/2.0\t-\t-\t1\t0.081\tOriginError\t-\t-\t-\t-"

/* clang-format off */
static const format_row FILE_ROWS[] = {
    { NULL, T0, 82000, 503, "203.0.113.7", "GET", "/v1/x", "Mozilla/5.0 (X11; Linux x86_64)", "cdn.example.com", NULL, false },
    { NULL, T0 + 7000000, 6999000, 0, "203.0.113.7", "GET", "/v1/x", "Mozilla/5.0 (X11; Linux x86_64)", "cdn.example.com", NULL, true },
};

static const format_row LINES[] = {
    { TO_METHOD "/a%20b" "\t200" TO_AGENT "sdk/1" TO_TOOK "0.001" TAIL,
      T0, 1000, 200, "203.0.113.7", "GET", "/a%20b", "sdk/1", "cdn.example.com", NULL, false },
    { TO_METHOD "/" "\t200" TO_AGENT "a%2522b%2541%zz%4" TO_TOOK "7" TAIL, /* once, and no more */
      T0, 7000000, 200, "203.0.113.7", "GET", "/", "a%22b%41%zz%4", "cdn.example.com", NULL, false },
    { TO_METHOD "/" "\t504" TO_AGENT "-" TO_TOOK "-" TAIL,
      T0, -1, 504, "203.0.113.7", "GET", "/", NULL, "cdn.example.com", NULL, false },
};

static const reject_row REJECTS[] = {
    { "#Version: 1.0",                                                       LK_REJECT_NONE },
    { "hello\tworld",                                                        LK_REJECT_UNRECOGNISED },
    { TO_METHOD "/" "\t200" TO_AGENT "-" TO_TOOK "1" TAIL "\t-",             LK_REJECT_UNRECOGNISED },
    { TO_METHOD "/" "\t200" TO_AGENT "-",                                    LK_REJECT_CUT },
    { TO_METHOD "/" "\t-" TO_AGENT "-" TO_TOOK "1" TAIL,                     LK_REJECT_STATUS },
    { "2026-11-30\t03:61:00\tD\t612\t1.1.1.1\tGET\td1\t/\t200" TO_AGENT "-" TO_TOOK "1" TAIL, LK_REJECT_TIMESTAMP },
};
/* clang-format on */

TEST(aws_cloudfront_reads_a_file)
{
    check_file(PATH, FORMAT, LK_MOMENT_END, FILE_ROWS, ROWS(FILE_ROWS), 2, 0, LK_REJECT_NONE);
}

TEST(aws_cloudfront_reads_lines)
{
    check_rows(FORMAT, LK_MOMENT_END, LINES, ROWS(LINES));
}

TEST(aws_cloudfront_says_why_a_line_is_no_request)
{
    check_rejects(FORMAT, REJECTS, ROWS(REJECTS));
}

TEST(aws_cloudfront_survives_cuts_and_long_lines)
{
    check_cuts(FORMAT, LINES[1].line, 200);
    check_long_lines(FORMAT, TO_METHOD);
}

/* An agent of more than there is room for. */
TEST(aws_cloudfront_cuts_long_agents)
{
    size_t size = 3 * LK_CACHE_TEXT;
    char *line = test_malloc(size + 1024);
    lk_layout layout;
    lk_parse_cache cache;
    lk_reject why;
    lk_fields f;

    layout_of(FORMAT, &layout);
    lk_parse_cache_init(&cache);
    strcpy(line, TO_METHOD "/\t200" TO_AGENT);
    for (size_t i = 0; i < size / 3; i++)
        strcat(line + i * 3, "%41");
    strcat(line, TO_TOOK "1" TAIL);
    check(lk_layout_parse(&layout, &cache, lk_slice_from(line), &f, &why), "%s",
          lk_reject_name(why));
    check(f.agent.len == 2048 && f.agent.p[0] == 'A' && f.agent.p[2047] == 'A', "%zu", f.agent.len);
    test_free(line);
}

/* A file whose first lines are those of another file is one without #Fields. */
TEST(aws_cloudfront_reads_a_piece_without_fields)
{
    format_file *file = file_read(PATH);
    lk_sniffer *s = file_sniff(file, 2, 4);
    lk_layout layout;

    lk_sniffer_decide(s, &layout);
    check(layout.format == FORMAT, "recognised");
    check(s->first_ns == T0 * US, "%lld", (long long)s->first_ns);
    check_lines(file, 2, 4, &layout, FILE_ROWS, 2, 0, 0, LK_REJECT_NONE);
    test_free(s);
    test_free(file);
}

TESTS(T(aws_cloudfront_reads_a_file), T(aws_cloudfront_reads_lines),
      T(aws_cloudfront_says_why_a_line_is_no_request),
      T(aws_cloudfront_survives_cuts_and_long_lines), T(aws_cloudfront_cuts_long_agents),
      T(aws_cloudfront_reads_a_piece_without_fields))
