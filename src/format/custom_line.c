/* Reading lines by the rows of a custom format. */
#include "base/time.h"
#include "format/custom_part.h"
#include "format/rows.h"
#include "format/upstream.h"
#include "format/value.h"

#include <string.h>

typedef struct reader {
    const lk_custom *custom;
    lk_parse_cache *cache;
    const char *p, *end;  /* what is not read yet           */
    const char *last;     /* `end` without the blanks there */
    lk_custom_time times; /* of the moment that counts */
    lk_custom_time other; /* of the other one          */
    lk_upstream hidden;
    lk_fields *out;
    lk_reject why;
    lk_slice *values; /* NULL, or of each row */
} reader;

static lk_slice between(const char *from, const char *to)
{
    return (lk_slice){ from, (size_t)(to - from) };
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static lk_slice text_before(const lk_custom *custom, const lk_custom_row *row)
{
    return (lk_slice){ custom->text + row->before, row->before_len };
}

/* ---- where a field ends ---- */

static bool stands_at(const char *p, const char *end, lk_slice text)
{
    return (size_t)(end - p) >= text.len && memcmp(p, text.p, text.len) == 0;
}

/* Is the quote at q, in a field that begins at first, one of its bytes? */
static bool is_escaped(const char *first, const char *q)
{
    const char *p = q;

    while (p > first && p[-1] == '\\')
        p--;
    return (q - p) % 2 == 1;
}

/* Behind the request stands a status: a quote that none follows is one of the request's own. */
static bool fits(const lk_custom_row *next, const char *p, const char *end)
{
    return next->field != LK_CUSTOM_STATUS || p == end || is_digit(*p) || *p == '-';
}

/* The first place where `text` stands and what comes behind it fits; NULL when there is none. */
static const char *find_text(const reader *r, lk_slice text, const lk_custom_row *row,
                             const lk_custom_row *next)
{
    bool escapes = row->quoted && text.p[0] == '"' && !r->custom->raw_quotes;
    const char *found = NULL;

    for (const char *q = r->p; (size_t)(r->end - q) >= text.len; q++) {
        q = memchr(q, text.p[0], (size_t)(r->end - q) - text.len + 1);
        if (!q)
            break;
        if (!stands_at(q, r->end, text) || (escapes && is_escaped(r->p, q)))
            continue;
        if (fits(next, q + text.len, r->end))
            return q;
        if (!found)
            found = q;
    }
    return found;
}

/* In front of the text that ends the line. */
static const char *end_of_last(const reader *r, lk_slice text)
{
    const char *last = r->last > r->p ? r->last : r->p;

    if (text.len == 0)
        return last;
    if ((size_t)(last - r->p) < text.len || !stands_at(last - text.len, last, text))
        return NULL;
    return last - text.len;
}

static bool is_list(const lk_custom_row *row)
{
    return row->field == LK_CUSTOM_LIST || row->field == LK_CUSTOM_UPSTREAM_STATUS ||
           row->field == LK_CUSTOM_UPSTREAM_TOOK;
}

/* A bare list holds blanks of its own. */
static const char *end_of_list(const reader *r)
{
    const char *blank = memchr(r->p, ' ', (size_t)(r->end - r->p));

    if (!blank)
        return r->end;
    return blank > r->p ? lk_upstream_list_end(blank, r->end) : blank;
}

/* "203.0.113.7, 10.0.0.1": a blank behind a comma is part of the field. */
static const char *past_commas(const reader *r, const char *blank)
{
    while (blank && blank > r->p && blank[-1] == ',' && blank < r->end) {
        const char *next = blank + 1;

        blank = memchr(next, ' ', (size_t)(r->end - next));
    }
    return blank;
}

static bool may_be_proxies(const lk_custom_row *row)
{
    return !row->quoted && (row->field == LK_CUSTOM_CALLER || row->field == LK_CUSTOM_IGNORE);
}

/* "15/Jul/2025:12:00:00 +0545" holds a blank of its own. */
static const char *end_of_clf(const reader *r, lk_slice text)
{
    const size_t len = sizeof("15/Jul/2025:12:00:00 +0545") - 1;

    if ((size_t)(r->end - r->p) < len || !stands_at(r->p + len, r->end, text))
        return NULL;
    return r->p + len;
}

/* The next row that text stands in front of, the end of the line at last. */
static size_t next_with_text(const lk_custom *custom, size_t i)
{
    for (i++; i < custom->count && custom->rows[i].before_len == 0; i++)
        ;
    return i;
}

static const char *field_end(const reader *r, size_t i)
{
    const lk_custom_row *row = &r->custom->rows[i];
    size_t next = next_with_text(r->custom, i);
    lk_slice text = text_before(r->custom, &r->custom->rows[next]);
    const char *end, *stop;

    if (next == r->custom->count)
        end = end_of_last(r, text);
    else if (text.p[0] == ' ' && is_list(row))
        end = end_of_list(r);
    else if (row->field != LK_CUSTOM_TIME_CLF || !(end = end_of_clf(r, text)))
        end = find_text(r, text, row, &r->custom->rows[next]);
    if (end && text.len == 1 && text.p[0] == ' ' && may_be_proxies(row))
        end = past_commas(r, end);
    if (!end || next == i + 1 || !row->stop)
        return end;
    stop = memchr(r->p, row->stop, (size_t)(end - r->p));
    return stop ? stop : end;
}

/* ---- times ---- */

static lk_custom_time *times_of(reader *r, const lk_custom_row *row)
{
    return row->end != r->custom->from_start ? &r->times : &r->other;
}

static bool read_stamp(reader *r, lk_slice v, lk_stamp_reader *read, lk_custom_time *t)
{
    int64_t at_ns;
    bool fraction;

    if (!lk_cache_stamp(r->cache, v, read, &at_ns, &fraction))
        return false;
    lk_custom_time_set(t, at_ns, fraction ? 2 : 1);
    return true;
}

static bool read_real(lk_slice v, lk_custom_time *t)
{
    int64_t at_ns;
    bool fraction;

    if (!lk_time_epoch(v, &at_ns, &fraction))
        return false;
    lk_custom_time_set(t, at_ns, fraction ? 2 : 1);
    return true;
}

static bool read_whole(lk_slice v, int64_t unit_ns, unsigned precision, lk_custom_time *t)
{
    uint64_t n;

    if (!lk_slice_u64(v, &n) || n > (uint64_t)(INT64_MAX / unit_ns))
        return false;
    lk_custom_time_set(t, (int64_t)n * unit_ns, precision);
    return true;
}

static bool read_fraction(lk_slice v, int64_t unit_ns, lk_custom_time *t)
{
    uint64_t n;

    if (!lk_slice_u64(v, &n) || n >= (uint64_t)(LK_NS_PER_S / unit_ns))
        return false;
    if (t->fraction_ns < 0 || unit_ns < LK_NS_PER_MS)
        t->fraction_ns = (int64_t)n * unit_ns;
    return true;
}

/* One that ends by its form: NULL when it is none. */
static const char *take_number(reader *r, const lk_custom_row *row)
{
    lk_custom_time *t = times_of(r, row);
    bool real = row->field == LK_CUSTOM_EPOCH_REAL, ok = false;
    const char *past = r->p;
    lk_slice v;

    while (past < r->end && (is_digit(*past) || (real && *past == '.')))
        past++;
    v = between(r->p, past);
    if (v.len == 0)
        return NULL;
    if (real)
        ok = read_real(v, t);
    else if (row->field == LK_CUSTOM_EPOCH_S)
        ok = read_whole(v, LK_NS_PER_S, 1, t);
    else if (row->field == LK_CUSTOM_EPOCH_MS)
        ok = read_whole(v, LK_NS_PER_MS, 2, t);
    else if (row->field == LK_CUSTOM_EPOCH_US)
        ok = read_whole(v, LK_NS_PER_MS / 1000, 3, t);
    else if (row->field == LK_CUSTOM_FRACTION_MS)
        ok = read_fraction(v, LK_NS_PER_MS, t);
    else if (row->field == LK_CUSTOM_FRACTION_US)
        ok = read_fraction(v, LK_NS_PER_MS / 1000, t);
    return ok ? past : NULL;
}

static const char *take_time(reader *r, const lk_custom_row *row)
{
    lk_slice form = { r->custom->text + row->form, row->form_len };

    if (row->field == LK_CUSTOM_TIME_FORM)
        return lk_custom_form_read(form, r->p, r->end, times_of(r, row));
    return take_number(r, row);
}

static bool finish_time(reader *r)
{
    lk_fields *f = r->out;
    int64_t other_ns;
    bool fraction, zoneless;

    if (!lk_custom_time_finish(&r->times, &f->stamp_ns, &f->fraction, &f->zoneless) ||
        !lk_stamp_is_plausible(f->stamp_ns))
        return false;
    f->moment = r->custom->moment;
    if (f->took_ns >= 0 || !f->fraction || !r->custom->from_start)
        return true;
    /* from start to end, where both are fine enough to tell */
    if (lk_custom_time_finish(&r->other, &other_ns, &fraction, &zoneless) && fraction &&
        lk_stamp_is_plausible(other_ns) && other_ns >= f->stamp_ns)
        f->took_ns = other_ns - f->stamp_ns;
    return true;
}

/* ---- rows ---- */

static bool reject(reader *r, lk_reject why)
{
    r->why = why;
    return false;
}

static bool skip_text(reader *r, const lk_custom_row *row)
{
    lk_slice text = text_before(r->custom, row);

    if (!stands_at(r->p, r->end, text))
        return reject(r, LK_REJECT_UNRECOGNISED);
    r->p += text.len;
    return true;
}

static bool read_field(reader *r, const lk_custom_row *row, lk_slice v)
{
    switch ((int)row->field) {
    case LK_CUSTOM_STATUS: return lk_custom_read_status(v, r->out) || reject(r, LK_REJECT_STATUS);
    case LK_CUSTOM_TIME_CLF:
        return read_stamp(r, v, lk_time_clf, times_of(r, row)) || reject(r, LK_REJECT_TIMESTAMP);
    case LK_CUSTOM_TIME_ISO:
        return read_stamp(r, v, lk_time_rfc3339, times_of(r, row)) ||
               reject(r, LK_REJECT_TIMESTAMP);
    default: break;
    }
    if (!lk_value_is_absent(v))
        lk_custom_read_value(r->custom, row, v, r->cache, &r->hidden, r->out);
    return true;
}

static bool knows_time(const reader *r)
{
    return r->times.at_ns != LK_TIME_NONE || r->times.parts > 0;
}

static bool take_field(reader *r, size_t i)
{
    const lk_custom_row *row = &r->custom->rows[i];
    const char *first = r->p, *past;

    if (row->field >= LK_CUSTOM_TIME_FORM) {
        past = take_time(r, row);
        if (!past)
            return reject(r, LK_REJECT_TIMESTAMP);
        r->p = past;
        return true;
    }
    past = field_end(r, i);
    if (!past)
        return reject(r, knows_time(r) ? LK_REJECT_CUT : LK_REJECT_UNRECOGNISED);
    if (!read_field(r, row, between(first, past)))
        return false;
    if (r->values)
        r->values[i] = between(first, past);
    r->p = past;
    return true;
}

/* The text of the last row ends the line. */
static bool take_end(reader *r)
{
    const lk_custom_row *row = &r->custom->rows[r->custom->count];

    if (!skip_text(r, row))
        return false;
    return r->p >= r->last || reject(r, LK_REJECT_UNRECOGNISED);
}

/* `i` is left at the row that failed. */
static bool take_rows(reader *r, size_t *i)
{
    for (*i = 0; *i < r->custom->count; ++*i)
        if (!skip_text(r, &r->custom->rows[*i]) || !take_field(r, *i))
            return false;
    return take_end(r);
}

static size_t time_row(const lk_custom *custom)
{
    for (size_t i = 0; i < custom->count; i++)
        if (custom->rows[i].field >= LK_CUSTOM_TIME_CLF &&
            custom->rows[i].end != custom->from_start)
            return i;
    return 0;
}

static void start(reader *r, lk_slice line)
{
    while (line.len > 0 && line.p[line.len - 1] == '\r')
        line.len--;
    r->p = r->last = line.p ? line.p : "";
    r->end = r->p + line.len;
    for (r->last = r->end; r->last > r->p && (r->last[-1] == ' ' || r->last[-1] == '\t');)
        r->last--;
    r->cache->text_len = 0;
    lk_custom_time_init(&r->times);
    lk_custom_time_init(&r->other);
    lk_fields_init(r->out);
}

bool lk_custom_parse(const lk_custom *custom, lk_parse_cache *c, lk_slice line, lk_fields *out,
                     lk_reject *why, lk_custom_place *place)
{
    reader r = { .custom = custom, .cache = c, .out = out, .why = LK_REJECT_NONE };
    const char *first;
    size_t row;

    start(&r, line);
    first = r.p;
    if (take_rows(&r, &row)) {
        if (finish_time(&r)) {
            lk_upstream_read(&r.hidden, c, out);
            return true;
        }
        row = time_row(custom);
        r.p = first;
        r.why = LK_REJECT_TIMESTAMP;
    }
    *why = r.why;
    if (place)
        *place = (lk_custom_place){ (size_t)(r.p - first) + 1, row };
    return false;
}

/* ---- as a layout ---- */

static bool parse(const lk_layout *l, lk_parse_cache *c, lk_slice line, lk_fields *out,
                  lk_reject *why)
{
    return l->custom && lk_custom_parse(l->custom, c, line, out, why, NULL);
}

static void each_field(const lk_layout *l, lk_parse_cache *c, lk_slice line, lk_field_visit *visit,
                       void *ctx)
{
    lk_slice values[LK_CUSTOM_ROWS_MAX] = { LK_SLICE_NONE };
    lk_fields ignored;
    reader r = { .custom = l->custom, .cache = c, .out = &ignored, .values = values };
    size_t row;

    start(&r, line);
    if (!take_rows(&r, &row))
        return;
    for (row = 0; row < l->custom->count; row++)
        visit(ctx, lk_slice_from(lk_custom_field_name(l->custom, row)), values[row]);
}

static bool observe(lk_sniffer *s, lk_parse_cache *c, lk_slice line, lk_fields *out)
{
    lk_reject why;

    return s->custom && lk_custom_parse(s->custom, c, line, out, &why, NULL);
}

const lk_format LK_FORMAT_CUSTOM = {
    .name = "custom",
    .moment = "as given",
    .resolution = "as given",
    .help = "the LogFormat of Apache or log_format of nginx that was given",
    .parse = parse,
    .observe = observe,
    .each = each_field,
};

void lk_custom_layout(const lk_custom *custom, lk_layout *out)
{
    lk_layout_init(out);
    out->format = &LK_FORMAT_CUSTOM;
    out->custom = custom;
    out->moment = custom->moment;
    out->id_count = custom->id_count;
    memcpy(out->id_name, custom->id_name, sizeof(out->id_name));
    memcpy(out->id_is_call, custom->id_is_call, sizeof(out->id_is_call));
    memcpy(out->id_is_task, custom->id_is_task, sizeof(out->id_is_task));
}

static size_t row_named(const lk_custom *custom, const char *name)
{
    size_t row = 0;

    while (row < custom->count && strcmp(lk_custom_field_name(custom, row), name) != 0)
        row++;
    return row;
}

bool lk_custom_names(const lk_custom *custom, const char *name)
{
    return row_named(custom, name) < custom->count;
}

bool lk_custom_pick_caller(lk_custom *custom, const char *name)
{
    size_t row = row_named(custom, name);

    if (row == custom->count)
        return false;
    for (size_t i = 0; i < custom->count; i++)
        if (custom->rows[i].field == LK_CUSTOM_CALLER)
            custom->rows[i].field = LK_CUSTOM_IGNORE;
    custom->rows[row].field = LK_CUSTOM_CALLER;
    return true;
}
