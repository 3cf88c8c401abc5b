#include "infer/asked.h"
#include "base/time.h"
#include "base/whole.h"
#include "model/attempt.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

enum { FACTOR_MIN = 5, FACTOR_MIN_SHORT = 10, HOPS_MIN = 2 };

/* ---- obedience ---- */

struct counts {
    uint64_t early, exact, later;
};

static void count(struct counts *c, int64_t pause_ns, int64_t asked_ns, bool fine)
{
    switch (lk_attempt_obeyed(pause_ns, asked_ns, fine)) {
    case LK_OBEYED_EARLY: c->early++; break;
    case LK_OBEYED_EXACTLY: c->exact++; break;
    case LK_OBEYED_LATER: c->later++; break;
    }
}

static lk_report_obedience shares_of(const struct counts *c)
{
    double n = (double)(c->early + c->exact + c->later), none = (double)NAN;

    if (n <= 0)
        return (lk_report_obedience){ 0, none, none, none, none };
    return (lk_report_obedience){ lk_whole(n), (double)c->exact / n, (double)c->early / n,
                                  (double)c->later / n, none };
}

/* ---- units ---- */

/* A wait of another unit than was asked for, and the slowness of timers. */
static bool is_scaled(const lk_comeback *c, double factor)
{
    double meant = (double)c->asked_ns * factor, pause = (double)c->pause_ns;
    double grain = c->fraction ? 1e6 : 1e9;

    return meant >= 4 * grain && pause >= 0.97 * meant - grain &&
           pause <= 1.25 * meant + 3 * grain;
}

/* A thousandth of a few seconds is not far from at once: there all must agree. */
static double unit_factor(const lk_comeback_set *s, size_t told)
{
    static const double FACTORS[] = { 1e-3, 1e3, 1e-6, 1e6 };

    for (size_t f = 0; f < sizeof(FACTORS) / sizeof(FACTORS[0]); f++) {
        size_t near = 0, is_short = 0;

        for (size_t i = 0; i < s->count; i++) {
            const lk_comeback *c = &s->sample[i];

            if (c->asked_ns <= 0 || !is_scaled(c, FACTORS[f]))
                continue;
            near++;
            is_short += (double)c->asked_ns * FACTORS[f] < 20e6;
        }
        if (2 * is_short > near ? near >= FACTOR_MIN_SHORT && 10 * near >= 9 * told
                                : near >= FACTOR_MIN && 2 * near > told)
            return FACTORS[f];
    }
    return (double)NAN;
}

lk_report_obedience lk_obedience_of(const lk_comeback_set *s)
{
    struct counts c = { 0 };
    lk_report_obedience out;

    for (size_t i = 0; i < s->count; i++)
        if (s->sample[i].asked_ns >= 0)
            count(&c, s->sample[i].pause_ns, s->sample[i].asked_ns, s->sample[i].fraction);
    out = shares_of(&c);
    out.unit_factor = unit_factor(s, (size_t)out.told);
    return out;
}

/* The mistake of most of those that were told, where a fifth of them make one. */
static double common_factor(const lk_report *r)
{
    const lk_report_obedience *worst = NULL;
    int64_t told = 0;

    for (size_t i = 0; i < r->policy_count; i++) {
        const lk_report_obedience *o = &r->policies[i].retry_after;

        told += o->told > 0 ? o->told : 0;
        if (!isnan(o->unit_factor) && (!worst || o->told > worst->told))
            worst = o;
    }
    return worst && 5 * worst->told >= told ? worst->unit_factor : (double)NAN;
}

/* What came after a Retry-After, and soon enough to have to do with it; of one population, or (NULL) of all. */
static struct counts counts_of_steps(const lk_evidence *ev, const uint32_t *population)
{
    struct counts c = { 0 };
    bool fine = ev->resolution_ns < LK_NS_PER_S / 2;

    for (size_t i = 0; i < ev->hop_count; i++) {
        const lk_hop *h = &ev->hops[i];

        if ((!population || h->population == *population) && h->asked_ns > 0 && h->pause_ns >= 0 &&
            h->pause_ns <= 3 * h->asked_ns + LK_NS_PER_S)
            count(&c, h->pause_ns, h->asked_ns, fine);
    }
    return c;
}

size_t lk_asked_steps(const lk_evidence *ev, uint32_t population, size_t *exact)
{
    struct counts c = counts_of_steps(ev, &population);

    *exact = (size_t)c.exact;
    return (size_t)(c.early + c.exact + c.later);
}

/* Where too little was linked: the next step of the caller at the same target.  That half of them come
 * to the second is no luck; else they may be anything. */
static lk_report_obedience of_steps(const lk_evidence *ev)
{
    struct counts c = counts_of_steps(ev, NULL);
    lk_report_obedience out = shares_of(&c);

    if (c.exact < HOPS_MIN || !(out.exact >= 0.5)) {
        c = (struct counts){ 0 };
        out = shares_of(&c);
    }
    return out;
}

/* ---- the share over time ---- */

static lk_code fill_shares(const lk_evidence *ev, lk_arena *arena, lk_report_retry_after *out,
                           lk_err *e)
{
    size_t width = (ev->period_count + LK_ASKED_SHARES - 1) / LK_ASKED_SHARES;
    double *shares = LK_NEW(arena, double, LK_ASKED_SHARES);

    if (!shares)
        return lk_fail(e, LK_EOOM, "no memory for Retry-After over time");
    for (size_t i = 0; i < ev->period_count; i += width) {
        uint64_t rejected = 0, told = 0;

        for (size_t k = i; k < i + width && k < ev->period_count; k++) {
            rejected += ev->periods[k].rejected;
            told += ev->periods[k].told;
        }
        shares[out->share_count++] = rejected ? (double)told / (double)rejected : (double)NAN;
    }
    out->shares = shares;
    out->share_from_ns = ev->periods_from_ns;
    out->share_bin_s = (double)width * (double)ev->period_ns / 1e9;
    return LK_OK;
}

/* ---- what it means ---- */

static double percent(int64_t part, int64_t whole)
{
    return whole > 0 ? 100 * (double)part / (double)whole : 0;
}

static lk_code find(lk_report_retry_after *a, const char *sentence, lk_err *e)
{
    if (!sentence)
        return lk_fail(e, LK_EOOM, "no memory for what Retry-After does");
    if (a->finding_count < LK_ASKED_FINDINGS)
        a->findings[a->finding_count++] = sentence;
    return LK_OK;
}

/* The value that a retry clock ticks by, where most answers have it; NULL = there is none. */
static const lk_report_asked *clock_value(const lk_report *r)
{
    const lk_report_retry_after *a = &r->retry_after;

    for (size_t i = 0; i < r->clock_count; i++) {
        const lk_report_clock *c = &r->clocks[i];
        double delay = isnan(c->delay_s) ? c->period_s : c->delay_s;

        for (size_t k = 0; strcmp(c->kind, "retry") == 0 && k < a->value_count; k++)
            if (10 * a->values[k].count >= a->with_header &&
                fabs(delay - a->values[k].value_s) <= fmax(0.025 * delay, 0.02))
                return &a->values[k];
    }
    return NULL;
}

static lk_code on_herd(lk_arena *arena, lk_report *r, lk_err *e)
{
    lk_report_retry_after *a = &r->retry_after;
    const lk_report_asked *v = clock_value(r);

    if (!(a->obedience.exact >= 0.3) || !v)
        return LK_OK;
    return find(
        a,
        lk_arena_printf(
            arena,
            "It is obeyed, and that is why it is a herd: %.0f %% of the comebacks come exactly "
            "when they were told, and %.0f %% of the answers say the same %.6g s. The constant is "
            "the server's, not the callers': let the server spread the values that it hands out, "
            "and callers add jitter on top of them",
            100 * a->obedience.exact, percent(v->count, a->with_header), v->value_s),
        e);
}

static lk_code on_obedience(lk_arena *arena, lk_report_retry_after *a, lk_err *e)
{
    const lk_report_obedience *o = &a->obedience;

    if (!isnan(o->unit_factor))
        LK_TRY(find(a,
                    lk_arena_printf(arena,
                                    "Callers wait %g times what they were told: %s",
                                    o->unit_factor,
                                    o->unit_factor < 1
                                        ? "seconds are read as milliseconds or smaller"
                                        : "milliseconds or smaller are read as seconds"),
                    e));
    else if (o->early >= 0.1)
        LK_TRY(find(a,
                    lk_arena_printf(arena,
                                    "%.0f %% of the comebacks come before the time that they were "
                                    "told: their callers ignore the header, and are refused again",
                                    100 * o->early),
                    e));
    if (o->spread >= 0.5)
        LK_TRY(find(a,
                    lk_arena_printf(arena,
                                    "%.0f %% of the comebacks come some time after what they were "
                                    "told: the value is taken as a floor, as it should be",
                                    100 * o->spread),
                    e));
    return LK_OK;
}

static lk_code on_values(lk_arena *arena, lk_report_retry_after *a, lk_err *e)
{
    if (a->zero + a->past > 0)
        LK_TRY(find(a,
                    lk_arena_printf(arena,
                                    "%" PRId64 " of the answers say 0 or a date that is over: "
                                    "come back at once, to a server that refuses",
                                    a->zero + a->past),
                    e));
    if (a->malformed > 0)
        LK_TRY(find(a,
                    lk_arena_printf(arena,
                                    "%" PRId64 " carry a value that is neither seconds nor a date"
                                    "%s: callers fall back on a delay of their own",
                                    a->malformed,
                                    a->negative == a->malformed ? " but a negative number"
                                    : a->negative > 0           ? " (some a negative number)"
                                                                : ""),
                    e));
    if (a->fraction > 0)
        LK_TRY(find(a,
                    lk_arena_printf(arena,
                                    "%" PRId64 " ask for a broken number of seconds, which the "
                                    "standard does not know: some callers ignore it",
                                    a->fraction),
                    e));
    if (a->date > 0)
        LK_TRY(find(a,
                    lk_arena_printf(arena,
                                    "%" PRId64 " name a date: all that were told the same second "
                                    "come back in that second",
                                    a->date),
                    e));
    if (a->with_header < a->rejections && percent(a->with_header, a->rejections) >= 1)
        LK_TRY(find(a,
                    lk_arena_printf(arena,
                                    "%.0f %% of the rejections say nothing: their callers wait by "
                                    "a delay of their own",
                                    100 - percent(a->with_header, a->rejections)),
                    e));
    return LK_OK;
}

lk_code lk_infer_asked(const lk_evidence *ev, lk_arena *arena, lk_report *r, lk_err *e)
{
    lk_report_retry_after *a = &r->retry_after;

    if (a->with_header == 0 && a->rejections > 0 && ev->asked_is_logged)
        return find(a,
                    "The log has a place for Retry-After, and no rejection carried one: callers wait "
                    "by a delay of their own",
                    e);
    if (a->with_header <= 0)
        return LK_OK;
    if (a->obedience.told <= 0)
        a->obedience = of_steps(ev);
    a->obedience.unit_factor = common_factor(r);
    if (ev->period_count && ev->period_ns > 0)
        LK_TRY(fill_shares(ev, arena, a, e));
    LK_TRY(on_herd(arena, r, e));
    LK_TRY(on_obedience(arena, a, e));
    return on_values(arena, a, e);
}
