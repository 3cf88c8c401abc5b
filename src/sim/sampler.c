#include "sim/sampler.h"

#include <math.h>
#include <string.h>

/* How a row looks to a sampler; those not listed are asked. */
typedef struct shape {
    const char *name;
    lk_sampler_kind kind;
    double low, span;
} shape;

static const shape SHAPES[] = {
    { "none", LK_SAMPLER_NEVER, 0, 0 },
    { "immediate", LK_SAMPLER_CONSTANT, 0, 0 },
    { "fixed", LK_SAMPLER_CONSTANT, 1, 0 },
    { "exponential", LK_SAMPLER_WINDOW, 1, 0 },
    { "equal-jitter", LK_SAMPLER_WINDOW, 0.5, 0.5 },
    { "full-jitter", LK_SAMPLER_WINDOW, 0, 1 },
    { "decorrelated-jitter", LK_SAMPLER_DECORRELATED, 0, 0 },
};

static const shape *shape_of(const char *name)
{
    for (size_t i = 0; i < sizeof(SHAPES) / sizeof(SHAPES[0]); i++)
        if (strcmp(SHAPES[i].name, name) == 0)
            return &SHAPES[i];
    return NULL;
}

void lk_sampler_init(lk_sampler *s, const lk_policy *row, const lk_policy_params *params)
{
    const shape *form = row ? shape_of(row->name) : &SHAPES[0];

    *s = (lk_sampler){ .kind = form ? form->kind : LK_SAMPLER_ROW, .row = row, .params = *params };
    if (s->kind == LK_SAMPLER_CONSTANT)
        s->constant = form->low * params->base_s;
    if (s->kind != LK_SAMPLER_WINDOW)
        return;
    s->low = form->low;
    s->span = form->span;
    for (unsigned k = 0; k < LK_SAMPLER_WINDOWS; k++)
        s->window[k] = lk_policy_window_s(params, k);
}

void lk_sampler_init_callback(lk_sampler *s, lk_delay_fn *callback, void *context)
{
    *s = (lk_sampler){ .kind = LK_SAMPLER_ROW, .params = LK_POLICY_PARAMS_INIT,
                       .callback = callback, .context = context };
}

double lk_sampler_ask(const lk_sampler *s, const lk_wait *w, double u)
{
    double delay;

    if (s->callback)
        delay = s->callback(s->context, w->retry, w->previous_s, w->asked_s, u);
    else if (s->row)
        delay = s->row->delay_s(&s->params, w, u);
    else
        delay = (double)INFINITY;
    return delay >= 0 ? delay : 0; /* a callback's NAN or negative is no delay */
}
