/* lockstep/whatif — an incident simulated anew from its saved report: as it was, and with some of its
 * callers under another policy.
 *
 *     lockstep_whatif_options o = LOCKSTEP_WHATIF_OPTIONS_INIT;
 *
 *     o.policy = "full-jitter"; o.base = "8"; o.cap = "60"; o.attempts = "4"; o.concurrency = "12";
 *     if (lockstep_whatif(report, &o, "text", &style, &text, &len, &error) == 0)
 *         ...
 *
 * Every option is text as a person types it, NULL = as it was.
 *
 * Units:  durations "8", "200ms"; rates "67", "61/min"; shares "0.3", "30%".
 * Owner:  text is freed by lockstep_text_free.
 * Errors: 2 an option that cannot be read, or no such population; 3 the report does not hold what is
 *         needed, *error says what; memory.
 * Thread: makes threads of its own and joins them; the same report, options and seed give the same bytes.  */
#ifndef LOCKSTEP_WHATIF_H
#define LOCKSTEP_WHATIF_H

#include <lockstep/lockstep.h>

#ifdef __cplusplus
extern "C" {
#endif

#ifdef __GNUC__
#pragma GCC visibility push(default)
#endif

typedef struct lockstep_whatif_options {
    const char *policy;      /* "full-jitter" or "full-jitter:base=8,cap=60" */
    const char *base, *factor, *cap, *attempts; /* as the parameters of the policy */
    const char *concurrency; /* tasks of the population at work at once */
    const char *deadline;    /* no attempt of a call starts later after its first */
    const char *first_jitter, *pace; /* of first attempts: random wait, least distance */
    const char *requeue_jitter, *queue_attempts; /* of the job layer */
    const char *budget;      /* retries for each first attempt, a share */
    const char *breaker;     /* failures in a row that open it */
    const char *population;  /* who changes; NULL: who comes back in waves; "all": who retries */
    const char *share;       /* of their callers */
    const char *allowance, *bucket; /* what the server admits of them, where the report cannot say */
    const char *runs, *seed, *threads;
} lockstep_whatif_options;

#define LOCKSTEP_WHATIF_OPTIONS_INIT                                                              \
    { NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, \
      NULL, NULL, NULL, NULL, NULL }

/* format: "text" or "json" (lockstep.whatif/1). */
int lockstep_whatif(const lockstep_report *report, const lockstep_whatif_options *options,
                    const char *format, const lockstep_style *style, char **text, size_t *len,
                    lockstep_error *error);

#ifdef __GNUC__
#pragma GCC visibility pop
#endif

#ifdef __cplusplus
}
#endif

#endif
