/* infer/rows — fills the report's clock rows from what the parts found.
 *
 * Owner:  everything in a row lives in the case's arena.
 * Errors: EOOM.  */
#ifndef LK_INFER_ROWS_H
#define LK_INFER_ROWS_H

#include "infer/case.h"
#include "infer/constants.h"
#include "infer/waves.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Waves listed in a row; `waves` counts them all. */
enum { LK_WAVES_SHOWN = 256 };

/* A new row with every value null; NULL when the report is full. */
lk_report_clock *lk_row_new(lk_case *c, const char *kind);

/* Start, end, number, sizes, width, duty, phase, decay and rejected share; scale multiplies counts of
 * sampled callers. */
LK_MUST_CHECK lk_code lk_row_waves(lk_case *c, const lk_waves *w, double scale,
                                   lk_report_clock *row, lk_err *e);

/* The population (when nine of ten strides share it) and the most frequent targets. */
LK_MUST_CHECK lk_code lk_row_names(lk_case *c, const size_t *stride, size_t n, lk_report_clock *row,
                                   lk_err *e);

/* Well-known constants near the delay, or the period where no delay is known. */
LK_MUST_CHECK lk_code lk_row_candidates(lk_case *c, lk_use use, lk_report_clock *row, lk_err *e);

/* Arrivals of the whole log between two instants. */
double lk_case_arrivals(const lk_case *c, double from_s, double to_s);

int64_t lk_case_instant(const lk_case *c, double at_s);
double lk_case_scale(const lk_case *c); /* 2^hop_share_log2 */

/* Bins of a series: where the first begins, seconds after the evidence's first arrival. */
typedef struct lk_bins {
    double zero_s, bin_s;
    size_t n;
} lk_bins;

/* Takes off x[n] what explained callers account for; `which` line it is of. */
LK_MUST_CHECK lk_code lk_case_take_off(lk_case *c, size_t which, lk_bins bins, double *x, lk_err *e);

/* Does a row have this period already, or a simple fraction of it (a retry row also a multiple), or is
 * it a delay that callers are known to come back on? */
bool lk_case_explains(const lk_case *c, double period_s);

/* Drops timetables that are but multiples of another row's period, loosely kept. */
void lk_case_drop_echoes(lk_case *c);

/* Lets a row go on to where the same clock was seen later, from a time that `row` covers or next to it: waves,
 * end, shares and the period, by what each knows of it.  false = it is another train. */
bool lk_row_goes_on(const lk_case *c, lk_report_clock *row, const lk_report_clock *later);

#endif
