#include "infer/regular.h"

#include "infer/peel.h"
#include "infer/stats.h"

#include <math.h>

#define TOLERANCE 0.02
#define TOLERANCE_LEAST_S 0.05
#define BURST_SHARE 0.4 /* of the longest (or the usual) gap: what parts bursts   */

#define SHORT_QUANTILE 0.3
#define MINUTE_S 60.0
#define PUNCTUAL_SHARE 0.9 /* of a caller's bursts                                  */
#define TRIALS 20.0        /* periods, tolerances and ways to part bursts           */
#define TRIALS_PUNCTUAL 4.0

enum { INTERVALS_LEAST = 4, TURNS_MAX = 3 };

typedef struct looseness {
    double tolerance; /* share of the period                        */
    double share;     /* of the intervals that must be within       */
    unsigned turns;   /* that an interval may span                  */
} looseness;

/* From a timer to a herdsman: the looser, the more of the intervals must fit. */
static const looseness TIERS[] = {
    { TOLERANCE, 0.6, TURNS_MAX },
    { 0.06, 0.6, TURNS_MAX },
    { 0.12, 0.8, 1 },
    { 0.36, 0.95, 1 },
};
enum { TIER_COUNT = sizeof(TIERS) / sizeof(TIERS[0]) };

double lk_regular_tolerance(double period_s, double resolution_s)
{
    return fmax(fmax(1.2 * resolution_s, TOLERANCE * period_s), TOLERANCE_LEAST_S);
}

/* The time from the attempt before to attempt i of the same unit. */
static double step_before(const lk_strides *s, size_t i)
{
    return s->row[i].at_s - s->row[i - 1].at_s;
}

size_t lk_burst_starts(const lk_strides *s, size_t unit, double burst_s, size_t *out)
{
    size_t count = 0;

    for (size_t i = s->first[unit]; i < s->first[unit + 1]; i++)
        if (i == s->first[unit] || step_before(s, i) > burst_s)
            out[count++] = i;
    return count;
}

/* One caller's attempts: strides [from, to). */
typedef struct path {
    const lk_strides *s;
    size_t from, to;
} path;

typedef struct intervals {
    double *length; /* [count] between the starts of bursts */
    size_t count;
    double burst_s;
} intervals;

static void list_intervals(const path *p, intervals *v)
{
    const lk_strides *s = p->s;
    double last = s->row[p->from].at_s;

    v->count = 0;
    for (size_t i = p->from + 1; i < p->to; i++)
        if (step_before(s, i) > v->burst_s) {
            v->length[v->count++] = s->row[i].at_s - last;
            last = s->row[i].at_s;
        }
}

typedef struct score {
    size_t near, single, good; /* intervals of whole turns; of one; after a good answer */
} score;

/* A guess at a caller's timetable. */
typedef struct guess {
    double period_s, tolerance_s;
    unsigned turns;
} guess;

/* How many periods an interval spans when lines may be missing; 0 = none. */
static unsigned turns_of(double length, const guess *g)
{
    for (unsigned k = 1; k <= g->turns; k++)
        if (fabs(length - k * g->period_s) <= g->tolerance_s)
            return k;
    return 0;
}

static score count_near(const path *p, double burst_s, const guess *g)
{
    double last = p->s->row[p->from].at_s;
    score c = { 0 };

    for (size_t i = p->from + 1; i < p->to; i++) {
        const lk_stride *row = &p->s->row[i];
        unsigned turns;

        if (step_before(p->s, i) <= burst_s)
            continue;
        turns = turns_of(row->at_s - last, g);
        c.near += turns > 0;
        c.single += turns == 1;
        c.good += turns > 0 && !p->s->row[i - 1].failed;
        last = row->at_s;
    }
    return c;
}

static double ln_choose(size_t n, size_t k)
{
    double sum = 0.0;

    for (size_t i = 1; i <= n - k; i++)
        sum += log((double)(k + i) / (double)i);
    return sum;
}

static lk_regular judge(const path *p, const intervals *v, double period, const looseness *tier)
{
    guess g = { .period_s = period,
                .tolerance_s = fmax(lk_regular_tolerance(period, p->s->resolution_s),
                                    tier->tolerance * period),
                .turns = tier->turns };
    lk_regular r = { .burst_s = v->burst_s };
    double chance = (tier->turns > 1 ? 4.0 : 2.0) * g.tolerance_s / period;
    score c = count_near(p, v->burst_s, &g);

    if (chance >= 1.0 || c.near < INTERVALS_LEAST || 2 * c.single < c.near ||
        (double)c.near < tier->share * (double)v->count || 2 * c.good < c.near)
        return r;
    r.ln_p = ln_choose(v->count, c.near) + (double)(c.near - 1) * log(chance) + log(TRIALS);
    r.ln_p = fmin(0.0, r.ln_p);
    r.period_s = r.ln_p < 0.0 ? period : 0.0;
    return r;
}

/* When cron lines have begun, after the full minute. */
static const double PUNCTUAL_S[] = { 2.5, 5.0 };
enum { PUNCTUAL_COUNT = sizeof(PUNCTUAL_S) / sizeof(PUNCTUAL_S[0]) };

/* Bursts that begin just after full minutes, a whole number of minutes apart. */
static lk_regular judge_punctual(const path *p, const intervals *v, double usual, double late)
{
    const lk_strides *s = p->s;
    lk_regular r = { .burst_s = v->burst_s, .punctual = true };
    double minutes = rint(usual / MINUTE_S);
    size_t bursts = v->count + 1, punctual = 0, good = 0;

    if (minutes < 1.0 || fabs(usual - minutes * MINUTE_S) > late)
        return r;
    for (size_t i = p->from; i < p->to; i++)
        if (i == p->from || step_before(s, i) > v->burst_s) {
            punctual += fmod(s->minute_s + s->row[i].at_s, MINUTE_S) <= late;
            good += !s->row[i].failed;
        }
    if ((double)punctual < PUNCTUAL_SHARE * (double)bursts || 2 * good < bursts)
        return r;
    r.ln_p = ln_choose(bursts, punctual) + (double)punctual * log(late / MINUTE_S) +
             log(TRIALS_PUNCTUAL);
    r.ln_p = fmin(0.0, r.ln_p);
    r.period_s = r.ln_p < 0.0 ? minutes * MINUTE_S : 0.0;
    return r;
}

static lk_regular better(lk_regular a, lk_regular b)
{
    return b.ln_p < a.ln_p ? b : a;
}

static lk_regular try_period(const path *p, const intervals *v, double period)
{
    lk_regular best = { 0 };

    if (period < lk_shortest_constant(p->s->resolution_s))
        return best;
    for (size_t t = 0; t < TIER_COUNT; t++)
        best = better(best, judge(p, v, period, &TIERS[t]));
    return best;
}

/* The usual interval, and a short one in case many lines are missing. */
static lk_regular try_periods(const path *p, const intervals *v, double *work)
{
    lk_regular best = { 0 };
    double usual, shorter;

    if (v->count < INTERVALS_LEAST)
        return best;
    for (size_t i = 0; i < v->count; i++)
        work[i] = v->length[i];
    usual = lk_median(work, v->count);
    shorter = lk_quantile(work, v->count, SHORT_QUANTILE);
    best = better(try_period(p, v, usual), try_period(p, v, shorter));
    for (size_t i = 0; i < PUNCTUAL_COUNT; i++)
        best = better(best, judge_punctual(p, v, usual, PUNCTUAL_S[i] + p->s->resolution_s));
    return best;
}

static lk_regular try_burst(const path *p, intervals *v, double burst_s, double *work)
{
    v->burst_s = burst_s;
    list_intervals(p, v);
    return try_periods(p, v, work);
}

bool lk_regular_can(const lk_strides *s, size_t unit)
{
    return s->first[unit + 1] > s->first[unit] + INTERVALS_LEAST;
}

lk_regular lk_regular_find(const lk_strides *s, size_t unit, double *work)
{
    path p = { s, s->first[unit], s->first[unit + 1] };
    intervals v = { .length = work + (p.to - p.from) };
    double longest = 0.0, usual;
    lk_regular by_longest;

    if (!lk_regular_can(s, unit))
        return (lk_regular){ 0 };
    for (size_t i = p.from + 1; i < p.to; i++) {
        work[i - p.from - 1] = step_before(s, i);
        longest = fmax(longest, step_before(s, i));
    }
    usual = lk_median(work, p.to - p.from - 1);
    by_longest = try_burst(&p, &v, BURST_SHARE * longest, work);
    return better(by_longest, try_burst(&p, &v, BURST_SHARE * usual, work));
}
