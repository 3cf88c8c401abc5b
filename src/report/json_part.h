/* report/json_part — the parts of the JSON report, one function a key of the top level.
 *
 * Errors: a lack of memory shows in the document (lk_json_print) or in part->failed.
 * Source: lockstep.report/1, lockstep-report(5).  */
#ifndef LK_REPORT_JSON_PART_H
#define LK_REPORT_JSON_PART_H

#include "base/arena.h"
#include "model/json.h"
#include "model/report.h"

typedef struct lk_json_part {
    const lk_report *report;
    lk_arena *arena;
    bool failed;
} lk_json_part;

/* Text that may stem from a log, made safe; NULL gives null. */
void lk_json_part_text(lk_json_part *p, lk_json *parent, const char *key, const char *raw);

/* One element of an array; NULL when the array is. */
lk_json *lk_json_part_item(lk_json *array);

void lk_json_part_known(lk_json *parent, const char *key, lk_known known);

/* json_counts.c */
void lk_json_part_input(lk_json_part *p, lk_json *root);
void lk_json_part_http(lk_json_part *p, lk_json *root);
void lk_json_part_incident(lk_json_part *p, lk_json *root);
void lk_json_part_calls(lk_json_part *p, lk_json *root);
void lk_json_part_reconciliation(lk_json_part *p, lk_json *root);
void lk_json_part_wasted(lk_json_part *p, lk_json *root);
void lk_json_part_by(lk_json_part *p, lk_json *root);

/* json_clocks.c */
void lk_json_part_arrivals(lk_json_part *p, lk_json *root);
void lk_json_part_spectrum(lk_json_part *p, lk_json *root);
void lk_json_part_clocks(lk_json_part *p, lk_json *root);
void lk_json_part_fixed_delays(lk_json_part *p, lk_json *root);

/* json_workload.c */
void lk_json_part_workload(lk_json_part *p, lk_json *root);

/* json_retries.c */
void lk_json_part_layers(lk_json_part *p, lk_json *root);
void lk_json_part_amplification(lk_json_part *p, lk_json *root);
void lk_json_part_policies(lk_json_part *p, lk_json *root);
void lk_json_part_retry_after(lk_json_part *p, lk_json *root);
/* The members of a lk_report_obedience. */
void lk_json_obedience(lk_json *o, const lk_report_obedience *b);
void lk_json_part_capacity(lk_json_part *p, lk_json *root);
void lk_json_part_outlook(lk_json_part *p, lk_json *root);
void lk_json_part_advice(lk_json_part *p, lk_json *root);
/* Layers and amplification, as two arrays of `parent`. */
void lk_json_retries(lk_json_part *p, lk_json *parent, const lk_report_layers *retries);

#endif
