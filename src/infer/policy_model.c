#include "infer/policy_model.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double UNEXPLAINED = 0.03;

static bool is(const lk_policy_model *m, const char *name)
{
    return strcmp(m->policy->name, name) == 0;
}

bool lk_policy_model_is_sound(const lk_policy_model *m, unsigned retries)
{
    const lk_policy_params *p = &m->params;

    if (is(m, "decorrelated-jitter"))
        return p->base_s > 0 && p->cap_s >= 2 * p->base_s;
    if (is(m, "exponential"))
        return p->factor > 1.05 && p->cap_s >= 1.4 * p->base_s && retries > 1;
    if (is(m, "percent-jitter"))
        return p->jitter >= 0.015 && p->jitter <= 0.6;
    if (is(m, "retry-after-jitter"))
        return p->cap_s >= 0.1;
    if (is(m, "full-jitter") || is(m, "equal-jitter"))
        return p->base_s > 0 && p->cap_s >= 0.999 * p->base_s;
    return p->base_s >= 0;
}

static lk_spread spread_of(const lk_policy_model *m, unsigned retry, double previous_s,
                           double asked_s)
{
    lk_wait w = { retry, previous_s, isnan(asked_s) ? -1 : asked_s };

    if (!isnan(m->first_s) && retry == 0)
        return (lk_spread){ m->first_s, m->first_s, (double)INFINITY };
    if (m->starts_after_first && retry > 0)
        w.retry = retry - 1;
    return m->policy->spread(&m->params, &w);
}

lk_spread lk_policy_model_spread(const lk_policy_model *m, const lk_delay_set *d, size_t i)
{
    return spread_of(m, d->retry[i], d->previous_s[i], d->asked_s[i]);
}

/* Share of a spread that its cap lays on the cap. */
static double share_at_most(const lk_spread *s)
{
    if (!(s->high_s > s->most_s))
        return 0;
    return s->most_s <= s->low_s ? 1 : (s->high_s - s->most_s) / (s->high_s - s->low_s);
}

/* A spread as the errors see it: the part below its cap, and the share that the cap lays on one point. */
struct blurred {
    double over;
    lk_noise_edges under, cut; /* where that share is not all, where it is not nothing */
};

static struct blurred blur(const lk_spread *s, const lk_noise *noise)
{
    struct blurred b = { .over = share_at_most(s) };

    if (b.over < 1)
        b.under = lk_noise_edges_of(noise, s->low_s, fmin(s->high_s, s->most_s));
    if (b.over > 0)
        b.cut = lk_noise_edges_of(noise, s->most_s, s->most_s);
    return b;
}

typedef double read_noise(const lk_noise *n, const lk_noise_edges *s, double x_s);

static inline double of_spread(const struct blurred *b, const lk_noise *noise, double x, read_noise *read)
{
    double sum = 0;

    if (b->over < 1)
        sum += (1 - b->over) * read(noise, &b->under, x);
    if (b->over > 0)
        sum += b->over * read(noise, &b->cut, x);
    return sum;
}

/* What a model says of the delays of a set; where it says it by the number of the retry alone, reckoned once for
 * each. */
struct reading {
    const lk_policy_model *m;
    const lk_delay_set *d;
    const lk_noise *noise;
    bool by_retry;      /* the delay depends on the number of the retry alone */
    bool by_previous;   /* ... on the delay before                            */
    bool there[LK_RETRIES_MAX];
    struct blurred at[LK_RETRIES_MAX];
    unsigned last_retry; /* asked about last, by retry: sorted delays of whole seconds come in runs */
    double last_s, last_density;
};

static void begin(struct reading *r, const lk_policy_model *m, const lk_delay_set *d, const lk_noise *noise)
{
    r->m = m;
    r->d = d;
    r->noise = noise;
    r->by_previous = is(m, "decorrelated-jitter");
    r->by_retry = !r->by_previous && strncmp(m->policy->name, "retry-after", 11) != 0;
    r->last_s = (double)NAN;
    r->last_retry = LK_RETRIES_MAX;
    memset(r->there, 0, sizeof(r->there));
}

static inline const struct blurred *after_retry(struct reading *r, unsigned retry)
{
    lk_spread s;

    if (r->there[retry])
        return &r->at[retry];
    s = spread_of(r->m, retry, (double)NAN, (double)NAN);
    r->at[retry] = blur(&s, r->noise);
    r->there[retry] = true;
    return &r->at[retry];
}

/* Of a delay after this retry, or after the next one where a first attempt was missed. */
static inline double of_retry(struct reading *r, unsigned retry, double x, read_noise *read)
{
    const double missed = r->m->missed;
    double own = of_spread(after_retry(r, retry), r->noise, x, read);

    if (missed <= 0 || retry + 1 >= LK_RETRIES_MAX)
        return own;
    return (1 - missed) * own + missed * of_spread(after_retry(r, retry + 1), r->noise, x, read);
}

/* Needs the delay before, which is not known? */
static bool is_blind(const struct reading *r, size_t i)
{
    return r->by_previous && r->d->retry[i] > 0 && isnan(r->d->previous_s[i]);
}

static double density_by_retry(struct reading *r, unsigned retry, double x)
{
    if (retry == r->last_retry && x >= r->last_s && x <= r->last_s)
        return r->last_density;
    r->last_retry = retry;
    r->last_s = x;
    r->last_density = of_retry(r, retry, x, lk_noise_density_of);
    return r->last_density;
}

static double density(struct reading *r, size_t i)
{
    const lk_delay_set *d = r->d;
    struct blurred own;
    lk_spread s;

    if (r->by_retry)
        return density_by_retry(r, d->retry[i], d->delay_s[i]);
    if (is_blind(r, i))
        return 1 / d->longest_s;
    s = lk_policy_model_spread(r->m, d, i);
    own = blur(&s, r->noise);
    return of_spread(&own, r->noise, d->delay_s[i], lk_noise_density_of);
}

/* ln of a product of many factors, taken seldom. */
struct product {
    double value, ln;
};

static void multiply(struct product *p, double factor)
{
    p->value *= factor;
    if (p->value < 1e-200 || p->value > 1e200) {
        p->ln += log(p->value);
        p->value = 1;
    }
}

double lk_policy_log_likelihood(const lk_policy_model *m, const lk_delay_set *d,
                                const lk_noise *noise)
{
    struct product p = { 1, 0 };
    struct reading r;

    begin(&r, m, d, noise);
    for (size_t i = 0; i < d->n; i++) {
        double factor = (1 - UNEXPLAINED) * density(&r, i) + UNEXPLAINED / d->longest_s;

        if (d->weight && d->weight[i] > 1)
            p.ln += d->weight[i] * log(factor);
        else
            multiply(&p, factor);
    }
    return p.ln + log(p.value);
}

static int ascending(const void *pa, const void *pb)
{
    double a = *(const double *)pa, b = *(const double *)pb;

    return (a > b) - (a < b);
}

/* Kolmogorov's distance of values that should lie evenly on 0..1, when each is only known to lie
 * between its places in `low` and `high`: what no choice between them explains. */
static double distance_of(double *low, double *high, size_t n)
{
    double far = 0;

    qsort(low, n, sizeof(*low), ascending);
    qsort(high, n, sizeof(*high), ascending);
    for (size_t i = 0; i < n; i++) {
        far = fmax(far, (double)(i + 1) / (double)n - high[i]);
        far = fmax(far, low[i] - (double)i / (double)n);
    }
    return far;
}

/* What a delay may be off without saying anything: grains, slow timers. */
static double slack(const lk_delay_set *d, const lk_noise *noise, const lk_spread *s,
                    double delay_s)
{
    bool narrow = s->high_s - s->low_s < 2 * d->grain_s;

    if (d->grain_s >= 0.5) /* whole seconds stand for the second around them, or more */
        return fmax((narrow ? 1 : 0.5) * d->grain_s, 0.015 * delay_s);
    return fmax(fmax(0.5 * d->grain_s, 0.01), fmax(noise->lag_s, 0.015 * delay_s));
}

/* Where the comebacks lie in the distribution that the model means for each: even on 0..1. */
struct places {
    double *low, *high, *own_low, *own_high; /* [n]; the last two for parts */
    double *middle;                          /* [n] NAN = not known */
    size_t n;
};

static double relative(double distance, size_t n, double share, double sigma)
{
    return distance / (share + sigma / sqrt((double)n));
}

/* Strangers, four in a hundred, and what chance allows: one set in five hundred is further off. */
static double distance_of_all(struct places *p)
{
    size_t n = 0;

    for (size_t i = 0; i < p->n; i++)
        if (!isnan(p->middle[i])) {
            p->own_low[n] = p->low[i];
            p->own_high[n++] = p->high[i];
        }
    return n ? relative(distance_of(p->own_low, p->own_high, n), n, 0.04, 1.5) : 0;
}

static double distance_of_retry(struct places *p, const lk_delay_set *d, unsigned retry)
{
    enum { ENOUGH = 15 };
    size_t n = 0;

    for (size_t i = 0; i < p->n; i++)
        if (d->retry[i] == retry && !isnan(p->middle[i])) {
            p->own_low[n] = p->low[i];
            p->own_high[n++] = p->high[i];
        }
    return n < ENOUGH ? 0 : relative(distance_of(p->own_low, p->own_high, n), n, 0.05, 2.0);
}

/* Callers of one policy have means around a half; those of two have not. */
static double callers_apart(const struct places *p, const lk_delay_set *d)
{
    enum { DELAYS = 3, CALLERS = 8 };
    double sum = 0, callers = 0;

    for (size_t i = 0, to; d->caller && i < p->n; i = to) {
        double mean = 0, n = 0;

        for (to = i; to < p->n && d->caller[to] == d->caller[i]; to++)
            if (!isnan(p->middle[to])) {
                mean += p->middle[to];
                n++;
            }
        if (n < DELAYS)
            continue;
        sum += 12 * n * (mean / n - 0.5) * (mean / n - 0.5);
        callers++;
    }
    return callers < CALLERS ? 0 : (sum - callers) / sqrt(2 * callers);
}

lk_policy_match lk_policy_match_of(const lk_policy_model *m, const lk_delay_set *d,
                                   const lk_noise *noise, double *scratch)
{
    lk_policy_match out = { .log_likelihood = lk_policy_log_likelihood(m, d, noise) };
    size_t n = d->n, explained = 0;
    struct places p = {
        scratch, scratch + n, scratch + 2 * n, scratch + 3 * n, scratch + 4 * n, n
    };
    struct reading r;

    begin(&r, m, d, noise);
    for (size_t i = 0; i < n; i++) {
        lk_spread s = lk_policy_model_spread(m, d, i);
        double x = d->delay_s[i], off = slack(d, noise, &s, x);

        if (density(&r, i) > 2 * UNEXPLAINED / d->longest_s)
            explained++;
        if (r.by_retry) {
            p.low[i] = of_retry(&r, d->retry[i], x - off, lk_noise_distribution_of);
            p.high[i] = of_retry(&r, d->retry[i], x + off, lk_noise_distribution_of);
        } else {
            struct blurred own = blur(&s, noise);

            p.low[i] = of_spread(&own, noise, x - off, lk_noise_distribution_of);
            p.high[i] = of_spread(&own, noise, x + off, lk_noise_distribution_of);
        }
        p.middle[i] = is_blind(&r, i) ? (double)NAN : (p.low[i] + p.high[i]) / 2;
    }
    out.support = n ? (double)explained / (double)n : 0;
    out.distance = distance_of_all(&p);
    for (unsigned k = 0; k < LK_RETRIES_MAX; k++)
        out.distance = fmax(out.distance, distance_of_retry(&p, d, k));
    out.callers = callers_apart(&p, d);
    return out;
}
