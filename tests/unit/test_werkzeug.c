#include "format_lines.h"

/* clang-format off */
static const line_row LINES[] = {
    { "203.0.113.7 - - [30/Nov/2026 03:25:00] \"GET /werkzeug?a=1 HTTP/1.1\" 503 -",
      "2026-11-30T03:25:00.000Z", -1, "203.0.113.7", "GET", "/werkzeug", 503, NULL, NULL, false },
    { "::ffff:203.0.113.7 - - [30/Nov/2026 03:25:00] \"POST /x HTTP/1.0\" 200 -",
      "2026-11-30T03:25:00.000Z", -1, "203.0.113.7", "POST", "/x", 200, NULL, NULL, false },
    { "INFO:werkzeug:127.0.0.1 - - [30/Nov/2026 03:25:00] \"GET / HTTP/1.1\" 404 -",
      "2026-11-30T03:25:00.000Z", -1, "127.0.0.1", "GET", "/", 404, NULL, NULL, false },
    { "127.0.0.1 - - [30/Nov/2026 03:25:00] \"\x1b[31m\x1b[1mGET /a HTTP/1.1\x1b[0m\" 500 -",
      "2026-11-30T03:25:00.000Z", -1, "127.0.0.1", "GET", "/a", 500, NULL, NULL, false },
    { "127.0.0.1 - - [30/Nov/2026 03:25:00] \"\\x16\\x03\" 400 -",
      "2026-11-30T03:25:00.000Z", -1, "127.0.0.1", NULL, NULL, 400, NULL, NULL, false },
    { "127.0.0.1 - - [30/Nov/2026 03:25:00] \"GET /\"q\" HTTP/1.1\" 200 -",
      "2026-11-30T03:25:00.000Z", -1, "127.0.0.1", "GET", "/\"q\"", 200, NULL, NULL, false },
};

static const reject_row REJECTS[] = {
    { "127.0.0.1 - - [30/Nov/2026 03:25:00] code 404, message File not found",    LK_REJECT_UNRECOGNISED },
    { "127.0.0.1 - - [30/Nov/2026 03:25:00] \"GET / HTTP/1.1\" 200 12",           LK_REJECT_TIMESTAMP }, /* of the family, says that one */
    { "127.0.0.1 - - [31/Nov/2026 03:25:00] \"GET / HTTP/1.1\" 200 -",            LK_REJECT_TIMESTAMP },
    { "127.0.0.1 - - [30/Nov/1926 03:25:00] \"GET / HTTP/1.1\" 200 -",            LK_REJECT_TIMESTAMP },
    { "127.0.0.1 - - [30/Nov/2026 03:25:00] \"GET / HTTP/1.1\" - -",              LK_REJECT_STATUS },
    { "127.0.0.1 - - [30/Nov/2026 03:25:00] \"GET /lo",                           LK_REJECT_CUT },
};
/* clang-format on */

TEST(werkzeug_reads_lines)
{
    for (size_t i = 0; i < ROWS(LINES); i++)
        check_row(i, &LINES[i], LK_MOMENT_END, true);
}

TEST(werkzeug_says_why_a_line_is_no_request)
{
    check_rejects(REJECTS, ROWS(REJECTS));
}

TEST(werkzeug_survives_every_cut_of_a_line)
{
    for (size_t i = 0; i < ROWS(LINES); i++)
        check_cuts(LINES[i].line);
}

TESTS(T(werkzeug_reads_lines), T(werkzeug_says_why_a_line_is_no_request),
      T(werkzeug_survives_every_cut_of_a_line))
