/* report/text_part — the parts of the text report, in the order of lockstep-report(5).
 *
 * Each prints its heading and what is known; a part of which nothing is known prints nothing.  */
#ifndef LK_REPORT_TEXT_PART_H
#define LK_REPORT_TEXT_PART_H

#include "model/report.h"
#include "report/page.h"

void lk_text_verdict(lk_page *p, const lk_report *r); /* text_rates.c */
void lk_text_rates(lk_page *p, const lk_report *r);
void lk_text_incident(lk_page *p, const lk_report *r); /* text_incident.c */
void lk_text_wasted(lk_page *p, const lk_report *r);
void lk_text_arrivals(lk_page *p, const lk_report *r);
void lk_text_amplification(lk_page *p, const lk_report *r); /* text_retries.c */
void lk_text_by(lk_page *p, const lk_report *r);            /* text_by.c */
void lk_text_clocks(lk_page *p, const lk_report *r);        /* text_clocks.c */
void lk_text_fixed_delays(lk_page *p, const lk_report *r);  /* text_retries.c */
void lk_text_retry_after(lk_page *p, const lk_report *r);
void lk_text_policies(lk_page *p, const lk_report *r); /* text_advice.c */
void lk_text_capacity(lk_page *p, const lk_report *r);
void lk_text_advice(lk_page *p, const lk_report *r);
void lk_text_inputs(lk_page *p, const lk_report *r); /* text_inputs.c */
void lk_text_notes(lk_page *p, const lk_report *r);
void lk_text_basis(lk_page *p, const lk_report *r); /* text_basis.c */

#endif
