#include "format_lines.h"

/* clang-format off */
static const line_row NATIVE[] = {
    { "1796009352.117      5 127.0.0.1 TCP_MISS/200 224 GET http://127.0.0.1:9101/ok? - FIRSTUP_PARENT/127.0.0.1 -",
      "2026-11-30T03:29:12.117Z", 5, "127.0.0.1", "GET", "/ok", 200, NULL, "127.0.0.1:9101", false },
    { "1796009353.324   1041 ::1 TCP_MISS/503 224 POST http://h.example/slow/1?q=%20 joe HIER_DIRECT/127.0.0.1 text/html",
      "2026-11-30T03:29:13.324Z", 1041, "::1", "POST", "/slow/1", 503, NULL, "h.example", false },
    { "1796009353.958    590 127.0.0.1 TCP_MISS_ABORTED/000 0 GET http://127.0.0.1:9101/slow/3 - HIER_DIRECT/127.0.0.1 -",
      "2026-11-30T03:29:13.958Z", 590, "127.0.0.1", "GET", "/slow/3", 0, NULL, "127.0.0.1:9101", true },
    { "1796009353.958    590 127.0.0.1 TCP_MISS_ABORTED/200 0 GET http://127.0.0.1:9101/slow/3 - HIER_DIRECT/127.0.0.1 -",
      "2026-11-30T03:29:13.958Z", 590, "127.0.0.1", "GET", "/slow/3", 200, NULL, "127.0.0.1:9101", true },
    { "1796009353.993     21 127.0.0.1 TCP_TUNNEL/200 1664 CONNECT 127.0.0.1:8443 - HIER_DIRECT/127.0.0.1 -",
      "2026-11-30T03:29:13.993Z", 21, "127.0.0.1", "CONNECT", "127.0.0.1:8443", 200, NULL, NULL, false },
    { "1796009354.029      0 127.0.0.1 NONE_NONE/400 3375 - error:invalid-request - HIER_NONE/- text/html",
      "2026-11-30T03:29:14.029Z", 0, "127.0.0.1", NULL, NULL, 400, NULL, NULL, false },
    { "1796009354.361      - 127.0.0.1 NONE/400 3565 GET /noabs - HIER_NONE/- text/html",
      "2026-11-30T03:29:14.361Z", -1, "127.0.0.1", "GET", "/noabs", 400, NULL, NULL, false },
    /* a site's own columns */
    { "1796009353.345      0 127.0.0.1 TCP_MISS/503 3445 GET http://127.0.0.1:9199/refused - HIER_DIRECT/127.0.0.1 text/html \"-\" \"curl/7.88.1\" \"3\" tl=30/Nov/2026:03:29:13 +0000 tS=1796009353.344 dt=-",
      "2026-11-30T03:29:13.345Z", 0, "127.0.0.1", "GET", "/refused", 503, "curl/7.88.1", "127.0.0.1:9199", false },
    { "1796009353.345      0 127.0.0.1 TCP_MISS/503 3445 GET http://127.0.0.1:9199/refused - HIER_DIRECT/127.0.0.1 text/html \"curl/7",
      "2026-11-30T03:29:13.345Z", 0, "127.0.0.1", "GET", "/refused", 503, NULL, "127.0.0.1:9199", false },
};

static const line_row COMBINED[] = {
    /* quotes are not escaped */
    { "127.0.0.1 - - [30/Nov/2026:03:29:12 +0000] \"GET http://127.0.0.1:9101/ok? HTTP/1.1\" 200 224 \"-\" \"U \"q\" b\\s\" TCP_MISS:FIRSTUP_PARENT",
      "2026-11-30T03:29:12.000Z", -1, "127.0.0.1", "GET", "/ok", 200, "U \"q\" b\\s", "127.0.0.1:9101", false },
    { "127.0.0.1 - - [30/Nov/2026:03:29:13 +0000] \"GET http://127.0.0.1:9101/slow/3 HTTP/1.1\" 0 0 \"-\" \"curl/7.88.1\" TCP_MISS_ABORTED:HIER_DIRECT",
      "2026-11-30T03:29:13.000Z", -1, "127.0.0.1", "GET", "/slow/3", 0, "curl/7.88.1", "127.0.0.1:9101", true },
    { "127.0.0.1 - - [30/Nov/2026:03:29:14 +0000] \"- error:invalid-request HTTP/1.1\" 400 3375 \"-\" \"-\" NONE_NONE:HIER_NONE",
      "2026-11-30T03:29:14.000Z", -1, "127.0.0.1", NULL, NULL, 400, NULL, NULL, false },
    { "127.0.0.1 - - [30/Nov/2026:04:29:12 +0100] \"GET http://127.0.0.1:9101/status/429 HTTP/1.1\" 429 255 TCP_MISS:HIER_DIRECT",
      "2026-11-30T03:29:12.000Z", -1, "127.0.0.1", "GET", "/status/429", 429, NULL, "127.0.0.1:9101", false },
};

static const reject_row REJECTS[] = {
    { "1796009352.117 hello",                                                                    LK_REJECT_UNRECOGNISED },
    { "1796009352.11      5 127.0.0.1 TCP_MISS/200 224 GET http://h/ - HIER_DIRECT/1.2.3.4 -",   LK_REJECT_UNRECOGNISED },
    { "1796009352.117      5 127.0.0.1 TCP_MISS 200 224 GET http://h/ - HIER_DIRECT/1.2.3.4 -",  LK_REJECT_UNRECOGNISED },
    { "1796009352.117      5 127.0.0.1 miss/200 224 GET http://h/ - HIER_DIRECT/1.2.3.4 -",      LK_REJECT_UNRECOGNISED },
    { "1796009352.117      5 127.0.0.1 TCP_MISS/200 224 GET http://h/ - direct -",               LK_REJECT_UNRECOGNISED },
    { "9996009352.117      5 127.0.0.1 TCP_MISS/200 224 GET http://h/ - HIER_DIRECT/1.2.3.4 -",  LK_REJECT_TIMESTAMP },
    { "1796009352.117      5 127.0.0.1 TCP_MISS/2000 224 GET http://h/ - HIER_DIRECT/1.2.3.4 -", LK_REJECT_STATUS },
    { "1796009352.117      5 127.0.0.1 TCP_MISS/ 224 GET http://h/ - HIER_DIRECT/1.2.3.4 -",     LK_REJECT_STATUS },
    { "1796009352.117      5 127.0.0.1",                                                         LK_REJECT_CUT },
    { "1796009352.117      5 127.0.0.1 TCP_MI",                                                  LK_REJECT_CUT },
    { "1796009352.117      5 127.0.0.1 TCP_MISS/200 224 GET http://h/lo",                        LK_REJECT_CUT },
    { "1796009352.117      5 127.0.0.1 TCP_MISS/200 224 GET http://h/ - HIER_DI",                LK_REJECT_CUT },
    { "h - - [31/Nov/2026:03:29:14 +0000] \"GET / HTTP/1.1\" 400 1 \"-\" \"-\" NONE_NONE:HIER_NONE", LK_REJECT_TIMESTAMP },
    { "h - - [30/Nov/2026:03:29:14 +0000] \"GET / HTTP/1.1\" no 1 \"-\" \"-\" NONE_NONE:HIER_NONE",  LK_REJECT_STATUS },
};
/* clang-format on */

TEST(squid_reads_its_own_format)
{
    for (size_t i = 0; i < ROWS(NATIVE); i++)
        check_row(i, &NATIVE[i], LK_MOMENT_END, false);
}

TEST(squid_reads_combined_and_common)
{
    for (size_t i = 0; i < ROWS(COMBINED); i++)
        check_row(i, &COMBINED[i], LK_MOMENT_END, false);
}

TEST(squid_says_why_a_line_is_no_request)
{
    check_rejects(REJECTS, ROWS(REJECTS));
}

TEST(squid_survives_every_cut_of_a_line)
{
    for (size_t i = 0; i < ROWS(NATIVE); i++)
        check_cuts(NATIVE[i].line);
    for (size_t i = 0; i < ROWS(COMBINED); i++)
        check_cuts(COMBINED[i].line);
}

/* One Squid wrote the same ten requests in four formats. */
TEST(squid_reads_its_samples)
{
    static const struct {
        const char *file, *format;
    } FILES[] = {
        { "squid-access.log", "squid" },
        { "squid-wide.log", "squid" },
        { "squid-combined.log", "squid-combined" },
        { "squid-common.log", "squid-combined" },
    };

    for (size_t i = 0; i < ROWS(FILES); i++) {
        sample_counts n = count_sample(FILES[i].file, FILES[i].format);

        check(n.lines == 10 && n.parsed == 10 && n.gave_up == 1, "%s", FILES[i].file);
        check(n.status[0] == 1 && n.status[200] == 4 && n.status[400] == 2 && n.status[429] == 1 &&
                  n.status[503] == 2,
              "%s", FILES[i].file);
    }
}

TESTS(T(squid_reads_its_own_format), T(squid_reads_combined_and_common),
      T(squid_says_why_a_line_is_no_request), T(squid_survives_every_cut_of_a_line),
      T(squid_reads_its_samples))
