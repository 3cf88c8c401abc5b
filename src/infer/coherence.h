/* infer/coherence — do the cycles of one period share a phase?  The confirmation test.
 *
 * The series is cut into rows of one period; a[k][m] is row k's Fourier sum at harmonic m.  Then
 * Z_m = |sum_k a|^2 / sum_k |a|^2 is a unit exponential when the rows share no phase, whatever their
 * powers are: one giant burst cannot win and red noise cancels.  Maximised over harmonics, ranges of
 * rows and a fine rotation of the period; ln_p counts none of these trials.
 *
 * Rows of many bins are put together to 128 .. 256 cells, and rows near each other are turned as one:
 * what that loses is a few hundredths of the last harmonic.
 *
 * Owner:  a room holds what a test needs, for lines of up to so many bins; it lasts with its arena.
 * Errors: EOOM.
 * Thread: one room, one thread.
 * Cost:   O(n * harmonics); memory ten bytes a bin, and 40 KB.
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
    unsigned ranges; /* end points that ranges of rows may have, 16 at most */
    unsigned shifts; /* fine periods tried, odd; 1 = the period as given    */
    double ln_limit; /* what is not below it is not looked at closely       */
} lk_coherence_how;

#define LK_COHERENCE_FULL ((lk_coherence_how){ .ranges = 12, .shifts = 13 })

typedef struct lk_coherence_room lk_coherence_room;

LK_MUST_CHECK lk_code lk_coherence_open(size_t bins, lk_arena *a, lk_coherence_room **out,
                                        lk_err *e);

/* ln_p = 0 when the line holds fewer than three cycles, more bins than the room, or nothing below the
 * limit. */
lk_coherence lk_coherence_test(lk_coherence_room *room, const lk_line *line, double period_s,
                               lk_coherence_how how);

#endif
