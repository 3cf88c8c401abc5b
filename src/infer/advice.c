#include "infer/advice.h"

#include "infer/overload.h"

#include <math.h>
#include <string.h>

enum { CROWD = 100, FANOUT_MIN = 50, LEFT_MIN = 10, TRIPS = 5 };

static const double FANOUT_S = 5;     /* half of a population's first attempts within it */
static const double OUTAGE_S = 60;    /* sustained: nearly everything failed for so long */
static const double OUTAGE = 0.9;
static const double HORIZON_S = 60;   /* after it an answer is seldom of use (S3) */
static const double CHEAP = 0.2;      /* a failure costs less than this of a success */
static const double PATIENT_S = 5;

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

/* ---- what was found ---- */

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

static bool is_same(const char *a, const char *b)
{
    return a && b && strcmp(a, b) == 0;
}

/* The largest population whose delays are the same for all; that of the clock before others. */
static const lk_report_policy *in_step(const lk_report *r, const char *population)
{
    static const char *const SAME[] = { "fixed", "exponential", "immediate", "retry-after-exact" };
    const lk_report_policy *found = NULL;

    for (size_t i = 0; i < r->policy_count; i++) {
        const lk_report_policy *p = &r->policies[i];
        bool same = has_flag(p, "identical-draws") || has_flag(p, "draw-reused");

        for (size_t k = 0; p->policy && k < sizeof(SAME) / sizeof(SAME[0]); k++)
            same |= strcmp(p->policy, SAME[k]) == 0;
        if (same && is_same(p->population, population))
            return p;
        found = same && !found ? p : found;
    }
    return found;
}

/* The population that the advice is for: that of the leading retry clock, or the most refused. */
static const lk_report_crowd *driver(const lk_report *r)
{
    const lk_report_clock *c = lk_report_leading_retry_clock(r);

    for (size_t i = 0; c && i < r->workload.count; i++)
        if (is_same(r->workload.crowds[i].population, c->population))
            return &r->workload.crowds[i];
    return r->workload.count && r->workload.crowds[0].failed > 0 ? &r->workload.crowds[0] : NULL;
}

/* What is admitted of them. */
static double allowance(const lk_report *r)
{
    const lk_report_crowd *d = driver(r);
    bool given = is_same(r->capacity.source, "given");

    if (!given && d && isfinite(d->allowance_per_s))
        return d->allowance_per_s;
    return r->capacity.allowance_per_s;
}

static double callers_of(const lk_report *r)
{
    const lk_report_clock *c = lk_report_leading_retry_clock(r);
    const lk_report_crowd *d = driver(r);
    double wave = c ? (double)c->wave_list[0].arrivals : (double)NAN;

    if (c && d && is_same(d->population, c->population) && d->tasks > 0)
        return fmin((double)d->tasks, fmax(wave, (double)c->callers));
    return isfinite(wave) ? wave : d ? (double)d->tasks : (double)NAN;
}

/* How long one of them waits before it comes back: as it is told, or by its own constant; else as the waves do. */
static double wait_of(const lk_report *r, const lk_report_clock *c)
{
    if (r->retry_after.value_count)
        return r->retry_after.values[0].value_s;
    for (size_t i = 0; i < r->policy_count; i++) {
        const lk_report_policy *p = &r->policies[i];

        if (is_same(p->population, c->population) && is_same(p->layer, "sdk") && is_same(p->policy, "fixed") &&
            p->base_s > 0)
            return p->base_s;
    }
    return c->delay_s;
}

static const char *number(lk_arena *arena, double x)
{
    return lk_arena_printf(arena, x < 10 ? "%.2g" : "%.0f", x);
}

/* ---- the rows, in order ---- */

static lk_code on_waves(lk_arena *arena, lk_report *r, lk_err *e)
{
    const lk_report_clock *c = lk_report_leading_retry_clock(r);
    double wait, per_s = allowance(r), value;

    if (r->synchronised != LK_YES || !c)
        return LK_OK;
    wait = wait_of(r, c);
    if (!(per_s > 0) || !(wait > 0))
        return advise(r, "bound-concurrency", (double)NAN, NULL,
                      lk_arena_printf(arena,
                                      "waves of up to %lld requests come every %.1f s; a caller that "
                                      "may have only so many in flight cannot send a wave. How many: "
                                      "what the server admits a second times the seconds that one "
                                      "waits; the log does not show what it admits (--allowance)",
                                      (long long)c->wave_list[0].arrivals, c->period_s),
                      e);
    value = fmax(1, round(per_s * wait));
    return advise(r, "bound-concurrency", value, "requests in flight",
                  lk_arena_printf(arena,
                                  "waves of up to %lld requests come every %.1f s; a caller that "
                                  "may have only so many in flight cannot send a wave. %.3g a second "
                                  "are admitted of them, and one that is refused waits %.3g s: "
                                  "%.3g x %.3g = %.0f",
                                  (long long)c->wave_list[0].arrivals, c->period_s, per_s, wait,
                                  per_s, wait, value),
                  e);
}

/* How the crowd waits and what spreads it: jitter that all of them draw alike is not a lack of jitter. */
static const char *waiting(lk_arena *arena, const lk_report_policy *p)
{
    if (has_flag(p, "identical-draws"))
        return "one sequence of random delays, the same for all; full jitter with a seed of its own for each caller "
               "spreads them";
    return lk_arena_printf(arena, "%s, all alike; full jitter spreads them", p->policy ? p->policy : "one sequence");
}

static const char *jitter_why(lk_arena *arena, const lk_report *r, const lk_report_policy *p,
                              double callers, double per_s)
{
    const lk_report_crowd *d = driver(r);
    double base = callers / per_s, cap = d ? 2 * callers * d->service_s : (double)NAN;
    const char *floor = is_same(p->policy, "retry-after-exact")
                            ? ", on top of Retry-After, which is a floor"
                            : "";
    const char *cap_words = "", *wide = "", *waits = waiting(arena, p);

    if (!waits)
        return NULL;
    if (!(per_s > 0))
        return lk_arena_printf(arena,
                               "callers wait by %s%s. The first "
                               "window is callers / allowance; the log does not show what the server "
                               "admits (--allowance)",
                               waits, floor);
    if (isfinite(cap) && cap > 0)
        cap_words = lk_arena_printf(arena, "; cap it at about 2 x %.0f x %.2g s = %s s", callers,
                                    d->service_s, number(arena, fmax(base, cap)));
    if (base > 300)
        wide = ". A window so wide says that jitter alone is not enough: bound the concurrency first";
    if (!cap_words)
        return NULL;
    return lk_arena_printf(arena,
                           "%.0f callers wait by %s%s. A first "
                           "window of callers / allowance, %.0f / %.3g, makes them fit%s%s",
                           callers, waits, floor, callers, per_s,
                           cap_words, wide);
}

static lk_code on_jitter(lk_arena *arena, lk_report *r, lk_err *e)
{
    const lk_report_clock *clock = lk_report_leading_retry_clock(r);
    const lk_report_policy *p = in_step(r, clock ? clock->population : NULL);
    double callers = callers_of(r), per_s = allowance(r);

    if (r->synchronised != LK_YES || !p)
        return LK_OK;
    if (!(callers > 0))
        callers = (double)p->callers;
    return advise(r, "jitter", per_s > 0 ? ceil(callers / per_s) : (double)NAN,
                  "s, the window of the first retry", jitter_why(arena, r, p, callers, per_s), e);
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
                  lk_arena_printf(arena,
                                  "one unit of work became up to %lld requests%s; caps of the layers "
                                  "multiply: 4 attempts under 3 requeues are at most 12",
                                  (long long)most, endless ? ", without a bound that shows" : ""),
                  e);
}

static lk_code on_budget(lk_arena *arena, lk_report *r, lk_err *e)
{
    if (!(r->wasted.retry_share > 0.3) || r->http.rejected < 100)
        return LK_OK;
    return advise(r, "retry-budget", 0.1, "retries for each first attempt",
                  lk_arena_printf(arena,
                                  "%.0f %% of the attempts are retries%s", 100 * r->wasted.retry_share,
                                  r->wasted.over_tenth > 0
                                      ? lk_arena_printf(arena,
                                                        "; %lld of them are beyond a budget of one "
                                                        "for ten first attempts",
                                                        (long long)r->wasted.over_tenth)
                                      : ""),
                  e);
}

/* A deadline where callers go on after they left; a horizon where the slowest come too late. */
static lk_code on_deadline(lk_arena *arena, lk_report *r, lk_err *e)
{
    double slow = r->calls.success_p99_s;
    bool left = any_with(r, "retries-after-client-left") || r->wasted.after_client_left >= LEFT_MIN;

    if (left)
        return advise(r, "deadline", (double)NAN, NULL,
                      lk_arena_printf(arena,
                                      "%lld attempts came after the client had given up on the answer: "
                                      "no attempt may start that cannot end before the call's deadline",
                                      (long long)(r->wasted.after_client_left > 0
                                                      ? r->wasted.after_client_left
                                                      : 0)),
                      e);
    if (!(slow > 2 * HORIZON_S) || !(r->calls.waiting_share > 0.5) || r->http.rejected < 100)
        return LK_OK;
    return advise(r, "deadline", HORIZON_S, "s, of a whole call",
                  lk_arena_printf(arena,
                                  "one call in a hundred that succeeded took %.0f s or more, most of it "
                                  "waiting: after its horizon an answer helps nobody; set it to what "
                                  "yours are good for",
                                  slow),
                  e);
}

/* The shortest stretch that holds half of a population's first attempts. */
static double half_within_s(const lk_report_workload *w, const lk_report_crowd *c)
{
    double sum = 0, best = (double)INFINITY;

    for (size_t i = 0, from = 0; i < w->n; i++) {
        sum += c->first[i];
        while (sum - c->first[from] >= 0.5 * (double)c->tasks) {
            sum -= c->first[from];
            from++;
        }
        if (sum >= 0.5 * (double)c->tasks)
            best = fmin(best, (double)(i + 1 - from) * w->bin_s);
    }
    return best;
}

static lk_code on_fanout(lk_arena *arena, lk_report *r, lk_err *e)
{
    for (size_t i = 0; i < r->workload.count; i++) {
        const lk_report_crowd *c = &r->workload.crowds[i];
        double width;

        if (c->tasks < FANOUT_MIN || c->failed * 2 < c->tasks)
            continue;
        width = half_within_s(&r->workload, c);
        if (!(width <= FANOUT_S))
            continue;
        return advise(r, "jitter-first-attempt",
                      isfinite(c->allowance_per_s) && c->allowance_per_s > 0
                          ? ceil((double)c->tasks / c->allowance_per_s)
                          : (double)NAN,
                      "s, the window of the first attempt",
                      lk_arena_printf(arena,
                                      "half of the %lld first attempts of these callers came within "
                                      "%.3g s: the fan-out is itself the burst; spread it, or pace it",
                                      (long long)c->tasks, width),
                      e);
    }
    return LK_OK;
}

/* The longest stretch in which nearly everything failed, whatever was asked. */
static double outage_s(const lk_report_workload *w, const lk_report_crowd *c)
{
    double run = 0, most = 0;

    for (size_t i = 0; c->refused_share && i < w->n; i++) {
        run = c->refused_share[i] >= OUTAGE ? run + w->bin_s : 0;
        most = fmax(most, run);
    }
    return most;
}

static lk_code on_outage(lk_arena *arena, lk_report *r, lk_err *e)
{
    for (size_t i = 0; i < r->workload.count; i++) {
        double seconds = outage_s(&r->workload, &r->workload.crowds[i]);

        if (seconds < OUTAGE_S || r->workload.crowds[i].attempts <= r->workload.crowds[i].calls)
            continue;
        return advise(r, "breaker", TRIPS, "failures in a row that open it",
                      lk_arena_printf(arena,
                                      "nearly every request failed for %.0f s: that is no moment's "
                                      "shortage, and retries only add to it. Let it half-open at "
                                      "random times, or it brings the herd together again",
                                      seconds),
                      e);
    }
    return LK_OK;
}

/* What cannot succeed later: errors that say so, and requests that were wrong already. */
static lk_code on_hopeless(lk_arena *arena, lk_report *r, lk_err *e)
{
    bool flagged = any_with(r, "retries-non-retryable") != NULL;

    if (!flagged && r->wasted.non_retryable < LEFT_MIN)
        return LK_OK;
    return advise(r, "do-not-retry", (double)NAN, NULL,
                  r->wasted.non_retryable > 0
                      ? lk_arena_printf(arena,
                                        "%lld attempts repeated what no wait helps (wrong request, used-up quota%s)",
                                        (long long)r->wasted.non_retryable,
                                        flagged ? ", not implemented" : "")
                      : "some errors that are retried cannot succeed later",
                  e);
}

static lk_code on_flags(lk_report *r, lk_err *e)
{
    static const struct {
        const char *flag, *action, *why;
    } ROWS[] = {
        { "ignores-retry-after", "honour-retry-after",
          "callers come back before the time that the server asked for: those attempts are refused" },
        { "regime-change", "fix-backoff", "a backoff falls to nothing after many attempts" },
        { "attempt-counter-reset", "fix-backoff",
          "the attempt counter does not grow, or begins anew, while the call still fails: its waits never get "
          "long. Count the attempts of the call, and begin anew on a success only" },
        { "no-jitter-on-first", "jitter-first-retry",
          "jitter is set, but the first retry of all callers comes after one and the same delay" },
    };

    for (size_t i = 0; i < sizeof(ROWS) / sizeof(ROWS[0]); i++)
        if (any_with(r, ROWS[i].flag))
            LK_TRY(advise(r, ROWS[i].action, (double)NAN, NULL, ROWS[i].why, e));
    return LK_OK;
}

/* Few failures, each at a small part of a success's cost, and long waits for them. */
static lk_code on_cheap(lk_arena *arena, lk_report *r, lk_err *e)
{
    if (r->synchronised != LK_NO || r->overload == LK_YES || !(r->calls.waiting_share > 0.5))
        return LK_OK;
    for (size_t i = 0; i < r->workload.count; i++) {
        const lk_report_crowd *c = &r->workload.crowds[i];

        if (!is_same(c->admission, "share") || !(c->refusal_s < CHEAP * c->service_s) ||
            (double)c->failed > 0.1 * (double)c->attempts || !(c->success_mean_s > PATIENT_S))
            continue;
        return advise(r, "back-off-less", (double)NAN, NULL,
                      lk_arena_printf(arena,
                                      "few attempts fail, a failure takes %.2g s where a success takes "
                                      "%.2g s, and the refusals do not follow the load: the waits cost "
                                      "the callers more than they save the server",
                                      c->refusal_s, c->service_s),
                      e);
    }
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
    lk_overload o;
    double deficit;

    if (r->overload != LK_YES || !lk_overload_of(r, &o))
        return LK_OK;
    deficit = 60 * (o.demand_per_s - o.allowance_per_s);
    /* a whole number stays one, whatever rounding left above it */
    return advise(r, "move-load", ceil(deficit * (1 - 1e-9)), "requests a minute too many",
                  lk_arena_printf(arena,
                                  "%.4g first attempts a minute against an allowance of %.4g, for %.0f "
                                  "min: no retry policy makes them fit. The backlog grew by %.0f a "
                                  "minute, to %.0f; it drains only once demand is below the allowance, "
                                  "at full allowance and no new work in %.1f min. Move or pace what "
                                  "can wait, or shed it early",
                                  60 * o.demand_per_s, 60 * o.allowance_per_s, o.seconds / 60, deficit,
                                  deficit * o.seconds / 60, deficit * o.seconds / 3600 / o.allowance_per_s),
                  e);
}

lk_code lk_infer_advice(lk_arena *arena, lk_report *r, lk_err *e)
{
    LK_TRY(on_waves(arena, r, e));
    LK_TRY(on_jitter(arena, r, e));
    LK_TRY(on_caps(arena, r, e));
    LK_TRY(on_budget(arena, r, e));
    LK_TRY(on_deadline(arena, r, e));
    LK_TRY(on_fanout(arena, r, e));
    LK_TRY(on_outage(arena, r, e));
    LK_TRY(on_hopeless(arena, r, e));
    LK_TRY(on_flags(r, e));
    LK_TRY(on_cheap(arena, r, e));
    LK_TRY(on_crowd(r, e));
    return on_overload(arena, r, e);
}
