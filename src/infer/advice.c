/* What to change first: each line from something that was found, none without. */
#include "infer/advice.h"

#include <math.h>
#include <string.h>

enum { CROWD = 100 };

static lk_code advise(lk_report *r, const char *action, double value, const char *unit,
                      const char *why, lk_err *e)
{
    if (!why)
        return lk_fail(e, LK_EOOM, "no memory for advice");
    if (r->advice_count < LK_ADVICE_MAX) {
        lk_report_advice *a = &r->advice[r->advice_count++];

        *a = (lk_report_advice){ .action = action, .unit = unit, .why = why, .value = value };
        lk_report_expected_init(&a->expected);
    }
    return LK_OK;
}

static bool has_flag(const lk_report_policy *p, const char *flag)
{
    for (size_t i = 0; i < p->flag_count; i++)
        if (strcmp(p->flags[i], flag) == 0)
            return true;
    return false;
}

static const lk_report_policy *any_with(const lk_report *r, const char *flag)
{
    for (size_t i = 0; i < r->policy_count; i++)
        if (has_flag(&r->policies[i], flag))
            return &r->policies[i];
    return NULL;
}

/* The largest population whose delays are the same for all. */
static const lk_report_policy *in_step(const lk_report *r)
{
    static const char *const SAME[] = { "fixed", "exponential", "immediate", "retry-after-exact" };

    for (size_t i = 0; i < r->policy_count; i++) {
        const lk_report_policy *p = &r->policies[i];

        if (has_flag(p, "identical-draws") || has_flag(p, "draw-reused"))
            return p;
        for (size_t k = 0; p->policy && k < sizeof(SAME) / sizeof(SAME[0]); k++)
            if (strcmp(p->policy, SAME[k]) == 0)
                return p;
    }
    return NULL;
}

/* Requests in flight that the allowance answers while one of them waits. */
static double concurrency(const lk_report *r, const lk_report_clock *c)
{
    double wait = r->retry_after.value_count ? r->retry_after.values[0].value_s : c->delay_s;

    return fmax(1, round(r->capacity.allowance_per_s * wait));
}

static lk_code on_waves(lk_arena *arena, lk_report *r, lk_err *e)
{
    const lk_report_clock *c = lk_report_leading_retry_clock(r);

    if (r->synchronised != LK_YES || !c)
        return LK_OK;
    return advise(r, "bound-concurrency", concurrency(r, c), "requests in flight",
                  lk_arena_printf(arena,
                                  "waves of up to %lld requests come every %.1f s; a caller that "
                                  "may have only so many in flight cannot send a wave",
                                  (long long)c->wave_list[0].arrivals, c->period_s),
                  e);
}

static lk_code on_jitter(lk_arena *arena, lk_report *r, lk_err *e)
{
    const lk_report_policy *p = in_step(r);
    const lk_report_clock *clock = lk_report_leading_retry_clock(r);
    double callers, base;

    if (r->synchronised != LK_YES || !p)
        return LK_OK;
    callers = (double)(clock ? clock->wave_list[0].arrivals : p->callers);
    base =
        r->capacity.allowance_per_s > 0 ? ceil(callers / r->capacity.allowance_per_s) : (double)NAN;
    return advise(r, "jitter", base, "s, the window of the first retry",
                  lk_arena_printf(arena,
                                  "%lld callers wait by %s, all alike; full jitter over a window "
                                  "of callers / allowance spreads them%s",
                                  (long long)p->callers, p->policy ? p->policy : "one sequence",
                                  p->policy && strcmp(p->policy, "retry-after-exact") == 0
                                      ? " (on top of Retry-After, which is a floor)"
                                      : ""),
                  e);
}

static lk_code on_caps(lk_arena *arena, lk_report *r, lk_err *e)
{
    const lk_report_policy *endless = any_with(r, "no-cap");
    int64_t most = 0;

    for (size_t i = 0; i < r->amplification_count; i++)
        if (r->amplification[i].max > most)
            most = r->amplification[i].max;
    if (!endless && most < 10)
        return LK_OK;
    return advise(r, "cap-attempts", 4, "attempts a call",
                  lk_arena_printf(arena, "one unit of work became up to %lld requests%s",
                                  (long long)most, endless ? ", without a bound that shows" : ""),
                  e);
}

static lk_code on_budget(lk_arena *arena, lk_report *r, lk_err *e)
{
    if (!(r->wasted.retry_share > 0.3) || r->http.rejected < 100)
        return LK_OK;
    return advise(
        r, "retry-budget", 0.1, "retries for each first attempt",
        lk_arena_printf(arena, "%.0f %% of the attempts are retries", 100 * r->wasted.retry_share),
        e);
}

static lk_code on_flags(lk_report *r, lk_err *e)
{
    static const struct {
        const char *flag, *action, *why;
    } ROWS[] = {
        { "retries-after-client-left", "deadline",
          "callers try again after they gave up on the answer" },
        { "retries-non-retryable", "do-not-retry",
          "some errors that are retried cannot succeed later" },
        { "ignores-retry-after", "honour-retry-after",
          "callers come back before the time that the server asked for: those attempts are refused" },
        { "regime-change", "fix-backoff", "a backoff falls to nothing after many attempts" },
        { "no-jitter-on-first", "jitter-first-retry",
          "jitter is set, but the first retry of all callers comes after one and the same delay" },
    };

    for (size_t i = 0; i < sizeof(ROWS) / sizeof(ROWS[0]); i++)
        if (any_with(r, ROWS[i].flag))
            LK_TRY(advise(r, ROWS[i].action, (double)NAN, NULL, ROWS[i].why, e));
    return LK_OK;
}

static lk_code on_crowd(lk_report *r, lk_err *e)
{
    for (size_t i = 0; i < r->policy_count; i++) {
        const lk_report_policy *p = &r->policies[i];

        if (p->policy && strcmp(p->policy, "decorrelated-jitter") == 0 && p->callers >= CROWD &&
            r->http.rejected_share > 0.2)
            return advise(
                r, "full-jitter", (double)NAN, NULL,
                "decorrelated jitter keeps short delays in a crowd, and needs a far larger cap", e);
    }
    return LK_OK;
}

static lk_code on_overload(lk_arena *arena, lk_report *r, lk_err *e)
{
    if (r->overload != LK_YES)
        return LK_OK;
    return advise(r, "move-load", r->capacity.demand_per_s - r->capacity.allowance_per_s,
                  "requests a second too many",
                  lk_arena_printf(arena,
                                  "%.4g first attempts a second against an allowance of %.4g: no "
                                  "retry policy makes them fit",
                                  r->capacity.demand_per_s, r->capacity.allowance_per_s),
                  e);
}

lk_code lk_infer_advice(lk_arena *arena, lk_report *r, lk_err *e)
{
    LK_TRY(on_waves(arena, r, e));
    LK_TRY(on_jitter(arena, r, e));
    LK_TRY(on_caps(arena, r, e));
    LK_TRY(on_budget(arena, r, e));
    LK_TRY(on_flags(r, e));
    LK_TRY(on_crowd(r, e));
    return on_overload(arena, r, e);
}
