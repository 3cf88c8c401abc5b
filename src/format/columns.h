/* format/columns — the further columns of a combined line and what they mean.
 *
 * Columns stand between single blanks: "quoted", [bracketed], key=value, key="value" or bare.  The
 * lists of nginx's upstream variables ("a, b" and "a : b") are one column.
 *
 * Roles are learned over the peeked lines: see lk_columns_decide.  A column that was '-' on all of
 * them is told by its value once it has one, where the value leaves no doubt.
 *
 * Owner:  slices point into the line.
 * Source: ours; nginx log and upstream modules for the forms.  */
#ifndef LK_FORMAT_COLUMNS_H
#define LK_FORMAT_COLUMNS_H

#include "format/clf.h"
#include "format/layout.h"

typedef struct lk_column {
    lk_slice key; /* len 0 = none */
    lk_slice value;
    bool quoted;
    bool bracketed;
} lk_column;

typedef struct lk_columns {
    size_t count; /* LK_COLUMNS_MAX + 1: more than fit */
    lk_column items[LK_COLUMNS_MAX];
} lk_columns;

/* False when the tail makes no sense: a quote in the middle of a bare column, or one that never
 * closes.  Looks no further than the last column that fits. */
bool lk_columns_split(lk_slice tail, lk_columns *out);
/* The same, slower: without a look at whether columns are as plain as most. */
bool lk_columns_split_careful(lk_slice tail, lk_columns *out);

/* A number that is the line's status once more ($upstream_status) and counts nothing. */
bool lk_column_is_status(lk_slice v, unsigned status);

/* Splits the tail of a line, giving raw quotes back to the agent when need be. */
void lk_columns_of(lk_clf *clf, lk_columns *out);

/* For lk_format.each: keys, and "column N" of the whole line. */
void lk_columns_each(const lk_layout *l, lk_parse_cache *c, lk_slice line, lk_field_visit *visit,
                     void *ctx);

/* Fills what the columns say; `stamp_ns` and `status` of *out are set before, the stamp is
 * corrected by $msec. */
void lk_columns_read(const lk_layout *l, const lk_columns *columns, lk_parse_cache *c,
                     lk_fields *out);

/* The same for one line of the peek, where no role is known yet: gives stamp and duration. */
void lk_columns_observe(lk_sniffer *s, const lk_clf *clf, const lk_columns *columns,
                        lk_fields *out);

void lk_columns_decide(const lk_sniffer *s, lk_layout *out);
/* What a column is read as, for people; "" = as nothing. */
const char *lk_role_words(lk_role role);
/* May "word:value" be a key and its value?  A word of those that say a duration, an id, an attempt and the
 * like; not "host", which stands before a port too. */
bool lk_column_is_key(lk_slice word);
/* The unit of a duration that a key says; 0 = it is no duration, or its unit is not said. */
int64_t lk_column_key_unit_ns(lk_slice key);
/* Whole microseconds, as a column behind it shows: the same in seconds or milliseconds. */
bool lk_column_is_us(const lk_column_stats *stats);
/* The log of ingress-nginx, whose columns are known. */
bool lk_columns_are_ingress(const lk_columns *columns);
void lk_columns_decide_ingress(const lk_sniffer *s, lk_layout *out);

/* Takes the column of that key, or "column N" of the whole line, for the caller; false: none such. */
/* The same for the id of a call or task, which gets a slot, and for the counter of attempts. */
bool lk_columns_pick_id(const lk_sniffer *s, const char *name, lk_layout *out);
bool lk_columns_pick_attempt(const lk_sniffer *s, const char *name, lk_layout *out);
bool lk_columns_pick_caller(const lk_sniffer *s, const char *name, lk_layout *out);
bool lk_columns_are_alike(const lk_sniffer *a, const lk_sniffer *b);

#endif
