#include "model/redact.h"

#include "base/hash.h"

#include <inttypes.h>
#include <string.h>

typedef struct kind_row {
    const char *name;   /* as it is asked for */
    const char *prefix; /* of its pseudonyms */
} kind_row;

/* clang-format off */
static const kind_row KINDS[LK_REDACT_KINDS] = {
    [LK_REDACT_CALLER] = { "callers",     "caller" },
    [LK_REDACT_TARGET] = { "targets",     "target" },
    [LK_REDACT_AGENT]  = { "user-agents", "agent"  },
    [LK_REDACT_HOST]   = { "hosts",       "host"   },
};
/* clang-format on */

static unsigned find_kinds(lk_slice name)
{
    if (lk_slice_is(name, "all"))
        return (1U << LK_REDACT_KINDS) - 1;
    for (size_t i = 0; i < LK_REDACT_KINDS; i++)
        if (lk_slice_is(name, KINDS[i].name))
            return 1U << i;
    return 0;
}

lk_code lk_redact_init(lk_redact *r, const char *kinds, lk_arena *arena, lk_err *e)
{
    *r = (lk_redact){ .arena = arena };
    while (kinds) {
        size_t len = strcspn(kinds, ",");
        unsigned found = find_kinds((lk_slice){ kinds, len });

        if (!found)
            return lk_fail(e, LK_EUSAGE,
                           "--redact: '%.*s' is none of callers, targets, user-agents, hosts and all",
                           (int)(len < 60 ? len : 60), kinds);
        r->kinds |= found;
        kinds = kinds[len] == ',' ? kinds + len + 1 : NULL;
    }
    return LK_OK;
}

lk_code lk_redact_use_key(lk_redact *r, lk_slice key, lk_err *e)
{
    if (key.len < LK_REDACT_KEY_MIN)
        return lk_fail(e, LK_EUSAGE, "a key of %zu bytes is too short: at least %d are needed",
                       key.len, (int)LK_REDACT_KEY_MIN);
    r->keyed = true;
    r->k0 = lk_hash_keyed(key.p, key.len, 1, 2);
    r->k1 = lk_hash_keyed(key.p, key.len, 3, 4);
    return LK_OK;
}

/* One text has another hash as a caller than as a target. */
static const char *keyed_pseudonym(const lk_redact *r, lk_redact_kind kind, const char *text,
                                   lk_arena *arena)
{
    uint64_t hash = lk_hash_keyed(text, strlen(text), r->k0 ^ (uint64_t)kind, r->k1);

    return lk_arena_printf(arena, "%s-%016" PRIx64, KINDS[kind].prefix, hash);
}

static const char *make_pseudonym(lk_redact *r, lk_redact_kind kind, const char *text)
{
    if (!r->keyed)
        return lk_arena_printf(r->arena, "%s-%zu", KINDS[kind].prefix, ++r->numbers[kind]);
    return keyed_pseudonym(r, kind, text, r->arena);
}

const char *lk_redact_fresh(const lk_redact *r, lk_redact_kind kind, const char *text, lk_arena *arena)
{
    const char *made;

    if (!(r->kinds >> kind & 1) || strcmp(text, "other") == 0)
        return text;
    made = keyed_pseudonym(r, kind, text, arena);
    return made ? made : "?";
}

static const char *find(const lk_redact *r, lk_redact_kind kind, const char *text)
{
    for (size_t i = 0; i < r->count; i++)
        if (r->names[i].kind == kind && strcmp(r->names[i].text, text) == 0)
            return r->names[i].pseudonym;
    return NULL;
}

static bool grow(lk_redact *r)
{
    size_t cap = r->cap ? 2 * r->cap : 64;
    lk_redact_name *names = LK_NEW(r->arena, lk_redact_name, cap);

    if (!names)
        return false;
    if (r->count > 0)
        memcpy(names, r->names, r->count * sizeof(*names));
    r->names = names;
    r->cap = cap;
    return true;
}

const char *lk_redact_text(lk_redact *r, lk_redact_kind kind, const char *text)
{
    const char *known;

    if (!text || !(r->kinds >> kind & 1) || strcmp(text, "other") == 0)
        return text;
    known = find(r, kind, text);
    if (known)
        return known;
    if (r->count == r->cap && !grow(r))
        return "?";
    known = make_pseudonym(r, kind, text);
    if (!known)
        return "?";
    r->names[r->count++] = (lk_redact_name){ text, known, kind };
    return known;
}

static void agent(lk_redact *r, const char **text)
{
    *text = lk_redact_text(r, LK_REDACT_AGENT, *text);
}

static void clock_names(lk_redact *r, lk_report_clock *c)
{
    agent(r, &c->population);
    for (size_t i = 0; i < c->target_count; i++)
        c->targets[i] = lk_redact_text(r, LK_REDACT_TARGET, c->targets[i]);
}

static lk_redact_kind kind_of(const char *field)
{
    if (strcmp(field, "host") == 0)
        return LK_REDACT_HOST;
    return strcmp(field, "target") == 0 ? LK_REDACT_TARGET : LK_REDACT_CALLER;
}

static void layer_names(lk_redact *r, const lk_report_layers *l)
{
    for (size_t i = 0; i < l->amplification_count; i++)
        agent(r, &l->amplification[i].population);
    for (size_t i = 0; i < l->layer_count; i++)
        agent(r, &l->layers[i].population);
}

static void value_names(lk_redact *r, lk_report_by *by)
{
    for (size_t i = 0; i < by->value_count; i++) {
        lk_report_value *v = &by->values[i];

        v->value = lk_redact_text(r, kind_of(by->field), v->value);
        layer_names(r, &v->retries);
    }
    if (by->other)
        layer_names(r, &by->other->retries);
}

/* In the order of the text report. */
void lk_redact_report(lk_redact *r, lk_report *report)
{
    if (!r->kinds)
        return;
    for (size_t i = 0; i < report->amplification_count; i++)
        agent(r, &report->amplification[i].population);
    for (size_t i = 0; i < report->layer_count; i++)
        agent(r, &report->layers[i].population);
    for (size_t i = 0; i < report->clock_count; i++)
        clock_names(r, &report->clocks[i]);
    for (size_t i = 0; i < report->fixed_delay_count; i++)
        agent(r, &report->fixed_delays[i].population);
    for (size_t i = 0; i < report->policy_count; i++)
        agent(r, &report->policies[i].population);
    for (size_t i = 0; i < report->workload.count; i++)
        agent(r, &report->workload.crowds[i].population);
    agent(r, &report->capacity.population);
    if (report->by)
        value_names(r, report->by);
    for (size_t i = 0; i < report->input.sample_count; i++)
        report->input.samples[i].text = NULL;
}
