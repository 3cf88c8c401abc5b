/* base/quantity — durations, rates and shares as people write them.
 *
 * Durations: "60", "0.25" (seconds), "200ms", "60s", "5m", "5min", "2h", "1d", "none" and "inf"
 * (without end).
 * Rates: "67", "67/s" (a second), "4000/m", "4000/min", "120000/h", "1.5e6/min".
 * Shares: "0.1", "10%".
 * Errors: false on anything else, and on a negative or an infinite number; EUSAGE from rows.  */
#ifndef LK_BASE_QUANTITY_H
#define LK_BASE_QUANTITY_H

#include "base/err.h"
#include "base/slice.h"

#include <stdbool.h>

bool lk_quantity_number(lk_slice s, double *out);  /* plain, finite, not negative */
bool lk_quantity_seconds(lk_slice s, double *out); /* "none", "inf": INFINITY */
bool lk_quantity_finite_seconds(lk_slice s, double *out); /* not "none" */
bool lk_quantity_per_second(lk_slice s, double *out);
bool lk_quantity_share(lk_slice s, double *out); /* 0 to 1 */

/* Options that are quantities, a row each; the ones that are not given (text NULL) keep their *out. */
typedef struct lk_quantity_row {
    const char *name, *text;
    bool (*read)(lk_slice s, double *out);
    double *out;
    const char *wants; /* "a duration" */
} lk_quantity_row;

LK_MUST_CHECK lk_code lk_quantity_read_rows(const lk_quantity_row *rows, size_t count, lk_err *e);

#endif
