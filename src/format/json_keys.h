/* format/json_keys — which member of a JSON line says what.
 *
 * Keys are compared in lower case with '_' for '-' and before capitals ("X-Request-ID", "requestId"
 * are "request_id" and its like), and once more without a leading "http_", nginx's name for a
 * request header.  Of several keys for one field the first row that has a value counts.
 *
 * Source: nginx log variables; keys in use by application servers; FORMATS of this project.  */
#ifndef LK_FORMAT_JSON_KEYS_H
#define LK_FORMAT_JSON_KEYS_H

#include "base/slice.h"

#include <stdbool.h>
#include <stdint.h>

typedef enum lk_jsonl_field {
    LK_JSONL_MSEC = 0, /* the exact end */
    LK_JSONL_TIME,
    LK_JSONL_CALLER,
    LK_JSONL_METHOD,
    LK_JSONL_TARGET,
    LK_JSONL_REQUEST, /* "GET / HTTP/1.1" */
    LK_JSONL_STATUS,
    LK_JSONL_TOOK,
    LK_JSONL_TOOK_MS,
    LK_JSONL_AGENT,
    LK_JSONL_ATTEMPT, /* 2, or "attempt=2; max=3" */
    LK_JSONL_RETRIES, /* from 0 */
    LK_JSONL_RETRY_AFTER,
    LK_JSONL_RETRY_AFTER_MS,
    LK_JSONL_FIELDS, /* those above have one value a line */
    LK_JSONL_ID = LK_JSONL_FIELDS
} lk_jsonl_field;

typedef enum lk_id_kind {
    LK_ID_CALL = 0, /* names a call by its meaning */
    LK_ID_IDEMPOTENCY,
    LK_ID_REQUEST,
    LK_ID_TASK,
    LK_ID_KINDS
} lk_id_kind;

enum { LK_JSONL_ROW_OTHER = 255 };

/* The row of a key, LK_JSONL_ROW_OTHER for one that says nothing to us. */
uint8_t lk_jsonl_row(lk_slice key);
uint8_t lk_jsonl_row_count(void);
lk_jsonl_field lk_jsonl_row_field(uint8_t row);
const char *lk_jsonl_row_key(uint8_t row);

/* Id rows are numbered by themselves, 0 .. count - 1 <= LK_ID_KEYS_MAX, in order of preference. */
uint8_t lk_jsonl_id_count(void);
uint8_t lk_jsonl_id_row(uint8_t id);
uint8_t lk_jsonl_row_id(uint8_t row);
lk_id_kind lk_jsonl_id_kind(uint8_t id);

#endif
