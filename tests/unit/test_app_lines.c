#include "format/layout.h"
#include "unit.h"

#include "base/time.h"
#include "format/rows.h"

#define AT INT64_C(1796009103390000000)

/* clang-format off */
static const struct {
    const char *line, *caller, *method, *target;
    unsigned status;
    int64_t took_ns;
} LINES[] = {
    { "INFO:     203.0.113.7:51234 - \"GET /u?x=1 HTTP/1.1\" 503 Service Unavailable", "203.0.113.7", "GET", "/u", 503, -1 },
    { "INFO:     [2001:db8::7]:5 - \"POST / HTTP/1.1\" 200 OK",                       "2001:db8::7", "POST", "/", 200, -1 },
    { "\x1b[32mINFO\x1b[0m:     203.0.113.7:51234 - \"\x1b[1mGET /a HTTP/1.1\x1b[0m\" \x1b[32m200 OK\x1b[0m", "203.0.113.7", "GET", "/a", 200, -1 },
    { "GET /a?b 503 1.234 ms - 6",                          NULL, "GET", "/a", 503, 1234000 },
    { "\x1b[0mGET /a \x1b[33m404\x1b[0m 1.234 ms - 6\x1b[0m", NULL, "GET", "/a", 404, 1234000 },
    { "GET /a 200 5 - 12 ms",                               NULL, "GET", "/a", 200, 12000000 },
    { "GET /a - - ms - -",                                  NULL, "GET", "/a", LK_STATUS_UNKNOWN, -1 },
    { "203.0.113.7 - GET /a HTTP/1.1 429 5 - 1.5 ms",       "203.0.113.7", "GET", "/a", 429, 1500000 },
};
/* clang-format on */

static bool is_text(lk_slice s, const char *want)
{
    return want ? lk_slice_is(s, want) : s.len == 0;
}

TEST(app_lines_take_the_stamp_around_them)
{
    const lk_outer outer = { .at_ns = AT, .is_known = true, .fraction = true };

    for (size_t i = 0; i < ROWS(LINES); i++) {
        lk_parse_cache cache;
        lk_layout layout;
        lk_reject why;
        lk_fields f;

        lk_layout_init(&layout);
        lk_parse_cache_init(&cache);
        cache.outer = &outer;
        check(lk_layout_parse(&layout, &cache, lk_slice_from(LINES[i].line), &f, &why), "row %zu", i);
        check(f.stamp_ns == AT && f.by_wrapper && f.moment == LK_MOMENT_END, "row %zu: stamp", i);
        check(is_text(f.caller, LINES[i].caller), "row %zu: caller", i);
        check(is_text(f.method, LINES[i].method) && is_text(f.target, LINES[i].target), "row %zu", i);
        check(f.status == LINES[i].status, "row %zu: %u", i, f.status);
        check(f.took_ns == LINES[i].took_ns, "row %zu: took %lld", i, (long long)f.took_ns);
        cache.outer = NULL;
        check(!lk_layout_parse(&layout, &cache, lk_slice_from(LINES[i].line), &f, &why) &&
                  why == LK_REJECT_NO_TIME,
              "row %zu without a stamp: %s", i, lk_reject_name(why));
    }
}

TESTS(T(app_lines_take_the_stamp_around_them))
