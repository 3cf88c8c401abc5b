/* format/w3c_columns — what each column of a W3C extended log is, as a #Fields line says.
 *
 * Shapes: a set of those lines keeps four, which depend neither on their order nor on their number;
 *         unused places have a count of 0 and come last.
 * Owner:  plain data.
 * Source: W3C working draft WD-logfile-960323; IIS and CloudFront for the names.  */
#ifndef LK_FORMAT_W3C_COLUMNS_H
#define LK_FORMAT_W3C_COLUMNS_H

#include "base/slice.h"

#include <stdbool.h>
#include <stdint.h>

enum { LK_W3C_COLUMNS_MAX = 64, LK_W3C_SET_MAX = 4 };

typedef enum lk_w3c_role {
    LK_W3C_IGNORE = 0,
    LK_W3C_DATE,
    LK_W3C_TIME,
    LK_W3C_CALLER,
    LK_W3C_FORWARDED, /* X-Forwarded-For: the caller of a line without one */
    LK_W3C_METHOD,
    LK_W3C_TARGET,
    LK_W3C_STATUS,
    LK_W3C_WIN32,
    LK_W3C_TOOK,
    LK_W3C_AGENT,
    LK_W3C_HOST,
    LK_W3C_ASKED_HOST, /* before CloudFront put its own name in its place */
    LK_W3C_EDGE_RESULT,
    LK_W3C_ATTEMPT,
    LK_W3C_RETRIES,
    LK_W3C_RETRY_AFTER,
    LK_W3C_RETRY_AFTER_MS,
    LK_W3C_QUERY,
    LK_W3C_ROLES,
    LK_W3C_ID = LK_W3C_ROLES /* and the number of the id, see format/json_keys.h */
} lk_w3c_role;

typedef struct lk_w3c_columns {
    uint8_t count; /* 0 = no #Fields line yet, or one of more columns than fit */
    bool is_edge;  /* CloudFront's */
    uint8_t roles[LK_W3C_COLUMNS_MAX];
} lk_w3c_columns;

typedef struct lk_w3c_set {
    lk_w3c_columns items[LK_W3C_SET_MAX];
} lk_w3c_set;

void lk_w3c_set_add(lk_w3c_set *set, const lk_w3c_columns *columns);

/* The names behind "#Fields:". */
void lk_w3c_columns_of(lk_slice names, lk_w3c_columns *out);

#endif
