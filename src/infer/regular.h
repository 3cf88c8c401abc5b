/* infer/regular — is one caller regular?  Its bursts begin at equal intervals after good answers.
 *
 * Units:  seconds.
 * Errors: none; work arrays come from the caller.
 * Source: ours: an interval is near the period by chance in 2 tolerances by the period (4 where lines
 *         may be missing and it may span up to three); a burst begins in the first five seconds of
 *         a minute in one of twelve.  */
#ifndef LK_INFER_REGULAR_H
#define LK_INFER_REGULAR_H

#include "infer/strides.h"

#include <stdbool.h>
#include <stddef.h>

typedef struct lk_regular {
    double period_s; /* the median interval; 0 = not regular */
    double ln_p;     /* one caller's; trials not counted     */
    double burst_s;  /* gaps above this part bursts          */
    bool punctual;   /* they begin on full minutes           */
} lk_regular;

/* `work` holds twice as many values as the unit has strides. */
lk_regular lk_regular_find(const lk_strides *s, size_t unit, double *work);

/* Are there attempts enough to tell? */
bool lk_regular_can(const lk_strides *s, size_t unit);

/* The strides that begin a burst, given as indices; gives their number. */
size_t lk_burst_starts(const lk_strides *s, size_t unit, double burst_s, size_t *out);

/* How far an interval may be from a period (the tighter tolerance). */
double lk_regular_tolerance(double period_s, double resolution_s);

#endif
