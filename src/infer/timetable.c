#include "infer/timetable.h"

#include "base/whole.h"
#include "infer/peel.h"
#include "infer/regular.h"
#include "infer/stats.h"
#include "infer/steps.h"

#include <math.h>
#include <stdlib.h>

#define LONGEST_SHARE 0.5 /* of the span                                               */
#define BURST_SHARE 0.4   /* of the period: what parts the bursts of a caller          */
#define LOOSE 0.06        /* how far an interval may be off where the period is refined */
#define REPEAT_SHARE 0.3  /* of a constant's callers that keep to it more than once    */
#define LONE_BEATS 20     /* a few callers that are not cron lines must have as many each */
#define STEP_SHARE 0.5    /* of a caller's steps that make it one of a shared constant */
#define TOGETHER 0.5      /* least resultant of callers that share a phase             */
#define FINEST_S 0.05

enum { CALLERS_LEAST = 4, PHASE_CALLERS_LEAST = 3 };

typedef struct clerk {
    const lk_strides *s;
    const lk_schedule_search *how;
    lk_regular *regular; /* [unit_count] */
    bool *taken;         /* [unit_count] */
    double *work;        /* [2 n] */
    size_t *index;
    lk_arena *a, *scratch;
} clerk;

static lk_code open_clerk(clerk *c, lk_err *e)
{
    size_t n = c->s->n, units = c->s->unit_count;

    c->regular = LK_NEW(c->scratch, lk_regular, units);
    c->taken = LK_NEW(c->scratch, bool, units);
    c->work = LK_NEW(c->scratch, double, 2 * n);
    c->index = LK_NEW(c->scratch, size_t, n);
    if (!c->regular || !c->taken || !c->work || !c->index)
        return lk_fail(e, LK_EOOM, "no memory for the timetables of %zu callers", units);
    for (size_t u = 0; u < units; u++)
        c->regular[u] = lk_regular_find(c->s, u, c->work);
    return LK_OK;
}

/* ---- candidates --------------------------------------------------------------------------- */

typedef struct candidate {
    double period_s, ln_p;
    bool punctual; /* bursts begin on full minutes */
    bool shared;   /* by callers of whom none need be regular alone */
} candidate;

typedef struct candidates {
    candidate item[LK_SCHEDULES_MAX];
    size_t count;
} candidates;

static bool is_near(const clerk *c, double a, double b)
{
    return fabs(a - b) <= lk_regular_tolerance(b, c->s->resolution_s);
}

static void propose(const clerk *c, candidates *list, candidate one)
{
    candidate *worst = list->item;

    if (one.ln_p > c->how->ln_threshold || !lk_period_in_range(&c->how->range, one.period_s))
        return;
    for (size_t i = 0; i < list->count; i++) {
        candidate *old = &list->item[i];

        if (is_near(c, one.period_s, old->period_s)) {
            one.shared |= old->shared;
            old->shared = one.shared;
            if (one.ln_p < old->ln_p)
                *old = one;
            return;
        }
        worst = old->ln_p > worst->ln_p ? old : worst;
    }
    if (list->count < LK_SCHEDULES_MAX)
        list->item[list->count++] = one;
    else if (one.ln_p < worst->ln_p)
        *worst = one;
}

static void propose_regular(const clerk *c, candidates *list)
{
    double callers = 1.0, ln_callers;

    for (size_t u = 0; u < c->s->unit_count; u++)
        callers += lk_regular_can(c->s, u);
    ln_callers = log(callers);
    for (size_t u = 0; u < c->s->unit_count; u++)
        if (c->regular[u].period_s > 0.0)
            propose(c, list,
                    (candidate){ .period_s = c->regular[u].period_s,
                                 .ln_p = c->regular[u].ln_p + ln_callers + c->how->ln_trials,
                                 .punctual = c->regular[u].punctual });
}

static lk_code propose_shared(const clerk *c, candidates *list, lk_err *e)
{
    lk_peel_how how = { .start_to_start = true,
                        .shortest_s = c->how->range.min_s,
                        .longest_s =
                            lk_period_at_most(&c->how->range, LONGEST_SHARE * c->how->span_s),
                        .ln_trials = c->how->ln_trials,
                        .ln_threshold = c->how->ln_threshold };
    lk_peel peel;

    LK_TRY(lk_peel_open(&peel, c->s, &how, c->scratch, e));
    for (size_t tries = 0; tries < LK_SCHEDULES_MAX; tries++) {
        lk_constant found;
        lk_peel_callers callers;

        LK_TRY(lk_peel_next(&peel, &found, &callers, e));
        if (callers.once_or_more == 0)
            break;
        if (callers.repeatedly >= CALLERS_LEAST &&
            (double)callers.repeatedly >= REPEAT_SHARE * (double)callers.once_or_more)
            propose(c, list,
                    (candidate){ .period_s = lk_constant_middle(&found),
                                 .ln_p = found.ln_gap,
                                 .shared = true });
    }
    return LK_OK;
}

/* ---- members ------------------------------------------------------------------------------ */

/* Of a caller's steps after good answers, are most near the period? */
static bool steps_by(const clerk *c, size_t u, double period_s)
{
    double steps = 0.0, near = 0.0;

    for (size_t i = c->s->first[u]; i < c->s->first[u + 1]; i++) {
        const lk_stride *s = &c->s->row[i];

        if (s->failed || !isfinite(s->gap_s) || s->gap_s < BURST_SHARE * period_s)
            continue;
        steps += 1.0;
        near += is_near(c, s->gap_s, period_s);
    }
    return near > 0.0 && near >= STEP_SHARE * steps;
}

static bool is_member(const clerk *c, size_t u, const candidate *of)
{
    if (c->taken[u])
        return false;
    if (c->regular[u].period_s > 0.0)
        return is_near(c, c->regular[u].period_s, of->period_s);
    return of->shared && steps_by(c, u, of->period_s);
}

/* The intervals of all members near the period; gives their number and that of all intervals. */
static size_t list_intervals(const clerk *c, const bool *member, double period_s, double *out,
                             size_t *all)
{
    double reach = fmax(lk_regular_tolerance(period_s, c->s->resolution_s), LOOSE * period_s);
    size_t count = 0;

    *all = 0;
    for (size_t u = 0; u < c->s->unit_count; u++) {
        size_t starts;

        if (!member[u])
            continue;
        starts = lk_burst_starts(c->s, u, BURST_SHARE * period_s, c->index);
        *all += starts - 1;
        for (size_t i = 1; i < starts; i++) {
            double length = c->s->row[c->index[i]].at_s - c->s->row[c->index[i - 1]].at_s;

            if (fabs(length - period_s) <= reach)
                out[count++] = length;
        }
    }
    return count;
}

/* The mean of the intervals: what loiters once comes early the next time. */
static void refine(const clerk *c, const bool *member, lk_schedule *out)
{
    size_t all, n = list_intervals(c, member, out->period_s, c->work, &all);
    double sum = 0.0, square = 0.0;

    if (n == 0)
        return;
    out->strict = (double)n / (double)all;
    for (size_t i = 0; i < n; i++)
        sum += c->work[i];
    sum /= (double)n;
    for (size_t i = 0; i < n; i++)
        square += (c->work[i] - sum) * (c->work[i] - sum);
    out->period_s = sum;
    out->period_error_s = sqrt(square) / (double)n + c->s->resolution_s / (double)n;
}

static void add_beats(const clerk *c, size_t u, lk_schedule *out)
{
    size_t starts = lk_burst_starts(c->s, u, BURST_SHARE * out->period_s, c->index);

    for (size_t i = 0; i < starts; i++) {
        const lk_stride *s = &c->s->row[c->index[i]];

        out->beat[out->count++] = (lk_beat){ .at_s = s->at_s, .rejected = s->rejected };
        out->failed += s->failed;
    }
}

static int by_time(const void *a, const void *b)
{
    const lk_beat *x = a, *y = b;

    return (x->at_s > y->at_s) - (x->at_s < y->at_s);
}

/* One phase a caller: are they at one moment of the period? */
static void find_phase(const clerk *c, const bool *member, lk_schedule *out)
{
    size_t count = 0;

    for (size_t u = 0; u < c->s->unit_count; u++)
        if (member[u])
            c->work[count++] = fmod(c->s->row[c->s->first[u]].at_s / out->period_s, 1.0);
    out->resultant = lk_resultant(c->work, count);
    out->together = count < PHASE_CALLERS_LEAST
                        ? count == 1
                        : out->resultant >= TOGETHER && -0.4 * lk_h_test(c->work, count, 2) < -4.0;
}

static void number(lk_schedule *out, double *work)
{
    double anchor;

    for (size_t i = 0; i < out->count; i++)
        work[i] = fmod(out->beat[i].at_s - out->beat[0].at_s + 0.5 * out->period_s, out->period_s);
    anchor = out->beat[0].at_s + lk_median(work, out->count) - 0.5 * out->period_s;
    for (size_t i = 0; i < out->count; i++)
        out->beat[i].round = lk_whole(rint((out->beat[i].at_s - anchor) / out->period_s));
}

static size_t list_members(const clerk *c, const candidate *of, bool *member, size_t *attempts)
{
    size_t count = 0;

    *attempts = 0;
    for (size_t u = 0; u < c->s->unit_count; u++) {
        member[u] = is_member(c, u, of);
        count += member[u];
        *attempts += member[u] ? c->s->first[u + 1] - c->s->first[u] : 0;
    }
    return count;
}

static void fill(clerk *c, const bool *member, lk_schedule *out)
{
    size_t named = 0;

    refine(c, member, out);
    for (size_t u = 0; u < c->s->unit_count; u++)
        if (member[u]) {
            out->stride[named++] = c->s->first[u];
            add_beats(c, u, out);
            c->taken[u] = true;
        }
    if (out->count == 0)
        return;
    qsort(out->beat, out->count, sizeof(*out->beat), by_time);
    find_phase(c, member, out);
    number(out, c->work);
}

static lk_code gather(clerk *c, const candidate *from, lk_schedule *out, lk_err *e)
{
    bool *member = LK_NEW(c->a, bool, c->s->unit_count);
    lk_schedule s = { .period_s = from->period_s, .ln_p = from->ln_p, .member = member };
    size_t attempts;

    if (!member)
        return lk_fail(e, LK_EOOM, "no memory for the members of a schedule");
    s.callers = list_members(c, from, member, &attempts);
    s.beat = LK_NEW(c->a, lk_beat, attempts);
    s.stride = LK_NEW(c->a, size_t, s.callers);
    if (!s.beat || !s.stride)
        return lk_fail(e, LK_EOOM, "no memory for %zu arrivals of a schedule", attempts);
    fill(c, member, &s);
    *out = s;
    return LK_OK;
}

/* A page that one browser loads again every few minutes is no clock worth a line. */
static bool is_worth(const lk_schedule *s, bool punctual)
{
    if (s->callers == 0 || s->count < 2)
        return false;
    return s->callers >= CALLERS_LEAST || punctual || s->count >= LONE_BEATS * s->callers;
}

static int by_significance(const void *a, const void *b)
{
    const candidate *x = a, *y = b;

    if (x->ln_p < y->ln_p || x->ln_p > y->ln_p)
        return x->ln_p < y->ln_p ? -1 : 1;
    return (x->period_s > y->period_s) - (x->period_s < y->period_s);
}

static void say(lk_buf *steps, const candidate *from, const lk_schedule *s)
{
    lk_steps_say(steps, 1, "%.6g s: ln p %.2f by %s", from->period_s, from->ln_p,
                 from->shared     ? "a constant that callers share"
                 : from->punctual ? "bursts on whole minutes"
                                  : "the regular bursts of a caller");
    lk_steps_say(steps, 2,
                 "%zu callers, %zu bursts, %zu of them begin with a failure; phases: resultant "
                 "%.2f, %s",
                 s->callers, s->count, s->failed, s->resultant, s->together ? "together" : "apart");
    lk_steps_say(
        steps, 2, "-> %s",
        is_worth(s, from->punctual) ? "a schedule" : "too few callers and bursts to say so");
}

lk_code lk_schedules_find(const lk_strides *s, const lk_schedule_search *how, lk_arena *a,
                          lk_arena *scratch, lk_schedules *out, lk_err *e)
{
    lk_mark mark = lk_arena_mark(scratch);
    clerk c = { .s = s, .how = how, .a = a, .scratch = scratch };
    candidates list = { .count = 0 };

    out->count = 0;
    LK_TRY(open_clerk(&c, e));
    propose_regular(&c, &list);
    LK_TRY(propose_shared(&c, &list, e));
    qsort(list.item, list.count, sizeof(list.item[0]), by_significance);
    for (size_t i = 0; i < list.count; i++) {
        lk_schedule *found = &out->item[out->count];

        LK_TRY(gather(&c, &list.item[i], found, e));
        say(how->steps, &list.item[i], found);
        out->count += is_worth(found, list.item[i].punctual);
    }
    lk_arena_rewind(scratch, mark);
    return LK_OK;
}
