#include "infer/capacity.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { BLOCKS_MIN = 6, REFUSED_MIN = 5 };

static const double BLOCK_S = 10;   /* admitted requests are counted over at least this */
static const double REFUSING = 0.2; /* share refused of a stretch that is full */
static const double STEADY = 0.35;  /* interquartile range in medians */

/* Sums over some bins. */
typedef struct sums {
    double attempts, comebacks, rejected, admitted, seconds;
} sums;

static void add(sums *s, const lk_period *p, double seconds)
{
    s->attempts += p->attempts;
    s->comebacks += p->comebacks;
    s->rejected += p->rejected;
    s->admitted += p->attempts > p->rejected ? p->attempts - p->rejected : 0;
    s->seconds += seconds;
}

static bool is_in(const lk_evidence *ev, size_t i, const lk_report_incident *in)
{
    int64_t at = ev->periods_from_ns + (int64_t)i * ev->period_ns;

    if (!in)
        return true;
    return at + ev->period_ns > in->start_ns &&
           (in->recovered_ns == LK_TIME_NONE || at < in->recovered_ns);
}

static int ascending(const void *pa, const void *pb)
{
    double a = *(const double *)pa, b = *(const double *)pb;

    return (a > b) - (a < b);
}

/* Demand while the server refused, for the verdict; the allowance where it was steady. */
static lk_code infer_allowance(const lk_evidence *ev, lk_arena *scratch, lk_report *r, sums *full,
                               lk_err *e)
{
    double period_s = (double)ev->period_ns / 1e9;
    size_t width = (size_t)ceil(BLOCK_S / period_s), n = 0;
    double *rate = LK_NEW(scratch, double, ev->period_count + 1);

    if (!rate)
        return lk_fail(e, LK_EOOM, "no memory for an allowance");
    for (size_t i = 0; i < ev->period_count; i += width) {
        sums block = { 0 };

        for (size_t k = i; k < i + width && k < ev->period_count; k++)
            if (is_in(ev, k, r->incident))
                add(&block, &ev->periods[k], period_s);
        if (block.rejected < REFUSED_MIN || block.rejected < REFUSING * block.attempts ||
            block.seconds < BLOCK_S - 1e-6)
            continue;
        rate[n++] = block.admitted / block.seconds;
        full->attempts += block.attempts;
        full->comebacks += block.comebacks;
        full->seconds += block.seconds;
    }
    if (n < BLOCKS_MIN)
        return LK_OK;
    qsort(rate, n, sizeof(*rate), ascending);
    if (rate[n / 2] <= 0 || rate[3 * n / 4] - rate[n / 4] > STEADY * rate[n / 2])
        return LK_OK;
    r->capacity.allowance_per_s = rate[n / 2];
    r->capacity.allowance_low = rate[n / 4];
    r->capacity.allowance_high = rate[3 * n / 4];
    r->capacity.source = "inferred";
    return LK_OK;
}

static void judge_overload(const sums *full, double admitted_per_s, lk_report *r)
{
    const lk_report_capacity *c = &r->capacity;
    bool given = c->source && strcmp(c->source, "given") == 0;
    double demand =
        full->seconds > 0 ? (full->attempts - full->comebacks) / full->seconds : c->demand_per_s;

    if (isnan(c->allowance_per_s) || isnan(demand))
        return;
    if (given && admitted_per_s > 1.2 * c->allowance_per_s)
        return; /* more was admitted than that: the allowance is of other traffic */
    if (given)
        r->overload = c->demand_per_s > c->allowance_per_s ? LK_YES : LK_NO;
    else if (full->seconds >= 120 && demand > 1.3 * c->allowance_high)
        r->overload = LK_YES;
    else if (full->seconds >= 120 && demand < 0.7 * c->allowance_low)
        r->overload = LK_NO;
}

/* Waves shrink by a ratio: how many are left until one fits what is admitted in a period. */
static void look_out(const lk_evidence *ev, lk_report *r)
{
    const lk_report_clock *c = lk_report_leading_retry_clock(r);
    const lk_report_wave *last = c ? &c->wave_list[c->wave_count - 1] : NULL;
    double fits = c ? r->capacity.allowance_per_s * c->period_s : 0, left = 0;

    if (!c || isnan(fits) || fits <= 0)
        return;
    if ((double)(ev->last_ns - last->start_ns) / 1e9 > 2 * c->period_s) { /* they are over */
        r->outlook.waves_left = 0;
        return;
    }
    r->outlook.backlog = (double)last->arrivals;
    if ((double)last->arrivals > fits) {
        if (!(c->survival_ratio < 1))
            return;
        left = ceil(log(fits / (double)last->arrivals) / log(c->survival_ratio));
    }
    r->outlook.waves_left = (int64_t)left;
    r->outlook.below_allowance_ns = last->start_ns + (int64_t)(left * c->period_s * 1e9);
}

/* Gives what was admitted, a second. */
static double size_up(const lk_evidence *ev, lk_report *r)
{
    lk_report_capacity *c = &r->capacity;
    const lk_report_clock *clock = lk_report_leading_retry_clock(r);
    double period_s = (double)ev->period_ns / 1e9;
    sums all = { 0 };

    for (size_t i = 0; i < ev->period_count; i++)
        if (is_in(ev, i, r->incident))
            add(&all, &ev->periods[i], period_s);
    if (all.seconds > 0)
        c->demand_per_s = (all.attempts - all.comebacks) / all.seconds;
    c->spare_per_s = c->allowance_per_s - c->demand_per_s;
    if (!clock)
        return all.admitted / all.seconds;
    c->backlog = (double)clock->wave_list[0].arrivals;
    if (c->spare_per_s > 0)
        c->drain_s = c->backlog / c->spare_per_s;
    if (clock->wave_list[0].peak_per_s > 0)
        c->bucket_emptied_in_s = c->bucket / clock->wave_list[0].peak_per_s;
    return all.admitted / all.seconds;
}

lk_code lk_infer_capacity(const lk_evidence *ev, const lk_given_capacity *given, lk_arena *scratch,
                          lk_report *r, lk_err *e)
{
    lk_report_capacity *c = &r->capacity;
    double admitted_per_s = (double)NAN;
    sums full = { 0 };

    c->bucket = given->bucket;
    if (!isnan(given->allowance_per_s)) {
        c->allowance_per_s = c->allowance_low = c->allowance_high = given->allowance_per_s;
        c->source = "given";
    } else if (ev->period_count && ev->period_ns > 0) {
        LK_TRY(infer_allowance(ev, scratch, r, &full, e));
    }
    if (ev->period_count && ev->period_ns > 0)
        admitted_per_s = size_up(ev, r);
    judge_overload(&full, admitted_per_s, r);
    look_out(ev, r);
    return LK_OK;
}
