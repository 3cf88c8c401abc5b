/* infer/alias — is a period that bins show the arrivals' own, or made by a faster clock?
 *
 * Arrivals every 1.07 s, put into bins of 0.25 s, look like waves every 3.82 s; and whatever comes every
 * 1.5 s comes every 7.5 s as well.  Narrower bins tell, or the callers' own instants where stamps are finer
 * than bins; of a multiple the bins tell, too.
 *
 * Units:  seconds after the first arrival.
 * Cost:   some thousand attempts and bins a period that is asked for.
 * Source: Rayleigh's test by harmonic, with the instants as they are and as the bins have them; ours.  */
#ifndef LK_INFER_ALIAS_H
#define LK_INFER_ALIAS_H

#include "base/arena.h"
#include "base/err.h"
#include "infer/series.h"
#include "infer/strides.h"

typedef struct lk_alias_question {
    const lk_line *line; /* that shows the period ...                 */
    size_t from, to;     /* ... in these bins                         */
    double zero_s;       /* where its bin 0 begins                    */
    double period_s;
    const lk_fine_series *fine; /* the same arrivals in narrower bins, where there are any */
    double fine_zero_s;         /* where its bin 0 begins                                  */
    const double *explained;    /* [unit_count] what of them the line no longer holds, as lk_case has it;
                                   NULL = it holds all                                      */
    bool rejected;              /* the line holds rejections only                          */
} lk_alias_question;

typedef struct lk_alias_answer {
    bool by_bins;    /* the bins make it: the arrivals have no such period            */
    unsigned faster; /* the clock is so many times as fast; 1 = it is the period's own */
} lk_alias_answer;

/* No alias where the callers' instants cannot tell; what is faster the bins may tell, too. */
LK_MUST_CHECK lk_code lk_alias_ask(const lk_strides *s, const lk_alias_question *q,
                                   lk_arena *scratch, lk_alias_answer *out, lk_err *e);

#endif
