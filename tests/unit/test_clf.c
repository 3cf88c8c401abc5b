#include "format/clf.h"
#include "format/layout.h"
#include "format/wrap.h"
#include "unit.h"

#include "base/random.h"
#include "base/time.h"

#include <stdio.h>
#include <string.h>

#define NOON INT64_C(1752580800) /* 15 Jul 2025 12:00:00 UTC */

/* A line of the family without any further columns known. */
static bool parse(const char *line, lk_fields *out, lk_reject *why)
{
    lk_layout layout;
    lk_parse_cache cache;

    lk_layout_init(&layout);
    lk_parse_cache_init(&cache);
    return lk_layout_parse(&layout, &cache, lk_slice_from(line), out, why);
}

static bool is_text(lk_slice s, const char *want)
{
    return want ? s.p && lk_slice_is(s, want) : s.len == 0;
}

/* clang-format off */
static const struct {
    const char *line, *caller, *method, *target, *agent; /* NULL = empty */
    unsigned status;
} REQUESTS[] = {
    { "198.51.100.2 - - [15/Jul/2025:12:00:00 +0000] \"POST /a HTTP/1.1\" 200 19 \"-\" \"shop-sdk/2.3\"",
      "198.51.100.2", "POST", "/a", "shop-sdk/2.3", 200 },
    { "h2.example.net - - [15/Jul/2025:12:00:00 +0000] \"GET /history/ HTTP/1.0\" 200 3985",
      "h2.example.net", "GET", "/history/", NULL, 200 },
    /* what stands in the place of a request line */
    { "203.0.113.9 - - [15/Jul/2025:12:00:00 +0000] \"-\" 408 0 \"-\" \"-\"", "203.0.113.9", NULL, NULL, NULL, 408 },
    { "203.0.113.9 - - [15/Jul/2025:12:00:00 +0000] \"\" 400 0 \"-\" \"-\"", "203.0.113.9", NULL, NULL, NULL, 400 },
    { "h - - [15/Jul/2025:12:00:00 +0000] \"Probe Probe\" 400 226 \"-\" \"-\"", "h", NULL, NULL, NULL, 400 },
    { "h - - [15/Jul/2025:12:00:00 +0000] \"\\x16\\x03\\x01\\x00\\xa5\" 400 226 \"-\" \"-\"", "h", NULL, NULL, NULL, 400 },
    { "h - - [15/Jul/2025:12:00:00 +0000] \"\x16\x03\x01\xff\" 400 226 \"-\" \"-\"", "h", NULL, NULL, NULL, 400 },
    { "h - - [15/Jul/2025:12:00:00 +0000] \"GET /a b c HTTP/1.1\" 200 - \"-\" \"-\"", "h", "GET", "/a b c", NULL, 200 },
    { "h - - [15/Jul/2025:12:00:00 +0000] \"GET /old\" 404 9", "h", "GET", "/old", NULL, 404 },
    { "h - - [15/Jul/2025:12:00:00 +0000] \"GET http://h.example/p?q=1 HTTP/1.1\" 200 9", "h", "GET", "/p", NULL, 200 },
    /* quotes inside */
    { "h - - [15/Jul/2025:12:00:00 +0000] \"GET /q?x=\\\"y\\\" HTTP/1.1\" 200 7 \"-\" \"agent \\\"quoted\\\"\"",
      "h", "GET", "/q", "agent \\\"quoted\\\"", 200 },
    { "h - - [15/Jul/2025:12:00:00 +0000] \"GET /\\\" 500 HTTP/1.1\" 200 7", "h", "GET", "/\\\" 500", NULL, 200 },
    { "h - - [15/Jul/2025:12:00:00 +0000] \"GET / HTTP/1.1\" 200 7 \"http://r/?\\\" \\\"\" \"a\\\\\"", "h", "GET", "/", "a\\\\", 200 },
    { "h - - [15/Jul/2025:12:00:00 +0000] \"GET / HTTP/1.1\" 200 1 \"-\" \"U \"q\" b\\s\"", "h", "GET", "/", "U \"q\" b\\s", 200 },
    { "h - - [15/Jul/2025:12:00:00 +0000] \"GET / HTTP/1.1\" 200 1 \"-\" \"U \"q\" b\\s\" TCP_MISS:HIER_DIRECT",
      "h", "GET", "/", "U \"q\" b\\s", 200 },
    /* status and bytes */
    { "h - - [15/Jul/2025:12:00:00 +0000] \"GET / HTTP/1.1\" 499 0 \"-\" \"x\"", "h", "GET", "/", "x", 499 },
    { "h - - [15/Jul/2025:12:00:00 +0000] \"GET / HTTP/1.1\" 000 0 \"-\" \"x\"", "h", "GET", "/", "x", 0 },
    { "h - - [15/Jul/2025:12:00:00 +0000] \"GET / HTTP/1.1\" 009 - \"-\" \"x\"", "h", "GET", "/", "x", 9 },
    { "h - - [15/Jul/2025:12:00:00 +0000] \"GET / HTTP/1.1\" 0 0 \"-\" \"x\"", "h", "GET", "/", "x", 0 },
    { "h - - [15/Jul/2025:12:00:00 +0000] \"GET / HTTP/1.1\" 503", "h", "GET", "/", NULL, 503 },
    { "h - - [15/Jul/2025:12:00:00 +0000] \"GET / HTTP/1.1\" 503 19 \"-\" \"x\"\r", "h", "GET", "/", "x", 503 },
    /* host, ident, user */
    { "203.0.113.5:61264 - - [15/Jul/2025:12:00:00 +0000] \"GET / HTTP/1.1\" 503 0", "203.0.113.5", "GET", "/", NULL, 503 },
    { "[2001:db8::5]:443 - - [15/Jul/2025:12:00:00 +0000] \"GET / HTTP/1.1\" 503 0", "2001:db8::5", "GET", "/", NULL, 503 },
    { "2001:db8::5 - - [15/Jul/2025:12:00:00 +0000] \"GET / HTTP/1.1\" 503 0", "2001:db8::5", "GET", "/", NULL, 503 },
    { "::1 - - [15/Jul/2025:12:00:00 +0000] \"GET / HTTP/1.1\" 503 0", "::1", "GET", "/", NULL, 503 },
    { "127.0.0.1 - we [ird user [15/Jul/2025:12:00:00 +0000] \"GET / HTTP/1.1\" 401 0", "127.0.0.1", "GET", "/", NULL, 401 },
    { "127.0.0.1 - \\\"we ird [15/Jul/2025:12:00:00 +0000] \"GET / HTTP/1.1\" 401 0", "127.0.0.1", "GET", "/", NULL, 401 },
    { "127.0.0.1 id ent user [15/Jul/2025:12:00:00 +0000] \"GET / HTTP/1.1\" 401 0", "127.0.0.1", "GET", "/", NULL, 401 },
    { "vh.example:80 127.0.0.1 - - [15/Jul/2025:12:00:00 +0000] \"GET / HTTP/1.1\" 200 252 \"-\" \"x\"", "127.0.0.1", "GET", "/", "x", 200 },
    { "vh.example:443 ::1 - bob [15/Jul/2025:12:00:00 +0000] \"GET / HTTP/1.1\" 200 252 \"-\" \"x\"", "::1", "GET", "/", "x", 200 },
    { "vh.example:80 edge-7.example.net - - [15/Jul/2025:12:00:00 +0000] \"GET / HTTP/1.1\" 200 1", "edge-7.example.net", "GET", "/", NULL, 200 },
    { "vh.example 127.0.0.1 - - [15/Jul/2025:12:00:00 +0000] \"GET / HTTP/1.1\" 200 1", "127.0.0.1", "GET", "/", NULL, 200 },
    { "127.0.0.1 127.0.0.1:8680 - [15/Jul/2025:12:00:00 +0000] \"GET / HTTP/1.1\" 403 341", "127.0.0.1", "GET", "/", NULL, 403 },
    { "10.0.0.9 10.0.0.1 - [15/Jul/2025:12:00:00 +0000] \"GET / HTTP/1.1\" 403 341", "10.0.0.9", "GET", "/", NULL, 403 },
    { "h - x[15/Jul/1999:12:00:00 +0000] [15/Jul/2025:12:00:00 +0000] \"GET / HTTP/1.1\" 200 1", "h", "GET", "/", NULL, 200 },
    { "127.0.0.1 [15/Jul/2025:12:00:00 +0000] \"GET / HTTP/1.1\" 403 341", "127.0.0.1", "GET", "/", NULL, 403 },
    /* the line ends early, behind its status: a request, but no name to count by */
    { "h - - [15/Jul/2025:12:00:00 +0000] \"GET / HTTP/1.1\" 200 1 \"http://exa", "h", "GET", "/", NULL, 200 },
    { "h - - [15/Jul/2025:12:00:00 +0000] \"GET / HTTP/1.1\" 200 1 \"-\" \"Mozi", "h", "GET", "/", NULL, 200 },
};

static const struct { const char *stamp; int64_t at_ns; bool fraction; } STAMPS[] = {
    { "15/Jul/2025:12:00:00 +0000",     NOON * LK_NS_PER_S,                          false },
    { "15/Jul/2025:12:00:00 +0200",     (NOON - 7200) * LK_NS_PER_S,                 false },
    { "15/Jul/2025:17:45:00 +0545",     NOON * LK_NS_PER_S,                          false },
    { "15/Jul/2025:08:00:07 -0400",     (NOON + 7) * LK_NS_PER_S,                    false },
    { "15/Jul/2025:15:30:00.250 +0330", NOON * LK_NS_PER_S + 250 * LK_NS_PER_MS,     true },
};

static const struct { const char *line; lk_reject why; } REJECTS[] = {
    { "",                                                                   LK_REJECT_NONE },
    { "   ",                                                                LK_REJECT_NONE },
    { "# a comment",                                                        LK_REJECT_NONE },
    { "\t#Fields: date time",                                               LK_REJECT_NONE },
    { "hello",                                                              LK_REJECT_UNRECOGNISED },
    { "[15/Jul/2025:12:00:00 +0000]",                                       LK_REJECT_CUT },
    { "[error] 123#0: *1 upstream timed out",                               LK_REJECT_UNRECOGNISED },
    { "2025/07/15 12:00:00 [error] 31#31: *7 connect() failed, request: \"GET / HTTP/1.1\"", LK_REJECT_UNRECOGNISED },
    { "h - - [15/Jul/2025:12:00:00 +0000] GET / 200 1",                     LK_REJECT_UNRECOGNISED },
    { "h - - [99/Jul/2025:12:00:00 +0000] \"GET / HTTP/1.1\" 200 1",        LK_REJECT_TIMESTAMP },
    { "h - - [15/Foo/2025:12:00:00 +0000] \"GET / HTTP/1.1\" 200 1",        LK_REJECT_TIMESTAMP },
    { "h - - [15/Jul/2025:12:00:00] \"GET / HTTP/1.1\" 200 1",              LK_REJECT_TIMESTAMP },
    { "h - - [15/Jul/2025 12:00:00] \"GET / HTTP/1.1\" 200 1",              LK_REJECT_TIMESTAMP },
    { "h - - [-] \"GET / HTTP/1.1\" 200 1",                                 LK_REJECT_TIMESTAMP },
    { "h - - [01/Jan/1960:12:00:00 +0000] \"GET / HTTP/1.1\" 200 1",        LK_REJECT_TIMESTAMP },
    { "h - - [01/Jan/2230:12:00:00 +0000] \"GET / HTTP/1.1\" 200 1",        LK_REJECT_TIMESTAMP },
    { "h - - [15/Jul/2025:12:00:00 +0000] \"GET / HTTP/1.1\" x 0",          LK_REJECT_STATUS },
    { "h - - [15/Jul/2025:12:00:00 +0000] \"GET / HTTP/1.1\" 20 1",         LK_REJECT_STATUS },
    { "h - - [15/Jul/2025:12:00:00 +0000] \"GET / HTTP/1.1\" 20000 1",      LK_REJECT_STATUS },
    { "h - - [15/Jul/2025:12:00:00 +0000] \"GET / HTTP/1.1\" ok 1",         LK_REJECT_STATUS },
    { "h - - [15/Jul/2025:12:00:00 +0000] \"GET / HTTP/1.1\"",              LK_REJECT_CUT },
    { "h - - [15/Jul/2025:12:00:00 +0000] \"GET /wp-login",                 LK_REJECT_CUT },
    { "h - - [15/Jul/2025:12:00:00 +00",                                    LK_REJECT_CUT },
};
/* clang-format on */

TEST(clf_reads_requests)
{
    for (size_t i = 0; i < ROWS(REQUESTS); i++) {
        lk_reject why = LK_REJECT_NONE;
        lk_fields f;

        check(parse(REQUESTS[i].line, &f, &why), "row %zu: %s: %s", i, lk_reject_name(why),
              REQUESTS[i].line);
        check(is_text(f.caller, REQUESTS[i].caller), "row %zu: caller '%.*s'", i, (int)f.caller.len,
              f.caller.p);
        check(is_text(f.method, REQUESTS[i].method), "row %zu: method '%.*s'", i, (int)f.method.len,
              f.method.p);
        check(is_text(f.target, REQUESTS[i].target), "row %zu: target '%.*s'", i, (int)f.target.len,
              f.target.p);
        check(is_text(f.agent, REQUESTS[i].agent), "row %zu: agent '%.*s'", i, (int)f.agent.len,
              f.agent.p);
        check(f.status == REQUESTS[i].status, "row %zu: status %u", i, f.status);
        check(f.stamp_ns == NOON * LK_NS_PER_S, "row %zu: stamp", i);
        check(f.took_ns == -1 && f.retry_after_ns == -1 && f.attempt_no == 0, "row %zu", i);
    }
}

TEST(clf_reads_stamps_with_their_zone)
{
    char line[200];

    for (size_t i = 0; i < ROWS(STAMPS); i++) {
        lk_reject why;
        lk_fields f;

        (void)snprintf(line, sizeof(line), "h - - [%s] \"GET / HTTP/1.1\" 200 1", STAMPS[i].stamp);
        check(parse(line, &f, &why), "row %zu", i);
        check(f.stamp_ns == STAMPS[i].at_ns, "row %zu: %lld", i, (long long)f.stamp_ns);
        check(f.fraction == STAMPS[i].fraction, "row %zu", i);
        check(f.moment == LK_MOMENT_UNKNOWN, "row %zu", i);
    }
}

TEST(clf_says_why_a_line_is_no_request)
{
    for (size_t i = 0; i < ROWS(REJECTS); i++) {
        lk_reject why = LK_REJECT_COUNT;
        lk_fields f;

        check(!parse(REJECTS[i].line, &f, &why), "row %zu: '%s'", i, REJECTS[i].line);
        check(why == REJECTS[i].why, "row %zu: '%s' instead of '%s': %s", i, lk_reject_name(why),
              lk_reject_name(REJECTS[i].why), REJECTS[i].line);
    }
}

/* After any stamp any other is read as by a fresh cache. */
TEST(clf_cache_changes_nothing)
{
    lk_layout layout;
    lk_parse_cache cache;

    lk_layout_init(&layout);
    lk_parse_cache_init(&cache);
    for (size_t i = 0; i < ROWS(STAMPS) * ROWS(STAMPS) * 2; i++) {
        size_t row = i % 2 ? i / 2 % ROWS(STAMPS) : i / 2 / ROWS(STAMPS);
        char line[200];
        lk_reject why;
        lk_fields f;

        (void)snprintf(line, sizeof(line), "h - - [%s] \"GET / HTTP/1.1\" 200 1",
                       STAMPS[row].stamp);
        check(lk_layout_parse(&layout, &cache, lk_slice_from(line), &f, &why), "line %zu", i);
        check(f.stamp_ns == STAMPS[row].at_ns && f.fraction == STAMPS[row].fraction, "line %zu", i);
    }
}

TEST(clf_survives_every_cut_of_a_line)
{
    const char *line =
        "vh:80 ::1 - b [ob [15/Jul/2025:12:00:00 +0000] \"GET /\\\"a HTTP/1.1\" 200 1 "
        "\"r\\\"\" \"a \"b\" c\" 0.001 \"x";

    for (size_t len = 0; len <= strlen(line); len++) {
        char *copy = test_malloc(len + 1); /* as long as the line: a read past it is seen */
        lk_clf clf;
        lk_reject why = LK_REJECT_NONE;

        memcpy(copy, line, len);
        if (lk_clf_split((lk_slice){ copy, len }, &clf, &why))
            check(clf.status == 200 && lk_slice_is(clf.caller, "::1"), "len %zu", len);
        else
            check(why != LK_REJECT_NONE, "len %zu", len);
        test_free(copy);
    }
}

/* A line of a megabyte, made to be slow: each takes milliseconds, or this test hours. */
TEST(clf_takes_long_lines_in_one_pass)
{
    static const char HEAD[] =
        "h - - [15/Jul/2025:12:00:00 +0000] \"GET / HTTP/1.1\" 200 1 \"-\" \"a\" ";
    static const char *const FILLS[] = { "[ ",       "[x] ",    "\"\\\" ",   "\\",
                                         "a, ",      " : ",     "k=",        "a b=\"c\" ",
                                         "[15/Jul/", "\" 200 ", "\\\" 200 ", "; attempt=" };
    size_t size = 1 << 20;
    char *line = test_malloc(size);

    for (size_t i = 0; i < ROWS(FILLS) * 2; i++) {
        size_t at = i % 2 ? strlen(HEAD) : strlen("h - - "), len = strlen(FILLS[i / 2]);
        lk_parse_cache cache;
        lk_layout layout;
        lk_reject why;
        lk_fields f;

        memcpy(line, HEAD, at);
        for (; at + len <= size; at += len)
            memcpy(line + at, FILLS[i / 2], len);
        lk_layout_init(&layout);
        lk_parse_cache_init(&cache);
        check(lk_layout_parse(&layout, &cache, (lk_slice){ line, at }, &f, &why) == (i % 2 == 1),
              "fill '%s' behind %s", FILLS[i / 2], i % 2 ? "the agent" : "the host");
    }
    test_free(line);
}

TEST(clf_counts_the_columns_before_the_tail)
{
    /* clang-format off */
    static const struct { const char *line; size_t before; const char *tail; } LINES[] = {
        { "h - - [15/Jul/2025:12:00:00 +0000] \"GET / HTTP/1.1\" 200 1", 7, "" },
        { "h - - [15/Jul/2025:12:00:00 +0000] \"GET / HTTP/1.1\" 200 1 rt=0.1 us=\"2\"", 7, "rt=0.1 us=\"2\"" },
        { "h - - [15/Jul/2025:12:00:00 +0000] \"GET / HTTP/1.1\" 200 1 \"1.50\"", 7, "\"1.50\"" },
        { "h - - [15/Jul/2025:12:00:00 +0000] \"GET / HTTP/1.1\" 200 1 \"-\" \"a\"", 9, "" },
        { "h - - [15/Jul/2025:12:00:00 +0000] \"GET / HTTP/1.1\" 200 1 \"-\" \"a\" 0.1 \"-\"", 9, "0.1 \"-\"" },
        { "v:1 h - - [15/Jul/2025:12:00:00 +0000] \"GET / HTTP/1.1\" 200 1 \"-\" \"a\" 0.1", 10, "0.1" },
    };
    /* clang-format on */

    for (size_t i = 0; i < ROWS(LINES); i++) {
        lk_clf clf;
        lk_reject why;

        check(lk_clf_split(lk_slice_from(LINES[i].line), &clf, &why), "row %zu", i);
        check(clf.columns_before == LINES[i].before, "row %zu: %zu", i, clf.columns_before);
        check(lk_slice_is(clf.tail, LINES[i].tail), "row %zu: '%.*s'", i, (int)clf.tail.len,
              clf.tail.p);
    }
}

TEST(clf_reads_virtual_hosts)
{
    static const struct { const char *front, *host; } FRONTS[] = {
        { "h - -", NULL },
        { "vh.example:80 127.0.0.1 - -", "vh.example:80" },
        { "vh.example 127.0.0.1 - bob", "vh.example" },
        { "127.0.0.1 127.0.0.1:8680 -", "127.0.0.1:8680" }, /* lighttpd */
        { "127.0.0.1 www.example.com bob", "www.example.com" },
        { "127.0.0.1 ident bob", NULL },
        { "127.0.0.1 - b.ob", NULL },
    };

    for (size_t i = 0; i < ROWS(FRONTS); i++) {
        char line[200];
        lk_reject why;
        lk_fields f;

        (void)snprintf(line, sizeof(line),
                       "%s [15/Jul/2025:12:00:00 +0000] \"GET / HTTP/1.1\" 200 1 \"-\" \"a\"",
                       FRONTS[i].front);
        check(parse(line, &f, &why), "row %zu", i);
        check(is_text(f.host, FRONTS[i].host), "row %zu: '%.*s'", i, (int)f.host.len, f.host.p);
    }
}

/* ---- the plain line's way and the careful one ---- */

static bool same_text(lk_slice a, lk_slice b)
{
    return a.p == b.p && a.len == b.len;
}

static bool same_fields(const lk_clf *a, const lk_clf *b)
{
    return same_text(a->caller, b->caller) && same_text(a->host, b->host) &&
           same_text(a->stamp, b->stamp) && same_text(a->request, b->request) &&
           same_text(a->agent, b->agent) && same_text(a->tail, b->tail) &&
           a->status == b->status && a->has_agent == b->has_agent &&
           a->columns_before == b->columns_before;
}

static void compare_ways(lk_slice line)
{
    lk_clf quick, careful;
    lk_marks marks;
    lk_reject why[2] = { LK_REJECT_NONE, LK_REJECT_NONE };
    bool got = lk_clf_split(line, &quick, &why[0]);

    check(got == lk_clf_split_careful(line, &careful, &why[1]) && why[0] == why[1] &&
              (!got || same_fields(&quick, &careful)),
          "%.*s", (int)line.len, line.p);
    why[0] = LK_REJECT_NONE;
    lk_marks_find(&marks, line.p, line.len, true);
    got = lk_clf_split_known(line, &(lk_quotes){ line.p, marks.quotes, marks.quote_count }, &quick, &why[0]);
    check(got == (why[1] == LK_REJECT_NONE) && why[0] == why[1] && (!got || same_fields(&quick, &careful)),
          "quotes known: %.*s", (int)line.len, line.p);
}

static bool same_outcome(const lk_fields *a, const lk_fields *b)
{
    return a->stamp_ns == b->stamp_ns && a->fraction == b->fraction && a->moment == b->moment &&
           a->took_ns == b->took_ns && a->status == b->status && a->attempt_no == b->attempt_no &&
           a->attempt_max == b->attempt_max && a->retry_after_ns == b->retry_after_ns &&
           a->retry_at_ns == b->retry_at_ns && a->asked_form == b->asked_form && a->has_asked == b->has_asked &&
           a->gave_up == b->gave_up && a->zoneless == b->zoneless && a->by_wrapper == b->by_wrapper &&
           a->caller_chosen == b->caller_chosen && a->try_count == b->try_count;
}

static bool same_texts(const lk_fields *a, const lk_fields *b)
{
    bool same = same_text(a->caller, b->caller) && same_text(a->method, b->method) &&
                same_text(a->target, b->target) && same_text(a->query, b->query) &&
                same_text(a->agent, b->agent) && same_text(a->host, b->host);

    for (size_t i = 0; i < LK_IDS; i++)
        same = same && same_text(a->id[i], b->id[i]);
    return same;
}

/* What the short way reads is a line that is looked at for no wrapper, and reads so; how many it read. */
static size_t compare_short(const lk_layout *layout, lk_slice line)
{
    static lk_parse_cache c[2];
    lk_marks marks;
    lk_fields quick, whole;
    lk_reject why;

    lk_parse_cache_init(&c[0]);
    lk_parse_cache_init(&c[1]);
    lk_marks_find(&marks, line.p, line.len, true);
    c[0].quotes = (lk_quotes){ line.p, marks.quotes, marks.quote_count };
    if (!layout->format || !layout->format->read_plain ||
        !layout->format->read_plain(layout, &c[0], line, &quick))
        return 0;
    check(!lk_wrap_may_begin(line), "in a wrapper: %.*s", (int)line.len, line.p);
    check(lk_layout_parse(layout, &c[1], line, &whole, &why), "%.*s", (int)line.len, line.p);
    check(same_outcome(&quick, &whole) && same_texts(&quick, &whole), "%.*s", (int)line.len, line.p);
    check(c[0].row == c[1].row && same_text(c[0].body, c[1].body), "%.*s", (int)line.len, line.p);
    return 1;
}

/* One byte that means something put anywhere, or cut out, some times over. */
static void compare_damaged(const lk_layout *layout, lk_slice line, lk_random *random)
{
    static const char MARKS[] = "\"\\ []-,/:1a\t";
    char room[4096];

    for (int round = 0; round < 40 && line.len > 0 && line.len + 8 < sizeof(room); round++) {
        size_t len = line.len;

        memcpy(room, line.p, len);
        for (int i = 0; i <= round % 3; i++) {
            size_t at = (size_t)(lk_random_u64(random) % len);
            bool adds = lk_random_u64(random) % 3 == 0, cuts = !adds && lk_random_u64(random) % 3 == 0;

            if (adds || cuts)
                memmove(room + at + adds, room + at + cuts, len - at - cuts);
            len = len + adds - cuts;
            if (!cuts)
                room[at] = MARKS[lk_random_u64(random) % (sizeof(MARKS) - 1)];
        }
        compare_ways((lk_slice){ room, len });
        (void)compare_short(layout, (lk_slice){ room, len });
    }
}

/* How the lines of the file are read. */
static void learn(FILE *f, lk_layout *out)
{
    lk_sniffer *s = test_malloc(sizeof(*s));
    char line[4096];

    lk_sniffer_init(s);
    while (fgets(line, sizeof(line), f))
        lk_sniffer_line(s, (lk_slice){ line, strcspn(line, "\n") });
    lk_sniffer_decide(s, out);
    test_free(s);
    rewind(f);
}

TEST(clf_plain_and_careful_ways_agree)
{
    static const char *const FILES[] = { "apache-combined.log", "apache-common.log", "nginx-combined.log",
                                         "ext-apache.log", "ext-ingress.log", "ext-invocation.log",
                                         "ext-shop.log", "lighttpd.log", "varnishncsa.log",
                                         "traefik-clf.log", "squid-combined.log", "haproxy.log" };
    char path[128], line[4096];
    lk_random random;
    lk_layout layout;
    size_t lines = 0, short_lines = 0;

    lk_random_init(&random, 3);
    lk_layout_init(&layout);
    layout.format = lk_format_find("combined");
    for (size_t i = 0; i < sizeof(REQUESTS) / sizeof(REQUESTS[0]); i++) {
        compare_ways(lk_slice_from(REQUESTS[i].line));
        (void)compare_short(&layout, lk_slice_from(REQUESTS[i].line));
        compare_damaged(&layout, lk_slice_from(REQUESTS[i].line), &random);
    }
    for (size_t i = 0; i < sizeof(FILES) / sizeof(FILES[0]); i++) {
        FILE *f;

        (void)snprintf(path, sizeof(path), "testdata/format/%s", FILES[i]);
        f = fopen(path, "r");
        assert_non_null(f);
        learn(f, &layout);
        for (size_t n = 0; n < 200 && fgets(line, sizeof(line), f); n++, lines++) {
            lk_slice text = { line, strcspn(line, "\n") };

            compare_ways(text);
            short_lines += compare_short(&layout, text);
            compare_damaged(&layout, text, &random);
        }
        (void)fclose(f);
    }
    check(lines > 400 && short_lines > 100, "%zu lines, %zu of them the short way", lines, short_lines);
}

TESTS(T(clf_plain_and_careful_ways_agree), T(clf_reads_virtual_hosts), T(clf_reads_requests), T(clf_reads_stamps_with_their_zone),
      T(clf_says_why_a_line_is_no_request), T(clf_cache_changes_nothing),
      T(clf_survives_every_cut_of_a_line), T(clf_takes_long_lines_in_one_pass),
      T(clf_counts_the_columns_before_the_tail))
