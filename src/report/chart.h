/* report/chart — the arrivals as bars of block characters: all attempts, and below the rejected.
 *
 * Shapes: arrivals bins -> columns of whole bins (or bins of whole columns where there are few).
 * Units:  the y axis is attempts per second, minute, hour or day, as the peak needs; the mean of a
 *         column.  Both panels share one scale.
 * Owner:  scratch lives in the page's arena.  */
#ifndef LK_REPORT_CHART_H
#define LK_REPORT_CHART_H

#include "model/report.h"
#include "report/page.h"

/* The whole log.  Prints nothing where there is no attempt. */
void lk_chart_overview(lk_page *p, const lk_report_arrivals *a);

/* From the wave at `start_ns` on, in columns narrow enough to show waves of this period; nothing
 * where the bins are too coarse, or where the overview shows as much. */
void lk_chart_waves(lk_page *p, const lk_report_arrivals *a, double period_s, int64_t start_ns);

#endif
