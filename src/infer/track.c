#include "infer/track.h"

#include "base/whole.h"
#include "infer/stats.h"

#include <math.h>

#define WIDTH_SHARE 0.06 /* the filter's width as a share of the period, 2 s at most */
#define WIDTH_MOST_S 2.0
#define REACH 0.12 /* how far from its due time a wave is looked for           */
#define PUNCTUAL 5.0 /* mean distances from its due time: as far once it is known how well waves keep it */
#define GAIN 0.5 /* of a wave's own distance from its due time: the next may be due so much later, too */
#define SEEN_Z 2.5
#define SPARSE_MOST 3.0  /* a bin counts no more ...                                    */
#define SPARSE_LEVEL 0.7 /* ... and whose median is 0 hold less than ln 2 on average    */
#define HITS 0.8      /* share of a train's rounds that show a wave */
#define NOISE_LEAST 0.05
#define WIDER 1.6

enum { MISSES = 3, MISSES_MAX = 5, WAVES_A_MISS = 20, PUNCTUAL_LEAST = 8, LONG = 20 };

typedef struct tracker {
    const lk_line *line;
    double *base;       /* local median          */
    double *excess_sum; /* [n + 1] running sums of x - base */
    double *base_sum;   /* [n + 1]                          */
    size_t width;       /* of the filter, bins   */
    double period_s, dispersion;
    double level; /* attempts a bin where the median is none */
    double strict_dispersion; /* by that level */
    double from_s, to_s; /* where waves may stand */
    bool is_long;        /* rounds enough were seen to tell where the train ends: it may leave the range */
    struct step *round;  /* [rounds_max] of one walk */
    size_t rounds_max;
} tracker;

typedef struct sighting {
    double at_s, excess, base, z;
    double strict_z; /* above the usual level, where the median is below it */
    bool found;
} sighting;

static double excess_at(const tracker *t, size_t i)
{
    return t->excess_sum[i + t->width] - t->excess_sum[i];
}

static double centroid_s(const tracker *t, size_t from)
{
    double sum = 0.0, weighted = 0.0;

    for (size_t i = 0; i < t->width; i++) {
        double over = fmax(t->line->x[from + i] - t->base[from + i], 0.0);

        sum += over;
        weighted += ((double)i + 0.5) * over;
    }
    return (weighted / fmax(sum, 1e-9) + (double)from) * t->line->bin_s;
}

/* The strongest excess whose window has its middle within `reach` of `due`. */
static sighting look(const tracker *t, double due_s, double reach_s)
{
    double bin = t->line->bin_s, last = (double)(t->line->n - t->width);
    double half = 0.5 * (double)t->width;
    double low = fmax(0.0, ceil((due_s - reach_s) / bin - half - 1e-6)),
           high = fmin(last, floor((due_s + reach_s) / bin - half + 1e-6) + 1.0);
    size_t from, to, best;
    sighting s = { 0 };
    double above; /* of a usual level above the median */

    if (high < 1.0 || lk_whole_size(high) <= lk_whole_size(low))
        return s;
    from = lk_whole_size(low);
    to = lk_whole_size(high);
    best = from;
    for (size_t i = from + 1; i < to; i++)
        if (excess_at(t, i) > excess_at(t, best))
            best = i;
    s.found = true;
    s.at_s = centroid_s(t, best);
    s.excess = excess_at(t, best);
    s.base = t->base_sum[best + t->width] - t->base_sum[best];
    above = fmax(0.0, t->level * (double)t->width - s.base);
    s.z = s.excess / sqrt(t->dispersion * fmax(s.base, 0.5));
    s.strict_z = (s.excess - above) / sqrt(t->strict_dispersion * fmax(s.base + above, 0.5));
    return s;
}

static lk_wave wave_at(const tracker *t, const sighting *s, int64_t round)
{
    double width = (double)t->width * t->line->bin_s;

    return (lk_wave){ .round = round,
                      .start_s = s->at_s - 0.5 * width,
                      .centre_s = s->at_s,
                      .width_s = width,
                      .arrivals = s->excess,
                      .noise = 2.0 * s->base,
                      .peak_per_s = s->excess / width };
}

/* So many rounds without a wave end a train; a long one has shown that it goes on. */
static int misses_allowed(size_t waves)
{
    size_t more = waves / WAVES_A_MISS;

    return (int)(more < MISSES ? MISSES : more < MISSES_MAX ? more : MISSES_MAX);
}

/* How far from its due time the next wave is looked for: where the waves so far keep time, what comes at
 * another is none. */
static double reach_for(const tracker *t, double off_sum, size_t waves)
{
    double most = fmax(REACH * t->period_s, 1.5 * t->line->bin_s);

    if (waves < PUNCTUAL_LEAST)
        return most;
    return fmin(most, fmax(PUNCTUAL * off_sum / (double)waves, 1.5 * t->line->bin_s));
}

typedef struct step {
    bool seen;      /* a wave */
    size_t waves;   /* so far */
} step;

/* One direction's rounds, and how often half way between them something looks like a wave, too. */
typedef struct walked {
    step *round; /* [rounds] */
    size_t rounds, by_chance;
} walked;

/* Of so many rounds in which a train shows a wave in a share of `hits` and what is no train in one of `chance`,
 * the first that most likely are the train's; gives their number. */
static size_t likely_rounds(const walked *w, double hits, double chance)
{
    double hit = log(hits / chance), miss = log((1.0 - hits) / (1.0 - chance)), sum = 0.0, most = 0.0;
    size_t stay = 0;

    for (size_t i = 0; i < w->rounds; i++) {
        sum += w->round[i].seen ? hit : miss;
        if (sum > most) {
            most = sum;
            stay = i + 1;
        }
    }
    return stay;
}

/* A long train ends where it is the likeliest to have ended: waves that are no commoner than what stands half
 * way between them are chance, and a train without gaps does not end in one.  Gives how many waves stay. */
static size_t likely_end(const walked *w)
{
    double chance = fmin(0.9 * HITS, fmax(NOISE_LEAST, (double)w->by_chance / (double)w->rounds)), hits;
    size_t stay = likely_rounds(w, HITS, chance);

    if (stay == 0)
        return 0;
    hits = ((double)w->round[stay - 1].waves + 1.0) / ((double)stay + 2.0);
    stay = likely_rounds(w, fmax(HITS, hits), chance);
    return stay > 0 ? w->round[stay - 1].waves : 0;
}

/* Walks from the first wave in one direction; gives how many waves stand in `out` afterwards. */
static size_t walk(const tracker *t, const sighting *first, int64_t direction, lk_wave *out,
                   size_t count, size_t max)
{
    double last = first->at_s, off_sum = 0.0;
    size_t waves = 0;
    walked w = { .round = t->round };

    for (int missed = 0; missed < misses_allowed(waves) && count + waves < max;) {
        double due = last + (double)direction * t->period_s, reach = reach_for(t, off_sum, waves);
        sighting s = look(t, due, reach), between = look(t, due - 0.5 * t->period_s, reach);
        bool seen = s.found && (waves < LONG ? s.z : s.strict_z) >= SEEN_Z;

        if (!s.found || due < t->from_s || due > t->to_s || w.rounds == t->rounds_max)
            break;
        if (seen) {
            out[count + waves] = wave_at(t, &s, direction * (int64_t)(w.rounds + 1));
            off_sum += fabs(s.at_s - due);
            waves++;
        }
        missed = seen ? 0 : missed + 1;
        last = seen ? due + (s.at_s - due) * (waves < PUNCTUAL_LEAST ? 1.0 : GAIN) : due;
        w.by_chance += between.found && between.strict_z >= SEEN_Z;
        w.round[w.rounds++] = (step){ s.strict_z >= SEEN_Z, waves };
    }
    return count + (t->is_long || waves >= LONG ? likely_end(&w) : waves);
}

static void reverse(lk_wave *w, size_t n)
{
    for (size_t i = 0; i < n / 2; i++) {
        lk_wave t = w[i];

        w[i] = w[n - 1 - i];
        w[n - 1 - i] = t;
    }
}

/* Variance of what is no wave: of small excesses; *level their mean base. */
static double variance_of(const tracker *t, double *level)
{
    double sum = 0.0, square = 0.0, base = 0.0, n = 0.0;

    for (size_t i = 0; i < t->line->n; i++) {
        double over = t->line->x[i] - t->base[i];

        base += t->base[i];
        if (fabs(over) > 4.0 * sqrt(t->base[i] + 1.0))
            continue;
        sum += over;
        square += over * over;
        n += 1.0;
    }
    *level = base / (double)t->line->n;
    return n < 1.0 ? 0.0 : square / n - sum / n * (sum / n);
}

/* What a bin holds on average, bursts left out: where most bins are empty their median does not tell. */
static double level_of(const lk_line *line, const double *base)
{
    double level = 0.0;

    for (size_t i = 0; i < line->n; i++)
        level += fmin(line->x[i], base[i] + SPARSE_MOST) / (double)line->n;
    return fmin(level, SPARSE_LEVEL);
}

static lk_code open_tracker(tracker *t, lk_arena *scratch, lk_err *e)
{
    size_t n = t->line->n,
           half = lk_whole_size(fmax(t->period_s, 4.0 * t->line->bin_s) / t->line->bin_s);
    double *work = LK_NEW(scratch, double, 2 * half + 1), variance, base;

    t->base = LK_NEW(scratch, double, n);
    t->excess_sum = LK_NEW(scratch, double, n + 1);
    t->base_sum = LK_NEW(scratch, double, n + 1);
    if (!work || !t->base || !t->excess_sum || !t->base_sum)
        return lk_fail(e, LK_EOOM, "no memory to follow waves over %zu bins", n);
    lk_local_median(t->line->x, n, half, t->base, work);
    t->level = level_of(t->line, t->base);
    for (size_t i = 0; i < n; i++) {
        t->excess_sum[i + 1] = t->excess_sum[i] + t->line->x[i] - t->base[i];
        t->base_sum[i + 1] = t->base_sum[i] + t->base[i];
    }
    variance = variance_of(t, &base);
    t->dispersion = fmax(1.0, variance / fmax(base, 0.25));
    t->strict_dispersion = fmax(1.0, variance / fmax(fmax(base, t->level), 0.25));
    return LK_OK;
}

/* The strongest moment of the range, before any base is taken off. */
static double strongest_s(const lk_line *line, const lk_track_range *r, size_t width)
{
    double sum = 0.0, most = -1.0;
    size_t at = r->from;

    for (size_t i = r->from; i < r->to && i < line->n; i++) {
        sum += line->x[i];
        if (i >= r->from + width)
            sum -= line->x[i - width];
        if (i + 1 >= r->from + width && sum > most) {
            most = sum;
            at = i + 1 - width;
        }
    }
    return ((double)at + 0.5 * (double)width) * line->bin_s;
}

static void collect(const tracker *t, double strongest, size_t max, lk_waves *w)
{
    sighting first = look(t, strongest, 0.1 * t->period_s + t->line->bin_s);

    if (!first.found)
        return;
    w->count = walk(t, &first, -1, w->item, 0, max - 1);
    reverse(w->item, w->count);
    w->item[w->count++] = wave_at(t, &first, 0);
    w->count = walk(t, &first, 1, w->item, w->count, max);
}

lk_code lk_track_waves(const lk_line *line, const lk_track_range *range, lk_arena *a,
                       lk_arena *scratch, lk_waves *out, lk_err *e)
{
    double width_s = fmax(line->bin_s, fmin(WIDTH_SHARE * range->period_s, WIDTH_MOST_S));
    double guess =
        (double)lk_whole_size(fmin(WIDTH_SHARE * range->period_s, WIDTH_MOST_S) / line->bin_s);
    size_t max = lk_whole_size((double)line->n * line->bin_s / range->period_s) + 8;
    tracker t = {
        .line = line,
        .width = lk_whole_size(fmax(1.0, rint(width_s / line->bin_s))),
        .period_s = range->period_s,
        .from_s = fmax(0.0, (double)range->from * line->bin_s - 1.2 * range->period_s),
        .to_s = fmin((double)line->n, (double)range->to) * line->bin_s + 1.2 * range->period_s,
        .is_long = (double)(range->to - range->from) * line->bin_s >= LONG * range->period_s
    };
    lk_frame frame = { .resolution_s = line->bin_s };
    lk_mark mark = lk_arena_mark(scratch);
    lk_waves w = { .item = LK_NEW(a, lk_wave, max) };

    t.from_s = t.is_long ? 0.0 : t.from_s;
    t.to_s = t.is_long ? (double)line->n * line->bin_s : fmin(t.to_s, (double)line->n * line->bin_s);
    t.round = LK_NEW(scratch, step, 4 * max);
    t.rounds_max = 4 * max;
    if (!w.item || !t.round)
        return lk_fail(e, LK_EOOM, "no memory for %zu waves", max);
    if (line->n > t.width) {
        LK_TRY(open_tracker(&t, scratch, e));
        collect(&t, strongest_s(line, range, guess > 1.0 ? lk_whole_size(guess) : 1), max, &w);
    }
    LK_TRY(lk_waves_measure(&w, &frame, scratch, e));
    lk_arena_rewind(scratch, mark);
    *out = w;
    return LK_OK;
}

/* ---- decay over a background -------------------------------------------------------------- */

static double log_variance(const lk_wave *w)
{
    return (w->arrivals + w->noise) / (w->arrivals * w->arrivals) + 0.01;
}

typedef struct log_fit {
    double weight, k, y, slope, lever, error2;
    size_t n;
} log_fit;

static void fit_logs(const lk_waves *w, size_t from, log_fit *f)
{
    double slope = 0.0;

    for (size_t i = from; i < w->count; i++)
        if (w->item[i].arrivals > 0.0) {
            double weight = 1.0 / log_variance(&w->item[i]);

            f->n++;
            f->weight += weight;
            f->k += weight * (double)w->item[i].round;
            f->y += weight * log(w->item[i].arrivals);
        }
    f->k /= f->weight;
    f->y /= f->weight;
    for (size_t i = from; i < w->count; i++)
        if (w->item[i].arrivals > 0.0) {
            double weight = 1.0 / log_variance(&w->item[i]), x = (double)w->item[i].round - f->k;

            f->lever += weight * x * x;
            slope += weight * x * (log(w->item[i].arrivals) - f->y);
        }
    f->slope = slope / f->lever;
}

static double chi_square(const lk_waves *w, size_t from, const log_fit *f)
{
    double sum = 0.0;

    for (size_t i = from; i < w->count; i++)
        if (w->item[i].arrivals > 0.0) {
            double off =
                log(w->item[i].arrivals) - f->y - f->slope * ((double)w->item[i].round - f->k);

            sum += off * off / log_variance(&w->item[i]);
        }
    return sum;
}

void lk_track_decay(lk_waves *w)
{
    size_t head = w->count / 2 > 1 ? w->count / 2 : 1, from = 0;
    log_fit f = { 0 };
    double error;

    w->survival = w->survival_low = w->survival_high = (double)NAN;
    for (size_t i = 1; w->count > 3 && i < head; i++)
        from = w->item[i].arrivals > w->item[from].arrivals ? i : from;
    fit_logs(w, from, &f);
    if (f.n < 3)
        return;
    error = sqrt(fmax(1.0, chi_square(w, from, &f) / (double)(f.n - 2)) / f.lever);
    w->survival = exp(f.slope);
    w->survival_low = exp(f.slope - 1.96 * WIDER * error);
    w->survival_high = exp(f.slope + 1.96 * WIDER * error);
}
