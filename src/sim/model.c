#include "sim/model.h"

#include "base/quantity.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

const lk_model *const LK_MODELS[] = {
    &LK_MODEL_CONTENTION, &LK_MODEL_OUTAGE,   &LK_MODEL_SATURATION,  &LK_MODEL_FLEET,
    &LK_MODEL_RECOVERY,   &LK_MODEL_OCC_NETWORK, NULL,
};

const lk_model *lk_model_find(const char *name)
{
    for (size_t i = 0; LK_MODELS[i]; i++)
        if (strcmp(LK_MODELS[i]->name, name) == 0)
            return LK_MODELS[i];
    return NULL;
}

/* ---- policies ---- */

static lk_code add_policy(lk_policies *p, lk_slice text, lk_err *e)
{
    lk_policy_choice choice = { NULL, p->defaults };

    if (p->count == LK_POLICIES_MAX)
        return lk_fail(e, LK_EUSAGE, "more than %d policies", LK_POLICIES_MAX);
    LK_TRY(lk_policy_parse(text, &choice, e));
    lk_policy_print(&choice, p->items[p->count].text);
    lk_sampler_init(&p->items[p->count].sampler, choice.policy, &choice.params);
    p->count++;
    return LK_OK;
}

lk_code lk_policies_parse(lk_policies *p, const char *text, lk_err *e)
{
    p->count = 0;
    while (*(text += strspn(text, "; ")) != '\0') {
        size_t len = strcspn(text, "; ");

        LK_TRY(add_policy(p, (lk_slice){ text, len }, e));
        text += len;
    }
    if (!p->count)
        return lk_fail(e, LK_EUSAGE, "no policy given");
    return LK_OK;
}

void lk_policies_init(lk_policies *p, lk_policy_params defaults, const char *text)
{
    lk_err e;
    lk_code code;

    p->defaults = defaults;
    code = lk_policies_parse(p, text, &e);
    assert(code == LK_OK);
    (void)code;
}

/* ---- settings ---- */

static lk_code wrong(const lk_setting *s, const char *value, const char *wanted, lk_err *e)
{
    return lk_fail(e, LK_EUSAGE, "--%s: '%s' is not %s", s->name, value, wanted);
}

static lk_code set_count(const lk_setting *s, unsigned *at, const char *value, lk_err *e)
{
    uint64_t n;

    if (!lk_slice_u64(lk_slice_from(value), &n) || n > 100000000)
        return wrong(s, value, "a count up to 100000000", e);
    *at = (unsigned)n;
    return LK_OK;
}

static lk_code set_share(const lk_setting *s, double *at, const char *value, lk_err *e)
{
    lk_slice text = lk_slice_from(value);
    bool percent = text.len && text.p[text.len - 1] == '%';
    double x;

    text.len -= percent;
    if (!lk_quantity_number(text, &x) || (x /= percent ? 100 : 1) > 1)
        return wrong(s, value, "a share (0.25, 25%)", e);
    *at = x;
    return LK_OK;
}

static lk_code set_choice(const lk_setting *s, unsigned *at, const char *value, lk_err *e)
{
    char names[128] = "";

    for (unsigned i = 0; s->choices[i]; i++) {
        if (strcmp(s->choices[i], value) == 0) {
            *at = i;
            return LK_OK;
        }
        (void)snprintf(names + strlen(names), sizeof(names) - strlen(names), "%s%s", i ? ", " : "",
                       s->choices[i]);
    }
    return lk_fail(e, LK_EUSAGE, "--%s: '%s' is none of %s", s->name, value, names);
}

static lk_code set(const lk_setting *s, char *at, const char *value, lk_err *e)
{
    lk_slice text = lk_slice_from(value);
    void *where = at + s->offset;

    switch (s->kind) {
    case LK_SETTING_COUNT: return set_count(s, where, value, e);
    case LK_SETTING_NUMBER:
        return lk_quantity_number(text, where) ? LK_OK : wrong(s, value, "a number, not negative", e);
    case LK_SETTING_SECONDS:
        return lk_quantity_seconds(text, where) ? LK_OK
                                                : wrong(s, value, "a duration (12, 200ms, 5m)", e);
    case LK_SETTING_RATE:
        return lk_quantity_per_second(text, where) ? LK_OK
                                                   : wrong(s, value, "a rate (67, 4000/min)", e);
    case LK_SETTING_SHARE: return set_share(s, where, value, e);
    case LK_SETTING_FLAG: *(bool *)where = true; return LK_OK;
    case LK_SETTING_CHOICE: return set_choice(s, where, value, e);
    case LK_SETTING_POLICIES: return lk_policies_parse(where, value, e);
    case LK_SETTING_END: break;
    }
    return LK_OK;
}

lk_code lk_model_set(const lk_model *m, void *settings, const char *name, const char *value,
                     lk_err *e)
{
    for (const lk_setting *s = m->settings; s->kind != LK_SETTING_END; s++)
        if (strcmp(s->name, name) == 0)
            return set(s, settings, value ? value : "", e);
    return lk_fail(e, LK_EUSAGE, "%s has no setting '%s'", m->name, name);
}
