/* Policies as text: "full-jitter:base=8,cap=60,attempts=4". */
#include "base/quantity.h"
#include "model/policy.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static lk_slice cut(lk_slice *s, char at)
{
    const char *p = s->len ? memchr(s->p, at, s->len) : NULL;
    lk_slice head = *s;

    if (!p) {
        *s = LK_SLICE_NONE;
        return head;
    }
    head.len = (size_t)(p - s->p);
    *s = lk_slice_skip(*s, head.len + 1);
    return head;
}

static bool read_base(lk_slice v, lk_policy_params *p)
{
    return lk_quantity_seconds(v, &p->base_s) && isfinite(p->base_s);
}

static bool read_factor(lk_slice v, lk_policy_params *p)
{
    return lk_quantity_number(v, &p->factor) && p->factor >= 1 && p->factor <= 100;
}

static bool read_cap(lk_slice v, lk_policy_params *p)
{
    return lk_quantity_seconds(v, &p->cap_s) && p->cap_s > 0;
}

static bool read_jitter(lk_slice v, lk_policy_params *p)
{
    return lk_quantity_share(v, &p->jitter);
}

static bool read_attempts(lk_slice v, lk_policy_params *p)
{
    uint64_t n = 0;

    if (!lk_slice_is(v, "none") && (!lk_slice_u64(v, &n) || n == 0 || n > 1000000))
        return false;
    p->attempts = (unsigned)n;
    return true;
}

static const struct key {
    const char *name;
    bool (*read)(lk_slice v, lk_policy_params *p);
    const char *wants;
} KEYS[] = {
    { "base", read_base, "a duration" },
    { "factor", read_factor, "a number from 1 to 100" },
    { "cap", read_cap, "a duration above 0, or none" },
    { "jitter", read_jitter, "a share from 0 to 1" },
    { "attempts", read_attempts, "a whole number above 0, or none" },
    { NULL, NULL, NULL },
};

static lk_code read_pair(lk_slice pair, lk_policy_params *p, lk_err *e)
{
    lk_slice value = pair, name = cut(&value, '=');

    for (const struct key *k = KEYS; k->name; k++) {
        if (!lk_slice_is(name, k->name))
            continue;
        if (k->read(value, p))
            return LK_OK;
        return lk_fail(e, LK_EUSAGE, "policy: %s=%.*s is not %s", k->name,
                       (int)(value.len < 40 ? value.len : 40), value.p ? value.p : "", k->wants);
    }
    return lk_fail(e, LK_EUSAGE,
                   "policy: no parameter '%.*s'; base, factor, cap, jitter, attempts are known",
                   (int)(name.len < 40 ? name.len : 40), name.p ? name.p : "");
}

lk_code lk_policy_parse(lk_slice text, lk_policy_choice *out, lk_err *e)
{
    lk_policy_choice choice = *out;
    lk_slice rest = text, name = cut(&rest, ':');

    choice.policy = NULL;
    for (const lk_policy *p = LK_POLICIES; p->name; p++)
        if (lk_slice_is(name, p->name))
            choice.policy = p;
    if (!choice.policy)
        return lk_fail(e, LK_EUSAGE, "no retry policy '%.*s'; 'lockstep help plan' lists them",
                       (int)(name.len < 40 ? name.len : 40), name.p ? name.p : "");
    while (rest.len)
        LK_TRY(read_pair(cut(&rest, ','), &choice.params, e));
    *out = choice;
    return LK_OK;
}

/* ",name=value", the first with ':'. */
static size_t add(char *out, size_t at, const char *name, double value)
{
    char number[32] = "none";

    if (!isinf(value))
        (void)snprintf(number, sizeof(number), "%.6g", value);
    at += (size_t)snprintf(out + at, LK_POLICY_TEXT_MAX - at, "%c%s=%s",
                           strchr(out, ':') ? ',' : ':', name, number);
    return at;
}

void lk_policy_print(const lk_policy_choice *c, char *out)
{
    const lk_policy_params *p = &c->params;
    size_t at = (size_t)snprintf(out, LK_POLICY_TEXT_MAX, "%s", c->policy->name);

    if (c->policy->uses & LK_USES_BASE)
        at = add(out, at, "base", p->base_s);
    if (c->policy->uses & LK_USES_FACTOR)
        at = add(out, at, "factor", p->factor);
    if (c->policy->uses & LK_USES_CAP)
        at = add(out, at, "cap", p->cap_s);
    if (c->policy->uses & LK_USES_JITTER)
        at = add(out, at, "jitter", p->jitter);
    if (p->attempts)
        (void)add(out, at, "attempts", (double)p->attempts);
}

lk_code lk_policy_parse_one(const char *name, const char *value, lk_policy_choice *c, lk_err *e)
{
    char text[LK_POLICY_TEXT_MAX];

    if (!value)
        return LK_OK;
    if (strchr(value, ',') || strlen(value) > 40)
        return lk_fail(e, LK_EUSAGE, "--%s: '%.40s' is not one value", name, value);
    (void)snprintf(text, sizeof(text), "%s:%s=%s", c->policy->name, name, value);
    return lk_policy_parse(lk_slice_from(text), c, e);
}
