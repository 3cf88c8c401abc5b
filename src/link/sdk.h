/* link/sdk — the callers' own record of their calls, which decides the call counts when given.
 *
 * JSON lines, one closed call each: ts (Unix seconds or RFC 3339), call_id, duration_s, outcome
 * ("ok" or anything else: failed), attempts, client.  A line without outcome or ts is rejected.
 *
 * Owner:  plain data.
 * Cost:   constant memory.
 * Source: lockstep-formats(5).  */
#ifndef LK_LINK_SDK_H
#define LK_LINK_SDK_H

#include "base/slice.h"
#include "link/group.h"
#include "model/report.h"

enum { LK_SDK_LENGTHS = 1024 };

typedef struct lk_sdk {
    uint64_t lines, calls, failed, recovered, rejected, filtered;
    uint64_t lengths[LK_SDK_LENGTHS + 1];
    uint64_t most;
    uint64_t spans[LK_PAUSES_MAX + 1], timed; /* by lk_pause_cell */
    double span_sum_s, span_max_s;
} lk_sdk;

void lk_sdk_init(lk_sdk *s);

/* False: the line is no call (counted). since/until: LK_TIME_NONE = open. */
bool lk_sdk_take(lk_sdk *s, lk_slice line, int64_t since_ns, int64_t until_ns);

/* Puts its counts in place of the linked ones; open calls stay as the log shows them. */
void lk_sdk_report(const lk_sdk *s, lk_report *r);

#endif
