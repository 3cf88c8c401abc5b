/* report/basis — what each finding of a report rests on, in words: what was measured, on which population,
 * how sure it is, and what would change it.  For the renderers that have no place beside each finding.
 *
 * Owner:  constant text.  */
#ifndef LK_REPORT_BASIS_H
#define LK_REPORT_BASIS_H

#include "model/report.h"

typedef struct lk_basis {
    const char *finding, *measured, *population, *sure, *change;
} lk_basis;

/* Basis i of the findings that the report makes; false past the last. */
bool lk_basis_of(const lk_report *r, size_t i, lk_basis *out);

#endif
