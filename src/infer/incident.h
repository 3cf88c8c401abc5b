/* infer/incident — when it was bad, and how long it stayed bad without load.
 *
 * The incident is the stretch of time whose failed attempts are least like the rest of the log: the
 * segment of the greatest log-likelihood ratio.  Demand is what is no comeback; it is back at its
 * baseline when the last surge above the median outside the incident is over.
 *
 * Units:  ns.
 * Owner:  r->incident and the notes live in `arena`.
 * Errors: EOOM.
 * Cost:   O(bins), at most 4,096.
 * Source: scan statistic (Kulldorff 1997) as a maximum-sum segment; the bounds are ours.  */
#ifndef LK_INFER_INCIDENT_H
#define LK_INFER_INCIDENT_H

#include "base/arena.h"
#include "model/evidence.h"
#include "model/report.h"

/* since/until: the incident as given, LK_TIME_NONE = to be found.  Fills r->incident (NULL when
 * there is none). */
LK_MUST_CHECK lk_code lk_infer_incident(const lk_evidence *ev, int64_t since_ns, int64_t until_ns,
                                        lk_arena *arena, lk_arena *scratch, lk_report *r,
                                        lk_err *e);

/* wasted.over_budget: comebacks beyond a share of the first attempts of the same minute, which a
 * retry budget of that share would have cut. */
void lk_infer_budgets(const lk_evidence *ev, lk_report *r);

#endif
