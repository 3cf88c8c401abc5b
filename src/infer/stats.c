#include "infer/stats.h"

#include <math.h>

#define PI 3.14159265358979323846
#define FEW_OF_MANY 0.1 /* of the comebacks that the caller of one usually has: a stray ... */
#define STRAYS 0.02     /* ... where strays have no more than so many of all               */

double lk_ln_gamma_sf(unsigned m, double s)
{
    double term = 1.0, sum = 1.0;

    s = fmax(s, 1e-12);
    for (unsigned j = 1; j < m; j++) {
        term *= s / j;
        sum += term;
    }
    return -s + log(sum);
}

/* ln Gamma(x), x > 0, by Stirling after shifting past 10 (lgamma writes a global). */
static double ln_gamma(double x)
{
    double shift = 0.0;

    while (x < 10.0) {
        shift += log(x);
        x += 1.0;
    }
    return (x - 0.5) * log(x) - x + 0.5 * log(2.0 * PI) +
           (1.0 / 12.0 - (1.0 / 360.0 - 1.0 / (1260.0 * x * x)) / (x * x)) / x - shift;
}

double lk_ln_align(double k, unsigned m, double s)
{
    double squares = m * (m + 1.0) * (2.0 * m + 1.0) / 6.0;
    double v = fmax(k * m - s, 1e-9) / squares;
    double half = (k - 1.0) / 2.0;

    if (k > 40.0)
        return -1e9;
    return fmin(0.0, 0.5 * log(k) + half * log(PI) - ln_gamma(half + 1.0) + half * log(v) -
                         (k - 1.0) * log(2.0 * PI));
}

double lk_ln_binom_sf(double k, double b, double w, double wb)
{
    double p = 1.25 * w / (1.25 * w + wb), n = k + b, f = n > 0.0 ? k / n : 0.0;

    if (f <= p)
        return 0.0;
    return -n * (f * log(f / p) + (f < 1.0 ? (1.0 - f) * log((1.0 - f) / (1.0 - p)) : 0.0));
}

double lk_h_test(const double *phase, size_t n, unsigned m_max)
{
    double z = 0.0, h = 0.0;

    for (unsigned m = 1; m <= m_max && n > 0; m++) {
        double c = 0.0, s = 0.0;

        for (size_t i = 0; i < n; i++) {
            c += cos(2.0 * PI * m * phase[i]);
            s += sin(2.0 * PI * m * phase[i]);
        }
        z += 2.0 / (double)n * (c * c + s * s);
        h = fmax(h, z - 4.0 * m + 4.0);
    }
    return h;
}

double lk_resultant(const double *phase, size_t n)
{
    double c = 0.0, s = 0.0;

    for (size_t i = 0; i < n; i++) {
        c += cos(2.0 * PI * phase[i]);
        s += sin(2.0 * PI * phase[i]);
    }
    return n > 0 ? hypot(c, s) / (double)n : 0.0;
}

void lk_wilson(double k, double n, double *low, double *high)
{
    const double z = 1.96;
    double p, d, c, h;

    if (n <= 0.0) {
        *low = 0.0;
        *high = 1.0;
        return;
    }
    p = k / n;
    d = 1.0 + z * z / n;
    c = p + z * z / (2.0 * n);
    h = z * sqrt(p * (1.0 - p) / n + z * z / (4.0 * n * n));
    *low = (c - h) / d;
    *high = (c + h) / d;
}

static double middle_of_three(double a, double b, double c)
{
    double low = a < b ? a : b, high = a < b ? b : a;

    return c < low ? low : c < high ? c : high;
}

/* Puts what is below the pivot first (and what equals it, `with` 1), from `lo` on; where the rest begins.  Without a
 * branch on the values: half of such branches are foretold wrong, and that is most of what a selection costs. */
static size_t gather(double *v, size_t lo, size_t hi, double pivot, unsigned with)
{
    size_t at = lo;

    for (size_t i = lo; i <= hi; i++) {
        double t = v[i];

        v[i] = v[at];
        v[at] = t;
        at += (size_t)((t < pivot) | (with & (unsigned)(t == pivot)));
    }
    return at;
}

/* Afterwards v[k] is what a sort would put there and nothing below it is larger. */
static double select_kth(double *v, size_t n, size_t k)
{
    size_t lo = 0, hi = n - 1;

    while (lo < hi) {
        double pivot = middle_of_three(v[lo], v[lo + (hi - lo) / 2], v[hi]);
        size_t from = gather(v, lo, hi, pivot, 0), to;

        if (k < from) {
            hi = from - 1;
            continue;
        }
        to = gather(v, from, hi, pivot, 1);
        if (k < to || to == lo) /* the latter: the pivot is no number */
            return v[k];
        lo = to;
    }
    return v[k];
}

double lk_median(double *v, size_t n)
{
    double upper, lower;

    if (n == 0)
        return (double)NAN;
    upper = select_kth(v, n, n / 2);
    if (n % 2 == 1)
        return upper;
    lower = v[0];
    for (size_t i = 1; i < n / 2; i++)
        lower = fmax(lower, v[i]);
    return (lower + upper) / 2.0;
}

size_t lk_sample_step(size_t n)
{
    size_t step = n / (LK_SAMPLE_MAX / 2);

    return step < 2 ? 1 : step | 1; /* odd: round periods are even numbers of bins */
}

size_t lk_sample(const double *v, size_t n, double *out)
{
    size_t count = 0;

    for (size_t i = 0; i < n; i += lk_sample_step(n))
        out[count++] = v[i];
    return count;
}

/* The mean of the whole multiples of `step` near the middle, `beside` of each left out. */
static double mean_near(const double *v, size_t n, double middle, double step, double beside)
{
    double reach = fmax(1.2 * step, 0.04 * middle), sum = 0.0, weight = 0.0;

    for (long k = lrint((middle - reach) / step); k <= lrint((middle + reach) / step); k++) {
        double count = -beside, total = 0.0, members = 0.0;

        for (size_t i = 0; i < n; i++)
            if (fabs(v[i] / step - (double)k) <= 0.5 && fabs(v[i] - middle) <= reach) {
                total += v[i];
                members += 1.0;
            }
        count += members;
        if (members > 0.0 && count > 0.0) {
            sum += count * total / members;
            weight += count;
        }
    }
    return weight > 0.0 ? sum / weight : middle;
}

double lk_typical(double *v, size_t n, double resolution_s, double beside)
{
    double middle = lk_median(v, n);

    for (int step = 0; resolution_s > 0.05 && step < 10; step++)
        middle = mean_near(v, n, middle, resolution_s, beside);
    return middle;
}

double lk_quantile(double *v, size_t n, double q)
{
    if (n == 0)
        return (double)NAN;
    return select_kth(v, n, (size_t)(fmin(fmax(q, 0.0), 1.0) * (double)(n - 1)));
}

double lk_spread(double *v, size_t n, double middle)
{
    for (size_t i = 0; i < n; i++)
        v[i] = fabs(v[i] - middle);
    return 1.4826 * lk_median(v, n);
}

double lk_vote_least(const double *v, size_t n)
{
    double all = 0.0, square = 0.0, few = 0.0, least;

    for (size_t i = 0; i < n; i++) {
        all += v[i];
        square += v[i] * v[i];
    }
    least = all > 0.0 ? FEW_OF_MANY * square / all : 0.0; /* of what the caller of a comeback usually has */
    for (size_t i = 0; i < n; i++)
        few += v[i] < least ? v[i] : 0.0;
    return least > 1.0 && few <= STRAYS * all ? least : 0.0;
}
