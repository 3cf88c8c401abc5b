#include "report/read.h"

#include "model/json.h"
#include "model/json_syntax.h"
#include "report/read_part.h"
#include "report/render.h"

#include <math.h>
#include <string.h>

#define COUNT_MAX 9007199254740992.0 /* 2^53: a double holds every count up to it */

/* ---- single values ---- */

static void fail(lk_reader *rd, const char *key, const char *what)
{
    if (rd->code == LK_OK)
        rd->code = lk_fail(rd->e, LK_EDATA, "'%.40s' is not %s", key ? key : "a report", what);
}

static void no_memory(lk_reader *rd)
{
    if (rd->code == LK_OK)
        rd->code = lk_fail(rd->e, LK_EOOM, "no memory for a report");
}

static const char *text_of(lk_reader *rd, const lk_json *v, const char *key)
{
    const char *text;
    lk_slice s;

    if (!v)
        return NULL;
    if (!lk_json_text(v, &s)) {
        fail(rd, key, "a text");
        return NULL;
    }
    text = lk_arena_text(rd->arena, s);
    if (!text)
        no_memory(rd);
    return text;
}

static double real_of(lk_reader *rd, const lk_json *v, const char *key)
{
    double x;
    lk_slice s;

    if (!v)
        return (double)NAN;
    if (lk_json_text(v, &s) || !lk_json_number(v, &x)) {
        fail(rd, key, "a number");
        return (double)NAN;
    }
    return x;
}

static int64_t count_of(lk_reader *rd, const lk_json *v, const char *key)
{
    double x = real_of(rd, v, key);

    if (!isfinite(x))
        return LK_COUNT_NONE;
    if (x < 0 || x > COUNT_MAX || floor(x) < x) {
        fail(rd, key, "a count");
        return LK_COUNT_NONE;
    }
    return (int64_t)x;
}

static int64_t time_of(lk_reader *rd, const lk_json *v, const char *key)
{
    int64_t at_ns;
    bool fraction;
    lk_slice s;

    if (!v)
        return LK_TIME_NONE;
    if (!lk_json_text(v, &s) || !lk_time_rfc3339(s, &at_ns, &fraction)) {
        fail(rd, key, "an instant");
        return LK_TIME_NONE;
    }
    return at_ns;
}

static lk_known known_of(lk_reader *rd, const lk_json *v, const char *key)
{
    bool is_true;

    if (!v)
        return LK_NOT_KNOWN;
    if (!lk_json_truth(v, &is_true)) {
        fail(rd, key, "true or false");
        return LK_NOT_KNOWN;
    }
    return is_true ? LK_YES : LK_NO;
}

/* ---- objects by rows ---- */

static void put(lk_reader *rd, const lk_json *v, const lk_field *f, char *to)
{
    void *at = to + f->offset;

    switch (f->kind) {
    case LK_FIELD_TEXT: *(const char **)at = text_of(rd, v, f->key); break;
    case LK_FIELD_COUNT: *(int64_t *)at = count_of(rd, v, f->key); break;
    case LK_FIELD_REAL: *(double *)at = real_of(rd, v, f->key); break;
    case LK_FIELD_LOG: *(double *)at = log(real_of(rd, v, f->key)); break;
    case LK_FIELD_TIME: *(int64_t *)at = time_of(rd, v, f->key); break;
    case LK_FIELD_KNOWN: *(lk_known *)at = known_of(rd, v, f->key); break;
    case LK_FIELD_BOOL: *(bool *)at = known_of(rd, v, f->key) == LK_YES; break;
    }
}

void lk_read_fields(lk_reader *rd, const lk_json *o, const lk_field *fields, void *to)
{
    for (; fields->key; fields++)
        put(rd, lk_json_get(o, fields->key), fields, to);
}

const lk_json *lk_read_object(lk_reader *rd, const lk_json *o, const char *key)
{
    const lk_json *v = lk_json_get(o, key);

    if (v && !lk_json_is_object(v)) {
        fail(rd, key, "an object");
        return NULL;
    }
    return v;
}

void *lk_read_array(lk_reader *rd, const lk_json *o, const char *key, size_t max, size_t size,
                    const lk_json **first, size_t *count)
{
    const lk_json *v = lk_json_get(o, key);
    size_t n = 0;
    void *list;

    *first = NULL;
    *count = 0;
    if (!v)
        return NULL;
    if (!lk_json_is_array(v)) {
        fail(rd, key, "an array");
        return NULL;
    }
    for (const lk_json *i = lk_json_first(v); i; i = lk_json_next(i))
        n++;
    if (n > max) {
        fail(rd, key, "as short as a report has it");
        return NULL;
    }
    list = lk_alloc(rd->arena, n ? n : 1, size);
    if (!list) {
        no_memory(rd);
        return NULL;
    }
    *first = lk_json_first(v);
    *count = n;
    return list;
}

const char **lk_read_texts(lk_reader *rd, const lk_json *o, const char *key, size_t *count)
{
    const lk_json *v;
    const char **list =
        lk_read_array(rd, o, key, LK_READ_ROWS_MAX, sizeof(*list), &v, count);

    for (size_t i = 0; list && i < *count; i++, v = lk_json_next(v))
        list[i] = text_of(rd, lk_json_is_null(v) ? NULL : v, key);
    return list;
}

uint32_t *lk_read_bins(lk_reader *rd, const lk_json *o, const char *key, size_t *count)
{
    const lk_json *v;
    uint32_t *list = lk_read_array(rd, o, key, LK_ARRIVALS_MAX, sizeof(*list), &v, count);

    for (size_t i = 0; list && i < *count; i++, v = lk_json_next(v)) {
        int64_t bin = count_of(rd, v, key);

        if (bin < 0 || bin > UINT32_MAX)
            fail(rd, key, "an array of counts");
        list[i] = bin < 0 ? 0 : (uint32_t)bin;
    }
    return list;
}

double *lk_read_reals(lk_reader *rd, const lk_json *o, const char *key, size_t max, size_t *count)
{
    const lk_json *v;
    double *list = lk_read_array(rd, o, key, max, sizeof(*list), &v, count);

    for (size_t i = 0; list && i < *count; i++, v = lk_json_next(v))
        list[i] = real_of(rd, lk_json_is_null(v) ? NULL : v, key);
    return list;
}

void lk_read_equal(lk_reader *rd, const char *key, size_t a, size_t b)
{
    if (a != b)
        fail(rd, key, "as long as the array beside it");
}

void lk_read_sound(lk_reader *rd, const char *key, bool is_sound, const char *otherwise)
{
    if (!is_sound && rd->code == LK_OK)
        rd->code = lk_fail(rd->e, LK_EDATA, "the report is damaged: '%s' %s; analyze the log again", key,
                           otherwise);
}

void lk_read_need(lk_reader *rd, const char *key, const void *value)
{
    if (!value)
        fail(rd, key, "there");
}

/* ---- the whole ---- */

static void check_schema(lk_reader *rd, const lk_json *root)
{
    const lk_json *v = lk_json_is_object(root) ? lk_json_get(root, "schema") : NULL;
    lk_slice name;

    if (!v || !lk_json_text(v, &name))
        rd->code = lk_fail(rd->e, LK_EDATA, "not a report of lockstep: it names no schema");
    else if (!lk_slice_is(name, "lockstep.report/1"))
        rd->code = lk_fail(rd->e, LK_EDATA,
                           "the report keeps another schema than lockstep.report/1");
}

lk_code lk_report_read(lk_slice text, lk_arena *arena, lk_report *out, lk_err *e)
{
    lk_json *root = lk_json_parse(text);
    lk_reader rd = { arena, out, LK_OK, e };

    if (!root && lk_json_syntax(text))
        return lk_fail(e, LK_EOOM, "no memory to read a report");
    if (!root)
        return lk_fail(e, LK_EDATA, "not a report: the JSON is damaged");
    lk_report_init(out);
    check_schema(&rd, root);
    for (size_t i = 0; rd.code == LK_OK && LK_READ_PARTS[i]; i++)
        LK_READ_PARTS[i](&rd, root);
    lk_json_free(root);
    if (arena->failed) /* what is missing then is not the document's fault */
        return lk_fail(e, LK_EOOM, "no memory for a report");
    return rd.code;
}

lk_code lk_report_settle(lk_report *r, lk_arena *arena, lk_err *e)
{
    const lk_style style = { 80, false, false, NULL };
    lk_report settled;
    lk_code code;
    lk_buf text;

    lk_buf_init(&text);
    code = lk_render(r, "json", &style, &text, e);
    if (code == LK_OK)
        code = lk_report_read((lk_slice){ text.p, text.len }, arena, &settled, e);
    lk_buf_release(&text);
    if (code == LK_OK)
        *r = settled;
    return code;
}
