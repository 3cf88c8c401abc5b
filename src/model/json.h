/* model/json — reading and writing JSON documents; the only place that knows cJSON.
 *
 * Not for the hot path of lines.  Numbers are written with 6 significant digits, integers in full.
 * Owner:  a document is freed whole by lk_json_free(root); children belong to it.
 * Errors: builders give NULL (or do nothing on a NULL parent) when memory runs out; lk_json_print
 *         then returns EOOM, so one check at the end suffices.  lk_json_parse gives NULL on bad JSON, and
 *         on JSON where memory runs out: model/json_syntax tells the two apart.
 * Source: RFC 8259; cJSON 1.7.  */
#ifndef LK_MODEL_JSON_H
#define LK_MODEL_JSON_H

#include "base/buf.h"
#include "base/err.h"
#include "base/slice.h"

#include <stdint.h>

typedef struct lk_json lk_json;

lk_json *lk_json_parse(lk_slice text);
/* Of what lk_json_parse refuses: the byte that it stops at; text.len where it ends too early. */
size_t lk_json_bad_at(lk_slice text);
void lk_json_free(lk_json *root);

/* Reading: `key` is looked up as it stands; NULL when absent or when the value is null. */
const lk_json *lk_json_get(const lk_json *object, const char *key);
const lk_json *lk_json_first(const lk_json *array_or_object);
const lk_json *lk_json_next(const lk_json *value);
const char *lk_json_key(const lk_json *member); /* NULL in arrays */
bool lk_json_text(const lk_json *value, lk_slice *out);    /* a string */
bool lk_json_number(const lk_json *value, double *out);    /* a number, or a string that is one */
bool lk_json_truth(const lk_json *value, bool *out);       /* true or false */

bool lk_json_is_object(const lk_json *value);
bool lk_json_is_array(const lk_json *value);
bool lk_json_is_null(const lk_json *value); /* null, or absent */

/* Writing. key NULL appends to an array. */
lk_json *lk_json_object(lk_json *parent, const char *key); /* parent NULL: a root */
lk_json *lk_json_array(lk_json *parent, const char *key);
void lk_json_add_text(lk_json *parent, const char *key, const char *text); /* NULL text: null */
void lk_json_add_count(lk_json *parent, const char *key, int64_t value);   /* as digits */
void lk_json_add_count_or_null(lk_json *parent, const char *key, int64_t value); /* negative: null */
void lk_json_add_real(lk_json *parent, const char *key, double value);     /* NAN, inf: null; "%.6g" */
void lk_json_add_bool(lk_json *parent, const char *key, bool value);
void lk_json_add_null(lk_json *parent, const char *key);
void lk_json_add_time(lk_json *parent, const char *key, int64_t at_ns);    /* LK_TIME_NONE: null */

/* Appends the document, indented by two spaces, arrays of numbers on one line; ends in a newline. */
LK_MUST_CHECK lk_code lk_json_print(const lk_json *root, lk_buf *out, lk_err *e);

/* "cJSON 1.7.15": the library in use at run time; out holds at least 32 bytes. */
void lk_json_library(char *out);

#endif
