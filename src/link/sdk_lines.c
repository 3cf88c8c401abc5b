#include "link/sdk_lines.h"
#include "base/hash.h"
#include "base/time.h"
#include "base/whole.h"
#include "model/json.h"
#include "model/json_syntax.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char *const NAMES[LK_SDK_FIELDS] = {
    [LK_SDK_TS] = "ts",           [LK_SDK_CALL_ID] = "call_id",
    [LK_SDK_DURATION] = "duration_s", [LK_SDK_DURATION_MS] = "duration_ms",
    [LK_SDK_OUTCOME] = "outcome", [LK_SDK_ATTEMPTS] = "attempts",
    [LK_SDK_CLIENT] = "client",
};

/* ---- --sdk-keys ---- */

static size_t field_named(const char *name, size_t len)
{
    size_t f = 0;

    while (f < LK_SDK_FIELDS && !lk_slice_is((lk_slice){ name, len }, NAMES[f]))
        f++;
    return f;
}

static lk_code read_key(lk_sdk_lines *x, bool *given, const char *text, lk_err *e)
{
    const char *equals = strchr(text, '=');
    size_t f = equals ? field_named(text, (size_t)(equals - text)) : (size_t)LK_SDK_FIELDS;

    if (f == LK_SDK_FIELDS)
        return lk_fail(e, LK_EUSAGE,
                       "--sdk-keys: '%s' is not FIELD=KEY, with FIELD one of ts, call_id, duration_s, "
                       "duration_ms, outcome, attempts, client",
                       text);
    if (!equals[1] || strlen(equals + 1) >= LK_SDK_NAME_MAX)
        return lk_fail(e, LK_EUSAGE, "--sdk-keys: the key of '%s' has no byte, or more than %d", text,
                       LK_SDK_NAME_MAX - 1);
    if (given[f])
        return lk_fail(e, LK_EUSAGE, "--sdk-keys: %s is given twice", NAMES[f]);
    given[f] = true;
    x->keys[f] = equals + 1;
    return LK_OK;
}

static lk_code read_keys(lk_sdk_lines *x, const char *keys, lk_arena *arena, lk_err *e)
{
    bool given[LK_SDK_FIELDS] = { false };
    char *text = lk_arena_printf(arena, "%s", keys), *next;

    if (!text)
        return lk_fail(e, LK_EOOM, "no memory for '%s'", keys);
    for (; text; text = next) {
        next = strchr(text, ',');
        if (next)
            *next++ = '\0';
        LK_TRY(read_key(x, given, text, e));
    }
    return LK_OK;
}

lk_code lk_sdk_lines_init(lk_sdk_lines *x, const char *keys, int64_t since_ns, int64_t until_ns,
                          lk_sdk *calls, lk_arena *arena, lk_err *e)
{
    memset(x, 0, sizeof(*x));
    x->since_ns = since_ns;
    x->until_ns = until_ns;
    x->calls = calls;
    for (size_t f = 0; f < LK_SDK_FIELDS; f++)
        x->keys[f] = NAMES[f];
    lk_sdk_spans_init(&x->spans, since_ns, until_ns, calls);
    return keys ? read_keys(x, keys, arena, e) : LK_OK;
}

void lk_sdk_lines_release(lk_sdk_lines *x)
{
    lk_sdk_spans_release(&x->spans);
}

/* ---- a call of named values ---- */

/* A value as JSON or CSV has it; NULL text: absent, or no text. */
typedef struct cell {
    lk_slice text;
    double number; /* NAN: no number */
    bool is_true;
} cell;

enum { NUMBER_MAX = 40 };

static double number_of(lk_slice text)
{
    char room[NUMBER_MAX], *end;
    double x;

    if (!text.len || text.len >= sizeof(room) ||
        memchr(text.p, 'x', text.len) || memchr(text.p, 'X', text.len) || text.p[0] == ' ')
        return (double)NAN;
    memcpy(room, text.p, text.len);
    room[text.len] = '\0';
    x = strtod(room, &end);
    return *end == '\0' && isfinite(x) ? x : (double)NAN;
}

/* Seconds, milliseconds, microseconds or nanoseconds since the epoch: told by their size, since no two
 * of them meet within 1,000 years. */
static bool instant_of(double x, int64_t *at_ns)
{
    static const struct {
        double below, to_us;
    } UNITS[] = { { 1e11, 1e6 }, { 1e14, 1e3 }, { 1e17, 1 }, { 9.2e18, 1e-3 } };

    for (size_t i = 0; i < sizeof(UNITS) / sizeof(UNITS[0]); i++)
        if (x >= 0 && x < UNITS[i].below) {
            double us = x * UNITS[i].to_us;

            if (us > 9e15)
                return false;
            *at_ns = lk_nearest(us) * 1000;
            return true;
        }
    return false;
}

static bool is_good(const cell *outcome)
{
    static const char *const GOOD[] = { "ok", "OK", "success", "succeeded", "true" };

    for (size_t i = 0; i < sizeof(GOOD) / sizeof(GOOD[0]); i++)
        if (lk_slice_is(outcome->text, GOOD[i]))
            return true;
    return outcome->is_true;
}

static double span_of(const cell *cells)
{
    double s = cells[LK_SDK_DURATION].number, ms = cells[LK_SDK_DURATION_MS].number;

    return isnan(s) ? ms / 1e3 : s;
}

static uint64_t id_of(lk_slice text)
{
    uint64_t id = text.len ? lk_hash(text.p, text.len) : 0;

    return text.len && !id ? 1 : id;
}

static lk_code add_call(lk_sdk_lines *x, const cell *cells, lk_err *e)
{
    const cell *ts = &cells[LK_SDK_TS], *outcome = &cells[LK_SDK_OUTCOME];
    double attempts = cells[LK_SDK_ATTEMPTS].number;
    lk_sdk_call call = {
        .span_s = span_of(cells),
        .id = id_of(cells[LK_SDK_CALL_ID].text),
        .client = cells[LK_SDK_CLIENT].text,
    };

    if (!ts->text.len && isnan(ts->number))
        return lk_fail(e, LK_EDATA, "no call: it has no '%s', the time of its start",
                       x->keys[LK_SDK_TS]);
    if (!(ts->text.len && lk_time_rfc3339(ts->text, &call.at_ns, NULL)) &&
        !instant_of(ts->number, &call.at_ns))
        return lk_fail(e, LK_EDATA,
                       "no call: '%s' is neither Unix seconds nor a time such as "
                       "2026-11-30T04:00:00Z",
                       x->keys[LK_SDK_TS]);
    if (!outcome->text.len && !outcome->is_true && isnan(outcome->number))
        return lk_fail(e, LK_EDATA, "no call: it has no '%s' (ok, or what it failed with)",
                       x->keys[LK_SDK_OUTCOME]);
    call.attempts = attempts >= 1 && attempts < 1e9 ? (uint64_t)attempts : 1;
    call.failed = !is_good(outcome);
    return lk_sdk_add(x->calls, &call, x->since_ns, x->until_ns, e);
}

/* ---- JSON lines ---- */

/* The key as it stands, or a path of keys with dots. */
static const lk_json *member(const lk_json *object, const char *path)
{
    const lk_json *value = lk_json_get(object, path);
    char head[LK_SDK_NAME_MAX];
    const char *dot;

    if (value)
        return value;
    for (; (dot = strchr(path, '.')) && object; path = dot + 1) {
        size_t len = (size_t)(dot - path) < sizeof(head) ? (size_t)(dot - path) : 0;

        memcpy(head, path, len);
        head[len] = '\0';
        object = lk_json_get(object, head);
    }
    return object ? lk_json_get(object, path) : NULL;
}

static lk_code take_json(lk_sdk_lines *x, const lk_json *object, lk_err *e)
{
    cell cells[LK_SDK_FIELDS];
    bool truth;

    for (size_t f = 0; f < LK_SDK_FIELDS; f++) {
        const lk_json *value = member(object, x->keys[f]);

        cells[f] = (cell){ .number = (double)NAN };
        (void)lk_json_text(value, &cells[f].text);
        (void)lk_json_number(value, &cells[f].number);
        cells[f].is_true = lk_json_truth(value, &truth) && truth;
        if (lk_json_truth(value, &truth) && !truth)
            cells[f].text = lk_slice_from("false");
    }
    return add_call(x, cells, e);
}

static lk_code parse(lk_sdk_lines *x, lk_slice line, lk_err *e)
{
    lk_json *root = lk_json_parse(line);
    const lk_json *spans = lk_json_get(root, "resourceSpans");
    lk_code code;

    if (!root && lk_json_syntax(line))
        return lk_fail(e, LK_EOOM, "no memory for a call");
    if (!root)
        return lk_fail(e, LK_EDATA, "no call: this is not a JSON object");
    code = spans ? lk_sdk_spans_take(&x->spans, spans, e) : take_json(x, root, e);
    lk_json_free(root);
    return code;
}

/* ---- CSV ---- */

static lk_code split_quoted(lk_slice *rest, char separator, lk_slice *out, lk_err *e)
{
    size_t i = 1;

    while (i < rest->len && !(rest->p[i] == '"' && (i + 1 == rest->len || rest->p[i + 1] != '"')))
        i += rest->p[i] == '"' ? 2 : 1;
    if (i >= rest->len || (i + 1 < rest->len && rest->p[i + 1] != separator))
        return lk_fail(e, LK_EDATA, "no call: a quote in this CSV line is not closed");
    *out = (lk_slice){ rest->p + 1, i - 1 };
    *rest = lk_slice_skip(*rest, i + 1);
    return LK_OK;
}

/* A quote inside a quoted value stays doubled: no value that is compared has one. */
static lk_code split(lk_slice line, char separator, lk_slice *out, size_t *count, lk_err *e)
{
    lk_slice rest = line;

    for (*count = 0;; rest = lk_slice_skip(rest, 1)) {
        const char *end = rest.len ? memchr(rest.p, separator, rest.len) : NULL;
        size_t len = end ? (size_t)(end - rest.p) : rest.len;

        if (*count == LK_SDK_COLUMNS)
            return lk_fail(e, LK_EDATA, "no call: more than %d columns", LK_SDK_COLUMNS);
        if (rest.len && rest.p[0] == '"') {
            LK_TRY(split_quoted(&rest, separator, &out[(*count)++], e));
        } else {
            out[(*count)++] = (lk_slice){ rest.p, len };
            rest = lk_slice_skip(rest, len);
        }
        if (!rest.len)
            return LK_OK;
    }
}

static char separator_of(lk_slice line)
{
    static const char KNOWN[] = ",;\t";

    for (size_t i = 0; i < sizeof(KNOWN) - 1; i++)
        if (memchr(line.p, KNOWN[i], line.len))
            return KNOWN[i];
    return ',';
}

static lk_code take_header(lk_sdk_lines *x, lk_slice line, lk_err *e)
{
    lk_slice names[LK_SDK_COLUMNS];
    size_t count;

    x->separator = separator_of(line);
    LK_TRY(split(line, x->separator, names, &count, e));
    for (size_t f = 0; f < LK_SDK_FIELDS; f++) {
        x->column[f] = -1;
        for (size_t i = 0; i < count && x->column[f] < 0; i++)
            if (lk_slice_is(names[i], x->keys[f]))
                x->column[f] = (int)i;
    }
    if (x->column[LK_SDK_TS] < 0 || x->column[LK_SDK_OUTCOME] < 0)
        return lk_fail(e, LK_EDATA, "neither JSON nor the header of a CSV: no column '%s'",
                       x->keys[x->column[LK_SDK_TS] < 0 ? LK_SDK_TS : LK_SDK_OUTCOME]);
    x->column_count = count;
    return LK_OK;
}

static lk_code take_row(lk_sdk_lines *x, lk_slice line, lk_err *e)
{
    lk_slice values[LK_SDK_COLUMNS];
    cell cells[LK_SDK_FIELDS] = { 0 };
    size_t count;

    LK_TRY(split(line, x->separator, values, &count, e));
    if (count != x->column_count)
        return lk_fail(e, LK_EDATA, "no call: %zu columns, where the header has %zu", count,
                       x->column_count);
    for (size_t f = 0; f < LK_SDK_FIELDS; f++) {
        cells[f] = (cell){ .number = (double)NAN };
        if (x->column[f] < 0)
            continue;
        cells[f].text = values[x->column[f]];
        cells[f].number = number_of(cells[f].text);
    }
    return add_call(x, cells, e);
}

/* ---- lines ---- */

static lk_code take(lk_sdk_lines *x, lk_slice line, lk_err *e)
{
    if (line.p[0] == '{')
        return parse(x, line, e);
    return x->column_count ? take_row(x, line, e) : take_header(x, line, e);
}

lk_code lk_sdk_lines_take(lk_sdk_lines *x, lk_slice line, lk_err *e)
{
    lk_code code;

    while (line.len && (line.p[0] == ' ' || line.p[0] == '\t') && !x->column_count)
        line = lk_slice_skip(line, 1);
    if (!line.len)
        return LK_OK;
    x->lines++;
    code = take(x, line, e);
    x->rejected += code == LK_EDATA;
    return code;
}

lk_code lk_sdk_lines_end(lk_sdk_lines *x, lk_err *e)
{
    return lk_sdk_spans_end(&x->spans, e);
}
