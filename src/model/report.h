/* model/report — the report object: what every renderer prints and none computes.
 *
 * It is lockstep.report/1 (lockstep-report(5)) as plain data, names as there.
 * Units:  instants ns since the epoch, LK_TIME_NONE = null; durations and shares double,
 *         NAN = null; counts int64, LK_COUNT_NONE = null; strings NUL-terminated, NULL = null.
 *         Strings that came from a log are raw here: a renderer escapes them.
 * Owner:  everything lives in the arena that the report was made in.  */
#ifndef LK_MODEL_REPORT_H
#define LK_MODEL_REPORT_H

#include "base/time.h"

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define LK_COUNT_NONE INT64_C(-1)
enum { LK_ARRIVALS_MAX = 4096, LK_SPECTRUM_MAX = 2048, LK_PHASE_MAX = 60, LK_SAMPLES_MAX = 20 };

typedef enum lk_known { LK_NO = 0, LK_YES = 1, LK_NOT_KNOWN = -1 } lk_known;

typedef struct lk_report_file {
    const char *path;        /* as given; "-" for standard input */
    const char *compression; /* "none", "gzip", "zstd", "xz", "bzip2" */
    const char *format;      /* NULL when no line was recognised */
    const char *const
        *wrappers; /* what was peeled off its lines, NULL-terminated; NULL = not known */
    int64_t bytes, bytes_decompressed, lines, rejected;
    bool truncated;
    const char *problem; /* one sentence with the byte offset, or NULL */
    int64_t first_ns;    /* for the order of files; not printed */
} lk_report_file;

typedef struct lk_report_reason {
    const char *name; /* as in lk_report_sample */
    int64_t count;
} lk_report_reason;

typedef struct lk_report_sample {
    const char *file;
    int64_t line;
    const char *reason; /* "bad-timestamp", ... */
    const char *text;   /* the line, cut; NULL = withheld */
    int64_t length;     /* of the line, bytes */
} lk_report_sample;

typedef struct lk_report_input {
    bool partial;
    lk_report_file *files; /* [file_count], by first instant, then path */
    size_t file_count;
    int64_t lines_total, lines_parsed, lines_filtered, lines_rejected, lines_ignored;
    lk_report_reason
        *reasons; /* [reason_count], most frequent first; they add up to lines_rejected */
    size_t reason_count;
    lk_report_sample *samples; /* [sample_count] */
    size_t sample_count;
    int64_t span_start_ns, span_end_ns;
    double span_s;
    double resolution_s;
    const char *moment; /* "start", "end", NULL */
    bool corrected_to_start;
    const char *zone; /* "logged", "given", "assumed-utc" */
    const char *rejection; /* what counts as one: "429, 503, 529", or as it was given */
    const char *identity_call, *identity_attempt, *identity_task, *identity_caller;
    /* How many there were; of estimates the relative standard error, 0 = counted one by one. */
    int64_t callers, targets, user_agents;
    double callers_error, targets_error, user_agents_error;
    int64_t evicted_calls, folded_callers;
    int64_t folded_targets, folded_user_agents; /* requests whose target, user agent counts as "other" */
    int64_t unlisted_files; /* inputs past those in `files` */
    int64_t late_lines; /* after the reorder window; part of the text report's warnings */
} lk_report_input;

typedef struct lk_report_http {
    int64_t requests, attempts, errors, client_errors, client_gave_up, rejected;
    double error_share, rejected_share;
    int64_t by_status[1000];         /* by status code; 0 = not printed */
    int64_t first_attempts, retries; /* LK_COUNT_NONE = null */
} lk_report_http;

typedef struct lk_report_calls {
    const char *source; /* "sdk-log", "identity", "inferred", NULL */
    int64_t total, failed, succeeded_first, recovered, open;
    double failed_share;
    double attempts_mean;
    int64_t attempts_p50, attempts_p99, attempts_max;
    double success_mean_s, success_p50_s, success_p99_s, success_max_s;
    double waiting_share;
    int64_t never_seen_in_http, never_seen_in_sdk;
    int64_t began_before; /* of the total: their first attempts are not in the log */
    bool counts_only;     /* sums hold; which attempt is of which call is not known for many */
    bool by_identity;     /* an id in the access log tells calls apart; not printed */
} lk_report_calls;

typedef struct lk_report_incident {
    int64_t start_ns, demand_back_ns, recovered_ns; /* LK_TIME_NONE = null */
    double tail_s, tail_retry_share;
    lk_report_http http;
    lk_report_calls calls;
    bool given;    /* by the user, as a span of time */
    bool whole;    /* the log shows next to nothing outside it */
    size_t others; /* that are smaller               */
} lk_report_incident;

typedef struct lk_report_wasted {
    int64_t after_client_left, non_retryable, ignored_retry_after; /* LK_COUNT_NONE = null */
    int64_t over_tenth, over_fifth; /* beyond a retry budget of 10 %, 20 % */
    double retry_share;
} lk_report_wasted;

typedef struct lk_report_reconciliation {
    int64_t rejected, in_recovered_calls, in_failed_calls, in_open_calls, unattributed;
    const char *explanation;
} lk_report_reconciliation;

typedef struct lk_report_arrivals {
    double bin_s; /* NAN when there is no attempt */
    int64_t start_ns;
    size_t n;                       /* <= LK_ARRIVALS_MAX */
    const uint32_t *all, *rejected; /* [n] */
    const uint32_t *retries;        /* [n], or NULL: not known */
} lk_report_arrivals;

typedef struct lk_report_spectrum {
    double bin_s;                   /* NAN when there is no spectrum */
    size_t n;                       /* <= LK_SPECTRUM_MAX */
    const double *period_s, *power; /* [n] */
    double threshold;
} lk_report_spectrum;

typedef struct lk_report_wave {
    int64_t start_ns;
    int64_t arrivals, rejected;
    double width_s, peak_per_s;
} lk_report_wave;

typedef struct lk_report_candidate {
    double constant_s;
    const char *what;
} lk_report_candidate;

typedef struct lk_report_clock {
    const char *kind; /* "retry", "scheduled", "unexplained" */
    double period_s, period_error_s, delay_s;
    double ln_false_alarm; /* natural log; renderers print exp() of it, 1e-300 at least */
    int64_t start_ns, end_ns;
    int64_t waves;
    double width_s, duty, phase_s, drift_s;
    const char *population; /* raw user agent; NULL = not one population */
    const char **targets;   /* [target_count] raw */
    size_t target_count;
    int64_t cause_rejections, cause_start_ns, cause_end_ns; /* LK_COUNT_NONE = no cause known */
    double share;
    double survival_ratio, survival_low, survival_high;
    int64_t comebacks, callers;
    double comebacks_on_delay, preceded_by_rejection, rejected_share;
    bool at_whole_minutes;
    const char *from; /* "callers", "rejections", "arrivals" */
    const char
        *owner; /* "12 probes, user agent kube-probe/1.27, every 10 s", raw; NULL = not told */
    size_t phase_count; /* at most LK_PHASE_MAX; 0 = not known */
    const uint32_t *phase_all,
        *phase_rejected; /* [phase_count] attempts from start to end, folded */
    lk_report_candidate *candidates;
    size_t candidate_count;
    lk_report_wave *wave_list;
    size_t wave_count;
} lk_report_clock;

typedef struct lk_report_fixed_delay {
    double delay_s;
    const char *population;
    int64_t comebacks;
    bool synchronised;
} lk_report_fixed_delay;

typedef struct lk_report_layer {
    const char *population;
    const char *name;     /* "sdk", "proxy", "job" */
    const char *identity; /* field name, or "delay:12.0" */
    int64_t units, attempts;
    double amplification;
    int64_t amplification_max, cap; /* cap LK_COUNT_NONE = none seen */
    lk_known bounded;
    double delay_s;
    double expected; /* amplification by the model (1 - p^n) / (1 - p); NAN: it does not fit */
} lk_report_layer;

typedef struct lk_report_amplification {
    const char *population;
    int64_t units, attempts;
    double mean;
    int64_t max;
    lk_known bounded;
    /* At worst in each cycle of its clock; LK_COUNT_NONE, NAN = not known. */
    int64_t cycle_units, cycle_attempts;
    double cycle_s;
} lk_report_amplification;

/* What the callers of a part of the log make of their calls. */
typedef struct lk_report_layers {
    lk_report_layer *layers; /* [layer_count] by population, lowest first */
    size_t layer_count;
    lk_report_amplification *amplification; /* [amplification_count] worst first */
    size_t amplification_count;
} lk_report_layers;

/* The part of the log that has one value of the field of --by: attempts by their own value, calls by
 * that of their first attempt. */
typedef struct lk_report_value {
    const char *value; /* raw; NULL = the log has none there */
    lk_report_http http;
    lk_report_calls calls;
    lk_report_layers retries;
} lk_report_value;

typedef struct lk_report_by {
    const char *field;       /* "host", "target", "caller" */
    lk_report_value *values; /* [value_count] worst first */
    size_t value_count;
    lk_report_value *other; /* the values that have no row of their own; NULL = none */
    int64_t folded;         /* how many those are, at most */
} lk_report_by;

typedef struct lk_report_delays {
    int64_t attempt; /* 1 = before the first retry */
    int64_t n;
    double p5_s, p50_s, p95_s;
    double bin_s;
    const uint32_t *counts; /* [bins] of the comebacks sampled */
    size_t bins;
} lk_report_delays;

enum { LK_DELAY_BINS = 40, LK_DELAY_ROWS = 20, LK_POLICY_FLAGS = 12, LK_DEFAULTS_SHOWN = 8 };

/* How callers treat Retry-After: shares of the comebacks after a value to wait by. */
typedef struct lk_report_obedience {
    int64_t told; /* such comebacks; LK_COUNT_NONE = not known */
    double exact, early, spread;
    double unit_factor; /* realised / asked, a power of 1,000; NAN = no such mistake */
} lk_report_obedience;

typedef struct lk_report_policy {
    const char *population, *layer; /* "sdk", "job" */
    int64_t callers, calls, comebacks;
    const char *policy; /* a name of LK_POLICIES, or NULL */
    double base_s, factor, cap_s, jitter;
    int64_t max_attempts;
    const char *looks_like[LK_DEFAULTS_SHOWN];
    size_t looks_like_count;
    double support;
    const char *runner_up;
    const char *flags[LK_POLICY_FLAGS];
    size_t flag_count;
    int64_t regime_change_at;           /* the attempt before whose retry another regime begins */
    const lk_report_delays *by_attempt; /* [attempt_count] */
    size_t attempt_count;
    lk_report_obedience retry_after; /* of the comebacks sampled; told 0 = nobody was told */
} lk_report_policy;

enum { LK_ASKED_SHARES = 60, LK_ASKED_FINDINGS = 8 };

typedef struct lk_report_asked {
    double value_s;
    int64_t count;
} lk_report_asked;

typedef struct lk_report_retry_after {
    int64_t rejections, with_header;
    lk_report_asked *values; /* [value_count], most frequent first */
    size_t value_count;
    int64_t seconds, fraction, milliseconds, date; /* forms that say when; with past and */
    int64_t malformed, past; /* malformed they add up to with_header                   */
    int64_t negative;        /* of the malformed                                       */
    int64_t zero;            /* of those that say when: at once                        */
    lk_report_obedience obedience;
    double share_bin_s;   /* NAN = no share over time */
    int64_t share_from_ns;
    const double *shares; /* [share_count] of the rejections of a bin, those with the header; NAN =
                             none was rejected */
    size_t share_count;   /* <= LK_ASKED_SHARES */
    const char *findings[LK_ASKED_FINDINGS]; /* sentences, safe to print */
    size_t finding_count;
} lk_report_retry_after;

typedef struct lk_report_capacity {
    double allowance_per_s, allowance_low, allowance_high; /* requests */
    const char *source;                                    /* "given", "inferred", NULL */
    const char *population; /* whose requests all this counts, raw; NULL = everybody's */
    double bucket;          /* requests; as given, or what a wave was granted before it was refused */
    double demand_per_s, spare_per_s, backlog, drain_s, bucket_emptied_in_s;
    double deficit_per_s;   /* demand - allowance under overload; NAN = there is none */
    const char *kind;       /* "token-bucket", "fixed-window", NULL */
    double window_s;        /* of the fixed window */
    double failed_attempt_cost; /* service time of a rejected attempt / of a successful one */
    double bystanders_in_waves, bystanders_outside; /* their rejected share */
} lk_report_capacity;

typedef struct lk_report_outlook {
    int64_t waves_left, below_allowance_ns;
    double backlog;
} lk_report_outlook;

/* What a population wanted in the part of the log that lk_report_workload covers, and what it got. */
typedef struct lk_report_crowd {
    const char *population; /* raw; NULL = several that share a row */
    int64_t tasks, calls, failed_calls, requeued;
    int64_t attempts, failed, rejected;
    int64_t later_attempts, later_failed; /* of these, after waves_from_s */
    double success_mean_s, success_p99_s; /* of calls, as seen */
    double first_failure_s, last_failure_s; /* from the workload's start; NAN = none failed */
    double service_s, refusal_s;            /* mean durations; NAN = not logged */
    const char *admission; /* "open", "token-bucket", "fixed-window", "request-rate", "share"; NULL = not known */
    double allowance_per_s, bucket; /* requests; NAN: of the other kinds */
    int64_t pool;        /* crowds of one number share one allowance; LK_COUNT_NONE = its own */
    double leave_share;  /* of the failed calls of a task: it is not made again */
    const uint32_t *first; /* [n] first attempts of tasks: of calls that no task made again */
    const double *refused_share; /* [n], of "share", and of "request-rate" before it is drawn on; else NULL */
} lk_report_crowd;

/* What everybody's requests draw on, before any allowance: what is served takes one, what is refused takes
 * refused_cost, and nobody is served while the bucket owes. */
typedef struct lk_report_request_rate {
    double per_s;  /* NAN = there is none, or nothing shows it */
    double bucket; /* requests */
    double refused_cost;
    double debt;   /* it owes no more */
} lk_report_request_rate;

typedef struct lk_report_workload {
    double bin_s;     /* NAN = there is none */
    int64_t start_ns;
    size_t n;         /* <= LK_WORKLOAD_BINS */
    double waves_from_s;  /* after the start: what set off those who come back in waves is over; NAN = nobody does */
    lk_report_request_rate request_rate; /* drawn on from then on */
    lk_report_crowd *crowds; /* [count] most failed attempts first */
    size_t count;
} lk_report_workload;

enum { LK_CROWDS_SHOWN = 12 };

/* What the simulator expects of an advice, in the incident as it was and as it would have been. */
typedef struct lk_report_expected {
    double requests_before, requests_after;
    double rejected_before, rejected_after; /* shares */
    double drain_before_s, drain_after_s;
    double lost_before, lost_after; /* tasks that were not served */
    const char *what;               /* that was simulated, safe to print; NULL = nothing was */
    const char *why_not;            /* safe to print; NULL where it was */
} lk_report_expected;

typedef struct lk_report_advice {
    const char *action, *unit, *why; /* safe to print */
    double value;
    lk_report_expected expected;
} lk_report_advice;

enum { LK_ADVICE_MAX = 16 };

typedef struct lk_report {
    lk_known synchronised, overload;
    const char *headline; /* plain words, safe to print */
    int exit_status;
    lk_report_input input;
    lk_report_http http;
    lk_report_calls calls;
    lk_report_reconciliation reconciliation;
    lk_report_incident *incident; /* NULL = none */
    lk_report_wasted wasted;
    lk_report_arrivals arrivals;
    lk_report_spectrum spectrum;
    lk_report_clock *clocks;
    size_t clock_count;
    lk_report_fixed_delay *fixed_delays;
    size_t fixed_delay_count;
    lk_report_layer *layers;
    size_t layer_count;
    lk_report_amplification *amplification;
    size_t amplification_count;
    lk_report_policy
        *policies; /* most comebacks first, the call layer of a population before its task layer */
    size_t policy_count;
    lk_report_retry_after retry_after;
    lk_report_capacity capacity;
    lk_report_outlook outlook;
    lk_report_workload workload;
    lk_report_advice advice[LK_ADVICE_MAX];
    size_t advice_count;
    lk_report_by *by;   /* NULL = not asked for */
    const char **notes; /* what was not knowable, one sentence each, safe to print */
    size_t note_count;
} lk_report;

/* Every field null or empty. */
void lk_report_init(lk_report *r);

/* The retry clock of the largest first wave; NULL when there is none. */
const lk_report_clock *lk_report_leading_retry_clock(const lk_report *r);
void lk_report_value_init(lk_report_value *v);
void lk_report_expected_init(lk_report_expected *x);

#endif
