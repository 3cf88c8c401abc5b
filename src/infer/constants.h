/* infer/constants — delays and periods that well-known software ships with.
 *
 * Source: the projects' own sources and documentation; the names say which.  */
#ifndef LK_INFER_CONSTANTS_H
#define LK_INFER_CONSTANTS_H

#include "base/arena.h"
#include "base/err.h"
#include "model/report.h"

#include <stddef.h>

typedef enum lk_use { LK_USE_RETRY = 1, LK_USE_SCHEDULE = 2, LK_USE_ANY = 3 } lk_use;

typedef struct lk_known_constant {
    double constant_s;
    lk_use use;
    const char *what;
} lk_known_constant;

extern const lk_known_constant LK_KNOWN_CONSTANTS[]; /* ascending; ends with what == NULL */

typedef struct lk_candidates {
    lk_report_candidate *item;
    size_t count;
} lk_candidates;

/* The known constants within max(2 %, 3 errors) of a value, nearest first. */
LK_MUST_CHECK lk_code lk_constants_near(double value_s, double error_s, lk_use use, lk_arena *a,
                                        lk_candidates *out, lk_err *e);

/* Constants of ten seconds and more of which two to four turns make the value, at most three. */
LK_MUST_CHECK lk_code lk_constants_multiple(double value_s, double error_s, lk_use use, lk_arena *a,
                                            lk_candidates *out, lk_err *e);

#endif
