#include "format/named.h"

#include "format/value.h"

#include <stdio.h>
#include <string.h>

/* As an id of a set of paths, where it can be one. */
static void add_path(lk_named *a, uint8_t index)
{
    char text[LK_JSON_PATH_MAX * (LK_NAMED_MAX + 1)] = "";
    size_t len = 0, paths = 0;
    lk_json_paths set;
    lk_err ignored = { 0 };

    for (uint8_t i = 0; i <= index; i++) {
        const char *name = a->name[i];
        bool is_path = !strpbrk(name, " %$,=") && strlen(name) < LK_JSON_PATH_MAX - 4;

        if (!is_path)
            continue;
        len += (size_t)snprintf(text + len, sizeof(text) - len, "%sid=%s", len ? "," : "", name);
        a->of_path[paths++] = i;
    }
    if (paths > 0 && lk_json_keys_parse(text, &set, &ignored) == LK_OK)
        a->paths = set;
}

lk_code lk_named_add(lk_named *a, const char *name, uint8_t *index, lk_err *e)
{
    for (size_t i = 0; i < a->count; i++)
        if (strcmp(a->name[i], name) == 0) {
            *index = (uint8_t)i;
            return LK_OK;
        }
    if (a->count == LK_NAMED_MAX)
        return lk_fail(e, LK_EUSAGE, "'%.60s': more than %d fields of the log's own are asked for",
                       name, (int)LK_NAMED_MAX);
    *index = (uint8_t)a->count;
    a->name[a->count++] = name;
    add_path(a, *index);
    return LK_OK;
}

struct wanted {
    const lk_named *asked;
    lk_slice *values;
};

static void take(void *ctx, lk_slice name, lk_slice value)
{
    const struct wanted *w = ctx;

    for (size_t i = 0; i < w->asked->count; i++)
        if (!w->values[i].p && !lk_value_is_absent(value) && lk_slice_is(name, w->asked->name[i]))
            w->values[i] = value;
}

void lk_named_read(const lk_named *a, const lk_layout *l, lk_parse_cache *c, lk_parse_cache *side,
                   lk_slice *values)
{
    struct wanted w = { a, values };

    for (size_t i = 0; i < LK_NAMED_MAX; i++)
        values[i] = LK_SLICE_NONE;
    if (c->row && c->row->find)
        c->row->find(side, c->body, a, values);
    else
        lk_named_each(l, c, take, &w);
}

void lk_named_each(const lk_layout *l, lk_parse_cache *c, lk_field_visit *visit, void *ctx)
{
    if (c->row && c->row->each)
        c->row->each(l, c, c->body, visit, ctx);
}
