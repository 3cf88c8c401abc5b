/* format/json_paths — where the user says that the members of a JSON line stand (--json-keys).
 *
 * A path is keys joined by points: "request.headers.x-call" is the member x-call of the object
 * headers of the object request, or a flat key that is spelled so.  Of an array the first element
 * counts, be it an object: "a.0.b" and "a[0].b" are "a.b".  Keys compare as those of
 * format/json_keys.  These paths win over the table; `id` may be given LK_IDS times.
 *
 * Units:  time as in any JSON line; took and retry_after in seconds, took_ms in milliseconds.
 * Owner:  plain data, bounded; zeros are no paths.
 * Errors: EUSAGE unknown field, no path, a field twice, a path too long or too deep.  */
#ifndef LK_FORMAT_JSON_PATHS_H
#define LK_FORMAT_JSON_PATHS_H

#include "base/err.h"

#include <stddef.h>
#include <stdint.h>

enum { LK_JSON_PATHS_MAX = 16, LK_JSON_PATH_MAX = 64, LK_JSON_DEPTH_MAX = 8 };

/* What a member says, for the enumerators see format/json_keys. */
typedef struct lk_jsonl_meaning {
    uint8_t field;  /* lk_jsonl_field */
    uint8_t unit;   /* lk_jsonl_unit */
    uint8_t moment; /* lk_moment of a time; UNKNOWN = as the family says */
    uint32_t sign;  /* of the families that have this path */
} lk_jsonl_meaning;

typedef struct lk_json_path {
    char text[LK_JSON_PATH_MAX]; /* keys in plain letters, joined by points */
    uint8_t len;
    uint8_t slot; /* of an id: its number among the ids here */
    lk_jsonl_meaning means;
} lk_json_path;

typedef struct lk_json_paths {
    uint64_t tag; /* tells one set of paths from another; 0 = none */
    size_t count, id_count;
    lk_json_path path[LK_JSON_PATHS_MAX];
} lk_json_paths;

/* "time=ts,status=response.code,id=req.headers.x-call" */
LK_MUST_CHECK lk_code lk_json_keys_parse(const char *text, lk_json_paths *out, lk_err *e);

#endif
