/* Lines of label:value fields with tabs between them, told by the labels of ltsv.org and, beyond those, by
 * the keys of JSON lines.
 *
 *     time:[30/Nov/2026:03:25:00 +0000]	host:203.0.113.7	req:GET /p HTTP/1.1	status:200	reqtime:0.123
 *
 * Values have no quotes and no escapes of LTSV's own; what the server escapes stays as it is.
 *
 * Source: ltsv.org, "Labels for Web server's Log".  */
#include "format/json_lines.h"
#include "format/request.h"
#include "format/rows.h"
#include "format/tokens.h"
#include "format/value.h"

#include <string.h>

typedef struct ltsv_line {
    lk_jsonl members;
    lk_slice host;    /* the remote one, unless another label names that     */
    lk_slice seconds; /* where there are no microseconds, which say it better */
    lk_slice took;    /* of labels that say no unit                          */
    bool has_us, asks;
} ltsv_line;

typedef enum label_kind { LABEL_KEY = 0, LABEL_ALIAS, LABEL_HOST, LABEL_SECONDS, LABEL_TOOK } label_kind;

enum { GUESSED = UINT16_MAX }; /* the object of a lk_key_guess that is a label */

/* Of the guesses: those of the labels of a line, and what is asked for besides. */
enum { PLACES = LK_CACHE_KEYS - 3, PLACE_REMOTE = PLACES, PLACE_ASKED, PLACE_SECONDS };

/* clang-format off */
static const struct { const char *label, *as; } ALIASES[] = {
    { "forwardedfor",     "x_forwarded_for" },
    { "reqtime_microsec", "request_time_us" },
    { "reqtime_usec",     "request_time_us" },
    { "reqtime_us",       "request_time_us" },
    { "reqtime_msec",     "request_time_ms" },
    { "reqtime_ms",       "request_time_ms" },
    { "apptime",          "upstream_response_time" },
    { "domain",           "vhost" },
    { "server_name",      "vhost" },
    { "http_host",        "vhost" },
};
/* clang-format on */

static const char *const SECONDS[] = { "reqtime", "request_time", "req_time", "taken_sec",
                                       "reqtime_sec" };
static const char *const TOOK[] = { "taken",   "response_time", "restime", "time_taken",
                                    "latency", "elapsed",       "took",    "duration" };

static bool is_one_of(lk_slice label, const char *const *words, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (lk_slice_is(label, words[i]))
            return true;
    return false;
}

static const char *key_of(lk_slice label)
{
    for (size_t i = 0; i < sizeof(ALIASES) / sizeof(ALIASES[0]); i++)
        if (lk_slice_is(label, ALIASES[i].label))
            return ALIASES[i].as;
    return NULL;
}

static bool is_label_byte(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '.' || c == '-';
}

static const char *past_label(const char *p, const char *end)
{
    while (p < end && is_label_byte(*p))
        p++;
    return p;
}

/* The next field, and *p behind its tab; false at the end, or with *p where the label is none.  The label's
 * length may be known. */
static bool take_field(const char **p, const char *end, size_t len, lk_slice *label, lk_slice *value)
{
    const char *first = *p, *colon = len ? first + len : past_label(first, end), *tab;

    if (colon == first || colon == end || *colon != ':')
        return false;
    tab = lk_find_byte(colon, end, '\t');
    *label = lk_between(first, colon);
    *value = lk_between(colon + 1, tab ? tab : end);
    *p = tab ? tab + 1 : end;
    return true;
}

static const lk_json_paths NO_PATHS = { 0 };

static uint8_t row_of(lk_slice key)
{
    return lk_jsonl_row_in(&NO_PATHS, LK_JSONL_ROOT, key);
}

static lk_slice without_brackets(lk_slice v)
{
    return v.len > 2 && v.p[0] == '[' && v.p[v.len - 1] == ']' ? (lk_slice){ v.p + 1, v.len - 2 } : v;
}

static bool is_asked(lk_jsonl_field field)
{
    return field == LK_JSONL_METHOD || field == LK_JSONL_TARGET || field == LK_JSONL_REQUEST;
}

/* What a label says: a row of the keys of JSON lines, or one of three that need a thought. */
static label_kind kind_of(lk_slice label, uint8_t *row)
{
    const char *key = key_of(label);

    *row = row_of(key ? lk_slice_from(key) : label);
    if (lk_slice_is(label, "host"))
        return LABEL_HOST;
    if (is_one_of(label, SECONDS, sizeof(SECONDS) / sizeof(SECONDS[0])))
        return LABEL_SECONDS;
    if (is_one_of(label, TOOK, sizeof(TOOK) / sizeof(TOOK[0])))
        return LABEL_TOOK;
    return key ? LABEL_ALIAS : LABEL_KEY;
}

static void put(ltsv_line *line, label_kind kind, uint8_t row, lk_slice label, lk_slice value)
{
    lk_jsonl_field field;

    switch (kind) {
    case LABEL_HOST: line->host = value; return;
    case LABEL_SECONDS: line->seconds = value; return;
    case LABEL_TOOK: line->took = value; return;
    case LABEL_KEY:
    case LABEL_ALIAS: break;
    }
    if (row == LK_JSONL_ROW_OTHER)
        return;
    field = lk_jsonl_row_field(row);
    line->asks |= is_asked(field);
    line->has_us |= field == LK_JSONL_TOOK && kind == LABEL_ALIAS && !lk_value_is_absent(value);
    value = field == LK_JSONL_TIME ? without_brackets(value) : value;
    lk_jsonl_put(&line->members, row, label, &(lk_jsonl_value){ .text = value });
}

/* Does the label at p stand where it stood in the last line? */
static bool is_as_guessed(const lk_key_guess *guess, const char *p, const char *end)
{
    return guess->len > 0 && guess->object == GUESSED && end - p > guess->len && p[guess->len] == ':' &&
           memcmp(guess->text, p, guess->len) == 0;
}

/* The guesses are those of JSON lines, which hold no such object; a kind stands in the place of a field. */
static void keep_guess(lk_key_guess *guess, lk_slice label, label_kind kind, uint8_t row)
{
    if (label.len > LK_CACHE_KEY_MAX)
        return;
    *guess = (lk_key_guess){ .field = (uint8_t)kind, .len = (uint8_t)label.len, .row = row, .object = GUESSED };
    memcpy(guess->text, label.p, label.len);
}

/* The next field of a line, the one in that place. */
static bool take_next(lk_parse_cache *c, size_t place, const char **p, const char *end, ltsv_line *out)
{
    lk_key_guess *guess = place < PLACES ? &c->keys[place] : NULL;
    lk_slice label = LK_SLICE_NONE, value = LK_SLICE_NONE;
    label_kind kind;
    uint8_t row;

    if (guess && is_as_guessed(guess, *p, end)) {
        (void)take_field(p, end, guess->len, &label, &value);
        put(out, (label_kind)guess->field, guess->row, label, value);
        return true;
    }
    if (!take_field(p, end, 0, &label, &value))
        return false;
    kind = kind_of(label, &row);
    put(out, kind, row, label, value);
    if (guess)
        keep_guess(guess, label, kind, row);
    return true;
}

/* The row of a key that is asked for with every line, kept at a place of its own. */
static uint8_t row_of_word(lk_parse_cache *c, size_t place, lk_slice key)
{
    lk_key_guess *guess = &c->keys[place];

    if (guess->len != key.len || guess->object != GUESSED || memcmp(guess->text, key.p, key.len) != 0)
        keep_guess(guess, key, LABEL_KEY, row_of(key));
    return guess->row;
}

static void put_as(ltsv_line *line, uint8_t row, lk_slice key, lk_slice value)
{
    lk_jsonl_put(&line->members, row, key, &(lk_jsonl_value){ .text = value });
}

/* "host" is the remote one by ltsv.org; where the address has a label of its own, the one that was asked. */
static void put_host(lk_parse_cache *c, ltsv_line *line)
{
    const lk_slice remote = LK_SLICE("remote_host"), asked = LK_SLICE("host");
    const uint8_t row = row_of_word(c, PLACE_REMOTE, remote);
    const lk_jsonl *m = &line->members;
    const bool has_address = lk_jsonl_has(m, LK_JSONL_CALLER) && m->fields[LK_JSONL_CALLER].row < row;

    if (line->host.p && has_address)
        put_as(line, row_of_word(c, PLACE_ASKED, asked), asked, line->host);
    else if (line->host.p)
        put_as(line, row, remote, line->host);
}

static bool split(lk_parse_cache *c, lk_slice text, ltsv_line *out)
{
    const lk_slice seconds = LK_SLICE("request_time");
    const char *p = text.p, *end = text.p + text.len;
    size_t fields = 0;

    lk_jsonl_clear(&out->members);
    out->host = out->seconds = out->took = LK_SLICE_NONE;
    out->has_us = out->asks = false;
    if (!lk_find_byte(p, end, '\t'))
        return false;
    while (p < end && take_next(c, fields, &p, end, out))
        fields++;
    if (p < end || fields < 2)
        return false;
    put_host(c, out);
    out->members.signs = 0; /* of families that write JSON */
    if (!out->has_us && out->seconds.p)
        put_as(out, row_of_word(c, PLACE_SECONDS, seconds), seconds, out->seconds);
    return (lk_jsonl_has(&out->members, LK_JSONL_STATUS) || out->members.dash_status) && out->asks;
}

/* Of a label without a unit: seconds where they are written as web servers do, or as they say. */
static void read_took(const ltsv_line *line, lk_fields *out)
{
    int64_t ns;

    if (out->took_ns >= 0 || line->took.len == 0)
        return;
    if (lk_value_shape(line->took) == LK_SHAPE_REAL ? lk_value_seconds(line->took, &ns)
                                                    : lk_value_span(line->took, &ns))
        out->took_ns = ns;
}

static bool read_line(const lk_layout *l, lk_parse_cache *c, const ltsv_line *line, lk_fields *out,
                      lk_reject *why)
{
    if (!lk_jsonl_read(l, c, &line->members, out, why))
        return false;
    read_took(line, out);
    if (out->moment == LK_MOMENT_UNKNOWN && l->format == &LK_FORMAT_LTSV)
        out->moment = l->moment;
    return true;
}

static bool parse_ltsv(const lk_layout *l, lk_parse_cache *c, lk_slice text, lk_fields *out,
                       lk_reject *why)
{
    ltsv_line line;

    if (text.len > 0 && split(c, text, &line))
        return read_line(l, c, &line, out, why);
    *why = LK_REJECT_UNRECOGNISED;
    return false;
}

static bool observe_ltsv(lk_sniffer *s, lk_parse_cache *c, lk_slice text, lk_fields *out)
{
    lk_layout nothing_known;
    ltsv_line line;
    lk_reject why;

    if (text.len == 0 || !split(c, text, &line))
        return false;
    lk_layout_init(&nothing_known);
    if (!read_line(&nothing_known, c, &line, out, &why))
        return false;
    lk_jsonl_note(s, &line.members);
    return true;
}

static void each_field(const lk_layout *l, lk_parse_cache *c, lk_slice text, lk_field_visit *visit,
                       void *ctx)
{
    const char *p = text.p, *end = text.p + text.len;
    lk_slice label, value;

    (void)l;
    (void)c;
    while (p < end && take_field(&p, end, 0, &label, &value))
        visit(ctx, label, value);
}

static void decide_ltsv(const lk_sniffer *s, lk_layout *out)
{
    LK_FORMAT_JSON.decide(s, out);
}

static bool are_alike(const lk_sniffer *a, const lk_sniffer *b)
{
    return LK_FORMAT_JSON.is_alike(a, b);
}

const lk_format LK_FORMAT_LTSV = {
    .name = "ltsv",
    .moment = "by order",
    .resolution = "as logged",
    .help = "label:value with tabs between, by the labels of ltsv.org and the keys of JSON lines",
    .parse = parse_ltsv,
    .each = each_field,
    .observe = observe_ltsv,
    .decide = decide_ltsv,
    .is_alike = are_alike,
};
