#include "infer/lattice.h"

#include "base/whole.h"
#include "infer/stats.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define NEIGHBOURHOOD_S 15.0
#define BURST_Z 4.0
#define BURST_LEAST 4.0
#define DENSITY_REACH_S 300.0

enum { CHAIN_MAX = 16, TIER_MAX = 100 };

static const size_t TIERS[] = { 6, 12, 25, 50, TIER_MAX }; /* the so many strongest */
enum { TIER_COUNT = sizeof(TIERS) / sizeof(TIERS[0]) };

/* The matched filter: z[i] is the excess of the bins [i, i + width). */
typedef struct filtered {
    double *sum, *z;
    bool *used;      /* [n] near a burst already */
    lk_burst *found; /* [count] places above the threshold */
    size_t n, count, width, apart;
} filtered;

static void normalise(filtered *f, double *work)
{
    size_t count = lk_sample(f->z, f->n, work);
    double middle = lk_median(work, count), by;

    by = 1.0 / fmax(1.0, lk_spread(work, count, middle));
    for (size_t i = 0; i < f->n; i++)
        f->z[i] *= by;
}

static double larger(double a, double b)
{
    return a > b ? a : b;
}

static void filter(const lk_line *l, filtered *f, double *work)
{
    double sum = 0.0;

    for (size_t i = 0; i < f->width; i++)
        sum += l->x[i];
    for (size_t i = 0; i < f->n; i++) {
        f->sum[i] = sum;
        sum += i + f->width < l->n ? l->x[i + f->width] - l->x[i] : 0.0;
    }
    lk_local_median(f->sum, f->n, lk_whole_size(NEIGHBOURHOOD_S / l->bin_s), f->z, work);
    for (size_t i = 0; i < f->n; i++)
        f->z[i] = (f->sum[i] - f->z[i]) / sqrt(larger(f->z[i], 1.0));
    normalise(f, work);
}

static int by_strength(const void *a, const void *b)
{
    const lk_burst *x = a, *y = b;

    if (x->z > y->z || x->z < y->z)
        return x->z > y->z ? -1 : 1;
    return (x->at_s > y->at_s) - (x->at_s < y->at_s);
}

static int by_time(const void *a, const void *b)
{
    const double *x = a, *y = b;

    return (*x > *y) - (*x < *y);
}

static double centroid_s(const lk_line *l, size_t from, size_t width)
{
    double sum = 0.0, weighted = 0.0;

    for (size_t i = 0; i < width; i++) {
        sum += l->x[from + i];
        weighted += ((double)i + 0.5) * l->x[from + i];
    }
    return (weighted / fmax(sum, 1e-9) + (double)from) * l->bin_s;
}

static bool is_peak(const lk_line *l, const filtered *f, size_t i)
{
    return f->z[i] > BURST_Z && f->sum[i] >= BURST_LEAST && !l->hole[i];
}

/* Every place above the threshold; at_s holds the bin until thin() turns it into a time. */
static lk_code list_peaks(const lk_line *l, filtered *f, lk_arena *scratch, lk_err *e)
{
    size_t most = 0;

    for (size_t i = 0; i < f->n; i++)
        most += is_peak(l, f, i);
    f->found = LK_NEW(scratch, lk_burst, most);
    if (!f->found)
        return lk_fail(e, LK_EOOM, "no memory for %zu bursts", most);
    for (size_t i = 0; i < f->n; i++)
        if (is_peak(l, f, i))
            f->found[f->count++] = (lk_burst){ (double)i, f->z[i] };
    qsort(f->found, f->count, sizeof(*f->found), by_strength);
    return LK_OK;
}

/* Strongest first; what stands near a stronger one is the same burst. */
static size_t thin(const lk_line *l, const filtered *f, lk_burst *out)
{
    const lk_burst *found = f->found;
    size_t count = 0, apart = f->apart;
    bool *used = f->used;

    for (size_t k = 0; k < f->count && count < LK_BURSTS_MAX; k++) {
        size_t i = lk_whole_size(found[k].at_s);
        size_t from = i > apart ? i - apart : 0, to = i + apart + 1 < f->n ? i + apart + 1 : f->n;

        if (used[i])
            continue;
        memset(used + from, true, to - from);
        out[count++] = (lk_burst){ centroid_s(l, i, f->width), found[k].z };
    }
    return count;
}

lk_code lk_bursts_find(const lk_line *line, double width_s, lk_arena *scratch, lk_burst *out,
                       size_t *count, lk_err *e)
{
    lk_mark mark = lk_arena_mark(scratch);
    double bins = rint(width_s / line->bin_s);
    double apart_s = fmax(fmax(2.0 * width_s, 2.0 * line->bin_s), 1.0), *work;
    filtered f = { .width = bins > 1.0 ? lk_whole_size(bins) : 1,
                   .apart = lk_whole_size(apart_s / line->bin_s) };
    size_t around;

    *count = 0;
    if (line->n < f.width)
        return LK_OK;
    f.n = line->n - f.width + 1;
    around = 2 * lk_whole_size(NEIGHBOURHOOD_S / line->bin_s) + 1;
    work = LK_NEW(scratch, double, around > LK_SAMPLE_MAX ? around : LK_SAMPLE_MAX);
    if (!work || !(f.sum = LK_NEW(scratch, double, f.n)) ||
        !(f.z = LK_NEW(scratch, double, f.n)) || !(f.used = LK_NEW(scratch, bool, f.n)))
        return lk_fail(e, LK_EOOM, "no memory for the bursts of %zu bins", line->n);
    filter(line, &f, work);
    LK_TRY(list_peaks(line, &f, scratch, e));
    *count = thin(line, &f, out);
    lk_arena_rewind(scratch, mark);
    return LK_OK;
}

/* ---- chains ------------------------------------------------------------------------------- */

static size_t count_before(const double *at, size_t n, double t)
{
    size_t lo = 0, hi = n;

    while (lo < hi) {
        size_t mid = lo + (hi - lo) / 2;

        if (at[mid] < t)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo;
}

static double nearest(const double *at, size_t n, double t)
{
    size_t i = count_before(at, n, t);
    double below = at[i > 0 ? i - 1 : 0], above = at[i < n ? i : n - 1];

    return fabs(below - t) < fabs(above - t) ? below : above;
}

/* Bursts a second in the chain and around it. */
static double density(const double *at, size_t n, double first, double last, double step,
                      double span_s)
{
    double reach = fmax(DENSITY_REACH_S, 6.0 * step);
    double from = fmax(0.0, first - reach), to = fmin(span_s, last + reach);

    return (double)(count_before(at, n, to) - count_before(at, n, from)) / (to - from);
}

/* The bursts of one tier, by time. */
typedef struct tier {
    const lk_lattice_range *range;
    double at[TIER_MAX];
    size_t n;
    double ln_pairs;
} tier;

/* Follows one pair; each further hit within the tolerance is worth its chance. */
static void follow(const tier *t, double first, double last, lk_lattice *best)
{
    const lk_lattice_range *r = t->range;
    const double *at = t->at;
    double step = last - first, gained = 0.0, ln_pairs = t->ln_pairs;
    size_t n = t->n;

    for (size_t k = 1; k < CHAIN_MAX; k++) {
        double due = last + step, hit = nearest(at, n, due);
        double tolerance = fmax(r->tolerance_bins * r->bin_s, r->tolerance_share * step);

        if (fabs(hit - due) > tolerance || hit <= last + 0.5 * step)
            return;
        gained -=
            log(1.0 - exp(-2.0 * tolerance * density(at, n, first, hit, step, r->span_s)) + 1e-9);
        last = hit;
        step = (last - first) / (double)(k + 1);
        if (ln_pairs - gained < best->ln_p)
            *best = (lk_lattice){ ln_pairs - gained, step, first, last, k + 2 };
    }
}

static bool in_range(double period_s, const lk_lattice_range *r)
{
    return period_s >= r->period_min_s && period_s <= r->period_max_s;
}

static void try_tier(tier *t, lk_lattice *best)
{
    size_t pairs = 0;

    for (size_t i = 0; i < t->n; i++)
        for (size_t j = i + 1; j < t->n; j++)
            pairs += in_range(t->at[j] - t->at[i], t->range);
    t->ln_pairs = log(fmax((double)pairs, 1.0));
    for (size_t i = 0; i < t->n; i++)
        for (size_t j = i + 1; j < t->n; j++)
            if (in_range(t->at[j] - t->at[i], t->range))
                follow(t, t->at[i], t->at[j], best);
}

lk_lattice lk_lattice_find(const lk_burst *bursts, size_t count, const lk_lattice_range *range)
{
    lk_lattice best = { .period_s = 1.0 };
    tier some = { .range = range };

    for (size_t t = 0; t < TIER_COUNT && count >= 4; t++) {
        if (t > 0 && count <= TIERS[t] / 2)
            continue;
        some.n = count < TIERS[t] ? count : TIERS[t];
        for (size_t i = 0; i < some.n; i++)
            some.at[i] = bursts[i].at_s;
        qsort(some.at, some.n, sizeof(some.at[0]), by_time);
        try_tier(&some, &best);
    }
    return best;
}
