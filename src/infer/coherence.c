#include "infer/coherence.h"

#include "infer/stats.h"

#include <math.h>
#include <string.h>

#define PI 3.14159265358979323846
#define SHIFT_REACH 0.75 /* the fine periods reach this many cycles over the whole line */

enum { RANGES_MAX = 64, HARMONICS_MAX = 8, ROWS_MIN = 3, ROWS_A_SEED = 256 };

static const unsigned HARMONICS[] = { 1, 2, 4, HARMONICS_MAX };
enum { HARMONIC_COUNT = sizeof(HARMONICS) / sizeof(HARMONICS[0]) };

typedef struct complex_sum {
    double re, im;
} complex_sum;

typedef struct row_sums {
    complex_sum *a; /* [rows][harmonics] */
    size_t rows;
    unsigned harmonics;
    size_t ends[RANGES_MAX + 1]; /* rows at which a range may begin or end, ascending */
    size_t end_count;
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

static double squared(complex_sum a)
{
    return a.re * a.re + a.im * a.im;
}

static unsigned harmonics_for(double period_bins)
{
    unsigned most = 1;

    for (size_t h = 0; h < HARMONIC_COUNT; h++)
        if (HARMONICS[h] * 2.2 <= period_bins)
            most = HARMONICS[h];
    return most;
}

/* One row's Fourier sums; the phase starts anew at each row, so the recurrence cannot drift. */
static void sum_row(const double *z, size_t from, size_t to, double period_bins, unsigned harmonics,
                    complex_sum *a)
{
    complex_sum e = unit(-(double)from / period_bins), step = unit(-1.0 / period_bins);

    for (size_t i = from; i < to; i++) {
        complex_sum h = e;

        for (unsigned m = 0; m < harmonics; m++) {
            a[m].re += z[i] * h.re;
            a[m].im += z[i] * h.im;
            h = turned(h, e);
        }
        e = turned(e, step);
    }
}

static size_t row_start(size_t row, double period_bins, size_t n)
{
    size_t at = (size_t)ceil((double)row * period_bins - 1e-9);

    return at < n ? at : n;
}

static void place_ends(row_sums *r, unsigned ranges)
{
    size_t parts = r->rows < ranges ? r->rows : ranges;

    r->end_count = 0;
    for (size_t i = 0; i <= parts; i++) {
        size_t at = (size_t)rint((double)r->rows * (double)i / (double)parts);

        if (r->end_count == 0 || at > r->ends[r->end_count - 1])
            r->ends[r->end_count++] = at;
    }
}

static void sum_powers(row_sums *r)
{
    double power[HARMONICS_MAX] = { 0.0 }, length = 0.0;
    size_t end = 0;

    for (size_t k = 0; k <= r->rows && end < r->end_count; k++) {
        if (k == r->ends[end]) {
            memcpy(r->power[end], power, sizeof(power));
            r->length[end++] = length;
        }
        for (unsigned m = 0; m < r->harmonics && k < r->rows; m++)
            power[m] += squared(r->a[k * r->harmonics + m]);
        if (k < r->rows)
            length += sqrt(squared(r->a[k * r->harmonics]));
    }
}

/* The rows' sums, turned back by `shift` cycles a row, added up to each end. */
static void sum_turned(const row_sums *r, double shift, complex_sum (*total)[HARMONICS_MAX])
{
    complex_sum sum[HARMONICS_MAX] = { { 0.0, 0.0 } }, one = { 1.0, 0.0 }, step = unit(shift);
    size_t end = 0;

    for (size_t k = 0; k <= r->rows && end < r->end_count; k++) {
        complex_sum by;

        if (k == r->ends[end])
            memcpy(total[end++], sum, sizeof(sum));
        if (k == r->rows)
            break;
        if (k % ROWS_A_SEED == 0)
            one = unit((double)k * shift);
        by = one;
        for (unsigned m = 0; m < r->harmonics; m++) {
            complex_sum t = turned(r->a[k * r->harmonics + m], by);

            sum[m].re += t.re;
            sum[m].im += t.im;
            by = turned(by, one);
        }
        one = turned(one, step);
    }
}

/* Rows of unequal power count as fewer. */
static double effective_rows(const row_sums *r, size_t i, size_t j)
{
    double length = r->length[j] - r->length[i], power = r->power[j][0] - r->power[i][0];

    return fmin(fmax(length * length / (power + 1e-9), 1.5), (double)(r->ends[j] - r->ends[i]));
}

/* Tries the range between two ends at one shift. */
static void try_range(const row_sums *r, complex_sum (*total)[HARMONICS_MAX], size_t i, size_t j,
                      double period_s, lk_coherence *best)
{
    double sum = 0.0, rows = effective_rows(r, i, j);
    unsigned m = 0;

    for (size_t h = 0; h < HARMONIC_COUNT && HARMONICS[h] <= r->harmonics; h++) {
        double ln_p;

        for (; m < HARMONICS[h]; m++) {
            complex_sum d = { total[j][m].re - total[i][m].re, total[j][m].im - total[i][m].im };

            sum += squared(d) / (r->power[j][m] - r->power[i][m] + 1e-9);
        }
        if (-sum >= best->ln_p)
            continue; /* neither tail can be below -sum */
        ln_p = fmax(lk_ln_gamma_sf(m, sum), lk_ln_align(rows, m, sum));
        if (ln_p < best->ln_p)
            *best = (lk_coherence){ .ln_p = ln_p,
                                    .period_s = period_s,
                                    .sum = sum,
                                    .row_from = r->ends[i],
                                    .row_to = r->ends[j],
                                    .harmonics = m };
    }
}

static void try_shift(const row_sums *r, double shift, double period_s, lk_coherence *best)
{
    complex_sum total[RANGES_MAX + 1][HARMONICS_MAX];

    sum_turned(r, shift, total);
    for (size_t i = 0; i < r->end_count; i++)
        for (size_t j = i + 1; j < r->end_count; j++)
            if (r->ends[j] - r->ends[i] >= ROWS_MIN)
                try_range(r, total, i, j, period_s, best);
}

static void sum_rows(row_sums *r, const double *z, size_t n, double period_bins)
{
    for (size_t k = 0; k < r->rows; k++)
        sum_row(z, row_start(k, period_bins, n), row_start(k + 1, period_bins, n), period_bins,
                r->harmonics, r->a + k * r->harmonics);
    sum_powers(r);
}

static void try_shifts(const row_sums *r, unsigned shifts, double period_s, lk_coherence *best)
{
    for (unsigned i = 0; i < shifts; i++) {
        double at = shifts > 1 ? -1.0 + 2.0 * i / (shifts - 1.0) : 0.0;
        double shift = at * SHIFT_REACH / (double)r->rows;

        try_shift(r, shift, period_s / (1.0 - shift), best);
    }
}

lk_code lk_coherence_test(const lk_line *line, double period_s, lk_coherence_how how,
                          lk_arena *scratch, lk_coherence *out, lk_err *e)
{
    double period_bins = period_s / line->bin_s, *z;
    row_sums r = { .rows = (size_t)((double)line->n / period_bins + 1e-9),
                   .harmonics = harmonics_for(period_bins) };
    lk_coherence best = { .period_s = period_s, .row_to = r.rows, .harmonics = 1 };
    lk_mark mark = lk_arena_mark(scratch);

    if (r.rows >= ROWS_MIN) {
        z = LK_NEW(scratch, double, line->n);
        r.a = LK_NEW(scratch, complex_sum, r.rows * r.harmonics);
        if (!z || !r.a)
            return lk_fail(e, LK_EOOM, "no memory for %zu cycles", r.rows);
        lk_line_clipped(line, (size_t)rint(period_bins), z);
        place_ends(&r, how.ranges < RANGES_MAX ? how.ranges : RANGES_MAX);
        sum_rows(&r, z, line->n, period_bins);
        try_shifts(&r, how.shifts, period_s, &best);
    }
    lk_arena_rewind(scratch, mark);
    *out = best;
    return LK_OK;
}
