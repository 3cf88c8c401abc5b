#include "format/columns.h"

#include "base/seek.h"
#include "base/time.h"
#include "format/request.h"
#include "format/retry_after.h"
#include "format/tokens.h"
#include "format/upstream.h"
#include "format/value.h"

#include <stdio.h>
#include <string.h>

enum { COUNT_MAX = 1000000 };

static const char *find(const char *p, const char *end, char c)
{
    return lk_seek(p, end, c);
}

static lk_slice between(const char *from, const char *to)
{
    return (lk_slice){ from, (size_t)(to - from) };
}

/* ---- splitting ---- */

/* Letters, digits, '_', '.' and '-'. */
static bool is_key_byte(char c)
{
    static const uint32_t BITS[256 / 32] = { 0, 0x03ff6000, 0x87fffffe, 0x07fffffe };

    return BITS[(unsigned char)c / 32] >> ((unsigned char)c % 32) & 1;
}

/* Most values have neither, and so no key. */
static bool has_key_mark(lk_slice v)
{
    return find(v.p, v.p + v.len, '=') || find(v.p, v.p + v.len, ':');
}

/* "rt:0.123" is a key with its value where the word has a meaning; "backend:8080" is none. */
static bool is_colon_key(const char *p, size_t n, const char *end)
{
    return p + n < end && p[n] == ':' && p[n + 1] != ':' && p[n + 1] != '/' &&
           lk_column_is_key(between(p, p + n));
}

/* The length of the key when p begins "key=" and a value; 0 otherwise. */
static size_t key_len(const char *p, const char *end)
{
    size_t n = 0;

    if (*p >= '0' && *p <= '9')
        return 0;
    while (p + n < end && n < LK_ID_NAME_MAX - 1 && is_key_byte(p[n]))
        n++;
    if (n == 0 || end - p < (ptrdiff_t)n + 2 || p[n + 1] == '=' || p[n + 1] == ' ')
        return 0;
    return p[n] == '=' || is_colon_key(p, n, end) ? n : 0;
}

static const char *blank_or_end(const char *p, const char *end)
{
    const char *blank = find(p, end, ' ');

    return blank ? blank : end;
}

/* "rt=0.123", quoted with its key.  An attempt header looks so as well, and is a value. */
static void take_key_within(lk_column *out)
{
    const char *p = out->value.p, *end = p + out->value.len;
    size_t n = out->value.len > 0 && has_key_mark(out->value) ? key_len(p, end) : 0;

    if (n == 0 || lk_slice_starts(out->value, "attempt=") || find(p + n + 1, end, '=') ||
        find(p, end, ';'))
        return;
    out->key = between(p, p + n);
    out->value = between(p + n + 1, end);
}

static const char *take_quoted(const char *p, const char *end, lk_column *out)
{
    const char *past = lk_quoted_end(p, end);

    if (!past)
        return NULL;
    out->value = between(p + 1, past - 1);
    out->quoted = true;
    if (out->key.len == 0)
        take_key_within(out);
    return past;
}

/* Another column between the same quotes: "rt=0.123 ut=0.120".  NULL = there is none. */
static const char *next_within(const char *p, const char *end)
{
    while (p < end && *p == ' ')
        p++;
    return p < end && key_len(p, end) > 0 ? p : NULL;
}

/* "rt=0.123 ut=0.120" when there is nothing but such between the quotes. */
static bool is_list_of_keys(lk_slice v)
{
    const char *p = v.p, *end = v.p + v.len;
    size_t count = 0;

    if (v.len == 0 || !has_key_mark(v))
        return false;
    while (p && p < end) {
        const char *blank = find(p, end, ' ');
        size_t n = key_len(p, blank ? blank : end);

        if (n == 0 || find(p, blank ? blank : end, ';') || find(p, blank ? blank : end, '"'))
            return false;
        count++;
        p = blank ? blank + 1 : end;
    }
    return count > 1;
}

static const char *take_bracketed(const char *p, const char *end, lk_column *out)
{
    const char *close = find(p, end, ']');

    if (!close || (close + 1 < end && close[1] != ' '))
        return NULL;
    out->value = between(p + 1, close);
    out->bracketed = true;
    return close + 1;
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* Past a unit that stands by itself behind a number, or where there is none behind '-', as in
 * "12.345 ms". */
static const char *past_unit(const char *past, const char *end)
{
    const char *unit_end;

    if (end - past < 2 || (past[1] != 'm' && past[1] != 's' && past[1] != 'u' && past[1] > 0))
        return past;
    unit_end = blank_or_end(past + 1, end);
    return lk_value_is_unit(between(past + 1, unit_end)) ? unit_end : past;
}

static const char *take_bare(const char *p, const char *end, lk_column *out)
{
    const char *blank = blank_or_end(p, end), *past;

    if (blank > p && blank[-1] == ',' && end - blank > 1 && key_len(blank + 1, end) > 0) {
        out->value = between(p, blank - 1); /* "rt=0.123, ut=0.120" */
        return blank;
    }
    past = lk_upstream_list_end(blank, end);
    if (find(p, past, '"'))
        return NULL;
    out->value = between(p, past);
    if (past == blank && past > p && (is_digit(*p) || (*p == '-' && past == p + 1))) {
        past = past_unit(past, end);
        if (is_digit(*p))
            out->value = between(p, past);
    }
    return past;
}

/* "(0.123)" */
static void take_parentheses(lk_column *out)
{
    lk_slice v = out->value;

    if (v.len <= 2 || v.p[0] != '(' || v.p[v.len - 1] != ')')
        return;
    out->value = (lk_slice){ v.p + 1, v.len - 2 };
    out->bracketed = true;
}

/* What stands behind the blank after a bare value may belong to it: the ':' of a list, a unit. */
static bool may_go_on(const char *blank, const char *end)
{
    return end - blank >= 2 && (blank[1] == ':' || past_unit(blank, end) != blank);
}

/* A column as most are: letters, digits, '-', '.' and '/' alone, quoted or bare, and so without a key.  NULL: it is
 * for take_column. */
static const char *take_plain(const char *p, const char *end, lk_column *out)
{
    const bool quoted = *p == '"';
    const char *first = p + quoted, *past = lk_seek_past_word(first, end), *next = past + quoted;

    if (quoted ? past == end || *past != '"' || (next < end && *next != ' ')
               : past == first || (past < end && *past != ' ') || may_go_on(past, end))
        return NULL;
    out->key = LK_SLICE_NONE;
    out->value = between(first, past);
    out->quoted = quoted;
    out->bracketed = false;
    return next;
}

/* Returns where the column ends; NULL when it makes no sense. */
static const char *take_column(const char *p, const char *end, lk_column *out)
{
    const char *past;
    size_t n;

    *out = (lk_column){ .quoted = false };
    if (*p == '"')
        return take_quoted(p, end, out);
    if (*p == '[' && (past = take_bracketed(p, end, out)))
        return past;
    n = key_len(p, end);
    if (n > 0) {
        out->key = between(p, p + n);
        p += n + 1;
    }
    if (*p == '"')
        return take_quoted(p, end, out);
    past = take_bare(p, end, out);
    if (past && *p == '(')
        take_parentheses(out);
    return past;
}

/* The quoted text that was taken last becomes a column for each key in it, as far as they fit. */
static void spread(lk_columns *out)
{
    lk_slice v = out->items[out->count].value;
    const char *p = v.p, *end = v.p + v.len;

    while ((p = next_within(p, end)) != NULL && out->count < LK_COLUMNS_MAX) {
        size_t n = key_len(p, end);
        const char *past = blank_or_end(p, end);
        size_t comma = past[-1] == ',';

        out->items[out->count++] = (lk_column){ .key = between(p, p + n),
                                                .value = between(p + n + 1, past - comma),
                                                .quoted = true };
        p = past;
    }
}

/* The column at p, whatever it looks like, onto the end of *out; NULL when it makes no sense. */
static const char *add_column(const char *p, const char *end, lk_columns *out)
{
    p = take_column(p, end, &out->items[out->count]);
    if (!p)
        return NULL;
    if (out->items[out->count].quoted && out->items[out->count].key.len == 0 &&
        is_list_of_keys(out->items[out->count].value))
        spread(out);
    else
        out->count++;
    return p;
}

static const char *add_plain(const char *p, const char *end, lk_columns *out)
{
    const char *past = take_plain(p, end, &out->items[out->count]);

    if (!past)
        return add_column(p, end, out);
    out->count++;
    return past;
}

typedef const char *adder(const char *p, const char *end, lk_columns *out);

static inline bool split(lk_slice tail, adder *add, lk_columns *out)
{
    const char *p = tail.p, *end;

    out->count = 0;
    if (tail.len == 0)
        return true;
    end = p + tail.len;
    while (p < end) {
        if (*p == ' ') {
            p++;
            continue;
        }
        if (out->count == LK_COLUMNS_MAX) {
            out->count++;
            return true;
        }
        p = add(p, end, out);
        if (!p)
            return false;
    }
    return true;
}

bool lk_columns_split(lk_slice tail, lk_columns *out)
{
    return split(tail, add_plain, out);
}

bool lk_columns_split_careful(lk_slice tail, lk_columns *out)
{
    return split(tail, add_column, out);
}

void lk_columns_of(lk_clf *clf, lk_columns *out)
{
    if (lk_columns_split(clf->tail, out))
        return;
    lk_clf_widen_agent(clf);
    if (!lk_columns_split(clf->tail, out))
        out->count = 0;
}

/* ---- reading by role ---- */

bool lk_column_is_status(lk_slice v, unsigned status)
{
    int32_t n;

    return v.len == 3 && lk_value_count(v, 999, &n) && (unsigned)n == status;
}

static void read_msec(lk_slice v, lk_fields *out)
{
    int64_t at_ns;
    bool fraction;

    if (!lk_value_epoch(v, &at_ns, &fraction) || !fraction || !lk_stamp_is_plausible(at_ns))
        return;
    out->stamp_ns = at_ns;
    out->fraction = true;
    out->moment = LK_MOMENT_END;
}

/* What it denotes is what the stamp denotes. */
static void read_stamp(lk_slice v, lk_fields *out)
{
    int64_t at_ns;
    bool fraction;

    if (!lk_value_epoch(v, &at_ns, &fraction) || !lk_stamp_is_plausible(at_ns))
        return;
    out->stamp_ns = at_ns;
    out->fraction = true;
}

/* A column that the peek saw empty.  Only a rejection asks callers to wait; zero seconds would say
 * nothing and may be a counter, and three digits behind the point are the time of an upstream. */
static void read_open(lk_slice v, int slot, lk_upstream *hidden, lk_fields *out)
{
    size_t count;
    unsigned last;
    int64_t ns;

    switch (lk_value_shape(v)) {
    case LK_SHAPE_ATTEMPT: lk_fields_attempt(out, v); break;
    case LK_SHAPE_IDENT:
    case LK_SHAPE_WORD:
        if (slot >= 0)
            out->id[slot] = v;
        break;
    case LK_SHAPE_WHOLE:
    case LK_SHAPE_DECIMAL:
        if (lk_status_is_rejected(out->status) && !lk_column_is_status(v, out->status) &&
            lk_value_seconds(v, &ns) && ns > 0)
            lk_retry_after_read(out, v);
        break;
    case LK_SHAPE_ABSENT:
    case LK_SHAPE_REAL:
    case LK_SHAPE_SPAN:
    case LK_SHAPE_MSEC: break;
    case LK_SHAPE_OTHER:
        if (lk_upstream_is_statuses(v, &count, &last) && count > 1 && last == out->status)
            hidden->statuses = v;
        else if (lk_status_is_rejected(out->status) && lk_time_http(v, &ns))
            lk_retry_after_read(out, v);
        break;
    }
}

/* "3/3123456": the seconds once more, and microseconds. */
static void read_pair(lk_slice v, lk_fields *out)
{
    uint64_t seconds, us;

    if (lk_value_seconds_us(v, &seconds, &us))
        out->took_ns = (int64_t)us * 1000;
}

/* A number of such units, or one with its own. */
static void read_took(lk_slice v, int64_t unit_ns, int64_t *ns)
{
    if (!lk_value_units(v, unit_ns, ns))
        (void)lk_value_span(v, ns);
}

static void read_seconds(lk_slice v, int64_t *ns)
{
    if (!lk_value_seconds(v, ns))
        (void)lk_value_span(v, ns);
}

static void read_column(lk_role role, int slot, lk_slice v, lk_upstream *hidden, lk_fields *out)
{
    if (lk_value_is_absent(v))
        return;
    switch (role) {
    case LK_ROLE_IGNORE: break;
    case LK_ROLE_OPEN: read_open(v, slot, hidden, out); break;
    case LK_ROLE_TOOK: read_seconds(v, &out->took_ns); break;
    case LK_ROLE_TOOK_US: read_took(v, 1000, &out->took_ns); break;
    case LK_ROLE_TOOK_PAIR: read_pair(v, out); break;
    case LK_ROLE_STAMP: read_stamp(v, out); break;
    case LK_ROLE_TOOK_MS: read_took(v, LK_NS_PER_MS, &out->took_ns); break;
    case LK_ROLE_MSEC: read_msec(v, out); break;
    case LK_ROLE_ID:
        if (slot >= 0)
            out->id[slot] = v;
        break;
    case LK_ROLE_ATTEMPT: lk_fields_attempt(out, v); break;
    case LK_ROLE_RETRIES: lk_fields_retries(out, v); break;
    case LK_ROLE_RETRY_AFTER: lk_retry_after_read(out, v); break;
    case LK_ROLE_RETRY_AFTER_MS: lk_retry_after_read_ms(out, v); break;
    case LK_ROLE_UPSTREAM_STATUS: hidden->statuses = v; break;
    case LK_ROLE_UPSTREAM_TOOK: hidden->times = v; break;
    case LK_ROLE_HOST: out->host = v; break;
    case LK_ROLE_CONNECTION: out->gave_up |= lk_slice_is(v, "X"); break;
    }
}

/* In a line with another number of columns than the rest nothing has a place: only what names
 * itself is read. */
static void read_strays(const lk_columns *columns, lk_fields *out)
{
    for (size_t i = 0; i < columns->count && i < LK_COLUMNS_MAX; i++)
        (void)lk_value_attempt(columns->items[i].value, &out->attempt_no, &out->attempt_max);
}

void lk_columns_read(const lk_layout *l, const lk_columns *columns, lk_parse_cache *c,
                     lk_fields *out)
{
    lk_upstream hidden = { .statuses = LK_SLICE_NONE };

    if (columns->count != l->column_count) {
        read_strays(columns, out);
        return;
    }
    out->has_asked = l->has_asked;
    for (size_t i = 0; i < columns->count && i < LK_COLUMNS_MAX; i++)
        read_column(l->columns[i], l->column_slot[i], columns->items[i].value, &hidden, out);
    if (l->caller_column > 0 && !lk_value_is_absent(columns->items[l->caller_column - 1].value)) {
        out->caller =
            lk_caller_address(lk_first_of_list(columns->items[l->caller_column - 1].value));
        out->caller_chosen = true;
    }
    lk_upstream_read(&hidden, c, out);
}

/* ---- by name ---- */

void lk_columns_each(const lk_layout *l, lk_parse_cache *c, lk_slice line, lk_field_visit *visit,
                     void *ctx)
{
    lk_columns columns = { .count = 0 };
    lk_reject why;
    lk_clf clf;

    (void)l;
    (void)c;
    if (!lk_clf_split(line, &clf, &why))
        return;
    if (clf.tail.len > 0)
        lk_columns_of(&clf, &columns);
    for (size_t i = 0; i < columns.count && i < LK_COLUMNS_MAX; i++) {
        const lk_column *column = &columns.items[i];
        char place[32];
        int len = snprintf(place, sizeof(place), "column %zu", clf.columns_before + i + 1);

        if (column->key.len > 0)
            visit(ctx, column->key, column->value);
        visit(ctx, (lk_slice){ place, (size_t)len }, column->value);
    }
}
