/* infer/owners — who ticks, in one line: how many callers, what they are, how often.
 *
 * Owner:  the arena; user agents stand raw in the text, renderers make them safe.
 * Errors: EOOM.  */
#ifndef LK_INFER_OWNERS_H
#define LK_INFER_OWNERS_H

#include "base/arena.h"
#include "base/err.h"
#include "model/report.h"

#include <stdbool.h>

/* "12 probes, user agent kube-probe/1.27, every 10 s" to each clock whose callers or agent are known. */
LK_MUST_CHECK lk_code lk_owners_name(lk_report *r, lk_arena *a, lk_err *e);

/* Do those who tick do so by trade: probes, scrapers, monitors? */
bool lk_owner_is_scheduler(const lk_report_clock *clock);

#endif
