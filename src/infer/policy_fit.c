#include "infer/policy_fit.h"
#include "base/hash.h"
#include "infer/policy_starts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { THIN = 160, KEPT = 3, ROUNDS_OF_SEARCH = 5, ROUNDS_OF_POINTS = 8 };

/* One fit at work. */
struct search {
    const lk_delay_set *d;
    lk_delay_set cells; /* d with equal delays as one: whole seconds make few */
    lk_delay_set thin;  /* some of d, likewise */
    lk_noise *noises[LK_LAGS_MAX];
    size_t noise_count;
    lk_outline outline;
    lk_starts starts;
    double *scratch; /* [6 * d->n] */
};

struct tried {
    lk_policy_model model;
    const lk_noise *noise;
    double log_likelihood;
};

/* Mean lags worth trying: timers of busy programs on fine stamps, service time on coarse ones. */
lk_code lk_policy_noises(const lk_delay_set *d, lk_arena *a, lk_noise *noises[LK_LAGS_MAX],
                         size_t *count, lk_err *e)
{
    static const double FINE[] = { 0.003, 0.01, 0.03, 0.1 }, COARSE[] = { 0.02, 0.2, 0.5, 1 };
    const double *lags = d->grain_s < 0.5 ? FINE : COARSE;

    *count = LK_LAGS_MAX;
    for (size_t i = 0; i < *count; i++)
        LK_TRY(lk_noise_new(a, d->grain_s, lags[i], &noises[i], e));
    return LK_OK;
}

size_t lk_thinned(size_t i, size_t all, size_t taken)
{
    size_t from = i * all / taken, to = (i + 1) * all / taken;

    return from + (size_t)(lk_hash_mix(i) % (to - from));
}

typedef struct cell {
    double delay_s, previous_s, asked_s;
    unsigned retry;
} cell;

/* NAN beside NAN, behind all numbers. */
static int compare(double a, double b)
{
    if (isnan(a) || isnan(b))
        return (isnan(a) != 0) - (isnan(b) != 0);
    return (a > b) - (a < b);
}

static int in_order(const void *pa, const void *pb)
{
    const cell *a = pa, *b = pb;
    int by = (a->retry > b->retry) - (a->retry < b->retry);

    by = by ? by : compare(a->delay_s, b->delay_s);
    by = by ? by : compare(a->previous_s, b->previous_s);
    return by ? by : compare(a->asked_s, b->asked_s);
}

/* `most` of the delays, equal ones as one with a weight. */
static lk_code gather(const lk_delay_set *d, size_t most, lk_arena *scratch, lk_delay_set *out,
                      lk_err *e)
{
    size_t n = d->n < most ? d->n : most, count = 0;
    cell *cells = LK_NEW(scratch, cell, n + 1);
    double *delay = LK_NEW(scratch, double, 4 * n + 1), *previous = delay + n,
           *asked = previous + n, *weight = asked + n;
    unsigned *retry = LK_NEW(scratch, unsigned, n + 1);

    if (!cells || !delay || !retry)
        return lk_fail(e, LK_EOOM, "no memory to gather %zu delays", d->n);
    for (size_t i = 0; i < n; i++) {
        size_t from = lk_thinned(i, d->n, n);

        cells[i] =
            (cell){ d->delay_s[from], d->previous_s[from], d->asked_s[from], d->retry[from] };
    }
    qsort(cells, n, sizeof(cells[0]), in_order);
    for (size_t i = 0; i < n; i++) {
        if (i && in_order(&cells[i], &cells[i - 1]) == 0) {
            weight[count - 1]++;
            continue;
        }
        delay[count] = cells[i].delay_s;
        previous[count] = cells[i].previous_s;
        asked[count] = cells[i].asked_s;
        retry[count] = cells[i].retry;
        weight[count++] = 1;
    }
    *out = *d;
    out->n = count;
    out->delay_s = delay;
    out->previous_s = previous;
    out->asked_s = asked;
    out->retry = retry;
    out->weight = weight;
    out->caller = NULL;
    return LK_OK;
}

/* Keeps the best few, best first. */
static void keep(struct tried best[KEPT], size_t *kept, struct tried one)
{
    size_t at = *kept;

    while (at > 0 && one.log_likelihood > best[at - 1].log_likelihood)
        at--;
    if (at == KEPT)
        return;
    if (*kept < KEPT)
        (*kept)++;
    memmove(&best[at + 1], &best[at], (*kept - at - 1) * sizeof(best[0]));
    best[at] = one;
}

static bool is_sound(const struct search *x, const lk_policy_model *m)
{
    return lk_policy_model_is_sound(m, x->outline.last_retry + 1);
}

/* Whole seconds make nothing of a short delay before: with a lag longer than the base, the lag would stand for
 * the policy. */
static bool is_lag_sound(const lk_policy_model *m, const lk_noise *noise)
{
    return strcmp(m->policy->name, "decorrelated-jitter") != 0 || noise->lag_s <= fmax(m->params.base_s, 0.02);
}

/* Every second table while thinned: neighbours differ little. */
static void try_start(struct search *x, const lk_policy_model *m, struct tried best[KEPT],
                      size_t *kept)
{
    struct tried own = { *m, NULL, -(double)INFINITY };

    if (!is_sound(x, m))
        return;
    for (size_t i = 0; i < x->noise_count; i += 2) {
        double l;

        if (!is_lag_sound(m, x->noises[i]))
            continue;
        l = lk_policy_log_likelihood(m, &x->thin, x->noises[i]);
        if (l > own.log_likelihood) {
            own.log_likelihood = l;
            own.noise = x->noises[i];
        }
    }
    if (own.noise)
        keep(best, kept, own);
}

static void try_noises(struct search *x, struct tried *t)
{
    t->log_likelihood = -(double)INFINITY;
    for (size_t i = 0; i < x->noise_count; i++) {
        double l;

        if (!is_lag_sound(&t->model, x->noises[i]))
            continue;
        l = lk_policy_log_likelihood(&t->model, &x->cells, x->noises[i]);
        if (l > t->log_likelihood) {
            t->log_likelihood = l;
            t->noise = x->noises[i];
        }
    }
}

/* Is the model better than before its last change?  Then the new likelihood stands. */
static bool helped(const struct search *x, struct tried *t)
{
    double l;

    if (!is_sound(x, &t->model) || !is_lag_sound(&t->model, t->noise))
        return false;
    l = lk_policy_log_likelihood(&t->model, &x->cells, t->noise);
    if (l <= t->log_likelihood + 1e-9)
        return false;
    t->log_likelihood = l;
    return true;
}

static bool try_value(struct search *x, struct tried *t, double *value, double to)
{
    double before = *value;

    *value = to;
    if (helped(x, t))
        return true;
    *value = before;
    return false;
}

/* A step as often as it helps, forth or back. */
static void walk(struct search *x, struct tried *t, double *value, double step)
{
    for (int way = 0; way < 2; way++, step = 1 / (1 + step) - 1)
        for (int i = 0; i < 4 && try_value(x, t, value, *value * (1 + step)); i++)
            way = 1;
}

/* Moves one edge of a window that reaches both ways, and leaves the other where it is. */
static bool try_edges(struct search *x, struct tried *t, double low_by, double high_by)
{
    lk_policy_params *p = &t->model.params, before = *p;
    double low = p->base_s * (1 - p->jitter) * low_by, high = p->base_s * (1 + p->jitter) * high_by;

    p->base_s = (low + high) / 2;
    p->jitter = (high - low) / (high + low);
    if (helped(x, t))
        return true;
    *p = before;
    return false;
}

static void walk_edges(struct search *x, struct tried *t, double step)
{
    if (!(t->model.policy->uses & LK_USES_JITTER))
        return;
    for (int i = 0; i < 3 && (try_edges(x, t, 1 + step, 1) || try_edges(x, t, 1 - step, 1)); i++)
        ;
    for (int i = 0; i < 3 && (try_edges(x, t, 1, 1 + step) || try_edges(x, t, 1, 1 - step)); i++)
        ;
}

/* Growth and base together, so that the delay of retry k stays: alone neither of them can move. */
static bool try_turn(struct search *x, struct tried *t, double by, unsigned k)
{
    lk_policy_params *p = &t->model.params, before = *p;

    p->factor *= by;
    p->base_s /= pow(by, k);
    if (p->factor > 1 && helped(x, t))
        return true;
    *p = before;
    return false;
}

static void turn(struct search *x, struct tried *t, double step)
{
    unsigned shift = t->model.starts_after_first ? 1 : 0;

    for (size_t i = 0; i < x->outline.count && i < 6; i++) {
        unsigned k = x->outline.retry[i];

        if (k <= shift)
            continue;
        for (int n = 0; n < 3 && (try_turn(x, t, 1 + step, k - shift) ||
                                  try_turn(x, t, 1 / (1 + step), k - shift));
             n++)
            ;
    }
}

/* One parameter at a time, with shrinking steps. */
static void refine(struct search *x, struct tried *t)
{
    lk_policy_params *p = &t->model.params;
    unsigned uses = t->model.policy->uses;
    bool told = strncmp(t->model.policy->name, "retry-after", 11) == 0;
    bool point = !(uses & LK_USES_JITTER) && strcmp(t->model.policy->name, "exponential") == 0;
    struct {
        double *value;
        bool free;
        double scale;
    } knob[] = {
        { &p->base_s, (uses & LK_USES_BASE) && !told && p->base_s > 0, 1 },
        { &p->cap_s, (uses & LK_USES_CAP) && isfinite(p->cap_s), 1 },
        { &p->factor, (uses & LK_USES_FACTOR) && !told && p->factor > 1, 0.5 },
    };
    double step = 0.08;

    for (int round = 0; round < (point ? ROUNDS_OF_POINTS : ROUNDS_OF_SEARCH); round++, step /= 2) {
        for (size_t i = 0; i < sizeof(knob) / sizeof(knob[0]); i++)
            if (knob[i].free)
                walk(x, t, knob[i].value, knob[i].scale * step);
        if (knob[2].free)
            turn(x, t, 0.5 * step);
        walk_edges(x, t, step);
    }
    try_noises(x, t);
}

/* Round numbers are what people type: taken where the delays do not speak against them. */
static void round_off(struct search *x, struct tried *t, double *value)
{
    double rounded = lk_round_constant(*value, 0.06), before = *value, l;

    if (!isfinite(before) || rounded == before)
        return;
    *value = rounded;
    l = is_sound(x, &t->model) ? lk_policy_log_likelihood(&t->model, &x->cells, t->noise)
                               : -(double)INFINITY;
    if (l > t->log_likelihood - 1)
        t->log_likelihood = l;
    else
        *value = before;
}

/* Growth as people set it, with the base that then fits best: every retry in turn keeps its delay. */
static void round_growth(struct search *x, struct tried *t)
{
    lk_policy_params *p = &t->model.params;
    double f = lk_common_growth(p->factor, 0.12);
    unsigned shift = t->model.starts_after_first ? 1 : 0;
    struct tried best = *t;

    if (!(p->factor > 1) || f == p->factor)
        return;
    best.log_likelihood = -(double)INFINITY;
    for (size_t i = 0; i < x->outline.count && i < 6; i++) {
        unsigned k = x->outline.retry[i] > shift ? x->outline.retry[i] - shift : 0;
        struct tried own = *t;

        own.model.params.factor = f;
        own.model.params.base_s *= pow(p->factor / f, k);
        own.log_likelihood = -(double)INFINITY;
        if (!helped(x, &own))
            continue;
        for (double step = 0.02; step > 0.002; step /= 2)
            walk(x, &own, &own.model.params.base_s, step);
        if (own.log_likelihood > best.log_likelihood)
            best = own;
    }
    if (best.log_likelihood > t->log_likelihood - 2)
        *t = best;
}

static unsigned parameters(const lk_policy_model *m)
{
    static const struct {
        const char *policy;
        unsigned count;
    } COUNT[] = { { "immediate", 0 },          { "retry-after-exact", 0 },   { "fixed", 1 },
                  { "retry-after-jitter", 1 }, { "decorrelated-jitter", 2 }, { NULL, 3 } };
    size_t i = 0;

    while (COUNT[i].policy && strcmp(COUNT[i].policy, m->policy->name) != 0)
        i++;
    if (strcmp(m->policy->name, "percent-jitter") == 0)
        return (m->params.factor > 1 ? 4U : 2U) + (isnan(m->first_s) ? 0U : 1U);
    if (strcmp(m->policy->name, "equal-jitter") == 0 &&
        (m->params.factor <= 1 || m->params.cap_s <= 1.02 * m->params.base_s))
        return 1U + (isnan(m->first_s) ? 0U : 1U); /* half of a constant window: nothing but the window is free */
    return COUNT[i].count + (isnan(m->first_s) ? 0U : 1U);
}

static lk_policy_fitted fitted(struct search *x, const struct tried *t)
{
    lk_policy_fitted f = { .model = t->model, .lag_s = t->noise->lag_s };

    f.match = lk_policy_match_of(&t->model, x->d, t->noise, x->scratch);
    f.cost = -f.match.log_likelihood + 0.5 * parameters(&t->model) * log((double)x->d->n);
    return f;
}

/* Linked by inference, a call may begin one attempt late: said only where it explains a lot. */
static void try_missed(struct search *x, struct tried *t)
{
    static const double SHARES[] = { 0.03, 0.05, 0.08, 0.12, 0.17, 0.25 };
    double before = t->log_likelihood;
    struct tried own = *t;

    if (!x->d->is_linked || !(t->model.policy->uses & LK_USES_FACTOR) ||
        (t->model.params.factor <= 1 && isnan(t->model.first_s)))
        return;
    for (size_t i = 0; i < sizeof(SHARES) / sizeof(SHARES[0]); i++) {
        own.model.missed = SHARES[i];
        own.log_likelihood = lk_policy_log_likelihood(&own.model, &x->cells, own.noise);
        if (own.log_likelihood > fmax(before + 10, t->log_likelihood))
            *t = own;
    }
}

/* On coarse stamps a longer delay with less lag stands in the way of a shorter one with more: a point
 * is looked for beside every lag. */
static void refine_lags(struct search *x, struct tried *t)
{
    struct tried best = *t;

    if (x->d->grain_s < 0.5)
        return;
    for (size_t i = 0; i < x->noise_count; i++) {
        struct tried own = *t;

        own.noise = x->noises[i];
        if (!is_lag_sound(&own.model, own.noise))
            continue;
        own.log_likelihood = lk_policy_log_likelihood(&own.model, &x->cells, own.noise);
        refine(x, &own);
        if (own.log_likelihood > best.log_likelihood)
            best = own;
    }
    *t = best;
}

/* False when the policy has nowhere to start. */
static bool fit_one(struct search *x, const lk_policy *policy, lk_policy_fitted *out)
{
    struct tried best[KEPT], *top = NULL;
    size_t kept = 0;

    lk_starts_of(policy, &x->outline, x->d, &x->starts);
    for (size_t i = 0; i < x->starts.count; i++)
        try_start(x, &x->starts.items[i], best, &kept);
    for (size_t i = 0; i < kept; i++) {
        try_noises(x, &best[i]);
        refine(x, &best[i]);
        if (!top || best[i].log_likelihood > top->log_likelihood)
            top = &best[i];
    }
    if (!top)
        return false;
    refine_lags(x, top);
    try_missed(x, top);
    round_growth(x, top);
    round_off(x, top, &top->model.params.base_s);
    round_off(x, top, &top->model.params.cap_s);
    *out = fitted(x, top);
    return true;
}

static bool is_told(const lk_policy *p)
{
    return strncmp(p->name, "retry-after", 11) == 0;
}

/* Most comebacks were told how long to wait. */
static bool has_asked(const lk_delay_set *d)
{
    size_t n = 0;

    for (size_t i = 0; i < d->n; i++)
        n += isnan(d->asked_s[i]) ? 0 : 1;
    return 2 * n > d->n;
}

static int cheapest_first(const void *pa, const void *pb)
{
    const lk_policy_fitted *a = pa, *b = pb;

    return (a->cost > b->cost) - (a->cost < b->cost);
}

lk_code lk_policy_fit(const lk_delay_set *d, lk_arena *scratch, lk_policy_fitted fits[LK_FITS_MAX],
                      size_t *count, lk_err *e)
{
    struct search x = { .d = d };

    *count = 0;
    if (!d->n)
        return LK_OK;
    x.scratch = LK_NEW(scratch, double, 6 * d->n);
    x.starts.items = LK_NEW(scratch, lk_policy_model, LK_STARTS_MAX);
    if (!x.scratch || !x.starts.items)
        return lk_fail(e, LK_EOOM, "no memory to fit %zu delays", d->n);
    LK_TRY(lk_policy_noises(d, scratch, x.noises, &x.noise_count, e));
    LK_TRY(lk_outline_draw(d, scratch, &x.outline, e));
    LK_TRY(gather(d, d->n, scratch, &x.cells, e));
    LK_TRY(gather(d, THIN, scratch, &x.thin, e));
    for (const lk_policy *p = LK_POLICIES; p->name; p++)
        if ((!is_told(p) || has_asked(d)) && *count < LK_FITS_MAX && fit_one(&x, p, &fits[*count]))
            (*count)++;
    qsort(fits, *count, sizeof(fits[0]), cheapest_first);
    return LK_OK;
}

/* x itself, or the nearest of some values within the share `tolerance` of what it is compared with. */
static double nearest(double x, const double *value, size_t count, double scale, double tolerance)
{
    double best = x, near = (double)INFINITY;

    for (size_t i = 0; i < count; i++) {
        double off = fabs(value[i] * scale - x);

        if (off <= tolerance * x && off < near) {
            near = off;
            best = value[i] * scale;
        }
    }
    return best;
}

double lk_common_growth(double factor, double tolerance)
{
    static const double COMMON[] = { 1.2, 1.25, 1.3, 1.5,  1.6, 1.618, 1.7, 1.75,
                                     1.8, 2,    2.5, 3,    4,   5,     10 };

    return nearest(factor, COMMON, sizeof(COMMON) / sizeof(COMMON[0]), 1, tolerance);
}

double lk_round_constant(double x, double tolerance)
{
    static const double MANTISSA[] = { 1,   1.2, 1.25, 1.28, 1.5, 1.6, 1.8, 2, 2.4, 2.5, 3,
                                       3.2, 4,   4.5,  5,    6,   6.4, 7.5, 8, 9,   10 };

    if (!(x > 0) || !isfinite(x))
        return x;
    return nearest(x, MANTISSA, sizeof(MANTISSA) / sizeof(MANTISSA[0]), pow(10, floor(log10(x))),
                   tolerance);
}
