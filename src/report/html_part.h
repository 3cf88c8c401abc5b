/* report/html_part — the parts of the HTML report, in the order of the page.
 *
 * Each writes a section and what is known; a part of which nothing is known says so or is left out.
 * Bounds: every list is cut at a constant length and says what it left out, so that the page stays
 *         below 300 kB.  */
#ifndef LK_REPORT_HTML_PART_H
#define LK_REPORT_HTML_PART_H

#include "model/report.h"
#include "report/html.h"

extern const char *const LK_HTML_STYLE[]; /* html_style.c; NULL-terminated pieces of CSS */

void lk_html_verdict(lk_html *h, const lk_report *r);       /* html_verdict.c */
void lk_html_arrivals(lk_html *h, const lk_report *r);      /* html_arrivals.c */
void lk_html_incident(lk_html *h, const lk_report *r); /* html_incident.c */
void lk_html_wasted(lk_html *h, const lk_report *r);
void lk_html_by(lk_html *h, const lk_report *r);            /* html_by.c */
void lk_html_rates(lk_html *h, const lk_report *r);         /* html_rates.c */
void lk_html_clocks(lk_html *h, const lk_report *r);        /* html_clocks.c */
void lk_html_spectrum(lk_html *h, const lk_report *r);      /* html_spectrum.c */
void lk_html_amplification(lk_html *h, const lk_report *r); /* html_retries.c */
void lk_html_fixed_delays(lk_html *h, const lk_report *r);
void lk_html_retry_after(lk_html *h, const lk_report *r);
void lk_html_policies(lk_html *h, const lk_report *r); /* html_policies.c */
void lk_html_capacity(lk_html *h, const lk_report *r); /* html_advice.c */
void lk_html_advice(lk_html *h, const lk_report *r);
/* The first `shown` of the advice as a list, what each would do in a few words. */
void lk_html_advised(lk_html *h, const lk_report *r, size_t shown);
void lk_html_notes(lk_html *h, const lk_report *r); /* html_inputs.c */
void lk_html_inputs(lk_html *h, const lk_report *r);

/* html_clocks.c: "Retry clock", "Schedule", ... */
const char *lk_html_clock_title(const lk_report_clock *c);
/* The first clock of a retry path, or NULL. */
const lk_report_clock *lk_html_retry_clock(const lk_report *r);
/* "60.02 s" with as many digits as its error allows. */
const char *lk_html_period(lk_html *h, const lk_report_clock *c);

#endif
