#include "infer/peel.h"

#include <math.h>

#define SHORTEST_S 0.75
#define SHORTEST_RESOLUTIONS 4.5 /* below, the stamps' own steps look like constants     */
#define HALF_WIDTH 0.05          /* gaps this near belong to a constant                  */
#define SET_ASIDE 0.1            /* and these are not searched again ...                 */
#define SKIRT 0.03               /* ... nor these beyond its ends                        */
#define FULL_WEIGHTS 4.0         /* a caller with more gaps than this counts as this many */

double lk_shortest_constant(double resolution_s)
{
    return fmax(SHORTEST_S, SHORTEST_RESOLUTIONS * resolution_s);
}

bool lk_constant_holds(const lk_constant *c, const lk_stride *s)
{
    double value = lk_stride_value(s, c->measure);

    return value >= c->low_s && value <= c->high_s;
}

double lk_constant_middle(const lk_constant *c)
{
    return 0.5 * (c->low_s + c->high_s);
}

double lk_constant_reach(const lk_constant *c)
{
    return 0.5 * (c->high_s - c->low_s);
}

lk_code lk_peel_open(lk_peel *p, const lk_strides *s, const lk_peel_how *how, lk_arena *scratch,
                     lk_err *e)
{
    *p = (lk_peel){ .s = s,
                    .how = *how,
                    .aside = LK_NEW(scratch, bool, s->n),
                    .weight = LK_NEW(scratch, double, s->unit_count),
                    .gaps = LK_NEW(scratch, lk_gap, s->n),
                    .scratch = scratch };
    if (!p->aside || !p->weight || !p->gaps)
        return lk_fail(e, LK_EOOM, "no memory for the gaps of %zu steps", s->n);
    return LK_OK;
}

static bool is_open(const lk_peel *p, size_t i)
{
    const lk_stride *s = &p->s->row[i];

    return s->failed == p->how.after_failure && !p->aside[i] && isfinite(s->gap_s);
}

static void weigh_callers(lk_peel *p)
{
    for (size_t u = 0; u < p->s->unit_count; u++) {
        double gaps = 0.0;

        for (size_t i = p->s->first[u]; i < p->s->first[u + 1]; i++)
            gaps += is_open(p, i);
        p->weight[u] = fmin(1.0, FULL_WEIGHTS / fmax(gaps, 1.0));
    }
}

static size_t list_gaps(const lk_peel *p, lk_measure m)
{
    size_t count = 0;

    for (size_t i = 0; i < p->s->n; i++)
        if (is_open(p, i))
            p->gaps[count++] =
                (lk_gap){ lk_stride_value(&p->s->row[i], m), p->weight[p->s->row[i].unit] };
    return count;
}

/* The constant of a peak: its mean, and how far its comebacks reach. */
static lk_constant constant_of(const lk_peel *p, const lk_gap_peak *peak, lk_measure m,
                               size_t count)
{
    double sum = 0.0, weight = 0.0, middle, reach;

    for (size_t i = 0; i < count; i++) {
        const lk_gap *g = &p->gaps[i];

        if (g->value_s < peak->low_s || g->value_s >= peak->high_s)
            continue;
        sum += g->weight * g->value_s;
        weight += g->weight;
    }
    middle = sum / weight;
    reach = fmax(1.2 * p->s->resolution_s, HALF_WIDTH * middle);
    return (lk_constant){ .measure = m,
                          .low_s = fmin(peak->tail_low_s, middle - reach),
                          .high_s = fmax(peak->tail_high_s, middle + reach),
                          .ln_gap = peak->ln_p + p->how.ln_trials,
                          .core_low_s = peak->low_s,
                          .core_high_s = peak->high_s,
                          .beside = peak->beside };
}

static lk_code try_measure(lk_peel *p, lk_measure m, lk_constant *best, lk_err *e)
{
    lk_gap_range range = { .resolution_s = p->s->resolution_s,
                           .min_s =
                               fmax(lk_shortest_constant(p->s->resolution_s), p->how.shortest_s),
                           .max_s = p->how.longest_s,
                           .least_share = p->how.least_share,
                           .taken = p->taken[m],
                           .taken_count = p->found };
    size_t count = list_gaps(p, m);
    lk_gap_peak peak;

    LK_TRY(lk_gap_peak_find(p->gaps, count, &range, p->scratch, &peak, e));
    if (peak.ln_p + p->how.ln_trials < best->ln_gap)
        *best = constant_of(p, &peak, m, count);
    return LK_OK;
}

/* How far from a constant gaps are set aside with it. */
static double reach_of(const lk_peel *p, const lk_constant *c)
{
    double middle = lk_constant_middle(c);

    return fmax(1.2 * p->s->resolution_s,
                fmax(SET_ASIDE * middle, lk_constant_reach(c) + SKIRT * middle));
}

typedef struct pile {
    lk_peel_callers callers;
    double other, count; /* sum and number of the same gaps in the other measure */
} pile;

static void set_aside_of(lk_peel *p, const lk_constant *c, size_t u, double reach, pile *out)
{
    double middle = lk_constant_middle(c);
    size_t holds = 0;

    for (size_t i = p->s->first[u]; i < p->s->first[u + 1]; i++) {
        const lk_stride *s = &p->s->row[i];

        if (!is_open(p, i) || fabs(lk_stride_value(s, c->measure) - middle) > reach)
            continue;
        holds += lk_constant_holds(c, s);
        p->aside[i] = true;
        out->other += lk_stride_value(s, 1 - c->measure);
        out->count += 1.0;
    }
    out->callers.once_or_more += holds > 0;
    out->callers.repeatedly += holds > 1;
}

static lk_peel_callers take(lk_peel *p, const lk_constant *c)
{
    double middle = lk_constant_middle(c), reach = reach_of(p, c), other;
    pile aside = { .count = 0.0 };

    for (size_t u = 0; u < p->s->unit_count; u++)
        set_aside_of(p, c, u, reach, &aside);
    other = aside.other / fmax(aside.count, 1.0);
    p->taken[c->measure][p->found] = (lk_gap_taken){ middle - reach, middle + reach };
    p->taken[1 - c->measure][p->found] = (lk_gap_taken){ other - reach, other + reach };
    p->found++;
    return aside.callers;
}

lk_code lk_peel_next(lk_peel *p, lk_constant *out, lk_peel_callers *callers, lk_err *e)
{
    lk_constant best = { .ln_gap = 0.0 };

    *callers = (lk_peel_callers){ 0 };
    if (p->found == LK_PEEL_MAX)
        return LK_OK;
    weigh_callers(p);
    if (!p->how.start_to_start)
        LK_TRY(try_measure(p, LK_MEASURE_PAUSE, &best, e));
    if (p->how.start_to_start || p->s->has_pauses)
        LK_TRY(try_measure(p, LK_MEASURE_GAP, &best, e));
    if (best.ln_gap > p->how.ln_threshold)
        return LK_OK;
    *callers = take(p, &best);
    *out = best;
    return LK_OK;
}
