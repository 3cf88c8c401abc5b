/* Squid: its own format, and its common and combined ones.
 *
 *     END-in-s.ms  elapsed-ms ip CODE/status bytes METHOD URL user HIERARCHY/peer type
 *     ip ident user [END] "request" status bytes "referer" "user agent" CODE:HIERARCHY
 *
 * Quotes are not escaped in the second.  ..._ABORTED: the client left first.
 *
 * Source: Squid 5.7 and its logformat directive.  */
#include "base/time.h"
#include "format/clf.h"
#include "format/request.h"
#include "format/rows.h"
#include "format/tokens.h"
#include "format/value.h"

#include <string.h>

enum { STAMP_DIGITS = 10, CODE_MIN = 3, EXTRA_MAX = 16 };

static bool reject(lk_reject *why, lk_reject reason)
{
    *why = reason;
    return false;
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* TCP_MISS, NONE_NONE, HIER_DIRECT, NONE */
static bool is_code(lk_slice s)
{
    for (size_t i = 0; i < s.len; i++)
        if (!(s.p[i] >= 'A' && s.p[i] <= 'Z') && s.p[i] != '_' && !(i > 0 && is_digit(s.p[i])))
            return false;
    return s.len >= CODE_MIN;
}

static bool says_aborted(lk_slice code)
{
    static const char ABORTED[] = "_ABORTED";
    const size_t len = sizeof(ABORTED) - 1;

    for (size_t i = 0; i + len <= code.len; i++)
        if (memcmp(code.p + i, ABORTED, len) == 0)
            return true;
    return false;
}

/* "CODE/503" or "CODE:HIERARCHY"; false when there is no mark. */
static bool cut_at(lk_slice s, char mark, lk_slice *before, lk_slice *after)
{
    const char *at = s.len > 0 ? memchr(s.p, mark, s.len) : NULL;

    if (!at)
        return false;
    *before = lk_between(s.p, at);
    *after = lk_between(at + 1, s.p + s.len);
    return true;
}

/* ---- native ---- */

/* "1796009352.117 ": ten digits and milliseconds. */
static bool opens_native(lk_slice line)
{
    for (size_t i = 0; i < STAMP_DIGITS + 4; i++)
        if (i >= line.len || (i == STAMP_DIGITS ? line.p[i] != '.' : !is_digit(line.p[i])))
            return false;
    return line.len > STAMP_DIGITS + 4 && line.p[STAMP_DIGITS + 4] == ' ';
}

/* A site's own columns behind the type: the agent is the quoted one that looks like one. */
static lk_slice find_agent(const char *p, const char *end)
{
    for (size_t i = 0; i < EXTRA_MAX; i++) {
        const char *open = lk_find_byte(p, end, '"');
        const char *close = open ? lk_quoted_end(open, end) : NULL;

        if (!close)
            return LK_SLICE_NONE;
        if (lk_token_is_product(lk_between(open + 1, close - 1)))
            return lk_between(open + 1, close - 1);
        p = close;
    }
    return LK_SLICE_NONE;
}

/* Without a method "error:invalid-request" is no target. */
static void fill_target(lk_slice method, lk_slice url, lk_fields *out)
{
    if (lk_value_is_absent(method) || url.len == 0)
        return;
    out->method = method;
    lk_target_read(url, out);
    out->host = lk_uri_host(url);
}

typedef struct native_line {
    lk_slice stamp, caller, code, status, method, url;
    int64_t took_ns;
    const char *extra; /* a site's own columns */
} native_line;

static bool split_native(lk_slice line, native_line *out, lk_reject *why)
{
    const char *p = line.p, *end = line.p + line.len;
    lk_slice result, peer, before, after;

    if (!opens_native(line))
        return reject(why, LK_REJECT_UNRECOGNISED);
    *out = (native_line){ .stamp = lk_token_take(&p, end), .took_ns = -1 };
    if (!lk_token_ms(lk_token_take(&p, end), &out->took_ns))
        return reject(why, LK_REJECT_UNRECOGNISED);
    out->caller = lk_token_take(&p, end);
    result = lk_token_take(&p, end);
    (void)lk_token_take(&p, end); /* bytes */
    out->method = lk_token_take(&p, end);
    out->url = lk_token_take(&p, end);
    (void)lk_token_take(&p, end); /* user */
    peer = lk_token_take(&p, end);
    out->extra = p;
    if (cut_at(result, '/', &out->code, &out->status) && is_code(out->code) &&
        cut_at(peer, '/', &before, &after))
        return true;
    return reject(why, p == end ? LK_REJECT_CUT : LK_REJECT_UNRECOGNISED);
}

static bool parse_native(const lk_layout *l, lk_parse_cache *c, lk_slice line, lk_fields *out,
                         lk_reject *why)
{
    native_line n;

    (void)l;
    (void)c;
    lk_fields_init(out);
    if (!split_native(line, &n, why))
        return false;
    if (!lk_time_epoch(n.stamp, &out->stamp_ns, &out->fraction) ||
        !lk_stamp_is_plausible(out->stamp_ns))
        return reject(why, LK_REJECT_TIMESTAMP);
    if (!lk_token_status(n.status, &out->status))
        return reject(why, LK_REJECT_STATUS);
    out->moment = LK_MOMENT_END;
    out->took_ns = n.took_ns;
    out->caller = lk_caller_address(n.caller);
    out->gave_up = says_aborted(n.code);
    fill_target(n.method, n.url, out);
    out->agent = find_agent(n.extra, line.p + line.len);
    return true;
}

static bool observe_native(lk_sniffer *s, lk_parse_cache *c, lk_slice line, lk_fields *out)
{
    lk_reject why;

    (void)s;
    return parse_native(NULL, c, line, out, &why);
}

static void decide_end(const lk_sniffer *s, lk_layout *out)
{
    (void)s;
    out->moment = LK_MOMENT_END;
}

const lk_format LK_FORMAT_SQUID = {
    .name = "squid",
    .moment = "end",
    .resolution = "1 ms",
    .help = "Squid's own format, with the time that it took",
    .parse = parse_native,
    .observe = observe_native,
    .decide = decide_end,
};

/* ---- common and combined, with Squid's codes at the end ---- */

static bool parse_combined(const lk_layout *l, lk_parse_cache *c, lk_slice line, lk_fields *out,
                           lk_reject *why)
{
    const char *end = line.p + line.len, *before = end;
    lk_slice code, hierarchy, rest, agent = LK_SLICE_NONE, uri;
    lk_clf clf;

    (void)l;
    *why = LK_REJECT_UNRECOGNISED;
    if (!cut_at(lk_token_take_last(line.p, &before), ':', &code, &hierarchy) || !is_code(code) ||
        !is_code(hierarchy) || !lk_clf_split(line, &clf, why))
        return false;
    lk_fields_init(out);
    while (before > line.p && before[-1] == ' ')
        before--;
    rest = lk_behind_bytes(lk_between(line.p, before), clf.request);
    if (rest.len > 0 && !lk_pair_agent(rest, &agent))
        return reject(why, LK_REJECT_UNRECOGNISED);
    if (!lk_cache_stamp(c, clf.stamp, lk_time_clf, &out->stamp_ns, &out->fraction))
        return reject(why, LK_REJECT_TIMESTAMP);
    out->moment = LK_MOMENT_END;
    out->status = clf.status;
    out->caller = lk_caller_address(clf.caller);
    out->gave_up = says_aborted(code);
    if (!lk_value_is_absent(agent))
        out->agent = agent;
    if (lk_request_read(clf.request, out)) {
        uri = lk_slice_skip(clf.request, out->method.len + 1);
        out->host = lk_uri_host(uri);
    }
    return true;
}

static bool observe_combined(lk_sniffer *s, lk_parse_cache *c, lk_slice line, lk_fields *out)
{
    lk_reject why;

    (void)s;
    return parse_combined(NULL, c, line, out, &why);
}

const lk_format LK_FORMAT_SQUID_COMBINED = {
    .name = "squid-combined",
    .moment = "end",
    .resolution = "1 s",
    .help = "Squid's common and combined formats",
    .parse = parse_combined,
    .observe = observe_combined,
    .decide = decide_end,
};
