#include "format/request.h"
#include "unit.h"

/* clang-format off */
static const struct { const char *line, *method, *target; } LINES[] = { /* NULL = no request line */
    { "GET / HTTP/1.1",                         "GET",      "/" },
    { "GET /a?b=c HTTP/2.0",                    "GET",      "/a" },
    { "GET /a HTTP/3",                          "GET",      "/a" },
    { "POST /a b?c d HTTP/1.1",                 "POST",     "/a b" },
    { "M-SEARCH * HTTP/1.1",                    "M-SEARCH", "*" },
    { "PRI * HTTP/2.0",                         "PRI",      "*" },
    { "OPTIONS * HTTP/1.1",                     "OPTIONS",  "*" },
    { "CONNECT ex.example:443 HTTP/1.1",        "CONNECT",  "ex.example:443" },
    { "GET http://h.example/p?q HTTP/1.1",      "GET",      "/p" },
    { "GET https://h.example:8443 HTTP/1.1",    "GET",      "/" },
    { "GET http://h.example?q=/x HTTP/1.1",     "GET",      "/" },
    { "GET http://h.example/p",                 "GET",      "/p" },
    { "GET /old",                               "GET",      "/old" },
    { "GET /LLLLLLLL",                          "GET",      "/LLLLLLLL" },
    { "GET ? HTTP/1.1",                         "GET",      "" },
    { "",                                       NULL,       NULL },
    { "-",                                      NULL,       NULL },
    { "G",                                      NULL,       NULL },
    { "GET",                                    NULL,       NULL },
    { "GET ",                                   NULL,       NULL },
    { "GET  HTTP/1.1",                          NULL,       NULL },
    { "Probe Probe",                            NULL,       NULL },
    { "SSH-2.0-OpenSSH_9.2",                    NULL,       NULL },
    { "- http://localhost HTTP/1.0",            NULL,       NULL },
    { " GET / HTTP/1.1",                        NULL,       NULL },
    { "\\x16\\x03\\x01 / HTTP/1.1",             NULL,       NULL },
    { "ABCDEFGHIJKLMNOPQRSTUVWXYZ / HTTP/1.1",  NULL,       NULL },
};

static const struct { const char *host, *address; } HOSTS[] = {
    { "203.0.113.5",          "203.0.113.5" },
    { "203.0.113.5:61264",    "203.0.113.5" },
    { "[2001:db8::5]:443",    "2001:db8::5" },
    { "[2001:db8::5]",        "2001:db8::5" },
    { "2001:db8::5",          "2001:db8::5" },
    { "::ffff:1.2.3.4",       "1.2.3.4" }, /* by a socket for both families */
    { "[::ffff:1.2.3.4]:80",  "1.2.3.4" },
    { "::ffff:102:304",       "::ffff:102:304" },
    { "::ffff:",              "::ffff:" },
    { "edge-7.example.net",   "edge-7.example.net" },
    { "edge-7.example.net:1", "edge-7.example.net:1" },
    { "unix:",                "unix:" },
    { "[broken",              "[broken" },
    { "-",                    "-" },
    { "",                     "" },
};
/* clang-format on */

TEST(request_splits_lines)
{
    for (size_t i = 0; i < ROWS(LINES); i++) {
        lk_slice method = LK_SLICE_NONE, target = LK_SLICE_NONE;
        bool is = lk_request_split(lk_slice_from(LINES[i].line), &method, &target);

        check(is == (LINES[i].method != NULL), "'%s'", LINES[i].line);
        if (!is) {
            check(!method.p && !target.p, "'%s'", LINES[i].line);
            continue;
        }
        check(lk_slice_is(method, LINES[i].method), "'%s': method '%.*s'", LINES[i].line,
              (int)method.len, method.p);
        check(lk_slice_is(target, LINES[i].target), "'%s': target '%.*s'", LINES[i].line,
              (int)target.len, target.p);
    }
}

static bool same_text(lk_slice a, lk_slice b)
{
    return a.p == b.p && a.len == b.len;
}

/* The short way of most lines gives what the other does, at every length of pieces put together. */
TEST(request_plain_and_careful_ways_agree)
{
    static const char *const PIECES[] = { "GET ", "POST ", "/", "a", "?", " ", "HTTP/1.1", " HTTP/2.0", " HTTP/3", "//", "GET" };
    uint64_t x = 7;

    for (size_t round = 0; round < 20000; round++) {
        char text[80] = "";
        lk_slice method = LK_SLICE_NONE, target = LK_SLICE_NONE, line;
        lk_fields f;
        bool is;

        for (size_t i = 0; i < 6; i++) {
            x = x * UINT64_C(6364136223846793005) + 1442695040888963407U;
            strcat(text, PIECES[i == 0 && round % 2 ? (x >> 33) % 2 : (x >> 33) % ROWS(PIECES)]);
        }
        line = lk_slice_from(text);
        lk_fields_init(&f);
        is = lk_request_split(line, &method, &target);
        check(lk_request_read(line, &f) == is, "'%s'", text);
        check(same_text(f.method, method) && (same_text(f.target, target) || lk_slice_is(target, "/")), "'%s'",
              text);
        if (is && f.query.p)
            check(f.query.p == f.target.p + f.target.len + 1 && f.query.p[-1] == '?', "'%s'", text);
    }
}

TEST(request_takes_ports_off_addresses)
{
    for (size_t i = 0; i < ROWS(HOSTS); i++) {
        lk_slice address = lk_caller_address(lk_slice_from(HOSTS[i].host));

        check(lk_slice_is(address, HOSTS[i].address), "'%s': '%.*s'", HOSTS[i].host,
              (int)address.len, address.p);
    }
}

TEST(request_keeps_queries_apart)
{
    static const struct {
        const char *uri, *target, *query, *whole;
    } CASES[] = {
        { "/p", "/p", NULL, "/p" },
        { "/p?", "/p", "", "/p?" },
        { "/p?a=1&b=2", "/p", "a=1&b=2", "/p?a=1&b=2" },
        { "/p?a?b=/x?", "/p", "a?b=/x?", "/p?a?b=/x?" },
        { "/p;v=1?q", "/p;v=1", "q", "/p;v=1?q" },
        { "/p%3Fq=1", "/p%3Fq=1", NULL, "/p%3Fq=1" },
        { "/p\\x3fq=1", "/p\\x3fq=1", NULL, "/p\\x3fq=1" },
        { "/p#f?q", "/p#f", "q", "/p#f?q" },
        { "http://h?q", "/", "q", "/?q" },
        { "http://h/p?u=http://x/y?z", "/p", "u=http://x/y?z", "/p?u=http://x/y?z" },
        { "*", "*", NULL, "*" },
        { "", "", NULL, "" },
    };
    char room[16];

    for (size_t i = 0; i < ROWS(CASES); i++) {
        lk_fields f = { .status = 200 };
        lk_slice whole;

        lk_target_read(lk_slice_from(CASES[i].uri), &f);
        whole = lk_fields_whole_target(&f, room, sizeof(room));
        check(lk_slice_is(f.target, CASES[i].target), "'%s': '%.*s'", CASES[i].uri,
              (int)f.target.len, f.target.p);
        check(!f.query.p == !CASES[i].query, "'%s'", CASES[i].uri);
        check(!CASES[i].query || lk_slice_is(f.query, CASES[i].query), "'%s'", CASES[i].uri);
        check(lk_slice_is(whole, CASES[i].whole), "'%s': '%.*s'", CASES[i].uri, (int)whole.len,
              whole.p);
    }
}

TEST(request_puts_a_query_of_another_place_behind_its_path)
{
    lk_fields f = { .target = LK_SLICE("/path"), .query = LK_SLICE("a=1") };
    char room[16], small[7], tiny[3];

    assert_true(lk_slice_is(lk_fields_whole_target(&f, room, sizeof(room)), "/path?a=1"));
    assert_true(lk_slice_is(lk_fields_whole_target(&f, small, sizeof(small)), "/path?a"));
    assert_true(lk_slice_is(lk_fields_whole_target(&f, tiny, sizeof(tiny)), "/pa"));
}

TEST(request_takes_ports_off_hosts)
{
    static const char *const CASES[][2] = {
        { "a.example", "a.example" }, { "a.example:443", "a.example" }, { "[::1]:80", "::1" },
        { "[::1]", "::1" },           { "::1", "::1" },                 { "10.0.0.1:8", "10.0.0.1" },
        { "a:b", "a:b" },             { ":80", "" },                    { "", "" },
        { "443", "443" },             { "[broken", "[broken" },
    };

    for (size_t i = 0; i < ROWS(CASES); i++) {
        lk_slice host = lk_host_name(lk_slice_from(CASES[i][0]));

        check(lk_slice_is(host, CASES[i][1]), "'%s': '%.*s'", CASES[i][0], (int)host.len, host.p);
    }
}

TESTS(T(request_keeps_queries_apart), T(request_puts_a_query_of_another_place_behind_its_path),
      T(request_takes_ports_off_hosts), T(request_splits_lines), T(request_plain_and_careful_ways_agree),
      T(request_takes_ports_off_addresses))
