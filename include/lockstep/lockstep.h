/* lockstep — post-incident investigation of retry storms from HTTP access logs.
 *
 * A program fills lockstep_options, calls lockstep_analyze once and renders the report as often as
 * it likes.  Nothing is printed, no global state is kept, no signal handler is set.
 *
 * Units:  seconds in options; the report's own units are in lockstep-report(5).
 * Owner:  lockstep_analyze gives a report that lockstep_report_free frees; rendered text is freed
 *         by lockstep_text_free; every other pointer belongs to the library or to the report.
 * Errors: functions return an exit status as in lockstep(1): 0 fine, 1 found what options.fail_on names, 2 wrong use, 3 an input was
 *         missing, damaged or held no line that parses, 4 output, 130 stopped by lockstep_meter_stop, 143 by lockstep_meter_cancel.  On a status other than 0
 *         *error is filled; lockstep_analyze may give both a report and status 3: the report of
 *         what could be read.
 * Thread: one analysis, one thread; different analyses may run in different threads.  */
#ifndef LOCKSTEP_LOCKSTEP_H
#define LOCKSTEP_LOCKSTEP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#ifdef __GNUC__
#pragma GCC visibility push(default)
#endif

#define LOCKSTEP_VERSION "0.1.0"

typedef struct lockstep_error {
    int status;        /* exit status, 0 = no error          */
    char message[640]; /* one line, with file and line where known */
} lockstep_error;

/* How far reading has got, and a way to stop it, for another thread than the one that analyses. */
typedef struct lockstep_meter lockstep_meter;

typedef struct lockstep_reading {
    uint64_t bytes; /* read of the files, compressed where they are */
    uint64_t total; /* that there are; 0 = not known: a pipe        */
    uint64_t lines;
} lockstep_reading;

lockstep_meter *lockstep_meter_new(void); /* NULL = no memory */
void lockstep_meter_free(lockstep_meter *m); /* NULL is fine */
void lockstep_meter_read(const lockstep_meter *m, lockstep_reading *out);
/* No more is read: the analysis goes on with what there is, its report is marked partial and its
 * status is 130.  After the last byte was read it changes nothing. */
void lockstep_meter_stop(lockstep_meter *m);
/* Nothing is wanted any more: no more is read, lockstep_analyze gives no report and status 143, and what
 * options.rejects names stays as it was.  After lockstep_analyze returned it changes nothing. */
void lockstep_meter_cancel(lockstep_meter *m);

typedef struct lockstep_options {
    const char *const *files; /* [file_count]; "-" is standard input; none = standard input */
    size_t file_count;
    const char *sdk_log; /* the callers' own record: JSON lines, CSV or OTLP/JSON lines; or NULL */
    const char *sdk_keys; /* "ts=at,call_id=request.id": its keys or columns; NULL = known ones */
    const char *since;   /* RFC 3339, inclusive, or NULL */
    const char *until;   /* RFC 3339, exclusive, or NULL */
    double bin_s;        /* width of the arrival histogram's bins; 0 = chosen by span */
    const char *log_format; /* a name of lockstep_log_format_name, or "apache:..." or "nginx:..." as
                               in lockstep-formats(5); NULL = recognised */
    const char *json_keys;  /* "time=ts,status=response.code": members of JSON lines; NULL = known ones */
    const char *caller;  /* the field that tells callers apart: a JSON key, "column 12", the key of a
                            key=value column, a directive; NULL = the client's address */
    double clock_alpha;  /* overall false-alarm probability of a clock, below 1; 0 = 2e-4 */
    double period_min_s, period_max_s; /* of the clocks; 0 = as the log allows          */
    const char *population; /* only callers whose user agent fits this glob are searched for clocks;
                               NULL = all */
    bool explain_clock;  /* lockstep_clock_steps has something to tell */
    const char *const *matches; /* [match_count]; "FIELD=GLOB" or "FIELD!=GLOB": lines that count, see
                                   lockstep-analyze(1) */
    size_t match_count;
    bool keep_query;     /* targets are told apart by their queries too */
    const char *redact;  /* "callers,targets,user-agents,hosts" or "all": pseudonyms for these; NULL = none */
    const char *redact_key; /* a file whose bytes key the pseudonyms, NULL = they are numbers */
    const char *rejected;   /* what a rejection is: "429,503,error_code=SlowDown"; NULL = 429, 503, 529 */
    const char *call_id, *task_id, *attempt_no; /* fields that name a call, a task, and count attempts,
                                                   as `caller`; NULL = recognised */
    const char *const *layers; /* [layer_count]; "NAME=FIELD": further layers of retries, whose units a
                                  field names */
    size_t layer_count;
    double attempts_max; /* of a call, where the log does not say; 0 = inferred */
    size_t max_line;     /* bytes of the longest line that is read; 0 = 1 MiB */
    bool strict; /* of compressed files, which are read twice, nothing of a damaged member is used */
    size_t memory;       /* bytes that an analysis may take, about; 0 = 256 MiB, at least 32 MiB */
    const char *rejects; /* file that gets the lines that cannot be read, as they are; NULL = none */
    const char *allowance; /* requests that the server admits, "4000/min"; NULL = not known */
    const char *bucket;    /* ... and how many at once, "500"; NULL = not known */
    const char *cost, *refill; /* in place of it: tokens a request, tokens a time "2000000/min" */
    const char *zone;    /* of stamps that name none: "UTC", "Z", "+02:00", "-0400"; NULL = UTC */
    const char *fail_on; /* "synchronised,overload,amplification=5,error-share=0.05": what gives status
                            1, as in lockstep-analyze(1); NULL = nothing does */
    const char *by;      /* "host", "target" or "caller": the report once more for each of these; NULL =
                            for none */
    size_t threads;      /* at most so many work on it; 0 = as many as the machine has processors.  The
                            report is the same whatever their number */
    lockstep_meter *meter; /* tells how far reading has got; lives until lockstep_analyze returns; NULL =
                              nobody looks on */
} lockstep_options;

#define LOCKSTEP_OPTIONS_INIT { 0 } /* every member its default */

/* How a report looks. */
typedef struct lockstep_style {
    size_t width; /* columns; 0 = 80 */
    bool ascii;   /* no block characters */
    bool colour;
    const char *table; /* csv: a name of lockstep_table_name; NULL = the first */
} lockstep_style;

#define LOCKSTEP_STYLE_INIT { 80, false, false, NULL }

typedef struct lockstep_report lockstep_report;

/* Reads the inputs to their ends.  *out is NULL when there is no report at all. */
int lockstep_analyze(const lockstep_options *options, lockstep_report **out,
                     lockstep_error *error);
void lockstep_report_free(lockstep_report *report); /* NULL is fine */

/* Takes text that is printed bit by bit; other than 0: it takes no more, which is no error. */
typedef int lockstep_write(void *ctx, const char *text, size_t len);

/* Prints the attempts, each with its place in a call and in a task, while the inputs are read; see
 * lockstep-attempts(1).  format: a name of lockstep_attempt_format_name.  *out, which may be NULL, has
 * the input and the counts, and no clocks. */
int lockstep_attempts(const lockstep_options *options, const char *format, lockstep_write *write,
                      void *ctx, lockstep_report **out, lockstep_error *error);
const char *lockstep_attempt_format_name(size_t i); /* "jsonl", "csv"; NULL past the last */

/* A report that `lockstep_render(..., "json", ...)` printed, from its file ("-": standard input).  It
 * renders as the one that was saved did, byte for byte, and has no warnings. */
int lockstep_read(const char *path, lockstep_report **out, lockstep_error *error);

/* What went wrong or was noticed while reading, one safe line each ("x.gz: gzip stream is cut short at byte 123"). */
size_t lockstep_warning_count(const lockstep_report *report);
const char *lockstep_warning(const lockstep_report *report, size_t i);

/* 0; 1 when something of options.fail_on was found; 3 when an input was missing, damaged or without a
 * line that parses. */
int lockstep_report_status(const lockstep_report *report);

/* What of options.fail_on was found, and what of it could not be judged, one safe line each; NULL past
 * the last. */
const char *lockstep_finding(const lockstep_report *report, size_t i);

/* How the search for clocks went, step by step with its numbers; NULL unless options.explain_clock
 * asked for it. */
const char *lockstep_clock_steps(const lockstep_report *report);

/* CPU seconds of stage i of the analysis, with its name into *name; negative past the last. */
double lockstep_stage_seconds(const lockstep_report *report, size_t i, const char **name);

/* What the bound of memory is used for: row i, negative past the last; `past` says what becomes of what
 * is beyond it. */
typedef struct lockstep_bound {
    const char *name, *past;
    size_t most;  /* entries */
    size_t bytes; /* of them all, about */
} lockstep_bound;

int lockstep_bound_of(const lockstep_report *report, size_t i, lockstep_bound *out);

/* format: a name of lockstep_format_name.  *text is NUL-terminated, *len its length. */
int lockstep_render(const lockstep_report *report, const char *format, const lockstep_style *style,
                    char **text, size_t *len, lockstep_error *error);
/* What changed from one report to another, in words or as JSON; format: "text", "json". */
int lockstep_diff(const lockstep_report *before, const lockstep_report *after, const char *format,
                  const lockstep_style *style, char **text, size_t *len, lockstep_error *error);
void lockstep_text_free(char *text);

/* Report formats by index: name and one line of help; NULL past the last. */
const char *lockstep_format_name(size_t i);
const char *lockstep_format_help(size_t i);

/* Tables of the format csv by index; NULL past the last. */
const char *lockstep_table_name(size_t i);

/* Log formats that are recognised, by index; NULL past the last. */
const char *lockstep_log_format_name(size_t i);
const char *lockstep_log_format_help(size_t i);
const char *lockstep_log_format_moment(size_t i);     /* of its stamps: "start", "end", "by order" */
const char *lockstep_log_format_resolution(size_t i); /* of its stamps: "1 s", "1 ms"              */

/* How one file is read, as text: its format, the first line that fits field by field, and the lines
 * that do not fit with what was expected.  options: log_format, json_keys and zone count. */
int lockstep_explain(const char *path, const lockstep_options *options, char **text, size_t *len,
                     lockstep_error *error);

/* The JSON Schema (2020-12) of the JSON report. */
const char *lockstep_schema(void);
/* That of what lockstep_diff prints as JSON. */
const char *lockstep_diff_schema(void);

/* Name and version of library i in use ("zlib 1.2.13") into out, of at least 32 bytes; false past the
 * last. */
bool lockstep_library(size_t i, char *out);

#ifdef __GNUC__
#pragma GCC visibility pop
#endif

#ifdef __cplusplus
}
#endif

#endif
