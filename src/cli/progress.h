/* cli/progress — a line on standard error for what takes long, drawn by a thread of its own, which
 * also hands an interrupt on to the reader.
 *
 * Off, it costs the thread that works nothing: what is drawn stands in counters that are kept anyway.
 * It is drawn from the half second on, ten times a second, and erased with blanks, so that the
 * dumbest terminal can do it.
 *
 * Owner:  lk_progress_start/lk_progress_stop; the meter belongs to the caller.
 * Errors: EUSAGE of lk_progress_check; without a thread there is no line, and no error.  */
#ifndef LK_CLI_PROGRESS_H
#define LK_CLI_PROGRESS_H

#include "base/err.h"
#include "cli/option.h"

#include <lockstep/lockstep.h>

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#define LK_PROGRESS_OPT(type, member)                                                              \
    { "progress", NULL, 0, LK_OPT_TEXT, offsetof(type, member), "auto|always|never",               \
      "a progress line on standard error; auto: on a terminal, unless --quiet" }

typedef struct lk_progress {
    lockstep_meter *meter; /* of what is read; NULL = `share` tells */
    _Atomic int per_mille; /* of the whole                          */
    int64_t since_ms;
    size_t drawn; /* columns */
    bool is_shown, is_running, is_over;
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t end;
} lk_progress;

/* when: "auto", "always", "never" or NULL. */
LK_MUST_CHECK lk_code lk_progress_check(const char *when, lk_err *e);

void lk_progress_start(lk_progress *p, const char *when, bool quiet, lockstep_meter *meter);
void lk_progress_share(void *progress, double share); /* of the whole, 0..1; as lockstep_runs asks */
void lk_progress_stop(lk_progress *p); /* erases the line; nothing is drawn any more */

/* The line after `seconds` of work, no wider than `columns`, into out[size]. */
void lk_progress_line(const lockstep_reading *read, double seconds, size_t columns, char *out,
                      size_t size);

#endif
