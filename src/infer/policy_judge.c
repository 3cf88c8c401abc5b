#include "infer/policy_judge.h"
#include "infer/policy_shape.h"
#include "infer/policy_starts.h"

#include <assert.h>
#include <math.h>
#include <string.h>

enum { ENOUGH = 12, ENOUGH_TOLD = 3, ENOUGH_TOLD_COARSE = 6, ENOUGH_TOLD_LARGE = 4, CAPPED_MIN = 3, MANY = 20 };

const char *lk_policy_flag_name(unsigned i)
{
    static const char *const NAMES[LK_FLAGS] = {
        "cap-binding",        "zero-spike",   "identical-draws",
        "draw-reused",        "ignores-retry-after", "no-cap",
        "deterministic-backoff", "attempt-counter-reset", "no-jitter-on-first",
        "regime-change",      "retries-after-client-left", "retries-non-retryable",
    };

    return NAMES[i];
}

static bool is(const lk_policy *p, const char *name)
{
    return p && strcmp(p->name, name) == 0;
}

static bool is_point(const lk_policy *p)
{
    return is(p, "fixed") || is(p, "exponential") || is(p, "immediate");
}

static bool is_told(const lk_policy *p)
{
    return p && strncmp(p->name, "retry-after", 11) == 0;
}

/* ---- what is fitted ---- */

/* A copy of the places that `wanted` says, thinned to at most `most`. */
static lk_code choose(const lk_delay_set *d, const bool *wanted, size_t most, lk_arena *scratch,
                      lk_delay_set *out, lk_err *e)
{
    double *delay = LK_NEW(scratch, double, 3 * d->n + 1);
    unsigned *retry = LK_NEW(scratch, unsigned, d->n + 1);
    uint64_t *caller = LK_NEW(scratch, uint64_t, d->n + 1);
    size_t *place = LK_NEW(scratch, size_t, d->n + 1), all = 0, take;

    if (!delay || !retry || !caller || !place)
        return lk_fail(e, LK_EOOM, "no memory to choose from %zu delays", d->n);
    for (size_t i = 0; i < d->n; i++)
        if (wanted[i])
            place[all++] = i;
    take = all < most ? all : most;
    for (size_t n = 0; n < take; n++) {
        size_t i = place[lk_thinned(n, all, take)];

        delay[n] = d->delay_s[i];
        delay[d->n + n] = d->previous_s[i];
        delay[2 * d->n + n] = d->asked_s[i];
        caller[n] = d->caller ? d->caller[i] : i;
        retry[n] = d->retry[i];
    }
    *out = *d;
    out->n = take;
    out->delay_s = delay;
    out->previous_s = delay + d->n;
    out->asked_s = delay + 2 * d->n;
    out->retry = retry;
    out->caller = caller;
    return LK_OK;
}

/* Linked by inference, a call that gave up may go on with the caller's next one.  Few do: where the retries that
 * go on to another one fall to a quarter of what they were before, the calls end.  0: they do not. */
static unsigned merged_from(const lk_delay_set *d)
{
    size_t n[LK_RETRIES_MAX] = { 0 };

    if (!d->is_linked)
        return 0;
    for (size_t i = 0; i < d->n; i++)
        n[d->retry[i]]++;
    for (unsigned k = 1; k + 1 < LK_RETRIES_MAX && n[k] >= MANY; k++)
        if (4 * n[k + 1] * n[k - 1] < n[k] * n[k])
            return k + 1;
    return 0;
}

static lk_code cut_merged(const lk_delay_set *d, unsigned from, lk_arena *scratch, lk_delay_set *out,
                          lk_err *e)
{
    bool *wanted = LK_NEW(scratch, bool, d->n + 1);

    if (!wanted)
        return lk_fail(e, LK_EOOM, "no memory to choose from %zu delays", d->n);
    for (size_t i = 0; i < d->n; i++)
        wanted[i] = d->retry[i] < from;
    return choose(d, wanted, d->n, scratch, out, e);
}

/* Those before the break; of these either those that were told how long to wait or those that were
 * not, whichever are more: a caller that obeys follows two rules. */
static lk_code to_fit(const lk_delay_set *d, unsigned regime_from, lk_arena *scratch,
                      lk_delay_set *out, lk_err *e)
{
    bool *wanted = LK_NEW(scratch, bool, d->n + 1);
    size_t told = 0, all = 0;

    if (!wanted)
        return lk_fail(e, LK_EOOM, "no memory to choose from %zu delays", d->n);
    for (size_t i = 0; i < d->n; i++) {
        wanted[i] = !regime_from || d->retry[i] < regime_from;
        all += wanted[i];
        told += wanted[i] && !isnan(d->asked_s[i]);
    }
    for (size_t i = 0; told && i < d->n; i++)
        wanted[i] = wanted[i] && isnan(d->asked_s[i]) == (2 * told < all);
    LK_TRY(choose(d, wanted, LK_FIT_DELAYS_MAX, scratch, out, e));
    out->asked_is_logged |= told > 0;
    return LK_OK;
}

/* ---- the choice ---- */

static const lk_policy_fitted *find(const lk_policy_fitted *fits, size_t count, const char *name)
{
    for (size_t i = 0; i < count; i++)
        if (is(fits[i].model.policy, name))
            return &fits[i];
    return NULL;
}

static const lk_policy_fitted *next_to(const lk_policy_fitted *fits, size_t count,
                                       const lk_policy_fitted *best)
{
    for (size_t i = 0; i < count; i++)
        if (&fits[i] != best)
            return &fits[i];
    return NULL;
}

/* Where the delays of the retries from `from` on end, a few strangers aside. */
static double upper(const lk_outline *o, unsigned from, double grain)
{
    double most = 0;

    for (size_t i = 0; i < o->count; i++)
        if (o->retry[i] >= from)
            most = fmax(most, o->top[o->retry[i]]);
    return fmax(most, grain / 2);
}

/* A constant that is the value that was asked, give or take slow timers. */
static bool is_as_asked(const lk_policy_fitted *f, const lk_delay_set *d)
{
    double base = f->model.params.base_s;
    size_t near = 0;

    if (!is(f->model.policy, "fixed"))
        return false;
    for (size_t i = 0; i < d->n; i++)
        near += fabs(base - d->asked_s[i]) <= fmax(0.04, fmax(0.5 * d->grain_s, 0.01 * base));
    return 10 * near > 9 * d->n;
}

/* A coincidence with a value that was logged is no luck. */
static const lk_policy_fitted *prefer_told(const lk_policy_fitted *fits, size_t count,
                                           const lk_delay_set *d)
{
    const lk_policy_fitted *exact = find(fits, count, "retry-after-exact");

    if (exact && is_as_asked(&fits[0], d))
        return exact;
    for (size_t i = 0; i < count; i++)
        if (is_told(fits[i].model.policy) && fits[i].cost - fits[0].cost < 6)
            return &fits[i];
    return &fits[0];
}

/* The simpler name where the wider one says nothing that the log can show. */
static const lk_policy_fitted *prefer_simple(const lk_policy_fitted *fits, size_t count,
                                             const lk_policy_fitted *best, double grain,
                                             double most_s)
{
    const lk_policy_params *p = &best->model.params;
    const lk_policy_fitted *simple = find(fits, count, p->factor > 1 ? "exponential" : "fixed");
    double width = p->jitter * p->base_s;

    if (is(best->model.policy, "percent-jitter") && simple && simple->match.support > 0.9 &&
        width < fmax(grain >= 0.5 ? 1.5 * grain : 0, 0.01) && simple->cost - best->cost < 6)
        return simple;
    simple = find(fits, count, "equal-jitter");
    if (is(best->model.policy, "percent-jitter") && simple && p->jitter > 0.28 &&
        p->jitter < 0.4 && simple->cost - best->cost < 5)
        return simple; /* half and half, in the words that people use */
    simple = find(fits, count, "immediate");
    if (simple && most_s < 0.03 && simple->match.support > 0.9 && simple->cost - best->cost < 10)
        return simple;
    if (is(best->model.policy, "fixed") && p->base_s < fmax(0.02, 0.3 * grain) &&
        isnan(best->model.first_s))
        return find(fits, count, "immediate");
    return best;
}

/* The runner-up says the same in other words: a point with a trace of width, half a window. */
static bool are_close(const lk_policy_fitted *best, const lk_policy_fitted *second)
{
    const lk_policy *a = best->model.policy, *b = second->model.policy;
    const lk_policy_params *p = &second->model.params;

    if (is_point(a))
        return is_point(b) || is(b, "percent-jitter") || best->match.support > 0.9;
    if (is(a, "percent-jitter"))
        return is(b, "fixed");
    return is(a, "equal-jitter") && is(b, "percent-jitter") && p->jitter > 0.24 && p->jitter < 0.43;
}

/* Windows that the stamps cannot show. */
static bool is_too_fine(const lk_policy_fitted *f, const lk_delay_set *d, const lk_outline *o)
{
    const lk_policy *p = f->model.policy;
    unsigned middle = o->count ? o->retry[o->count / 2] : 0;

    if (d->grain_s < 0.5 || is_told(p))
        return false;
    if (is(p, "immediate")) /* with much lag, half a second looks like it */
        return f->lag_s > 0.2;
    if (is(p, "decorrelated-jitter") && f->model.params.base_s < 0.1 * d->grain_s)
        return true;
    return upper(o, is_point(p) ? 0 : middle, d->grain_s) <
           (is_point(p) ? 1.4 : 2.4) * d->grain_s;
}

static bool has_asked(const lk_delay_set *d)
{
    for (size_t i = 0; i < d->n; i++)
        if (!isnan(d->asked_s[i]))
            return true;
    return false;
}

/* A value of several grains that is met is no luck; one of a grain or two may be. */
static size_t enough_told(const lk_delay_set *d)
{
    size_t large = 0;

    if (d->grain_s < 0.5)
        return ENOUGH_TOLD;
    for (size_t i = 0; i < d->n; i++)
        large += d->asked_s[i] >= 4 * d->grain_s;
    return large == d->n ? ENOUGH_TOLD_LARGE : ENOUGH_TOLD_COARSE;
}

static bool is_enough(const lk_policy *p, const lk_delay_set *d)
{
    return d->n >= (is_told(p) ? enough_told(d) : ENOUGH);
}

/* A cap that only the first windows know is a constant window. */
static void simplify(lk_policy_model *m, unsigned last_retry)
{
    lk_policy_params *p = &m->params;

    if (is_told(m->policy) || !(m->policy->uses & LK_USES_FACTOR))
        return;
    if (p->cap_s < 1.3 * p->base_s || last_retry == 0) {
        p->base_s = fmin(p->base_s, p->cap_s);
        p->factor = 1;
        p->cap_s = (double)INFINITY;
    } else if (p->factor <= 1 || p->base_s * pow(p->factor, last_retry) < 0.97 * p->cap_s) {
        p->cap_s = (double)INFINITY;
    }
}

/* Half of a constant window and jitter on the other half, or a hint that nobody logged with jitter
 * on top: the log does not say. */
static bool is_hidden_hint(const lk_policy_fitted *f, const lk_delay_set *d, unsigned last_retry)
{
    lk_policy_model m = f->model;

    if (has_asked(d) || d->asked_is_logged)
        return false;
    simplify(&m, last_retry);
    return m.params.factor <= 1 &&
           (is(m.policy, "equal-jitter") || (is(m.policy, "percent-jitter") && m.params.jitter > 0.27));
}

static bool is_known(const lk_policy_fitted *best, const lk_policy_fitted *second,
                     const lk_delay_set *d, const lk_outline *o, bool holds_service)
{
    const lk_policy *p = best->model.policy;

    if (!is_enough(p, d) || best->match.support < 0.6 ||
        best->match.distance > (d->grain_s < 0.5 && (is_point(p) || is_told(p)) ? 1.6 : 1) || (!is_point(p) && !is_told(p) && best->match.callers > 4.5))
        return false;
    if (second && second->cost - best->cost <= 5 && !is_told(p) &&
        !are_close(best, second))
        return false;
    if (is(p, "percent-jitter") && holds_service)
        return false;
    return !is_too_fine(best, d, o) && !is_hidden_hint(best, d, o->last_retry);
}

/* ---- flags ---- */

/* What the cap explains, in nats, of the retries that would reach past it; 0 where fewer than three do. */
static lk_code cap_gain(const lk_policy_fitted *f, const lk_delay_set *d, lk_arena *scratch,
                        double *gain, lk_err *e)
{
    const lk_policy_params *p = &f->model.params;
    lk_policy_model uncapped = f->model;
    unsigned shift = f->model.starts_after_first ? 1 : 0;
    lk_noise *noise;
    size_t past = 0;

    *gain = 0;
    for (size_t i = 0; i < d->n; i++)
        past += is(f->model.policy, "decorrelated-jitter")
                    ? d->retry[i] > 1
                    : d->retry[i] > shift && p->base_s * pow(p->factor, d->retry[i] - shift) >
                                                 p->cap_s + fmax(0.1 * p->cap_s, 0.5 * d->grain_s);
    if (past < CAPPED_MIN)
        return LK_OK;
    uncapped.params.cap_s = (double)INFINITY;
    LK_TRY(lk_noise_new(scratch, d->grain_s, f->lag_s, &noise, e));
    *gain = lk_policy_log_likelihood(&f->model, d, noise) -
            lk_policy_log_likelihood(&uncapped, d, noise);
    return LK_OK;
}

/* A cap that the last delay only just meets may be none: it is not reported.  One that explains more than ten
 * nats, at two retries that reach well past it, binds. */
static lk_code note_cap(const lk_policy_fitted *f, const lk_delay_set *d, const lk_outline *o,
                        lk_arena *scratch, lk_policy_verdict *out, lk_err *e)
{
    const lk_policy_params *p = &f->model.params;
    double gain;
    size_t past = 0;

    if (!(f->model.policy->uses & LK_USES_CAP) || is_told(f->model.policy) || !isfinite(p->cap_s))
        return LK_OK;
    LK_TRY(cap_gain(f, d, scratch, &gain, e));
    if (gain < 3 && p->cap_s >= 1.3 * p->base_s && !is(f->model.policy, "decorrelated-jitter"))
        out->model.params.cap_s = (double)INFINITY;
    for (size_t i = 0; i < o->count; i++)
        past += is(f->model.policy, "decorrelated-jitter")
                    ? o->retry[i] > 1
                    : p->base_s * pow(p->factor, o->retry[i]) > 1.5 * p->cap_s;
    if (past >= 2 && gain > 10 && p->cap_s >= 1.3 * p->base_s) /* below: a constant window */
        out->flags |= LK_FLAG_CAP_BINDING;
    return LK_OK;
}

/* More delays near zero than the policy draws. */
static void note_zero(const lk_policy_fitted *f, const lk_delay_set *d, lk_policy_verdict *out)
{
    double below = fmax(0.02, d->grain_s / 2), seen = 0, meant = 0;

    if (d->grain_s >= 0.5 || is(f->model.policy, "immediate"))
        return;
    for (size_t i = 0; i < d->n; i++) {
        lk_spread s = lk_policy_model_spread(&f->model, d, i);
        double width = s.high_s - s.low_s;

        seen += d->delay_s[i] < below;
        if (isnan(f->model.first_s) || d->retry[i] > 0)
            meant += width > 0 ? fmin(1, fmax(0, (below - s.low_s) / width)) : s.low_s < below;
    }
    if (seen - meant > 0.1 * (double)d->n)
        out->flags |= LK_FLAG_ZERO_SPIKE;
}

static double width_at(const lk_policy_model *m, unsigned retry)
{
    lk_wait w = { retry, m->params.base_s, -1 };
    lk_spread s = m->policy->spread(&m->params, &w);

    return fmin(s.high_s, s.most_s) - s.low_s;
}

/* Later retries are spread; the first one, all at one delay, is not.  On coarse stamps a first window of a second or
 * two would look so, too. */
static void note_first(const lk_policy_fitted *f, const lk_delay_set *d, const lk_outline *o,
                       lk_policy_verdict *out)
{
    double tight = fmax(1.1 * d->grain_s, 0.02);

    if (!isnan(f->model.first_s) && !is_point(f->model.policy) && o->spread[0] <= tight &&
        width_at(&f->model, 1) > 2 * tight && (d->grain_s < 0.5 || width_at(&f->model, 0) > 2 * tight))
        out->flags |= LK_FLAG_NO_JITTER_ON_FIRST;
}

static void note_ignored(const lk_delay_set *d, const lk_policy *p, lk_policy_verdict *out)
{
    size_t told = 0, early = 0;

    for (size_t i = 0; i < d->n; i++) {
        double slack = fmax(1.01 * d->grain_s, 0.02);

        if (isnan(d->asked_s[i]) || d->asked_s[i] <= slack)
            continue;
        told++; /* who waits a thousandth obeys after a fashion, one side means milliseconds: unit_factor says so */
        early += d->delay_s[i] < d->asked_s[i] - slack &&
                 !(d->asked_s[i] >= 1000 * slack &&
                   fabs(d->delay_s[i] - d->asked_s[i] / 1000) <= fmax(slack, 0.02 * d->asked_s[i] / 1000));
    }
    if (told >= 5 && 2 * early > told && !is_told(p))
        out->flags |= LK_FLAG_IGNORES_RETRY_AFTER;
}

static size_t callers_of(const lk_judged_set *set)
{
    size_t n = 0;

    for (size_t i = 0; i < set->delays.n; i++)
        n += i == 0 || set->caller[i] != set->caller[i - 1];
    return n;
}

/* ---- all together ---- */

static bool mostly(const bool *x, size_t n)
{
    size_t yes = 0;

    for (size_t i = 0; i < n; i++)
        yes += x[i];
    return 10 * yes > 3 * n;
}

/* Of which `slack` is the relative error. */
static bool is_common_growth(double f, double slack)
{
    return fabs(lk_common_growth(f, 1) - f) <= fmax(0.015, slack) * f;
}

/* How far the median of equal delays may lie from the delay. */
static double blur(const lk_delay_set *d, double delay_s)
{
    return fmax(fmax(0.6 * d->grain_s, 0.02), 0.02 * delay_s);
}

/* Does the schedule that was fitted meet the delays without the help of lag? */
static bool is_met(const lk_policy_fitted *f, const lk_outline *o, const lk_delay_set *d)
{
    for (size_t i = 0; i < o->count; i++) {
        lk_wait w = { o->retry[i], -1, -1 };
        double seen = o->median[o->retry[i]];

        if (fabs(f->model.policy->spread(&f->model.params, &w).low_s - seen) > blur(d, seen))
            return false;
    }
    return true;
}

/* Do the first rows grow evenly, or as a power of the attempt's number?  Four places, of which two fix the rule; more
 * where the stamps blur them. */
static bool is_rule(const lk_outline *o, const lk_delay_set *d, size_t rows)
{
    double even = 0, power = 0, first, last, from, to;

    if (rows < (d->grain_s < 0.5 ? 4 : 5))
        return false;
    first = o->retry[0] + 1.0;
    last = o->retry[rows - 1] + 1.0;
    from = o->median[o->retry[0]];
    to = o->median[o->retry[rows - 1]];
    if (!(from > 0) || to - from < 6 * d->grain_s)
        return false;
    for (size_t i = 1; i + 1 < rows; i++) {
        double at = o->retry[i] + 1.0, seen = o->median[o->retry[i]], slack = blur(d, seen);

        even = fmax(even, fabs(seen - from - (to - from) * (at - first) / (last - first)) / slack);
        power = fmax(power, fabs(seen - from * pow(to / from, log(at / first) / log(last / first))) / slack);
    }
    return even < 1 || power < 1;
}

/* Delays that are the same for everybody by a rule that is no row of the table, as far as no cap cuts them: the last
 * one that grew may be the cap's. */
static bool is_schedule(const lk_outline *o, const lk_delay_set *d)
{
    size_t rows = 0;

    while (rows < o->count && (!rows || o->median[o->retry[rows]] > o->median[o->retry[rows - 1]] +
                                                                        blur(d, o->median[o->retry[rows]])))
        rows++;
    return is_rule(o, d, rows) || (rows && rows < o->count && is_rule(o, d, rows - 1));
}

static bool is_forked(const lk_policy_fitted *best, double spread_s, const lk_outline *o,
                      const lk_delay_set *d)
{
    double narrow = 4 * fmax(spread_s, fmax(d->grain_s, 0.02)), wide = 0;

    if (best->match.support < 0.8)
        return true;
    if (is(best->model.policy, "exponential") && o->count <= 4 &&
        !is_common_growth(best->model.params.factor,
                          d->grain_s / best->model.params.base_s / (2.0 * (double)o->count)))
        return true; /* three constants that nobody would type */
    if (is(best->model.policy, "full-jitter") || is(best->model.policy, "equal-jitter") ||
        is(best->model.policy, "percent-jitter"))
        wide = width_at(&best->model, o->count ? o->retry[o->count / 2] : 0);
    return wide > narrow;
}

static lk_code conclude(const lk_judged_set *set, const lk_delay_set *d,
                        const lk_policy_fitted *fits, size_t count, bool shared, double spread_s,
                        lk_arena *scratch, lk_policy_verdict *out, lk_err *e)
{
    const lk_policy_fitted *best, *second;
    bool reused = out->flags & LK_FLAG_DRAW_REUSED, scheduled;
    lk_outline o;

    LK_TRY(lk_outline_draw(d, scratch, &o, e));
    best = prefer_simple(fits, count, prefer_told(fits, count, d), d->grain_s, upper(&o, 0, d->grain_s));
    assert(best); /* nobody concludes from no fit */
    second = next_to(fits, count, best);
    out->model = best->model;
    out->lag_s = best->lag_s;
    out->fitted = d->n;
    out->log_likelihood = best->match.log_likelihood;
    out->support = best->match.support;
    out->distance = best->match.distance;
    out->callers = best->match.callers;
    out->runner_up = second ? second->model.policy : NULL;
    scheduled = shared && !reused && is_schedule(&o, d);
    if (shared && !reused && !scheduled && !is_told(best->model.policy) && is_forked(best, spread_s, &o, d)) {
        out->policy = lk_policy_find("full-jitter");
        out->model = (lk_policy_model){ .first_s = (double)NAN };
        out->support = (double)NAN;
        out->flags |= LK_FLAG_IDENTICAL_DRAWS;
        return LK_OK;
    }
    if (is_known(best, second, d, &o, !reused && mostly(set->holds_service, set->delays.n)))
        out->policy = best->model.policy;
    if (scheduled && is(out->policy, "exponential") && isnan(best->model.first_s) && !is_met(best, &o, d))
        out->policy = NULL; /* evenly growing delays, that lag stretched into an exponential */
    if (!reused && best->match.support > 0.7)
        note_zero(best, d, out);
    if (scheduled && !out->policy && !is_told(best->model.policy) && callers_of(set) >= 8)
        out->flags |= LK_FLAG_DETERMINISTIC;
    if (reused || !out->policy)
        return LK_OK;
    LK_TRY(note_cap(best, d, &o, scratch, out, e));
    note_first(best, d, &o, out);
    if (is(out->policy, "exponential") && best->match.support > 0.8 &&
        callers_of(set) >= 8)
        out->flags |= LK_FLAG_DETERMINISTIC;
    return LK_OK;
}

lk_code lk_policy_judge(const lk_judged_set *set, lk_arena *scratch, lk_policy_verdict *out,
                        lk_err *e)
{
    lk_policy_fitted fits[LK_FITS_MAX];
    lk_delay_set reused, whole, fit;
    const lk_delay_set *d = &set->delays;
    double spread_s;
    bool found, shared;
    size_t count;

    *out = (lk_policy_verdict){ .support = (double)NAN, .model.first_s = (double)NAN };
    if (d->n < ENOUGH_TOLD)
        return LK_OK;
    out->merged_from = merged_from(d);
    if (out->merged_from) {
        LK_TRY(cut_merged(d, out->merged_from, scratch, &whole, e));
        d = &whole;
    }
    LK_TRY(lk_shape_reused(set, scratch, &reused, &found, e));
    LK_TRY(lk_shape_is_shared(d, scratch, &shared, &spread_s, e));
    if (found) {
        out->flags |= LK_FLAG_DRAW_REUSED;
        d = &reused;
        reused.asked_is_logged = true; /* a draw of its own for every caller is no hint of a server */
    } else {
        LK_TRY(lk_shape_collapse(d, scratch, &out->regime_from, e));
        if (out->regime_from)
            out->flags |= LK_FLAG_REGIME_CHANGE;
    }
    LK_TRY(to_fit(d, out->regime_from, scratch, &fit, e));
    LK_TRY(lk_policy_fit(&fit, scratch, fits, &count, e));
    if (!count)
        return LK_OK;
    LK_TRY(conclude(set, &fit, fits, count, shared, spread_s, scratch, out, e));
    note_ignored(&set->delays, out->policy, out);
    if (out->model.policy) {
        unsigned last = 0;

        if (out->model.first_s <= 0 && !out->model.starts_after_first) {
            out->model.starts_after_first = true; /* the first wait that is one */
            out->model.params.base_s *= out->model.params.factor;
        }

        for (size_t i = 0; i < fit.n; i++)
            last = fit.retry[i] > last ? fit.retry[i] : last;
        simplify(&out->model, last);
    }
    return LK_OK;
}
