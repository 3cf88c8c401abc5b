/* api/analysis — puts the stages together: files in, report object out.
 *
 * Owner:  lk_analysis_init/lk_analysis_release; the report lives in analysis.arena.
 * Errors: as lockstep_analyze; lk_analysis_run gives LK_OK also when inputs were damaged: see
 *         `status` and `warnings`.  */
#ifndef LK_API_ANALYSIS_H
#define LK_API_ANALYSIS_H

#include "base/arena.h"
#include "lockstep/lockstep.h"
#include "model/report.h"

enum { LK_WARNINGS_MAX = 200 };

typedef struct lk_analysis {
    lk_arena arena;
    lk_report report;
    const char *warnings[LK_WARNINGS_MAX];
    size_t warning_count, warnings_dropped;
    int status;
} lk_analysis;

void lk_analysis_init(lk_analysis *a);
void lk_analysis_release(lk_analysis *a);
LK_MUST_CHECK lk_code lk_analysis_run(lk_analysis *a, const lockstep_options *options, lk_err *e);

#endif
