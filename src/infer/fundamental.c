#include "infer/fundamental.h"

#include "base/whole.h"
#include "infer/spectrum.h"
#include "infer/timing.h"

#include <math.h>
#include <stdlib.h>

#define WORTH 0.75      /* of the highest contrast       */
#define SIGMAS 4.0      /* a contrast below is noise     */
#define HILL_HALF 0.015 /* a hill's top is looked for this far around j p */

#define OWN_POWER 6.0 /* of rounds without a phase in common: e^-6; fewer rounds reach no more ... */
#define OWN_SHARE 0.75 /* ... than their number, of which this share */
#define TWO_PI (2.0 * 3.14159265358979323846)

enum { NUMERATORS = 16, DENOMINATORS = 3, HILLS_MAX = 24 };

typedef struct hills {
    double *acf; /* [n], summed over three bins: a step of 12.33 bins splits over lags 12 and 13 */
    size_t n;
    double bin_s;
} hills;

static double at(const hills *h, double lag)
{
    size_t i = lk_whole_size(lag);

    if (lag >= (double)(h->n - 1))
        return h->acf[h->n - 1];
    return h->acf[i] + (h->acf[i + 1] - h->acf[i]) * (lag - (double)i);
}

static double top_near(const hills *h, double lag, double half)
{
    if (half <= 0.5)
        return at(h, lag);
    return fmax(at(h, lag), fmax(at(h, fmax(lag - half, 0.0)), at(h, lag + half)));
}

static unsigned hill_count(const hills *h, double p)
{
    double fit = (double)h->n * h->bin_s / p / 4.0;

    return lk_whole_u32(fmin(fmax(fit, 1.0), HILLS_MAX));
}

/* Mean height of the hills over the mean of the valleys beside them. */
static double contrast(const hills *h, double p)
{
    double bins = p / h->bin_s, half = HILL_HALF * bins, sum = 0.0;
    unsigned count = hill_count(h, p);

    for (unsigned j = 1; j <= count; j++)
        sum += top_near(h, j * bins, half) - 0.5 * top_near(h, (j - 0.5) * bins, half) -
               0.5 * top_near(h, (j + 0.5) * bins, half);
    sum /= count;
    return sum > SIGMAS * sqrt(4.5 / ((double)h->n * count)) ? sum : -1.0;
}

static int ascending(const void *a, const void *b)
{
    const double *x = a, *y = b;

    return (*x > *y) - (*x < *y);
}

/* Do the rounds of a period share a phase at its own frequency?  Then it is no fraction of its fundamental but
 * by a whole number. */
static bool has_own_power(const double *z, size_t n, double bins)
{
    double re = 0.0, im = 0.0, all_re = 0.0, all_im = 0.0, powers = 0.0, rows = 1.0;

    for (size_t i = 0; i < n; i++) {
        double turn = ((double)i + 0.5) / bins, angle = TWO_PI * (turn - floor(turn));

        if (turn >= rows) {
            powers += re * re + im * im;
            all_re += re;
            all_im += im;
            re = im = 0.0;
            rows += 1.0;
        }
        re += z[i] * cos(angle);
        im += z[i] * sin(angle);
    }
    rows -= 1.0;
    return all_re * all_re + all_im * all_im > fmin(OWN_POWER, OWN_SHARE * rows) * powers;
}

static size_t list_candidates(const hills *h, double period_s, bool is_whole, double *p)
{
    double least = fmax(LK_PERIOD_MIN_S, 2.2 * h->bin_s), most = (double)h->n * h->bin_s / 2.4;
    size_t count = 0;

    for (unsigned q = 1; q <= NUMERATORS; q++)
        for (unsigned k = 1; k <= DENOMINATORS; k++) {
            double c = period_s * q / k;

            if (c >= least && c <= most && !(is_whole && q % k != 0 && q != 1))
                p[count++] = c;
        }
    qsort(p, count, sizeof(*p), ascending);
    return count;
}

static double smallest_worthy(const hills *h, double period_s, bool is_whole)
{
    double p[NUMERATORS * DENOMINATORS], height[NUMERATORS * DENOMINATORS], most = -1.0;
    size_t count = list_candidates(h, period_s, is_whole, p);

    for (size_t i = 0; i < count; i++) {
        height[i] = contrast(h, p[i]);
        most = fmax(most, height[i]);
    }
    for (size_t i = 0; i < count && most > 0.0; i++)
        if (height[i] >= WORTH * most)
            return p[i];
    return period_s;
}

/* Sums of three neighbours; lag 0 counts like lag 1. */
static void smooth(double *acf, size_t n)
{
    double before, here;

    acf[0] = n > 1 ? acf[1] : acf[0];
    before = 0.0;
    for (size_t i = 0; i < n; i++) {
        here = acf[i];
        acf[i] += before + (i + 1 < n ? acf[i + 1] : 0.0);
        before = here;
    }
}

lk_code lk_fundamental_find(const lk_line *part, double period_s, lk_arena *scratch, double *out_s,
                            lk_err *e)
{
    lk_mark mark = lk_arena_mark(scratch);
    float *clipped = LK_NEW(scratch, float, part->n);
    double *z = LK_NEW(scratch, double, part->n);
    hills h = { LK_NEW(scratch, double, part->n), part->n, part->bin_s };
    lk_spectrum *s;

    if (!clipped || !z || !h.acf)
        return lk_fail(e, LK_EOOM, "no memory for an autocorrelation of %zu bins", part->n);
    LK_TRY(lk_spectrum_new(scratch, lk_spectrum_length(2 * part->n), &s, e));
    lk_line_clipped(part, lk_whole_size(rint(20.0 * period_s / part->bin_s)), clipped);
    for (size_t i = 0; i < part->n; i++)
        z[i] = (double)clipped[i];
    LK_TRY(lk_spectrum_acf(s, z, part->n, h.acf, e));
    smooth(h.acf, h.n);
    *out_s = smallest_worthy(&h, period_s, has_own_power(z, part->n, period_s / part->bin_s));
    lk_arena_rewind(scratch, mark);
    return LK_OK;
}
