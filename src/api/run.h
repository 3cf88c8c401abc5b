/* api/run — one analysis while it goes on: all that streams, from the options to the report.
 *
 * The steps of api/analysis, one file each, and what they share.
 *
 * Owner:  analysis.c opens and closes what is in it; the report lives in out->arena.
 * Errors: as lockstep_analyze; damaged inputs are warned of and set out->status.  */
#ifndef LK_API_RUN_H
#define LK_API_RUN_H

#include "api/analysis.h"
#include "api/breakdown.h"
#include "api/chosen.h"
#include "api/inputs.h"
#include "api/logfile.h"
#include "api/queue.h"
#include "api/states.h"
#include "base/distinct.h"
#include "infer/capacity.h"
#include "link/linker.h"
#include "link/sdk.h"
#include "measure/arrivals.h"
#include "measure/asked.h"
#include "measure/comeback_log.h"
#include "measure/hops.h"
#include "measure/periods.h"
#include "measure/tally.h"
#include "measure/workload.h"
#include "model/redact.h"
#include "order/merge.h"

/* The width of the bins that attempts are counted in. */
#define LK_RUN_BIN_NS (LK_NS_PER_S / 4)

typedef struct lk_run {
    lk_analysis *out;
    const lockstep_options *options;
    lk_reading reading;
    lk_bounds bounds;
    lk_distinct callers;
    lk_redact redact;
    lk_symbols symbols;
    lk_inputs inputs;
    lk_queue queue;
    size_t counting; /* of its items: those that do not only repeat others */
    lk_logfile **files; /* the first of those, by first instant, then path; then `rest` */
    size_t file_count;
    lk_logfile *rest;       /* what those past them hold, together; NULL = there are none */
    uint64_t unlisted;      /* inputs of all kinds past those that have a row */
    bool is_told; /* the account of the inputs is made */
    atomic_size_t descriptors; /* that those hold */
    lk_logfile **repeated; /* those that only repeat others */
    size_t repeated_count;
    lk_report_file *missing; /* those that did not */
    size_t missing_count;
    lk_states *states; /* NULL = files are read */
    lk_source *ahead;  /* ... else what reads them, while they are */
    lk_merge merge;
    lk_tally tally;
    lk_arrivals arrivals, comebacks;
    lk_periods periods;
    lk_workload workload;
    uint32_t crowds[LK_WORKLOAD_CROWDS]; /* symbols of its populations */
    lk_never_back never_back[LK_GROUPS_MAX];
    size_t never_back_count;
    lk_chosen chosen; /* whom clocks are searched among */
    lk_asked asked;
    lk_hops hops;
    lk_comeback_log pauses;
    lk_given_capacity capacity;
    lk_heavy addresses;
    lk_breakdown *breakdown; /* NULL = not asked for */
    lk_above above;
    lk_named_layers layers;
    lk_rejects *rejects;     /* NULL = not asked for */
    const char *const *like; /* [like_count] files that show how lines are read; 0 = each does */
    size_t like_count;
    const lk_attempt_stream_options *printing; /* NULL = a report is made */
    lk_attempt_stream *attempts;               /* ... else they are printed */
    lk_linker *linker;
    lk_sdk sdk;
} lk_run;

/* "path:line: message", made safe to print; line 0: none, path "": none. */
void lk_run_warn(lk_analysis *a, const char *path, uint64_t line, const char *msg);
/* The same of an input that cannot be read (wholly), which the exit status says as well. */
void lk_run_fail_input(lk_analysis *a, const char *path, const lk_err *e);

/* CPU time of the process: a reader thread's counts as well. */
double lk_run_cpu_s(void);

/* ---- run_options.c: fills reading, bounds, capacity, redact ---- */
LK_MUST_CHECK lk_code lk_run_check_options(lk_run *x, lk_err *e);

/* ---- run_inputs.c: fills inputs, then queue, files, repeated, missing ---- */
/* What there is to read, and the bounds with room for it; `each`: bytes that an input holds to the end of all. */
LK_MUST_CHECK lk_code lk_run_list_inputs(lk_run *x, size_t each, lk_err *e);
/* Up to kept_max of them have an account of their own. */
LK_MUST_CHECK lk_code lk_run_open_files(lk_run *x, size_t kept_max, lk_err *e);
/* States in place of files: the account of the files that they came from. */
LK_MUST_CHECK lk_code lk_run_begin_states(lk_run *x, lk_err *e);

/* ---- run_sdk.c: fills sdk, where there is such a log ---- */
LK_MUST_CHECK lk_code lk_run_read_sdk_log(lk_run *x, lk_err *e);

/* ---- run_stream.c ---- */
/* Who takes what the linker finds: where attempts are printed, how callers come back is not collected. */
void lk_run_listen(lk_run *x, lk_linker_options *options);
/* Takes all attempts; its time in out->stage_s. */
LK_MUST_CHECK lk_code lk_run_stream(lk_run *x, lk_err *e);

/* ---- run_input_report.c ---- */
/* One of the files past those that have a row has been read. */
void lk_run_add_to_rest(void *ctx, const lk_logfile *f);
/* Fills report.input, but for what is counted of attempts. */
LK_MUST_CHECK lk_code lk_run_report_input(lk_run *x, lk_err *e);
/* A field of --match that no line has: a typing error, as a rule. */
void lk_run_warn_on_filter(lk_run *x);
/* One address for most of the traffic may stand for many callers. */
LK_MUST_CHECK lk_code lk_run_warn_on_address(lk_run *x, lk_err *e);

/* ---- run_infer.c: what follows from what was counted; its time in out->stage_s ---- */
LK_MUST_CHECK lk_code lk_run_infer(lk_run *x, lk_err *e);

/* ---- run_conclusion.c: the whole report ---- */
LK_MUST_CHECK lk_code lk_run_conclude(lk_run *x, lk_err *e);

#endif
