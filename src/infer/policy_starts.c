#include "infer/policy_starts.h"

#include "base/whole.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ENOUGH = 3, AROUND_MAX = 12, CAPS_MAX = 12 };

static const double ROUND[] = {
    0.01, 0.02, 0.025, 0.05, 0.1, 0.2, 0.25, 0.3, 0.4, 0.5, 0.6, 0.75, 0.8, 1,   1.2, 1.5,
    2,    2.5,  3,     4,    5,   6,   7.5,  8,   10,  12,  15,  16,   20,  23,  24,  25,
    30,   32,   40,    45,   50,  60,  64,   90,  100, 120, 128, 180,  240, 300, 600,
};
enum { ROUNDS = sizeof(ROUND) / sizeof(ROUND[0]) };

/* ---- the outline ---- */

static int ascending(const void *pa, const void *pb)
{
    double a = *(const double *)pa, b = *(const double *)pb;

    return (a > b) - (a < b);
}

static double quantile(const double *sorted, size_t n, double q)
{
    double at = q * (double)(n - 1);
    size_t i = lk_whole_size(at);

    return i + 1 < n ? sorted[i] + (at - (double)i) * (sorted[i + 1] - sorted[i]) : sorted[n - 1];
}

static void draw_retry(lk_outline *o, const lk_delay_set *d, unsigned k, double *scratch)
{
    size_t n = 0;

    o->low[k] = o->median[k] = o->top[k] = o->spread[k] = (double)NAN;
    for (size_t i = 0; i < d->n; i++)
        if (d->retry[i] == k)
            scratch[n++] = d->delay_s[i];
    if (n < ENOUGH)
        return;
    qsort(scratch, n, sizeof(*scratch), ascending);
    o->low[k] = quantile(scratch, n, 0.03);
    o->median[k] = quantile(scratch, n, 0.5);
    o->top[k] = fmax(quantile(scratch, n, 0.97), d->grain_s / 2);
    o->spread[k] = quantile(scratch, n, 0.8) - quantile(scratch, n, 0.2);
    if (o->count < LK_OUTLINE_RETRIES)
        o->retry[o->count++] = k;
}

/* Stamps cut to seconds shift a median, not a mean. */
static double mean_near(const double *x, size_t n, double middle, double reach)
{
    double sum = 0;
    size_t near = 0;

    for (size_t i = 0; i < n; i++)
        if (fabs(x[i] - middle) <= reach) {
            sum += x[i];
            near++;
        }
    return near ? sum / (double)near : middle;
}

static bool is_first_apart(const lk_outline *o, const lk_delay_set *d)
{
    double tight = fmax(1.1 * d->grain_s, 0.02);

    if (o->count < 2 || o->retry[0] != 0)
        return false;
    if (o->median[0] < 0.05 && o->median[o->retry[1]] > 0.2) /* at once, then not */
        return true;
    if (!(o->spread[0] <= tight))
        return false;
    for (size_t i = 1; i < o->count && i < 4; i++)
        if (o->spread[o->retry[i]] > 2.5 * tight ||
            o->median[o->retry[i]] > 20 * fmax(o->median[0], d->grain_s))
            return true;
    return o->median[0] < fmax(0.05, 0.5 * d->grain_s) &&
           o->median[o->retry[1]] > fmax(0.2, 1.5 * d->grain_s);
}

lk_code lk_outline_draw(const lk_delay_set *d, lk_arena *scratch, lk_outline *out, lk_err *e)
{
    double *x = LK_NEW(scratch, double, d->n + 1);

    if (!x)
        return lk_fail(e, LK_EOOM, "no memory for an outline of %zu delays", d->n);
    *out = (lk_outline){ .last_retry = 0 };
    for (unsigned k = 0; k < LK_RETRIES_MAX; k++)
        draw_retry(out, d, k, x);
    for (size_t i = 0; i < d->n; i++) {
        x[i] = d->delay_s[i];
        if (d->retry[i] > out->last_retry)
            out->last_retry = d->retry[i];
    }
    qsort(x, d->n, sizeof(*x), ascending);
    out->shortest = quantile(x, d->n, 0.01);
    out->longest = x[d->n - 1];
    out->middle = quantile(x, d->n, 0.5);
    out->centre = mean_near(x, d->n, out->middle, fmax(1.01 * d->grain_s, 0.02) + 1e-9);
    if (!out->count) { /* every retry once or twice: one outline for all */
        out->retry[out->count++] = 0;
        out->low[0] = out->shortest;
        out->median[0] = out->middle;
        out->top[0] = fmax(quantile(x, d->n, 0.97), d->grain_s / 2);
        out->spread[0] = quantile(x, d->n, 0.8) - quantile(x, d->n, 0.2);
    }
    out->first_is_apart = is_first_apart(out, d);
    return LK_OK;
}

/* ---- values ---- */

/* v, and round constants within a quarter of `spread` of it. */
static size_t around(double v, double grain, double spread, double out[AROUND_MAX])
{
    double reach = fmax(0.25 * spread * v, fmin(1.5 * grain, v));
    size_t n = 0;

    if (v > 0)
        out[n++] = v;
    for (size_t i = 0; i < ROUNDS && n < AROUND_MAX; i++)
        if (fabs(ROUND[i] - v) <= reach && ROUND[i] != v)
            out[n++] = ROUND[i];
    return n;
}

static void add(lk_starts *s, const lk_policy *policy, lk_policy_params p, double first_s,
                bool starts_after_first)
{
    if (s->count == LK_STARTS_MAX)
        return;
    s->items[s->count++] = (lk_policy_model){ policy, p, first_s, starts_after_first, 0 };
}

/* Bases that put a quantile of the first retries where it is, for growth by `factor`; caps where the
 * growth ends. */
struct grid {
    const lk_policy *policy;
    const lk_outline *o;
    const lk_delay_set *d;
    const double *quantile; /* [LK_RETRIES_MAX] */
    double scale;           /* of the window, to the quantile */
    double jitter;
    double first_s;
    bool after_first;
    size_t from;            /* outline rows before it are not used */
    lk_starts *out;
};

static size_t caps_of(const struct grid *g, double out[CAPS_MAX])
{
    double most = 0, last = g->quantile[g->o->retry[g->o->count - 1]], v[AROUND_MAX];
    size_t n = 0, m;

    out[n++] = (double)INFINITY;
    for (size_t i = g->from; i < g->o->count; i++)
        most = fmax(most, g->quantile[g->o->retry[i]]);
    m = around(most * g->scale, g->d->grain_s, 0.5, v);
    for (size_t i = 0; i < m && n < CAPS_MAX; i++)
        out[n++] = v[i];
    if (last < 0.8 * most) {
        m = around(last * g->scale, g->d->grain_s, 0.3, v);
        for (size_t i = 0; i < m && n < CAPS_MAX; i++)
            out[n++] = v[i];
    }
    return n;
}

static void add_grid(const struct grid *g, double factor)
{
    double caps[CAPS_MAX], bases[AROUND_MAX];
    size_t cap_count = caps_of(g, caps), used = 0;

    for (size_t i = g->from; i < g->o->count && used < 4; i++, used++) {
        unsigned k = g->o->retry[i];
        double grown = pow(factor, (double)(g->after_first && k ? k - 1 : k));
        size_t n = around(g->quantile[k] * g->scale / grown, g->d->grain_s / grown, 0.8, bases);

        for (size_t b = 0; b < n; b++)
            for (size_t c = 0; c < cap_count; c++)
                add(g->out, g->policy,
                    (lk_policy_params){ bases[b], factor, caps[c], g->jitter, 0 }, g->first_s,
                    g->after_first);
    }
}

/* Growth from one retry to the next, as the medians show it; 0 = none. */
static double growth(const lk_outline *o, size_t from)
{
    double best = 0;

    for (size_t i = from; i + 1 < o->count && i < from + 3; i++) {
        unsigned a = o->retry[i], b = o->retry[i + 1];

        if (o->low[a] > 0.01 && o->low[b] > 1.1 * o->low[a] && o->median[b] > o->median[a])
            best = fmax(best, pow(o->low[b] / o->low[a], 1.0 / (double)(b - a)));
        else if (o->median[a] > 0.01 && o->median[b] > o->median[a])
            best = fmax(best, pow(o->median[b] / o->median[a], 1.0 / (double)(b - a)));
    }
    return best > 1.1 && best < 12 ? best : 0;
}

static void add_grids(struct grid *g)
{
    static const double FACTORS[] = { 1.5, 2, 3 };
    double own = growth(g->o, g->from);

    for (size_t i = 0; i < 3; i++)
        add_grid(g, FACTORS[i]);
    if (own > 0 && fabs(own - 1.5) > 0.04 && fabs(own - 2) > 0.04 && fabs(own - 3) > 0.05)
        add_grid(g, own);
}

/* With the first retry as the others, and where it stands apart also as its own. */
static void add_variants(struct grid g)
{
    g.first_s = (double)NAN;
    add_grids(&g);
    if (!g.o->first_is_apart)
        return;
    g.from = 1;
    g.first_s = g.o->median[0] < fmax(0.05, 0.5 * g.d->grain_s) ? 0 : g.o->median[0];
    add_grids(&g);
    g.after_first = true;
    add_grids(&g);
}

static void add_constant(lk_starts *s, const lk_policy *policy, double v, double grain,
                         double spread, double jitter, double first_s)
{
    double bases[AROUND_MAX];
    size_t n = around(v, grain, spread, bases);

    for (size_t i = 0; i < n; i++)
        add(s, policy, (lk_policy_params){ bases[i], 1, (double)INFINITY, jitter, 0 }, first_s, false);
}

static double largest(const lk_outline *o, const double *quantile)
{
    double most = 0;

    for (size_t i = 0; i < o->count; i++)
        most = fmax(most, quantile[o->retry[i]]);
    return most;
}

/* ---- policies ---- */

static void start_point(const lk_policy *policy, const lk_outline *o, const lk_delay_set *d,
                        lk_starts *out)
{
    (void)o;
    (void)d;
    add(out, policy, (lk_policy_params){ 0, 1, (double)INFINITY, 0, 0 }, (double)NAN, false);
}

static void start_fixed(const lk_policy *policy, const lk_outline *o, const lk_delay_set *d,
                        lk_starts *out)
{
    add_constant(out, policy, o->middle, d->grain_s, 0.3, 0, (double)NAN);
    add_constant(out, policy, o->centre, d->grain_s, 0.1, 0, (double)NAN);
    add_constant(out, policy, o->shortest, d->grain_s, 0.1, 0, (double)NAN);
    if (o->first_is_apart)
        add_constant(out, policy, o->median[o->retry[1]], d->grain_s, 0.3, 0,
                     o->median[0] < fmax(0.05, 0.5 * d->grain_s) ? 0 : o->median[0]);
}

static void start_exponential(const lk_policy *policy, const lk_outline *o, const lk_delay_set *d,
                              lk_starts *out)
{
    /* lags come on top: on fine stamps the earliest comebacks show the delay itself */
    if (d->grain_s < 0.5)
        add_variants((struct grid){ policy, o, d, o->low, 1, 0, 0, false, 0, out });
    add_variants((struct grid){ policy, o, d, o->median, 1, 0, 0, false, 0, out });
}

static void start_window(const lk_policy *policy, const lk_outline *o, const lk_delay_set *d,
                         lk_starts *out)
{
    add_constant(out, policy, largest(o, o->top), d->grain_s, 0.4, 0, (double)NAN);
    add_variants((struct grid){ policy, o, d, o->top, 1, 0, 0, false, 0, out });
}

/* Where the delays of a retry begin and end says the share at once. */
static void add_edges(struct grid g)
{
    static const double FACTORS[] = { 1, 1.5, 2, 3 };
    double own = growth(g.o, g.from);

    for (size_t i = g.from; i < g.o->count && i < g.from + 4; i++) {
        unsigned k = g.o->retry[i];
        double low = g.o->low[k], top = g.o->top[k], middle = (low + top) / 2;
        double power = g.after_first && k ? k - 1 : k;

        if (!(middle > 0) || !(top > low))
            continue;
        for (size_t f = 0; f <= 4; f++) {
            double factor = f < 4 ? FACTORS[f] : own, caps[CAPS_MAX], grown;
            size_t n = caps_of(&g, caps);

            if (factor < 1)
                continue;
            grown = pow(factor, power);
            for (size_t c = 0; c < n && (factor > 1 || c < 1); c++)
                add(g.out, g.policy,
                    (lk_policy_params){ middle / grown, factor, caps[c],
                                        fmin(0.6, (top - low) / (top + low) * 1.05), 0 },
                    g.first_s, g.after_first);
        }
    }
}

static void add_edge_variants(struct grid g)
{
    g.first_s = (double)NAN;
    add_edges(g);
    if (!g.o->first_is_apart)
        return;
    g.from = 1;
    g.first_s = g.o->median[0] < fmax(0.05, 0.5 * g.d->grain_s) ? 0 : g.o->median[0];
    add_edges(g);
    g.after_first = true;
    add_edges(g);
}

static void start_percent(const lk_policy *policy, const lk_outline *o, const lk_delay_set *d,
                          lk_starts *out)
{
    static const double SHARES[] = { 0.02, 0.05, 0.1, 0.2, 0.5 };

    for (size_t i = 0; i < sizeof(SHARES) / sizeof(SHARES[0]); i++)
        add_constant(out, policy, o->middle, d->grain_s, 0.3, SHARES[i], (double)NAN);
    add_edge_variants((struct grid){ policy, o, d, o->median, 1, 0, 0, false, 0, out });
    add_variants((struct grid){ policy, o, d, o->median, 1, 0.2, 0, false, 0, out });
}

static void start_decorrelated(const lk_policy *policy, const lk_outline *o,
                               const lk_delay_set *d, lk_starts *out)
{
    double bases[2 * AROUND_MAX + 1], caps[AROUND_MAX + 2];
    double least = o->longest, at_cap = o->longest;
    size_t n = around(fmax(o->shortest, 0.01), d->grain_s, 1, bases), m;

    for (size_t i = 0; i < d->n; i++) {
        least = fmin(least, d->delay_s[i]);
        if (d->delay_s[i] > o->longest - fmax(0.08, 1.01 * d->grain_s)) /* those cut to the cap */
            at_cap = fmin(at_cap, d->delay_s[i]);
    }
    n += around(o->top[o->retry[0]] / 3, d->grain_s, 1, bases + n);
    bases[n++] = fmax(least, 0.001);
    m = around(o->longest, d->grain_s, 0.4, caps);
    caps[m++] = at_cap;
    caps[m++] = (double)INFINITY;
    for (size_t b = 0; b < n; b++)
        for (size_t c = 0; c < m; c++)
            add(out, policy, (lk_policy_params){ bases[b], 1, caps[c], 0, 0 }, (double)NAN, false);
}

static void start_told_jitter(const lk_policy *policy, const lk_outline *o, const lk_delay_set *d,
                              lk_starts *out)
{
    static const double CAPS[] = { 1, 2, 5, 10, 20, 30, 60, 120, (double)INFINITY };

    double over = 0;

    (void)o;
    for (size_t i = 0; i < d->n; i++) /* the largest but for a few strangers: below, by search */
        if (!isnan(d->asked_s[i]) && d->delay_s[i] - d->asked_s[i] < 1.05 * d->asked_s[i] + d->grain_s)
            over = fmax(over, d->delay_s[i] - d->asked_s[i]);
    if (over > 0)
        add(out, policy, (lk_policy_params){ 1, 2, over, 0, 0 }, (double)NAN, false);
    for (size_t i = 0; i < sizeof(CAPS) / sizeof(CAPS[0]); i++)
        add(out, policy, (lk_policy_params){ 1, 2, CAPS[i], 0, 0 }, (double)NAN, false);
}

static const struct starter {
    const char *policy;
    void (*start)(const lk_policy *policy, const lk_outline *o, const lk_delay_set *d,
                  lk_starts *out);
} STARTERS[] = {
    { "immediate", start_point },
    { "fixed", start_fixed },
    { "exponential", start_exponential },
    { "equal-jitter", start_window },
    { "full-jitter", start_window },
    { "decorrelated-jitter", start_decorrelated },
    { "percent-jitter", start_percent },
    { "retry-after-exact", start_point },
    { "retry-after-jitter", start_told_jitter },
    { NULL, NULL },
};

void lk_starts_of(const lk_policy *policy, const lk_outline *o, const lk_delay_set *d,
                  lk_starts *out)
{
    out->count = 0;
    for (const struct starter *s = STARTERS; s->policy; s++)
        if (strcmp(s->policy, policy->name) == 0)
            s->start(policy, o, d, out);
}
