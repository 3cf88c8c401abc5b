#include "infer/delays.h"

#include "infer/peel.h"

#include <math.h>

/* Shorter steps inside a cycle are tries of one moment, no waves of their own. */
#define SHORTEST_INNER_S 1.5
#define LEAST_SHARE 0.05    /* of the gaps: the atom at a cap holds less                      */
#define LEAST_RESULTANT 0.2 /* phases that bunch less make no herd, however many they are     */
#define LONGEST_SHARE 0.5   /* of the span                                                    */
#define SIDE_FACTOR 2.0     /* servers whose clocks differ put comebacks beside the delay too */
#define SHARE_TOGETHER 0.5  /* of the failures of callers that were never answered            */

enum { CALLERS_LEAST = 4 };

static lk_code judge(const lk_strides *s, const lk_delay_search *how, lk_arena *scratch,
                     lk_delay *d, lk_err *e)
{
    const lk_herd *h = &d->herd;
    const lk_constant *c = &h->constant;
    lk_question q = { .measure = c->measure,
                      .step_s = lk_constant_middle(c),
                      .tolerance_s = lk_constant_reach(c),
                      .from_s = h->member[h->from].back_s - 1.1 * h->gap_s,
                      .side_factor = SIDE_FACTOR };

    q.to_s = fmin(h->member[h->to - 1].back_s, how->span_s - q.step_s - q.tolerance_s);
    d->ln_p = fmax(c->ln_gap, h->ln_sync + how->ln_trials);
    d->synchronised = d->ln_p < how->ln_threshold && h->resultant >= LEAST_RESULTANT;
    return lk_attribute(s, &q, scratch, &d->answer, e);
}

/* Nobody of a herd was ever answered: then its failures should nearly all be followed by one or the
 * other of the herd's delays. */
static void judge_together(lk_delays *all)
{
    double share = 0.0;

    for (size_t i = 0; i < all->count; i++)
        if (all->item[i].synchronised)
            share += all->item[i].answer.after_failure;
    for (size_t i = 0; i < all->count; i++) {
        lk_answer *a = &all->item[i].answer;

        if (a->cause == LK_CAUSE_UNKNOWN && all->item[i].synchronised && share > SHARE_TOGETHER &&
            lk_answer_lacks_answers(a))
            a->cause = LK_CAUSE_RETRY;
    }
}

typedef struct finder {
    const lk_strides *s;
    const lk_delay_search *how;
    lk_arena *a, *scratch;
    lk_delays *out;
} finder;

static bool may_inherit(const lk_delay *inner, const lk_delay *outer)
{
    return inner->herd.gap_s >= SHORTEST_INNER_S && !inner->synchronised &&
           outer->synchronised && outer->herd.is_cycle && !isnan(outer->herd.period_s) && outer->herd.gap_s >= inner->herd.gap_s;
}

/* Waves wider than a delay hide its phases; inside a synchronised cycle its callers are together all
 * the same. */
static lk_code inherit(const finder *f, lk_delay *inner, lk_err *e)
{
    for (size_t i = 0; i < f->out->count; i++) {
        const lk_delay *outer = &f->out->item[i];
        bool same = false;

        if (may_inherit(inner, outer))
            LK_TRY(lk_herd_is_of(f->s, &inner->herd, &outer->herd, f->scratch, &same, e));
        if (!same)
            continue;
        inner->synchronised = inner->by_cycle = true;
        inner->ln_p = fmax(inner->herd.constant.ln_gap, outer->ln_p);
    }
    return LK_OK;
}

static lk_code take(const finder *f, const lk_constant *c, lk_err *e)
{
    lk_delay *d = &f->out->item[f->out->count];

    LK_TRY(lk_herd_gather(f->s, c, f->a, f->scratch, &d->herd, e));
    LK_TRY(judge(f->s, f->how, f->scratch, d, e));
    f->out->count++;
    return LK_OK;
}

static lk_code peel_all(const finder *f, lk_peel *peel, lk_err *e)
{
    lk_peel_callers callers = { .once_or_more = 1 };

    for (size_t tries = 0; tries < LK_DELAYS_MAX && callers.once_or_more > 0; tries++) {
        lk_constant c;

        LK_TRY(lk_peel_next(peel, &c, &callers, e));
        if (callers.once_or_more >= CALLERS_LEAST)
            LK_TRY(take(f, &c, e));
    }
    return LK_OK;
}

lk_code lk_delays_find(const lk_strides *s, const lk_delay_search *how, lk_arena *a,
                       lk_arena *scratch, lk_delays *out, lk_err *e)
{
    lk_mark mark = lk_arena_mark(scratch);
    lk_peel_how peeling = { .after_failure = true,
                            .shortest_s = how->range.min_s,
                            .longest_s =
                                lk_period_at_most(&how->range, LONGEST_SHARE * how->span_s),
                            .least_share = LEAST_SHARE,
                            .ln_trials = how->ln_trials,
                            .ln_threshold = how->ln_threshold };
    finder f = { s, how, a, scratch, out };
    lk_peel peel;

    out->count = 0;
    LK_TRY(lk_peel_open(&peel, s, &peeling, scratch, e));
    LK_TRY(peel_all(&f, &peel, e));
    for (size_t i = 0; i < out->count; i++)
        LK_TRY(inherit(&f, &out->item[i], e));
    judge_together(out);
    lk_arena_rewind(scratch, mark);
    return LK_OK;
}
