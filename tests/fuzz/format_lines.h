/* format_lines — what any row of LK_FORMATS must keep to, whatever the line: for the fuzzers of log
 * formats. */
#ifndef LK_FUZZ_FORMAT_LINES_H
#define LK_FUZZ_FORMAT_LINES_H

#include "format/rows.h"
#include "require.h"

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

static bool is_within(lk_slice s, const char *p, size_t len)
{
    return s.p >= p && s.p + s.len <= p + len;
}

/* In the line, or unescaped in the cache; "/" may stand for an absolute URI without a path. */
static void check_text(lk_slice s, lk_slice line, const lk_parse_cache *c)
{
    REQUIRE(!s.p || s.len == 0 || is_within(s, line.p, line.len) ||
           is_within(s, c->text, sizeof(c->text)) || (s.len == 1 && s.p[0] == '/'));
}

static void check_fields(const lk_fields *f, lk_slice line, const lk_parse_cache *c)
{
    check_text(f->caller, line, c);
    check_text(f->method, line, c);
    check_text(f->target, line, c);
    check_text(f->agent, line, c);
    check_text(f->host, line, c);
    for (size_t i = 0; i < LK_IDS; i++)
        check_text(f->id[i], line, c);
    REQUIRE(f->status <= LK_STATUS_UNKNOWN && f->took_ns >= -1 && f->retry_after_ns >= -1);
    REQUIRE(f->attempt_no >= 0 && f->attempt_max >= 0);
    REQUIRE(lk_stamp_is_plausible(f->stamp_ns));
    REQUIRE(f->try_count <= LK_TRIES_MAX && (f->try_count == 0 || f->tries == c->tries));
    for (size_t i = 0; i < f->try_count; i++)
        REQUIRE(f->tries[i].status <= LK_STATUS_UNKNOWN && f->tries[i].took_ns >= -1);
}

static bool parse(const lk_format *row, const lk_layout *l, lk_parse_cache *c, lk_slice line,
                  lk_fields *f)
{
    lk_reject why = LK_REJECT_NONE;
    bool ok = row->parse(l, c, line, f, &why);

    REQUIRE(ok || (why != LK_REJECT_NONE && why < LK_REJECT_COUNT));
    if (ok)
        check_fields(f, line, c);
    return ok;
}

static void check_same(const lk_fields *a, const lk_fields *b)
{
    REQUIRE(a->stamp_ns == b->stamp_ns && a->fraction == b->fraction && a->status == b->status);
    REQUIRE(a->took_ns == b->took_ns && a->gave_up == b->gave_up && a->zoneless == b->zoneless);
    REQUIRE(a->caller.len == b->caller.len && a->target.len == b->target.len);
    REQUIRE(a->try_count == b->try_count);
}

/* Reading twice gives the same; what the sniffer takes is read, by the layout that it makes too. */
static void check_row(const lk_format *row, lk_slice line)
{
    lk_sniffer *s = malloc(sizeof(*s));
    lk_parse_cache cache;
    lk_layout nothing_known, learned;
    lk_fields first, again, seen;
    bool ok;

    if (!s)
        return;
    lk_layout_init(&nothing_known);
    lk_parse_cache_init(&cache);
    ok = parse(row, &nothing_known, &cache, line, &first);
    REQUIRE(parse(row, &nothing_known, &cache, line, &again) == ok);
    if (ok)
        check_same(&first, &again);
    lk_sniffer_init(s);
    if (row->observe(s, &cache, line, &seen))
        REQUIRE(ok && seen.stamp_ns == first.stamp_ns && seen.status == first.status);
    lk_sniffer_init(s);
    lk_sniffer_line(s, line);
    lk_sniffer_decide(s, &learned);
    if (learned.format == row) {
        REQUIRE(learned.id_count <= LK_IDS && ok);
        REQUIRE(parse(row, &learned, &cache, line, &again));
    }
    free(s);
}

/* The line in a block of its own, so that a read past its end is seen. */
static int check_rows(const lk_format *const *rows, size_t count, const uint8_t *data, size_t len)
{
    char *copy = len > 0 ? malloc(len) : NULL;
    lk_slice line;

    if (!copy)
        return 0;
    memcpy(copy, data, len);
    line = lk_line_body((lk_slice){ copy, len });
    for (size_t i = 0; i < count && line.len > 0; i++)
        check_row(rows[i], line);
    free(copy);
    return 0;
}

#define FUZZ_ROWS(...)                                                      \
    int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)             \
    {                                                                       \
        static const lk_format *const rows[] = { __VA_ARGS__ };             \
                                                                            \
        return check_rows(rows, sizeof(rows) / sizeof(rows[0]), data, len); \
    }

#endif
