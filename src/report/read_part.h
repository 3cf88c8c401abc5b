/* report/read_part — objects of the JSON report by rows of their keys, and what reads each part.
 *
 * Errors: the first one is kept in rd->code and rd->e; what follows it is null.  */
#ifndef LK_REPORT_READ_PART_H
#define LK_REPORT_READ_PART_H

#include "base/arena.h"
#include "model/json.h"
#include "model/report.h"

#include <stddef.h>

enum { LK_READ_ROWS_MAX = 200000 };

typedef struct lk_reader {
    lk_arena *arena;
    lk_report *report;
    lk_code code;
    lk_err *e;
} lk_reader;

typedef enum lk_field_kind {
    LK_FIELD_TEXT,  /* const char *; null: NULL            */
    LK_FIELD_COUNT, /* int64_t; null: LK_COUNT_NONE        */
    LK_FIELD_REAL,  /* double; null: NAN                   */
    LK_FIELD_LOG,   /* double, of which the logarithm      */
    LK_FIELD_TIME,  /* int64_t; null: LK_TIME_NONE         */
    LK_FIELD_KNOWN, /* lk_known; null: LK_NOT_KNOWN        */
    LK_FIELD_BOOL   /* bool; null: false                   */
} lk_field_kind;

typedef struct lk_field {
    const char *key;
    lk_field_kind kind;
    size_t offset;
} lk_field;

/* Rows of lk_field; short, since the tables of the two readers are made of nothing else. */
#define F(type, kind, key, member) { key, LK_FIELD_##kind, offsetof(type, member) }
#define END_FIELDS { NULL, LK_FIELD_TEXT, 0 }

/* Reads every row's key of `o` (NULL: all null) into the struct at `to`. */
void lk_read_fields(lk_reader *rd, const lk_json *o, const lk_field *fields, void *to);
const lk_json *lk_read_object(lk_reader *rd, const lk_json *o, const char *key); /* or NULL */
/* Zeroed room for the array's items, the first of them, and their number; NULL for null. */
void *lk_read_array(lk_reader *rd, const lk_json *o, const char *key, size_t max, size_t size,
                    const lk_json **first, size_t *count);
const char **lk_read_texts(lk_reader *rd, const lk_json *o, const char *key, size_t *count);
uint32_t *lk_read_bins(lk_reader *rd, const lk_json *o, const char *key, size_t *count);
double *lk_read_reals(lk_reader *rd, const lk_json *o, const char *key, size_t max, size_t *count);
/* Fails unless the two arrays are equally long; unless there is a value. */
void lk_read_equal(lk_reader *rd, const char *key, size_t a, size_t b);
void lk_read_need(lk_reader *rd, const char *key, const void *value);
/* What a figure must be for the others to mean anything; `otherwise` says what it is instead. */
void lk_read_sound(lk_reader *rd, const char *key, bool is_sound, const char *otherwise);

/* read_workload.c */
void lk_read_workload(lk_reader *rd, const lk_json *root);
void lk_read_expected(lk_reader *rd, const lk_json *advice, lk_report_expected *x);

extern void (*const LK_READ_PARTS[])(lk_reader *rd, const lk_json *root); /* read_part.c */

#endif
