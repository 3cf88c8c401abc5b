#include "measure/above.h"
#include "base/hash.h"
#include "base/whole.h"
#include "model/call_counts.h"

#include <string.h>

struct unit {
    uint32_t http, calls, tasks;
    uint16_t group, layer;
};

struct combination {
    uint32_t unit[LK_NAMED_LAYERS_MAX]; /* index + 1; 0 = none */
};

lk_code lk_above_init(lk_above *a, size_t layers, size_t max, uint64_t seed, lk_err *e)
{
    *a = (lk_above){ .layers = layers };
    if (!layers)
        return LK_OK;
    LK_TRY(lk_lru_init(&a->units, sizeof(struct unit), max, seed, e));
    return lk_lru_init(&a->combinations, sizeof(struct combination), max, seed, e);
}

void lk_above_release(lk_above *a)
{
    if (a->layers) {
        lk_lru_release(&a->units);
        lk_lru_release(&a->combinations);
    }
    *a = (lk_above){ 0 };
}

/* One unit is of one population: another one's of that name is another. */
static uint64_t key_of(size_t layer, uint32_t population, lk_slice value)
{
    return lk_hash_mix(lk_hash(value.p, value.len) ^ lk_hash_mix(population * 4U + layer + 1));
}

static lk_code find_unit(lk_above *a, size_t layer, uint64_t key, uint32_t *index, lk_err *e)
{
    struct unit *u = lk_lru_find(&a->units, key);
    void *fresh;

    *index = 0;
    if (!u) {
        if (lk_lru_is_full(&a->units))
            return LK_OK;
        LK_TRY(lk_lru_add(&a->units, key, &fresh, e));
        u = fresh;
        u->layer = (uint16_t)layer;
    }
    *index = lk_lru_index(&a->units, u) + 1;
    return LK_OK;
}

lk_code lk_above_number(lk_above *a, uint32_t population, const lk_slice *values, uint32_t *number,
                        lk_err *e)
{
    uint64_t keys[LK_NAMED_LAYERS_MAX] = { 0 }, all = 0;
    struct combination *c;
    void *fresh;

    *number = 0;
    for (size_t i = 0; i < a->layers; i++) {
        if (!values[i].p || !values[i].len)
            continue;
        a->seen[i]++;
        keys[i] = key_of(i, population, values[i]);
        all = lk_hash_mix(all ^ keys[i]);
    }
    if (!all)
        return LK_OK;
    c = lk_lru_find(&a->combinations, all);
    if (!c && lk_lru_is_full(&a->combinations)) {
        a->folded++;
        return LK_OK;
    }
    if (!c) {
        LK_TRY(lk_lru_add(&a->combinations, all, &fresh, e));
        c = fresh;
        for (size_t i = 0; i < a->layers; i++)
            if (keys[i])
                LK_TRY(find_unit(a, i, keys[i], &c->unit[i], e));
    }
    for (size_t i = 0; i < a->layers; i++)
        a->folded += keys[i] && !c->unit[i];
    *number = lk_lru_index(&a->combinations, c) + 1;
    return LK_OK;
}

static struct unit *unit_of(lk_above *a, uint32_t number, size_t layer)
{
    const struct combination *c = lk_lru_at(&a->combinations, number - 1);

    return c->unit[layer] ? lk_lru_at(&a->units, c->unit[layer] - 1) : NULL;
}

void lk_above_call(lk_above *a, const lk_call *call)
{
    for (size_t i = 0; call->above && i < a->layers; i++) {
        struct unit *u = unit_of(a, call->above, i);

        if (!u)
            continue;
        lk_count_u32(&u->calls, true);
        u->http = lk_sum_u32(u->http, lk_whole_u32((double)lk_call_http(call)));
        u->group = call->group;
    }
}

void lk_above_task(lk_above *a, const lk_task *task)
{
    for (size_t i = 0; task->above && i < a->layers; i++) {
        struct unit *u = unit_of(a, task->above, i);

        if (u)
            lk_count_u32(&u->tasks, true);
    }
}

static uint64_t larger(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

static void add_unit(void *ctx, uint64_t key, void *entry)
{
    lk_named_layers *out = ctx;
    const struct unit *u = entry;
    lk_named_sum *s = &out->sums[u->layer][u->group];

    (void)key;
    if (!u->calls || u->group >= LK_NAMED_LAYER_GROUPS)
        return;
    s->units++;
    s->http += u->http;
    s->calls += u->calls;
    s->tasks += u->tasks;
    s->most_http = larger(s->most_http, u->http);
    s->most_calls = larger(s->most_calls, u->calls);
    s->most_tasks = larger(s->most_tasks, u->tasks);
}

void lk_above_sum(const lk_above *a, lk_named_layers *out)
{
    memset(out->sums, 0, sizeof(out->sums));
    if (a->layers)
        lk_lru_each(&a->units, add_unit, out);
}
