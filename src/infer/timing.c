#include "infer/timing.h"

#include "infer/coherence.h"
#include "infer/lattice.h"
#include "infer/spectrum.h"

#include <math.h>
#include <stdlib.h>

#define WINDOW_S 600.0   /* the shortest window; each next is four times as long           */
#define TRIALS_LN 3.8    /* harmonics, ranges and shifts tried by coherence, from its nulls */
#define SEGMENT_S 3600.0 /* the lattice looks at one hour at a time                         */
#define SAME_PERIOD 0.03
#define PADDING_LEAST 1.7
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
    return fmax(range->min_s > 0.0 ? range->min_s : LK_PERIOD_MIN_S, 3.0 * line->bin_s);
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

typedef struct window_plan {
    const lk_line *line;
    double shortest_s, longest_s; /* periods */
    size_t bins;                  /* of a window */
    lk_spectrum *spectrum;
    double *power, *white, *work;
    lk_coherence_room *room;
    lk_hits *hits;
    double ln_trials;
} window_plan;

/* About twice the bins: a power of two where one is near, since those are fastest. */
static size_t padded(size_t bins)
{
    size_t length = 4;

    while ((double)length < PADDING_LEAST * (double)bins)
        length *= 2;
    return length <= 2 * bins ? length : lk_spectrum_length(2 * bins);
}

static lk_code open_windows(window_plan *w, lk_arena *scratch, lk_err *e)
{
    size_t length = padded(w->bins), points = length / 2 + 1;

    LK_TRY(lk_spectrum_new(scratch, length, &w->spectrum, e));
    LK_TRY(lk_coherence_open(w->bins, scratch, &w->room, e));
    if (!(w->power = LK_NEW(scratch, double, points)) ||
        !(w->white = LK_NEW(scratch, double, points)) ||
        !(w->work = LK_NEW(scratch, double, points)))
        return lk_fail(e, LK_EOOM, "no memory for a spectrum of %zu points", length);
    return LK_OK;
}

/* Too few arrivals for a train of waves, however well they kept time. */
static bool is_empty(const lk_line *part)
{
    double sum = 0.0;

    for (size_t i = 0; i < part->n && sum < LEAST_ARRIVALS; i++)
        sum += part->x[i];
    return sum < LEAST_ARRIVALS;
}

static void keep_coherent(const window_plan *w, size_t from, const lk_coherence *c)
{
    double row = c->period_s / w->line->bin_s;
    size_t to = (size_t)((double)c->row_to * row);

    keep(w->hits, (lk_hit){ .ln_p = c->ln_p + w->ln_trials,
                            .period_s = c->period_s,
                            .from = from + (size_t)((double)c->row_from * row),
                            .to = from + (to < w->bins ? to : w->bins),
                            .engine = LK_ENGINE_COHERENCE });
}

static lk_code search_window(window_plan *w, size_t from, lk_err *e)
{
    lk_line part = lk_line_part(w->line, from, w->bins);
    size_t points = lk_spectrum_points(w->spectrum), length = 2 * (points - 1), count;
    size_t least = 12 * length / w->bins;
    lk_peak_range range = { .bin_s = part.bin_s,
                            .period_min_s = w->shortest_s,
                            .period_max_s = fmin(w->longest_s, (double)part.n * part.bin_s / 3.2) };
    lk_coherence_how how = LK_COHERENCE_FULL;
    double period_s[CANDIDATES];

    if (is_empty(&part))
        return LK_OK;
    LK_TRY(lk_spectrum_power(w->spectrum, part.y, part.n, w->power, e));
    lk_spectrum_whiten(w->power, points, least > 8 ? least : 8, w->white, w->work);
    count = lk_spectrum_candidates(w->spectrum, w->white, &range, period_s, CANDIDATES, w->work);
    how.ln_limit = -w->ln_trials; /* above, no more than chance */
    for (size_t i = 0; i < count; i++) {
        lk_coherence c = lk_coherence_test(w->room, &part, period_s[i], how);

        keep_coherent(w, from, &c);
    }
    return LK_OK;
}

/* Windows of one length over the whole line, overlapping by half. */
static lk_code search_scale(window_plan *w, lk_arena *scratch, lk_err *e)
{
    size_t n = w->line->n, hop = w->bins / 2 > 0 ? w->bins / 2 : 1;
    lk_mark mark = lk_arena_mark(scratch);

    LK_TRY(open_windows(w, scratch, e));
    for (size_t from = 0; from < n - w->bins / 2; from += hop) {
        LK_TRY(search_window(w, from < n - w->bins ? from : n - w->bins, e));
        if (w->bins == n)
            break;
    }
    lk_arena_rewind(scratch, mark);
    return LK_OK;
}

static size_t scale_bins(const lk_line *line, double window_s)
{
    double bins = window_s / line->bin_s;

    return bins < (double)line->n ? (size_t)bins : line->n;
}

/* The windows of a scale; those of the last are below 0.7 of the span. */
static double window_of(int scale)
{
    return ldexp(WINDOW_S, 2 * scale);
}

/* ln of the periods and windows that are tried, all scales. */
static double ln_trials(const lk_line *line, double shortest)
{
    double span_s = (double)line->n * line->bin_s, sum = 0.0;

    for (int scale = 0; window_of(scale) < 0.7 * span_s; scale++)
        sum += (double)line->n / (double)scale_bins(line, window_of(scale)) * 2.0 *
               window_of(scale) / shortest;
    return log(sum + 2.0 * span_s / shortest) + TRIALS_LN;
}

static lk_code find_coherent(const lk_line *line, const lk_period_range *range, lk_arena *scratch,
                             lk_hits *hits, lk_err *e)
{
    double span_s = (double)line->n * line->bin_s;
    window_plan w = { .line = line,
                      .shortest_s = lk_timing_shortest(line, range),
                      .longest_s = lk_timing_longest(line, range),
                      .hits = hits };

    w.ln_trials = ln_trials(line, w.shortest_s);
    if (w.shortest_s >= w.longest_s)
        return LK_OK;

    for (int scale = 0; window_of(scale) < 0.7 * span_s; scale++) {
        w.bins = scale_bins(line, window_of(scale));
        LK_TRY(search_scale(&w, scratch, e));
    }
    w.bins = line->n;
    return search_scale(&w, scratch, e);
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
    size_t to = (size_t)((l->last_s + s->from_s + l->period_s) / bin);

    if (l->waves > 0)
        keep(hits, (lk_hit){ .ln_p = l->ln_p + trials,
                             .period_s = l->period_s,
                             .from = (size_t)((l->first_s + s->from_s) / bin),
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

lk_code lk_timing_find(const lk_line *line, const lk_period_range *range, lk_arena *scratch,
                       lk_hits *hits, lk_err *e)
{
    hits->count = 0;
    LK_TRY(find_coherent(line, range, scratch, hits, e));
    LK_TRY(find_lattices(line, range, scratch, hits, e));
    qsort(hits->item, hits->count, sizeof(hits->item[0]), by_significance);
    return LK_OK;
}
