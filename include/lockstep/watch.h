/* lockstep/watch — a log that is being written, watched for clocks.
 *
 *     lockstep_watch_options options = LOCKSTEP_WATCH_OPTIONS_INIT;
 *     lockstep_watch *w;
 *     bool over = false;
 *
 *     options.on_event = print_it;
 *     if (lockstep_watch_open(&options, &w, &error) == 0) {
 *         while (!over && lockstep_watch_step(w, 200, &over, &error) == 0)
 *             ;
 *         lockstep_watch_finish(w);
 *         lockstep_watch_close(w);
 *     }
 *
 * Time is that of the log: events come when its stamps say so, however fast it is read.  Where no
 * line comes for ten seconds, the log's time goes on with the machine's.
 *
 * Units:  as lockstep.h; timeouts in ms.
 * Owner:  lockstep_watch_open/lockstep_watch_close; options and what they point to live as long; an
 *         event and its texts until on_event returns.
 * Errors: exit statuses as in lockstep(1).
 * Thread: one.
 * Cost:   about 40 MB, and as much again for moments; both whatever the number of lines.  */
#ifndef LOCKSTEP_WATCH_H
#define LOCKSTEP_WATCH_H

#include <lockstep/lockstep.h>

#ifdef __cplusplus
extern "C" {
#endif

#ifdef __GNUC__
#pragma GCC visibility push(default)
#endif

typedef enum lockstep_watch_kind {
    LOCKSTEP_WATCH_CLOCK,  /* a clock has appeared                      */
    LOCKSTEP_WATCH_FADE,   /* it has faded                              */
    LOCKSTEP_WATCH_MINUTE, /* a minute of the log is over               */
    LOCKSTEP_WATCH_QUIET,  /* no line has come for a minute             */
    LOCKSTEP_WATCH_NOTE,   /* a file was rotated, emptied, is missing   */
    LOCKSTEP_WATCH_END     /* the input has ended, or the watch was     */
} lockstep_watch_kind;

typedef struct lockstep_watch_event {
    lockstep_watch_kind kind;
    const char *name; /* "clock", "fade", "minute", "quiet", "note", "end" */
    const char *text; /* lines for people, each ending in a newline          */
    const char *json; /* one line, lockstep.watch/1 of lockstep-watch(1), and a newline */
    const char *const *variables; /* "LOCKSTEP_PERIOD_S=60.0" ..., NULL-terminated */
} lockstep_watch_event;

typedef struct lockstep_watch_options {
    lockstep_options log; /* of these count: files, log_format, json_keys, caller, call_id, task_id,
                             attempt_no, zone, max_line, matches, keep_query, rejected, population,
                             period_min_s, period_max_s, clock_alpha, allowance, cost, refill */
    double window_s;      /* how far back is looked; 0 = half an hour */
    bool from_start;      /* files from their first line; else from at most 16 MiB before the end */
    void (*on_event)(void *context, const lockstep_watch_event *event);
    void *context;
} lockstep_watch_options;

#define LOCKSTEP_WATCH_OPTIONS_INIT { LOCKSTEP_OPTIONS_INIT, 0, false, NULL, NULL }

typedef struct lockstep_watch lockstep_watch;

int lockstep_watch_open(const lockstep_watch_options *options, lockstep_watch **out,
                        lockstep_error *error);
void lockstep_watch_close(lockstep_watch *w); /* NULL is fine */

/* Reads what there is, up to some thousand lines; where there is nothing, waits so long for it.
 * *over: the input was a pipe and has ended. */
int lockstep_watch_step(lockstep_watch *w, int wait_ms, bool *over, lockstep_error *error);

/* No line comes any more: a last look, the last minute, and LOCKSTEP_WATCH_END. */
int lockstep_watch_finish(lockstep_watch *w, lockstep_error *error);

/* Lines, attempts and alerts so far. */
typedef struct lockstep_watch_counts {
    uint64_t lines, attempts, rejected, unread, late, alerts, looks;
} lockstep_watch_counts;

void lockstep_watch_count(const lockstep_watch *w, lockstep_watch_counts *out);

#ifdef __GNUC__
#pragma GCC visibility pop
#endif

#ifdef __cplusplus
}
#endif

#endif
