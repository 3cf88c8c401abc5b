/* format/json_keys — which member of a JSON line says what.
 *
 * Members of nested objects are told by their path, keys joined by points, as Caddy's
 * "request.headers.user_agent"; a flat key may be spelled so too, as in ECS.  Keys are compared in
 * lower case with '_' for '-' and before capitals ("X-Request-ID", "requestId" are "request_id" and
 * its like; a single letter keeps its case), and once more without a leading "http_", nginx's name
 * for a request header.  Request headers of Caddy (request.headers.), Traefik (request_), pino
 * (req.headers.) and the like are those of the table too where they name an agent, an attempt or an id.  Of several keys for one
 * field the first row that has a value counts.
 *
 * Rows 0 .. LK_JSON_PATHS_MAX - 1 are the user's paths, the others those of the table.
 *
 * Source: nginx log variables; keys of Caddy, Traefik, Envoy, Google Cloud, Azure, API Gateway,
 *         Cloudflare Logpush and ECS; FORMATS of this project.  */
#ifndef LK_FORMAT_JSON_KEYS_H
#define LK_FORMAT_JSON_KEYS_H

#include "base/slice.h"
#include "format/json_paths.h"
#include "model/attempt.h"

#include <stdbool.h>
#include <stdint.h>

typedef enum lk_jsonl_field {
    LK_JSONL_MSEC = 0, /* exact: the end when it has a point ($msec), the start when it has none */
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
    LK_JSONL_END,          /* the end, beside the start in TIME        */
    LK_JSONL_HOST,         /* that was asked                           */
    LK_JSONL_FLAGS,        /* words that may say that the client left  */
    LK_JSONL_UPSTREAM_STATUS, /* nginx's list of statuses, one a try   */
    LK_JSONL_UPSTREAM_TOOK,   /* the list of times that goes with it   */
    LK_JSONL_TRIES,        /* that the line hides                      */
    LK_JSONL_TRIES_FROM_0, /* the same without the first               */
    LK_JSONL_QUERY,        /* beside the target                        */
    LK_JSONL_FIELDS,       /* those above have one value a line        */
    LK_JSONL_ID = LK_JSONL_FIELDS,
    LK_JSONL_MARK /* tells a family, no more */
} lk_jsonl_field;

/* Of a duration; texts like "10.876us" and "0.025s" have their own. */
typedef enum lk_jsonl_unit {
    LK_JSONL_FAMILY = 0, /* as the family of the line says */
    LK_JSONL_S,
    LK_JSONL_MS,
    LK_JSONL_US,
    LK_JSONL_NS,
    LK_JSONL_S_OR_MS, /* seconds with a point and below 1000, else milliseconds */
    LK_JSONL_S_OR_NS, /* seconds with a point or exponent, else nanoseconds     */
    LK_JSONL_OWN      /* only a text with a unit of its own: "12.5ms"           */
} lk_jsonl_unit;

typedef enum lk_id_kind {
    LK_ID_CALL = 0, /* names a call by its meaning */
    LK_ID_IDEMPOTENCY,
    LK_ID_REQUEST,
    LK_ID_TASK,
    LK_ID_KINDS
} lk_id_kind;

/* Keys that tell a family of writers, one bit each. */
enum {
    LK_SIGN_CADDY_URI = 1 << 0,
    LK_SIGN_CADDY_PROTO = 1 << 1,
    LK_SIGN_CADDY_ERROR = 1 << 2,
    LK_SIGN_TRAEFIK = 1 << 3,
    LK_SIGN_ENVOY_START = 1 << 4,
    LK_SIGN_RESPONSE_CODE = 1 << 5,
    LK_SIGN_GCP = 1 << 6,
    LK_SIGN_APPGW = 1 << 7,
    LK_SIGN_APPGW_V2 = 1 << 8,
    LK_SIGN_FRONTDOOR = 1 << 9,
    LK_SIGN_CLOUDFLARE = 1 << 10,
    LK_SIGN_APIGW_EPOCH = 1 << 11,
    LK_SIGN_APIGW_KEY = 1 << 12,
    LK_SIGN_ECS = 1 << 13
};

enum { LK_JSONL_ROW_OTHER = 255, LK_JSONL_ROOT = 0 };

/* For logs that borrow the table: the row of a flat key, LK_JSONL_ROW_OTHER for one that says nothing
 * to us.  Fields up to LK_JSONL_RETRY_AFTER_MS and ids, durations in seconds and milliseconds. */
uint8_t lk_jsonl_row(lk_slice key);
uint8_t lk_jsonl_row_count(void); /* the user's paths counted in */
lk_jsonl_field lk_jsonl_row_field(uint8_t row);
const char *lk_jsonl_row_key(uint8_t row);

/* The same for a member of a nested object, which is told by a number; and the number of the object
 * that is this member's value, 0 when it holds nothing of interest. */
uint8_t lk_jsonl_row_in(const lk_json_paths *paths, uint16_t object, lk_slice key);
uint16_t lk_jsonl_object_in(const lk_json_paths *paths, uint16_t object, lk_slice key);
const lk_jsonl_meaning *lk_jsonl_row_meaning(const lk_json_paths *paths, uint8_t row);

/* A key or path in plain letters into `out`; 0 when it has more than `max` of them. */
size_t lk_jsonl_plain(lk_slice key, char *out, size_t max);
/* The first of an array stands for the array: "a.0.b", "a[0].b" are "a.b".  Works in place; the new
 * length. */
size_t lk_jsonl_drop_firsts(char *path, size_t len);
uint32_t lk_jsonl_sign(lk_slice plain_path);

/* Id rows are numbered by themselves, 0 .. count - 1 <= LK_ID_KEYS_MAX, in order of preference. */
uint8_t lk_jsonl_id_count(void);
uint8_t lk_jsonl_id_row(uint8_t id);
uint8_t lk_jsonl_row_id(uint8_t row);
lk_id_kind lk_jsonl_id_kind(uint8_t id);

#endif
