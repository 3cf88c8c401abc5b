/* api/watch_events — what a watch tells, in words, as a line of JSON and as environment variables.
 *
 * Owner:  texts live in the arena.
 * Errors: EOOM.  */
#ifndef LK_API_WATCH_EVENTS_H
#define LK_API_WATCH_EVENTS_H

#include "api/alerts.h"
#include "base/arena.h"
#include "lockstep/watch.h"

enum { LK_WATCH_SCHEDULES = 4 };

/* One minute of the log. */
typedef struct lk_watch_minute {
    int64_t start_ns;
    uint64_t lines, attempts, rejected, failed, unread;
} lk_watch_minute;

/* What the last look saw besides alerts. */
typedef struct lk_watch_state {
    const lk_alerts *alerts;
    double schedules[LK_WATCH_SCHEDULES]; /* periods of scheduled clocks, [schedule_count] */
    size_t schedule_count;
} lk_watch_state;

/* c: the clock as it was seen, of which at most the last 20 waves are told. */
LK_MUST_CHECK lk_code lk_watch_tell_clock(const lk_alert *alert, const lk_report_clock *c, double fits,
                                          lk_arena *arena, lockstep_watch_event *out, lk_err *e);
LK_MUST_CHECK lk_code lk_watch_tell_fade(const lk_alert *alert, lk_arena *arena,
                                         lockstep_watch_event *out, lk_err *e);
LK_MUST_CHECK lk_code lk_watch_tell_minute(const lk_watch_minute *m, const lk_watch_state *state,
                                           lk_arena *arena, lockstep_watch_event *out, lk_err *e);
/* For the rest: one sentence at an instant of the log (LK_TIME_NONE = none yet). */
LK_MUST_CHECK lk_code lk_watch_tell(lockstep_watch_kind kind, int64_t at_ns, const char *sentence,
                                    const lockstep_watch_counts *counts, lk_arena *arena,
                                    lockstep_watch_event *out, lk_err *e);

#endif
