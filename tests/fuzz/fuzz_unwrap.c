/* Any lines through the wrappers: each is parsed, held, ignored, rejected or told as lost, and none
 * twice. */
#include "base/time.h"
#include "format/layout.h"
#include "format/unwrap.h"
#include "require.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

typedef struct account {
    uint64_t lines, held, settled, lost;
} account;

static void take_lost(void *ctx, const lk_lost *lost)
{
    account *a = ctx;

    REQUIRE(lost->lines <= a->held);
    a->held -= lost->lines;
    a->lost += lost->lines;
}

static void settle(account *a, lk_unwrap *u)
{
    REQUIRE(u->joined <= a->held);
    a->held -= u->joined;
    a->settled += u->joined;
    u->joined = 0;
}

static void take(lk_unwrap *u, const lk_layout *l, lk_parse_cache *c, lk_slice raw, account *a)
{
    const lk_unwrap_input in = { raw, raw, ++a->lines, 0 };
    lk_reject why = LK_REJECT_UNRECOGNISED;
    lk_fields fields;
    lk_err e = { 0 };

    switch (lk_unwrap_line(u, l, c, &in, &fields, &why, &e)) {
    case LK_UNWRAP_HELD: a->held++; break;
    case LK_UNWRAP_PARSED:
        REQUIRE(fields.stamp_ns != LK_TIME_NONE && fields.status <= LK_STATUS_UNKNOWN);
        REQUIRE(u->depth <= LK_UNWRAP_DEPTH);
        a->settled++;
        break;
    case LK_UNWRAP_IGNORED:
    case LK_UNWRAP_REJECTED: a->settled++; break;
    case LK_UNWRAP_FAIL: REQUIRE(false); break; /* no memory */
    }
    settle(a, u);
    REQUIRE(a->lines == a->held + a->settled + a->lost);
}

static void take_lines(lk_unwrap *u, const lk_layout *l, lk_parse_cache *c, const char *p, size_t len,
                       account *a)
{
    while (len > 0) {
        const char *end = memchr(p, '\n', len);
        const size_t n = end ? (size_t)(end - p) : len;
        char *copy = malloc(n ? n : 1);

        REQUIRE(copy);
        if (n)
            memcpy(copy, p, n);
        take(u, l, c, (lk_slice){ copy, n }, a);
        free(copy);
        p += end ? n + 1 : n;
        len -= end ? n + 1 : n;
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
    lk_unwrap *u = malloc(sizeof(*u));
    lk_parse_cache *c = malloc(sizeof(*c));
    account a = { 0 };
    lk_layout l;
    lk_fields fields;
    lk_err e = { 0 };

    REQUIRE(u && c);
    lk_layout_init(&l);
    lk_parse_cache_init(c);
    lk_unwrap_init(u, len % 3 ? 0 : 300);
    u->lost = take_lost;
    u->ctx = &a;
    take_lines(u, &l, c, (const char *)data, len, &a);
    (void)lk_unwrap_end(u, &l, c, &fields, &e);
    lk_unwrap_drop(u);
    REQUIRE(a.settled + a.lost <= a.lines);
    lk_unwrap_release(u);
    free(u);
    free(c);
    return 0;
}
