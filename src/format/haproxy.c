/* HAProxy: httplog, and httpslog, which adds columns behind the request.
 *
 *     ip:port [START] frontend backend/server TR/Tw/Tc/Tr/Ta status bytes CC CS flags
 *     actconn/feconn/beconn/srvconn/retries srvqueue/backendqueue {captured|headers} {..} "request"
 *
 * A syslog header may stand before it.  The stamp has no zone.
 *
 * Captured headers have no names: the product token is the agent, an address the caller (for there
 * X-Forwarded-For was captured, and HAProxy's peer is another proxy); the rest are columns.
 *
 * Source: HAProxy 2.6 configuration manual, sections 8.2.3 to 8.6.  */
#include "format/haproxy.h"

#include "base/seek.h"
#include "format/columns.h"
#include "format/request.h"
#include "format/rows.h"
#include "format/tokens.h"
#include "format/value.h"

#include <stdio.h>

enum { STAMP_TEXT_MAX = 40, TIMERS = 5, COUNTERS = 5, RETRIES_MAX = 1000000, CAPTURES_MAX = 24 };

typedef struct haproxy_line {
    lk_slice peer, stamp, server, took, flags, retries, request;
    unsigned status;
    bool no_status; /* "-1": nothing was sent */
    size_t capture_count;
    lk_slice captures[CAPTURES_MAX];
    size_t asked_count; /* of them, in the first block */
} haproxy_line;

static bool reject(lk_reject *why, lk_reject reason)
{
    *why = reason;
    return false;
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* ---- ip:port [30/Nov/2026: ---- */

static bool opens_stamp(const char *p, const char *end)
{
    return end - p > 22 && is_digit(p[1]) && is_digit(p[2]) && p[3] == '/' && p[7] == '/' &&
           p[12] == ':';
}

static bool has_port(lk_slice peer)
{
    return lk_without_port(peer).len < peer.len;
}

/* The bracket of the stamp, behind a peer with its port. */
static const char *find_stamp(lk_slice line, lk_slice *peer)
{
    const char *end = line.p + line.len;

    for (const char *p = line.p; (p = lk_seek_before_digit(p, end, '[')); p++) {
        const char *before = p;

        if (p == line.p || p[-1] != ' ' || !opens_stamp(p, end))
            continue;
        *peer = lk_token_take_last(line.p, &before);
        return has_port(*peer) ? p : NULL;
    }
    return NULL;
}

/* ---- "0/0/0/2/2" ---- */

static size_t count_byte(lk_slice s, char c)
{
    size_t n = 0;

    for (size_t i = 0; i < s.len; i++)
        n += s.p[i] == c;
    return n;
}

static lk_slice last_part(lk_slice s)
{
    size_t n = s.len;

    while (n > 0 && s.p[n - 1] != '/')
        n--;
    return lk_slice_skip(s, n);
}

static bool are_timers(lk_slice s)
{
    if (s.len == 0 || count_byte(s, '/') != TIMERS - 1)
        return false;
    for (size_t i = 0; i < s.len; i++)
        if (!is_digit(s.p[i]) && s.p[i] != '/' && s.p[i] != '-' && s.p[i] != '+')
            return false;
    return true;
}

/* ---- captured headers ---- */

static void take_cells(lk_slice block, haproxy_line *out)
{
    for (;;) {
        const char *bar = block.len > 0 ? lk_find_byte(block.p, block.p + block.len, '|') : NULL;

        if (out->capture_count == CAPTURES_MAX)
            return;
        out->captures[out->capture_count++] = bar ? lk_between(block.p, bar) : block;
        if (!bar)
            return;
        block = lk_slice_skip(block, (size_t)(bar - block.p) + 1);
    }
}

/* The blocks at p, of request and of response headers: braces inside are escaped. */
static const char *take_captures(const char *p, const char *end, haproxy_line *out)
{
    for (size_t i = 0; i < 2 && p < end && *p == '{'; i++) {
        const char *close = lk_find_byte(p, end, '}');

        if (!close)
            return end;
        take_cells(lk_between(p + 1, close), out);
        if (i == 0)
            out->asked_count = out->capture_count;
        p = close + 1;
        if (p < end && *p == ' ')
            p++;
    }
    return p;
}

/* ---- the line ---- */

/* Quotes inside are escaped.  A long request is cut with the line by the log's length limit: then
 * only a target that is there up to its query is known. */
static lk_slice take_request(const char *p, const char *end)
{
    const char *close = lk_find_byte(p + 1, end, '"');

    if (close)
        return lk_between(p + 1, close);
    return lk_find_byte(p, end, '?') ? lk_between(p + 1, end) : LK_SLICE_NONE;
}

static bool take_status(lk_slice s, haproxy_line *out)
{
    out->no_status = lk_slice_is(s, "-1");
    return out->no_status || (s.len == 3 && lk_token_status(s, &out->status));
}

/* From the timers on. */
static bool take_numbers(const char *p, const char *end, haproxy_line *out, lk_reject *why)
{
    lk_slice timers = lk_token_take(&p, end), counters;

    if (!are_timers(timers))
        return reject(why, timers.len == 0 ? LK_REJECT_CUT : LK_REJECT_UNRECOGNISED);
    out->took = last_part(timers);
    if (p == end)
        return reject(why, LK_REJECT_CUT);
    if (!take_status(lk_token_take(&p, end), out))
        return reject(why, LK_REJECT_STATUS);
    for (size_t i = 0; i < 3; i++) /* bytes and cookies */
        (void)lk_token_take(&p, end);
    out->flags = lk_token_take(&p, end);
    counters = lk_token_take(&p, end);
    if (count_byte(counters, '/') != COUNTERS - 1)
        return reject(why, p == end ? LK_REJECT_CUT : LK_REJECT_UNRECOGNISED);
    out->retries = last_part(counters);
    (void)lk_token_take(&p, end); /* queues */
    p = take_captures(p < end ? p + 1 : p, end, out);
    if (p < end && *p == '"')
        out->request = take_request(p, end);
    return true;
}

static bool split(lk_slice line, haproxy_line *out, lk_reject *why)
{
    const char *end = line.p + line.len, *open, *close;

    out->status = 0;
    out->capture_count = out->asked_count = 0;
    out->request = LK_SLICE_NONE;
    open = find_stamp(line, &out->peer);
    if (!open)
        return reject(why, LK_REJECT_UNRECOGNISED);
    close = lk_find_byte(open, end, ']');
    if (!close || close - open > STAMP_TEXT_MAX)
        return reject(why, end - open < STAMP_TEXT_MAX ? LK_REJECT_CUT : LK_REJECT_UNRECOGNISED);
    out->stamp = lk_between(open + 1, close);
    open = close + 1;
    if (end - open < 2)
        return reject(why, LK_REJECT_CUT);
    if (open[0] != ' ' || open[1] == '"')
        return reject(why, LK_REJECT_UNRECOGNISED);
    (void)lk_token_take(&open, end); /* frontend */
    out->server = lk_token_take(&open, end);
    if (out->server.len > 0 && count_byte(out->server, '/') == 0)
        return reject(why, LK_REJECT_UNRECOGNISED);
    return take_numbers(open, end, out, why);
}

/* ---- to fields ---- */

void lk_haproxy_tries(lk_slice retries, lk_parse_cache *c, lk_fields *out)
{
    int32_t n;

    out->try_count = 0;
    out->tries = NULL;
    if (retries.len > 0 && retries.p[0] == '+')
        retries = lk_slice_skip(retries, 1);
    if (!lk_value_count(retries, RETRIES_MAX, &n) || n == 0)
        return;
    out->try_count = (size_t)n < LK_TRIES_MAX ? (size_t)n + 1 : LK_TRIES_MAX;
    for (size_t i = 0; i < out->try_count; i++)
        c->tries[i] = (lk_try){ .status = LK_STATUS_UNKNOWN, .took_ns = -1 };
    c->tries[out->try_count - 1].status = out->status;
    out->tries = c->tries;
}

static void fill_captures(const haproxy_line *h, lk_fields *out)
{
    bool forwarded = false;

    for (size_t i = 0; i < h->asked_count; i++) {
        lk_slice cell = h->captures[i], first = lk_first_of_list(cell);

        if (!out->agent.p && lk_token_is_product(cell))
            out->agent = cell;
        if (!forwarded && lk_token_is_address(first)) {
            out->caller = lk_caller_address(first);
            forwarded = true;
        }
    }
}

void lk_haproxy_request(lk_slice request, lk_fields *out)
{
    const char *blank;

    if (!lk_request_read(request, out))
        return;
    blank = lk_find_byte(request.p, request.p + request.len, ' ');
    if (blank)
        out->host = lk_uri_host(lk_between(blank + 1, request.p + request.len));
}

static bool fill(const haproxy_line *h, lk_parse_cache *c, lk_fields *out, lk_reject *why)
{
    lk_fields_init(out);
    /* Not through the cache: what has no zone may not stand for what must have one. */
    if (!lk_stamp_zoneless(h->stamp, &out->stamp_ns, &out->fraction) ||
        !lk_stamp_is_plausible(out->stamp_ns))
        return reject(why, LK_REJECT_TIMESTAMP);
    out->gave_up = h->flags.len > 0 && h->flags.p[0] == 'C';
    if (h->no_status && !out->gave_up)
        return reject(why, LK_REJECT_STATUS);
    out->moment = LK_MOMENT_START;
    out->zoneless = true;
    out->status = h->status;
    out->caller = lk_caller_address(lk_without_port(h->peer));
    (void)lk_token_ms(h->took, &out->took_ns);
    lk_haproxy_request(h->request, out);
    fill_captures(h, out);
    lk_haproxy_tries(h->retries, c, out);
    return true;
}

static void columns_of(const haproxy_line *h, lk_columns *out)
{
    out->count = h->capture_count;
    for (size_t i = 0; i < h->capture_count; i++)
        out->items[i] = (lk_column){ .value = h->captures[i], .quoted = true };
}

static bool parse_haproxy(const lk_layout *l, lk_parse_cache *c, lk_slice line, lk_fields *out,
                          lk_reject *why)
{
    haproxy_line h;
    lk_columns columns;

    if (!split(line, &h, why) || !fill(&h, c, out, why))
        return false;
    if (h.capture_count > 0 && l->format && l->format->parse == parse_haproxy) {
        int64_t stamp_ns = out->stamp_ns, took_ns = out->took_ns;

        columns_of(&h, &columns);
        lk_columns_read(l, &columns, c, out);
        out->stamp_ns = stamp_ns; /* what HAProxy measured itself is better than any header */
        out->took_ns = took_ns;
        out->moment = LK_MOMENT_START;
        lk_haproxy_tries(h.retries, c, out);
    }
    return true;
}

static bool observe_haproxy(lk_sniffer *s, lk_parse_cache *c, lk_slice line, lk_fields *out)
{
    haproxy_line h;
    lk_columns columns;
    lk_reject why;
    lk_fields seen;
    lk_clf nothing = { .columns_before = 0 };

    if (!split(line, &h, &why) || !fill(&h, c, out, &why))
        return false;
    if (h.capture_count == 0)
        return true;
    seen = *out;
    columns_of(&h, &columns);
    lk_columns_observe(s, &nothing, &columns, &seen);
    return true;
}

static void decide_haproxy(const lk_sniffer *s, lk_layout *out)
{
    lk_columns_decide(s, out);
    out->moment = LK_MOMENT_START;
    for (size_t i = 0; i < out->column_count; i++)
        if (out->column_slot[i] >= 0)
            (void)snprintf(out->id_name[out->column_slot[i]], LK_ID_NAME_MAX, "captured header %zu",
                           i + 1);
}

const lk_format LK_FORMAT_HAPROXY = {
    .name = "haproxy",
    .moment = "start",
    .resolution = "1 ms",
    .help = "HAProxy httplog and httpslog, with the retries that it counts",
    .parse = parse_haproxy,
    .observe = observe_haproxy,
    .decide = decide_haproxy,
    .is_alike = lk_columns_are_alike,
};
