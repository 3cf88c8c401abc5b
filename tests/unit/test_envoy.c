#include "format_lines.h"

/* clang-format off */
static const line_row ROWS_OF[] = {
    { "[2026-11-30T03:25:00.310Z] \"POST /api/v1/locations HTTP/2\" 503 URX 154 91 226 - \"203.0.113.7,10.0.35.28\" \"OpenAI/JS 6.49.0\" \"cc21d9b0-cf5c-432b-8c7e-98aeb7988cd2\" \"api.example.com\" \"10.0.2.1:8080\"",
      "2026-11-30T03:25:00.310Z", 226, "203.0.113.7", "POST", "/api/v1/locations", 503, "OpenAI/JS 6.49.0", "api.example.com", false },
    /* quotes are not escaped; the client left */
    { "[2026-11-30T03:25:00.900Z] \"GET /x HTTP/1.1\" 0 DC 0 0 700 - \"-\" \"U \"q\" b\" \"11111111-2222-4333-8444-555555555555\" \"api.example.com\" \"10.0.2.1:8080\"",
      "2026-11-30T03:25:00.900Z", 700, NULL, "GET", "/x", 0, "U \"q\" b", "api.example.com", true },
    { "[2026-11-30T03:25:00.900Z] \"GET /x HTTP/1.1\" 503 UF,DC 0 0 7 - \"-\" \"a\" \"b\" \" c\" \"d\" \"e\" \"f:1\"",
      "2026-11-30T03:25:00.900Z", 7, NULL, "GET", "/x", 503, "a\" \"b\" \" c", "e", true },
    { "[2026-11-30T03:25:00.900Z] \"GET /x\" HTTP/1.1\" 503 UO 0 0 7 - \"-\" \"\"\" \"d\" \"e\" \"f:1\"",
      "2026-11-30T03:25:00.900Z", 7, NULL, "GET", "/x\"", 503, "\"", "e", false },
    /* nothing was asked for */
    { "[2026-11-30T03:25:01.000Z] \"- - HTTP/1.1\" 400 DPE 0 11 0 - \"-\" \"-\" \"-\" \"-\" \"-\"",
      "2026-11-30T03:25:01.000Z", 0, NULL, NULL, NULL, 400, NULL, NULL, false },
    { "[2026-11-30T03:25:01.500Z] \"- - -\" 0 UF,URX - - 30 - \"-\" \"-\" \"-\" \"-\" \"10.0.2.9:443\"",
      "2026-11-30T03:25:01.500Z", 30, NULL, NULL, NULL, 0, NULL, NULL, false },
    /* the query goes; a list with blanks; an old upstream; a zone; no duration */
    { "[2026-11-30T05:25:01.500+02:00] \"GET /a?b=1 HTTP/1.1\" 429 RL 0 0 - - \"2001:db8::1, 10.0.0.1\" \"curl/8.5.0\" \"-\" \"h:80\" \"tcp://10.0.2.1:8080\"",
      "2026-11-30T03:25:01.500Z", -1, "2001:db8::1", "GET", "/a", 429, "curl/8.5.0", "h:80", false },
    /* Istio: the one who connected stands in for X-Forwarded-For */
    { "[2026-11-30T03:25:00.310Z] \"GET /status/503 HTTP/1.1\" 503 URX via_upstream - \"-\" 0 0 61 60 \"-\" \"curl/8.5.0\" \"84961386-6d84-929d-98bd-c5aee93b5c88\" \"httpbin:8000\" \"10.44.1.27:80\" outbound|8000||httpbin.default.svc.cluster.local 10.44.1.23:37652 10.0.45.184:8000 10.44.1.23:46520 - default",
      "2026-11-30T03:25:00.310Z", 61, "10.44.1.23", "GET", "/status/503", 503, "curl/8.5.0", "httpbin:8000", false },
    { "[2026-11-30T03:25:00.310Z] \"GET /s HTTP/1.1\" 503 UF upstream_reset{connection_failure,delayed connect error: 111} - \"delayed \"connect\" error: 111\" 0 0 61 - \"203.0.113.9\" \"c\" \"i\" \"h\" \"10.44.1.27:80\" outbound|80||h - 10.0.45.184:8000 [2001:db8::9]:46520 - default",
      "2026-11-30T03:25:00.310Z", 61, "203.0.113.9", "GET", "/s", 503, "c", "h", false },
    { "[2026-11-30T03:25:00.310Z] \"GET /s HTTP/1.1\" 200 - via_upstream - \"-\" 0 0 61 - \"-\" \"c\" \"i\" \"h\" \"-\" outbound|80||h - 10.0.45.184:8000 [2001:db8::9]:46520 - default",
      "2026-11-30T03:25:00.310Z", 61, "2001:db8::9", "GET", "/s", 200, "c", "h", false },
};

#define FRONT "[2026-11-30T03:25:00.310Z] \"GET /x HTTP/1.1\""
#define BACK " \"-\" \"a\" \"i\" \"h\" \"u\""
static const reject_row REJECTS[] = {
    { "[2026/11/30 03:25:00] \"GET / HTTP/1.1\" 200 - 0 0 1 -" BACK,        LK_REJECT_UNRECOGNISED },
    { "[2026-11-30T03:25:00.310Z] info main: starting",                     LK_REJECT_UNRECOGNISED },
    { "[2026-11-30 03:25:00.310][1][warning][config] [x.cc:1] text \"q\"",  LK_REJECT_UNRECOGNISED },
    { "[2026-13-30T03:25:00.310Z] \"GET / HTTP/1.1\" 200 - 0 0 1 -" BACK,   LK_REJECT_TIMESTAMP },
    { "[2026-11-30T03:25:00.310] \"GET / HTTP/1.1\" 200 - 0 0 1 -" BACK,    LK_REJECT_TIMESTAMP },
    { "[2226-11-30T03:25:00.310Z] \"GET / HTTP/1.1\" 200 - 0 0 1 -" BACK,   LK_REJECT_TIMESTAMP },
    { FRONT " 2000 - 0 0 1 -" BACK,                                         LK_REJECT_STATUS },
    { FRONT " - - 0 0 1 -" BACK,                                            LK_REJECT_STATUS },
    { "[2026-11-30T03:25",                                                  LK_REJECT_CUT },
    { "[2026-11-30T03:25:00.310Z] ",                                        LK_REJECT_CUT },
    { "[2026-11-30T03:25:00.310Z] \"GET /wp-lo",                            LK_REJECT_CUT },
    { FRONT " 503 URX 154 9",                                               LK_REJECT_CUT },
    { FRONT " 503 URX 154 91 226 - \"203.0.113.7\" \"Open",                 LK_REJECT_CUT },
    { FRONT " 503 \"an\" \"own\" \"format\"",                               LK_REJECT_UNRECOGNISED },
};
/* clang-format on */

TEST(envoy_reads_lines)
{
    for (size_t i = 0; i < ROWS(ROWS_OF); i++)
        check_row(i, &ROWS_OF[i], LK_MOMENT_START, false);
}

TEST(envoy_says_why_a_line_is_no_request)
{
    check_rejects(REJECTS, ROWS(REJECTS));
}

TEST(envoy_survives_every_cut_of_a_line)
{
    for (size_t i = 0; i < ROWS(ROWS_OF); i++)
        check_cuts(ROWS_OF[i].line);
}

/* Counts of the file by grep; two of its statuses are 0 without the client's doing. */
TEST(envoy_reads_its_samples)
{
    sample_counts n = count_sample("envoy.log", "envoy");

    check(n.lines == 4 && n.parsed == 4 && n.gave_up == 1 && n.ids == 2, "%zu ids", n.ids);
    n = count_sample("istio.log", "istio");
    check(n.lines == 1 && n.parsed == 1 && n.ids == 1, "istio");
}

TEST(envoy_counts_a_storm)
{
    sample_counts n = count_sample("envoy-storm.log", "envoy");

    check(n.lines == 100 && n.parsed == 100, "%zu", n.parsed);
    check(n.status[200] == 71 && n.status[429] == 6 && n.status[500] == 1 && n.status[503] == 22,
          "status");
    check(n.ids == 100 && n.tries == 0, "%zu ids", n.ids);
}

/* It may name a call or an attempt: the linker finds out. */
TEST(envoy_offers_the_request_id)
{
    sample *s = sample_open("envoy.log");

    check(s->layout.id_count == 1 && strcmp(s->layout.id_name[0], "x-request-id") == 0, "%s",
          s->layout.id_name[0]);
    check(!s->layout.id_is_call[0] && s->layout.moment == LK_MOMENT_START, "layout");
    sample_close(s);
}

TESTS(T(envoy_reads_lines), T(envoy_says_why_a_line_is_no_request),
      T(envoy_survives_every_cut_of_a_line), T(envoy_reads_its_samples), T(envoy_counts_a_storm),
      T(envoy_offers_the_request_id))
