/* Any line to the reader of application servers' lines, which takes the stamp around them. */
#include "format_line.h"

static const lk_outer AROUND = { .at_ns = INT64_C(1796009103390000000), .is_known = true };

static bool parse(lk_parse_cache *c, lk_slice line, lk_fields *out)
{
    lk_reject why = LK_REJECT_NONE;
    lk_layout l;
    bool ok;

    lk_layout_init(&l);
    c->outer = &AROUND;
    ok = LK_FORMAT_APP.parse(&l, c, line, out, &why);
    REQUIRE(ok == (why == LK_REJECT_NONE));
    if (!ok)
        return false;
    check_fields(out, line, c);
    REQUIRE(out->stamp_ns == AROUND.at_ns && out->by_wrapper && out->moment == LK_MOMENT_END);
    return true;
}

/* The line in a block of its own, so that a read past its end is seen. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
    lk_parse_cache *cache = malloc(sizeof(*cache));
    char *copy = len > 0 ? malloc(len) : NULL;
    lk_fields first, again;
    lk_slice line;

    if (cache && copy) {
        memcpy(copy, data, len);
        line = lk_line_body((lk_slice){ copy, len });
        lk_parse_cache_init(cache);
        if (line.len > 0 && parse(cache, line, &first)) {
            char target[LK_CACHE_TEXT];
            size_t n = first.target.len < sizeof(target) ? first.target.len : 0;

            memcpy(target, n ? first.target.p : "", n);
            first.target = (lk_slice){ target, n };
            first.caller = first.agent = first.host = LK_SLICE_NONE;
            REQUIRE(parse(cache, line, &again));
            REQUIRE(first.status == again.status && first.took_ns == again.took_ns);
            REQUIRE(n == 0 || same_text(first.target, again.target));
            cache->outer = NULL;
            REQUIRE(!LK_FORMAT_APP.parse(NULL, cache, line, &again, &(lk_reject){ LK_REJECT_NONE }));
        }
    }
    free(copy);
    free(cache);
    return 0;
}
