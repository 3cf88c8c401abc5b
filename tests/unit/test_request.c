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

TEST(request_takes_ports_off_addresses)
{
    for (size_t i = 0; i < ROWS(HOSTS); i++) {
        lk_slice address = lk_caller_address(lk_slice_from(HOSTS[i].host));

        check(lk_slice_is(address, HOSTS[i].address), "'%s': '%.*s'", HOSTS[i].host,
              (int)address.len, address.p);
    }
}

TESTS(T(request_splits_lines), T(request_takes_ports_off_addresses))
