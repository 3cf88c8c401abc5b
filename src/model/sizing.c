#include "model/sizing.h"

#include <math.h>
#include <string.h>

static bool is(const lk_policy_choice *c, const char *name)
{
    return strcmp(c->policy->name, name) == 0;
}

double lk_sizing_window_s(const lk_policy_choice *c, unsigned retry)
{
    lk_wait w = { 0, c->params.base_s, -1 };
    double high = 0;

    for (; w.retry <= retry; w.retry++) {
        lk_spread s = c->policy->spread(&c->params, &w);

        high = fmin(s.high_s, s.most_s);
        w.previous_s = high;
    }
    return high;
}

double lk_sizing_width_s(const lk_policy_choice *c, unsigned retry, double natural_s)
{
    double window = lk_sizing_window_s(c, retry);

    if (is(c, "full-jitter") || is(c, "decorrelated-jitter"))
        return fmax(window, natural_s);
    if (is(c, "equal-jitter"))
        return fmax(window / 2, natural_s);
    if (is(c, "percent-jitter"))
        return fmax(2 * c->params.jitter * lk_policy_window_s(&c->params, retry), natural_s);
    return natural_s;
}

int lk_sizing_first_fit(const lk_policy_choice *c, double callers, double per_s, double natural_s,
                        int most)
{
    for (int k = 0; k < most; k++)
        if (callers / lk_sizing_width_s(c, (unsigned)k, natural_s) <= per_s)
            return k;
    return -1;
}

double lk_sizing_drain_s(double backlog, double cost, double spare_per_s)
{
    if (backlog <= 0)
        return 0;
    return spare_per_s > 0 ? backlog * cost / spare_per_s : (double)INFINITY;
}

double lk_sizing_typical_share(const lk_policy *p)
{
    if (strcmp(p->name, "full-jitter") == 0)
        return 0.5;
    return strcmp(p->name, "equal-jitter") == 0 ? 0.75 : 1;
}

double lk_sizing_power_of_two(double x)
{
    return x > 0 ? pow(2, ceil(log2(x) - 1e-9)) : 0;
}
