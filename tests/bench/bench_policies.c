/* Calibration: simulated populations of every policy, and what they are named.
 *
 *     bench_policies [POPULATIONS [COMEBACKS]]
 *
 * One TSV row a policy and grain: grain, policy, populations, those that the log can show, share named
 * right among these, share named wrong among all, the most frequent wrong names.  "mixture" rows are
 * two policies at once, every second caller: there right is null.  */
#include "../unit/policy_world.h"

#include <stdio.h>
#include <stdlib.h>

struct tally {
    size_t all, shown, right, wrong, null;
    size_t named[16];
};

static size_t row_of(const lk_policy *p)
{
    return (size_t)(p - LK_POLICIES);
}

/* Windows of the later retries that the grain can show, jitter wider than it. */
static bool is_shown(const world_plan *p)
{
    double last = p->params.base_s * pow(p->params.factor, 2);
    double window = fmin(p->params.cap_s, last);

    if (strcmp(p->policy, "immediate") == 0 || p->asked_s >= 0)
        return true;
    if (strcmp(p->policy, "fixed") == 0)
        return p->params.base_s >= 1.5 * p->grain_s;
    if (strcmp(p->policy, "percent-jitter") == 0)
        return p->params.jitter * (p->params.factor > 1 ? window : p->params.base_s) >= 2 * p->grain_s;
    return window >= 3 * p->grain_s;
}

static void judge(const world_plan *p, struct tally *t, bool mixed)
{
    static world w;
    lk_policy_verdict v;
    lk_judged_set set;
    lk_arena scratch;
    lk_err e = { 0 };

    world_make(&w, p);
    set = world_set(&w, p->grain_s);
    lk_arena_init(&scratch, 0);
    if (lk_policy_judge(&set, &scratch, &v, &e) != LK_OK) {
        fprintf(stderr, "%s\n", e.msg);
        exit(1);
    }
    lk_arena_release(&scratch);
    t->all++;
    t->shown += mixed || is_shown(p);
    t->null += !v.policy;
    if (!mixed && v.policy == lk_policy_find(p->policy))
        t->right += is_shown(p);
    else if (mixed && !v.policy)
        t->right++;
    else if (v.policy) {
        t->wrong++;
        t->named[row_of(v.policy)]++;
    }
    if (getenv("LK_BENCH_WRONG") && !mixed && is_shown(p) && v.policy != lk_policy_find(p->policy))
        fprintf(stderr,
                "%s base %.3g factor %.3g cap %.4g jitter %.2g attempts %u asked %g: %s, best %s base "
                "%.3g factor %.3g cap %.4g jitter %.2g support %.2f flags %x runner-up %s distance %.2f callers %.1f\n",
                p->policy, p->params.base_s, p->params.factor, p->params.cap_s, p->params.jitter,
                p->params.attempts, p->asked_s, v.policy ? v.policy->name : "null",
                v.model.policy ? v.model.policy->name : "-", v.model.params.base_s,
                v.model.params.factor, v.model.params.cap_s, v.model.params.jitter, v.support, v.flags,
                v.runner_up ? v.runner_up->name : "-", v.distance, v.callers);
}

static void print(double grain, const char *what, const struct tally *t)
{
    printf("policies\t%g\t%s\t%zu\t%zu\t%.3f\t%.3f\t", grain, what, t->all, t->shown,
           t->shown ? (double)t->right / (double)t->shown : 0, (double)t->wrong / (double)t->all);
    for (size_t i = 0; LK_POLICIES[i].name; i++)
        if (t->named[i])
            printf("%s:%zu ", LK_POLICIES[i].name, t->named[i]);
    printf("\n");
    fflush(stdout);
}

static void mixtures(double grain, double low, double high, size_t populations, size_t delays)
{
    static const char *const PAIRS[][2] = { { "fixed", "full-jitter" },
                                            { "exponential", "full-jitter" },
                                            { "fixed", "exponential" },
                                            { "percent-jitter", "full-jitter" },
                                            { "fixed", "decorrelated-jitter" } };

    for (size_t i = 0; i < sizeof(PAIRS) / sizeof(PAIRS[0]); i++) {
        struct tally t = { 0 };
        char name[64];

        for (uint64_t s = 0; s < populations; s++) {
            world_plan p = world_draw(PAIRS[i][0], grain, low, high, delays, s + 1);

            p.other = PAIRS[i][1];
            p.other_params = world_draw(PAIRS[i][1], grain, low, high, delays, s + 5001).params;
            judge(&p, &t, true);
        }
        (void)snprintf(name, sizeof(name), "%s+%s", PAIRS[i][0], PAIRS[i][1]);
        print(grain, name, &t);
    }
}

int main(int argc, char **argv)
{
    size_t populations = argc > 1 ? (size_t)atoi(argv[1]) : 100;
    size_t delays = argc > 2 ? (size_t)atoi(argv[2]) : 200;
    const char *only = argc > 3 ? argv[3] : NULL;
    static const double GRAIN[] = { 0.001, 1 }, LOW[] = { 0.2, 1 }, HIGH[] = { 30, 30 };

    for (size_t g = 0; g < 2; g++) {
        for (const lk_policy *policy = LK_POLICIES; policy->name; policy++) {
            struct tally t = { 0 };

            if (strcmp(policy->name, "none") == 0 || (only && strcmp(only, policy->name) != 0))
                continue;
            for (uint64_t s = 0; s < populations; s++) {
                world_plan p = world_draw(policy->name, GRAIN[g], LOW[g], HIGH[g], delays, s + 1);

                judge(&p, &t, false);
            }
            print(GRAIN[g], policy->name, &t);
        }
        if (!only || strcmp(only, "mixture") == 0)
            mixtures(GRAIN[g], LOW[g], HIGH[g], populations, delays);
    }
    return 0;
}
