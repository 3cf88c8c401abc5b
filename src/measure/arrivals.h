/* measure/arrivals — arrivals and rejections in bins of equal width, aligned to the epoch.
 *
 * A commutative monoid: add and merge in any order give the same integers, since bins only ever
 * double and always stand on multiples of their width.
 *
 * Shapes: all[n], rejected[n]; bin i covers [(first_bin + i) * bin_ns, + bin_ns).
 * Owner:  lk_arrivals_init/lk_arrivals_release.
 * Errors: EOOM.
 * Cost:   8 bytes a bin, at most 2^20 bins: three days at 0.25 s, a month at 4 s.  Beside them the narrow
 *         bins of a longer log are kept for a month, where that is asked for (measure/fine).  */
#ifndef LK_MEASURE_ARRIVALS_H
#define LK_MEASURE_ARRIVALS_H

#include "base/arena.h"
#include "measure/fine.h"
#include "model/attempt.h"
#include "model/evidence.h"
#include "model/report.h"

enum { LK_ARRIVAL_BINS_MAX = 1 << 20 };

typedef struct lk_arrivals {
    int64_t bin_ns;
    int64_t first_bin; /* number of bin 0 since the epoch */
    size_t n, cap;
    size_t front; /* bins of room before the first */
    size_t max;   /* bins; LK_ARRIVAL_BINS_MAX unless limited */
    uint32_t *all, *rejected;
    int64_t begin_ns, end_ns; /* of the bin used last: the next attempt is mostly in it */
    size_t at;                /* its index */
    bool keeps_fine; /* narrow bins, too, once these are halved */
    lk_fine fine;
    bool is_long; /* they were */
} lk_arrivals;

LK_MUST_CHECK lk_code lk_arrivals_init(lk_arrivals *s, int64_t bin_ns, lk_err *e);
void lk_arrivals_keep_fine(lk_arrivals *s); /* before anything is added */
/* Fewer bins than there may be otherwise, and fewer blocks of narrow ones; before anything is added. */
void lk_arrivals_limit(lk_arrivals *s, size_t bins_max, size_t blocks_max);
void lk_arrivals_release(lk_arrivals *s);
LK_MUST_CHECK lk_code lk_arrivals_add(lk_arrivals *s, int64_t at_ns, bool rejected, lk_err *e);
LK_MUST_CHECK lk_code lk_arrivals_merge(lk_arrivals *s, const lk_arrivals *other, lk_err *e);

/* Bins of at least `bin_ns` (a multiple of 0.25 s), in the arena, as infer/ wants them; their narrow ones
 * are read from s, which must live as long. */
LK_MUST_CHECK lk_code lk_arrivals_series(const lk_arrivals *s, int64_t bin_ns, lk_arena *arena,
                                         lk_series *out, lk_err *e);

/* The histogram of the report: bins of `bin_s`, or of a round width that gives at most
 * LK_ARRIVALS_MAX of them when bin_s is 0 or too fine.  comebacks: those of them that are retries, or
 * NULL. */
LK_MUST_CHECK lk_code lk_arrivals_report(const lk_arrivals *s, const lk_arrivals *comebacks,
                                         double bin_s, double resolution_s, lk_arena *arena,
                                         lk_report *r, lk_err *e);

#endif
