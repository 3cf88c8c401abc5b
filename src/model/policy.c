#include "model/policy.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

double lk_policy_window_s(const lk_policy_params *p, unsigned retry)
{
    return fmin(p->cap_s, p->base_s * pow(p->factor, (double)retry));
}

static lk_spread between(double low_s, double high_s)
{
    return (lk_spread){ low_s, high_s, (double)INFINITY };
}

static lk_spread at(double delay_s)
{
    return between(delay_s, delay_s);
}

static lk_spread none(const lk_policy_params *p, const lk_wait *w)
{
    (void)p;
    (void)w;
    return at((double)INFINITY);
}

static lk_spread immediate(const lk_policy_params *p, const lk_wait *w)
{
    (void)p;
    (void)w;
    return at(0);
}

static lk_spread fixed(const lk_policy_params *p, const lk_wait *w)
{
    (void)w;
    return at(p->base_s);
}

static lk_spread exponential(const lk_policy_params *p, const lk_wait *w)
{
    return at(lk_policy_window_s(p, w->retry));
}

static lk_spread equal_jitter(const lk_policy_params *p, const lk_wait *w)
{
    double window = lk_policy_window_s(p, w->retry);

    return between(window / 2, window);
}

static lk_spread full_jitter(const lk_policy_params *p, const lk_wait *w)
{
    return between(0, lk_policy_window_s(p, w->retry));
}

static lk_spread decorrelated_jitter(const lk_policy_params *p, const lk_wait *w)
{
    double previous = w->retry ? w->previous_s : p->base_s;

    return (lk_spread){ p->base_s, fmax(3 * previous, p->base_s), p->cap_s };
}

static lk_spread percent_jitter(const lk_policy_params *p, const lk_wait *w)
{
    double window = lk_policy_window_s(p, w->retry);

    return between(window * (1 - p->jitter), window * (1 + p->jitter));
}

/* Without a hint of the server the window is what is left to wait. */
static lk_spread retry_after_exact(const lk_policy_params *p, const lk_wait *w)
{
    return w->asked_s >= 0 ? at(w->asked_s) : full_jitter(p, w);
}

static lk_spread retry_after_jitter(const lk_policy_params *p, const lk_wait *w)
{
    return w->asked_s >= 0 ? between(w->asked_s, w->asked_s + fmin(p->cap_s, w->asked_s))
                           : full_jitter(p, w);
}

enum { WINDOW = LK_USES_BASE | LK_USES_FACTOR | LK_USES_CAP };

/* clang-format off */
const lk_policy LK_POLICIES[] = {
    { "none",                "no retry",                                       0, none },
    { "immediate",           "at once",                                        0, immediate },
    { "fixed",               "base, always",                                   LK_USES_BASE, fixed },
    { "exponential",         "min(cap, base x factor^retry), no jitter",       WINDOW, exponential },
    { "equal-jitter",        "half of the window and a random part of the other half", WINDOW, equal_jitter },
    { "full-jitter",         "a random part of the window",                    WINDOW, full_jitter },
    { "decorrelated-jitter", "random between base and three times the delay before", LK_USES_BASE | LK_USES_CAP, decorrelated_jitter },
    { "percent-jitter",      "the window, give or take a share of it",         WINDOW | LK_USES_JITTER, percent_jitter },
    { "retry-after-exact",   "what Retry-After asks, to the second",           WINDOW, retry_after_exact },
    { "retry-after-jitter",  "what Retry-After asks and a random part on top", WINDOW, retry_after_jitter },
    { .name = NULL },
};
/* clang-format on */

const lk_policy *lk_policy_find(const char *name)
{
    for (const lk_policy *p = LK_POLICIES; p->name; p++)
        if (strcmp(p->name, name) == 0)
            return p;
    return NULL;
}

double lk_policy_delay_s(const lk_policy *policy, const lk_policy_params *p, const lk_wait *w,
                         double u)
{
    lk_spread s = policy->spread(p, w);

    if (s.low_s >= s.high_s) /* infinities do not subtract */
        return fmin(s.most_s, s.low_s);
    return fmin(s.most_s, s.low_s + u * (s.high_s - s.low_s));
}

/* Of a point with mass `mass`, seen to a grain. */
static double point_density(double mass, double at_s, double x_s, double grain_s)
{
    return x_s - at_s > -grain_s / 2 && x_s - at_s <= grain_s / 2 ? mass / grain_s : 0;
}

double lk_policy_log_density(const lk_policy *policy, const lk_policy_params *p, const lk_wait *w,
                             double x_s, double grain_s)
{
    lk_spread s = policy->spread(p, w);
    double width = s.high_s - s.low_s, over, d = 0;

    if (!isfinite(s.low_s))
        return -(double)INFINITY;
    if (!(width > 0) || s.most_s <= s.low_s)
        return log(point_density(1, fmin(s.most_s, s.low_s), x_s, grain_s));
    over = s.high_s > s.most_s ? (s.high_s - s.most_s) / width : 0;
    if (x_s >= s.low_s && x_s <= fmin(s.high_s, s.most_s))
        d += 1 / width;
    if (over > 0)
        d += point_density(over, s.most_s, x_s, grain_s);
    return log(d);
}

bool lk_policy_gives_up(const lk_policy *policy, const lk_policy_params *p, unsigned made)
{
    static const lk_wait FIRST = { 0, 0, -1 };

    return (p->attempts && made >= p->attempts) || isinf(policy->spread(p, &FIRST).low_s);
}

double lk_policy_longest_s(const lk_policy *policy, const lk_policy_params *p, unsigned retries)
{
    lk_wait w = { 0, p->base_s, -1 };
    double sum = 0;

    for (; w.retry < retries; w.retry++) {
        lk_spread s = policy->spread(p, &w);

        w.previous_s = fmin(s.high_s, s.most_s);
        sum += w.previous_s;
    }
    return sum;
}
