#include "format/filter.h"

#include "base/glob.h"
#include "format/request.h"
#include "format/value.h"

#include <stdio.h>
#include <string.h>

enum { STATUSES = 1000 };

struct lk_rule {
    uint8_t field; /* of FIELDS, or FIELD_COUNT + the number of an asked name */
    bool inverted;
    lk_slice glob;
    uint64_t statuses[(STATUSES + 63) / 64]; /* of a rule on the status */
};

/* ---- the fields that every format gives ---- */

static lk_slice caller_of(const lk_fields *f)
{
    return f->caller;
}

static lk_slice method_of(const lk_fields *f)
{
    return f->method;
}

static lk_slice host_of(const lk_fields *f)
{
    return lk_host_name(f->host);
}

static lk_slice agent_of(const lk_fields *f)
{
    return f->agent;
}

typedef struct field_row {
    const char *name;
    lk_slice (*get)(const lk_fields *f); /* NULL: the target, the status */
    bool caseless;
} field_row;

enum { TARGET = 3, STATUS = 4 };

/* clang-format off */
static const field_row FIELDS[] = {
    { "caller",        caller_of, false },
    { "method",        method_of, false },
    { "host",          host_of,   true  },
    [TARGET] = { "target", NULL,  false },
    [STATUS] = { "status", NULL,  false },
    { "user_agent",    agent_of,  false },
};
/* clang-format on */

enum { FIELD_COUNT = sizeof(FIELDS) / sizeof(FIELDS[0]) };

_Static_assert(FIELD_COUNT + LK_NAMED_MAX == LK_FILTER_FIELDS, "a bit for each field");

/* "user-agent" is user_agent. */
static bool is_name(const char *name, const char *typed)
{
    for (; *name && (*name == *typed || (*name == '_' && *typed == '-')); name++, typed++)
        ;
    return *name == *typed;
}

static size_t find_field(const char *typed)
{
    size_t i = 0;

    while (i < FIELD_COUNT && !is_name(FIELDS[i].name, typed))
        i++;
    return i;
}

/* ---- statuses ---- */

static void set_range(uint64_t *set, unsigned first, unsigned last)
{
    for (unsigned s = first; s <= last; s++)
        set[s / 64] |= UINT64_C(1) << s % 64;
}

/* "429" or "4xx", "42x": the lowest and the highest that it means. */
static bool read_class(lk_slice s, unsigned *first, unsigned *last)
{
    *first = *last = 0;
    if (s.len != 3)
        return false;
    for (size_t i = 0; i < 3; i++) {
        bool any = i > 0 && (s.p[i] | 0x20) == 'x';

        if (!any && (s.p[i] < '0' || s.p[i] > '9'))
            return false;
        if (!any && *first != *last)
            return false; /* "4x1" */
        *first = *first * 10 + (any ? 0 : (unsigned)(s.p[i] - '0'));
        *last = *last * 10 + (any ? 9 : (unsigned)(s.p[i] - '0'));
    }
    return true;
}

static bool read_item(lk_slice s, uint64_t *set)
{
    const char *dash = s.len ? memchr(s.p, '-', s.len) : NULL;
    unsigned first, last, none;

    if (!dash) {
        if (!read_class(s, &first, &last))
            return false;
    } else if (!read_class((lk_slice){ s.p, (size_t)(dash - s.p) }, &first, &none) ||
               !read_class(lk_slice_skip(s, (size_t)(dash - s.p) + 1), &none, &last) ||
               first > last) {
        return false;
    }
    set_range(set, first, last);
    return true;
}

static bool read_statuses(lk_slice list, uint64_t *set)
{
    for (;;) {
        const char *comma = list.len ? memchr(list.p, ',', list.len) : NULL;
        size_t len = comma ? (size_t)(comma - list.p) : list.len;

        if (!read_item((lk_slice){ list.p, len }, set))
            return false;
        if (!comma)
            return true;
        list = lk_slice_skip(list, len + 1);
    }
}

/* ---- rules ---- */

/* Where the operator begins: the first '=', with the '!' before it. */
static const char *find_operator(const char *text, bool *inverted)
{
    const char *equals = strchr(text, '=');

    *inverted = equals && equals > text && equals[-1] == '!';
    return equals ? equals - *inverted : NULL;
}

static lk_code compile_rule(const char *text, lk_arena *arena, lk_filter *out, lk_err *e)
{
    lk_rule *rule = &out->rules[out->count];
    const char *op = find_operator(text, &rule->inverted), *name;
    size_t field;
    uint8_t asked;

    if (!op || op == text)
        return lk_fail(e, LK_EUSAGE, "--match '%.60s' is neither FIELD=GLOB nor FIELD!=GLOB", text);
    name = lk_arena_text(arena, (lk_slice){ text, (size_t)(op - text) });
    if (!name)
        return lk_fail(e, LK_EOOM, "no memory for a filter");
    rule->glob = lk_slice_from(op + 1 + rule->inverted);
    field = find_field(name);
    if (field == FIELD_COUNT) {
        LK_TRY(lk_named_add(&out->asked, name, &asked, e));
        field += asked;
    }
    if (field == STATUS && !read_statuses(rule->glob, rule->statuses))
        return lk_fail(e, LK_EUSAGE, "--match status: '%.60s' is no status: 429, 5xx, 400-499 or a "
                                     "list of these",
                       rule->glob.p);
    rule->field = (uint8_t)field;
    out->used |= UINT32_C(1) << field;
    if (!rule->inverted)
        out->needed |= UINT32_C(1) << field;
    out->count++;
    return LK_OK;
}

lk_code lk_filter_compile(const char *const *texts, size_t count, lk_arena *arena, lk_filter *out,
                          lk_err *e)
{
    *out = (lk_filter){ .count = 0 };
    if (count == 0)
        return LK_OK;
    if (count > LK_RULES_MAX)
        return lk_fail(e, LK_EUSAGE, "--match is given more than %d times", (int)LK_RULES_MAX);
    out->rules = LK_NEW(arena, lk_rule, count);
    if (!out->rules)
        return lk_fail(e, LK_EOOM, "no memory for %zu filters", count);
    for (size_t i = 0; i < count; i++)
        LK_TRY(compile_rule(texts[i], arena, out, e));
    return LK_OK;
}

/* ---- names, for who asked for one that is not there ---- */

struct list {
    char *text;
    size_t len;
    const char *last_value; /* a second name for one field is not listed */
};

static void list_name(void *ctx, lk_slice name, lk_slice value)
{
    struct list *list = ctx;
    int added;

    if (value.len > 0 && value.p == list->last_value)
        return;
    list->last_value = value.p;
    added = snprintf(list->text + list->len, LK_FILTER_NAMES - list->len, "%s%.*s",
                     list->len ? ", " : "", (int)(name.len < 64 ? name.len : 64), name.p);
    if (added > 0 && (size_t)added < LK_FILTER_NAMES - list->len)
        list->len += (size_t)added;
    else
        list->text[list->len] = '\0';
}

static void list_names(const lk_layout *l, lk_parse_cache *c, const lk_fields *f,
                       lk_filter_use *use)
{
    struct list list = { .text = use->names };

    for (size_t i = 0; i < FIELD_COUNT; i++)
        if (!FIELDS[i].get || FIELDS[i].get(f).len > 0)
            list_name(&list, lk_slice_from(FIELDS[i].name), LK_SLICE_NONE);
    lk_named_each(l, c, list_name, &list);
}

/* ---- lines ---- */

/* A line as the rules see it. */
struct view {
    const lk_fields *fields;
    lk_slice target;
    lk_slice asked[LK_NAMED_MAX];
};

static lk_slice value_of(const struct view *v, size_t field)
{
    if (field >= FIELD_COUNT)
        return v->asked[field - FIELD_COUNT];
    return field == TARGET ? v->target : FIELDS[field].get(v->fields);
}

static bool fits(const lk_rule *rule, const struct view *v, uint32_t *present)
{
    unsigned status = v->fields->status;
    lk_slice value;

    if (rule->field == STATUS) {
        *present |= UINT32_C(1) << STATUS;
        return status < STATUSES && (rule->statuses[status / 64] >> status % 64 & 1);
    }
    value = value_of(v, rule->field);
    if (lk_value_is_absent(value))
        value = LK_SLICE("");
    else
        *present |= UINT32_C(1) << rule->field;
    return rule->field < FIELD_COUNT && FIELDS[rule->field].caseless
               ? lk_glob_matches_caseless(rule->glob, value)
               : lk_glob_matches(rule->glob, value);
}

bool lk_filter_passes(const lk_filter *f, const lk_layout *l, lk_parse_cache *c,
                      const lk_fields *fields, lk_slice target, lk_filter_use *use)
{
    struct view v = { .fields = fields, .target = target };
    uint32_t fitting = 0;
    bool refused = false;

    if (f->asked.count > 0)
        lk_named_read(&f->asked, l, c, use->side, v.asked);
    if (!use->names[0])
        list_names(l, c, fields, use);
    for (size_t i = 0; i < f->count; i++) {
        const lk_rule *rule = &f->rules[i];
        bool is_fit = fits(rule, &v, &use->present);

        refused |= is_fit && rule->inverted;
        if (is_fit && !rule->inverted)
            fitting |= UINT32_C(1) << rule->field;
    }
    return !refused && fitting == f->needed;
}

const char *lk_filter_missing(const lk_filter *f, uint32_t present, size_t *at)
{
    for (; *at < LK_FILTER_FIELDS; ++*at) {
        size_t i = *at;

        if (!((f->used & ~present) >> i & 1))
            continue;
        ++*at;
        return i < FIELD_COUNT ? FIELDS[i].name : f->asked.name[i - FIELD_COUNT];
    }
    return NULL;
}
