#include "format_lines.h"

#define FRONT "2026-11-30T03:25:00.310123+00:00 heroku[router]: "

/* clang-format off */
static const line_row LINES[] = {
    { FRONT "at=error code=H12 desc=\"Request timeout\" method=GET path=\"/api?x=1\" host=myapp.herokuapp.com request_id=8601b555-6a83-4c12-8269-97c8e32cdb22 fwd=\"203.0.113.7\" dyno=web.1 connect=1ms service=30001ms status=503 bytes=0 protocol=https",
      "2026-11-30T03:25:00.310Z", 30002, "203.0.113.7", "GET", "/api", 503, NULL, "myapp.herokuapp.com", false },
    { "<158>1 2026-11-30T04:25:00.310123+01:00 host heroku router - at=info method=POST path=\"/\" host=h request_id=r fwd=\"203.0.113.7, 10.0.0.1\" dyno=web.1 connect=0ms service=7ms status=200 bytes=0 protocol=https",
      "2026-11-30T03:25:00.310Z", 7, "203.0.113.7", "POST", "/", 200, NULL, "h", false },
    { FRONT "at=info code=H27 desc=\"Client Request Interrupted\" method=POST path=\"/a\" host=h request_id=r fwd=\"203.0.113.7\" dyno=web.1 connect=1ms service=700ms status=499 bytes= protocol=https",
      "2026-11-30T03:25:00.310Z", 701, "203.0.113.7", "POST", "/a", 499, NULL, "h", true },
    { FRONT "at=error code=H10 desc=\"App crashed\" method=GET path=\"/\" host=h request_id=r fwd=\"203.0.113.7\" dyno= connect= service= status=503 bytes= protocol=https",
      "2026-11-30T03:25:00.310Z", -1, "203.0.113.7", "GET", "/", 503, NULL, "h", false },
};

static const reject_row REJECTS[] = {
    { "2026-11-30T03:25:00.310123+00:00 heroku[web.1]: State changed from up to down", LK_REJECT_UNRECOGNISED },
    { "2026-11-30T03:25:00.310123+00:00 app[web.1]: heroku router at=x",               LK_REJECT_UNRECOGNISED },
    { "yesterday heroku[router]: at=info method=GET path=\"/\" status=200",            LK_REJECT_TIMESTAMP },
    { FRONT "at=info method=GET path=\"/\" status= bytes=0",                           LK_REJECT_STATUS },
    { FRONT "at=info method=GET path=\"/\" status=2000 bytes=0",                       LK_REJECT_STATUS },
    { FRONT "at=info method=GET path=\"/lo",                                           LK_REJECT_CUT },
};
/* clang-format on */

TEST(heroku_reads_lines)
{
    for (size_t i = 0; i < ROWS(LINES); i++)
        check_row(i, &LINES[i], LK_MOMENT_END, false);
}

TEST(heroku_says_why_a_line_is_no_request)
{
    check_rejects(REJECTS, ROWS(REJECTS));
}

TEST(heroku_survives_every_cut_of_a_line)
{
    for (size_t i = 0; i < ROWS(LINES); i++)
        check_cuts(LINES[i].line);
}

TEST(heroku_reads_its_sample)
{
    sample_counts n = count_sample("heroku.log", "heroku");

    check(n.lines == 1 && n.parsed == 1 && n.status[503] == 1 && n.ids == 1, "sample");
}

TESTS(T(heroku_reads_lines), T(heroku_says_why_a_line_is_no_request),
      T(heroku_survives_every_cut_of_a_line), T(heroku_reads_its_sample))
