#include "peers.h"

#include "base/random.h"
#include "infer/spectrum.h"

#include <math.h>
#include <stdlib.h>

#define SHORTEST_S 3.0
#define LONGEST_S 600.0

enum { PERMUTATIONS = 20, HINTS = 10 };

static void *must(void *p)
{
    if (!p)
        abort();
    return p;
}

/* ---- the periodogram ---------------------------------------------------------------------- */

typedef struct gram {
    lk_spectrum *spectrum;
    double *y, *power;
    size_t n, points, from, to; /* powers [from, to] belong to the periods asked for */
    double span_s, bin_s;
} gram;

static void open_gram(gram *g, const lk_evidence *ev, lk_arena *scratch)
{
    lk_err e = { 0 };
    size_t length = lk_spectrum_length(ev->series.n);

    *g = (gram){ .n = ev->series.n, .bin_s = (double)ev->series.bin_ns * 1e-9 };
    if (lk_spectrum_new(scratch, length, &g->spectrum, &e) != LK_OK)
        abort();
    g->points = lk_spectrum_points(g->spectrum);
    g->y = must(LK_NEW(scratch, double, g->n));
    g->power = must(LK_NEW(scratch, double, g->points));
    for (size_t i = 0; i < g->n; i++)
        g->y[i] = ev->series.all[i];
    g->span_s = (double)length * g->bin_s;
    g->from = (size_t)ceil(g->span_s / fmin(LONGEST_S, (double)g->n * g->bin_s / 3.0));
    g->to = (size_t)floor(g->span_s / fmax(SHORTEST_S, 3.0 * g->bin_s));
    g->to = g->to < g->points - 1 ? g->to : g->points - 1;
}

static void transform(gram *g, const double *y)
{
    lk_err e = { 0 };

    if (lk_spectrum_power(g->spectrum, y, g->n, g->power, &e) != LK_OK)
        abort();
}

static size_t highest(const gram *g)
{
    size_t best = g->from;

    for (size_t k = g->from; k <= g->to; k++)
        best = g->power[k] > g->power[best] ? k : best;
    return best;
}

static peer_answer fisher(const lk_evidence *ev, uint64_t seed, lk_arena *scratch)
{
    double sum = 0.0, share;
    size_t best, m;
    gram g;

    (void)seed;
    open_gram(&g, ev, scratch);
    if (g.from >= g.to)
        return (peer_answer){ 0.0, 1.0 };
    transform(&g, g.y);
    best = highest(&g);
    for (size_t k = g.from; k <= g.to; k++)
        sum += g.power[k];
    m = g.to - g.from + 1;
    share = sum > 0.0 ? g.power[best] / sum : 0.0;
    /* the first term of Fisher's sum: ln(m (1 - g)^(m - 1)) */
    return (peer_answer){ -(log((double)m) + (double)(m - 1) * log(fmax(1.0 - share, 1e-300))),
                          g.span_s / (double)best };
}

/* ---- AUTOPERIOD --------------------------------------------------------------------------- */

static void shuffle(double *y, size_t n, lk_random *r)
{
    for (size_t i = n; i > 1; i--) {
        size_t j = (size_t)(lk_random_unit(r) * (double)i);
        double t = y[i - 1];

        y[i - 1] = y[j];
        y[j] = t;
    }
}

/* The largest power that shuffled bins show. */
static double permuted_power(gram *g, uint64_t seed, lk_arena *scratch)
{
    double *y = must(LK_NEW(scratch, double, g->n)), most = 0.0;
    lk_random r;

    lk_random_init(&r, seed);
    for (size_t i = 0; i < g->n; i++)
        y[i] = g->y[i];
    for (int k = 0; k < PERMUTATIONS; k++) {
        shuffle(y, g->n, &r);
        transform(g, y);
        most = fmax(most, g->power[highest(g)]);
    }
    return most;
}

static double slope(const double *acf, size_t from, size_t to)
{
    double n = (double)(to - from + 1), x = 0.0, y = 0.0, xx = 0.0, xy = 0.0;

    for (size_t i = from; i <= to; i++) {
        x += (double)i;
        y += acf[i];
        xx += (double)i * (double)i;
        xy += (double)i * acf[i];
    }
    return (n * xy - x * y) / fmax(n * xx - x * x, 1e-12);
}

/* Is the hint on a hill?  Then its top, else 0. */
static double hill(const double *acf, size_t n, double low, double high)
{
    size_t from = (size_t)fmax(1.0, floor(low)), to = (size_t)ceil(high), best;

    to = to + 1 < n ? to : n - 2;
    if (to < from + 2)
        from = to > 2 ? to - 2 : 0;
    best = from;
    for (size_t i = from; i <= to; i++)
        best = acf[i] > acf[best] ? i : best;
    if (best == from || best == to || slope(acf, from, best) <= 0.0 || slope(acf, best, to) >= 0.0)
        return 0.0;
    return (double)best;
}

static peer_answer autoperiod(const lk_evidence *ev, uint64_t seed, lk_arena *scratch)
{
    lk_spectrum *wide = NULL;
    lk_err e = { 0 };
    double least, *acf;
    gram g;

    open_gram(&g, ev, scratch);
    if (g.from >= g.to)
        return (peer_answer){ 0.0, 1.0 };
    least = permuted_power(&g, seed, scratch);
    acf = must(LK_NEW(scratch, double, g.n));
    if (lk_spectrum_new(scratch, lk_spectrum_length(2 * g.n), &wide, &e) != LK_OK ||
        lk_spectrum_acf(wide, g.y, g.n, acf, &e) != LK_OK)
        abort();
    transform(&g, g.y);
    for (int i = 0; i < HINTS; i++) {
        size_t k = highest(&g);
        double bins = 2.0 * (double)(g.points - 1) / (double)k, step = bins / (double)k, top;

        top = hill(acf, g.n, bins - step / 2.0 - 1.0, bins + step / 2.0 + 1.0);
        if (top > 0.0)
            return (peer_answer){ g.power[k] / least, top * g.bin_s };
        g.power[k] = 0.0;
    }
    return (peer_answer){ 0.0, 1.0 };
}

/* ---- the histogram of gaps ---------------------------------------------------------------- */

static size_t cell_of(double gap_s, double width_s)
{
    return (size_t)(gap_s / width_s);
}

static peer_answer gap_peak(const lk_evidence *ev, uint64_t seed, lk_arena *scratch)
{
    double res = (double)ev->resolution_ns * 1e-9, width = fmax(res, 0.25), best = 0.0, at = 1.0;
    size_t n = (size_t)(LONGEST_S / width) + 1;
    double *count = must(LK_NEW(scratch, double, n));

    (void)seed;
    for (size_t i = 0; i < ev->hop_count; i++) {
        double gap = (double)ev->hops[i].gap_ns * 1e-9;

        if (ev->hops[i].failed && gap >= SHORTEST_S && gap < LONGEST_S)
            count[cell_of(gap, width)] += 1.0;
    }
    for (size_t i = 0; i + 1 < n; i++) {
        double near = 0.0, cells = 0.0;

        for (size_t j = i > 5 ? i - 5 : 0; j <= i + 5 && j < n; j++)
            if (j != i) {
                near += count[j];
                cells += 1.0;
            }
        near = fmax(near / cells, 0.2);
        if (count[i] > near && count[i] * log(count[i] / near) - count[i] + near > best) {
            best = count[i] * log(count[i] / near) - count[i] + near;
            at = ((double)i + (res < 0.5 ? 0.5 : 0.0)) * width;
        }
    }
    return (peer_answer){ best, at };
}

const peer PEERS[] = {
    { "periodogram, Fisher's g", fisher },
    { "AUTOPERIOD", autoperiod },
    { "gap histogram", gap_peak },
    { .name = NULL },
};
