#include "model/json.h"

#include "base/number.h"
#include "base/time.h"

#include <cjson/cJSON.h>
#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Set on a node below which something could not be added; cJSON looks at the low bits only. */
enum { INCOMPLETE = 1 << 20, KIND_MASK = 0xff };

static cJSON *node(lk_json *v)
{
    return (cJSON *)v;
}

static const cJSON *const_node(const lk_json *v)
{
    return (const cJSON *)v;
}

static bool is_space(const char *p, const char *end)
{
    for (; p < end; p++)
        if (*p != ' ' && *p != '\t' && *p != '\r' && *p != '\n')
            return false;
    return true;
}

lk_json *lk_json_parse(lk_slice text)
{
    const char *end = NULL;
    cJSON *root;

    if (text.len == 0)
        return NULL;
    root = cJSON_ParseWithLengthOpts(text.p, text.len, &end, 0);
    if (root && !is_space(end, text.p + text.len)) {
        cJSON_Delete(root);
        return NULL;
    }
    return (lk_json *)root;
}

size_t lk_json_bad_at(lk_slice text)
{
    const char *end = NULL;
    cJSON *root = text.len > 0 ? cJSON_ParseWithLengthOpts(text.p, text.len, &end, 0) : NULL;

    cJSON_Delete(root);
    return end && end >= text.p && end < text.p + text.len ? (size_t)(end - text.p) : text.len;
}

void lk_json_free(lk_json *root)
{
    cJSON_Delete(node(root));
}

/* ---- reading ---- */

const lk_json *lk_json_get(const lk_json *object, const char *key)
{
    const cJSON *v = cJSON_GetObjectItemCaseSensitive(const_node(object), key);

    return v && !cJSON_IsNull(v) ? (const lk_json *)v : NULL;
}

const lk_json *lk_json_first(const lk_json *array_or_object)
{
    return array_or_object ? (const lk_json *)const_node(array_or_object)->child : NULL;
}

const lk_json *lk_json_next(const lk_json *value)
{
    return value ? (const lk_json *)const_node(value)->next : NULL;
}

const char *lk_json_key(const lk_json *member)
{
    return member ? const_node(member)->string : NULL;
}

bool lk_json_text(const lk_json *value, lk_slice *out)
{
    if (!cJSON_IsString(const_node(value)))
        return false;
    *out = lk_slice_from(const_node(value)->valuestring);
    return true;
}

/* strtod alone would take "0x10", "inf" and leading blanks as well. */
static bool decimal(const char *text, double *out)
{
    char *end = NULL;
    double x;

    if (text[0] == '\0' || text[strspn(text, "0123456789+-.eE")] != '\0')
        return false;
    x = strtod(text, &end);
    if (end == text || *end != '\0' || !isfinite(x))
        return false;
    *out = x;
    return true;
}

bool lk_json_number(const lk_json *value, double *out)
{
    const cJSON *v = const_node(value);

    if (cJSON_IsString(v))
        return decimal(v->valuestring, out);
    if (!cJSON_IsNumber(v) || !isfinite(v->valuedouble))
        return false;
    *out = v->valuedouble;
    return true;
}

bool lk_json_truth(const lk_json *value, bool *out)
{
    if (!cJSON_IsBool(const_node(value)))
        return false;
    *out = cJSON_IsTrue(const_node(value));
    return true;
}

bool lk_json_is_object(const lk_json *value)
{
    return cJSON_IsObject(const_node(value));
}

bool lk_json_is_array(const lk_json *value)
{
    return cJSON_IsArray(const_node(value));
}

bool lk_json_is_null(const lk_json *value)
{
    return !value || cJSON_IsNull(const_node(value));
}

/* ---- writing ---- */

/* Hands `item` to its parent; a loss is remembered there, for lk_json_print to find. */
static lk_json *attach(lk_json *parent, const char *key, cJSON *item)
{
    cJSON *to = node(parent);
    cJSON_bool added = 0;

    if (to && item)
        added = key ? cJSON_AddItemToObject(to, key, item) : cJSON_AddItemToArray(to, item);
    if (added)
        return (lk_json *)item;
    if (to)
        to->type |= INCOMPLETE;
    cJSON_Delete(item);
    return NULL;
}

lk_json *lk_json_object(lk_json *parent, const char *key)
{
    cJSON *item = cJSON_CreateObject();

    return parent || key ? attach(parent, key, item) : (lk_json *)item;
}

lk_json *lk_json_array(lk_json *parent, const char *key)
{
    return attach(parent, key, cJSON_CreateArray());
}

void lk_json_add_text(lk_json *parent, const char *key, const char *text)
{
    (void)attach(parent, key, text ? cJSON_CreateString(text) : cJSON_CreateNull());
}

/* cJSON's numbers are doubles; digits that must arrive as they are go in raw. */
void lk_json_add_count(lk_json *parent, const char *key, int64_t value)
{
    char text[LK_NUMBER_TEXT];

    lk_number_count(text, value);
    (void)attach(parent, key, cJSON_CreateRaw(text));
}

void lk_json_add_count_or_null(lk_json *parent, const char *key, int64_t value)
{
    if (value < 0)
        lk_json_add_null(parent, key);
    else
        lk_json_add_count(parent, key, value);
}

void lk_json_add_real(lk_json *parent, const char *key, double value)
{
    char text[LK_NUMBER_TEXT];

    if (!isfinite(value)) {
        lk_json_add_null(parent, key);
        return;
    }
    lk_number_six(text, value == 0.0 ? 0.0 : value); /* no "-0" */
    (void)attach(parent, key, cJSON_CreateRaw(text));
}

void lk_json_add_bool(lk_json *parent, const char *key, bool value)
{
    (void)attach(parent, key, cJSON_CreateBool(value));
}

void lk_json_add_null(lk_json *parent, const char *key)
{
    (void)attach(parent, key, cJSON_CreateNull());
}

void lk_json_add_time(lk_json *parent, const char *key, int64_t at_ns)
{
    char text[64];

    if (at_ns == LK_TIME_NONE) {
        lk_json_add_null(parent, key);
        return;
    }
    lk_time_format(at_ns, text);
    lk_json_add_text(parent, key, text);
}

/* ---- printing ---- */

static bool is_complete(const cJSON *v)
{
    const cJSON *child;

    if (v->type & INCOMPLETE)
        return false;
    cJSON_ArrayForEach (child, v)
        if (!is_complete(child))
            return false;
    return true;
}

/* '<' as well, so that no browser finds a tag in a report that is served by mistake. */
static void print_text(const char *text, lk_buf *out)
{
    const char *p, *from = text; /* what stands for itself goes out at once */

    lk_buf_text(out, "\"");
    for (p = text; *p; p++) {
        unsigned char c = (unsigned char)*p;

        if (c != '"' && c != '\\' && c != '<' && !iscntrl(c))
            continue;
        lk_buf_add(out, from, (size_t)(p - from));
        from = p + 1;
        if (c == '"' || c == '\\')
            lk_buf_printf(out, "\\%c", c);
        else
            lk_buf_printf(out, "\\u%04x", c);
    }
    lk_buf_add(out, from, (size_t)(p - from));
    lk_buf_text(out, "\"");
}

static void print_number(double x, lk_buf *out)
{
    char text[32];

    (void)snprintf(text, sizeof(text), "%.15g", x);
    if (strtod(text, NULL) < x || strtod(text, NULL) > x)
        (void)snprintf(text, sizeof(text), "%.17g", x);
    lk_buf_text(out, isfinite(x) ? text : "null");
}

static bool is_flat(const cJSON *array)
{
    const cJSON *child;

    cJSON_ArrayForEach (child, array)
        if (cJSON_IsString(child) || cJSON_IsArray(child) || cJSON_IsObject(child))
            return false;
    return true;
}

static void print_value(const cJSON *v, size_t depth, lk_buf *out);

static void print_flat(const cJSON *array, lk_buf *out)
{
    const cJSON *child;

    lk_buf_text(out, "[");
    cJSON_ArrayForEach (child, array) {
        print_value(child, 0, out);
        if (child->next)
            lk_buf_text(out, ", ");
    }
    lk_buf_text(out, "]");
}

static void print_members(const cJSON *v, size_t depth, lk_buf *out)
{
    const cJSON *child;

    cJSON_ArrayForEach (child, v) {
        lk_buf_fill(out, ' ', 2 * (depth + 1));
        if (child->string) {
            print_text(child->string, out);
            lk_buf_text(out, ": ");
        }
        print_value(child, depth + 1, out);
        lk_buf_text(out, child->next ? ",\n" : "\n");
    }
    lk_buf_fill(out, ' ', 2 * depth);
}

static void print_container(const cJSON *v, size_t depth, lk_buf *out)
{
    bool array = cJSON_IsArray(v);

    if (array && is_flat(v)) {
        print_flat(v, out);
        return;
    }
    if (!v->child) {
        lk_buf_text(out, "{}");
        return;
    }
    lk_buf_text(out, array ? "[\n" : "{\n");
    print_members(v, depth, out);
    lk_buf_text(out, array ? "]" : "}");
}

static void print_value(const cJSON *v, size_t depth, lk_buf *out)
{
    switch (v->type & KIND_MASK) {
    case cJSON_False: lk_buf_text(out, "false"); break;
    case cJSON_True: lk_buf_text(out, "true"); break;
    case cJSON_Number: print_number(v->valuedouble, out); break;
    case cJSON_String: print_text(v->valuestring, out); break;
    case cJSON_Raw: lk_buf_text(out, v->valuestring); break;
    case cJSON_Array:
    case cJSON_Object: print_container(v, depth, out); break;
    default: lk_buf_text(out, "null"); break;
    }
}

lk_code lk_json_print(const lk_json *root, lk_buf *out, lk_err *e)
{
    if (!root || !is_complete(const_node(root)))
        return lk_fail(e, LK_EOOM, "no memory for a JSON document");
    print_value(const_node(root), 0, out);
    lk_buf_text(out, "\n");
    if (out->failed)
        return lk_fail(e, LK_EOOM, "no memory to print a JSON document");
    return LK_OK;
}

void lk_json_library(char *out)
{
    (void)snprintf(out, 32, "cJSON %s", cJSON_Version());
}
