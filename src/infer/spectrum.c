#include "infer/spectrum.h"

#include "base/whole.h"
#include "infer/stats.h"

#include <kiss_fftr.h>

#include <limits.h>
#include <math.h>
#include <string.h>

#define WHITE_SHARE 0.3 /* half width of the median around a frequency, as a share of it */
#define WHITE_STEP 1.08 /* blocks that share one median                                  */
#define WHITE_CAP 20.0  /* one tall line must not carry a harmonic sum alone             */
#define SAME_PERIOD 0.03

enum { FLOOR_SAMPLES = 64, TAIL_STEPS = 8 /* of the tables of tails, a unit of the sum */ };

static const unsigned HARMONICS[] = { 1, 2, 4, 8 };
enum { HARMONIC_COUNT = sizeof(HARMONICS) / sizeof(HARMONICS[0]) };

struct lk_tails {
    double *row[HARMONIC_COUNT]; /* -ln p by sum, a row a number of harmonics */
};

lk_code lk_tails_new(lk_arena *a, lk_tails **out, lk_err *e)
{
    lk_tails *t = LK_NEW(a, lk_tails, 1);

    for (size_t h = 0; t && h < HARMONIC_COUNT; h++) {
        size_t n = (size_t)(HARMONICS[h] * WHITE_CAP) * TAIL_STEPS + 2;

        if (!(t->row[h] = LK_NEW(a, double, n)))
            t = NULL;
        for (size_t i = 0; t && i < n; i++)
            t->row[h][i] = -lk_ln_gamma_sf(HARMONICS[h], (double)i / TAIL_STEPS);
    }
    *out = t;
    return t ? LK_OK : lk_fail(e, LK_EOOM, "no memory for a table of tails");
}

static double tail_of(const double *row, double sum)
{
    double at = sum * TAIL_STEPS;
    size_t i = lk_whole_size(at);

    return row[i] + (row[i + 1] - row[i]) * (at - (double)i);
}

struct lk_spectrum {
    kiss_fftr_cfg forward, inverse; /* inverse is made when first asked for */
    kiss_fft_scalar *in;
    kiss_fft_cpx *out;
    lk_arena *arena;
    size_t length;
};

static bool is_smooth(size_t n)
{
    static const size_t PRIMES[] = { 2, 3, 5 };

    for (size_t i = 0; i < sizeof(PRIMES) / sizeof(PRIMES[0]); i++)
        while (n % PRIMES[i] == 0)
            n /= PRIMES[i];
    return n == 1;
}

size_t lk_spectrum_length(size_t n)
{
    n = n < 4 ? 4 : n + n % 2;
    while (!is_smooth(n))
        n += 2;
    return n;
}

static kiss_fftr_cfg new_plan(lk_arena *a, size_t length, int is_inverse)
{
    size_t bytes = 0;
    void *mem;

    (void)kiss_fftr_alloc((int)length, is_inverse, NULL, &bytes); /* asks for the size only */
    mem = lk_alloc(a, 1, bytes);
    return mem ? kiss_fftr_alloc((int)length, is_inverse, mem, &bytes) : NULL;
}

lk_code lk_spectrum_new(lk_arena *a, size_t length, lk_spectrum **out, lk_err *e)
{
    lk_spectrum *s;

    if (length < 4 || length % 2 != 0 || length > INT_MAX)
        return lk_fail(e, LK_EUSAGE, "no spectrum of %zu points", length);
    s = LK_NEW(a, lk_spectrum, 1);
    if (!s || !(s->in = LK_NEW(a, kiss_fft_scalar, length)) ||
        !(s->out = LK_NEW(a, kiss_fft_cpx, length / 2 + 1)) ||
        !(s->forward = new_plan(a, length, 0)))
        return lk_fail(e, LK_EOOM, "no memory for a spectrum of %zu points", length);
    s->arena = a;
    s->length = length;
    *out = s;
    return LK_OK;
}

size_t lk_spectrum_points(const lk_spectrum *s)
{
    return s->length / 2 + 1;
}

static void transform(lk_spectrum *s, const double *y, size_t n)
{
    double sum = 0.0;

    for (size_t i = 0; i < n; i++)
        sum += y[i];
    for (size_t i = 0; i < n; i++)
        s->in[i] = (kiss_fft_scalar)(y[i] - sum / (double)n);
    memset(s->in + n, 0, (s->length - n) * sizeof(*s->in));
    kiss_fftr(s->forward, s->in, s->out);
}

static double squared(kiss_fft_cpx c)
{
    return (double)c.r * (double)c.r + (double)c.i * (double)c.i;
}

static lk_code check_count(const lk_spectrum *s, size_t n, lk_err *e)
{
    if (n == 0 || n > s->length)
        return lk_fail(e, LK_EUSAGE, "%zu values for a spectrum of %zu points", n, s->length);
    return LK_OK;
}

lk_code lk_spectrum_power(lk_spectrum *s, const double *y, size_t n, double *power, lk_err *e)
{
    LK_TRY(check_count(s, n, e));
    transform(s, y, n);
    power[0] = 0.0;
    for (size_t k = 1; k < lk_spectrum_points(s); k++)
        power[k] = squared(s->out[k]);
    return LK_OK;
}

lk_code lk_spectrum_halves(lk_spectrum *s, const double *y, size_t n, double *power, lk_err *e)
{
    const kiss_fft_cpx *f = s->out;
    size_t half = s->length / 2;

    LK_TRY(check_count(s, n, e));
    transform(s, y, n);
    for (size_t k = 0; k < half; k++) {
        power[2 * k] = squared(f[k]);
        power[2 * k + 1] =
            0.5 * squared((kiss_fft_cpx){ .r = f[k].r - f[k + 1].r, .i = f[k].i - f[k + 1].i });
    }
    power[2 * half] = squared(f[half]);
    power[0] = 0.0;
    return LK_OK;
}

lk_code lk_spectrum_acf(lk_spectrum *s, const double *y, size_t n, double *acf, lk_err *e)
{
    LK_TRY(check_count(s, n, e));
    if (!s->inverse && !(s->inverse = new_plan(s->arena, s->length, 1)))
        return lk_fail(e, LK_EOOM, "no memory for a spectrum of %zu points", s->length);
    transform(s, y, n);
    for (size_t k = 0; k < lk_spectrum_points(s); k++)
        s->out[k] = (kiss_fft_cpx){ .r = (kiss_fft_scalar)(squared(s->out[k]) / (double)n) };
    kiss_fftri(s->inverse, s->out, s->in);
    for (size_t i = 0; i < n; i++)
        acf[i] = s->in[0] > 0.0F ? (double)s->in[i] / (double)s->in[0] : 0.0;
    return LK_OK;
}

/* The median power around a frequency.  A spectrum padded to twice its length says everything twice,
 * and a median of some hundred values is as good as one of thousands. */
static double floor_around(const double *power, size_t points, size_t at, size_t half, double *work)
{
    size_t from = at > half + 1 ? at - half : 1,
           to = at + half + 1 < points ? at + half + 1 : points,
           step = (to - from) / FLOOR_SAMPLES, count = 0;

    step = step > 1 ? step : 1;
    for (size_t k = from; k < to; k += step)
        work[count++] = power[k];
    count -= count > 2 && count % 2 == 0; /* one of them is the median, not the mean of two */
    return fmax(lk_median(work, count) / log(2.0), 1e-9);
}

void lk_spectrum_whiten(const double *power, size_t points, size_t least, double *white,
                        double *work)
{
    size_t from = 1;

    white[0] = 0.0;
    while (from < points) {
        size_t to = lk_whole_size((double)from * WHITE_STEP), at, half;
        double floor_power;

        to = to > from ? to : from + 1;
        to = to < points ? to : points;
        at = (from + to) / 2;
        half = lk_whole_size(WHITE_SHARE * (double)at);
        floor_power = floor_around(power, points, at, half > least ? half : least, work);
        for (size_t k = from; k < to; k++)
            white[k] = power[k] / floor_power;
        from = to;
    }
}

static double larger(double a, double b)
{
    return a > b ? a : b;
}

static double smaller(double a, double b)
{
    return a < b ? a : b;
}

/* The sum from which on -ln p is at least `least`. */
static double sum_needed(const lk_tails *t, size_t h, double least)
{
    size_t n = (size_t)(HARMONICS[h] * WHITE_CAP) * TAIL_STEPS + 1, i = 0;

    while (i < n && t->row[h][i + 1] < least)
        i++;
    return (double)i / TAIL_STEPS;
}

/* The best -ln p of the harmonic sums that begin at point k; 0 = none reaches what it needs. */
static double harmonic_score(const lk_tails *t, const double *white, size_t points, size_t k,
                             const double *needed)
{
    double sum = 0.0, best = 0.0;
    unsigned m = 1;

    for (size_t h = 0; h < HARMONIC_COUNT; h++) {
        for (; m <= HARMONICS[h]; m++)
            sum += k * m < points ? smaller(white[k * m], WHITE_CAP) : 1.0;
        if (sum >= needed[h])
            best = larger(best, tail_of(t->row[h], sum));
    }
    return best;
}

static size_t best_of(const lk_peak *peak, size_t count)
{
    size_t best = 0;

    for (size_t i = 1; i < count; i++)
        if (peak[i].score > peak[best].score)
            best = i;
    return best;
}

/* Leaves those that are another period. */
static size_t leave_others(lk_peak *peak, size_t count, double period_s)
{
    size_t left = 0;

    for (size_t i = 0; i < count; i++)
        if (fabs(peak[i].period_s / period_s - 1.0) > SAME_PERIOD)
            peak[left++] = peak[i];
    return left;
}

size_t lk_spectrum_peaks(const lk_tails *t, const double *white, size_t points,
                         const lk_peak_range *range, lk_peak *out, size_t max, lk_peak *work)
{
    size_t from = lk_whole_size(ceil(range->span_s / range->period_max_s));
    size_t to = lk_whole_size(floor(range->span_s / range->period_min_s)), left = 0, count = 0;
    double needed[HARMONIC_COUNT];

    for (size_t h = 0; h < HARMONIC_COUNT; h++)
        needed[h] = sum_needed(t, h, range->least);
    from = from > 1 ? from : 1;
    to = to < points - 1 ? to : points - 1;
    for (size_t k = from; k <= to && from + 2 <= to; k++) {
        double score = harmonic_score(t, white, points, k, needed);

        if (score > 0.0)
            work[left++] = (lk_peak){ range->span_s / (double)k, score };
    }
    while (count < max && left > 0) {
        out[count] = work[best_of(work, left)];
        left = leave_others(work, left, out[count++].period_s);
    }
    return count;
}
