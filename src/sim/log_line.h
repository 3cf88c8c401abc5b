/* sim/log_line — a simulated request as a line of an access log.
 *
 * Units:  seconds of the run; stamps begin at 2026-01-01T00:00:00Z.
 * Owner:  const rows.
 * Source: the formats as lockstep-formats(5) has them.  */
#ifndef LK_SIM_LOG_LINE_H
#define LK_SIM_LOG_LINE_H

#include "sim/saturation.h"

#include "base/buf.h"

typedef struct lk_log_style {
    bool ids;           /* call ids and attempt numbers, where the format has headers */
    bool whole_seconds; /* the columns that are finer left out, or their digits 0 */
    uint64_t seed;      /* call ids of two runs differ */
} lk_log_style;

typedef struct lk_log_writer {
    const char *name, *help;
    void (*line)(const lk_sat_attempt *a, const lk_log_style *style, lk_buf *out); /* with its newline */
} lk_log_writer;

extern const lk_log_writer LK_LOG_WRITERS[]; /* ends with name NULL; the first is the default */

const lk_log_writer *lk_log_writer_find(const char *name); /* NULL: none */

/* The callers' record of a call: ts (end), call_id, duration_s, outcome, attempts, client. */
void lk_log_sdk_line(const lk_sat_call *c, const lk_log_style *style, lk_buf *out);

#endif
