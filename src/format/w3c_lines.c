#include "format/w3c_lines.h"

#include "base/time.h"
#include "format/aws_columns.h"
#include "format/json_keys.h"
#include "format/request.h"
#include "format/retry_after.h"
#include "format/tokens.h"
#include "format/value.h"
#include "format/w3c_split.h"

#include <string.h>

enum { COUNT_MAX = 1000000, AGENT_MAX = 2048, DATE_LEN = 10, CLOCK_MIN = 8, CLOCK_MAX = 18 };

/* What Windows says of a connection that the client closed. */
enum { NETNAME_DELETED = 64, CONNECTION_ABORTED = 1236 };

void lk_w3c_directive(lk_parse_cache *c, lk_slice line)
{
    static const char FIELDS[] = "#Fields:";

    lk_slice names = lk_slice_skip(line, sizeof(FIELDS) - 1);

    if (!lk_slice_starts(line, FIELDS))
        return;
    lk_w3c_columns_of(names, &c->w3c);
    c->w3c_names_len = names.len < LK_CACHE_NAMES ? names.len : LK_CACHE_NAMES;
    memcpy(c->w3c_names, names.p, c->w3c_names_len);
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* ---- values ---- */

typedef struct w3c_line {
    lk_slice value[LK_W3C_ROLES]; /* NONE = not named, or '-' */
    lk_slice id[LK_ID_KEYS_MAX];
} w3c_line;

/* The first column that says something, where two say the same. */
static void put(lk_slice *into, lk_slice value)
{
    if (!into->p && !lk_value_is_absent(value))
        *into = value;
}

static void sort_columns(const lk_w3c_columns *columns, const lk_slice *values, size_t n,
                         w3c_line *out)
{
    memset(out, 0, sizeof(*out));
    for (size_t i = 0; i < n; i++) {
        uint8_t role = columns->roles[i];

        if (role >= LK_W3C_ID)
            put(&out->id[role - LK_W3C_ID], values[i]);
        else if (role != LK_W3C_IGNORE)
            put(&out->value[role], values[i]);
    }
}

static bool is_date(lk_slice v)
{
    return v.len == DATE_LEN && is_digit(v.p[0]) && is_digit(v.p[3]) && v.p[4] == '-' &&
           v.p[7] == '-';
}

static bool read_stamp(lk_parse_cache *c, lk_slice date, lk_slice clock, lk_fields *out)
{
    char text[DATE_LEN + 1 + CLOCK_MAX + 1];
    size_t len = DATE_LEN + 1 + clock.len;

    if (date.len != DATE_LEN || clock.len < CLOCK_MIN || clock.len > CLOCK_MAX ||
        !is_digit(clock.p[clock.len - 1]))
        return false;
    memcpy(text, date.p, DATE_LEN);
    text[DATE_LEN] = ' ';
    memcpy(text + DATE_LEN + 1, clock.p, clock.len);
    text[len] = 'Z';
    return lk_cache_clock(c, (lk_slice){ text, len + 1 }, lk_time_rfc3339, &out->stamp_ns,
                          &out->fraction);
}

/* Whole numbers are in the server's unit, decimals are seconds as the draft has it. */
static int64_t took_of(const lk_w3c_dialect *d, lk_slice v)
{
    int64_t ns;

    if (!lk_value_seconds(v, &ns))
        return -1;
    return memchr(v.p, '.', v.len) ? ns : ns / (LK_NS_PER_S / d->took_unit);
}

static unsigned hex(char c)
{
    if (is_digit(c))
        return (unsigned)(c - '0');
    c = (char)(c | 0x20);
    return c >= 'a' && c <= 'f' ? (unsigned)(c - 'a') + 10 : 16;
}

/* At v.p[*i], which moves past it.  A '+' behind the one of a blank is one: "; +http://". */
static char unescaped(char escape, lk_slice v, size_t *i)
{
    char c = v.p[(*i)++];

    if (c != escape)
        return c;
    if (escape == '+')
        return *i >= 2 && v.p[*i - 2] == '+' ? '+' : ' ';
    if (*i + 1 < v.len && hex(v.p[*i]) < 16 && hex(v.p[*i + 1]) < 16) {
        c = (char)(hex(v.p[*i]) << 4 | hex(v.p[*i + 1]));
        *i += 2;
    }
    return c;
}

/* At most AGENT_MAX bytes of it, and what the cache has room for. */
static lk_slice plain_text(const lk_w3c_dialect *d, lk_parse_cache *c, lk_slice v)
{
    size_t max = AGENT_MAX, len = 0, i = 0;
    char *room;

    if (v.len == 0 || !memchr(v.p, d->escape, v.len))
        return v;
    room = lk_cache_room(c, &max);
    while (i < v.len && len < max)
        room[len++] = unescaped(d->escape, v, &i);
    lk_cache_keep(c, len);
    return (lk_slice){ room, len };
}

static lk_slice caller_of(const w3c_line *w)
{
    lk_slice list = w->value[LK_W3C_FORWARDED];
    const char *stop;

    if (w->value[LK_W3C_CALLER].p)
        return lk_caller_address(w->value[LK_W3C_CALLER]);
    if (list.len == 0)
        return LK_SLICE_NONE;
    stop = memchr(list.p, ',', list.len);
    if (stop)
        list.len = (size_t)(stop - list.p);
    return lk_caller_address(list);
}

static bool client_left(const w3c_line *w)
{
    lk_slice edge = w->value[LK_W3C_EDGE_RESULT];
    int32_t win32;

    if (lk_value_count(w->value[LK_W3C_WIN32], COUNT_MAX, &win32) &&
        (win32 == NETNAME_DELETED || win32 == CONNECTION_ABORTED))
        return true;
    return lk_slice_is(edge, "ClientCommError") || lk_slice_is(edge, "ClientHungUpRequest");
}

static void fill_retries(const lk_w3c_dialect *d, lk_parse_cache *c, const w3c_line *w,
                         lk_fields *out)
{
    int32_t number;

    if (w->value[LK_W3C_ATTEMPT].p) {
        lk_slice text = plain_text(d, c, w->value[LK_W3C_ATTEMPT]);

        if (!lk_value_attempt(text, &out->attempt_no, &out->attempt_max))
            (void)lk_value_count(text, COUNT_MAX, &out->attempt_no);
    }
    if (out->attempt_no == 0 && lk_value_count(w->value[LK_W3C_RETRIES], COUNT_MAX, &number))
        out->attempt_no = number + 1;
    out->has_asked = w->value[LK_W3C_RETRY_AFTER].p || w->value[LK_W3C_RETRY_AFTER_MS].p;
    lk_retry_after_read_ms(out, plain_text(d, c, w->value[LK_W3C_RETRY_AFTER_MS]));
    lk_retry_after_read(out, plain_text(d, c, w->value[LK_W3C_RETRY_AFTER]));
}

static void fill_ids(const lk_layout *l, const w3c_line *w, lk_fields *out)
{
    for (uint8_t id = 0; id < lk_jsonl_id_count(); id++)
        if (w->id[id].p && l->key_slot[id] >= 0 && !out->id[l->key_slot[id]].p)
            out->id[l->key_slot[id]] = w->id[id];
}

/* All but stamp, status and ids. */
static void fill(const lk_w3c_dialect *d, lk_parse_cache *c, const w3c_line *w, lk_fields *out)
{
    const lk_slice *v = w->value;

    out->moment = LK_MOMENT_END;
    out->took_ns = took_of(d, v[LK_W3C_TOOK]);
    out->caller = caller_of(w);
    out->method = v[LK_W3C_METHOD];
    lk_target_read(v[LK_W3C_TARGET], out);
    if (!out->query.p)
        out->query = v[LK_W3C_QUERY];
    out->agent = plain_text(d, c, v[LK_W3C_AGENT]);
    out->host = lk_aws_host(v[v[LK_W3C_ASKED_HOST].p ? LK_W3C_ASKED_HOST : LK_W3C_HOST]);
    out->gave_up = client_left(w);
    fill_retries(d, c, w, out);
}

/* ---- lines ---- */

static lk_reject read_line(const lk_w3c_dialect *d, const lk_w3c_columns *columns,
                           lk_parse_cache *c, lk_slice line, w3c_line *w, lk_fields *out)
{
    lk_slice values[LK_W3C_COLUMNS_MAX];
    size_t n;

    lk_fields_init(out);
    if (columns->count == 0 || columns->is_edge != d->is_edge || line.len == 0)
        return LK_REJECT_UNRECOGNISED;
    n = lk_w3c_split(line, columns->count, values);
    if (n > columns->count)
        return LK_REJECT_UNRECOGNISED;
    sort_columns(columns, values, n, w);
    if (n < columns->count)
        return is_date(w->value[LK_W3C_DATE]) ? LK_REJECT_CUT : LK_REJECT_UNRECOGNISED;
    if (!read_stamp(c, w->value[LK_W3C_DATE], w->value[LK_W3C_TIME], out))
        return LK_REJECT_TIMESTAMP;
    if (!lk_aws_status(w->value[LK_W3C_STATUS], &out->status))
        return LK_REJECT_STATUS;
    fill(d, c, w, out);
    return LK_REJECT_NONE;
}

/* Does the reason come from columns that fit the line better? */
static bool is_closer(lk_reject reason, lk_reject than)
{
    return than == LK_REJECT_UNRECOGNISED ||
           (than == LK_REJECT_CUT && reason != LK_REJECT_UNRECOGNISED);
}

/* By the columns that fit. */
static lk_reject read_headless(const lk_w3c_dialect *d, const lk_w3c_set *set, lk_parse_cache *c,
                               lk_slice line, w3c_line *w, lk_fields *out)
{
    lk_reject closest = LK_REJECT_UNRECOGNISED;

    for (size_t i = 0; i < LK_W3C_SET_MAX && set->items[i].count > 0; i++) {
        lk_reject reason = read_line(d, &set->items[i], c, line, w, out);

        if (reason == LK_REJECT_NONE)
            return reason;
        if (is_closer(reason, closest))
            closest = reason;
    }
    return closest;
}

bool lk_w3c_read(const lk_w3c_dialect *d, const lk_layout *l, lk_parse_cache *c, lk_slice line,
                 lk_fields *out, lk_reject *why)
{
    w3c_line w;
    lk_reject reason = c->w3c.count > 0 ? read_line(d, &c->w3c, c, line, &w, out)
                                        : read_headless(d, &l->w3c, c, line, &w, out);

    if (reason != LK_REJECT_NONE) {
        *why = reason;
        return false;
    }
    if (l->format && l->format->directive)
        fill_ids(l, &w, out);
    return true;
}

void lk_w3c_each(const lk_w3c_dialect *d, lk_parse_cache *c, lk_slice line, lk_field_visit *visit,
                 void *ctx)
{
    lk_w3c_cursor at = lk_w3c_cursor_at(line);
    lk_slice names = c->w3c.count > 0 ? (lk_slice){ c->w3c_names, c->w3c_names_len }
                                      : lk_slice_from(d->columns);
    const char *p = names.p, *end = names.p + names.len;
    lk_slice value;

    while (lk_w3c_next(&at, &value)) {
        lk_slice name = lk_token_take(&p, end);

        if (name.len > 0)
            visit(ctx, name, value);
    }
}

/* ---- the sniffer's view ---- */

static void note_row(uint64_t *rows, uint8_t row)
{
    rows[row / 64] |= UINT64_C(1) << row % 64;
}

bool lk_w3c_observe(const lk_w3c_dialect *d, lk_sniffer *s, lk_parse_cache *c, lk_slice line,
                    lk_fields *out)
{
    w3c_line w;

    if (read_line(d, &s->w3c, c, line, &w, out) != LK_REJECT_NONE)
        return false;
    for (size_t i = 0; i < s->w3c.count; i++)
        if (s->w3c.roles[i] >= LK_W3C_ID)
            note_row(s->keys_seen, lk_jsonl_id_row((uint8_t)(s->w3c.roles[i] - LK_W3C_ID)));
    return true;
}

static bool is_method(lk_slice v)
{
    static const char *const METHODS[] = { "GET",    "POST",  "PUT",     "HEAD",
                                           "DELETE", "PATCH", "OPTIONS", "CONNECT" };

    for (size_t i = 0; i < sizeof(METHODS) / sizeof(METHODS[0]); i++)
        if (lk_slice_is(v, METHODS[i]))
            return true;
    return false;
}

static bool is_status(lk_slice v)
{
    unsigned status;

    return v.len == 3 && lk_aws_status(v, &status) && status < 600;
}

static bool is_path(lk_slice v)
{
    return v.len > 0 && v.p[0] == '/';
}

/* A method, a path behind it and a status behind that. */
static bool has_request(lk_w3c_cursor at)
{
    static bool (*const PARTS[])(lk_slice) = { is_method, is_path, is_status };
    size_t found = 0;
    lk_slice v;

    while (found < 3 && lk_w3c_next(&at, &v))
        if (PARTS[found](v))
            found++;
    return found == 3;
}

bool lk_w3c_observe_headless(const lk_w3c_dialect *d, lk_sniffer *s, lk_parse_cache *c,
                             lk_slice line, lk_fields *out)
{
    lk_w3c_cursor columns = lk_w3c_cursor_at(line);
    lk_slice date, clock;

    lk_fields_init(out);
    if (s->w3c.count > 0 || (columns.separator == '\t') != d->is_edge ||
        !lk_w3c_next(&columns, &date) || !lk_w3c_next(&columns, &clock) || !is_date(date))
        return false;
    return read_stamp(c, date, clock, out) && has_request(columns);
}

/* Slots for the ids whose columns there are, in order of preference. */
static void give_slots(const lk_sniffer *s, lk_layout *out)
{
    for (uint8_t id = 0; id < lk_jsonl_id_count() && out->id_count < LK_IDS; id++) {
        uint8_t row = lk_jsonl_id_row(id);
        const char *name = lk_jsonl_row_key(row);

        if (!(s->keys_seen[row / 64] >> row % 64 & 1))
            continue;
        out->key_slot[id] = (int8_t)out->id_count;
        memcpy(out->id_name[out->id_count], name, strlen(name) + 1);
        out->id_is_task[out->id_count] = lk_jsonl_id_kind(id) == LK_ID_TASK;
        out->id_is_call[out->id_count++] = lk_jsonl_id_kind(id) == LK_ID_CALL;
    }
}

void lk_w3c_decide(const lk_w3c_dialect *d, const lk_sniffer *s, lk_layout *out)
{
    out->moment = LK_MOMENT_END;
    out->w3c = s->w3c_seen;
    if (out->w3c.items[0].count == 0)
        lk_w3c_columns_of(lk_slice_from(d->columns), &out->w3c.items[0]);
    give_slots(s, out);
}
