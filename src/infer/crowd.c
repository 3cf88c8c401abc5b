#include "infer/crowd.h"

#include "base/whole.h"
#include "infer/stats.h"

#include <math.h>
#include <stdlib.h>

#define FAILED_LEAST 0.3 /* of the attempts in the waves                                  */
#define LOST_LEAST 0.8   /* of the answered must be missing from the waves that follow    */
#define SIGMAS 5.0
#define BUSY_BINS 0.3  /* the fullest phases ...                                        */
#define BUSY_SHARE 0.8 /* ... hold this share of the attempts: waves, not a stream      */

#define STILL_WAVE 0.15 /* of the fullest round                                          */

#define ROUNDS_SEEN 0.6
#define WIDEST 0.35     /* of the period                                                 */
#define ERROR_MOST 0.01 /* of the period                                                 */

enum { PHASE_BINS = 50, ROUNDS_MAX = 4096, ROUNDS_LEAST = 3, ATTEMPTS_LEAST = 60 };

static int descending(const void *a, const void *b)
{
    const double *x = a, *y = b;

    return (*x < *y) - (*x > *y);
}

/* Phases of the attempts; gives the share in the fullest bins and, in *quiet, the phase in the middle
 * of the emptiest third, where one round ends and the next begins. */
static double phase_share(const lk_crowd *p, double period_s, double *quiet)
{
    enum { THIRD = PHASE_BINS / 3 };
    double bin[PHASE_BINS] = { 0.0 }, least = (double)INFINITY, busy = 0.0;

    for (size_t i = 0; i < p->count; i++)
        bin[lk_whole_size(fmod(p->row[i]->at_s, period_s) / period_s * PHASE_BINS) % PHASE_BINS] +=
            1.0;
    for (size_t from = 0; from < PHASE_BINS; from++) {
        double sum = 0.0;

        for (size_t i = from; i < from + THIRD; i++)
            sum += bin[i % PHASE_BINS];
        if (sum < least) {
            least = sum;
            *quiet = ((double)from + 0.5 * THIRD) / PHASE_BINS * period_s;
        }
    }
    qsort(bin, PHASE_BINS, sizeof(bin[0]), descending);
    for (size_t i = 0; i < (size_t)(BUSY_BINS * PHASE_BINS); i++)
        busy += bin[i];
    return busy / (double)p->count;
}

typedef struct sizes {
    double attempts[ROUNDS_MAX], failed[ROUNDS_MAX];
    size_t count;
} sizes;

static bool fill_rounds(const lk_crowd *p, double period_s, double quiet, sizes *r)
{
    double base = floor((p->row[0]->at_s - quiet) / period_s);

    for (size_t i = 0; i < p->count; i++) {
        double round = floor((p->row[i]->at_s - quiet) / period_s) - base;

        if (round >= ROUNDS_MAX)
            return false;
        r->attempts[lk_whole_size(round)] += 1.0;
        r->failed[lk_whole_size(round)] += p->row[i]->failed;
        r->count = lk_whole_size(round) + 1;
    }
    return true;
}

/* Was everything logged between two instants? */
static bool is_logged(const lk_frame *f, double from, double to)
{
    if (to > f->end_s || from < f->log_zero_s)
        return false;
    for (size_t i = lk_line_bin(f->log, from - f->log_zero_s);
         i < lk_line_bin(f->log, to - f->log_zero_s); i++)
        if (f->log->hole[i])
            return false;
    return true;
}

static size_t fullest(const sizes *r)
{
    size_t full = 0;

    for (size_t i = 1; i < r->count; i++)
        full = r->attempts[i] > r->attempts[full] ? i : full;
    return full;
}

/* From the fullest round to the last that is still a wave: are those answered in a round missing
 * from the next? */
static bool shrinks(const sizes *r, const lk_frame *f, double period_s, double first_s)
{
    double attempts = 0.0, failed = 0.0, answered = 0.0, after = 0.0, lost;
    size_t full = fullest(r), i = full;

    for (; i < r->count && r->attempts[i] >= STILL_WAVE * r->attempts[full]; i++) {
        attempts += r->attempts[i];
        failed += r->failed[i];
        if (!is_logged(f, first_s + (double)(i + 1) * period_s,
                       first_s + (double)(i + 2) * period_s))
            break;
        answered += r->attempts[i] - r->failed[i];
        after = i + 1 < r->count ? r->attempts[i + 1] : 0.0;
    }
    lost = r->attempts[full] - after;
    return i >= full + ROUNDS_LEAST && failed >= FAILED_LEAST * attempts &&
           lost >= LOST_LEAST * answered && lost >= SIGMAS * sqrt(r->attempts[full] + after);
}

static void number(const lk_crowd *p, double period_s, double quiet, lk_beat *beat)
{
    for (size_t i = 0; i < p->count; i++)
        beat[i] = (lk_beat){ .at_s = p->row[i]->at_s,
                             .round = lk_whole(floor((p->row[i]->at_s - quiet) / period_s)),
                             .rejected = p->row[i]->rejected };
}

/* Do the waves follow each other at the period, narrow and without gaps? */
static bool keeps_time(const lk_waves *w, double period_s, double resolution_s)
{
    double turns;

    if (w->count < ROUNDS_LEAST)
        return false;
    turns = (double)(w->item[w->count - 1].round - w->item[0].round + 1);
    return (double)w->count >= ROUNDS_SEEN * turns && w->width_s <= WIDEST * period_s &&
           w->period_error_s <= fmax(ERROR_MOST * period_s, 0.2 * resolution_s);
}

lk_code lk_crowd_ask(const lk_crowd *crowd, double period_s, lk_arena *a, lk_arena *scratch,
                     lk_crowd_answer *out, lk_err *e)
{
    lk_mark mark = lk_arena_mark(scratch);
    sizes *r = LK_NEW(scratch, sizes, 1);
    lk_beat *beat = LK_NEW(scratch, lk_beat, crowd->count);
    double quiet = 0.0, first;

    if (!r || !beat)
        return lk_fail(e, LK_EOOM, "no memory for a crowd of %zu attempts", crowd->count);
    *out = (lk_crowd_answer){ .is_retry = false };
    if (crowd->count >= ATTEMPTS_LEAST && phase_share(crowd, period_s, &quiet) >= BUSY_SHARE &&
        fill_rounds(crowd, period_s, quiet, r)) {
        first = quiet + floor((crowd->row[0]->at_s - quiet) / period_s) * period_s;
        number(crowd, period_s, quiet, beat);
        LK_TRY(lk_waves_of_beats(beat, crowd->count, crowd->frame, a, &out->waves, e));
        out->is_retry = shrinks(r, crowd->frame, period_s, first) &&
                        keeps_time(&out->waves, period_s, crowd->frame->resolution_s);
    }
    lk_arena_rewind(scratch, mark);
    return LK_OK;
}
