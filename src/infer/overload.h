/* infer/overload — is more asked for, all the time, than the server admits?
 *
 * Where capacity (what the server admits of everybody) does not say, the populations' own allowances
 * do: new work of one, block by block while it was refused, against what was admitted of it.  A burst
 * is no overload: it ends, and what it left drains.
 *
 * Fills r->overload where it is not known, and the deficit and the backlog of r->outlook.
 * Units:  requests a second.  */
#ifndef LK_INFER_OVERLOAD_H
#define LK_INFER_OVERLOAD_H

#include "model/report.h"

#include <stdbool.h>

typedef struct lk_overload {
    const lk_report_crowd *crowd; /* NULL: all of them, by capacity */
    double demand_per_s, allowance_per_s;
    double seconds; /* that it lasted */
} lk_overload;

/* False: there is none. */
bool lk_overload_of(const lk_report *r, lk_overload *out);

void lk_infer_overload(lk_report *r);

#endif
