/* sim/recovery — the lab of S5 measured: clients that failed together, and when they come back.
 *
 * Everybody fails at time 0 and until the outage ends.  A share of the clients follows `policy`, the
 * rest `other`.
 * Shapes: arrivals[LK_RECOVERY_BINS] of bin_s each, of retry `retry`.  */
#ifndef LK_SIM_RECOVERY_H
#define LK_SIM_RECOVERY_H

#include "sim/crowds.h"
#include "sim/lab.h"

enum { LK_RECOVERY_BINS = 20 };

typedef struct lk_recovery {
    unsigned clients, retry; /* which retry the histogram shows, from 1 */
    double down_s, rtt_s;
    double share;            /* of `policy`; 1 = all */
    const lk_sampler *policy, *other;
    double bin_s;            /* of the histogram */
} lk_recovery;

enum {
    LK_RECOVERY_FULLEST,  /* of that retry, in one second          */
    LK_RECOVERY_FIRST,    /* its earliest, median and latest arrival */
    LK_RECOVERY_MEDIAN,
    LK_RECOVERY_LAST,
    LK_RECOVERY_PEAK,     /* requests in the fullest second after the outage */
    LK_RECOVERY_MEAN,     /* time to success */
    LK_RECOVERY_P99,
    LK_RECOVERY_HISTOGRAM,
    LK_RECOVERY_MEASURES = LK_RECOVERY_HISTOGRAM + LK_RECOVERY_BINS
};

lk_crowds lk_recovery_crowds(const lk_recovery *r);

/* out[LK_RECOVERY_MEASURES] */
LK_MUST_CHECK lk_code lk_recovery_measure(lk_lab *lab, unsigned runs, const lk_recovery *r,
                                          lk_estimate *out, lk_err *e);

#endif
