#include "model/policy.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

double lk_policy_window_s(const lk_policy_params *p, unsigned retry)
{
    return fmin(p->cap_s, p->base_s * pow(p->factor, (double)retry));
}

static double immediate(const lk_policy_params *p, const lk_wait *w, double u)
{
    (void)p;
    (void)w;
    (void)u;
    return 0;
}

static double fixed(const lk_policy_params *p, const lk_wait *w, double u)
{
    (void)w;
    (void)u;
    return p->base_s;
}

static double exponential(const lk_policy_params *p, const lk_wait *w, double u)
{
    (void)u;
    return lk_policy_window_s(p, w->retry);
}

static double equal_jitter(const lk_policy_params *p, const lk_wait *w, double u)
{
    return lk_policy_window_s(p, w->retry) * (0.5 + 0.5 * u);
}

static double full_jitter(const lk_policy_params *p, const lk_wait *w, double u)
{
    return lk_policy_window_s(p, w->retry) * u;
}

static double decorrelated_jitter(const lk_policy_params *p, const lk_wait *w, double u)
{
    double high = fmax(3 * w->previous_s, p->base_s);

    return fmin(p->cap_s, p->base_s + u * (high - p->base_s));
}

static double percent_jitter(const lk_policy_params *p, const lk_wait *w, double u)
{
    return lk_policy_window_s(p, w->retry) * (1 + p->jitter * (2 * u - 1));
}

/* Without a hint of the server the window is what is left to wait. */
static double retry_after_exact(const lk_policy_params *p, const lk_wait *w, double u)
{
    return w->asked_s >= 0 ? w->asked_s : full_jitter(p, w, u);
}

static double retry_after_jitter(const lk_policy_params *p, const lk_wait *w, double u)
{
    return w->asked_s >= 0 ? w->asked_s + u * fmin(p->cap_s, w->asked_s) : full_jitter(p, w, u);
}

/* clang-format off */
const lk_policy LK_POLICIES[] = {
    { "immediate",           "at once",                                        immediate },
    { "fixed",               "base, always",                                   fixed },
    { "exponential",         "min(cap, base x factor^retry), no jitter",       exponential },
    { "equal-jitter",        "half of the window and a random part of the other half", equal_jitter },
    { "full-jitter",         "a random part of the window",                    full_jitter },
    { "decorrelated-jitter", "random between base and three times the delay before", decorrelated_jitter },
    { "percent-jitter",      "the window, give or take a share of it",         percent_jitter },
    { "retry-after-exact",   "what Retry-After asks, to the second",           retry_after_exact },
    { "retry-after-jitter",  "what Retry-After asks and a random part on top", retry_after_jitter },
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
