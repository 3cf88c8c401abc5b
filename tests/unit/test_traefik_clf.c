#include "format_lines.h"

/* clang-format off */
static const line_row LINES[] = {
    { "203.0.113.7 - - [30/Nov/2026:03:25:00 +0000] \"GET /api?x=1 HTTP/2.0\" 503 19 \"-\" \"Mozilla/5.0 (X11)\" 8123 \"api@docker\" \"http://172.18.0.5:80\" 12ms",
      "2026-11-30T03:25:00.000Z", 12, "203.0.113.7", "GET", "/api", 503, "Mozilla/5.0 (X11)", NULL, false },
    { "2001:db8::7 - joe [30/Nov/2026:03:25:01 +0000] \"GET / HTTP/1.1\" 404 19 \"-\" \"-\" 8124 \"-\" \"-\" 0ms",
      "2026-11-30T03:25:01.000Z", 0, "2001:db8::7", "GET", "/", 404, NULL, NULL, false },
    /* quotes raw, as until 2026, and escaped */
    { "203.0.113.7 - - [30/Nov/2026:03:25:02 +0000] \"GET /api HTTP/1.1\" 499 21 \"http://r/\"q\"\" \"U \"q\" 12 \"x\" b\\\" 8125 \"api@docker\" \"http://172.18.0.5:80\" 700ms",
      "2026-11-30T03:25:02.000Z", 700, "203.0.113.7", "GET", "/api", 499, "U \"q\" 12 \"x\" b\\", NULL, false },
    { "203.0.113.7 - - [30/Nov/2026:03:25:02 +0000] \"GET /api HTTP/1.1\" 200 21 \"-\" \"a \\\"b\\\"\" 8125 \"api@docker\" \"http://172.18.0.5:80\" 1ms",
      "2026-11-30T03:25:02.000Z", 1, "203.0.113.7", "GET", "/api", 200, "a \\\"b\\\"", NULL, false },
};

static const reject_row REJECTS[] = {
    { "h - - [31/Nov/2026:03:25:00 +0000] \"GET / HTTP/2.0\" 503 19 \"-\" \"-\" 1 \"r\" \"s\" 12ms", LK_REJECT_TIMESTAMP },
    { "h - - [30/Nov/2026:03:25:00 +0000] \"GET / HTTP/2.0\" 5x3 19 \"-\" \"-\" 1 \"r\" \"s\" 12ms",   LK_REJECT_STATUS },
    { "r \"s\" \"t\" 12ms",                                                                        LK_REJECT_UNRECOGNISED },
};

/* Other columns than Traefik's: lines of the family. */
static const char *const OTHERS[] = {
    "h - - [30/Nov/2026:03:25:00 +0000] \"GET / HTTP/2.0\" 503 19 \"-\" \"-\" x \"r\" \"s\" 12ms",
    "h - - [30/Nov/2026:03:25:00 +0000] \"GET / HTTP/2.0\" 503 19 \"-\" \"-\" 1 \"r\" 12ms",
    "h - - [30/Nov/2026:03:25:00 +0000] \"GET / HTTP/2.0\" 503 19 \"-\" \"-\" 12ms",
    "h - - [30/Nov/2026:03:25:00 +0000] \"GET / HTTP/2.0\" 503 19 \"-\" \"-\" 1 \"r\" \"s\" 12",
    "h - - [30/Nov/2026:03:25:00 +0000] \"GET / HTTP/2.0\" 503 19 1 \"r\" \"s\" 12ms",
    "h - - [30/Nov/2026:03:25:00 +0000] \"GET /? 0\" 503 19er\" \"http://s\" 12ms",
};
/* clang-format on */

TEST(traefik_clf_reads_lines)
{
    for (size_t i = 0; i < ROWS(LINES); i++)
        check_row(i, &LINES[i], LK_MOMENT_START, false);
}

TEST(traefik_clf_says_why_a_line_is_no_request)
{
    check_rejects(REJECTS, ROWS(REJECTS));
}

TEST(traefik_clf_leaves_other_columns_alone)
{
    for (size_t i = 0; i < ROWS(OTHERS); i++) {
        lk_parse_cache cache;
        lk_reject why;
        lk_fields f;

        check(parse_alone(&cache, OTHERS[i], &f, &why), "row %zu", i);
        check(f.moment == LK_MOMENT_UNKNOWN && f.took_ns == -1, "row %zu", i);
    }
}

TEST(traefik_clf_survives_every_cut_of_a_line)
{
    for (size_t i = 0; i < ROWS(LINES); i++)
        check_cuts(LINES[i].line);
}

TEST(traefik_clf_reads_its_sample)
{
    sample_counts n = count_sample("traefik-clf.log", "traefik-clf");

    check(n.lines == 3 && n.parsed == 3 && n.status[503] == 1 && n.status[499] == 1, "sample");
}

TESTS(T(traefik_clf_reads_lines), T(traefik_clf_says_why_a_line_is_no_request),
      T(traefik_clf_leaves_other_columns_alone), T(traefik_clf_survives_every_cut_of_a_line),
      T(traefik_clf_reads_its_sample))
