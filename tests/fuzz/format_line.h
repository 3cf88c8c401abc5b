/* format_line — any bytes as lines of one log format.
 *
 * What a line gives lies within it, within the cache or is constant; a used cache reads like a fresh
 * one; what the sniffer takes is read; and the pieces of a log tell the same in any order. */
#ifndef LK_TESTS_FORMAT_LINE_H
#define LK_TESTS_FORMAT_LINE_H

#include "format/layout.h"
#include "format/rows.h"
#include "require.h"

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

static inline bool is_within(lk_slice s, const char *first, size_t len)
{
    return s.p >= first && s.p + s.len <= first + len;
}

static inline void check_place(lk_slice s, lk_slice line, const lk_parse_cache *c)
{
    REQUIRE(!s.p || is_within(s, line.p, line.len) || is_within(s, c->text, c->text_len));
}

static inline void check_fields(const lk_fields *f, lk_slice line, const lk_parse_cache *c)
{
    check_place(f->caller, line, c);
    check_place(f->method, line, c);
    check_place(f->agent, line, c);
    check_place(f->host, line, c);
    if (f->target.len > 1) /* "/" may stand for an absolute URI without a path */
        check_place(f->target, line, c);
    REQUIRE(!f->target.p || !memchr(f->target.p, '?', f->target.len) || f->target.p[0] != '/');
    for (size_t i = 0; i < LK_IDS; i++)
        check_place(f->id[i], line, c);
    REQUIRE(f->status <= LK_STATUS_UNKNOWN && f->took_ns >= -1 && f->retry_after_ns >= -1);
    REQUIRE(f->attempt_no >= 0 && f->attempt_max >= 0);
    REQUIRE(f->try_count <= LK_TRIES_MAX && (f->try_count == 0 || f->tries == c->tries));
    for (size_t i = 0; i < f->try_count; i++)
        REQUIRE(f->tries[i].status <= LK_STATUS_UNKNOWN && f->tries[i].took_ns >= -1);
    REQUIRE(f->moment == LK_MOMENT_START || f->moment == LK_MOMENT_END);
    REQUIRE(lk_stamp_is_plausible(f->stamp_ns));
    REQUIRE(f->took_ns < 0 || f->stamp_ns <= INT64_MAX - f->took_ns);
}

static inline bool same_text(lk_slice a, lk_slice b)
{
    return a.len == b.len && (a.len == 0 || memcmp(a.p, b.p, a.len) == 0);
}

static inline void check_same(const lk_fields *a, const lk_fields *b)
{
    REQUIRE(a->stamp_ns == b->stamp_ns && a->fraction == b->fraction && a->took_ns == b->took_ns);
    REQUIRE(a->try_count == b->try_count);
    REQUIRE(a->status == b->status && a->attempt_no == b->attempt_no && a->gave_up == b->gave_up);
    REQUIRE(same_text(a->caller, b->caller) && same_text(a->agent, b->agent));
    REQUIRE(same_text(a->target, b->target) && same_text(a->host, b->host));
}

/* `used` has read the lines above, `fresh` only their directives. */
static inline bool check_line(const lk_format *format, const lk_layout *l, lk_parse_cache *used,
                              lk_parse_cache *fresh, lk_slice body)
{
    lk_reject why[2] = { LK_REJECT_NONE, LK_REJECT_NONE };
    lk_fields f[2];
    bool ok;

    used->text_len = 0;
    ok = format->parse(l, used, body, &f[0], &why[0]);
    REQUIRE(format->parse(l, fresh, body, &f[1], &why[1]) == ok && why[0] == why[1]);
    REQUIRE(ok == (why[0] == LK_REJECT_NONE));
    if (!ok)
        return false;
    check_fields(&f[0], body, used);
    check_same(&f[0], &f[1]);
    return true;
}

static inline lk_slice next_line(lk_slice *rest)
{
    const char *end = memchr(rest->p, '\n', rest->len);
    lk_slice line = { rest->p, end ? (size_t)(end - rest->p) : rest->len };

    *rest = lk_slice_skip(*rest, line.len + 1);
    return line;
}

static inline void check_lines(const lk_format *format, const lk_layout *l, lk_sniffer *s,
                               lk_slice text)
{
    lk_parse_cache *used = malloc(2 * sizeof(*used)), *fresh;

    REQUIRE(used);
    fresh = used + 1;
    lk_parse_cache_init(used);
    while (text.len > 0) {
        lk_slice line = next_line(&text), body = lk_line_body(line);
        lk_fields f;
        bool ok;

        if (body.len == 0) {
            lk_line_directive(used, line);
            s->w3c = used->w3c;
            continue;
        }
        lk_parse_cache_init(fresh);
        fresh->w3c = used->w3c;
        ok = check_line(format, l, used, fresh, body);
        lk_parse_cache_init(fresh);
        if (used->w3c.count > 0 || !format->directive)
            REQUIRE(format->observe(s, fresh, body, &f) == ok);
    }
    free(used);
}

static inline void sniff(lk_sniffer *s, lk_slice text)
{
    lk_sniffer_init(s);
    while (text.len > 0)
        lk_sniffer_line(s, next_line(&text));
}

/* Two halves, put together in either order. */
static inline void check_pieces(lk_sniffer four[4], lk_slice text)
{
    lk_slice head = { text.p, text.len / 2 };

    sniff(&four[0], head);
    sniff(&four[1], lk_slice_skip(text, head.len));
    four[2] = four[0];
    four[3] = four[1];
    lk_sniffer_merge(&four[0], &four[1]);
    lk_sniffer_merge(&four[3], &four[2]);
    REQUIRE(memcmp(&four[0].w3c_seen, &four[3].w3c_seen, sizeof(four[0].w3c_seen)) == 0);
    REQUIRE(memcmp(four[0].parsed, four[3].parsed, sizeof(four[0].parsed)) == 0);
}

/* As many lines as tell something of what one leaves for the next: each is tried by every row of LK_FORMATS, many
 * times, and what fuzzing finds is found by inputs tried, not by their length. */
static inline lk_slice first_lines(const uint8_t *data, size_t len)
{
    enum { LINES = 8 };
    lk_slice text = { (const char *)data, len }, rest = text;

    for (size_t i = 0; i < LINES && rest.len > 0; i++)
        (void)next_line(&rest);
    return (lk_slice){ text.p, text.len - rest.len };
}

static inline int fuzz_format(const lk_format *format, const uint8_t *data, size_t len)
{
    lk_slice text = first_lines(data, len);
    lk_sniffer *s = malloc(4 * sizeof(*s));
    lk_layout l;

    REQUIRE(s);
    if (text.len > 0) {
        sniff(s, text);
        lk_sniffer_decide(s, &l);
        if (l.format != format) { /* as a file of this format would be read */
            lk_layout_init(&l);
            l.format = format;
            format->decide(s, &l);
        }
        lk_sniffer_init(s);
        check_lines(format, &l, s, text);
        check_pieces(s, text);
    }
    free(s);
    return 0;
}

#endif
