#include "infer/timing.h"

#include "base/whole.h"
#include "infer/coherence.h"
#include "infer/lattice.h"
#include "infer/spectrum.h"

#include <math.h>
#include <stdlib.h>

#define WINDOW_S 600.0   /* the shortest window; each next is four times as long           */
#define TRIALS_LN 3.8    /* harmonics, ranges and shifts tried by coherence, from its nulls */
#define SEGMENT_S 3600.0 /* the lattice looks at one hour at a time                         */
#define SAME_PERIOD 0.03
#define BIN_S 0.25       /* of the shortest windows; bins grow with the root of a window        */
#define PEAK_LN 1.0      /* how far a peak must be above what is the best of noise            */
#define LEAST_ARRIVALS 6.0 /* of a window that is worth a look */

/* Drifting or smeared bursts, and bursts that keep time. */
static const struct {
    double bins, share, ln_trials;
} TOLERANCES[] = { { 1.5, 0.025, 0.0 }, { 0.5, 0.006, 0.6931471805599453 } };
enum { TOLERANCE_COUNT = sizeof(TOLERANCES) / sizeof(TOLERANCES[0]) };

enum { CANDIDATES = 5 };

bool lk_period_in_range(const lk_period_range *range, double period_s)
{
    return period_s >= range->min_s && (range->max_s <= 0.0 || period_s <= range->max_s);
}

double lk_period_at_most(const lk_period_range *range, double longest_s)
{
    return range->max_s > 0.0 ? fmin(range->max_s, longest_s) : longest_s;
}

double lk_timing_shortest(const lk_line *line, const lk_period_range *range)
{
    return fmax(range->min_s > 0.0 ? range->min_s : LK_PERIOD_MIN_S, LK_PERIOD_BINS * line->bin_s);
}

double lk_timing_longest(const lk_line *line, const lk_period_range *range)
{
    return fmin(range->max_s > 0.0 ? range->max_s : LK_PERIOD_MAX_S,
                (double)line->n * line->bin_s / 3.0);
}

/* ---- hits --------------------------------------------------------------------------------- */

static bool is_same_period(double a, double b)
{
    return fabs(a / b - 1.0) <= SAME_PERIOD;
}

static void keep(lk_hits *hits, lk_hit hit)
{
    lk_hit *worst = hits->item;

    if (hit.ln_p >= 0.0)
        return;
    for (size_t i = 0; i < hits->count; i++) {
        lk_hit *h = &hits->item[i];

        if (h->engine == hit.engine && is_same_period(h->period_s, hit.period_s)) {
            if (hit.ln_p < h->ln_p)
                *h = hit;
            return;
        }
        worst = h->ln_p > worst->ln_p ? h : worst;
    }
    if (hits->count < LK_HITS_MAX)
        hits->item[hits->count++] = hit;
    else if (hit.ln_p < worst->ln_p)
        *worst = hit;
}

static int by_significance(const void *a, const void *b)
{
    const lk_hit *x = a, *y = b;

    if (x->ln_p < y->ln_p || x->ln_p > y->ln_p)
        return x->ln_p < y->ln_p ? -1 : 1;
    return (x->period_s > y->period_s) - (x->period_s < y->period_s);
}

/* ---- coherence ---------------------------------------------------------------------------- */

/* Windows of one length, and the plan of their spectra. */
typedef struct scale {
    size_t merge, bins; /* bins of the line in one of ours, and of ours in a window */
    lk_spectrum *spectrum;
} scale;

enum { SCALES_MAX = 12 };

struct lk_timing {
    size_t n;
    lk_period_range range;
    double bin_s, shortest_s, longest_s; /* periods */
    double ln_trials;
    scale scale[SCALES_MAX];
    size_t scale_count;
    lk_tails *tails;
    lk_coherence_room *room;
    double *power, *white; /* [points of the widest] */
    lk_peak *peak;         /* [points of the widest] */
    double *work;          /* [LK_WHITEN_WORK]       */
};

/* While one line is searched at one scale. */
typedef struct search {
    const lk_timing *t;
    const scale *scale;
    const lk_line *line; /* in the scale's bins */
    lk_hits *hits;
} search;

/* Too few arrivals for a train of waves, however well they kept time. */
static bool is_empty(const lk_line *part)
{
    double sum = 0.0;

    for (size_t i = 0; i < part->n && sum < LEAST_ARRIVALS; i++)
        sum += part->x[i];
    return sum < LEAST_ARRIVALS;
}

static void keep_coherent(const search *s, size_t from, const lk_coherence *c)
{
    double row = c->period_s / s->line->bin_s;
    size_t to = lk_whole_size((double)c->row_to * row);

    to = s->scale->merge * (from + (to < s->scale->bins ? to : s->scale->bins));
    keep(s->hits,
         (lk_hit){ .ln_p = c->ln_p + s->t->ln_trials,
                   .period_s = c->period_s,
                   .from = s->scale->merge * (from + lk_whole_size((double)c->row_from * row)),
                   .to = to < s->t->n ? to : s->t->n,
                   .engine = LK_ENGINE_COHERENCE });
}

static lk_code search_window(const search *s, size_t from, lk_err *e)
{
    const lk_timing *t = s->t;
    lk_line part = lk_line_part(s->line, from, s->scale->bins);
    size_t length = 2 * (lk_spectrum_points(s->scale->spectrum) - 1), points = length + 1, count;
    size_t least = 24 * length / part.n;
    lk_peak_range range = { .span_s = 2.0 * (double)length * part.bin_s,
                            .period_min_s = t->shortest_s,
                            .period_max_s = fmin(t->longest_s, (double)part.n * part.bin_s / 3.2) };
    lk_coherence_how how = LK_COHERENCE_FULL;
    lk_peak peak[CANDIDATES];

    if (is_empty(&part))
        return LK_OK;
    /* The best of so many is that good by chance; what coheres is better by far. */
    range.least = log(range.span_s / range.period_min_s) + PEAK_LN;
    LK_TRY(lk_spectrum_halves(s->scale->spectrum, part.y, part.n, t->power, e));
    lk_spectrum_whiten(t->power, points, least, t->white, t->work);
    count = lk_spectrum_peaks(t->tails, t->white, points, &range, peak, CANDIDATES, t->peak);
    how.ln_limit = -t->ln_trials; /* above, no more than chance */
    for (size_t i = 0; i < count; i++) {
        lk_coherence c = lk_coherence_test(t->room, &part, peak[i].period_s, how);
        keep_coherent(s, from, &c);
    }
    return LK_OK;
}

/* Windows of one length over the whole line, overlapping by half. */
static lk_code search_scale(const lk_timing *t, const scale *which, const lk_line *line,
                            lk_arena *scratch, lk_hits *hits, lk_err *e)
{
    size_t bins = which->bins, hop = bins / 2 > 0 ? bins / 2 : 1, n;
    lk_mark mark = lk_arena_mark(scratch);
    lk_line wide;
    search s = { t, which, &wide, hits };

    LK_TRY(lk_line_widen(line, which->merge, scratch, &wide, e));
    n = wide.n;
    for (size_t from = 0; from < n - bins / 2; from += hop) {
        LK_TRY(search_window(&s, from < n - bins ? from : n - bins, e));
        if (bins == n)
            break;
    }
    lk_arena_rewind(scratch, mark);
    return LK_OK;
}

/* The windows of a scale; those of the last are below 0.7 of the span. */
static double window_of(int step)
{
    return ldexp(WINDOW_S, 2 * step);
}

/* How many bins make one in windows so long.  What is seen only over hours is seen in wide bins, too, as
 * long as three fit into a period. */
static size_t merge_for(double bin_s, double window_s, double shortest_s)
{
    double widest = fmin(shortest_s / 3.0, BIN_S * sqrt(window_s / WINDOW_S));

    return widest >= 2.0 * bin_s ? lk_whole_size(widest / bin_s) : 1;
}

size_t lk_timing_merge(const lk_line *line, const lk_period_range *range)
{
    return merge_for(line->bin_s, (double)line->n * line->bin_s, lk_timing_shortest(line, range));
}

/* Adds a scale, and the number of its periods and windows to *trials. */
static lk_code add_scale(lk_timing *t, double window_s, lk_arena *a, double *trials, lk_err *e)
{
    scale *s = &t->scale[t->scale_count++];
    double span_s = (double)t->n * t->bin_s;
    size_t all;

    s->merge = merge_for(t->bin_s, window_s, t->shortest_s);
    all = t->n / s->merge;
    s->bins = window_s < span_s ? lk_whole_size(window_s / (t->bin_s * (double)s->merge)) : all;
    s->bins = s->bins < all ? s->bins : all;
    *trials += s->bins < all ? (double)all / (double)s->bins * 2.0 * window_s / t->shortest_s
                             : 2.0 * span_s / t->shortest_s;
    return lk_spectrum_new(a, lk_spectrum_length(s->bins), &s->spectrum, e);
}

static lk_code add_scales(lk_timing *t, lk_arena *a, lk_err *e)
{
    double span_s = (double)t->n * t->bin_s, trials = 0.0;

    for (int i = 0; window_of(i) < 0.7 * span_s && t->scale_count < SCALES_MAX - 1; i++)
        LK_TRY(add_scale(t, window_of(i), a, &trials, e));
    LK_TRY(add_scale(t, span_s, a, &trials, e));
    t->ln_trials = log(trials) + TRIALS_LN;
    return LK_OK;
}

static lk_code open_work(lk_timing *t, lk_arena *a, lk_err *e)
{
    size_t points = 0, bins = 0;

    for (size_t i = 0; i < t->scale_count; i++) {
        size_t mine = 2 * lk_spectrum_points(t->scale[i].spectrum) - 1;

        points = mine > points ? mine : points;
        bins = t->scale[i].bins > bins ? t->scale[i].bins : bins;
    }
    LK_TRY(lk_coherence_open(bins, a, &t->room, e));
    LK_TRY(lk_tails_new(a, &t->tails, e));
    if (!(t->power = LK_NEW(a, double, points)) || !(t->white = LK_NEW(a, double, points)) ||
        !(t->work = LK_NEW(a, double, LK_WHITEN_WORK)) || !(t->peak = LK_NEW(a, lk_peak, points)))
        return lk_fail(e, LK_EOOM, "no memory for a spectrum of %zu points", points);
    return LK_OK;
}

lk_code lk_timing_open(const lk_line *like, const lk_period_range *range, lk_arena *a,
                       lk_timing **out, lk_err *e)
{
    lk_timing *t = LK_NEW(a, lk_timing, 1);

    if (!t)
        return lk_fail(e, LK_EOOM, "no memory for a search");
    *t = (lk_timing){ .n = like->n,
                      .bin_s = like->bin_s,
                      .range = *range,
                      .shortest_s = lk_timing_shortest(like, range),
                      .longest_s = lk_timing_longest(like, range) };
    *out = t;
    if (t->shortest_s >= t->longest_s)
        return LK_OK;
    LK_TRY(add_scales(t, a, e));
    return open_work(t, a, e);
}

/* ---- lattice ------------------------------------------------------------------------------ */

static size_t bursts_within(const lk_burst *all, size_t count, double from_s, double len_s,
                            lk_burst *out)
{
    size_t n = 0;

    for (size_t i = 0; i < count; i++)
        if (all[i].at_s >= from_s && all[i].at_s <= from_s + len_s)
            out[n++] = (lk_burst){ all[i].at_s - from_s, all[i].z };
    return n;
}

/* Part of a line in which the lattice looks. */
typedef struct segment {
    const lk_line *line;
    const lk_period_range *range;
    lk_burst *burst; /* those inside, from its beginning on */
    size_t count;
    double from_s, len_s, trials;
} segment;

static void keep_lattice(const segment *s, const lk_lattice *l, double trials, lk_hits *hits)
{
    double bin = s->line->bin_s;
    size_t to = lk_whole_size((l->last_s + s->from_s + l->period_s) / bin);

    if (l->waves > 0)
        keep(hits, (lk_hit){ .ln_p = l->ln_p + trials,
                             .period_s = l->period_s,
                             .from = lk_whole_size((l->first_s + s->from_s) / bin),
                             .to = to < s->line->n ? to : s->line->n,
                             .engine = LK_ENGINE_LATTICE });
}

static void search_segment(const segment *s, lk_hits *hits)
{
    lk_lattice_range range = {
        .bin_s = s->line->bin_s,
        .span_s = s->len_s,
        .period_min_s = fmax(lk_timing_shortest(s->line, s->range), 5.0 * s->line->bin_s),
        .period_max_s = fmin(lk_timing_longest(s->line, s->range), s->len_s / 3.0),
    };

    for (size_t t = 0; t < TOLERANCE_COUNT; t++) {
        lk_lattice found;

        range.tolerance_bins = TOLERANCES[t].bins;
        range.tolerance_share = TOLERANCES[t].share;
        found = lk_lattice_find(s->burst, s->count, &range);
        keep_lattice(s, &found, s->trials + TOLERANCES[t].ln_trials, hits);
    }
}

/* `s` holds the line, the range and room for the bursts of a segment. */
static void search_segments(segment *s, const lk_burst *bursts, size_t count, lk_hits *hits)
{
    double span_s = (double)s->line->n * s->line->bin_s;

    s->from_s = 0.0;
    s->len_s = span_s > SEGMENT_S + 100.0 ? SEGMENT_S : span_s;
    s->trials = log(fmax(1.0, 2.0 * span_s / s->len_s - 1.0));
    for (size_t i = 0; i == 0 || s->from_s < span_s - s->len_s / 2.0; i++) {
        s->count = bursts_within(bursts, count, s->from_s, s->len_s, s->burst);
        search_segment(s, hits);
        s->from_s = (double)(i + 1) * s->len_s / 2.0;
    }
}

static lk_code find_lattices(const lk_line *line, const lk_period_range *range, lk_arena *scratch,
                             lk_hits *hits, lk_err *e)
{
    const double widths[] = { line->bin_s, fmax(line->bin_s, 0.5), fmax(line->bin_s, 2.0) };
    lk_mark mark = lk_arena_mark(scratch);
    lk_burst *bursts = LK_NEW(scratch, lk_burst, LK_BURSTS_MAX);
    segment s = { .line = line, .range = range };

    s.burst = LK_NEW(scratch, lk_burst, LK_BURSTS_MAX);
    if (!bursts || !s.burst)
        return lk_fail(e, LK_EOOM, "no memory for bursts");
    for (size_t i = 0; i < sizeof(widths) / sizeof(widths[0]); i++) {
        size_t count;

        if (i > 0 && widths[i] <= widths[i - 1])
            continue;
        LK_TRY(lk_bursts_find(line, widths[i], scratch, bursts, &count, e));
        search_segments(&s, bursts, count, hits);
    }
    lk_arena_rewind(scratch, mark);
    return LK_OK;
}

lk_code lk_timing_find(const lk_timing *t, const lk_line *line, lk_arena *scratch, lk_hits *hits,
                       lk_err *e)
{
    hits->count = 0;
    if (line->n != t->n)
        return lk_fail(e, LK_EUSAGE, "a search of %zu bins in a series of %zu", t->n, line->n);
    for (size_t i = 0; i < t->scale_count; i++)
        LK_TRY(search_scale(t, &t->scale[i], line, scratch, hits, e));
    LK_TRY(find_lattices(line, &t->range, scratch, hits, e));
    qsort(hits->item, hits->count, sizeof(hits->item[0]), by_significance);
    return LK_OK;
}
