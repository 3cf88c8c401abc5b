#include "format/json_lines.h"

#include "base/time.h"
#include "format/json_families.h"
#include "format/json_values.h"
#include "format/named.h"
#include "format/request.h"
#include "format/retry_after.h"
#include "format/rows.h"
#include "format/upstream.h"
#include "format/value.h"

#include <string.h>

/* How much of an unescaped string is kept; together less than LK_CACHE_TEXT. */
/* Azure Front Door logs 0 where the origin timed out, whatever it answered. */
enum { GATEWAY_TIMEOUT = 504 };

enum { SHORT_MAX = 64, ID_MAX = 256, LONG_MAX_LEN = 2048, STATUS_MAX = 999, COUNT_MAX = 1000000 };

/* ---- members to fields ---- */

void lk_jsonl_clear(lk_jsonl *line)
{
    line->has = 0;
    line->dash_status = line->has_asked = false;
    memset(line->seen, 0, sizeof(line->seen));
    line->id_count = 0;
    line->signs = 0;
    line->lead = LK_SLICE_NONE;
}

/* '-', which says that there is no value, may come as an escape. */
static bool is_escaped_dash(const lk_jsonl_value *v)
{
    return v->escaped && (lk_slice_is(v->text, "\\u002d") || lk_slice_is(v->text, "\\u002D"));
}

void lk_jsonl_put_in(lk_jsonl *line, const lk_json_paths *paths, uint8_t row, lk_slice key,
                     const lk_jsonl_value *value)
{
    const lk_jsonl_meaning *means = lk_jsonl_row_meaning(paths, row);

    if (is_escaped_dash(value))
        lk_jsonl_put_as(line, means->field, means->sign, row, key, LK_SLICE("-"), true, false);
    else
        lk_jsonl_put_as(line, means->field, means->sign, row, key, value->text, value->quoted, value->escaped);
}

void lk_jsonl_put(lk_jsonl *line, uint8_t row, lk_slice key, const lk_jsonl_value *value)
{
    static const lk_json_paths NONE = { 0 };

    lk_jsonl_put_in(line, &NONE, row, key, value);
}

static bool has(const lk_jsonl *line, lk_jsonl_field field)
{
    return lk_jsonl_has(line, field);
}

static bool is_users(const lk_jsonl *line, lk_jsonl_field field)
{
    return has(line, field) && line->fields[field].row < LK_JSON_PATHS_MAX;
}

/* A line with its family and its layout. */
typedef struct view {
    const lk_layout *layout;
    lk_parse_cache *cache;
    const lk_jsonl *line;
    const lk_json_family *family;
} view;

static lk_slice view_text(const view *v, lk_jsonl_field field, size_t max)
{
    return has(v->line, field) ? lk_jsonl_text(v->cache, &v->line->fields[field], max)
                               : LK_SLICE_NONE;
}

/* ---- times ---- */

static const lk_jsonl_meaning *meaning_of(const view *v, lk_jsonl_field field)
{
    return lk_jsonl_row_meaning(&v->layout->paths, v->line->fields[field].row);
}

static void set_moment(lk_moment moment, lk_fields *out)
{
    if (moment != LK_MOMENT_UNKNOWN)
        out->moment = moment;
}

/* nginx's $msec, the end in seconds, has a point; %{msec}t and %{usec}t of Apache httpd and
 * varnishncsa, the start, have none. */
static bool read_msec(const view *v, lk_fields *out)
{
    enum { MS_DIGITS = 12 };
    lk_slice text;

    if (!has(v->line, LK_JSONL_MSEC))
        return false;
    text = view_text(v, LK_JSONL_MSEC, SHORT_MAX);
    if (!lk_value_epoch(text, &out->stamp_ns, &out->fraction) ||
        !lk_stamp_is_plausible(out->stamp_ns))
        return false;
    out->fraction = true; /* be its digits 0 */
    out->moment =
        text.len >= MS_DIGITS && !memchr(text.p, '.', text.len) ? LK_MOMENT_START : LK_MOMENT_END;
    return true;
}

static bool read_stamp_text(const view *v, lk_slice text, lk_moment moment, lk_fields *out)
{
    if (!lk_cache_clock(v->cache, text, lk_jsonl_stamp, &out->stamp_ns, &out->fraction))
        return false;
    out->zoneless = lk_jsonl_stamp_is_zoneless(text);
    set_moment(moment, out);
    return true;
}

static bool read_time(const view *v, lk_jsonl_field field, lk_fields *out)
{
    lk_moment moment;

    if (!has(v->line, field))
        return false;
    moment = (lk_moment)meaning_of(v, field)->moment;
    if (moment == LK_MOMENT_UNKNOWN && !is_users(v->line, field))
        moment = v->family->moment;
    return read_stamp_text(v, view_text(v, field, SHORT_MAX), moment, out);
}

static bool read_end(const view *v, lk_fields *out)
{
    return has(v->line, LK_JSONL_END) &&
           read_stamp_text(v, view_text(v, LK_JSONL_END, SHORT_MAX), LK_MOMENT_END, out);
}

/* The wrapper's, of a line that has no member for it: it was shipped when the request had ended. */
static bool read_outer(const view *v, lk_fields *out)
{
    const lk_outer *outer = v->cache->outer;

    if (!outer || !outer->is_known || has(v->line, LK_JSONL_MSEC) || has(v->line, LK_JSONL_TIME) ||
        has(v->line, LK_JSONL_END))
        return false;
    out->stamp_ns = outer->at_ns;
    out->fraction = outer->fraction;
    out->zoneless = outer->zoneless;
    out->moment = LK_MOMENT_END;
    out->by_wrapper = true;
    return true;
}

static bool read_stamp(const view *v, lk_fields *out)
{
    if (is_users(v->line, LK_JSONL_TIME) && read_time(v, LK_JSONL_TIME, out))
        return true;
    if (read_msec(v, out) || read_time(v, LK_JSONL_TIME, out) || read_end(v, out))
        return true;
    if (lk_jsonl_has_time_in_took(v->line))
        return read_stamp_text(v, view_text(v, LK_JSONL_TOOK, SHORT_MAX), v->family->moment, out);
    if (v->line->lead.p)
        return read_stamp_text(v, v->line->lead, v->family->moment, out);
    return read_outer(v, out);
}

static bool has_time(const lk_jsonl *line)
{
    return has(line, LK_JSONL_TIME) || has(line, LK_JSONL_MSEC) || has(line, LK_JSONL_END) ||
           line->lead.p;
}

/* From the start to the end where both are there. */
static void read_took_to_end(const view *v, lk_fields *out)
{
    int64_t end_ns;
    bool fraction;

    if (out->took_ns < 0 && out->moment == LK_MOMENT_START && has(v->line, LK_JSONL_END) &&
        lk_jsonl_stamp(view_text(v, LK_JSONL_END, SHORT_MAX), &end_ns, &fraction) &&
        lk_stamp_is_plausible(end_ns) && end_ns >= out->stamp_ns)
        out->took_ns = end_ns - out->stamp_ns;
}

static void read_duration(const view *v, lk_jsonl_field field, int64_t *out)
{
    lk_jsonl_unit unit;

    if (*out >= 0 || !has(v->line, field))
        return;
    unit = (lk_jsonl_unit)meaning_of(v, field)->unit;
    if (unit == LK_JSONL_FAMILY)
        unit = v->family->took;
    (void)lk_jsonl_duration(view_text(v, field, SHORT_MAX), unit, out);
}

/* The one whose row is better. */
static void read_either(const view *v, lk_jsonl_field a, lk_jsonl_field b, int64_t *out)
{
    const lk_jsonl_value *values = v->line->fields;

    if (has(v->line, a) && has(v->line, b) && values[b].row < values[a].row)
        read_duration(v, b, out);
    read_duration(v, a, out);
    read_duration(v, b, out);
}

/* ---- who and what ---- */

/* The left-most of X-Forwarded-For. */
static lk_slice first_of_list(lk_slice text)
{
    const char *comma = text.len > 0 ? memchr(text.p, ',', text.len) : NULL;

    if (comma)
        text.len = (size_t)(comma - text.p);
    while (text.len > 0 && text.p[text.len - 1] == ' ')
        text.len--;
    return text;
}

/* "h" of "http://h/p"; NONE when it does not begin so. */
static lk_slice authority_of(lk_slice uri)
{
    enum { SCHEME_MAX = 10 };
    const char *colon =
        uri.len > 0 ? memchr(uri.p, ':', uri.len < SCHEME_MAX ? uri.len : SCHEME_MAX) : NULL;
    lk_slice rest = colon ? lk_slice_skip(uri, (size_t)(colon - uri.p) + 1) : LK_SLICE_NONE;
    size_t n = 0;

    if (!lk_slice_starts(rest, "//") || uri.p[0] == '/')
        return LK_SLICE_NONE;
    rest = lk_slice_skip(rest, 2);
    while (n < rest.len && rest.p[n] != '/' && rest.p[n] != '?')
        n++;
    return n > 0 ? (lk_slice){ rest.p, n } : LK_SLICE_NONE;
}

static void read_request_line(const view *v, lk_fields *out)
{
    lk_slice method = out->method;

    if (has(v->line, LK_JSONL_REQUEST) &&
        lk_request_read(view_text(v, LK_JSONL_REQUEST, LONG_MAX_LEN), out) && method.len > 0)
        out->method = method;
}

/* In a key of its own, beside a path without one. */
static void read_query(const view *v, lk_fields *out)
{
    lk_slice query;

    if (out->query.p || !has(v->line, LK_JSONL_QUERY))
        return;
    query = view_text(v, LK_JSONL_QUERY, LONG_MAX_LEN);
    out->query = lk_slice_skip(query, lk_slice_starts(query, "?"));
}

static void read_request(const view *v, lk_fields *out)
{
    bool by_line = is_users(v->line, LK_JSONL_REQUEST) && !is_users(v->line, LK_JSONL_TARGET);
    lk_slice uri;

    if (has(v->line, LK_JSONL_METHOD) && (!by_line || is_users(v->line, LK_JSONL_METHOD)))
        out->method = view_text(v, LK_JSONL_METHOD, SHORT_MAX);
    if (by_line || !has(v->line, LK_JSONL_TARGET)) {
        read_request_line(v, out);
        return;
    }
    uri = view_text(v, LK_JSONL_TARGET, LONG_MAX_LEN);
    lk_target_read(uri, out);
    if (v->family->signs) /* Google Cloud and Azure log whole URLs */
        out->host = authority_of(uri);
}

/* ---- outcome ---- */

/* 200, "200" and 200.0 */
static bool read_count(lk_slice text, uint64_t max, int32_t *out)
{
    int64_t ns;

    if (lk_value_count(text, max, out))
        return true;
    if (!lk_value_seconds(text, &ns) || ns % LK_NS_PER_S != 0 || (uint64_t)(ns / LK_NS_PER_S) > max)
        return false;
    *out = (int32_t)(ns / LK_NS_PER_S);
    return true;
}

/* How Envoy, Azure's two and Google Cloud say that the client left. */
static bool is_departure(lk_slice word)
{
    static const char *const WORDS[] = {
        "DC",
        "DR",
        "ERRORINFO_CLIENT_CLOSED_REQUEST",
        "ClientDisconnected",
        "client_disconnected_before_any_response",
        "client_disconnected_after_partial_response",
    };

    for (size_t i = 0; i < sizeof(WORDS) / sizeof(WORDS[0]); i++)
        if (lk_slice_is(word, WORDS[i]))
            return true;
    return false;
}

static bool read_gave_up(const view *v)
{
    lk_slice rest = view_text(v, LK_JSONL_FLAGS, ID_MAX);

    while (rest.len > 0) {
        const char *comma = memchr(rest.p, ',', rest.len);
        size_t len = comma ? (size_t)(comma - rest.p) : rest.len;

        if (is_departure((lk_slice){ rest.p, len }))
            return true;
        rest = lk_slice_skip(rest, len + 1);
    }
    return false;
}

/* Tries of the proxy behind this one line; only the last one's answer is known. */
static void read_tries(const view *v, lk_fields *out)
{
    lk_try *tries = v->cache->tries;
    int32_t n = 0;

    if (has(v->line, LK_JSONL_TRIES))
        (void)read_count(view_text(v, LK_JSONL_TRIES, SHORT_MAX), COUNT_MAX, &n);
    else if (v->family->retries_upstream && has(v->line, LK_JSONL_TRIES_FROM_0) &&
             read_count(view_text(v, LK_JSONL_TRIES_FROM_0, SHORT_MAX), COUNT_MAX, &n))
        n++;
    if (n < 1) {
        lk_upstream_read(&(lk_upstream){ view_text(v, LK_JSONL_UPSTREAM_STATUS, LONG_MAX_LEN),
                                         view_text(v, LK_JSONL_UPSTREAM_TOOK, LONG_MAX_LEN) },
                         v->cache, out);
        return;
    }
    out->try_count = n < LK_TRIES_MAX ? (size_t)n : LK_TRIES_MAX;
    for (size_t i = 0; i < out->try_count; i++)
        tries[i] = (lk_try){ .status = LK_STATUS_UNKNOWN, .took_ns = -1 };
    tries[out->try_count - 1].status = out->status;
    out->tries = tries;
}

static void read_attempt(const view *v, lk_fields *out)
{
    int32_t n;
    lk_slice text;

    if (has(v->line, LK_JSONL_ATTEMPT)) {
        text = view_text(v, LK_JSONL_ATTEMPT, ID_MAX);
        if (!lk_value_attempt(text, &out->attempt_no, &out->attempt_max) &&
            read_count(text, COUNT_MAX, &n))
            out->attempt_no = n + v->layout->attempt_from_zero;
    }
    if (out->attempt_no == 0 && has(v->line, LK_JSONL_RETRIES) &&
        read_count(view_text(v, LK_JSONL_RETRIES, SHORT_MAX), COUNT_MAX, &n))
        out->attempt_no = n + 1;
}

static int slot_of(const lk_layout *l, uint8_t row)
{
    return row < LK_JSON_PATHS_MAX ? l->paths.path[row].slot : l->key_slot[lk_jsonl_row_id(row)];
}

static void read_ids(const view *v, lk_fields *out)
{
    for (size_t i = 0; i < v->line->id_count; i++) {
        const lk_jsonl_value *value = &v->line->ids[i].value;
        int slot = slot_of(v->layout, value->row);

        if (slot < 0 || (size_t)slot >= v->layout->id_count || out->id[slot].p ||
            lk_value_is_absent(value->text))
            continue;
        out->id[slot] = lk_jsonl_text(v->cache, value, ID_MAX);
    }
}

static bool reject(lk_reject *why, lk_reject reason)
{
    *why = reason;
    return false;
}

static bool read_status(const view *v, unsigned *out)
{
    bool is_there = has(v->line, LK_JSONL_STATUS);
    lk_slice text = is_there ? view_text(v, LK_JSONL_STATUS, SHORT_MAX) : LK_SLICE_NONE;
    int32_t status;

    if (is_there ? text.len == 2 && lk_slice_is(text, "-1") : v->line->dash_status) {
        *out = LK_STATUS_UNKNOWN;
        return true;
    }
    if (!read_count(text, STATUS_MAX, &status))
        return false;
    *out = (unsigned)status;
    return true;
}

/* Other JSON lines of a program have a time too, and some a status. */
static bool is_request(const lk_jsonl *line)
{
    return has(line, LK_JSONL_CALLER) || has(line, LK_JSONL_METHOD) || has(line, LK_JSONL_TARGET) ||
           has(line, LK_JSONL_REQUEST);
}

bool lk_jsonl_read(const lk_layout *l, lk_parse_cache *c, const lk_jsonl *line, lk_fields *out,
                   lk_reject *why)
{
    const view v = { l, c, line, lk_json_family_of(line) };

    lk_fields_init(out);
    if (!v.family->format || !is_request(line))
        return reject(why, LK_REJECT_UNRECOGNISED);
    out->moment = l->format == v.family->format ? l->moment : LK_MOMENT_UNKNOWN;
    if (!read_stamp(&v, out))
        return reject(why, has_time(line) || !has(line, LK_JSONL_STATUS) ? LK_REJECT_TIMESTAMP
                                                                         : LK_REJECT_NO_TIME);
    if (!read_status(&v, &out->status))
        return reject(why, LK_REJECT_STATUS);
    out->caller = lk_caller_address(first_of_list(view_text(&v, LK_JSONL_CALLER, ID_MAX)));
    out->caller_chosen = out->caller.len > 0 && has(line, LK_JSONL_CALLER) &&
                         line->fields[LK_JSONL_CALLER].row < LK_JSON_PATHS_MAX &&
                         l->paths.count > 0;
    out->agent = view_text(&v, LK_JSONL_AGENT, LONG_MAX_LEN);
    read_request(&v, out);
    read_query(&v, out);
    if (has(line, LK_JSONL_HOST))
        out->host = view_text(&v, LK_JSONL_HOST, ID_MAX);
    read_either(&v, LK_JSONL_TOOK, LK_JSONL_TOOK_MS, &out->took_ns);
    read_took_to_end(&v, out);
    out->has_asked = line->has_asked;
    if (line->has_asked) {
        lk_retry_after_read_logged_ms(out, view_text(&v, LK_JSONL_RETRY_AFTER_MS, SHORT_MAX));
        lk_retry_after_read_logged(out, view_text(&v, LK_JSONL_RETRY_AFTER, SHORT_MAX));
    }
    out->gave_up = read_gave_up(&v);
    if (v.family->format == &LK_FORMAT_AZURE_FRONTDOOR && out->status == 0 && !out->gave_up)
        out->status = GATEWAY_TIMEOUT;
    read_tries(&v, out);
    read_attempt(&v, out);
    read_ids(&v, out);
    return true;
}

/* ---- lines ---- */

/* Caddy's console form: the stamp, a tab, more columns, a tab, the object. */
static lk_slice object_of(lk_slice line, lk_slice *lead)
{
    const char *p = line.p, *end = line.p + line.len;

    *lead = LK_SLICE_NONE;
    if (line.len == 0 || *p == '{' || end[-1] != '}')
        return line;
    while ((p = memchr(p, '\t', (size_t)(end - p))) != NULL) {
        if (!lead->p)
            *lead = (lk_slice){ line.p, (size_t)(p - line.p) };
        p++; /* the brace at the end is behind every tab */
        if (*p == '{')
            return (lk_slice){ p, (size_t)(end - p) };
    }
    return line;
}

bool lk_jsonl_members(lk_parse_cache *c, const lk_json_paths *paths, lk_slice line, lk_jsonl *out,
                      lk_reject *why)
{
    lk_slice lead, object = object_of(line, &lead);

    if (object.len == 0 || object.p[0] != '{')
        return reject(why, LK_REJECT_UNRECOGNISED);
    if (!lk_jsonl_scan(c, paths, object, out) && !lk_jsonl_tree(c, paths, object, out))
        return reject(why, LK_REJECT_JSON);
    out->lead = lead;
    return true;
}

bool lk_jsonl_parse(const lk_layout *l, lk_parse_cache *c, lk_slice line, lk_fields *out,
                    lk_reject *why)
{
    lk_jsonl found;

    return lk_jsonl_members(c, &l->paths, line, &found, why) &&
           lk_jsonl_read(l, c, &found, out, why);
}

/* ---- by name ---- */

void lk_jsonl_find(lk_parse_cache *side, lk_slice line, const lk_named *asked, lk_slice *values)
{
    lk_jsonl found;
    lk_reject why;

    side->text_len = 0;
    if (!asked->paths.count || !lk_jsonl_members(side, &asked->paths, line, &found, &why))
        return;
    for (size_t i = 0; i < found.id_count; i++) {
        const lk_jsonl_value *value = &found.ids[i].value;
        lk_slice *into;

        if (value->row >= asked->paths.count || lk_value_is_absent(value->text))
            continue;
        into = &values[asked->of_path[asked->paths.path[value->row].slot]];
        if (!into->p)
            *into = lk_jsonl_text(side, value, LONG_MAX_LEN);
    }
}
