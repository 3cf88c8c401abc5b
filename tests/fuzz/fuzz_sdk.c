/* Any bytes as the callers' own record: lines of JSON, CSV or OTLP.  Every line is a call or is told;
 * the sums of the report hold. */
#include "base/time.h"
#include "link/sdk_lines.h"
#include "require.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

/* The line in a block of its own, so that a read past its end is seen. */
static void take(lk_sdk_lines *x, const char *p, size_t len)
{
    char *copy = malloc(len ? len : 1);
    lk_err e = { 0 };
    const uint64_t rejected = x->rejected;
    lk_code code;

    REQUIRE(copy);
    if (len)
        memcpy(copy, p, len);
    code = lk_sdk_lines_take(x, (lk_slice){ copy, len }, &e);
    REQUIRE(code == LK_OK || (code == LK_EDATA && e.msg[0] && x->rejected == rejected + 1));
    free(copy);
}

static void take_lines(lk_sdk_lines *x, const char *p, size_t len)
{
    while (len > 0) {
        const char *end = memchr(p, '\n', len);
        const size_t line = end ? (size_t)(end - p) : len;

        take(x, p, line);
        p += end ? line + 1 : line;
        len -= end ? line + 1 : line;
    }
}

static void check_report(lk_sdk *sdk)
{
    lk_report *r = malloc(sizeof(*r));
    lk_symbols symbols;
    lk_err e = { 0 };

    REQUIRE(r && lk_symbols_init(&symbols, 1, &e) == LK_OK);
    lk_report_init(r);
    lk_sdk_report(sdk, &symbols, r);
    if (r->calls.total > 0) {
        REQUIRE(r->calls.failed >= 0 && r->calls.failed <= r->calls.total);
        REQUIRE(r->calls.succeeded_first + r->calls.recovered + r->calls.failed + r->calls.open <=
                r->calls.total);
    }
    lk_symbols_release(&symbols);
    free(r);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
    static const char *const KEYS[] = { NULL, "ts=at,call_id=request.id,outcome=result" };
    lk_sdk_lines reader;
    lk_sdk *sdk = malloc(sizeof(*sdk));
    lk_arena arena;
    lk_err e = { 0 };

    REQUIRE(sdk);
    lk_arena_init(&arena, 0);
    lk_sdk_init(sdk);
    REQUIRE(lk_sdk_lines_init(&reader, KEYS[len % 2], LK_TIME_NONE, LK_TIME_NONE, sdk, &arena,
                              &e) == LK_OK);
    take_lines(&reader, (const char *)data, len);
    REQUIRE(lk_sdk_lines_end(&reader, &e) == LK_OK);
    REQUIRE(reader.rejected <= reader.lines);
    check_report(sdk);
    lk_sdk_lines_release(&reader);
    lk_sdk_release(sdk);
    free(sdk);
    lk_arena_release(&arena);
    return 0;
}
