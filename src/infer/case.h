/* infer/case — what the clock finder's parts share while one report is made.
 *
 * Units:  seconds after the evidence's first arrival, unless a name says otherwise.
 * Owner:  `arena` holds what the report keeps, `work` what lasts for the run, `scratch` what a
 *         function needs while it runs; the three differ.  */
#ifndef LK_INFER_CASE_H
#define LK_INFER_CASE_H

#include "base/arena.h"
#include "base/buf.h"
#include "infer/series.h"
#include "infer/strides.h"
#include "infer/timing.h"
#include "infer/waves.h"
#include "model/attempt.h"
#include "model/evidence.h"
#include "model/report.h"

#include <stdbool.h>
#include <stddef.h>

enum { LK_CLOCKS_MAX = 32, LK_LINE_ALL = 0, LK_LINE_REJECTED = 1, LK_LINES = 2 };

/* Periods that the callers' delays account for. */
typedef struct lk_span {
    double low_s, high_s;
} lk_span;

typedef struct lk_case {
    const lk_evidence *evidence;
    const lk_symbols *symbols;
    lk_arena *arena, *work, *scratch;
    lk_line line[LK_LINES]; /* all arrivals; the rejected, where there are enough */
    lk_line rest[LK_LINES]; /* the same without the callers that rows account for */
    double *explained;      /* [unit_count] arrivals that one of the path's accounts for; 0 = nothing
                               explains it */
    size_t line_count;
    lk_timing *timing;      /* plans for lines of that many bins */
    double line_zero_s; /* where bin 0 begins */
    double rest_zero_s; /* where bin 0 of what is left begins: a chapter's own */
    lk_frame frame;     /* the same for waves */
    lk_strides strides;
    double span_s, resolution_s;
    double ln_trials; /* of the witnesses that are asked */
    double ln_alpha;  /* of the whole search, measured    */
    double ln_stands; /* what a witness must reach for it */
    lk_period_range range;
    lk_buf *steps;              /* NULL = nobody asks */
    bool short_train;           /* bursts at equal steps, too few to be a clock      */
    lk_report_clock row[LK_CLOCKS_MAX];
    double strict[LK_CLOCKS_MAX]; /* of a timetable's row: lk_schedule.strict; else NAN */
    size_t row_count;
    size_t chapter_rows; /* from here on rows are of chapters: one may go on in the next */
    lk_span known[LK_CLOCKS_MAX]; /* gaps of every constant after failures */
    size_t known_count;
} lk_case;

#endif
