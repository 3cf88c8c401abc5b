#include "base/time.h"
#include "format/tokens.h"
#include "unit.h"

/* clang-format off */
static const struct { const char *text; bool product, address; } WORDS[] = {
    { "curl/7.88.1",              true,  false },
    { "OpenAI/JS 6.49.0",         true,  false },
    { "Go-http-client/1.1",       true,  false },
    { "text/html",                false, false },
    { "application/json; q=1",    false, false },
    { "HTTP/1.1",                 false, false },
    { "http://h/p",               false, false },
    { "/path",                    false, false },
    { "curl/",                    false, false },
    { "7/8",                      false, false },
    { "*/*",                      false, false },
    { "203.0.113.7",              false, true },
    { "203.0.113",                false, false },
    { "203.0.113.7:80",           false, false },
    { "...",                      false, false },
    { "2001:db8::7",              false, true },
    { "::1",                      false, true },
    { "cafe",                     false, false },
    { "h.example",                false, false },
    { "",                         false, false },
};

static const struct { const char *text; bool ok; int64_t ns; } MS[] = {
    { "0",                    true,  0 },
    { "226",                  true,  226 * LK_NS_PER_MS },
    { "+12",                  true,  12 * LK_NS_PER_MS },
    { "-",                    true,  -7 },
    { "-1",                   true,  -7 },
    { "",                     false, -7 },
    { "+",                    false, -7 },
    { "1.5",                  false, -7 },
    { "12ms",                 false, -7 },
    { "100000000001",         false, -7 },
    { "99999999999999999999", false, -7 },
};

static const struct { const char *text, *want; } PORTS[] = {
    { "127.0.0.1:58366",  "127.0.0.1" },
    { "::1:54276",        "::1" },
    { "[2001:db8::7]:80", "[2001:db8::7]" },
    { "unix:1",           "unix" },
    { "h",                "h" },
    { "h:",               "h:" },
    { ":80",              ":80" },
    { "80",               "80" },
};

static const struct { const char *text, *want; } PAIRS[] = {
    { "\"-\" \"a\"",              "a" },
    { "\"-\" \"U \"q\" b\\s\"",   "U \"q\" b\\s" },
    { "\"r\"r\" \"a\" \"b\"",     "a\" \"b" },
    { "\"\" \"\"",                "" },
    { "\"-\"",                    NULL },
    { "\"-\" \"",                 NULL },
    { "\"-\" a",                  NULL },
    { "- \"a\"",                  NULL },
    { "",                         NULL },
};

static const struct { const char *text, *want; } HOSTS[] = {
    { "https://h:80/p HTTP/2.0", "h:80" },
    { "http://h?q",              "h" },
    { "http://h",                "h" },
    { "http://",                 NULL },
    { "/p",                      NULL },
    { "h:443",                   NULL },
    { "",                        NULL },
};

static const struct { const char *text; int64_t at_ms; bool fraction; } STAMPS[] = {
    { "30/Nov/2026:03:27:39.594",  INT64_C(1796009259594), true },
    { "30/Nov/2026 03:27:39",      INT64_C(1796009259000), false },
    { "30/Nov/2026:03:27:39 +0000", -1, false },
    { "31/Nov/2026:03:27:39",      -1, false },
    { "30/Nov/2026",               -1, false },
    { "30/Nov/2026:03:27:39.123456789012345678", -1, false }, /* too long to be one */
};
/* clang-format on */

static bool is_text(lk_slice s, const char *want)
{
    return want ? s.p && lk_slice_is(s, want) : s.len == 0;
}

TEST(tokens_tell_agents_and_addresses)
{
    for (size_t i = 0; i < ROWS(WORDS); i++) {
        lk_slice s = lk_slice_from(WORDS[i].text);

        check(lk_token_is_product(s) == WORDS[i].product, "'%s'", WORDS[i].text);
        check(lk_token_is_address(s) == WORDS[i].address, "'%s'", WORDS[i].text);
    }
}

TEST(tokens_read_milliseconds)
{
    for (size_t i = 0; i < ROWS(MS); i++) {
        int64_t ns = -7;

        check(lk_token_ms(lk_slice_from(MS[i].text), &ns) == MS[i].ok, "'%s'", MS[i].text);
        check(ns == MS[i].ns, "'%s'", MS[i].text);
    }
}

TEST(tokens_take_ports_off)
{
    for (size_t i = 0; i < ROWS(PORTS); i++)
        check(is_text(lk_without_port(lk_slice_from(PORTS[i].text)), PORTS[i].want), "'%s'",
              PORTS[i].text);
}

TEST(tokens_find_the_agent_of_a_pair)
{
    for (size_t i = 0; i < ROWS(PAIRS); i++) {
        lk_slice agent = LK_SLICE_NONE;

        check(lk_pair_agent(lk_slice_from(PAIRS[i].text), &agent) == (PAIRS[i].want != NULL),
              "'%s'", PAIRS[i].text);
        check(is_text(agent, PAIRS[i].want), "'%s'", PAIRS[i].text);
    }
}

TEST(tokens_find_the_host_of_a_uri)
{
    for (size_t i = 0; i < ROWS(HOSTS); i++)
        check(is_text(lk_uri_host(lk_slice_from(HOSTS[i].text)), HOSTS[i].want), "'%s'",
              HOSTS[i].text);
}

TEST(tokens_read_stamps_without_zone)
{
    for (size_t i = 0; i < ROWS(STAMPS); i++) {
        int64_t at_ns = -1;
        bool fraction = false;

        check(lk_stamp_zoneless(lk_slice_from(STAMPS[i].text), &at_ns, &fraction) ==
                  (STAMPS[i].at_ms >= 0),
              "'%s'", STAMPS[i].text);
        check(at_ns == (STAMPS[i].at_ms < 0 ? -1 : STAMPS[i].at_ms * LK_NS_PER_MS), "'%s': %lld",
              STAMPS[i].text, (long long)at_ns);
        check(fraction == STAMPS[i].fraction, "'%s'", STAMPS[i].text);
    }
}

/* From both ends the same words. */
TEST(tokens_are_taken_from_both_ends)
{
    const char *text = " a  bc d ", *p = text, *end = text + strlen(text);

    check(is_text(lk_token_take(&p, end), "a") && is_text(lk_token_take(&p, end), "bc"), "front");
    check(is_text(lk_token_take(&p, end), "d") && lk_token_take(&p, end).len == 0, "front's end");
    check(is_text(lk_token_take_last(text, &end), "d"), "back");
    check(is_text(lk_token_take_last(text, &end), "bc"), "back");
    check(is_text(lk_token_take_last(text, &end), "a"), "back");
    check(lk_token_take_last(text, &end).len == 0 && end == text, "back's end");
    check(is_text(lk_first_of_list(LK_SLICE(" a , b")), "a"), "list");
    check(lk_first_of_list(LK_SLICE_NONE).len == 0, "no list");
}

TESTS(T(tokens_tell_agents_and_addresses), T(tokens_read_milliseconds), T(tokens_take_ports_off),
      T(tokens_find_the_agent_of_a_pair), T(tokens_find_the_host_of_a_uri),
      T(tokens_read_stamps_without_zone), T(tokens_are_taken_from_both_ends))
