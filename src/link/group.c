#include "link/group.h"
#include "base/time.h"
#include "base/whole.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

size_t lk_pause_cell(int64_t pause_ns)
{
    double s = (double)pause_ns / 1e9;
    size_t cell;

    if (s <= 0.001)
        return 0;
    cell = lk_whole_size(log(s / 0.001) / log(1.03));
    return cell < LK_PAUSES_MAX ? cell : LK_PAUSES_MAX;
}

double lk_pause_value_s(size_t cell)
{
    return 0.001 * pow(1.03, (double)cell + 0.5);
}

void lk_groups_init(lk_groups *g)
{
    *g = (lk_groups){ .count = 1, .first_ns = LK_TIME_NONE, .stratum_ns = 16 * LK_NS_PER_S };
    for (size_t i = 0; i < LK_GROUPS_MAX; i++) {
        g->items[i].delay_s[0] = g->items[i].delay_s[1] = (double)NAN;
        g->items[i].drought.from_ns = LK_TIME_NONE;
        g->items[i].failed_from_ns = g->items[i].failed_to_ns = LK_TIME_NONE;
    }
    g->items[0].population = UINT32_MAX;
    lk_edges_init(&g->edges[LK_GRID_FINE], LK_GRID_FINE);
    lk_edges_init(&g->edges[LK_GRID_WHOLE], LK_GRID_WHOLE);
}

void lk_groups_release(lk_groups *g)
{
    for (size_t i = 0; i < g->count; i++) {
        for (size_t r = 0; r < LK_GRIDS; r++)
            free(g->items[i].evidence[r]);
        free(g->items[i].positions);
    }
    free(g->of_population);
    *g = (lk_groups){ 0 };
}

static uint16_t place(lk_groups *g, uint32_t population, lk_slice agent)
{
    if (lk_slice_starts(agent, "Mozilla"))
        return 0;
    if (g->count == LK_GROUPS_MAX) {
        g->folded++;
        return 0;
    }
    g->items[g->count].population = population;
    return (uint16_t)g->count++;
}

lk_code lk_groups_find(lk_groups *g, uint32_t population, lk_slice agent, uint16_t *out, lk_err *e)
{
    if (population >= g->of_cap) {
        size_t cap = g->of_cap ? g->of_cap : 64;
        uint16_t *grown;

        while (cap <= population)
            cap *= 2;
        grown = realloc(g->of_population, cap * sizeof(*grown));
        if (!grown)
            return lk_fail(e, LK_EOOM, "no memory for %zu populations", cap);
        memset(grown + g->of_cap, 0, (cap - g->of_cap) * sizeof(*grown));
        g->of_population = grown;
        g->of_cap = cap;
    }
    if (!g->of_population[population])
        g->of_population[population] = (uint16_t)(place(g, population, agent) + 1);
    *out = (uint16_t)(g->of_population[population] - 1);
    return LK_OK;
}

static void add_delays(lk_delays *into, const lk_delays *from)
{
    into->total += from->total;
    for (size_t b = 0; b < LK_CELLS; b++) {
        into->seen[LK_FROM_END][b] += from->seen[LK_FROM_END][b];
        into->seen[LK_FROM_START][b] += from->seen[LK_FROM_START][b];
        into->cut[b] += from->cut[b];
    }
}

/* Strata twice as long. */
static void merge_strata(lk_groups *g)
{
    for (size_t i = 0; i < g->count; i++)
        for (size_t r = 0; r < LK_GRIDS; r++) {
            lk_group *group = &g->items[i];
            lk_delays *s = group->evidence[r] ? group->evidence[r]->successes : NULL;

            for (size_t k = 0; k < LK_STRATA; k++) {
                uint32_t two = 2 * k + 1 < LK_STRATA
                                   ? group->failures[r][2 * k] + group->failures[r][2 * k + 1]
                                   : 0;

                group->failures[r][k] = two;
                if (!s)
                    continue;
                if (2 * k + 1 >= LK_STRATA) {
                    memset(&s[k], 0, sizeof(s[k]));
                    continue;
                }
                if (k)
                    s[k] = s[2 * k];
                add_delays(&s[k], &s[2 * k + 1]);
            }
        }
    g->stratum_ns *= 2;
}

size_t lk_groups_stratum(lk_groups *g, int64_t at_ns)
{
    uint64_t from_first_ns; /* instants may be farther apart than an int64 can say */

    if (at_ns >= g->begin_ns && at_ns < g->end_ns)
        return g->stratum;
    if (g->first_ns == LK_TIME_NONE)
        g->first_ns = at_ns;
    if (at_ns < g->first_ns)
        return 0;
    from_first_ns = (uint64_t)at_ns - (uint64_t)g->first_ns;
    while (from_first_ns / (uint64_t)g->stratum_ns >= LK_STRATA)
        merge_strata(g);
    g->stratum = (size_t)(from_first_ns / (uint64_t)g->stratum_ns);
    g->begin_ns = at_ns - (int64_t)(from_first_ns % (uint64_t)g->stratum_ns);
    g->end_ns = lk_later(g->begin_ns, g->stratum_ns);
    return g->stratum;
}

lk_code lk_groups_evidence(lk_groups *g, uint16_t group, lk_grid grid, lk_group_evidence **out,
                           lk_err *e)
{
    lk_group_evidence **slot = &g->items[group].evidence[grid];

    if (!*slot)
        *slot = calloc(1, sizeof(**slot));
    if (!*slot)
        return lk_fail(e, LK_EOOM, "no memory for the delays of a population");
    *out = *slot;
    return LK_OK;
}
