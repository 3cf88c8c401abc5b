/* Whose delays are they: between the attempts of a call, or between the calls of a task? */
#include "base/time.h"
#include "link/kinds.h"
#include "link/resolution.h"

#include <math.h>

static double seconds(int64_t ns)
{
    return (double)ns / 1e9;
}

/* Delays between the units of chains, into the scratch arena. */
static lk_code chain_delays(lk_resolution *x, const lk_part *p, lk_chain_delay **out,
                            size_t *count, lk_err *e)
{
    const lk_unit *units = x->l->units.items;
    lk_chain_delay *d = LK_NEW(x->scratch, lk_chain_delay, p->to - p->from);
    size_t n = 0;

    if (!d)
        return lk_fail(e, LK_EOOM, "no memory for the delays of a population");
    for (size_t i = p->from; i < p->to; i++) {
        int32_t at = (int32_t)x->chains.order[i];
        uint32_t position = 1;

        if (x->chains.prev[at] != LK_UNIT_NONE)
            continue;
        for (int32_t b; (b = x->chains.next[at]) != LK_UNIT_NONE; at = b, position++)
            d[n++] = (lk_chain_delay){ seconds(units[b].first_ns - units[at].end_ns), position };
    }
    *out = d;
    *count = n;
    return LK_OK;
}

/* Share of the steps from start to start that fall within `tolerance` of `delay_s`. */
static double control_share(const lk_group *g, const lk_edges *edges, lk_grid grid, double delay_s,
                            double tolerance_s)
{
    double hits = 0, all = 0;

    if (!g->evidence[grid])
        return 0;
    for (size_t s = 0; s < LK_STRATA; s++) {
        const lk_delays *d = &g->evidence[grid]->successes[s];

        all += (double)d->total;
        for (size_t b = 0; b < edges->count; b++)
            if (edges->at[b + 1] > delay_s - tolerance_s && edges->at[b] < delay_s + tolerance_s)
                hits += d->seen[LK_FROM_START][b];
    }
    return all > 0 ? hits / all : 0;
}

/* Calls after a good call start as long after it as those after a failed one: a schedule. */
static bool is_scheduled(lk_resolution *x, const lk_part *p, lk_chain_delay *room)
{
    const lk_unit *units = x->l->units.items;
    double middle, tolerance, near = 0;
    size_t n = 0;

    for (size_t i = p->from; i < p->to; i++) {
        uint32_t at = x->chains.order[i];

        if (units[at].failed && x->chains.next[at] != LK_UNIT_NONE &&
            units[at].next_ns != LK_TIME_NONE)
            room[n++] = (lk_chain_delay){ seconds(units[at].next_ns - units[at].first_ns), 1 };
    }
    if (n < 5)
        return false;
    (void)lk_kinds_cap(room, n);
    middle = lk_kinds_quantile(room, n, 0.5);
    tolerance = fmax(1.5 * p->resolution_s, 0.05 * middle);
    for (size_t i = 0; i < n; i++)
        near += fabs(room[i].delay_s - middle) <= tolerance;
    return near > 0.4 * (double)n &&
           control_share(p->group, &x->l->groups.edges[p->grid], p->grid, middle, tolerance) *
                   (double)n >=
               0.5 * near;
}

lk_code lk_part_judge(lk_resolution *x, lk_part *p, lk_err *e)
{
    lk_group *g = p->group;
    lk_chain_delay *delays = NULL;
    size_t n = 0;
    int cap;

    LK_TRY(chain_delays(x, p, &delays, &n, e));
    if (g->judged || n < 5)
        return LK_OK;
    cap = lk_kinds_cap(delays, n);
    g->call_cap = p->by_id ? 0 : cap;
    g->is_job = !p->by_id && !cap && g->population != UINT32_MAX &&
                lk_kinds_is_job(lk_intern_text(&x->l->symbols->populations, g->population),
                                delays, n);
    g->has_tasks = p->by_id || g->call_cap || g->is_job;
    g->delay_s[g->has_tasks && !g->call_cap] = lk_kinds_quantile(delays, n, 0.5);
    if (g->call_cap)
        g->delay_s[1] = lk_kinds_quantile(delays, n, 1 - 0.5 / g->call_cap);
    if (g->has_tasks && is_scheduled(x, p, delays))
        g->has_tasks = false;
    g->judged = true;
    return LK_OK;
}
