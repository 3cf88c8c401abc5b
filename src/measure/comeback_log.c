#include "measure/comeback_log.h"
#include "base/hash.h"

#include <stdlib.h>

void lk_comeback_log_init(lk_comeback_log *c)
{
    *c = (lk_comeback_log){ 0 };
}

void lk_comeback_log_release(lk_comeback_log *c)
{
    for (size_t i = 0; i < c->count; i++) {
        free(c->groups[i]->sample);
        free(c->groups[i]);
    }
    *c = (lk_comeback_log){ 0 };
}

static int compare_u64(uint64_t a, uint64_t b)
{
    return (a > b) - (a < b);
}

/* By hash of caller, then of call: the order of the sample, total over all that a comeback says. */
static int compare(const lk_comeback *a, const lk_comeback *b)
{
    int c = compare_u64(lk_hash_mix(a->caller), lk_hash_mix(b->caller));

    if (!c)
        c = compare_u64(a->call, b->call);
    if (!c)
        c = compare_u64(a->retry, b->retry);
    if (!c)
        c = (a->at_ns > b->at_ns) - (a->at_ns < b->at_ns);
    if (!c)
        c = (a->pause_ns > b->pause_ns) - (a->pause_ns < b->pause_ns);
    return c;
}

static int by_hash(const void *pa, const void *pb)
{
    return compare(pa, pb);
}

static void swap(lk_comeback *a, lk_comeback *b)
{
    lk_comeback t = *a;

    *a = *b;
    *b = t;
}

static void sift_up(lk_comeback *heap, size_t i)
{
    for (; i > 0 && compare(&heap[i], &heap[(i - 1) / 2]) > 0; i = (i - 1) / 2)
        swap(&heap[i], &heap[(i - 1) / 2]);
}

static void sift_down(lk_comeback *heap, size_t n, size_t i)
{
    for (size_t child; (child = 2 * i + 1) < n; i = child) {
        if (child + 1 < n && compare(&heap[child + 1], &heap[child]) > 0)
            child++;
        if (compare(&heap[i], &heap[child]) >= 0)
            return;
        swap(&heap[i], &heap[child]);
    }
}

static bool grow(lk_comeback_group *g)
{
    size_t cap = g->cap ? 2 * g->cap : 64;
    lk_comeback *grown = realloc(g->sample, cap * sizeof(*grown));

    if (!grown)
        return false;
    g->sample = grown;
    g->cap = cap;
    return true;
}

static bool keep(lk_comeback_group *g, const lk_comeback *comeback)
{
    if (g->count == LK_COMEBACK_SAMPLE) {
        if (compare(comeback, &g->sample[0]) < 0) {
            g->sample[0] = *comeback;
            sift_down(g->sample, g->count, 0);
        }
        return true;
    }
    if (g->count == g->cap && !grow(g))
        return false;
    g->sample[g->count] = *comeback;
    sift_up(g->sample, g->count++);
    return true;
}

static bool is_of(const lk_comeback_group *g, uint32_t population, uint8_t layer)
{
    return g->set.population == population && g->set.layer == layer;
}

/* The group, made when new; NULL when there is no room or no memory. */
static lk_comeback_group *group_of(lk_comeback_log *c, uint32_t population, uint8_t layer)
{
    lk_comeback_group *made;

    if (c->last < c->count && is_of(c->groups[c->last], population, layer))
        return c->groups[c->last];
    for (c->last = 0; c->last < c->count; c->last++)
        if (is_of(c->groups[c->last], population, layer))
            return c->groups[c->last];
    if (c->count == LK_COMEBACK_GROUPS)
        return NULL;
    made = calloc(1, sizeof(*made));
    if (!made) {
        c->failed = true;
        return NULL;
    }
    made->set.population = population;
    made->set.layer = layer;
    c->groups[c->count++] = made;
    return made;
}

void lk_comeback_log_add(lk_comeback_log *c, const lk_comeback *comeback)
{
    lk_comeback_group *g = group_of(c, comeback->population, comeback->layer);

    if (!g) {
        c->folded++;
        return;
    }
    g->set.total++;
    g->set.by_id += comeback->by_id;
    g->set.by_retry[comeback->retry < LK_COMEBACK_RETRIES ? comeback->retry : LK_COMEBACK_RETRIES]++;
    if (!keep(g, comeback))
        c->failed = true;
}

void lk_comeback_log_merge(lk_comeback_log *c, const lk_comeback_log *other)
{
    c->folded += other->folded;
    c->failed |= other->failed;
    for (size_t i = 0; i < other->count; i++) {
        const lk_comeback_group *from = other->groups[i];
        lk_comeback_group *g = group_of(c, from->set.population, from->set.layer);

        if (!g) {
            c->folded += from->set.total;
            continue;
        }
        g->set.total += from->set.total;
        g->set.by_id += from->set.by_id;
        for (size_t k = 0; k <= LK_COMEBACK_RETRIES; k++)
            g->set.by_retry[k] += from->set.by_retry[k];
        for (size_t k = 0; k < from->count; k++)
            if (!keep(g, &from->sample[k]))
                c->failed = true;
    }
}

static int most_first(const void *pa, const void *pb)
{
    const lk_comeback_set *a = pa, *b = pb;

    if (a->total != b->total)
        return a->total > b->total ? -1 : 1;
    if (a->layer != b->layer)
        return a->layer < b->layer ? -1 : 1;
    return (a->population > b->population) - (a->population < b->population);
}

lk_code lk_comeback_log_evidence(lk_comeback_log *c, lk_arena *arena, lk_evidence *out, lk_err *e)
{
    lk_comeback_set *sets = LK_NEW(arena, lk_comeback_set, c->count ? c->count : 1);

    if (!sets || c->failed)
        return lk_fail(e, LK_EOOM, "no memory for the delays of comebacks");
    for (size_t i = 0; i < c->count; i++) {
        lk_comeback_group *g = c->groups[i];

        if (g->count)
            qsort(g->sample, g->count, sizeof(*g->sample), by_hash);
        sets[i] = g->set;
        sets[i].sample = g->sample;
        sets[i].count = g->count;
    }
    qsort(sets, c->count, sizeof(*sets), most_first);
    out->comebacks = sets;
    out->comeback_count = c->count;
    return LK_OK;
}
