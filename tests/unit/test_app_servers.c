/* Servers that write the common log family in their own way: gunicorn, morgan, Tomcat, lighttpd,
 * varnishncsa. */
#include "format_lines.h"

/* clang-format off */
static const line_row LINES[] = {
    { "127.0.0.1 - - [30/Nov/2026:03:25:00 +0000] \"GET /g HTTP/1.1\" 503 6 \"-\" \"gunicorn default: q\\\"uote\"",
      "2026-11-30T03:25:00.000Z", -1, "127.0.0.1", "GET", "/g", 503, "gunicorn default: q\\\"uote", NULL, false },
    { "::ffff:203.0.113.7 - - [30/Nov/2026:03:25:00 +0000] \"GET /morgan HTTP/1.1\" 503 6 \"-\" \"curl/8.5.0\"",
      "2026-11-30T03:25:00.000Z", -1, "203.0.113.7", "GET", "/morgan", 503, "curl/8.5.0", NULL, false },
    { "203.0.113.7 - - [30/Nov/2026:03:25:00 +0000] \"GET /tomcat HTTP/1.1\" 503 6",
      "2026-11-30T03:25:00.000Z", -1, "203.0.113.7", "GET", "/tomcat", 503, NULL, NULL, false },
    { "127.0.0.1 127.0.0.1:8680 - [30/Nov/2026:03:41:58 +0000] \"GET /nope HTTP/1.1\" 404 341 \"-\" \"curl/7.88.1\" 1659 0 1796010118323",
      "2026-11-30T03:41:58.000Z", -1, "127.0.0.1", "GET", "/nope", 404, "curl/7.88.1", "127.0.0.1:8680", false },
    { "127.0.0.1 - - [30/Nov/2026:03:41:58 +0000] \"  \" 400 345 \"-\" \"-\" 40 0 1796010118847",
      "2026-11-30T03:41:58.000Z", -1, "127.0.0.1", NULL, NULL, 400, NULL, NULL, false },
    { "127.0.0.1 - - [30/Nov/2026:03:28:28 +0000] \"GET http://127.0.0.1:8380/api/ok?a=1 HTTP/1.1\" 200 6 \"https://ex.example/?q=\\\"a\\\"&b=\\\\\" \"Mozilla/5.0 (X11; Linux x86_64) \\\"quoted\\\" back\\\\slash\"",
      "2026-11-30T03:28:28.000Z", -1, "127.0.0.1", "GET", "/api/ok", 200, "Mozilla/5.0 (X11; Linux x86_64) \\\"quoted\\\" back\\\\slash", NULL, false },
    { "127.0.0.1 - - [30/Nov/2026:03:28:43 +0000] \"PURGE http://evil\\\"host/nouaa HTTP/1.1\" - - \"-\" \"-\"",
      "2026-11-30T03:28:43.000Z", -1, "127.0.0.1", "PURGE", "/nouaa", LK_STATUS_UNKNOWN, NULL, NULL, false },
    { "127.0.0.1 - - [30/Nov/2026:03:28:43 +0000] \"GET / HTTP/1.1\" -1 0 \"-\" \"200 5\"",
      "2026-11-30T03:28:43.000Z", -1, "127.0.0.1", "GET", "/", LK_STATUS_UNKNOWN, "200 5", NULL, false },
    { "127.0.0.1 - - [30/Nov/2026:03:28:43 +0000] \"GET / HTTP/1.1\" 1200 5 \"-\" \"curl\"",
      "2026-11-30T03:28:43.000Z", -1, "127.0.0.1", "GET", "/", LK_STATUS_UNKNOWN, "curl", NULL, false },
    { "203.0.113.7, 10.0.0.1, 10.0.0.2 - bob [30/Nov/2026:03:28:43 +0000] \"GET / HTTP/1.1\" 200 5 \"-\" \"curl\"",
      "2026-11-30T03:28:43.000Z", -1, "203.0.113.7", "GET", "/", 200, "curl", NULL, false },
    { "2001:db8::7,10.0.0.1 - - [30/Nov/2026:03:28:43 +0000] \"GET / HTTP/1.1\" 200 5 \"-\" \"curl\"",
      "2026-11-30T03:28:43.000Z", -1, "2001:db8::7", "GET", "/", 200, "curl", NULL, false },
    { "vh.example:443 203.0.113.7, 10.0.0.1 - - [30/Nov/2026:03:28:43 +0000] \"GET / HTTP/1.1\" 200 5 \"-\" \"curl\"",
      "2026-11-30T03:28:43.000Z", -1, "203.0.113.7", "GET", "/", 200, "curl", "vh.example:443", false },
    { "- - - [30/Nov/2026:03:28:28 +0000] \"- http://localhost HTTP/1.0\" 400 0 \"-\" \"-\"",
      "2026-11-30T03:28:28.000Z", -1, "-", NULL, NULL, 400, NULL, NULL, false },
};

static const reject_row REJECTS[] = {
    { "INFO:     203.0.113.7:51234 - \"GET /uvicorn?x=1 HTTP/1.1\" 503 Service Unavailable", LK_REJECT_NO_TIME },
    { "\x1b[32mINFO\x1b[0m:     [::1]:51234 - \"\x1b[1mGET / HTTP/1.1\x1b[0m\" \x1b[32m200 OK\x1b[0m", LK_REJECT_NO_TIME },
    { "INFO:     Application startup complete.",                                           LK_REJECT_UNRECOGNISED },
    { "GET /morgan-dev 503 1.234 ms - 6",                                                  LK_REJECT_NO_TIME },
    { "\x1b[0mGET /morgan-dev \x1b[31m503\x1b[0m 1.234 ms - 6\x1b[0m",                       LK_REJECT_NO_TIME },
    { "GET /morgan-dev - - ms - -",                                                        LK_REJECT_NO_TIME },
    { "GET /morgan-tiny 503 6 - 1.234 ms",                                                 LK_REJECT_NO_TIME },
    { "::1 - GET /morgan-short HTTP/1.1 503 6 - 1.234 ms",                                 LK_REJECT_NO_TIME },
    { "GET /morgan-dev 503 1.234 s - 6",                                                   LK_REJECT_UNRECOGNISED },
    { "at=info method=GET path=/ host=h fwd=\"203.0.113.7\" service=3ms status=200 bytes=0", LK_REJECT_NO_TIME },
    { "{\"method\":\"GET\",\"path\":\"/\",\"status\":200}",                                  LK_REJECT_NO_TIME },
    { "127.0.0.1 - - [30/Nov/2026:03:28:43 +0000] \"GET / HTTP/1.1\" 12 -",                LK_REJECT_STATUS },
};
/* clang-format on */

TEST(app_servers_write_the_common_family)
{
    for (size_t i = 0; i < ROWS(LINES); i++)
        check_row(i, &LINES[i], LK_MOMENT_UNKNOWN, false);
    check_rejects(REJECTS, ROWS(REJECTS));
}

/* Counts by grep. */
TEST(app_servers_samples_are_read)
{
    sample_counts n = count_sample("lighttpd.log", "combined-ext");

    check(n.lines == 5 && n.parsed == 5, "lighttpd: %zu", n.parsed);
    n = count_sample("varnishncsa.log", "combined");
    check(n.lines == 36 && n.parsed == 36 && n.status[503] == 6 && n.status[429] == 4, "varnish");
    n = count_sample("varnishncsa-wide.log", "combined-ext");
    check(n.lines == 36 && n.parsed == 36 && n.status[503] == 6 && n.status[429] == 4, "wide: %zu",
          n.parsed);
}

TEST(app_servers_mixed_file_is_read)
{
    sample *s = sample_open("app-servers.log");
    size_t parsed = 0;
    lk_reject why;
    lk_fields f;

    while (sample_line(s))
        parsed += lk_layout_parse(&s->layout, &s->cache, lk_slice_from(s->line), &f, &why);
    check(parsed == 4, "%zu", parsed);
    sample_close(s);
}

TESTS(T(app_servers_write_the_common_family), T(app_servers_samples_are_read),
      T(app_servers_mixed_file_is_read))
