/* api/attempt_line — one attempt as a line of JSON or CSV.
 *
 * Errors: where memory ends the buffer turns `failed`.  */
#ifndef LK_API_ATTEMPT_LINE_H
#define LK_API_ATTEMPT_LINE_H

#include "api/details.h"
#include "base/arena.h"
#include "base/buf.h"
#include "model/evidence.h"

#include <stdbool.h>
#include <stdint.h>

/* What is not known: NULL, NAN, 0 for numbers and names, LK_STATUS_UNKNOWN. */
typedef struct lk_attempt_line {
    int64_t start_ns;
    const char *texts[LK_DETAILS]; /* "" = not logged */
    double duration_s, retry_after_s, comeback_s;
    uint64_t call, task;
    const char *layer, *outcome;
    uint32_t attempt;
    uint16_t status;
    bool failed, rejected;
} lk_attempt_line;

typedef struct lk_attempt_format {
    const char *name;
    void (*head)(lk_buf *out); /* NULL = none */
    void (*line)(const lk_attempt_line *line, lk_arena *scratch, lk_buf *out);
} lk_attempt_format;

extern const lk_attempt_format LK_ATTEMPT_FORMATS[]; /* the last has no name */

#endif
