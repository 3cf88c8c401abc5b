#include "format/misfit.h"

#include "format/json_lines.h"
#include "format/rows.h"
#include "format/w3c_split.h"
#include "model/json.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static bool put(lk_misfit *out, size_t column, const char *form, ...)
    __attribute__((format(printf, 3, 4)));

static bool put(lk_misfit *out, size_t column, const char *form, ...)
{
    va_list args;

    va_start(args, form);
    (void)vsnprintf(out->want, sizeof(out->want), form, args);
    va_end(args);
    out->column = column;
    return true;
}

static bool is_within(lk_slice part, lk_slice line)
{
    return part.p && part.p >= line.p && part.p + part.len <= line.p + line.len;
}

/* From 1; 1 for what is not of the line itself. */
static size_t column_of(lk_slice part, lk_slice line)
{
    return is_within(part, line) ? (size_t)(part.p - line.p) + 1 : 1;
}

/* ---- JSON ---- */

static const char *key_of(const lk_layout *l, const lk_jsonl_value *v)
{
    return v->row < LK_JSON_PATHS_MAX ? l->paths.path[v->row].text : lk_jsonl_row_key(v->row);
}

static bool is_there(const lk_jsonl *found, lk_jsonl_field field)
{
    return lk_jsonl_has(found, field);
}

static bool of_time(const lk_layout *l, const lk_jsonl *found, lk_slice line, size_t first,
                    lk_misfit *out)
{
    static const lk_jsonl_field TIMES[] = { LK_JSONL_TIME, LK_JSONL_MSEC, LK_JSONL_END };

    for (size_t i = 0; i < sizeof(TIMES) / sizeof(TIMES[0]); i++)
        if (is_there(found, TIMES[i])) {
            const lk_jsonl_value *v = &found->fields[TIMES[i]];

            return put(out, column_of(v->text, line), "a time stamp in '%s'", key_of(l, v));
        }
    return put(out, first,
               "a member for the time, such as 'time'; --json-keys time=KEY says which it is");
}

static bool of_status(const lk_layout *l, const lk_jsonl *found, lk_slice line, size_t first,
                      lk_misfit *out)
{
    const lk_jsonl_value *v = &found->fields[LK_JSONL_STATUS];

    if (is_there(found, LK_JSONL_STATUS))
        return put(out, column_of(v->text, line), "a status of three digits in '%s'", key_of(l, v));
    return put(out, first,
               "a member for the status, such as 'status'; --json-keys status=KEY says which it is");
}

static bool of_broken(lk_slice object, lk_slice line, lk_misfit *out)
{
    size_t at = lk_json_bad_at(object);

    if (at + 1 >= object.len) /* cJSON points to the last byte, not behind it */
        return put(out, line.len + 1, "the rest of the JSON object");
    return put(out, column_of(object, line) + at, "JSON: a comma, a colon, a key or a value");
}

static bool of_json(const lk_layout *l, lk_parse_cache *c, lk_slice body, lk_slice line,
                    lk_reject why, lk_misfit *out)
{
    const char *brace = memchr(body.p, '{', body.len);
    const lk_slice object = lk_slice_skip(body, (size_t)(brace - body.p));
    const size_t first = column_of(object, line);
    lk_reject ignored;
    lk_jsonl found;

    c->text_len = 0;
    if (why == LK_REJECT_JSON)
        return of_broken(object, line, out);
    if (!lk_jsonl_members(c, &l->paths, body, &found, &ignored))
        return false;
    if (why == LK_REJECT_TIMESTAMP || why == LK_REJECT_NO_TIME)
        return of_time(l, &found, line, first, out);
    if (why == LK_REJECT_STATUS)
        return of_status(l, &found, line, first, out);
    return why == LK_REJECT_UNRECOGNISED &&
           put(out, first,
               "a request: a member for the caller, the method or the path, see --json-keys");
}

static bool is_json(const lk_layout *l, lk_slice body)
{
    if (body.len == 0 || !memchr(body.p, '{', body.len))
        return false;
    return body.p[0] == '{' || (l->format && l->format->parse == lk_jsonl_parse);
}

/* ---- W3C ---- */

static bool is_w3c(const lk_layout *l, const lk_parse_cache *c)
{
    return (l->format == &LK_FORMAT_W3C || l->format == &LK_FORMAT_AWS_CLOUDFRONT) &&
           c->w3c.count > 0;
}

/* The name of a column on the #Fields line. */
static lk_slice w3c_name(const lk_parse_cache *c, size_t column)
{
    lk_w3c_cursor at = lk_w3c_cursor_at((lk_slice){ c->w3c_names, c->w3c_names_len });
    lk_slice name = LK_SLICE_NONE;

    while (lk_w3c_next(&at, &name))
        if (name.len > 0 && column-- == 0)
            return name;
    return LK_SLICE("?");
}

static bool of_column(const lk_parse_cache *c, const lk_slice *values, size_t n, lk_w3c_role role,
                      const char *what, lk_slice line, lk_misfit *out)
{
    lk_slice name;

    for (size_t i = 0; i < n; i++) {
        if (c->w3c.roles[i] != role)
            continue;
        name = w3c_name(c, i);
        return put(out, column_of(values[i], line), "%s in '%.*s'", what, (int)name.len, name.p);
    }
    return put(out, 1, "a column for it on the #Fields line");
}

static bool is_date(lk_slice v)
{
    return v.len == 10 && v.p[4] == '-' && v.p[7] == '-';
}

static bool of_stamp(const lk_parse_cache *c, const lk_slice *values, size_t n, lk_slice line,
                     lk_misfit *out)
{
    for (size_t i = 0; i < n; i++)
        if (c->w3c.roles[i] == LK_W3C_DATE && is_date(values[i]))
            return of_column(c, values, n, LK_W3C_TIME, "a time, hh:mm:ss,", line, out);
    return of_column(c, values, n, LK_W3C_DATE, "a date, yyyy-mm-dd,", line, out);
}

/* Behind the last column that has a name. */
static size_t end_of(const lk_slice *values, size_t n, lk_slice line)
{
    return n > 0 ? column_of(values[n - 1], line) + values[n - 1].len + 1 : 1;
}

static bool of_w3c(const lk_parse_cache *c, lk_slice body, lk_slice line, lk_reject why,
                   lk_misfit *out)
{
    lk_slice values[LK_W3C_COLUMNS_MAX], name;
    const size_t count = c->w3c.count, n = lk_w3c_split(body, count, values);

    if (n > count)
        return put(out, end_of(values, count, line),
                   "the end: the #Fields line above names %zu columns", count);
    if (n < count) {
        name = w3c_name(c, n);
        return put(out, line.len + 1, "%zu more columns, from '%.*s' on, as #Fields names them",
                   count - n, (int)name.len, name.p);
    }
    if (why == LK_REJECT_TIMESTAMP)
        return of_stamp(c, values, n, line, out);
    return why == LK_REJECT_STATUS &&
           of_column(c, values, n, LK_W3C_STATUS, "a status of three digits", line, out);
}

/* ---- fields with names ---- */

typedef struct named_search {
    lk_jsonl_field field;
    lk_slice name, value;
    bool asks;
} named_search;

static void look_at_name(void *ctx, lk_slice name, lk_slice value)
{
    named_search *s = ctx;
    const uint8_t row = lk_jsonl_row(name);
    lk_jsonl_field field;

    if (row == LK_JSONL_ROW_OTHER)
        return;
    field = lk_jsonl_row_field(row);
    s->asks |= field == LK_JSONL_METHOD || field == LK_JSONL_TARGET || field == LK_JSONL_REQUEST;
    if (field == s->field && !s->name.p) {
        s->name = name;
        s->value = value;
    }
}

/* LTSV and logfmt. */
static bool of_names(const lk_layout *l, lk_parse_cache *c, lk_slice body, lk_slice line,
                     lk_reject why, lk_misfit *out)
{
    const bool is_status = why == LK_REJECT_STATUS || why == LK_REJECT_UNRECOGNISED;
    named_search s = { .field = is_status ? LK_JSONL_STATUS : LK_JSONL_TIME };

    if (l->format != &LK_FORMAT_LTSV && l->format != &LK_FORMAT_LOGFMT)
        return false;
    l->format->each(l, c, body, look_at_name, &s);
    if (!s.name.p)
        return (is_status || why == LK_REJECT_NO_TIME || why == LK_REJECT_TIMESTAMP) &&
               put(out, column_of(body, line), "a field for the %s, such as '%s'",
                   is_status ? "status" : "time", is_status ? "status" : "time");
    if (why == LK_REJECT_UNRECOGNISED)
        return !s.asks && put(out, column_of(body, line),
                              "a request: a field such as 'req', or 'method' and 'uri'");
    return put(out, column_of(s.value, line), "%s in '%.*s'",
               is_status ? "a status of three digits" : "a time stamp", (int)s.name.len, s.name.p);
}

/* ---- columns of fixed places ---- */

typedef struct place_row {
    const lk_format *format;
    bool from_bracket;    /* of the stamp, behind whatever is around the line */
    size_t stamp, status; /* columns between blanks, from 1 */
    const char *stamp_form, *status_form;
} place_row;

/* clang-format off */
static const place_row PLACES[] = {
    { &LK_FORMAT_AWS_ALB, false, 2, 9, "a time stamp of ISO 8601",          "elb_status_code, three digits" },
    { &LK_FORMAT_AWS_ELB, false, 1, 8, "a time stamp of ISO 8601",          "elb_status_code, three digits" },
    { &LK_FORMAT_SQUID,   false, 1, 4, "Unix time with milliseconds",       "a result code and status, as TCP_MISS/200" },
    { &LK_FORMAT_HAPROXY, true,  1, 5, "a time stamp, [dd/Mon/yyyy:hh:mm:ss.mmm]", "a status of three digits" },
};
/* clang-format on */

static lk_slice word_at(lk_slice body, size_t number)
{
    lk_slice rest = body;

    for (;;) {
        size_t n = 0;

        while (rest.len > 0 && rest.p[0] == ' ')
            rest = lk_slice_skip(rest, 1);
        while (n < rest.len && rest.p[n] != ' ')
            n++;
        if (n == 0 || --number == 0)
            return (lk_slice){ rest.p, n };
        rest = lk_slice_skip(rest, n);
    }
}

/* From the bracket before "30/Nov/2026"; else from the first, or all of it. */
static lk_slice from_bracket(lk_slice line)
{
    const char *end = line.p + line.len, *first = line.len ? memchr(line.p, '[', line.len) : NULL;

    for (const char *p = first; p; p = p + 1 < end ? memchr(p + 1, '[', (size_t)(end - p - 1)) : NULL)
        if (end - p > 3 && p[3] == '/')
            return (lk_slice){ p, (size_t)(end - p) };
    return first ? (lk_slice){ first, (size_t)(end - first) } : line;
}

static bool of_place(const lk_layout *l, lk_slice body, lk_slice line, lk_reject why,
                     lk_misfit *out)
{
    for (size_t i = 0; i < sizeof(PLACES) / sizeof(PLACES[0]); i++) {
        const place_row *p = &PLACES[i];
        const bool is_status = why == LK_REJECT_STATUS;
        lk_slice word;

        if (p->format != l->format || (!is_status && why != LK_REJECT_TIMESTAMP))
            continue;
        word = word_at(p->from_bracket ? from_bracket(body) : body, is_status ? p->status : p->stamp);
        return word.len > 0 && put(out, column_of(word, line), "%s",
                                   is_status ? p->status_form : p->stamp_form);
    }
    return false;
}

/* ---- the common family, and what resembles it ---- */

/* What should have stood there. */
static const char *expected(lk_reject why)
{
    switch (why) {
    case LK_REJECT_TIMESTAMP: return "a time stamp";
    case LK_REJECT_NO_TIME: return "a time";
    case LK_REJECT_STATUS: return "a status of three digits";
    case LK_REJECT_JSON: return "one JSON object";
    case LK_REJECT_OVERLONG: return "a shorter line, see --max-line";
    case LK_REJECT_LINES: return "one line";
    case LK_REJECT_BINARY: return "text";
    case LK_REJECT_UTF16: return "UTF-8; iconv -f UTF-16 -t UTF-8 makes it so";
    case LK_REJECT_CUT: return "more fields";
    case LK_REJECT_UNRECOGNISED: return "a line of a known format";
    case LK_REJECT_NONE:
    case LK_REJECT_COUNT: break;
    }
    return "";
}

/* As far as that can be told. */
static size_t place_of(lk_reject why, lk_slice line)
{
    const lk_slice from = from_bracket(line);
    const char *bracket = from.len > 0 && from.p[0] == '[' ? from.p : NULL;
    const char *quote = bracket ? memchr(bracket, '"', from.len) : NULL;
    const char *end = line.p + line.len;

    if (why == LK_REJECT_CUT)
        return line.len + 1;
    if (why == LK_REJECT_TIMESTAMP && bracket)
        return (size_t)(bracket - line.p) + 2;
    if (why != LK_REJECT_STATUS || !quote)
        return 1;
    for (const char *p = quote + 1; p < end; p++)
        if (*p == '"' && p[-1] != '\\')
            return (size_t)(p - line.p) + (p + 1 < end ? 3 : 2);
    return 1;
}

static bool is_of_contents(lk_reject why)
{
    return why == LK_REJECT_TIMESTAMP || why == LK_REJECT_NO_TIME || why == LK_REJECT_STATUS ||
           why == LK_REJECT_JSON || why == LK_REJECT_CUT || why == LK_REJECT_UNRECOGNISED;
}

void lk_misfit_find(const lk_layout *l, lk_parse_cache *c, lk_slice line, lk_reject why,
                    lk_misfit *out)
{
    const lk_slice body = is_within(c->body, line) && c->body.len > 0 ? c->body : line;

    if (is_of_contents(why) && body.len > 0) {
        if (is_json(l, body) && of_json(l, c, body, line, why, out))
            return;
        if (is_w3c(l, c) && of_w3c(c, body, line, why, out))
            return;
        if (of_names(l, c, body, line, why, out))
            return;
        if (of_place(l, body, line, why, out))
            return;
    }
    (void)put(out, place_of(why, line), "%s", expected(why));
}
