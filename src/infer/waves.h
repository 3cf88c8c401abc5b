/* infer/waves — a train of waves: their sizes and widths, the period between them, their decay.
 *
 * Shapes: item[count] by round; a round without a wave is left out, so rounds may skip.
 * Units:  seconds after the first arrival; sizes in attempts.
 * Owner:  the arena given.
 * Errors: EOOM.
 * Source: period by iteratively reweighted least squares (Cauchy weights) of the waves' centres on
 *         their rounds; the interval of the decay from callers that leave at random, and from what
 *         the steps vary more than that, widened by a tenth.  */
#ifndef LK_INFER_WAVES_H
#define LK_INFER_WAVES_H

#include "base/arena.h"
#include "base/err.h"
#include "infer/series.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The log that arrivals stand in. */
typedef struct lk_frame {
    double resolution_s; /* of the stamps                                   */
    const lk_line *log;  /* all arrivals, for its holes; NULL = none known  */
    double log_zero_s;   /* where its bin 0 begins                          */
    double end_s;        /* the last arrival; 0 = not known                 */
} lk_frame;

typedef struct lk_wave {
    int64_t round;
    double start_s, centre_s;
    double width_s; /* the middle 90 % */
    double peak_per_s;
    double arrivals, rejected;
    double noise; /* variance of `arrivals` from what came besides; 0 when counted by caller */
} lk_wave;

typedef struct lk_waves {
    lk_wave *item;
    size_t count;
    double period_s, period_error_s;              /* NAN below two waves, the error below three */
    double width_s;                               /* the median of the waves' widths            */
    double survival, survival_low, survival_high; /* NAN below two sizeable waves  */
} lk_waves;

/* One arrival that is known to belong to a round. */
typedef struct lk_beat {
    double at_s;
    int64_t round;
    bool rejected;
} lk_beat;

/* Groups beats (reordered) into waves around the fullest round, as far as rounds follow each other
 * with no more than two missing besides those that fall into holes of the log and do not overlap, and
 * measures them. */
LK_MUST_CHECK lk_code lk_waves_of_beats(lk_beat *beats, size_t n, const lk_frame *frame,
                                        lk_arena *a, lk_waves *out, lk_err *e);

/* Fills everything but the items.  Decay: the geometric mean of the ratios while a wave has ten
 * arrivals and a tenth of the largest, and is not cut short by the end of the log. */
LK_MUST_CHECK lk_code lk_waves_measure(lk_waves *w, const lk_frame *frame, lk_arena *scratch,
                                       lk_err *e);

#endif
