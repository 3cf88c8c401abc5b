#include "infer/delays.h"

#include "infer/peel.h"

#include <math.h>

#define LEAST_SHARE 0.05    /* of the gaps: the atom at a cap holds less                      */
#define LEAST_RESULTANT 0.2 /* phases that bunch less make no herd, however many they are     */
#define LONGEST_SHARE 0.5   /* of the span                                                    */
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
                      .from_s = h->member[h->from].back_s - 1.1 * h->gap_s };

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

/* Waves wider than a delay hide its phases; inside a synchronised cycle its callers are together all
 * the same. */
static lk_code inherit(const lk_strides *s, const lk_delay_search *how, lk_arena *scratch,
                       lk_delays *all, lk_err *e)
{
    for (size_t i = 0; i < all->count; i++)
        for (size_t o = 0; o < all->count; o++) {
            lk_delay *inner = &all->item[i];
            const lk_delay *outer = &all->item[o];
            bool same = false;

            if (inner->synchronised || !outer->synchronised || !outer->herd.is_cycle ||
                isnan(outer->herd.period_s) || outer->herd.gap_s < inner->herd.gap_s ||
                inner->herd.constant.ln_gap > how->ln_threshold)
                continue;
            LK_TRY(lk_herd_is_of(s, &inner->herd, &outer->herd, scratch, &same, e));
            if (!same)
                continue;
            inner->synchronised = true;
            inner->ln_p = fmax(inner->herd.constant.ln_gap, outer->ln_p);
        }
    return LK_OK;
}

lk_code lk_delays_find(const lk_strides *s, const lk_delay_search *how, lk_arena *a,
                       lk_arena *scratch, lk_delays *out, lk_err *e)
{
    lk_mark mark = lk_arena_mark(scratch);
    lk_peel_how peeling = { .after_failure = true,
                            .longest_s = LONGEST_SHARE * how->span_s,
                            .least_share = LEAST_SHARE,
                            .ln_trials = how->ln_trials,
                            .ln_threshold = how->ln_threshold };
    lk_peel peel;

    out->count = 0;
    LK_TRY(lk_peel_open(&peel, s, &peeling, scratch, e));
    for (size_t tries = 0; tries < LK_DELAYS_MAX; tries++) {
        lk_delay *d = &out->item[out->count];
        lk_constant c;
        lk_peel_callers callers;

        LK_TRY(lk_peel_next(&peel, &c, &callers, e));
        if (callers.once_or_more == 0)
            break;
        if (callers.once_or_more < CALLERS_LEAST)
            continue;
        LK_TRY(lk_herd_gather(s, &c, a, scratch, &d->herd, e));
        LK_TRY(judge(s, how, scratch, d, e));
        out->count++;
    }
    LK_TRY(inherit(s, how, scratch, out, e));
    judge_together(out);
    lk_arena_rewind(scratch, mark);
    return LK_OK;
}
