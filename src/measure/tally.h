/* measure/tally — counts of attempts by status.
 *
 * A commutative monoid: add and merge in any order give the same integers.
 * Owner: plain data.  */
#ifndef LK_MEASURE_TALLY_H
#define LK_MEASURE_TALLY_H

#include "model/attempt.h"
#include "model/report.h"

typedef struct lk_tally {
    uint64_t attempts;
    uint64_t requests; /* lines: the first tries */
    uint64_t gave_up;
    uint64_t by_status[1000];          /* of the attempts whose status is known */
    uint64_t whole_second, sub_second; /* by the resolution of the stamps */
    uint64_t by_moment[3];             /* by lk_moment                    */
    uint64_t corrected;                /* whose start comes from a duration */
    uint64_t failed, rejected;
    uint64_t refused_good, refused_client; /* rejections that are no error by their status: below 400, 4xx */
    int64_t first_ns, last_ns;         /* LK_TIME_NONE when empty: starts */
    int64_t end_ns;                    /* the latest end                  */
} lk_tally;

void lk_tally_init(lk_tally *t);
void lk_tally_add(lk_tally *t, const lk_attempt *a);
void lk_tally_merge(lk_tally *t, const lk_tally *other);

/* 1 s when at least one attempt in a hundred has whole seconds, else 1 ms. */
int64_t lk_tally_resolution_ns(const lk_tally *t);
void lk_tally_report(const lk_tally *t, lk_report *r);

#endif
