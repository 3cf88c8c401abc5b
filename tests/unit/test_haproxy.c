#include "format_lines.h"

#define ZONELESS true

/* clang-format off */
static const line_row HTTPLOG[] = {
    { "127.0.0.1:58366 [30/Nov/2026:03:27:39.594] fe_http be_app/app1 0/0/0/0/0 429 147 - - ---- 1/1/0/0/0 0/0 {OpenAI/JS 6.49.0|1} {3} \"POST /api/status/429 HTTP/1.1\"",
      "2026-11-30T03:27:39.594Z", 0, "127.0.0.1", "POST", "/api/status/429", 429, "OpenAI/JS 6.49.0", NULL, false },
    /* behind syslog, as it is sent and as rsyslog writes it */
    { "<134>Nov 30 03:27:39 haproxy[25083]: 127.0.0.1:58360 [30/Nov/2026:03:27:39.296] fe_http be_app/app1 0/0/0/3/3 200 120 - - ---- 1/1/0/0/0 0/0 {Mozilla/5.0 (X11; Linux x86_64) #22quoted#22 back\\slash|} {} \"GET /api/ok?a=1 HTTP/1.1\"",
      "2026-11-30T03:27:39.296Z", 3, "127.0.0.1", "GET", "/api/ok", 200, "Mozilla/5.0 (X11; Linux x86_64) #22quoted#22 back\\slash", NULL, false },
    { "<134>1 2026-11-30T03:27:39.672819+00:00 - haproxy 25083 - - ::1:54276 [30/Nov/2026:03:27:39.671] fe_http be_app/app1 0/0/0/0/0 200 120 - - ---- 1/1/0/0/0 0/0 {curl/7.88.1|} {} \"GET /api/ipv6 HTTP/1.1\"",
      "2026-11-30T03:27:39.671Z", 0, "::1", "GET", "/api/ipv6", 200, "curl/7.88.1", NULL, false },
    { "Nov  1 03:27:39 localhost haproxy[25083]: 127.0.0.1:58346 [30/Nov/2026:03:27:39.267] fe_http be_app/app1 0/0/0/2/2 200 120 - - ---- 1/1/0/0/0 0/0 \"GET / HTTP/1.1\"",
      "2026-11-30T03:27:39.267Z", 2, "127.0.0.1", "GET", "/", 200, NULL, NULL, false },
    { "2026-11-30T03:27:39.301206+00:00 lb1 haproxy[25083] 127.0.0.1:58360 [30/Nov/2026:03:27:39.296] fe_http be_app/app1 0/0/0/3/3 200 120 - - ---- 1/1/0/0/0 0/0 \"GET / HTTP/1.1\"",
      "2026-11-30T03:27:39.296Z", 3, "127.0.0.1", "GET", "/", 200, NULL, NULL, false },
    /* phases that were not reached; logasap; HTTP/2 */
    { "127.0.0.1:58440 [30/Nov/2026:03:27:40.464] fe_http be_app/app1 0/0/0/-1/1551 504 198 - - sH-- 1/1/0/0/0 0/0 \"GET /timeout/x HTTP/1.1\"",
      "2026-11-30T03:27:40.464Z", 1551, "127.0.0.1", "GET", "/timeout/x", 504, NULL, NULL, false },
    { "127.0.0.1:58440 [30/Nov/2026:03:27:40.464] fe_http be_app/app1 0/0/0/1/+12 200 +198 - - ---- 1/1/0/0/0 0/0 \"GET / HTTP/1.1\"",
      "2026-11-30T03:27:40.464Z", 12, "127.0.0.1", "GET", "/", 200, NULL, NULL, false },
    { "127.0.0.1:35354 [30/Nov/2026:03:27:43.176] fe_http~ be_app/app1 -1/-1/-1/-1/-1 200 120 - - ---- 2/2/1/1/0 0/0 \"GET https://127.0.0.1:8643/api/h2?x HTTP/2.0\"",
      "2026-11-30T03:27:43.176Z", -1, "127.0.0.1", "GET", "/api/h2", 200, NULL, "127.0.0.1:8643", false },
    /* httpslog */
    { "127.0.0.1:48532 [30/Nov/2026:03:27:57.254] fe_https~ be_app/app1 0/0/0/1/1 200 120 - - ---- 1/1/0/0/0 0/0 \"GET https://127.0.0.1:8644/x HTTP/2.0\" 0/0000000000000000/0/0/0 -/TLSv1.3/TLS_AES_256_GCM_SHA384",
      "2026-11-30T03:27:57.254Z", 1, "127.0.0.1", "GET", "/x", 200, NULL, "127.0.0.1:8644", false },
    /* no request; the client left before it was whole, and before there was a status */
    { "127.0.0.1:48198 [30/Nov/2026:03:27:43.215] fe_http fe_http/<NOSRV> -1/-1/-1/-1/0 400 0 - - PR-- 2/2/0/0/0 0/0 \"<BADREQ>\"",
      "2026-11-30T03:27:43.215Z", 0, "127.0.0.1", NULL, NULL, 400, NULL, NULL, false },
    { "127.0.0.1:48208 [30/Nov/2026:03:27:43.225] fe_http fe_http/<NOSRV> -1/-1/-1/-1/2 400 0 - - CR-- 2/2/0/0/0 0/0 \"<BADREQ>\"",
      "2026-11-30T03:27:43.225Z", 2, "127.0.0.1", NULL, NULL, 400, NULL, NULL, true },
    { "127.0.0.1:48208 [30/Nov/2026:03:27:43.225] fe be/app1 0/0/0/-1/700 -1 0 - - CH-- 2/2/0/0/0 0/0 \"GET /w HTTP/1.1\"",
      "2026-11-30T03:27:43.225Z", 700, "127.0.0.1", "GET", "/w", 0, NULL, NULL, true },
    { "127.0.0.1:48208 [30/Nov/2026:03:27:43.225] fe be/app1 0/0/0/3/700 200 9 - - cD-- 2/2/0/0/0 0/0 \"GET /w HTTP/1.1\"",
      "2026-11-30T03:27:43.225Z", 700, "127.0.0.1", "GET", "/w", 200, NULL, NULL, false },
    /* the peer is another proxy; neither a media type nor a referer is an agent */
    { "127.0.0.1:56118 [30/Nov/2026:04:57:11.001] fe app/app1 0/0/0/2/2 200 127 - - ---- 1/1/0/0/0 0/0 {127.201.8.1, 10.0.0.1|text/html|http://r/|okhttp/4} \"GET /healthz HTTP/1.1\"",
      "2026-11-30T04:57:11.001Z", 2, "127.201.8.1", "GET", "/healthz", 200, "okhttp/4", NULL, false },
    /* cut by the length limit of the log: the name is known when the query has begun */
    { "127.0.0.1:48276 [30/Nov/2026:03:27:43.915] fe be/app1 0/0/0/1/1 200 120 - - ---- 1/1/0/0/0 0/0 \"GET /LLLL",
      "2026-11-30T03:27:43.915Z", 1, "127.0.0.1", NULL, NULL, 200, NULL, NULL, false },
    { "127.0.0.1:48276 [30/Nov/2026:03:27:43.915] fe be/app1 0/0/0/1/1 200 120 - - ---- 1/1/0/0/0 0/0 \"GET /L?a=12",
      "2026-11-30T03:27:43.915Z", 1, "127.0.0.1", "GET", "/L", 200, NULL, NULL, false },
    { "[2001:db8::7]:443 [30/Nov/2026:03:27:43.915] fe be/app1 0/0/0/1/1 200 120 - - ---- 1/1/0/0/0 0/0",
      "2026-11-30T03:27:43.915Z", 1, "2001:db8::7", NULL, NULL, 200, NULL, NULL, false },
};

static const line_row CLF[] = {
    { "<134>Nov 30 03:27:57 haproxy[25083]: 127.0.0.1 - - [30/Nov/2026:03:27:57 +0000] \"GET /status/503?z=1 HTTP/1.1\" 503 149 \"\" \"\" 57120 173 \"fe_clf\" \"be_app\" \"app1\" 0 0 0 0 0 ---- 1 1 0 0 0 0 0 \"\" \"\" ",
      "2026-11-30T03:27:57.000Z", 0, "127.0.0.1", "GET", "/status/503", 503, NULL, NULL, false },
    { "::ffff:192.0.2.1 - - [30/Nov/2026:03:27:57 +0000] \"GET https://h.example/ HTTP/2.0\" 503 149 \"\" \"\" 57120 173 \"fe_clf\" \"be_app\" \"app1\" 0 0 -1 -1 1502 CC-- 1 1 0 0 2 0 0 \"\" \"\" \"curl/8\"",
      "2026-11-30T03:27:57.000Z", 1502, "192.0.2.1", "GET", "/", 503, "curl/8", "h.example", true },
};

#define FRONT "127.0.0.1:1 [30/Nov/2026:03:27:57.282] "
#define BACK " 120 - - ---- 1/1/0/0/0 0/0 \"GET / HTTP/1.1\""
static const reject_row REJECTS[] = {
    /* connections, not requests */
    { "Connect from 127.0.0.1:34496 to 127.0.0.1:8283 (fe_default/HTTP)",               LK_REJECT_UNRECOGNISED },
    { FRONT "fe_https/1: SSL handshake failure",                                        LK_REJECT_UNRECOGNISED },
    { FRONT "fe_tcp be_tcp/app1 1/0/2 117 -- 1/1/0/0/0 0/0",                            LK_REJECT_UNRECOGNISED },
    { FRONT "fe be/s 0/0/0/1/x 200" BACK,                                               LK_REJECT_UNRECOGNISED },
    { FRONT "fe be/s 0/0/0/1/1 200 120 - - ---- 1/1/0/0 0/0 \"GET / HTTP/1.1\"",        LK_REJECT_UNRECOGNISED },
    { "127.0.0.1:1 [31/Nov/2026:03:27:57.282] fe be/s 0/0/0/1/1 200" BACK,              LK_REJECT_TIMESTAMP },
    { "127.0.0.1:1 [30/Nov/2026:03:27:57.282 +0000] fe be/s 0/0/0/1/1 200" BACK,        LK_REJECT_TIMESTAMP },
    { "127.0.0.1:1 [30/Nov/1926:03:27:57.282] fe be/s 0/0/0/1/1 200" BACK,              LK_REJECT_TIMESTAMP },
    { FRONT "fe be/s 0/0/0/1/1 20" BACK,                                                LK_REJECT_STATUS },
    { FRONT "fe be/s 0/0/0/-1/1 -1" BACK,                                               LK_REJECT_STATUS },
    { "127.0.0.1:1 [30/Nov/2026:03:27:57.2",                                            LK_REJECT_CUT },
    { "127.0.0.1:1 [30/Nov/2026:03:27:57.282]",                                         LK_REJECT_CUT },
    { FRONT "fe be/s ",                                                                 LK_REJECT_CUT },
    { FRONT "fe be/s 0/0/0/1/1",                                                        LK_REJECT_CUT },
    { FRONT "fe be/s 0/0/0/1/1 200 120 - - ---- 1/1",                                   LK_REJECT_CUT },
};

static const struct { const char *counters; size_t tries; } TRIES[] = {
    { "1/1/0/0/0",         0 },
    { "1/1/0/0/3",         4 },
    { "1/1/0/0/+3",        4 }, /* with another server at the end */
    { "1/1/0/0/+1",        2 },
    { "1/1/0/0/9999",      LK_TRIES_MAX },
    { "1/1/0/0/x",         0 },
    { "1/1/0/0/",          0 },
};
/* clang-format on */

TEST(haproxy_reads_httplog)
{
    for (size_t i = 0; i < ROWS(HTTPLOG); i++)
        check_row(i, &HTTPLOG[i], LK_MOMENT_START, ZONELESS);
}

TEST(haproxy_reads_clf)
{
    for (size_t i = 0; i < ROWS(CLF); i++)
        check_row(i, &CLF[i], LK_MOMENT_START, false);
}

TEST(haproxy_says_why_a_line_is_no_request)
{
    check_rejects(REJECTS, ROWS(REJECTS));
}

TEST(haproxy_survives_every_cut_of_a_line)
{
    for (size_t i = 0; i < ROWS(HTTPLOG); i++)
        check_cuts(HTTPLOG[i].line);
    for (size_t i = 0; i < ROWS(CLF); i++)
        check_cuts(CLF[i].line);
}

/* Of the tries that a line hides only the last one's status is logged. */
TEST(haproxy_counts_hidden_tries)
{
    for (size_t i = 0; i < ROWS(TRIES); i++) {
        lk_parse_cache cache;
        lk_reject why;
        lk_fields f;
        char line[300];

        (void)snprintf(line, sizeof(line),
                       "127.0.0.1:58416 [30/Nov/2026:03:42:06.703] f one/r1 0/0/-1/-1/3006 503 217 "
                       "- - SC-- %s 0/0 \"GET /one HTTP/1.1\"",
                       TRIES[i].counters);
        check(parse_alone(&cache, line, &f, &why), "row %zu", i);
        check(f.try_count == TRIES[i].tries, "row %zu: %zu", i, f.try_count);
        for (size_t t = 0; t < f.try_count; t++)
            check(f.tries[t].status == (t + 1 < f.try_count ? LK_STATUS_UNKNOWN : 503) &&
                      f.tries[t].took_ns == -1 && !f.tries[t].redirect,
                  "row %zu: try %zu", i, t);
    }
}

TEST(haproxy_clf_counts_hidden_tries)
{
    lk_parse_cache cache;
    lk_reject why;
    lk_fields f;

    check(parse_alone(&cache, CLF[1].line, &f, &why) && f.try_count == 3, "tries");
    check(f.tries[2].status == 503 && f.tries[1].status == LK_STATUS_UNKNOWN, "status");
}

/* Counts by awk: 59 lines of which 4 are of connections and one is a program's own JSON. */
TEST(haproxy_reads_its_samples)
{
    sample_counts n = count_sample("haproxy.log", "haproxy");

    check(n.lines == 59 && n.parsed == 55, "%zu of %zu", n.parsed, n.lines);
    check(n.gave_up == 3 && n.hidden == 15 && n.tries == 20, "%zu gave up", n.gave_up);
    check(n.status[503] == 9 && n.status[429] == 4 && n.status[504] == 4, "status");
    check(n.waits == 5, "%zu with Retry-After", n.waits);
    n = count_sample("haproxy-rfc5424.log", "haproxy");
    check(n.lines == 57 && n.parsed == 53, "%zu of %zu", n.parsed, n.lines);
}

/* Counts by awk: 50 lines ended SC--, each after 3 retries; two more retries saved a request, so
 * that the application refused 50 * 4 + 2 connections. */
TEST(haproxy_shows_the_retries_of_a_storm)
{
    sample_counts n = count_sample("haproxy-retries.log", "haproxy");

    check(n.lines == 100 && n.parsed == 100, "%zu", n.parsed);
    check(n.status[503] == 50 && n.status[200] == 47, "status");
    check(n.tries == 204 && n.hidden == 152, "%zu tries, %zu hidden", n.tries, n.hidden);
    check(n.status[503] + n.hidden == 202, "refused");
}

/* {X-Forwarded-For|Idempotency-Key} */
TEST(haproxy_learns_captured_headers)
{
    sample *s = sample_open("haproxy-retries.log");
    size_t ids = 0;
    lk_reject why;
    lk_fields f;

    check(s->layout.moment == LK_MOMENT_START, "moment");
    check(s->layout.id_count == 1 && strcmp(s->layout.id_name[0], "captured header 2") == 0, "%s",
          s->layout.id_name[0]);
    while (sample_line(s)) {
        check(lk_layout_parse(&s->layout, &s->cache, lk_slice_from(s->line), &f, &why), "%.200s",
              s->line);
        check(lk_slice_starts(f.caller, "127.") && !lk_slice_is(f.caller, "127.0.0.1"), "caller");
        ids += f.id[0].len == 36;
    }
    check(ids == 51, "%zu ids", ids);
    sample_close(s);
}

TESTS(T(haproxy_reads_httplog), T(haproxy_reads_clf), T(haproxy_says_why_a_line_is_no_request),
      T(haproxy_survives_every_cut_of_a_line), T(haproxy_counts_hidden_tries),
      T(haproxy_clf_counts_hidden_tries), T(haproxy_reads_its_samples),
      T(haproxy_shows_the_retries_of_a_storm), T(haproxy_learns_captured_headers))
