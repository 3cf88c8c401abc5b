#include "sim/study.h"

#include <assert.h>
#include <math.h>

/* clang-format off */
const lk_study LK_STUDIES[] = {
    { "S1", "Synchronised backoff: a saturation test and its tail",        lk_study_saturation },
    { "S2", "The cap is doing the work: backoff under contention",         lk_study_contention },
    { "S3", "Backoff with jitter for webhooks: outage and recovery",       lk_study_webhooks },
    { "S4", "Backoff and jitter: a fleet against its allowance",           lk_study_fleet },
    { "S5", "Ten thousand clients, one recovery",                          lk_study_lab },
    { .name = NULL },
};
/* clang-format on */

const char *lk_figure_verdict_name(lk_figure_verdict v)
{
    static const char *const NAMES[] = { "holds", "does-not-hold", "cannot-hold" };

    return NAMES[v];
}

static void add(lk_figures *f, const char *name, double claimed, const lk_estimate *got,
                double allowed, const char *why_not, lk_figure_verdict otherwise)
{
    double error = isnan(got->error) ? 0 : got->error;
    bool holds = fabs(got->mean - claimed) <= allowed + 3 * error ||
                 (isinf(claimed) && isnan(got->mean)); /* "never", and it never happened */

    assert(f->count < LK_FIGURES);
    f->items[f->count++] = (lk_figure){ name, claimed, *got, holds ? LK_FIGURE_HOLDS : otherwise,
                                        holds ? NULL : why_not };
}

void lk_figure_add(lk_figures *f, const char *name, double claimed, const lk_estimate *got,
                   double allowed, const char *why_not)
{
    add(f, name, claimed, got, allowed, why_not, LK_FIGURE_DOES_NOT_HOLD);
}

void lk_figure_add_impossible(lk_figures *f, const char *name, double claimed,
                              const lk_estimate *got, double allowed, const char *why_not)
{
    add(f, name, claimed, got, allowed, why_not, LK_FIGURE_CANNOT_HOLD);
}

lk_estimate lk_exactly(double value)
{
    return (lk_estimate){ value, (double)NAN, 0, 1 };
}
