/* Populations of callers that run one policy, as comeback delays: for tests and the benchmark. */
#ifndef LK_TESTS_POLICY_WORLD_H
#define LK_TESTS_POLICY_WORLD_H

#include "base/random.h"
#include "infer/policy_judge.h"

#include <math.h>
#include <string.h>

enum { WORLD_DELAYS_MAX = 2048 };

typedef enum world_draws { WORLD_FRESH, WORLD_SHARED, WORLD_ONE_A_CALLER } world_draws;

typedef struct world_plan {
    const char *policy, *other; /* other: every second caller runs it; NULL = none */
    lk_policy_params params, other_params; /* attempts: of a call */
    double asked_s;  /* < 0: nobody is told */
    double grain_s, lag_s;
    size_t delays, callers;
    world_draws draws;
    uint64_t seed;
} world_plan;

typedef struct world {
    double delay[WORLD_DELAYS_MAX], previous[WORLD_DELAYS_MAX], asked[WORLD_DELAYS_MAX];
    unsigned retry[WORLD_DELAYS_MAX];
    uint64_t caller[WORLD_DELAYS_MAX];
    bool holds[WORLD_DELAYS_MAX];
    size_t n;
} world;

static inline double world_cut(double at, double grain)
{
    return floor(at / grain) * grain;
}

/* One call of one caller. */
static inline void world_call(world *w, const world_plan *p, uint64_t caller, lk_random *r)
{
    bool other = p->other && caller % 2;
    const lk_policy *policy = lk_policy_find(other ? p->other : p->policy);
    const lk_policy_params *params = other ? &p->other_params : &p->params;
    lk_wait wait = { 0, params->base_s, p->asked_s };
    lk_random shared, own;

    lk_random_init(&shared, p->seed * 77 + 5);
    lk_random_init(&own, p->seed * 99 + caller);
    for (double own_u = lk_random_unit(&own); !lk_policy_gives_up(policy, params, wait.retry + 1); wait.retry++) {
        double fresh = lk_random_unit(r), common = lk_random_unit(&shared);
        double u = p->draws == WORLD_SHARED ? common : p->draws == WORLD_ONE_A_CALLER ? own_u : fresh;
        double delay = lk_policy_delay_s(policy, params, &wait, u);
        double end = 1e6 * lk_random_unit(r), start = end + delay + lk_random_exponential(r, p->lag_s);

        if (w->n == p->delays || w->n == WORLD_DELAYS_MAX)
            return;
        w->delay[w->n] = world_cut(start, p->grain_s) - world_cut(end, p->grain_s);
        w->previous[w->n] = wait.retry && w->n ? w->delay[w->n - 1] : (double)NAN;
        w->asked[w->n] = p->asked_s < 0 ? (double)NAN : p->asked_s;
        w->retry[w->n] = wait.retry;
        w->holds[w->n] = false;
        w->caller[w->n++] = caller;
        wait.previous_s = delay;
    }
}

static inline void world_make(world *w, const world_plan *p)
{
    lk_random r;

    lk_random_init(&r, p->seed);
    w->n = 0;
    for (uint64_t c = 0; c < p->callers; c++)
        for (size_t from = w->n; w->n < p->delays && w->n - from < (p->delays + p->callers - 1) / p->callers;)
            world_call(w, p, c, &r);
}

static inline lk_judged_set world_set(const world *w, double grain_s)
{
    lk_judged_set set = { { w->n, w->delay, w->retry, w->previous, w->asked, w->caller, grain_s, 1, true, false, NULL },
                          w->caller, w->holds };

    for (size_t i = 0; i < w->n; i++)
        set.delays.longest_s = fmax(set.delays.longest_s, 1.2 * w->delay[i]);
    return set;
}

/* Drawn parameters, as people set them: base low..high, caps, attempts. */
static inline world_plan world_draw(const char *policy, double grain_s, double low_s, double high_s,
                                    size_t delays, uint64_t seed)
{
    static const double FACTORS[] = { 2, 2, 2, 1.5, 3 }, TOLD[] = { 1, 2, 5, 10, 12, 30, 60 },
                        SHARES[] = { 0.05, 0.1, 0.2, 0.25, 0.5 };
    world_plan p = { .policy = policy, .grain_s = grain_s, .lag_s = 0.005, .delays = delays,
                     .callers = 40, .seed = seed, .asked_s = -1 };
    lk_random r;
    unsigned attempts;

    lk_random_init(&r, seed * 31 + 7);
    p.params.base_s = low_s * pow(high_s / low_s, lk_random_unit(&r));
    p.params.factor = FACTORS[lk_random_u64(&r) % 5];
    attempts = 4 + (unsigned)(lk_random_u64(&r) % 5);
    p.params.cap_s = lk_random_u64(&r) % 2
                         ? p.params.base_s * pow(p.params.factor, 2 + (double)(lk_random_u64(&r) % 4))
                         : 1e6;
    p.params.jitter = SHARES[lk_random_u64(&r) % 5];
    p.params.attempts = attempts;
    if (strcmp(policy, "decorrelated-jitter") == 0)
        p.params.cap_s = p.params.base_s * (5 + 25 * lk_random_unit(&r));
    if (strcmp(policy, "percent-jitter") == 0 && lk_random_u64(&r) % 2)
        p.params.factor = 1;
    if (strncmp(policy, "retry-after", 11) == 0)
        p.asked_s = TOLD[lk_random_u64(&r) % 7];
    return p;
}

#endif
