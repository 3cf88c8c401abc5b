/* report/chart_clocks — the periodogram by period, and a clock's arrivals folded at its period.
 *
 * Units:  the periodogram's height is the whitened power, its middle line where chance ends; taller
 *         lines are cut.  The folded bars are scaled to the highest.
 * Owner:  scratch lives in the page's arena.  */
#ifndef LK_REPORT_CHART_CLOCKS_H
#define LK_REPORT_CHART_CLOCKS_H

#include "model/report.h"
#include "report/page.h"

#include <stddef.h>

/* Prints nothing where there is no spectrum. */
void lk_chart_spectrum(lk_page *p, const lk_report *r);

/* An item of the clock's list, `label` columns in, its text from `at` on. */
void lk_chart_phase(lk_page *p, const lk_report_clock *c, size_t label, size_t at);

#endif
