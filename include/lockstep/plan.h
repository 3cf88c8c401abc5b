/* lockstep/plan — the sizing arithmetic of a retry policy: what fits an allowance, how long callers
 * wait, how long a backlog takes.
 *
 * Every option is text as a person types it, NULL = not given; what cannot be computed from what was
 * given is left out of the text and null in the JSON.
 *
 * Units:  durations "8", "200ms", "10min"; rates "67", "4000/min"; results in seconds and per second.
 * Owner:  text is freed by lockstep_text_free.
 * Errors: 2 with *error filled: an option that cannot be read, or nothing to plan.
 * Thread: pure.  */
#ifndef LOCKSTEP_PLAN_H
#define LOCKSTEP_PLAN_H

#include <lockstep/lockstep.h>

#ifdef __cplusplus
extern "C" {
#endif

#pragma GCC visibility push(default)

typedef struct lockstep_plan_options {
    const char *policy;    /* "full-jitter" or "full-jitter:base=8,cap=60"; NULL = full-jitter */
    const char *base, *factor, *cap, *attempts; /* as the parameters of the policy */
    const char *callers;   /* that fail together */
    const char *allowance; /* what the server admits, requests a time */
    const char *attempt_time; /* one attempt alone on the server */
    const char *spread;    /* natural spread of callers without jitter; NULL = 50ms */
    const char *slice;     /* of a window: the share of the callers in it */
    const char *backlog, *cost, *refill, *reserved; /* tasks, tokens a task, tokens a time */
    const char *demand, *duration; /* demand above the allowance, and how long it lasts */
    const char *layers;    /* attempt caps, "4,3"; "none" = no cap */
    const char *deadline, *horizon;
    const char *budget;    /* retries for each first attempt, a share */
    const char *collisions; /* of two callers, in a row: the odds that they draw different slots then */
} lockstep_plan_options;

#define LOCKSTEP_PLAN_OPTIONS_INIT \
    { NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, \
      NULL, NULL, NULL, NULL, NULL, NULL }

/* format: "text" or "json". */
int lockstep_plan(const lockstep_plan_options *options, const char *format, char **text,
                  size_t *len, lockstep_error *error);

#pragma GCC visibility pop

#ifdef __cplusplus
}
#endif

#endif
