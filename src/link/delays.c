#include "link/delays.h"

#include <math.h>
#include <string.h>

static const double GROWTH = 0.08;

double lk_grid_resolution_s(lk_grid grid)
{
    return grid == LK_GRID_WHOLE ? 1.0 : 0.001;
}

/* The eighth of an octave that a delay lies in; those below the first are in the first. */
static size_t eighth_of(double delay_s)
{
    enum { MANTISSA = 52, EIGHTH = MANTISSA - 3, BIAS = 1023 };
    const uint64_t first = (uint64_t)(BIAS + LK_EDGE_OCTAVE_MIN) << 3;
    uint64_t bits;

    if (delay_s < 1.0 / 1024)
        return 0;
    memcpy(&bits, &delay_s, sizeof(bits));
    return (size_t)((bits >> EIGHTH) - first);
}

static void fill_hints(lk_edges *e)
{
    size_t cell = 0;

    e->hint[0] = 0; /* for delays below it, too */
    for (size_t i = 1; i < LK_EDGE_HINTS; i++) {
        double begin = ldexp(1 + (double)(i % 8) / 8, LK_EDGE_OCTAVE_MIN + (int)(i / 8));

        while (cell + 1 < e->count && begin >= e->at[cell + 1])
            cell++;
        e->hint[i] = (uint8_t)cell;
    }
}

void lk_edges_init(lk_edges *e, lk_grid grid)
{
    double narrowest = grid == LK_GRID_WHOLE ? 1.0 : 0.002;
    size_t n = 0;

    e->at[0] = grid == LK_GRID_WHOLE ? -0.5 : -0.002;
    while (n < LK_CELLS && e->at[n] < (double)LK_DELAY_MAX_NS / 1e9) {
        double width = fmax(narrowest, GROWTH * e->at[n]);

        if (n == 0 && grid == LK_GRID_FINE)
            width = 0.004;
        e->at[n + 1] = e->at[n] + width;
        n++;
    }
    e->count = n;
    fill_hints(e);
}

int lk_edges_cell(const lk_edges *e, double delay_s)
{
    size_t cell;

    if (delay_s < e->at[0])
        return -1;
    if (delay_s >= e->at[e->count])
        return (int)e->count;
    cell = e->hint[eighth_of(delay_s)];
    while (delay_s >= e->at[cell + 1])
        cell++;
    return (int)cell;
}

static size_t clamp_cell(const lk_edges *e, double delay_s)
{
    int cell = lk_edges_cell(e, delay_s);

    if (cell < 0)
        return 0;
    return (size_t)cell < e->count ? (size_t)cell : e->count - 1;
}

void lk_delays_add(lk_delays *d, const lk_edges *e, double from_end_s, double from_start_s)
{
    int end = lk_edges_cell(e, from_end_s), start = lk_edges_cell(e, from_start_s);

    d->total++;
    if (end >= 0 && (size_t)end < e->count)
        d->seen[LK_FROM_END][end]++;
    if (start >= 0 && (size_t)start < e->count)
        d->seen[LK_FROM_START][start]++;
    if (end >= 0 && (size_t)end == e->count) /* came back later than anybody waits: watched in vain */
        d->cut[e->count - 1]++;
}

void lk_delays_add_cut(lk_delays *d, const lk_edges *e, double watched_s)
{
    d->total++;
    d->cut[clamp_cell(e, watched_s)]++;
}

/* Weight of each stratum's successes: failures per success, bounded by 50 medians. */
static bool weigh(const lk_delays *successes, const uint32_t *failures, double *weight)
{
    double thin = 0, all = 0, sum = 0, square = 0, low = 0, order[LK_STRATA];
    uint64_t counted = 0, weighted = 0;

    for (size_t s = 0; s < LK_STRATA; s++) {
        double n = (double)successes[s].total;

        weight[s] = n > 0 ? failures[s] / n : 0;
        all += failures[s];
        if (n < 5)
            thin += failures[s];
        weighted += weight[s] > 0 ? successes[s].total : 0;
        order[s] = weight[s];
    }
    for (size_t i = 1; i < LK_STRATA; i++) /* insertion sort of 32 weights */
        for (size_t j = i; j > 0 && order[j] < order[j - 1]; j--) {
            double t = order[j];

            order[j] = order[j - 1];
            order[j - 1] = t;
        }
    for (size_t i = 0; i < LK_STRATA && 2 * counted < weighted; i++) {
        if (order[i] <= 0)
            continue;
        low = order[i];
        for (size_t s = 0; s < LK_STRATA; s++)
            if (weight[s] == order[i] && (i == 0 || order[i - 1] != order[i]))
                counted += successes[s].total;
    }
    for (size_t s = 0; s < LK_STRATA; s++) {
        weight[s] = fmin(weight[s], 50 * low);
        sum += weight[s] * (double)successes[s].total;
        square += weight[s] * weight[s] * (double)successes[s].total;
    }
    return thin <= 0.5 * all && sum >= 1 && sum * sum >= 100 * square;
}

void lk_control_build(const lk_delays *successes, const uint32_t *failures, lk_control *out)
{
    double weight[LK_STRATA], sum = 0, square = 0;

    memset(out, 0, sizeof(*out));
    if (!weigh(successes, failures, weight))
        for (size_t s = 0; s < LK_STRATA; s++)
            weight[s] = 1;
    for (size_t s = 0; s < LK_STRATA; s++) {
        sum += weight[s] * (double)successes[s].total;
        square += weight[s] * weight[s] * (double)successes[s].total;
        for (size_t b = 0; b < LK_CELLS; b++) {
            out->seen[LK_FROM_END][b] += weight[s] * successes[s].seen[LK_FROM_END][b];
            out->seen[LK_FROM_START][b] += weight[s] * successes[s].seen[LK_FROM_START][b];
            out->cut[b] += weight[s] * successes[s].cut[b];
        }
    }
    out->effective = square > 0 ? sum / square : 1;
}

static double window_sum(const double *x, size_t n, size_t i, size_t half)
{
    double sum = 0;
    size_t from = i > half ? i - half : 0, to = i + half < n ? i + half : n - 1;

    for (size_t j = from; j <= to; j++)
        sum += x[j];
    return sum;
}

static bool is_sure(double seen, double expected, double control)
{
    return seen - expected >
           3.5 * sqrt(expected * (1 + seen / fmax(control, 1))) + 2;
}

/* One anchor's comparison. */
struct comparison {
    double seen[LK_CELLS], expected[LK_CELLS];
    double hazard[LK_CELLS]; /* of the comeback alone */
    double at_risk[LK_CELLS];
    double control[LK_CELLS];
};

static void compare(const lk_delays *failures, const lk_control *control, size_t n,
                    lk_anchor anchor, struct comparison *c)
{
    double risk_failed = 0, risk_good = 0, good_risk[LK_CELLS];

    for (size_t b = n; b-- > 0;) {
        c->seen[b] = failures->seen[anchor][b];
        c->control[b] = control->seen[anchor][b];
        risk_failed += c->seen[b] + failures->cut[b];
        risk_good += c->control[b] + control->cut[b];
        c->at_risk[b] = risk_failed;
        good_risk[b] = risk_good;
    }
    for (size_t b = 0; b < n; b++) {
        double here = good_risk[b] > 0 ? c->control[b] / good_risk[b] : 0;
        double around = window_sum(c->control, n, b, 2) /
                        fmax(window_sum(good_risk, n, b, 2), 1e-9);
        double ordinary = good_risk[b] > 0 ? fmin(fmax(here, 0.5 * around), 1) : 0;

        c->expected[b] = c->at_risk[b] * ordinary;
        c->hazard[b] = c->at_risk[b] > 0
                           ? (c->seen[b] - c->at_risk[b] * here) / fmax(c->at_risk[b], 1)
                           : 0;
    }
}

/* Failures return and successes hardly ever do: then no cell needs a proof of its own. */
static bool is_plain(const struct comparison *c, const lk_control *control, size_t n)
{
    double returned = window_sum(c->seen, n, 0, n), good = window_sum(c->control, n, 0, n);
    double good_at_risk = good + window_sum(control->cut, n, 0, n);

    return c->at_risk[0] > 0 && returned > 0.5 * c->at_risk[0] &&
           good_at_risk * control->effective >= 10 &&
           good / good_at_risk < 0.3 * returned / c->at_risk[0];
}

static void judge_cells(const struct comparison *c, const lk_control *control, size_t n,
                        double *caused)
{
    bool plain = is_plain(c, control, n);

    for (size_t b = 0; b < n; b++) {
        bool sure = plain && c->seen[b] >= 3;

        for (size_t half = 0; !sure && half <= 7; half = half ? half * 3 + 1 : 2)
            sure = is_sure(window_sum(c->seen, n, b, half), window_sum(c->expected, n, b, half),
                           window_sum(c->control, n, b, half) * control->effective);
        caused[b] = sure && c->seen[b] > 0 ? fmax(0, 1 - c->expected[b] / c->seen[b]) : 0;
    }
}

void lk_comebacks_learn(const lk_delays *failures, const lk_control *control, const lk_edges *e,
                        lk_comebacks *out)
{
    struct comparison c;
    double kept = 0, chance = 0, alive = 1;
    size_t n = e->count;

    memset(out, 0, sizeof(*out));
    if (failures->total < 5)
        return;
    compare(failures, control, n, LK_FROM_START, &c);
    judge_cells(&c, control, n, out->caused[LK_FROM_START]);
    compare(failures, control, n, LK_FROM_END, &c);
    judge_cells(&c, control, n, out->caused[LK_FROM_END]);
    for (size_t b = 0; b < n; b++) {
        if (out->caused[LK_FROM_END][b] > 0.5) {
            kept += c.seen[b] - fmin(c.expected[b], c.seen[b]);
            chance += c.expected[b];
            out->density[b] = fmax(alive * c.hazard[b], 0) / (e->at[b + 1] - e->at[b]);
        }
        alive *= 1 - fmin(fmax(c.hazard[b], -0.5), 1);
    }
    out->excess = kept / (double)failures->total;
    out->any = kept >= 4 * sqrt(chance + 1) + 4 && out->excess >= 0.05;
}
