#include "infer/overload.h"

#include "base/whole.h"

#include <math.h>
#include <string.h>

static const double BLOCK_S = 10, BLOCK_MOST_S = 30, COUNTED = 20; /* requests that it could count */
static const double SUSTAINED = 0.6; /* share of the blocks */
static const double MARGIN = 1.08;   /* the allowance is known no better */
enum { BLOCKS_MIN = 5 };

/* New work a second, and the share of the blocks in which it is above the allowance. */
typedef struct pressure {
    size_t blocks, above;
    double tasks, seconds;
} pressure;

static pressure press(const lk_report_workload *w, const lk_report_crowd *c)
{
    size_t from = lk_whole_size(c->first_failure_s / w->bin_s),
           to = lk_whole_size(c->last_failure_s / w->bin_s);
    double block_s = fmin(BLOCK_MOST_S, fmax(BLOCK_S, COUNTED / c->allowance_per_s));
    size_t width = lk_whole_size(fmax(1, ceil(block_s / w->bin_s)));
    pressure p = { 0 };

    for (size_t i = from; i + width <= to && i + width <= w->n; i += width) {
        double tasks = 0, seconds = (double)width * w->bin_s;

        for (size_t k = i; k < i + width; k++)
            tasks += c->first[k];
        p.blocks++;
        p.above += tasks > c->allowance_per_s * seconds;
        p.tasks += tasks;
        p.seconds += seconds;
    }
    return p;
}

static bool has_allowance(const lk_report_crowd *c)
{
    return isfinite(c->allowance_per_s) && c->pool < 0 && isfinite(c->first_failure_s);
}

/* Capacity's own figures, where it has them. */
static bool of_capacity(const lk_report *r, lk_overload *out)
{
    const lk_report_capacity *c = &r->capacity;
    double deficit = c->demand_per_s - c->allowance_per_s;

    if (r->overload != LK_YES || !(deficit > 0))
        return false;
    *out = (lk_overload){ NULL, c->demand_per_s, c->allowance_per_s,
                          c->backlog > 0 ? c->backlog / deficit
                          : r->workload.count ? (double)r->workload.n * r->workload.bin_s
                                              : r->input.span_s };
    return true;
}

bool lk_overload_of(const lk_report *r, lk_overload *out)
{
    const lk_report_workload *w = &r->workload;

    if (of_capacity(r, out))
        return true;

    for (size_t i = 0; i < w->count; i++) {
        const lk_report_crowd *c = &w->crowds[i];
        pressure p;

        if (!has_allowance(c))
            continue;
        p = press(w, c);
        if (p.blocks < BLOCKS_MIN || (double)p.above < SUSTAINED * (double)p.blocks ||
            p.tasks < MARGIN * c->allowance_per_s * p.seconds)
            continue;
        *out = (lk_overload){ c, p.tasks / p.seconds, c->allowance_per_s, p.seconds };
        return true;
    }
    return false;
}

/* Somebody was refused for long, and not because of more new work than was admitted. */
static bool is_refuted(const lk_report *r)
{
    bool in_waves = lk_report_leading_retry_clock(r) != NULL; /* bursts are comebacks then */
    size_t seen = 0;

    for (size_t i = 0; i < r->workload.count; i++) {
        const lk_report_crowd *c = &r->workload.crowds[i];

        pressure p = has_allowance(c) ? press(&r->workload, c) : (pressure){ 0 };

        if (c->pool >= 0)
            return false;
        if (!in_waves && p.above >= BLOCKS_MIN && p.tasks > MARGIN * c->allowance_per_s * p.seconds)
            return false; /* in bursts, but more than is admitted in sum */
        seen += p.blocks >= BLOCKS_MIN;
    }
    return seen > 0;
}

void lk_infer_overload(lk_report *r)
{
    lk_overload o;
    bool given = r->capacity.source && strcmp(r->capacity.source, "given") == 0;

    if (lk_overload_of(r, &o)) {
        if (r->overload == LK_NOT_KNOWN || (o.crowd && !given))
            r->overload = LK_YES;
        if (r->overload == LK_YES)
            r->outlook.backlog = (o.demand_per_s - o.allowance_per_s) * o.seconds;
    } else if (r->overload == LK_NOT_KNOWN && is_refuted(r)) {
        r->overload = LK_NO;
    }
}
