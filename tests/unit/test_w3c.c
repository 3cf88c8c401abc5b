#include "format_rows.h"

#define FORMAT (&LK_FORMAT_W3C)
#define PATH "testdata/format/w3c-iis.log"
#define T0 INT64_C(1796009100000000) /* 30 Nov 2026 03:25:00 UTC */

/* The 15 columns that a layout knows by itself. */
#define HEAD "2026-11-30 03:25:00 10.0.0.4 GET /p q=1 443 - 203.0.113.7 "

/* clang-format off */
static const format_row FILE_ROWS[] = {
    { NULL, T0, 15000, 503, "203.0.113.7", "GET", "/api/jobs", "Mozilla/5.0 (X11; Linux x86_64)", NULL, NULL, false },
    { NULL, T0 + 1000000, 1203000, 200, "2001:db8::7", "POST", "/api/jobs", "python-requests/2.28.1", NULL, NULL, true },
    { NULL, T0 + 60000000, 3000, 429, "203.0.113.7", "GET", "/x", "curl/8.5.0", NULL, NULL, false },
};

static const format_row LINES[] = {
    { HEAD "sdk/1 - 200 0 0 0", T0, 0, 200, "203.0.113.7", "GET", "/p", "sdk/1", NULL, NULL, false },
    { HEAD "- - 200 0 0 -", T0, -1, 200, "203.0.113.7", "GET", "/p", NULL, NULL, NULL, false },
    { HEAD "sdk/1 - 200 0 0 0.25", T0, 250000, 200, "203.0.113.7", "GET", "/p", "sdk/1", NULL, NULL, false },
    { HEAD "a+(b;++http://c+d) - 500 0 1236 7", T0, 7000, 500, "203.0.113.7", "GET", "/p", "a (b; +http://c d)", NULL, NULL, true },
    /* quotes that are part of a value, and such as hold blanks */
    { HEAD "\"a+\"b - 200 0 0 7", T0, 7000, 200, "203.0.113.7", "GET", "/p", "\"a \"b", NULL, NULL, false },
    { HEAD "\"a b c\" - 200 0 0 7", T0, 7000, 200, "203.0.113.7", "GET", "/p", "a b c", NULL, NULL, false },
    /* tabs as the draft has them */
    { "2026-11-30\t03:25:00.125\ts\tGET\t/p\t-\t443\t-\t::1\t\"a b\"\t-\t200\t0\t0\t7",
      T0 + 125000, 7000, 200, "::1", "GET", "/p", "a b", NULL, NULL, false },
};

static const reject_row REJECTS[] = {
    { "#Software: IIS",                                                    LK_REJECT_NONE },
    { "hello",                                                             LK_REJECT_UNRECOGNISED },
    { "2026/11/30 03:25:00 [error] 1#1: x",                                LK_REJECT_UNRECOGNISED },
    { HEAD "sdk/1 - 200 0 0 0 0",                                          LK_REJECT_UNRECOGNISED },
    { HEAD "sdk 1 - 200 0 0 0",                                            LK_REJECT_UNRECOGNISED },
    { HEAD "sdk/1 - 200 0 0",                                              LK_REJECT_CUT },
    { HEAD,                                                                LK_REJECT_CUT },
    { HEAD "sdk/1 - - 0 0 0",                                              LK_REJECT_STATUS },
    { HEAD "sdk/1 - 20 0 0 0",                                             LK_REJECT_STATUS },
    { "2026-11-31 03:25:00 s GET /p - 1 - c a - 200 0 0 0",                LK_REJECT_TIMESTAMP },
    { "2026-11-30 03:25 s GET /p - 1 - c a - 200 0 0 0",                   LK_REJECT_TIMESTAMP },
    { "2026-11-30 03:25:00Z s GET /p - 1 - c a - 200 0 0 0",               LK_REJECT_TIMESTAMP },
    { "1960-11-30 03:25:00 s GET /p - 1 - c a - 200 0 0 0",                LK_REJECT_TIMESTAMP },
    { "- 03:25:00 s GET /p - 1 - c a - 200 0 0 0",                         LK_REJECT_TIMESTAMP },
};
/* clang-format on */

TEST(w3c_reads_a_file)
{
    check_file(PATH, FORMAT, LK_MOMENT_END, FILE_ROWS, ROWS(FILE_ROWS), 5, 0, LK_REJECT_NONE);
}

TEST(w3c_reads_lines)
{
    check_rows(FORMAT, LK_MOMENT_END, LINES, ROWS(LINES));
}

TEST(w3c_says_why_a_line_is_no_request)
{
    check_rejects(FORMAT, REJECTS, ROWS(REJECTS));
}

TEST(w3c_survives_cuts_and_long_lines)
{
    check_cuts(FORMAT, LINES[3].line, 500);
    check_cuts(FORMAT, LINES[5].line, 200);
    check_cuts(FORMAT, LINES[6].line, 200);
    check_long_lines(FORMAT, HEAD);
    check_long_lines(FORMAT, HEAD "\"");
}

/* ---- what #Fields says ---- */

/* One line below one directive. */
static bool read_under(const char *fields, const char *line, lk_layout *layout,
                       lk_parse_cache *cache, lk_fields *f)
{
    lk_sniffer *s = test_malloc(sizeof(*s));
    lk_reject why;

    lk_sniffer_init(s);
    lk_sniffer_line(s, lk_slice_from(fields));
    lk_sniffer_line(s, lk_slice_from(line));
    lk_sniffer_decide(s, layout);
    test_free(s);
    lk_parse_cache_init(cache);
    check(!lk_layout_parse(layout, cache, lk_slice_from(fields), f, &why) && why == LK_REJECT_NONE,
          "a directive is no line");
    return lk_layout_parse(layout, cache, lk_slice_from(line), f, &why);
}

TEST(w3c_knows_its_columns_by_name)
{
    lk_parse_cache cache;
    lk_layout layout;
    lk_fields f;

    check(read_under("#Fields: DATE time cs-host X-Forwarded-For cs(USER-AGENT) sc-status cs-uri",
                     "2026-11-30 03:25:00 h.example:8080 203.0.113.7,+10.0.0.1 a 503 http://h/p?q",
                     &layout, &cache, &f),
          "read");
    check_text(f.caller, "203.0.113.7", 0);
    check_text(f.host, "h.example", 0);
    check_text(f.target, "/p", 0);
    check_text(f.agent, "a", 0);
    check(f.took_ns == -1 && f.status == 503 && layout.format == FORMAT, "the rest");
    check(!read_under("#Fields: time c-ip sc-status", "03:25:00 h 200", &layout, &cache, &f),
          "no date");
    check(!read_under("#Fields: date time c-ip", "2026-11-30 03:25:00 h", &layout, &cache, &f),
          "no status");
}

TEST(w3c_reads_ids_and_attempts_from_headers)
{
    static const char FIELDS[] =
        "#Fields: date time sc-status X-Request-ID cs(amz-sdk-invocation-id) cs(amz-sdk-request) "
        "cs(X-Stainless-Retry-Count) sc(Retry-After)";
    lk_parse_cache cache;
    lk_layout layout;
    lk_fields f;

    check(read_under(FIELDS, "2026-11-30 03:25:00 503 r-1 i-1 attempt=2;+max=3 - 12", &layout,
                     &cache, &f),
          "read");
    check(layout.id_count == 2 && layout.id_is_call[0] && !layout.id_is_call[1], "slots");
    check(strcmp(layout.id_name[0], "amz_sdk_invocation_id") == 0, "%s", layout.id_name[0]);
    check(strcmp(layout.id_name[1], "x_request_id") == 0, "%s", layout.id_name[1]);
    check_text(f.id[0], "i-1", 0);
    check_text(f.id[1], "r-1", 0);
    check(f.attempt_no == 2 && f.attempt_max == 3, "%d of %d", f.attempt_no, f.attempt_max);
    check(f.retry_after_ns == 12 * LK_NS_PER_S, "%lld", (long long)f.retry_after_ns);
    check(read_under(FIELDS, "2026-11-30 03:25:00 503 - - - 1 -", &layout, &cache, &f), "read");
    check(f.attempt_no == 2 && !f.id[0].p && !f.id[1].p, "from the retry counter");
}

TEST(w3c_refuses_more_columns_than_fit)
{
    char fields[1024] = "#Fields: date time sc-status", line[1024] = "2026-11-30 03:25:00 200";
    lk_parse_cache cache;
    lk_layout layout;
    lk_fields f;

    for (size_t i = 3; i < LK_W3C_COLUMNS_MAX; i++) {
        strcat(fields, " x");
        strcat(line, " -");
    }
    check(read_under(fields, line, &layout, &cache, &f), "all fit");
    strcat(fields, " x");
    strcat(line, " -");
    check(!read_under(fields, line, &layout, &cache, &f), "too many");
    check(!layout.format, "nothing is known");
}

/* ---- pieces ---- */

/* The lines behind the cut are read as in the whole, in either order of the pieces. */
TEST(w3c_reads_a_log_in_pieces)
{
    static const struct {
        size_t cut, rows, ignored;
    } CUTS[] = { { 5, 2, 1 }, { 6, 1, 1 }, { 7, 1, 0 } };
    format_file *file = file_read(PATH);

    check(file->count == 8, "%zu lines", file->count);
    for (size_t i = 0; i < ROWS(CUTS) * 2; i++) {
        size_t cut = CUTS[i / 2].cut, rows = CUTS[i / 2].rows;
        lk_sniffer *a = file_sniff(file, 0, cut), *b = file_sniff(file, cut, file->count);
        /* as when the first piece ended below the second #Fields line */
        lk_sniffer *c = file_sniff(file, 0, cut == 7 ? 7 : 0);
        lk_layout layout;

        check(lk_sniffer_is_alike(a, b) && lk_sniffer_is_alike(b, a), "cut at %zu", cut);
        lk_sniffer_merge(i % 2 ? a : b, i % 2 ? b : a);
        lk_sniffer_merge(i % 2 ? a : b, c);
        lk_sniffer_decide(i % 2 ? a : b, &layout);
        check(layout.format == FORMAT, "cut at %zu", cut);
        check_lines(file, cut, file->count, &layout, FILE_ROWS + 3 - rows, rows,
                    CUTS[i / 2].ignored, 0, LK_REJECT_NONE);
        test_free(c);
        test_free(b);
        test_free(a);
    }
    test_free(file);
}

/* The same four, whatever the order and however often. */
TEST(w3c_keeps_a_few_fields_lines)
{
    lk_w3c_columns columns[6];
    lk_w3c_set sets[2];

    memset(sets, 0, sizeof(sets));
    for (size_t i = 0; i < ROWS(columns); i++) {
        static const char NAMES[] = "date time c-ip cs-method sc-status time-taken cs-host";

        lk_w3c_columns_of((lk_slice){ NAMES, 9 + i * 8 }, &columns[i]);
    }
    for (size_t i = 0; i < 3 * ROWS(columns); i++) {
        lk_w3c_set_add(&sets[0], &columns[i % 6]);
        lk_w3c_set_add(&sets[1], &columns[5 - i % 6]);
    }
    check(memcmp(&sets[0], &sets[1], sizeof(sets[0])) == 0, "any order");
    for (size_t i = 0; i < LK_W3C_SET_MAX; i++)
        check(sets[0].items[i].count > 0, "place %zu", i);
}

TEST(w3c_leaves_other_logs_alone)
{
    static const char *const OTHERS[] = {
        "2026-11-30 03:25:00 INFO it failed",
        "2026-11-30 03:25:00 GET it failed /p",
        "2026-11-30 03:25:00 GET /p 2000 1",
        "2026-11-30T03:25:00Z GET /p 200",
        "203.0.113.7 - - [30/Nov/2026:03:25:00 +0000] \"GET /p HTTP/1.1\" 200 1",
    };

    for (size_t i = 0; i < ROWS(OTHERS); i++) {
        lk_sniffer *s = test_malloc(sizeof(*s));
        lk_layout layout;

        lk_sniffer_init(s);
        lk_sniffer_line(s, lk_slice_from(OTHERS[i]));
        lk_sniffer_decide(s, &layout);
        check(layout.format != FORMAT && layout.format != &LK_FORMAT_AWS_CLOUDFRONT, "%s",
              OTHERS[i]);
        test_free(s);
    }
}

TESTS(T(w3c_reads_a_file), T(w3c_reads_lines), T(w3c_says_why_a_line_is_no_request),
      T(w3c_survives_cuts_and_long_lines), T(w3c_knows_its_columns_by_name),
      T(w3c_reads_ids_and_attempts_from_headers), T(w3c_refuses_more_columns_than_fit),
      T(w3c_reads_a_log_in_pieces), T(w3c_keeps_a_few_fields_lines), T(w3c_leaves_other_logs_alone))
