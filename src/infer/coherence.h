/* infer/coherence — do the cycles of one period share a phase?  The confirmation test.
 *
 * The series is cut into rows of one period; a[k][m] is row k's Fourier sum at harmonic m.  Then
 * Z_m = |sum_k a|^2 / sum_k |a|^2 is a unit exponential when the rows share no phase, whatever their
 * powers are: one giant burst cannot win and red noise cancels.  Maximised over harmonics, ranges of
 * rows and a fine rotation of the period; ln_p counts none of these trials.
 *
 * Errors: EOOM.
 * Cost:   O(n * harmonics + rows * shifts * harmonics); memory n doubles and 16 a row and harmonic.
 * Source: ours.  */
#ifndef LK_INFER_COHERENCE_H
#define LK_INFER_COHERENCE_H

#include "base/arena.h"
#include "base/err.h"
#include "infer/series.h"

#include <stddef.h>

typedef struct lk_coherence {
    double ln_p, period_s;
    double sum;              /* of Z over the harmonics                     */
    size_t row_from, row_to; /* the cycles [from, to) that cohere the best */
    unsigned harmonics;
} lk_coherence;

typedef struct lk_coherence_how {
    unsigned ranges; /* end points that ranges of rows may have           */
    unsigned shifts; /* fine periods tried, odd; 1 = the period as given  */
} lk_coherence_how;

#define LK_COHERENCE_FULL ((lk_coherence_how){ .ranges = 12, .shifts = 13 })

/* ln_p = 0 when the line holds fewer than three cycles. */
LK_MUST_CHECK lk_code lk_coherence_test(const lk_line *line, double period_s, lk_coherence_how how,
                                        lk_arena *scratch, lk_coherence *out, lk_err *e);

#endif
