/* format/value — what a field of a log line can be, told by its shape.
 *
 * Units:  ns.
 * Source: nginx log variables; W3C Trace Context; Google's client libraries (gccl-*); RFC 9651 strings;
 *         amz-sdk-request of the AWS SDKs ("attempt=1; max=3", botocore
 *         "ttl=...; attempt=1; max=3"); shapes of ids are ours.  */
#ifndef LK_FORMAT_VALUE_H
#define LK_FORMAT_VALUE_H

#include "base/slice.h"

#include <stdbool.h>
#include <stdint.h>

typedef enum lk_shape {
    LK_SHAPE_OTHER = 0,
    LK_SHAPE_ABSENT,  /* "" or "-"                                              */
    LK_SHAPE_MSEC,    /* 1796014671.488                                         */
    LK_SHAPE_REAL,    /* 0.250: three digits or more behind the point           */
    LK_SHAPE_WHOLE,   /* 12                                                     */
    LK_SHAPE_DECIMAL, /* 12.5                                                   */
    LK_SHAPE_ATTEMPT, /* attempt=2; max=3                                       */
    LK_SHAPE_IDENT,   /* 8 or more hex digits, a UUID, a long token: surely an id */
    LK_SHAPE_WORD,    /* task-0065: an id if its values are many                */
    LK_SHAPE_SPAN     /* 123ms, 0.123 s                                         */
} lk_shape;

lk_shape lk_value_shape(lk_slice v);

bool lk_value_is_absent(lk_slice v);

/* A plain or exponential decimal that is not negative and below three years. */
bool lk_value_seconds(lk_slice v, int64_t *ns);
/* A number of such units, whole or broken, with the same limits. */
bool lk_value_units(lk_slice v, int64_t unit_ns, int64_t *ns);
/* A duration with its unit, "123ms", "12.5 us", "1m2.5s"; the same limit. */
bool lk_value_span(lk_slice v, int64_t *ns);
/* The name of a unit from ns to seconds: "ms". */
bool lk_value_is_unit(lk_slice v);
/* Apache's "%T/%D", also as "**%T/%D**": whether the two belong together is not looked at. */
bool lk_value_seconds_us(lk_slice v, uint64_t *seconds, uint64_t *us);
/* Seconds, milliseconds, microseconds or nanoseconds since 1970, by the number of digits. */
bool lk_value_epoch(lk_slice v, int64_t *at_ns, bool *fraction);
/* A whole number of at most `max`. */
bool lk_value_count(lk_slice v, uint64_t max, int32_t *out);
/* "attempt=2; max=3", in any order, among other members; *max stays when it is not named. */
bool lk_value_attempt(lk_slice v, int32_t *no, int32_t *max);

/* The part of a value that names a call: the trace id of a traceparent, the invocation id inside
 * x-goog-api-client (NONE where it has none), what stands in the quotes of an Idempotency-Key; any
 * other value whole. */
lk_slice lk_value_id(lk_slice v);
/* "gccl-attempt-count/2" inside x-goog-api-client, from 1. */
bool lk_value_google_attempt(lk_slice v, int32_t *no);

#endif
