/* Whose delays are they: between the attempts of a call, or between the calls of a task? */
#include "base/time.h"
#include "link/kinds.h"
#include "link/resolution.h"

#include <math.h>

enum { DELAYS_MAX = 20000 };

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

/* Share of the steps from start to start that fall within low_s .. high_s. */
static double control_share(const lk_group *g, const lk_edges *edges, lk_grid grid, double low_s,
                            double high_s)
{
    double hits = 0, all = 0;

    if (!g->evidence[grid])
        return 0;
    for (size_t s = 0; s < LK_STRATA; s++) {
        const lk_delays *d = &g->evidence[grid]->successes[s];

        all += (double)d->total;
        for (size_t b = 0; b < edges->count; b++)
            if (edges->at[b + 1] > low_s && edges->at[b] < high_s)
                hits += d->seen[LK_FROM_START][b];
    }
    return all > 0 ? hits / all : 0;
}

/* How much later than after a failure a scheduled start may seem to come after a success: by as much
 * as a failure takes longer, where no duration tells when requests started. */
static const double UNTIMED_SLACK = 0.1;

/* Calls after a good call start as long after it as those after a failed one: a schedule. */
static bool is_scheduled(lk_resolution *x, const lk_part *p, lk_chain_delay *room)
{
    const lk_unit *units = x->l->units.items;
    double middle, tolerance, late, near = 0;
    size_t n = 0, timed = 0;

    for (size_t i = p->from; i < p->to; i++) {
        uint32_t at = x->chains.order[i];

        if (!units[at].failed || x->chains.next[at] == LK_UNIT_NONE ||
            units[at].next_ns == LK_TIME_NONE)
            continue;
        room[n++] = (lk_chain_delay){ seconds(units[at].next_ns - units[at].first_ns), 1 };
        timed += units[at].has_took;
    }
    if (n < 5)
        return false;
    (void)lk_kinds_cap(room, n);
    middle = lk_kinds_quantile(room, n, 0.5);
    tolerance = fmax(1.5 * p->resolution_s, 0.05 * middle);
    late = 2 * timed < n ? fmax(tolerance, UNTIMED_SLACK * middle) : tolerance;
    for (size_t i = 0; i < n; i++)
        near += fabs(room[i].delay_s - middle) <= tolerance;
    return near > 0.4 * (double)n &&
           control_share(p->group, &x->l->groups.edges[p->grid], p->grid, middle - tolerance,
                         middle + late) *
                   (double)n >=
               0.5 * near;
}

/* The pauses inside units as delays, at most about DELAYS_MAX of them. */
static lk_code inner_delays(lk_resolution *x, const lk_group *g, lk_chain_delay **out,
                            size_t *count, lk_err *e)
{
    uint64_t total = 0;
    uint32_t step;
    size_t n = 0;

    for (size_t p = 0; p < LK_POSITIONS; p++)
        for (size_t c = 0; c <= LK_PAUSES_MAX; c++)
            total += g->positions[p][c];
    step = (uint32_t)(total / DELAYS_MAX) + 1;
    *out = LK_NEW(x->scratch, lk_chain_delay, (size_t)(total / step) + 1);
    if (!*out)
        return lk_fail(e, LK_EOOM, "no memory for the delays of a population");
    for (uint32_t p = 1; p < LK_POSITIONS; p++)
        for (size_t c = 0; c <= LK_PAUSES_MAX; c++)
            for (uint32_t k = 0; k < g->positions[p][c] / step; k++)
                (*out)[n++] = (lk_chain_delay){ lk_pause_value_s(c), p };
    *count = n;
    return LK_OK;
}

/* Two layers inside one id: the delays fall back to their first value again and again. */
static lk_code judge_ids(lk_resolution *x, lk_group *g, lk_err *e)
{
    lk_chain_delay *delays;
    size_t n = 0;

    if (!g->positions)
        return LK_OK;
    LK_TRY(inner_delays(x, g, &delays, &n, e));
    if (n < 5)
        return LK_OK;
    g->id_cap = lk_kinds_cap(delays, n);
    g->delay_s[0] = lk_kinds_median(delays, n, (uint32_t)g->id_cap, false);
    if (g->id_cap)
        g->delay_s[1] = lk_kinds_median(delays, n, (uint32_t)g->id_cap, true);
    return LK_OK;
}

static bool looks_like_job(const lk_resolution *x, const lk_group *g,
                           const lk_chain_delay *delays, size_t n)
{
    return g->population != UINT32_MAX &&
           lk_kinds_is_job(lk_intern_text(&x->l->symbols->populations, g->population), delays, n);
}

/* A caller that never succeeded and starts its next call at once may work through a list: nothing tells that from
 * a task that comes back. */
static bool is_next_in_line(const lk_group *g)
{
    enum { CONTROL_MIN = 5 };
    static const double AT_ONCE_S = 0.05;
    uint64_t good = 0;

    for (size_t grid = 0; grid < LK_GRIDS; grid++)
        for (size_t s = 0; g->evidence[grid] && s < LK_STRATA; s++)
            good += g->evidence[grid]->successes[s].total;
    return good < CONTROL_MIN && g->delay_s[1] < AT_ONCE_S;
}

/* Delays between units that ids made: they are of tasks. */
static lk_code judge_tasks(lk_resolution *x, lk_part *p, lk_chain_delay *delays, size_t n,
                           lk_err *e)
{
    lk_group *g = p->group;

    LK_TRY(judge_ids(x, g, e));
    g->has_tasks = true;
    if (n >= 5) {
        (void)lk_kinds_cap(delays, n);
        g->delay_s[1] = lk_kinds_quantile(delays, n, 0.5);
        if (is_next_in_line(g) || is_scheduled(x, p, delays))
            g->has_tasks = g->id_cap > 0;
    }
    return LK_OK;
}

/* The middle half of the delays within a tenth of the middle one. */
static bool is_narrow(const lk_chain_delay *sorted, size_t n)
{
    double spread = lk_kinds_quantile(sorted, n, 0.75) - lk_kinds_quantile(sorted, n, 0.25);

    return spread <= 0.2 * lk_kinds_quantile(sorted, n, 0.5);
}

static void judge_chains(lk_resolution *x, lk_part *p, lk_chain_delay *delays, size_t n)
{
    lk_group *g = p->group;

    g->call_cap = lk_kinds_cap(delays, n);
    g->is_job = !g->call_cap && looks_like_job(x, g, delays, n);
    g->has_tasks = g->call_cap || g->is_job;
    g->narrow = is_narrow(delays, n);
    g->delay_s[g->is_job] = lk_kinds_quantile(delays, n, 0.5);
    if (g->call_cap)
        g->delay_s[1] = lk_kinds_quantile(delays, n, 1 - 0.5 / g->call_cap);
    if (g->paired || !is_scheduled(x, p, delays))
        return;
    g->is_scheduled = !g->has_tasks;
    g->has_tasks = false;
}

/* What came by schedule came back from nothing. */
static void unlink_all(lk_resolution *x, const lk_part *p)
{
    for (size_t i = p->from; i < p->to; i++) {
        uint32_t at = x->chains.order[i];

        x->chains.prev[at] = x->chains.next[at] = LK_UNIT_NONE;
    }
}

lk_code lk_part_judge(lk_resolution *x, lk_part *p, lk_err *e)
{
    lk_chain_delay *delays = NULL;
    size_t n = 0;

    if (p->group->judged)
        return LK_OK;
    LK_TRY(chain_delays(x, p, &delays, &n, e));
    if (p->by_id)
        LK_TRY(judge_tasks(x, p, delays, n, e));
    else if (n >= 5)
        judge_chains(x, p, delays, n);
    if (p->group->is_scheduled)
        unlink_all(x, p);
    p->group->judged = n >= 5 || p->group->id_cap > 0;
    return LK_OK;
}
