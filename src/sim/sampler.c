#include "sim/sampler.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

/* What a row's interval depends on; rows not listed are asked. */
static const struct {
    const char *name;
    lk_sampler_kind kind;
} KINDS[] = {
    { "none", LK_SAMPLER_NEVER },
    { "immediate", LK_SAMPLER_CONSTANT },
    { "fixed", LK_SAMPLER_CONSTANT },
    { "exponential", LK_SAMPLER_WINDOW },
    { "equal-jitter", LK_SAMPLER_WINDOW },
    { "full-jitter", LK_SAMPLER_WINDOW },
    { "percent-jitter", LK_SAMPLER_WINDOW },
    { "decorrelated-jitter", LK_SAMPLER_DECORRELATED },
};

static lk_sampler_kind kind_of(const char *name)
{
    for (size_t i = 0; i < sizeof(KINDS) / sizeof(KINDS[0]); i++)
        if (strcmp(KINDS[i].name, name) == 0)
            return KINDS[i].kind;
    return LK_SAMPLER_ROW;
}

void lk_sampler_init(lk_sampler *s, const lk_policy *row, const lk_policy_params *params)
{
    lk_wait w = { 0, params->base_s, -1 };

    *s = (lk_sampler){ .kind = row ? kind_of(row->name) : LK_SAMPLER_NEVER, .row = row,
                       .params = *params };
    if (s->kind == LK_SAMPLER_CONSTANT)
        s->constant = row->spread(params, &w).low_s;
    if (s->kind != LK_SAMPLER_WINDOW)
        return;
    for (w.retry = 0; w.retry < LK_SAMPLER_WINDOWS; w.retry++) {
        lk_spread spread = row->spread(params, &w);
        bool point = spread.low_s >= spread.high_s; /* infinities do not subtract */

        s->window[w.retry].low = spread.low_s;
        s->window[w.retry].width = point ? 0 : spread.high_s - spread.low_s;
    }
}

bool lk_sampler_is_point(const lk_sampler *s)
{
    return s->kind == LK_SAMPLER_CONSTANT ||
           (s->kind == LK_SAMPLER_WINDOW && !(s->window[0].width > 0));
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
        delay = lk_policy_delay_s(s->row, &s->params, w, u);
    else
        delay = (double)INFINITY;
    return delay >= 0 ? delay : 0; /* a callback's NAN or negative is no delay */
}
