/* format/json_values — instants and durations as the members of JSON lines have them.
 *
 * Units:  ns.
 * Errors: false, and the outputs untouched or partly filled, on anything else.
 * Source: RFC 3339; Go's time.Duration.String and Caddy's time_format and duration_format.  */
#ifndef LK_FORMAT_JSON_VALUES_H
#define LK_FORMAT_JSON_VALUES_H

#include "format/json_keys.h"

/* RFC 3339, "15/Jul/2025:12:00:00 +0000", Unix time in any unit, "2026/11/30 03:29:41.601" as UTC. */
bool lk_jsonl_stamp(lk_slice text, int64_t *at_ns, bool *fraction);
/* The last of these, which has no zone. */
bool lk_jsonl_stamp_is_zoneless(lk_slice text);

/* A number in `unit`, or a text with units: "0.025376s", "1m32.05s", "10.876us". */
bool lk_jsonl_duration(lk_slice text, lk_jsonl_unit unit, int64_t *ns);

#endif
