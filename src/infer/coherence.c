#include "infer/coherence.h"

#include "base/whole.h"
#include "infer/stats.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

#define PI 3.14159265358979323846
#define SHIFT_REACH 0.75 /* the fine periods reach this many cycles over the whole line */

enum {
    RANGES_MAX = 16,
    PAIRS_MAX = RANGES_MAX * (RANGES_MAX + 1) / 2,
    HARMONICS_MAX = 8,
    LANES = 4, /* of a vector: cosines and sines of two harmonics */
    WIDTH_MAX = 2 * HARMONICS_MAX / LANES,
    SPAN = HARMONICS_MAX / LANES,
    ROWS_MIN = 3,
    FEW_SHIFTS = 5, /* are tried at least */
    CELLS_LEAST = 128, /* of a long row: the last harmonic has 16 a turn */
    CELLS_MAX = 2 * CELLS_LEAST + 2,
    PARTS = 16,  /* of a bin: where in its first bin a row begins */
    BLOCKS = 48  /* rows turned together: an eighth of a turn at most, at the last harmonic */
};

static const unsigned HARMONICS[] = { 1, 2, 4, HARMONICS_MAX };
enum { HARMONIC_COUNT = sizeof(HARMONICS) / sizeof(HARMONICS[0]) };

typedef struct complex_sum {
    double re, im;
} complex_sum;

typedef struct lanes {
    float v[LANES];
} lanes;

/* A complex value a harmonic. */
typedef struct spectral {
    lanes re[SPAN], im[SPAN];
} spectral;

/* Rows that share one turn. */
typedef struct block {
    spectral sum;
    spectral by, step; /* its turn at the shift that is tried, and from one shift to the next */
    double centre;     /* row */
    bool is_end;       /* a range may end behind it */
} block;

/* A range of rows between two ends, and what does not depend on the shift. */
typedef struct pair {
    size_t from, to;       /* ends */
    double rows;           /* effective */
    lanes per_power[SPAN]; /* 0 = no such harmonic */
} pair;

struct lk_coherence_room {
    size_t bins;                                /* of the longest line */
    float *z;                                   /* [bins] the clipped series */
    lanes *a;                                   /* [rows][width] */
    lanes table[CELLS_MAX * WIDTH_MAX];         /* e^(-2 pi i m cell) by cell */
    lanes part[PARTS + 1][WIDTH_MAX];           /* e^(-2 pi i m part), parts of a bin */
    float cell[CELLS_MAX];                      /* one row, its bins put together */
    block block[BLOCKS + RANGES_MAX];           /* a range has one at least */
    spectral total[RANGES_MAX + 1];             /* of the blocks before an end */
    pair pair[PAIRS_MAX];
};

typedef struct row_sums {
    lk_coherence_room *room;
    double period_bins;
    size_t rows;
    unsigned harmonics;
    size_t width;                /* vectors of a row's sums                          */
    size_t group;                /* bins of a cell                                   */
    size_t ends[RANGES_MAX + 1]; /* rows at which a range may begin or end, ascending */
    size_t end_count, block_count, pair_count;
    double power[RANGES_MAX + 1][HARMONICS_MAX]; /* sum of |a|^2 of the rows before the end */
    double length[RANGES_MAX + 1];               /* sum of |a| of the first harmonic         */
} row_sums;

static complex_sum turned(complex_sum a, complex_sum by)
{
    return (complex_sum){ a.re * by.re - a.im * by.im, a.re * by.im + a.im * by.re };
}

static complex_sum unit(double cycles)
{
    double angle = 2.0 * PI * (cycles - floor(cycles));

    return (complex_sum){ cos(angle), sin(angle) };
}

static unsigned harmonics_for(double period_bins)
{
    unsigned most = 1;

    for (size_t h = 0; h < HARMONIC_COUNT; h++)
        if (HARMONICS[h] * 2.2 <= period_bins)
            most = HARMONICS[h];
    return most;
}

/* ---- rows --------------------------------------------------------------------------------- */

static size_t row_start(size_t row, double period_bins, size_t n)
{
    size_t at = lk_whole_size(ceil((double)row * period_bins - 1e-9));

    return at < n ? at : n;
}

static void fill_powers(complex_sum e, unsigned harmonics, complex_sum *out)
{
    complex_sum h = e;

    for (unsigned m = 0; m < harmonics; m++) {
        out[m] = h;
        h = turned(h, e);
    }
}

/* The powers of e^(2 pi i cycles), as a row's sums stand. */
static void fill_lanes(double cycles, unsigned harmonics, lanes *out)
{
    complex_sum h[HARMONICS_MAX];

    fill_powers(unit(cycles), harmonics, h);
    for (unsigned m = 0; m < harmonics; m++) {
        out[2 * m / LANES].v[2 * m % LANES] = (float)h[m].re;
        out[2 * m / LANES].v[2 * m % LANES + 1] = (float)h[m].im;
    }
}

/* The cells' middles, as phases after the row's first bin, and those of the first bin's parts. */
static void fill_tables(const row_sums *r)
{
    lk_coherence_room *room = r->room;
    size_t cells = lk_whole_size(ceil(r->period_bins)) / r->group + 2;
    double first = 0.5 * ((double)r->group - 1.0);

    for (size_t c = 0; c < cells && c < CELLS_MAX; c++)
        fill_lanes(-((double)(c * r->group) + first) / r->period_bins, r->harmonics,
                   room->table + c * r->width);
    for (size_t p = 0; p <= PARTS; p++)
        fill_lanes(-(double)p / PARTS / r->period_bins, r->harmonics, room->part[p]);
}

static const float *sums_of(const row_sums *r, size_t row)
{
    return r->room->a[row * r->width].v;
}

static inline lanes multiplied(lanes sum, float by, const lanes *row)
{
    for (size_t i = 0; i < LANES; i++)
        sum.v[i] += by * row->v[i];
    return sum;
}

/* One row against the table: one, two or four vectors wide, each a sum that stays in a register. */
static void multiply_one(const float *cell, size_t cells, const lanes *table, lanes *out)
{
    lanes a = { { 0.0F } };

    for (size_t c = 0; c < cells; c++)
        a = multiplied(a, cell[c], &table[c]);
    out[0] = a;
}

static void multiply_two(const float *cell, size_t cells, const lanes *table, lanes *out)
{
    lanes a = { { 0.0F } }, b = a;

    for (size_t c = 0; c < cells; c++, table += 2) {
        a = multiplied(a, cell[c], &table[0]);
        b = multiplied(b, cell[c], &table[1]);
    }
    out[0] = a;
    out[1] = b;
}

static void multiply_four(const float *cell, size_t cells, const lanes *table, lanes *out)
{
    lanes a = { { 0.0F } }, b = a, c = a, d = a;

    for (size_t i = 0; i < cells; i++, table += 4) {
        a = multiplied(a, cell[i], &table[0]);
        b = multiplied(b, cell[i], &table[1]);
        c = multiplied(c, cell[i], &table[2]);
        d = multiplied(d, cell[i], &table[3]);
    }
    out[0] = a;
    out[1] = b;
    out[2] = c;
    out[3] = d;
}

static void multiply_row(const float *cell, size_t cells, const lanes *table, size_t width,
                         lanes *out)
{
    switch (width) {
    case 4: multiply_four(cell, cells, table, out); break;
    case 2: multiply_two(cell, cells, table, out); break;
    default: multiply_one(cell, cells, table, out); break;
    }
}

/* Puts a row's bins together, `group` a cell; the last cell may have fewer. */
static size_t gather(const float *z, size_t n, size_t group, float *cell)
{
    size_t count = 0;

    for (size_t from = 0; from < n; from += group) {
        size_t to = from + group < n ? from + group : n;
        float sum = 0.0F;

        for (size_t i = from; i < to; i++)
            sum += z[i];
        cell[count++] = sum;
    }
    return count;
}

/* Turns a row's sums, reckoned from its first whole bin, to where the row itself begins. */
static void turn_row(lanes *a, size_t width, const lanes *by)
{
    for (size_t i = 0; i < width; i++) {
        const float *e = by[i].v;
        lanes v = a[i];

        a[i] = (lanes){ { v.v[0] * e[0] - v.v[1] * e[1], v.v[0] * e[1] + v.v[1] * e[0],
                          v.v[2] * e[2] - v.v[3] * e[3], v.v[2] * e[3] + v.v[3] * e[2] } };
    }
}

static void sum_row(const row_sums *r, size_t k, size_t n)
{
    size_t from = row_start(k, r->period_bins, n), to = row_start(k + 1, r->period_bins, n);
    const float *cell = r->room->z + from;
    size_t cells = to - from;
    lanes *a = r->room->a + k * r->width;
    double behind = (double)from - (double)k * r->period_bins;

    if (r->group > 1) {
        cells = gather(cell, cells, r->group, r->room->cell);
        cell = r->room->cell;
    }
    multiply_row(cell, cells, r->room->table, r->width, a);
    turn_row(a, r->width, r->room->part[lk_whole_size(behind > 0.0 ? behind * PARTS + 0.5 : 0.0)]);
}

/* ---- ranges ------------------------------------------------------------------------------- */

static void place_ends(row_sums *r, unsigned ranges)
{
    size_t parts = r->rows < ranges ? r->rows : ranges;

    r->end_count = 0;
    for (size_t i = 0; i <= parts; i++) {
        size_t at = lk_whole_size(rint((double)r->rows * (double)i / (double)parts));

        if (r->end_count == 0 || at > r->ends[r->end_count - 1])
            r->ends[r->end_count++] = at;
    }
}

/* Adds the powers of the rows [from, to). */
static void add_powers(const row_sums *r, size_t from, size_t to, double *power, double *length)
{
    for (size_t k = from; k < to; k++) {
        const float *a = sums_of(r, k);

        for (unsigned m = 0; m < r->harmonics; m++)
            power[m] += (double)(a[2 * m] * a[2 * m] + a[2 * m + 1] * a[2 * m + 1]);
        *length += sqrt((double)(a[0] * a[0] + a[1] * a[1]));
    }
}

static void sum_powers(row_sums *r)
{
    double power[HARMONICS_MAX] = { 0.0 }, length = 0.0;

    for (size_t end = 0; end < r->end_count; end++) {
        if (end > 0)
            add_powers(r, r->ends[end - 1], r->ends[end], power, &length);
        memcpy(r->power[end], power, sizeof(power));
        r->length[end] = length;
    }
}

static void fill_block(const row_sums *r, size_t from, size_t to, block *b)
{
    *b = (block){ .centre = 0.5 * (double)(from + to - 1) };
    for (size_t k = from; k < to; k++) {
        const float *a = sums_of(r, k);

        for (unsigned m = 0; m < r->harmonics; m++) {
            b->sum.re[m / LANES].v[m % LANES] += a[2 * m];
            b->sum.im[m / LANES].v[m % LANES] += a[2 * m + 1];
        }
    }
}

static void fill_blocks(row_sums *r)
{
    size_t most = r->rows / BLOCKS > 1 ? r->rows / BLOCKS : 1;

    r->block_count = 0;
    for (size_t end = 1; end < r->end_count; end++) {
        size_t from = r->ends[end - 1], to = r->ends[end];
        size_t parts = (to - from) / most > 1 ? (to - from) / most : 1;

        parts = parts < BLOCKS / (r->end_count - 1) + 1 ? parts : BLOCKS / (r->end_count - 1) + 1;
        for (size_t i = 0; i < parts; i++)
            fill_block(r, from + (to - from) * i / parts, from + (to - from) * (i + 1) / parts,
                       &r->room->block[r->block_count++]);
        r->room->block[r->block_count - 1].is_end = true;
    }
}

/* Rows of unequal power count as fewer. */
static double effective_rows(const row_sums *r, size_t i, size_t j)
{
    double length = r->length[j] - r->length[i], power = r->power[j][0] - r->power[i][0];

    return fmin(fmax(length * length / (power + 1e-9), 1.5), (double)(r->ends[j] - r->ends[i]));
}

static void list_pairs(row_sums *r)
{
    r->pair_count = 0;
    for (size_t i = 0; i < r->end_count; i++)
        for (size_t j = i + 1; j < r->end_count; j++) {
            pair *p = &r->room->pair[r->pair_count];

            if (r->ends[j] - r->ends[i] < ROWS_MIN)
                continue;
            *p = (pair){ .from = i, .to = j, .rows = effective_rows(r, i, j) };
            for (unsigned m = 0; m < r->harmonics; m++)
                p->per_power[m / LANES].v[m % LANES] =
                    (float)(1.0 / (r->power[j][m] - r->power[i][m] + 1e-9));
            r->pair_count++;
        }
}

/* ---- shifts ------------------------------------------------------------------------------- */

/* sum + a b */
static inline void add_product(spectral *sum, const spectral *a, const spectral *b)
{
    for (size_t i = 0; i < SPAN; i++)
        for (size_t l = 0; l < LANES; l++) {
            sum->re[i].v[l] += a->re[i].v[l] * b->re[i].v[l] - a->im[i].v[l] * b->im[i].v[l];
            sum->im[i].v[l] += a->re[i].v[l] * b->im[i].v[l] + a->im[i].v[l] * b->re[i].v[l];
        }
}

/* The blocks as they stand, added up to each end; then they turn on to the next shift. */
static void sum_turned(const row_sums *r)
{
    lk_coherence_room *room = r->room;
    spectral sum = { .re = { { { 0.0F } } } };
    size_t end = 0;

    room->total[end++] = sum;
    for (size_t i = 0; i < r->block_count; i++) {
        block *b = &room->block[i];
        spectral next = { .re = { { { 0.0F } } } };

        add_product(&sum, &b->sum, &b->by);
        add_product(&next, &b->by, &b->step);
        b->by = next;
        if (b->is_end)
            room->total[end++] = sum;
    }
}

/* Z by harmonic; gives their sum. */
static inline float ratios(const spectral *from, const spectral *to, const lanes *per_power,
                           float *z)
{
    float sum = 0.0F;

    for (size_t i = 0; i < SPAN; i++) {
        lanes out;

        for (size_t l = 0; l < LANES; l++) {
            float re = to->re[i].v[l] - from->re[i].v[l], im = to->im[i].v[l] - from->im[i].v[l];

            out.v[l] = (re * re + im * im) * per_power[i].v[l];
        }
        memcpy(z + i * LANES, out.v, sizeof(out.v));
    }
    for (size_t m = 0; m < HARMONICS_MAX; m++)
        sum += z[m];
    return sum;
}

/* Tries a range at the shift that the sums stand at. */
static void try_range(const row_sums *r, const pair *p, double period_s, lk_coherence *best)
{
    const spectral *total = r->room->total;
    float z[HARMONICS_MAX];
    double sum = 0.0;
    unsigned m = 0;

    if (-(double)ratios(&total[p->from], &total[p->to], p->per_power, z) >= best->ln_p)
        return; /* no tail can be below -sum, the last sum is the largest */
    for (size_t h = 0; h < HARMONIC_COUNT && HARMONICS[h] <= r->harmonics; h++) {
        double ln_p;

        for (; m < HARMONICS[h]; m++)
            sum += (double)z[m];
        if (-sum >= best->ln_p)
            continue;
        ln_p = fmax(lk_ln_gamma_sf(m, sum), lk_ln_align(p->rows, m, sum));
        if (ln_p < best->ln_p)
            *best = (lk_coherence){ .ln_p = ln_p,
                                    .period_s = period_s,
                                    .sum = sum,
                                    .row_from = r->ends[p->from],
                                    .row_to = r->ends[p->to],
                                    .harmonics = m };
    }
}

static void fill_spectral(double cycles, unsigned harmonics, spectral *out)
{
    complex_sum h[HARMONICS_MAX];

    fill_powers(unit(cycles), harmonics, h);
    for (unsigned m = 0; m < harmonics; m++) {
        out->re[m / LANES].v[m % LANES] = (float)h[m].re;
        out->im[m / LANES].v[m % LANES] = (float)h[m].im;
    }
}

/* Shifts from -reach to +reach cycles a row. */
static void set_out(const row_sums *r, double reach, double step)
{
    for (size_t i = 0; i < r->block_count; i++) {
        block *b = &r->room->block[i];

        fill_spectral(-reach * b->centre, r->harmonics, &b->by);
        fill_spectral(step * b->centre, r->harmonics, &b->step);
    }
}

/* With fewer harmonics the shifts may be wider apart. */
static unsigned shifts_for(unsigned shifts, unsigned harmonics)
{
    unsigned enough = harmonics >= HARMONICS_MAX ? shifts : (shifts - 1) * harmonics / 8 + 1;

    return enough > FEW_SHIFTS ? enough : shifts < FEW_SHIFTS ? shifts : FEW_SHIFTS;
}

static void try_shifts(const row_sums *r, unsigned shifts, double period_s, lk_coherence *best)
{
    double reach = shifts > 1 ? SHIFT_REACH / (double)r->rows : 0.0;
    double step = shifts > 1 ? 2.0 * reach / (shifts - 1.0) : 0.0;

    set_out(r, reach, step);
    for (unsigned i = 0; i < shifts; i++) {
        sum_turned(r);
        for (size_t p = 0; p < r->pair_count; p++)
            try_range(r, &r->room->pair[p], period_s / (1.0 - (i * step - reach)), best);
    }
}

/* ---- the whole ---------------------------------------------------------------------------- */

lk_code lk_coherence_open(size_t bins, lk_arena *a, lk_coherence_room **out, lk_err *e)
{
    lk_coherence_room *room = LK_NEW(a, lk_coherence_room, 1);

    /* The shortest rows have three bins and one vector, the widest 17.6 and four. */
    if (!room || !(room->z = LK_NEW(a, float, bins)) ||
        !(room->a = LK_NEW(a, lanes, bins / 3 + 1)))
        return lk_fail(e, LK_EOOM, "no memory for the cycles of %zu bins", bins);
    room->bins = bins;
    *out = room;
    return LK_OK;
}

lk_coherence lk_coherence_test(lk_coherence_room *room, const lk_line *line, double period_s,
                               lk_coherence_how how)
{
    double period_bins = period_s / line->bin_s;
    row_sums r = { .room = room,
                   .period_bins = period_bins,
                   .rows = lk_whole_size((double)line->n / period_bins + 1e-9),
                   .harmonics = harmonics_for(period_bins) };
    lk_coherence best = { .ln_p = fmin(how.ln_limit, 0.0), .period_s = period_s };

    r.width = r.harmonics > 1 ? 2 * r.harmonics / LANES : 1;
    r.group = period_bins >= 2.0 * CELLS_LEAST ? lk_whole_size(period_bins / CELLS_LEAST) : 1;
    if (r.rows >= ROWS_MIN && line->n <= room->bins) {
        lk_line_clipped(line, lk_whole_size(rint(period_bins)), room->z);
        fill_tables(&r);
        place_ends(&r, how.ranges < RANGES_MAX ? how.ranges : RANGES_MAX);
        for (size_t k = 0; k < r.rows; k++)
            sum_row(&r, k, line->n);
        sum_powers(&r);
        fill_blocks(&r);
        list_pairs(&r);
        try_shifts(&r, shifts_for(how.shifts, r.harmonics), period_s, &best);
    }
    if (best.harmonics == 0)
        best = (lk_coherence){ .period_s = period_s, .row_to = r.rows, .harmonics = 1 };
    return best;
}
