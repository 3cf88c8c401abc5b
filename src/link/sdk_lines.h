/* link/sdk_lines — reads the callers' own record line by line: JSON lines, CSV with a header, and
 * OpenTelemetry spans as OTLP/JSON lines.
 *
 * Every line is told by itself: one with resourceSpans is OTLP, another that begins with '{' is a
 * call; a first line that does not is the header of a CSV.
 *
 * Owner:  lk_sdk_lines_init/lk_sdk_lines_release; the keys live as long as the arena.
 * Errors: init: EUSAGE (the text of --sdk-keys).  take: EDATA (the line is no call: skipped and
 *         counted), EOOM.
 * Cost:   one line and its JSON tree, the header of a CSV (64 columns of 63 bytes), and what
 *         link/sdk_spans holds.
 * Source: RFC 8259, RFC 4180 (a quoted field keeps to its line), lockstep-formats(5).  */
#ifndef LK_LINK_SDK_LINES_H
#define LK_LINK_SDK_LINES_H

#include "base/arena.h"
#include "link/sdk.h"
#include "link/sdk_spans.h"

typedef enum lk_sdk_field {
    LK_SDK_TS,
    LK_SDK_CALL_ID,
    LK_SDK_DURATION,
    LK_SDK_DURATION_MS,
    LK_SDK_OUTCOME,
    LK_SDK_ATTEMPTS,
    LK_SDK_CLIENT,
    LK_SDK_FIELDS
} lk_sdk_field;

enum { LK_SDK_COLUMNS = 64, LK_SDK_NAME_MAX = 64 };

typedef struct lk_sdk_lines {
    const char *keys[LK_SDK_FIELDS];
    int64_t since_ns, until_ns;
    lk_sdk *calls;
    lk_sdk_spans spans;
    int column[LK_SDK_FIELDS]; /* of a CSV; -1 = none */
    size_t column_count;       /* 0 = no CSV          */
    char separator;
    uint64_t lines, rejected;
} lk_sdk_lines;

/* keys: "ts=at,call_id=request.id", or NULL.  since/until: LK_TIME_NONE = open. */
LK_MUST_CHECK lk_code lk_sdk_lines_init(lk_sdk_lines *x, const char *keys, int64_t since_ns,
                                        int64_t until_ns, lk_sdk *calls, lk_arena *arena,
                                        lk_err *e);
void lk_sdk_lines_release(lk_sdk_lines *x);

LK_MUST_CHECK lk_code lk_sdk_lines_take(lk_sdk_lines *x, lk_slice line, lk_err *e);

/* After the last line: spans become calls. */
LK_MUST_CHECK lk_code lk_sdk_lines_end(lk_sdk_lines *x, lk_err *e);

#endif
