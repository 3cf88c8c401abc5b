/* sim/sampler — the draws of one policy row, its windows tabulated.
 *
 * A simulator draws a delay an attempt; the rows of model/policy take a pow() each time.  What a
 * sampler draws is what its row draws from the same u (to rounding); rows that this file does not
 * know, and callbacks, are asked every time.
 *
 * Units:  those of the parameters; retry counts from 0.
 * Thread: read only once made.  */
#ifndef LK_SIM_SAMPLER_H
#define LK_SIM_SAMPLER_H

#include "model/policy.h"

#include <stdint.h>

enum { LK_SAMPLER_WINDOWS = 64 };

typedef enum lk_sampler_kind {
    LK_SAMPLER_NEVER = 0, /* nobody retries                         */
    LK_SAMPLER_CONSTANT,  /* the same for every retry               */
    LK_SAMPLER_WINDOW,    /* the retry count alone decides the interval */
    LK_SAMPLER_DECORRELATED,
    LK_SAMPLER_ROW
} lk_sampler_kind;

/* Another's policy: as lk_policy_delay_s, with a context. */
typedef double lk_delay_fn(void *context, unsigned retry, double previous_s, double asked_s, double u);

typedef struct lk_sampler {
    lk_sampler_kind kind;
    const lk_policy *row;
    lk_policy_params params;
    lk_delay_fn *callback; /* in place of the row */
    void *context;
    double constant;
    struct {
        double low, width;
    } window[LK_SAMPLER_WINDOWS];
} lk_sampler;

/* row NULL: nobody retries. */
void lk_sampler_init(lk_sampler *s, const lk_policy *row, const lk_policy_params *params);
void lk_sampler_init_callback(lk_sampler *s, lk_delay_fn *callback, void *context);

/* Do all who fail together come back together? */
bool lk_sampler_is_point(const lk_sampler *s);

/* For rows and windows beyond the table. */
double lk_sampler_ask(const lk_sampler *s, const lk_wait *w, double u);

/* The delay before retry w->retry, from u in [0, 1). */
static inline double lk_sampler_draw(const lk_sampler *s, const lk_wait *w, double u)
{
    if (s->kind == LK_SAMPLER_WINDOW && w->retry < LK_SAMPLER_WINDOWS)
        return s->window[w->retry].low + u * s->window[w->retry].width;
    if (s->kind == LK_SAMPLER_DECORRELATED) {
        double base = s->params.base_s, high = 3 * w->previous_s;
        double delay = high > base ? base + u * (high - base) : base;

        return delay < s->params.cap_s ? delay : s->params.cap_s;
    }
    if (s->kind == LK_SAMPLER_CONSTANT)
        return s->constant;
    return lk_sampler_ask(s, w, u);
}

#endif
