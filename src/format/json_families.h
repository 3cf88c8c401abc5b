/* format/json_families — who wrote a JSON line, told by its keys; hence the moment and the units
 * that its keys do not say.
 *
 * A family is a row; the first whose keys are all there is that of the line, the last needs none.
 * Azure Front Door's timeTaken is documented in milliseconds and seen in seconds: with a point and
 * below 1000 it is seconds, else milliseconds.  Caddy's duration may be set to nanoseconds: a whole
 * number is that, one with a point seconds.
 *
 * Source: FORMATS of this project, sections 1.0 and 1.12.  */
#ifndef LK_FORMAT_JSON_FAMILIES_H
#define LK_FORMAT_JSON_FAMILIES_H

#include "format/json_lines.h"

typedef struct lk_json_family {
    uint32_t signs;                 /* all of them                                           */
    bool (*fits)(const lk_jsonl *); /* NULL = signs suffice                                 */
    const lk_format *format;        /* NULL: lines like those of requests that are none      */
    lk_moment moment;               /* of a time whose key does not say; UNKNOWN = by evidence */
    lk_jsonl_unit took;             /* of a duration whose key does not say                  */
    bool retries_upstream;          /* "retry attempts" are those of the proxy               */
} lk_json_family;

const lk_json_family *lk_json_family_of(const lk_jsonl *line);

/* API Gateway's requestTime has the name of a duration. */
bool lk_jsonl_has_time_in_took(const lk_jsonl *line);

#endif
