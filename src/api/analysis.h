/* api/analysis — puts the stages together: files in, report object out.
 *
 * Owner:  lk_analysis_init/lk_analysis_release; the report lives in analysis.arena.
 * Errors: as lockstep_analyze; lk_analysis_run gives LK_OK also when inputs were damaged: see
 *         `status` and `warnings`.  */
#ifndef LK_API_ANALYSIS_H
#define LK_API_ANALYSIS_H

#include "api/attempt_stream.h"
#include "base/arena.h"
#include "base/buf.h"
#include "lockstep/lockstep.h"
#include "model/bounds.h"
#include "model/report.h"

enum {
    LK_WARNINGS_MAX = 200,
    LK_STATUS_INTERRUPTED = 130 /* as a shell has it of SIGINT */
};

/* What an analysis spends its time on. */
typedef enum lk_stage { LK_STAGE_READ, LK_STAGE_INFER, LK_STAGES } lk_stage;

typedef struct lk_analysis {
    lk_arena arena;
    lk_report report;
    const char *warnings[LK_WARNINGS_MAX];
    size_t warning_count, warnings_dropped;
    int status;
    lk_buf steps;              /* of the search for clocks, when asked for */
    double stage_s[LK_STAGES]; /* of CPU, all threads */
    lk_bounds bounds;
} lk_analysis;

void lk_analysis_init(lk_analysis *a);
void lk_analysis_release(lk_analysis *a);
LK_MUST_CHECK lk_code lk_analysis_run(lk_analysis *a, const lockstep_options *options, lk_err *e);

/* Prints the attempts; of the report only input, http, calls, reconciliation, layers and amplification
 * are filled.  `printing`: format, write and ctx. */
LK_MUST_CHECK lk_code lk_analysis_attempts(lk_analysis *a, const lockstep_options *options,
                                           const lk_attempt_stream_options *printing, lk_err *e);

/* Of saved states, which were read by `options`. */
struct lk_states;
LK_MUST_CHECK lk_code lk_analysis_states(lk_analysis *a, const lockstep_options *options,
                                         struct lk_states *states, lk_err *e);

/* Files to records; of the report only `input` is filled. */
struct lk_map_how;
LK_MUST_CHECK lk_code lk_analysis_map(lk_analysis *a, const lockstep_options *options,
                                      struct lk_map_how *how, lk_err *e);

/* lockstep.c */
const lk_report *lk_report_within(const lockstep_report *r);

#endif
