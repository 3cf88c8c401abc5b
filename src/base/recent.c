#include "base/recent.h"

#include "base/hash.h"
#include "base/prefetch.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum { CAP_FIRST = 1024 };
#define MAX_ENTRIES ((size_t)1 << 29) /* places still count in 32 bits, holes and all */

/* In front of each entry. */
typedef struct node {
    uint64_t key;
    uint32_t tag;
    uint32_t is_there; /* 0 = a hole: it was used again, and lies further on */
} node;

struct lk_recent_slot {
    uint32_t tag; /* of the key's hash: saves looking at the entry, and tells the slot's home */
    uint32_t ref; /* place + 1, 0 = never used; a place before `head` is gone */
};

/* ---- the ring ---- */

static node *node_at(const lk_recent *t, uint32_t place)
{
    size_t at = t->head_at + (place - t->head);

    if (at >= t->cap)
        at -= t->cap;
    return (node *)(void *)(t->nodes + at * t->stride);
}

static void *entry_of(node *n)
{
    return n + 1;
}

static bool is_gone(const lk_recent *t, uint32_t ref)
{
    return ref - 1 < t->head;
}

static void pass_head(lk_recent *t)
{
    t->head++;
    t->head_at = t->head_at + 1 < t->cap ? t->head_at + 1 : 0;
}

/* ---- slots: open addressing, linear probing ---- */

static uint32_t tag_of(const lk_recent *t, uint64_t key)
{
    return (uint32_t)(lk_hash_mix(key ^ t->seed) >> 32);
}

static size_t home(const lk_recent *t, uint32_t tag)
{
    return tag & (t->slot_count - 1);
}

static size_t after(const lk_recent *t, size_t slot)
{
    return (slot + 1) & (t->slot_count - 1);
}

/* The slot that holds `key`, or one that was never used. */
static size_t slot_of(const lk_recent *t, uint64_t key, uint32_t tag)
{
    size_t at = home(t, tag);

    for (uint32_t ref; (ref = t->slots[at].ref) != 0; at = after(t, at))
        if (t->slots[at].tag == tag && !is_gone(t, ref) && node_at(t, ref - 1)->key == key)
            break;
    return at;
}

/* For an entry that no slot holds: in the place of one that is gone, where it passes by one. */
static void enter(lk_recent *t, uint32_t tag, uint32_t place)
{
    size_t at = home(t, tag);

    while (t->slots[at].ref != 0 && !is_gone(t, t->slots[at].ref))
        at = after(t, at);
    t->slots_used += t->slots[at].ref == 0;
    t->slots[at] = (struct lk_recent_slot){ tag, place + 1 };
}

/* ---- laying out anew ---- */

/* A quarter more than the entries, for holes. */
static size_t cap_for(size_t max)
{
    return max + max / 4 + 16;
}

static size_t slots_for(size_t cap)
{
    size_t count = 32;

    while (5 * count < 8 * cap)
        count *= 2;
    return count;
}

/* The entries, without the holes between them, into to[]: where the ring begins, which it may be itself; then all
 * slots. */
static void lay_out(lk_recent *t, unsigned char *to, size_t cap)
{
    const bool is_own = to == t->nodes;
    size_t at = is_own ? t->head_at : 0;
    const size_t begin = at;

    for (uint32_t place = t->head; place != t->tail; place++) {
        node *n = node_at(t, place);
        unsigned char *into = to + at * t->stride;

        if (!n->is_there)
            continue;
        if (into != (unsigned char *)n)
            memcpy(into, n, t->stride);
        at = at + 1 < cap ? at + 1 : 0;
    }
    t->nodes = to;
    t->cap = cap;
    t->head_at = begin;
    t->head = 0;
    t->tail = (uint32_t)t->count;
    memset(t->slots, 0, t->slot_count * sizeof(*t->slots));
    t->slots_used = 0;
    for (uint32_t place = 0; place < t->tail; place++)
        enter(t, node_at(t, place)->tag, place);
}

/* Nodes begin with a line of the cache: one of 48 bytes lies in one. */
static bool grow(lk_recent *t, size_t cap)
{
    const size_t slot_count = slots_for(cap), size = cap * t->stride;
    unsigned char *nodes = NULL, *old = t->nodes;
    struct lk_recent_slot *slots;

    if (cap <= SIZE_MAX / 2 / t->stride)
        nodes = aligned_alloc(LK_PREFETCH_LINE,
                              (size + LK_PREFETCH_LINE - 1) / LK_PREFETCH_LINE * LK_PREFETCH_LINE);
    slots = nodes ? malloc(slot_count * sizeof(*slots)) : NULL;
    if (!slots) {
        free(nodes);
        return false;
    }
    free(t->slots);
    t->slots = slots;
    t->slot_count = slot_count;
    lay_out(t, nodes, cap);
    free(old);
    return true;
}

/* Room for one more behind the newest; with growth, so that a quarter at least is left for holes. */
static bool make_room(lk_recent *t)
{
    const size_t most = cap_for(t->max);

    if (t->cap < most && 4 * (t->count + 1) > 3 * t->cap)
        return grow(t, t->cap > most / 4 ? most : 4 * t->cap);
    return true;
}

static bool is_worn(const lk_recent *t)
{
    return t->tail - t->head == t->cap || 4 * t->slots_used > 3 * t->slot_count || t->tail == UINT32_MAX - 1;
}

/* ---- the interface ---- */

lk_code lk_recent_init(lk_recent *t, size_t entry_size, size_t max, uint64_t seed, lk_err *e)
{
    const size_t most = cap_for(max);

    assert(entry_size > 0 && entry_size < SIZE_MAX / 2 && max > 0 && max <= MAX_ENTRIES);
    *t = (lk_recent){ .entry_size = entry_size,
                      .stride = (sizeof(node) + entry_size + 7) & ~(size_t)7,
                      .max = max,
                      .seed = seed };
    if (grow(t, most < CAP_FIRST ? most : CAP_FIRST))
        return LK_OK;
    lk_recent_release(t);
    return lk_fail(e, LK_EOOM, "no memory for a table of %zu-byte entries", entry_size);
}

void lk_recent_release(lk_recent *t)
{
    free(t->nodes);
    free(t->slots);
    *t = (lk_recent){ 0 };
}

void *lk_recent_find(lk_recent *t, uint64_t key)
{
    const uint32_t tag = tag_of(t, key);
    size_t slot = slot_of(t, key, tag);
    node *n, *newest;

    if (t->slots[slot].ref == 0)
        return NULL;
    if (t->slots[slot].ref == t->tail)
        return entry_of(node_at(t, t->tail - 1));
    if (is_worn(t)) {
        lay_out(t, t->nodes, t->cap);
        slot = slot_of(t, key, tag);
    }
    n = node_at(t, t->slots[slot].ref - 1);
    newest = node_at(t, t->tail);
    memcpy(newest, n, t->stride);
    n->is_there = 0;
    t->slots[slot].ref = ++t->tail;
    return entry_of(newest);
}

void lk_recent_foresee(const lk_recent *t, uint64_t key)
{
    lk_prefetch_write(&t->slots[home(t, tag_of(t, key))]);
}

void lk_recent_foresee_entry(const lk_recent *t, uint64_t key)
{
    const uint32_t tag = tag_of(t, key);

    for (size_t at = home(t, tag); t->slots[at].ref != 0; at = after(t, at))
        if (t->slots[at].tag == tag && !is_gone(t, t->slots[at].ref)) {
            lk_prefetch_write(node_at(t, t->slots[at].ref - 1));
            return;
        }
}

lk_code lk_recent_add(lk_recent *t, uint64_t key, void **out, lk_err *e)
{
    const uint32_t tag = tag_of(t, key);
    node *n;

    assert(!lk_recent_is_full(t));
    if (!make_room(t))
        return lk_fail(e, LK_EOOM, "no memory for more than %zu entries of %zu bytes", t->count, t->entry_size);
    if (is_worn(t))
        lay_out(t, t->nodes, t->cap);
    n = node_at(t, t->tail);
    *n = (node){ key, tag, 1 };
    enter(t, tag, t->tail++);
    t->count++;
    *out = memset(entry_of(n), 0, t->entry_size);
    return LK_OK;
}

void *lk_recent_oldest(lk_recent *t)
{
    if (t->count == 0)
        return NULL;
    while (!node_at(t, t->head)->is_there)
        pass_head(t);
    return entry_of(node_at(t, t->head));
}

void lk_recent_drop_oldest(lk_recent *t)
{
    assert(t->count > 0 && node_at(t, t->head)->is_there);
    pass_head(t);
    t->count--;
}

void lk_recent_each(const lk_recent *t, void (*visit)(void *ctx, uint64_t key, void *entry), void *ctx)
{
    for (uint32_t place = t->head; place != t->tail; place++) {
        node *n = node_at(t, place);

        if (n->is_there)
            visit(ctx, n->key, entry_of(n));
    }
}
