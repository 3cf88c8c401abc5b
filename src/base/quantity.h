/* base/quantity — durations, rates and shares as people write them.
 *
 * Durations: "60", "0.25" (seconds), "200ms", "60s", "5m", "5min", "2h", "1d", "none" and "inf"
 * (without end).
 * Rates: "67", "67/s" (a second), "4000/m", "4000/min", "120000/h", "1.5e6/min".
 * Errors: false on anything else, and on a negative or an infinite number.  */
#ifndef LK_BASE_QUANTITY_H
#define LK_BASE_QUANTITY_H

#include "base/slice.h"

#include <stdbool.h>

bool lk_quantity_number(lk_slice s, double *out);  /* plain, finite, not negative */
bool lk_quantity_seconds(lk_slice s, double *out); /* "none", "inf": INFINITY */
bool lk_quantity_per_second(lk_slice s, double *out);

#endif
