#include "infer/rounds.h"

#include "base/whole.h"
#include "infer/stats.h"

#include <math.h>

#define ANCHOR_SHARE 0.125 /* of the period: the width of the moment that the beat is set by */

enum { ANCHOR_STEPS = 4 };

/* The fullest moment of the episode. */
static double fullest(const lk_herd *h, double resolution_s)
{
    double width = fmax(resolution_s, ANCHOR_SHARE * h->period_s);
    size_t from = h->from, best_from = h->from, best = 0;

    for (size_t i = h->from; i < h->to; i++) {
        while (h->member[i].back_s - h->member[from].back_s > width)
            from++;
        if (i + 1 - from > best) {
            best = i + 1 - from;
            best_from = from;
        }
    }
    return h->member[best_from + best / 2].back_s;
}

/* The middle of the wave around the fullest moment. */
static double anchor_of(const lk_herd *h, double resolution_s)
{
    double anchor = fullest(h, resolution_s);

    for (int step = 0; step < ANCHOR_STEPS; step++) {
        double sum = 0.0, count = 0.0;

        for (size_t i = h->from; i < h->to; i++) {
            double off = h->member[i].back_s - anchor;

            if (fabs(off) > 0.5 * h->period_s)
                continue;
            sum += off;
            count += 1.0;
        }
        anchor += count > 0.0 ? sum / count : 0.0;
    }
    return anchor;
}

/* When the turn of a comeback began: the failed attempt one period before, and of a delay that counts from
 * answers its end, since a crash ends calls together that began at any time. */
static double origin_of(const lk_strides *s, const lk_herd *h, const lk_member *m)
{
    uint32_t at = (uint32_t)m->stride;
    double oldest = m->back_s - 1.05 * h->period_s - s->resolution_s;

    if (!h->is_cycle)
        return h->constant.measure == LK_MEASURE_PAUSE ? lk_stride_end_s(&s->row[at])
                                                       : s->row[at].at_s;
    while (s->row[at].previous != LK_NO_STRIDE) {
        uint32_t before = s->row[at].previous;

        if (!s->row[before].failed || s->row[before].at_s < oldest)
            break;
        at = before;
    }
    return s->row[at].at_s;
}

typedef struct numbering {
    lk_beat *beat;  /* [members of the episode] */
    double *origin; /* NAN where a link leads here */
} numbering;

/* A link is one turn; more where lines were lost in between. */
static int64_t turns(const lk_herd *h, double from_s, double to_s)
{
    return lk_whole(fmax(1.0, rint((to_s - from_s) / h->period_s)));
}

static void number(const lk_strides *s, const lk_herd *h, numbering *n)
{
    double anchor = anchor_of(h, s->resolution_s);
    size_t count = h->to - h->from;

    for (size_t i = 0; i < count; i++)
        n->beat[i].round = INT64_MIN;
    for (size_t i = 0; i < count; i++) {
        const lk_member *m = &h->member[h->from + i];

        n->origin[i] = (double)NAN;
        if (n->beat[i].round == INT64_MIN) {
            n->origin[i] = origin_of(s, h, m);
            n->beat[i].round = 1 + lk_whole(rint((n->origin[i] - anchor) / h->period_s));
        }
        n->beat[i].at_s = m->back_s;
        n->beat[i].rejected = s->row[m->stride].next_rejected;
        if (m->link != LK_NO_MEMBER && m->link > h->from + i && m->link < h->to)
            n->beat[m->link - h->from].round =
                n->beat[i].round + turns(h, m->back_s, h->member[m->link].back_s);
    }
}

/* What the first wave came from: the middle 90 % of its origins. */
static void find_origins(const numbering *n, size_t count, int64_t first_round, double *work,
                         lk_rounds *out)
{
    size_t got = 0;

    for (size_t i = 0; i < count; i++)
        if (n->beat[i].round == first_round && !isnan(n->origin[i]))
            work[got++] = n->origin[i];
    out->origins = got;
    out->origin_from_s = lk_quantile(work, got, 0.05);
    out->origin_to_s = lk_quantile(work, got, 0.95);
}

lk_code lk_rounds_find(const lk_herd *h, const lk_rounds_frame *in, lk_rounds *out, lk_err *e)
{
    size_t count = h->to - h->from;
    lk_mark mark = lk_arena_mark(in->scratch);
    numbering n = { LK_NEW(in->scratch, lk_beat, count), LK_NEW(in->scratch, double, count) };
    lk_beat *sorted = LK_NEW(in->scratch, lk_beat, count);
    double *work = LK_NEW(in->scratch, double, count);
    lk_rounds r = { 0 };

    if (!n.beat || !n.origin || !sorted || !work)
        return lk_fail(e, LK_EOOM, "no memory for %zu comebacks", count);
    number(in->strides, h, &n);
    for (size_t i = 0; i < count; i++)
        sorted[i] = n.beat[i];
    LK_TRY(lk_waves_of_beats(sorted, count, in->frame, in->a, &r.waves, e));
    if (r.waves.count > 0)
        find_origins(&n, count, r.waves.item[0].round, work, &r);
    lk_arena_rewind(in->scratch, mark);
    *out = r;
    return LK_OK;
}
