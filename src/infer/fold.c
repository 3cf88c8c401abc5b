#include "infer/fold.h"

#include "base/time.h"
#include "base/whole.h"

#include <math.h>

enum { PHASES_LEAST = 4 };

/* Whole seconds are taken off first: their product with a period would lose digits. */
static double phase_of(int64_t at_ns, double period_s)
{
    double phase =
        fmod((double)(at_ns / LK_NS_PER_S), period_s) + (double)(at_ns % LK_NS_PER_S) * 1e-9;

    return fmod(phase + period_s, period_s);
}

static size_t bin_at(const lk_series *s, int64_t at_ns)
{
    int64_t bin = (at_ns - s->start_ns) / s->bin_ns;

    return bin < 0 ? 0 : (uint64_t)bin < s->n ? (size_t)bin : s->n;
}

/* Where counts end up is the middle of their bin. */
static void fold(const lk_series *s, const lk_report_clock *c, uint32_t *all, uint32_t *rejected)
{
    size_t to = bin_at(s, c->end_ns) + 1;

    for (size_t i = bin_at(s, c->start_ns); i < to && i < s->n; i++) {
        int64_t at = s->start_ns + (int64_t)i * s->bin_ns + s->bin_ns / 2;
        size_t k = lk_whole_size(phase_of(at, c->period_s) / c->period_s * (double)c->phase_count);

        k = k < c->phase_count ? k : c->phase_count - 1;
        all[k] += s->all[i];
        rejected[k] += s->rejected[i];
    }
}

lk_code lk_fold(const lk_series *s, lk_report_clock *c, lk_arena *a, lk_err *e)
{
    double bins = floor(c->period_s * 1e9 / (double)s->bin_ns + 1e-6);
    uint32_t *all, *rejected;

    if (bins < PHASES_LEAST || c->start_ns == LK_TIME_NONE || c->end_ns == LK_TIME_NONE)
        return LK_OK;
    c->phase_count = bins < LK_PHASE_MAX ? lk_whole_size(bins) : LK_PHASE_MAX;
    all = LK_NEW(a, uint32_t, c->phase_count);
    rejected = LK_NEW(a, uint32_t, c->phase_count);
    if (!all || !rejected)
        return lk_fail(e, LK_EOOM, "no memory for %zu phases", c->phase_count);
    fold(s, c, all, rejected);
    c->phase_all = all;
    c->phase_rejected = rejected;
    return LK_OK;
}
