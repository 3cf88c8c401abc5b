/* lockstep/simulate — the simulators: retry policies tried before an incident, and the reference
 * studies recomputed.
 *
 *     lockstep_simulation *s;
 *     lockstep_runs runs = LOCKSTEP_RUNS_INIT;
 *     lockstep_error error;
 *
 *     if (lockstep_simulation_new("outage", &s, &error) == 0 &&
 *         lockstep_simulation_set(s, "policy", "full-jitter:base=1,cap=60", &error) == 0 &&
 *         lockstep_simulation_run(s, &runs, &error) == 0)
 *         lockstep_simulation_render(s, "text", &style, &text, &len, &error);
 *     lockstep_simulation_free(s);
 *
 * A model has options by name, as lockstep-simulate(1) lists them; values are texts in the same forms
 * ("200ms", "4000/min", "10%").  A study has none.
 *
 * Units:  seconds; shares 0..1.  Every mean stands beside its standard error.
 * Owner:  a simulation is freed by lockstep_simulation_free, text by lockstep_text_free; other
 *         pointers belong to the library.
 * Errors: exit statuses as in lockstep(1): 0 fine, 2 wrong use, 3 out of memory, 4 output.
 * Thread: a simulation is one thread's; a run makes threads of its own and joins them.  The same
 *         options and seed give the same bytes, whatever the number of threads.  */
#ifndef LOCKSTEP_SIMULATE_H
#define LOCKSTEP_SIMULATE_H

#include <lockstep/lockstep.h>

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#ifdef __GNUC__
#pragma GCC visibility push(default)
#endif

typedef struct lockstep_simulation lockstep_simulation;

/* Models by index: name and one line of help; NULL past the last. */
const char *lockstep_model_name(size_t i);
const char *lockstep_model_help(size_t i);
/* Options of a model by index; NULL past the last.  *value is what its value is called, NULL of a
 * switch; *help may be long. */
const char *lockstep_model_option(const char *model, size_t i, const char **value,
                                  const char **help);
/* Studies by index: "S1" ...; NULL past the last. */
const char *lockstep_study_name(size_t i);
const char *lockstep_study_title(size_t i);

int lockstep_simulation_new(const char *model, lockstep_simulation **out, lockstep_error *error);
/* study: "S1" ... "S5", or "all". */
int lockstep_study_new(const char *study, lockstep_simulation **out, lockstep_error *error);
void lockstep_simulation_free(lockstep_simulation *s); /* NULL is fine */

/* value: NULL of a switch. */
int lockstep_simulation_set(lockstep_simulation *s, const char *option, const char *value,
                            lockstep_error *error);

/* Seconds before retry `retry` (from 0) of a call whose last delay was previous_s and whose last
 * answer asked for asked_s (Retry-After; negative = none).  u is uniform on [0, 1): the only source of
 * randomness it may use.  Called from several threads at once. */
typedef double lockstep_delay(void *context, unsigned retry, double previous_s, double asked_s,
                              double u);
/* One more policy to compare.  attempts: of a call, 0 = no bound; name is copied. */
int lockstep_simulation_add_policy(lockstep_simulation *s, const char *name, lockstep_delay *delay,
                                   void *context, unsigned attempts, lockstep_error *error);

typedef struct lockstep_runs {
    uint64_t seed;
    unsigned runs;    /* a row; 0 = the model's own number; studies have theirs */
    unsigned threads; /* 0 = as many as there are processors                    */
    bool quick;       /* studies: fewer runs, wider errors                      */
    void (*progress)(void *context, double share); /* of the whole; may be NULL; from this thread */
    void *context;
} lockstep_runs;

#define LOCKSTEP_RUNS_INIT { 1, 0, 0, false, NULL, NULL }

int lockstep_simulation_run(lockstep_simulation *s, const lockstep_runs *runs,
                            lockstep_error *error);

/* After a run.  format: "text", "json", "csv". */
int lockstep_simulation_render(const lockstep_simulation *s, const char *format,
                               const lockstep_style *style, char **text, size_t *len,
                               lockstep_error *error);
/* After a run of a model: a number of a table by name, row (from 0) and column by name; false: there
 * is none.  *error_of is its standard error, NAN where it has none. */
bool lockstep_simulation_value(const lockstep_simulation *s, const char *table, size_t row,
                               const char *column, double *value, double *error_of);

/* One run of the first policy, written as an access log; needs no lockstep_simulation_run before. */
typedef struct lockstep_log {
    const char *path;     /* access log, or NULL; "x.gz" is compressed, "-" standard output */
    const char *format;   /* a name of lockstep_log_writer_name; NULL = by lockstep: combined */
    const char *sdk_path; /* the callers' record of their calls, JSON lines, or NULL    */
    bool no_ids;          /* without call ids and attempt numbers                       */
    bool whole_seconds;   /* stamps and durations of 1 s and none, where the format could do better */
} lockstep_log;

#define LOCKSTEP_LOG_INIT { NULL, NULL, NULL, false, false }

int lockstep_simulation_log(const lockstep_simulation *s, const lockstep_log *log, uint64_t seed,
                            lockstep_error *error);

/* Formats that can be written, by index; NULL past the last. */
const char *lockstep_log_writer_name(size_t i);
const char *lockstep_log_writer_help(size_t i);

#ifdef __GNUC__
#pragma GCC visibility pop
#endif

#ifdef __cplusplus
}
#endif

#endif
