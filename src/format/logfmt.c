/* Lines of key=value, told by the same keys as JSON lines. */
#include "format/logfmt.h"

#include "base/time.h"
#include "format/json_lines.h"
#include "format/request.h"
#include "format/rows.h"
#include "format/tokens.h"
#include "format/value.h"

#include <string.h>

/* ---- members ---- */

static bool is_escaped(const char *first, const char *quote)
{
    const char *p = quote;

    while (p > first && p[-1] == '\\')
        p--;
    return (quote - p) % 2 == 1;
}

/* p is behind the opening quote. */
static const char *take_quoted(const char *p, const char *end, lk_member *out)
{
    const char *q = p - 1;

    out->quoted = true;
    while ((q = lk_find_byte(q + 1, end, '"')) && is_escaped(p, q))
        ;
    out->value = lk_between(p, q ? q : end);
    return q ? q + 1 : end;
}

bool lk_member_take(const char **p, const char *end, lk_member *out)
{
    const char *first;

    *out = (lk_member){ .has_value = false };
    while (*p < end && (**p == ' ' || **p == '\t'))
        (*p)++;
    if (*p == end)
        return false;
    first = *p;
    while (*p < end && **p != ' ' && **p != '\t' && **p != '=')
        (*p)++;
    out->key = lk_between(first, *p);
    if (*p == end || **p != '=')
        return true;
    (*p)++;
    out->has_value = true;
    if (*p < end && **p == '"') {
        *p = take_quoted(*p + 1, end, out);
        return true;
    }
    out->value = lk_token_take(p, *p < end && **p == ' ' ? *p : end);
    return true;
}

/* ---- the line ---- */

/* Lines of Apache httpd are often written "D=%D m=%m U=%U": a directive's letter for its key. */
typedef enum letter { LETTER_D, LETTER_MS, LETTER_T, LETTERS_TOOK, LETTER_NONE } letter;

typedef struct logfmt_line {
    lk_jsonl members;
    lk_slice took; /* of keys that say no unit; the value must */
    lk_slice letters[LETTERS_TOOK];
    bool is_rails; /* lograge, whose duration is in milliseconds */
    bool asks;     /* says what was asked for, be it '-'         */
} logfmt_line;

static bool is_path(lk_slice s)
{
    return s.len > 0 && (s.p[0] == '/' || s.p[0] == '*');
}

static bool is_request_line(lk_slice s)
{
    return s.len > 0 && lk_find_byte(s.p, s.p + s.len, ' ');
}

static bool is_host(lk_slice s)
{
    return s.len > 0 && lk_find_byte(s.p, s.p + s.len, '.');
}

/* clang-format off */
static const struct { const char *key, *as; } ALIASES[] = {
    { "fwd",             "client_ip" },
    { "forwarded_for",   "client_ip" },
    { "x_forwarded_for", "client_ip" },
    { "remote",          "remote_addr" },
    { "peer",            "remote_addr" },
    { "begin",           "start_utc" },
    { "end",             "edge_end_timestamp" },
};

/* Letters count for what they are only where the value is of that kind. */
static const struct { const char *key, *as; bool (*fits)(lk_slice value); } DIRECTIVES[] = {
    { "a",  "client_ip",   lk_token_is_address },
    { "h",  "remote_addr", lk_token_is_address },
    { "U",  "path",        is_path },
    { "r",  "request",     is_request_line },
    { "v",  "host",        is_host },
};

static const struct { const char *key; int64_t unit_ns; } TOOK_LETTERS[LETTERS_TOOK] = {
    [LETTER_D] =  { "D",  1000 },
    [LETTER_MS] = { "ms", LK_NS_PER_MS },
    [LETTER_T] =  { "T",  LK_NS_PER_S },
};
/* clang-format on */

static const char *const TOOK_KEYS[] = { "duration", "latency",       "elapsed", "took",
                                         "dur",      "response_time", "service", "time_taken" };

static bool is_took_key(lk_slice key)
{
    for (size_t i = 0; i < sizeof(TOOK_KEYS) / sizeof(TOOK_KEYS[0]); i++)
        if (lk_slice_is(key, TOOK_KEYS[i]))
            return true;
    return false;
}

static const lk_json_paths NO_PATHS = { 0 };

static letter letter_of(lk_slice key)
{
    for (size_t i = 0; i < LETTERS_TOOK; i++)
        if (lk_slice_is(key, TOOK_LETTERS[i].key))
            return (letter)i;
    return LETTER_NONE;
}

static uint8_t row_of(lk_slice key, lk_slice value)
{
    for (size_t i = 0; i < sizeof(DIRECTIVES) / sizeof(DIRECTIVES[0]); i++)
        if (lk_slice_is(key, DIRECTIVES[i].key) && DIRECTIVES[i].fits(value))
            return lk_jsonl_row_in(&NO_PATHS, LK_JSONL_ROOT, lk_slice_from(DIRECTIVES[i].as));
    for (size_t i = 0; i < sizeof(ALIASES) / sizeof(ALIASES[0]); i++)
        if (lk_slice_is(key, ALIASES[i].key))
            return lk_jsonl_row_in(&NO_PATHS, LK_JSONL_ROOT, lk_slice_from(ALIASES[i].as));
    return lk_jsonl_row(key);
}

static bool is_asked(lk_jsonl_field field)
{
    return field == LK_JSONL_METHOD || field == LK_JSONL_TARGET || field == LK_JSONL_REQUEST;
}

static void put(logfmt_line *line, const lk_member *m)
{
    uint8_t row = row_of(m->key, m->value);
    lk_jsonl_value value = { .text = m->value, .quoted = m->quoted };
    letter took = letter_of(m->key);

    if (took != LETTER_NONE)
        line->letters[took] = m->value;
    if (is_took_key(m->key))
        line->took = m->value;
    line->is_rails |= lk_slice_is(m->key, "controller");
    if (row == LK_JSONL_ROW_OTHER)
        return;
    line->asks |= is_asked(lk_jsonl_row_field(row));
    value.escaped = m->quoted && lk_find_byte(m->value.p, m->value.p + m->value.len, '\\');
    lk_jsonl_put(&line->members, row, m->key, &value);
}

/* A stamp without a key, in front of the members. */
static void put_stamp(logfmt_line *line, lk_slice word)
{
    int64_t at_ns;

    if (lk_time_rfc3339(word, &at_ns, NULL))
        lk_jsonl_put(&line->members, lk_jsonl_row(LK_SLICE("time")), LK_SLICE("time"),
                     &(lk_jsonl_value){ .text = word });
}

static bool has(const logfmt_line *line, lk_jsonl_field field)
{
    return line->members.fields[field].text.p != NULL;
}

/* Programs log many things in this way: a request has a status and what was asked for. */
static bool split(lk_slice text, logfmt_line *out)
{
    const char *p = text.p, *end = text.p + text.len;
    lk_member m;

    memset(out, 0, sizeof(*out));
    if (!lk_find_byte(p, end, '='))
        return false;
    for (size_t i = 0; lk_member_take(&p, end, &m); i++) {
        if (m.has_value)
            put(out, &m);
        else if (i == 0)
            put_stamp(out, m.key);
    }
    return has(out, LK_JSONL_STATUS) && out->asks;
}

static void read_took(const logfmt_line *line, lk_fields *out)
{
    int64_t ns;

    for (size_t i = 0; i < LETTERS_TOOK; i++)
        if (out->took_ns < 0 && lk_value_units(line->letters[i], TOOK_LETTERS[i].unit_ns, &ns))
            out->took_ns = ns;

    if (lk_value_span(line->took, &ns))
        out->took_ns = ns;
    else if (line->is_rails && lk_value_seconds(line->took, &ns))
        out->took_ns = ns / 1000;
}

static bool read_line(const lk_layout *l, lk_parse_cache *c, const logfmt_line *line,
                      lk_fields *out, lk_reject *why)
{
    if (!lk_jsonl_read(l, c, &line->members, out, why))
        return false;
    read_took(line, out);
    out->caller = lk_caller_address(lk_first_of_list(out->caller));
    if (out->moment == LK_MOMENT_UNKNOWN && l->format == &LK_FORMAT_LOGFMT)
        out->moment = l->moment;
    return true;
}

static bool parse_logfmt(const lk_layout *l, lk_parse_cache *c, lk_slice text, lk_fields *out,
                         lk_reject *why)
{
    logfmt_line line;

    if (text.len > 0 && text.p[0] != '{' && split(text, &line))
        return read_line(l, c, &line, out, why);
    *why = LK_REJECT_UNRECOGNISED;
    return false;
}

static bool observe_logfmt(lk_sniffer *s, lk_parse_cache *c, lk_slice text, lk_fields *out)
{
    lk_layout nothing_known;
    logfmt_line line;
    lk_reject why;

    lk_layout_init(&nothing_known);
    if (text.len == 0 || text.p[0] == '{' || !split(text, &line) ||
        !read_line(&nothing_known, c, &line, out, &why))
        return false;
    lk_jsonl_note(s, &line.members);
    return true;
}

static void each_member(const lk_layout *l, lk_parse_cache *c, lk_slice text,
                        lk_field_visit *visit, void *ctx)
{
    const char *p = text.p, *end = text.p + text.len;
    lk_member m;

    (void)l;
    (void)c;
    while (lk_member_take(&p, end, &m))
        if (m.has_value)
            visit(ctx, m.key, m.value);
}

static void decide_logfmt(const lk_sniffer *s, lk_layout *out)
{
    LK_FORMAT_JSON.decide(s, out);
}

static bool are_alike(const lk_sniffer *a, const lk_sniffer *b)
{
    return LK_FORMAT_JSON.is_alike(a, b);
}

const lk_format LK_FORMAT_LOGFMT = {
    .name = "logfmt",
    .moment = "by order",
    .resolution = "as logged",
    .help = "key=value members, by the keys of JSON lines",
    .parse = parse_logfmt,
    .each = each_member,
    .observe = observe_logfmt,
    .decide = decide_logfmt,
    .is_alike = are_alike,
};
