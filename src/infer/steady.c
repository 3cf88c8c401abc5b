#include "infer/steady.h"

#include "infer/stats.h"

#include <math.h>
#include <string.h>

#define WHOLE_Z 7.0   /* of the sum over the range         */
#define QUARTER_Z 2.0 /* of each quarter's at that phase   */
#define RIVAL 0.6     /* of the size: evenly spaced others make the clock a faster one */
#define SHIFT_STEP 0.025 /* turns over the range ...       */

enum {
    SHIFTS = 20,  /* ... so many steps to either side */
    CELLS_MAX = 32,
    CELLS_LEAST = 4,
    CELLS_MANY = 12,
    QUARTERS = 4,
    BLOCKS = 32, /* of rounds that share one turn; a multiple of the quarters */
    ROUNDS_LEAST = 2 * BLOCKS,
    WIDEST = 3, /* cells of a wave */
    FASTER_MAX = 5
};

typedef struct fold {
    const lk_line *line;
    lk_track_range range;
    size_t cells;
    double rounds;
    double over[BLOCKS][CELLS_MAX]; /* above the block's mean, by phase */
    double arrivals;
} fold;

/* Where a wave stands, and how far it does. */
typedef struct place {
    size_t cell, width;
    double shift; /* turns from the first block to the last */
    double excess, z;
} place;

static void take_mean_off(const double *sum, const double *bins, size_t cells, double *over)
{
    double all = 0.0, exposed = 0.0;

    for (size_t c = 0; c < cells; c++) {
        all += sum[c];
        exposed += bins[c];
    }
    for (size_t c = 0; c < cells; c++)
        over[c] = sum[c] - all / fmax(exposed, 1.0) * bins[c];
}

static void fold_block(fold *f, size_t b)
{
    const lk_line *l = f->line;
    size_t n = f->range.to - f->range.from, from = f->range.from + n * b / BLOCKS,
           to = f->range.from + n * (b + 1) / BLOCKS;
    double sum[CELLS_MAX] = { 0.0 }, bins[CELLS_MAX] = { 0.0 };

    for (size_t i = from; i < to; i++) {
        double turn = ((double)i + 0.5) * l->bin_s / f->range.period_s;
        size_t cell = (size_t)((turn - floor(turn)) * (double)f->cells);

        if (l->hole[i])
            continue;
        cell = cell < f->cells ? cell : f->cells - 1;
        sum[cell] += l->x[i];
        f->arrivals += l->x[i];
        bins[cell] += 1.0;
    }
    take_mean_off(sum, bins, f->cells, f->over[b]);
}

/* Blocks [from, to) on top of each other, turned on from one to the next. */
static void add_blocks(const fold *f, size_t from, size_t to, double shift, double *out)
{
    for (size_t c = 0; c < f->cells; c++)
        out[c] = 0.0;
    for (size_t b = from; b < to; b++) {
        double turn = shift * ((double)b + 0.5 - 0.5 * BLOCKS) / BLOCKS;
        size_t by = (size_t)rint((turn - floor(turn)) * (double)f->cells);

        for (size_t c = 0; c < f->cells; c++)
            out[c] += f->over[b][(c + by) % f->cells];
    }
}

static double sum_at(const double *over, size_t cells, size_t at, size_t width)
{
    double sum = 0.0;

    for (size_t i = 0; i < width; i++)
        sum += over[(at + i) % cells];
    return sum;
}

/* Of a cell of `blocks` blocks outside the wave: by chance alone at least; other clocks' waves in a few cells are
 * no noise where there are many. */
static double noise_of(const fold *f, const double *over, size_t blocks, const place *p)
{
    double by_chance = sqrt(fmax(f->arrivals * (double)blocks / (double)(BLOCKS * f->cells), 1.0)),
           other[CELLS_MAX], sum = 0.0, square = 0.0;
    size_t n = 0;

    for (size_t i = p->width; i < f->cells; i++) {
        other[n] = over[(p->cell + i) % f->cells];
        sum += other[n];
        square += other[n] * other[n];
        n++;
    }
    if (f->cells < CELLS_MANY)
        return fmax(by_chance, sqrt(fmax(0.0, square - sum * sum / (double)n) / ((double)n - 1.0)));
    return fmax(by_chance, lk_spread(other, n, lk_median(other, n)));
}

static void rate(const fold *f, const double *over, size_t blocks, place *p)
{
    double duty = (double)p->width / (double)f->cells;

    p->excess = sum_at(over, f->cells, p->cell, p->width) / (1.0 - duty);
    p->z = p->excess / (noise_of(f, over, blocks, p) * sqrt((double)p->width / (1.0 - duty)));
}

static place best_place(const fold *f)
{
    place best = { .z = 0.0 };
    double over[CELLS_MAX];

    for (int i = 0; i <= 2 * SHIFTS; i++) { /* 0, 1, -1, 2 ...: of equal ones the nearest */
        double shift = (i % 2 == 0 ? -1 : 1) * ((i + 1) / 2) * SHIFT_STEP;

        add_blocks(f, 0, BLOCKS, shift, over);
        for (size_t width = 1; width <= WIDEST && 4 * width <= f->cells; width++)
            for (size_t c = 0; c < f->cells; c++) {
                place p = { .cell = c, .width = width, .shift = shift };

                rate(f, over, BLOCKS, &p);
                best = p.z > best.z ? p : best;
            }
    }
    return best;
}

static bool is_in_each_quarter(const fold *f, const place *p)
{
    for (size_t q = 0; q < QUARTERS; q++) {
        double over[CELLS_MAX];
        place there = *p;

        add_blocks(f, q * BLOCKS / QUARTERS, (q + 1) * BLOCKS / QUARTERS, p->shift, over);
        rate(f, over, BLOCKS / QUARTERS, &there);
        if (there.z < QUARTER_Z)
            return false;
    }
    return true;
}

/* Waves as large at even distances: the clock is as many times as fast. */
static bool is_faster(const fold *f, const place *p)
{
    double over[CELLS_MAX];

    add_blocks(f, 0, BLOCKS, p->shift, over);
    for (size_t k = 2; k <= FASTER_MAX && k * p->width < f->cells; k++) {
        bool all = true;

        for (size_t i = 1; i < k; i++) {
            place rival = *p;

            rival.cell = (p->cell + (f->cells * i + k / 2) / k) % f->cells;
            rate(f, over, BLOCKS, &rival);
            all &= rival.excess > RIVAL * p->excess;
        }
        if (all)
            return true;
    }
    return false;
}

/* A round whose middle is no hole. */
static bool is_seen(const fold *f, double at_s)
{
    size_t bin = lk_line_bin(f->line, at_s);

    return bin >= f->range.from && bin < f->range.to && !f->line->hole[bin];
}

/* Rounds [from, to) of those listed. */
typedef struct stretch {
    size_t from, to;
} stretch;

/* What a round's arrivals within its wave say for the wave, by Poisson's likelihood: n ln(1 + size/background) - size. */
static double gain_of(const fold *f, const lk_wave *w, double background)
{
    double n = 0.0, bins = rint(w->width_s / f->line->bin_s);
    size_t first = lk_line_bin(f->line, fmax(w->start_s, 0.0) + 0.5 * f->line->bin_s);

    for (size_t i = first; i < f->range.to && (double)(i - first) < bins; i++)
        n += f->line->x[i];
    return n * log1p(w->arrivals / background) - w->arrivals;
}

/* From where to where the waves come: outside, the rounds speak against them. */
static stretch where_they_come(const fold *f, const lk_waves *w)
{
    double all = f->arrivals / f->rounds, duty = w->width_s / w->period_s,
           background = fmax((all - w->item[0].arrivals) * duty, 1e-3), sum = 0.0, most = 0.0;
    stretch now = { 0, 0 }, best = { 0, w->count };

    for (size_t i = 0; i < w->count; i++) {
        if (sum <= 0.0) {
            sum = 0.0;
            now.from = i;
        }
        sum += gain_of(f, &w->item[i], background);
        now.to = i + 1;
        if (sum > most) {
            most = sum;
            best = now;
        }
    }
    return best;
}

/* The mean was taken over all rounds listed, whether they had a wave or not. */
static void keep_those_that_come(const fold *f, lk_waves *w)
{
    stretch s = where_they_come(f, w);
    double more = (double)w->count / (double)(s.to - s.from);

    w->count = s.to - s.from;
    memmove(w->item, w->item + s.from, w->count * sizeof(*w->item));
    for (size_t i = 0; i < w->count; i++) {
        w->item[i].arrivals *= more;
        w->item[i].peak_per_s *= more;
    }
}

static void list_waves(const fold *f, const place *p, size_t max, lk_waves *w)
{
    double seen_s = f->range.period_s, cell_s = seen_s / (double)f->cells,
           width_s = fmax((double)p->width * cell_s, f->line->bin_s), size = p->excess / f->rounds;
    double middle_s = 0.5 * (double)(f->range.from + f->range.to) * f->line->bin_s;
    double turns = floor(middle_s / seen_s), phase_s, zero_s;

    w->period_s = seen_s * (1.0 + p->shift / f->rounds);
    w->period_error_s = seen_s * fmax(SHIFT_STEP, 0.5 / (double)f->cells) / f->rounds;
    w->width_s = width_s;
    phase_s = ((double)p->cell + 0.5 * (double)p->width) * cell_s;
    zero_s = turns * seen_s + phase_s; /* at the middle nothing has turned */
    for (double k = -ceil(f->rounds); k <= ceil(f->rounds) && w->count < max; k += 1.0) {
        double at_s = zero_s + k * w->period_s;

        if (at_s > 0.0 && is_seen(f, at_s))
            w->item[w->count++] = (lk_wave){ .round = (int64_t)k,
                                             .start_s = at_s - 0.5 * width_s,
                                             .centre_s = at_s,
                                             .width_s = width_s,
                                             .arrivals = size,
                                             .peak_per_s = size / width_s };
    }
}

lk_code lk_steady_waves(const lk_line *line, const lk_track_range *range, lk_arena *a,
                        lk_arena *scratch, lk_waves *out, lk_err *e)
{
    double bins = range->period_s / line->bin_s;
    lk_mark mark = lk_arena_mark(scratch);
    fold *f = LK_NEW(scratch, fold, 1);
    size_t max;
    place p;

    *out = (lk_waves){ .period_s = (double)NAN };
    out->period_error_s = out->width_s = (double)NAN;
    out->survival = out->survival_low = out->survival_high = (double)NAN;
    if (!f)
        return lk_fail(e, LK_EOOM, "no memory to fold a series");
    *f = (fold){ .line = line, .range = *range, .rounds = (double)(range->to - range->from) / bins };
    f->cells = bins < CELLS_MAX ? (size_t)bins : CELLS_MAX;
    if (f->cells < CELLS_LEAST || f->rounds < ROUNDS_LEAST) {
        lk_arena_rewind(scratch, mark);
        return LK_OK;
    }
    for (size_t b = 0; b < BLOCKS; b++)
        fold_block(f, b);
    p = best_place(f);
    if (p.z >= WHOLE_Z && is_in_each_quarter(f, &p) && !is_faster(f, &p)) {
        max = 2 * (size_t)f->rounds + 4;
        out->item = LK_NEW(a, lk_wave, max);
        if (!out->item)
            return lk_fail(e, LK_EOOM, "no memory for %zu waves", max);
        list_waves(f, &p, max, out);
        if (out->count > 0)
            keep_those_that_come(f, out);
    }
    lk_arena_rewind(scratch, mark);
    return LK_OK;
}
