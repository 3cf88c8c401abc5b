/* Envoy's default text, and Istio's, which has details of the failure and more addresses.
 *
 *     [START] "METHOD PATH PROTO" status flags received sent DURATION upstream-ms
 *     "X-Forwarded-For" "user agent" "X-Request-ID" "authority" "upstream"
 *
 * Istio: `details termination "transport failure"` behind the flags, `cluster upstream-local
 * downstream-local downstream-remote sni route` at the end.
 *
 * Nothing is escaped, so the quoted fields are taken from the right, and the agent, the one that
 * callers fill as they like, is what is left in the middle.  The retries that Envoy makes by itself
 * are not in these texts.
 *
 * Source: envoyproxy/envoy docs, access_log/usage.rst; Istio's access log documentation.  */
#include "base/time.h"
#include "format/request.h"
#include "format/rows.h"
#include "format/tokens.h"
#include "format/value.h"

#include <string.h>

enum { STAMP_TEXT_MAX = 40, REMOTE_COLUMN = 4, NUMBER_MAX = 20 };

typedef struct envoy_line {
    lk_slice stamp, request, flags, took;
    lk_slice forwarded, agent, id, authority;
    lk_slice tail; /* behind the quoted fields */
    unsigned status;
    bool has_details; /* Istio's, behind the flags */
} envoy_line;

static bool parse_envoy(const lk_layout *l, lk_parse_cache *c, lk_slice line, lk_fields *out,
                        lk_reject *why);

static bool reject(lk_reject *why, lk_reject reason)
{
    *why = reason;
    return false;
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* "[2026-": no other format opens so. */
static bool opens_line(lk_slice line)
{
    const char *p = line.p;

    return line.len > 6 && p[0] == '[' && is_digit(p[1]) && is_digit(p[2]) && is_digit(p[3]) &&
           is_digit(p[4]) && p[5] == '-';
}

/* ---- between the request and the quoted fields ---- */

static bool is_number(lk_slice s)
{
    uint64_t value;

    return lk_value_is_absent(s) ? s.len > 0 : s.len < NUMBER_MAX && lk_slice_u64(s, &value);
}

/* The four numbers and a quote behind them: where that quote stands; NULL when p is elsewhere. */
static const char *take_numbers(const char *p, const char *end, envoy_line *out)
{
    lk_slice took = LK_SLICE_NONE;

    for (size_t i = 0; i < 4; i++) {
        lk_slice number = lk_token_take(&p, end);

        if (!is_number(number))
            return NULL;
        if (i == 2)
            took = number;
    }
    if (end - p < 2 || p[1] != '"')
        return NULL;
    out->took = took;
    return p + 1;
}

/* Past Istio's details, which end in a quoted text of anything. */
static const char *take_details(const char *p, const char *end, envoy_line *out)
{
    const char *q = lk_find_byte(p, end, '"'), *quoted;

    if (!q || q[-1] != ' ')
        return NULL;
    while ((q = lk_find_byte(q + 1, end, '"'))) {
        if (end - q < 2 || q[1] != ' ' || !(quoted = take_numbers(q + 1, end, out)))
            continue;
        out->has_details = true;
        return quoted;
    }
    return NULL;
}

/* ---- the quoted fields ---- */

/* The quoted field that ends at *end, which goes before it; it holds no quotes. */
static bool take_last_quoted(const char *first, const char **end, lk_slice *out)
{
    const char *q = *end - 1;

    if (*end - first < 2 || *q != '"')
        return false;
    while (--q > first && *q != '"')
        ;
    if (q <= first || q[-1] != ' ')
        return false;
    *out = lk_between(q + 1, *end - 1);
    *end = q - 1;
    return true;
}

static const char *find_joint(const char *p, const char *end)
{
    while ((p = lk_find_byte(p + 1, end, '"')))
        if (end - p >= 3 && p[1] == ' ' && p[2] == '"')
            return p;
    return NULL;
}

/* p is at the quote of X-Forwarded-For. */
static bool take_quoted(const char *p, const char *end, envoy_line *out)
{
    const char *joint = find_joint(p, end), *agent, *last = end;
    lk_slice upstream;

    if (!joint)
        return false;
    out->forwarded = lk_between(p + 1, joint);
    agent = joint + 3;
    while (last > agent && last[-1] != '"')
        last--;
    out->tail = lk_between(last, end);
    if (!take_last_quoted(agent, &last, &upstream) ||
        !take_last_quoted(agent, &last, &out->authority) ||
        !take_last_quoted(agent, &last, &out->id) || last <= agent || last[-1] != '"')
        return false;
    out->agent = lk_between(agent, last - 1);
    return out->tail.len == 0 || out->tail.p[0] == ' ';
}

/* ---- the line ---- */

/* A line whose end is missing has all its quotes but the last, or none at all yet. */
static lk_reject why_no_end(const char *p, const char *end)
{
    return p < end && end[-1] == '"' && end - p > 1 ? LK_REJECT_UNRECOGNISED : LK_REJECT_CUT;
}

static bool take_behind_request(const char *p, const char *end, envoy_line *out, lk_reject *why)
{
    const char *quoted;

    if (!lk_token_status(lk_token_take(&p, end), &out->status))
        return reject(why, LK_REJECT_STATUS);
    out->flags = lk_token_take(&p, end);
    quoted = take_numbers(p, end, out);
    if (!quoted)
        quoted = take_details(p, end, out);
    if (!quoted || !take_quoted(quoted, end, out))
        return reject(why, why_no_end(p, end));
    return true;
}

static lk_reject why_no_status(const char *open, const char *end)
{
    const char *close = lk_find_byte(open + 1, end, '"');

    return close && end - close >= 3 && close[1] == ' ' ? LK_REJECT_STATUS : LK_REJECT_CUT;
}

static bool split(lk_slice line, envoy_line *out, lk_reject *why)
{
    const char *end = line.p + line.len, *close, *open;

    *out = (envoy_line){ .status = 0 };
    if (!opens_line(line))
        return reject(why, LK_REJECT_UNRECOGNISED);
    close = lk_find_byte(line.p, end, ']');
    if (!close || close - line.p > STAMP_TEXT_MAX)
        return reject(why, line.len < STAMP_TEXT_MAX ? LK_REJECT_CUT : LK_REJECT_UNRECOGNISED);
    out->stamp = lk_between(line.p + 1, close);
    if (end - close < 3)
        return reject(why, LK_REJECT_CUT);
    if (close[1] != ' ' || close[2] != '"')
        return reject(why, LK_REJECT_UNRECOGNISED);
    open = close + 2;
    close = lk_request_close(open, end);
    if (!close)
        return reject(why, why_no_status(open, end));
    out->request = lk_between(open + 1, close);
    return take_behind_request(close + 1, end, out, why);
}

static bool has_flag(lk_slice flags, const char *flag)
{
    const char *p = flags.p, *end = flags.p + flags.len;

    while (p && p < end) {
        const char *comma = lk_find_byte(p, end, ',');

        if (lk_slice_is(lk_between(p, comma ? comma : end), flag))
            return true;
        p = comma ? comma + 1 : end;
    }
    return false;
}

/* X-Forwarded-For, or who connected, which Istio logs. */
static lk_slice caller_of(const envoy_line *e)
{
    const char *p = e->tail.p, *end = p + e->tail.len;
    lk_slice remote = LK_SLICE_NONE;

    if (!lk_value_is_absent(e->forwarded))
        return lk_caller_address(lk_first_of_list(e->forwarded));
    if (e->tail.len == 0)
        return remote;
    for (size_t i = 0; i < REMOTE_COLUMN; i++)
        remote = lk_token_take(&p, end);
    return lk_value_is_absent(remote) ? LK_SLICE_NONE : lk_caller_address(lk_without_port(remote));
}

static bool fill(const envoy_line *e, lk_fields *out, lk_reject *why)
{
    lk_fields_init(out);
    if (!lk_time_rfc3339(e->stamp, &out->stamp_ns, &out->fraction) ||
        !lk_stamp_is_plausible(out->stamp_ns))
        return reject(why, LK_REJECT_TIMESTAMP);
    out->moment = LK_MOMENT_START;
    out->status = e->status;
    (void)lk_token_ms(e->took, &out->took_ns);
    out->caller = caller_of(e);
    (void)lk_request_read(e->request, out);
    if (!lk_value_is_absent(e->agent))
        out->agent = e->agent;
    if (!lk_value_is_absent(e->authority))
        out->host = e->authority;
    out->gave_up = has_flag(e->flags, "DC") || has_flag(e->flags, "DR");
    return true;
}

static bool parse_envoy(const lk_layout *l, lk_parse_cache *c, lk_slice line, lk_fields *out,
                        lk_reject *why)
{
    envoy_line e;

    (void)c;
    if (!split(line, &e, why) || !fill(&e, out, why))
        return false;
    if (l->format && l->format->parse == parse_envoy && !lk_value_is_absent(e.id))
        out->id[0] = e.id;
    return true;
}

/* ---- the sniffer's view ---- */

static bool observe(lk_slice line, bool istio, lk_fields *out)
{
    envoy_line e;
    lk_reject why;

    return split(line, &e, &why) && (e.has_details || e.tail.len > 0) == istio &&
           fill(&e, out, &why);
}

static bool observe_envoy(lk_sniffer *s, lk_parse_cache *c, lk_slice line, lk_fields *out)
{
    (void)s;
    (void)c;
    return observe(line, false, out);
}

static bool observe_istio(lk_sniffer *s, lk_parse_cache *c, lk_slice line, lk_fields *out)
{
    (void)s;
    (void)c;
    return observe(line, true, out);
}

/* Envoy makes the id up where the caller sends none: it may name a call or an attempt. */
static void decide_envoy(const lk_sniffer *s, lk_layout *out)
{
    static const char NAME[] = "x-request-id";

    (void)s;
    out->moment = LK_MOMENT_START;
    memcpy(out->id_name[0], NAME, sizeof(NAME));
    out->id_is_call[0] = false;
    out->id_count = 1;
}

const lk_format LK_FORMAT_ENVOY = {
    .name = "envoy",
    .moment = "start",
    .resolution = "1 ms",
    .help = "Envoy's default text",
    .parse = parse_envoy,
    .observe = observe_envoy,
    .decide = decide_envoy,
};

const lk_format LK_FORMAT_ISTIO = {
    .name = "istio",
    .moment = "start",
    .resolution = "1 ms",
    .help = "Istio's default text",
    .parse = parse_envoy,
    .observe = observe_istio,
    .decide = decide_envoy,
};
