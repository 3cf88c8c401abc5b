#include "measure/hops.h"

#include <stdlib.h>
#include <string.h>

enum { FAILING_MAX = 65536, CALM_MAX = 32768 };

void lk_hops_init(lk_hops *h)
{
    *h = (lk_hops){ .failing.max = FAILING_MAX, .calm.max = CALM_MAX };
}

void lk_hops_limit(lk_hops *h, size_t max)
{
    if (max >= FAILING_MAX + CALM_MAX)
        return;
    h->calm.max = max / 3;
    h->failing.max = max - max / 3;
}

void lk_hops_release(lk_hops *h)
{
    free(h->failing.items);
    free(h->calm.items);
    *h = (lk_hops){ 0 };
}

static bool is_sampled(const lk_hop_pool *p, uint64_t caller)
{
    return (caller & ((UINT64_C(1) << p->share_log2) - 1)) == 0;
}

static void thin(lk_hop_pool *p)
{
    size_t kept = 0;

    p->share_log2++;
    for (size_t i = 0; i < p->count; i++)
        if (is_sampled(p, p->items[i].caller))
            p->items[kept++] = p->items[i];
    p->count = kept;
}

static lk_code pool_add(lk_hop_pool *p, const lk_hop *hop, lk_err *e)
{
    if (!is_sampled(p, hop->caller))
        return LK_OK;
    while (p->count == p->max && p->share_log2 < 32) {
        thin(p);
        if (!is_sampled(p, hop->caller))
            return LK_OK;
    }
    if (p->count == p->max) /* one caller alone fills the pool: its later steps say nothing new */
        return LK_OK;
    if (p->count == p->cap) {
        /* What is not used yet is not touched; what growth leaves behind is. */
        size_t cap = p->max;
        lk_hop *grown = realloc(p->items, cap * sizeof(*grown));

        if (!grown)
            return lk_fail(e, LK_EOOM, "no memory for %zu steps of callers", cap);
        p->items = grown;
        p->cap = cap;
    }
    p->items[p->count++] = *hop;
    return LK_OK;
}

bool lk_hops_want(const lk_hops *h, uint64_t caller, bool has_failed)
{
    return is_sampled(has_failed ? &h->failing : &h->calm, caller);
}

lk_code lk_hops_add(lk_hops *h, const lk_hop *hop, bool has_failed, lk_err *e)
{
    return pool_add(has_failed ? &h->failing : &h->calm, hop, e);
}

static int compare(int64_t a, int64_t b)
{
    return (a > b) - (a < b);
}

/* A total order over all that a step says, so that the sorted array is the same however it came. */
static int by_start(const void *pa, const void *pb)
{
    const lk_hop *a = pa, *b = pb;
    int c = compare(a->from_ns, b->from_ns);

    if (!c)
        c = (a->caller > b->caller) - (a->caller < b->caller);
    if (!c)
        c = compare(a->gap_ns, b->gap_ns);
    if (!c)
        c = compare(a->pause_ns, b->pause_ns);
    if (!c)
        c = compare((int64_t)a->population, (int64_t)b->population);
    if (!c)
        c = compare((int64_t)a->target, (int64_t)b->target);
    if (!c)
        c = compare(a->rejected * 4 + a->failed * 2 + a->next_rejected,
                    b->rejected * 4 + b->failed * 2 + b->next_rejected);
    return c;
}

lk_code lk_hops_evidence(lk_hops *h, lk_arena *arena, lk_evidence *out, lk_err *e)
{
    size_t n = h->failing.count + h->calm.count;
    lk_hop *all = LK_NEW(arena, lk_hop, n ? n : 1);

    if (!all)
        return lk_fail(e, LK_EOOM, "no memory for %zu steps of callers", n);
    if (h->failing.count)
        memcpy(all, h->failing.items, h->failing.count * sizeof(*all));
    if (h->calm.count)
        memcpy(all + h->failing.count, h->calm.items, h->calm.count * sizeof(*all));
    qsort(all, n, sizeof(*all), by_start);
    out->hops = all;
    out->hop_count = n;
    out->hop_share_log2 = h->failing.share_log2;
    out->calm_share_log2 = h->calm.share_log2;
    return LK_OK;
}
