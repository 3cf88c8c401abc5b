#include "base/lru.h"

#include "base/hash.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum { CAP_FIRST = 1024 };
#define MAX_ENTRIES ((size_t)1 << 30) /* twice as many slots still count in 32 bits */

/* ---- slots: open addressing, linear probing ---- */

static size_t home(const lk_lru *t, uint64_t key)
{
    return (size_t)lk_hash_mix(key ^ t->seed) & (t->slot_count - 1);
}

static size_t after(const lk_lru *t, size_t slot)
{
    return (slot + 1) & (t->slot_count - 1);
}

/* The slot that holds `key`, or the empty one where it would go. */
static size_t slot_of(const lk_lru *t, uint64_t key)
{
    size_t at = home(t, key);

    while (t->slots[at] != 0 && t->keys[t->slots[at] - 1] != key)
        at = after(t, at);
    return at;
}

/* Would the entry at `from`, probing from its home, come past the hole at `hole`? */
static bool may_move(const lk_lru *t, size_t from, size_t hole)
{
    size_t mask = t->slot_count - 1;
    size_t start = home(t, t->keys[t->slots[from] - 1]);

    return ((from - start) & mask) >= ((from - hole) & mask);
}

/* Closes the gap instead of leaving a tombstone, so that probes stay short for ever. */
static void empty_slot(lk_lru *t, size_t hole)
{
    for (size_t at = after(t, hole); t->slots[at] != 0; at = after(t, at)) {
        if (!may_move(t, at, hole))
            continue;
        t->slots[hole] = t->slots[at];
        hole = at;
    }
    t->slots[hole] = 0;
}

/* ---- the list from oldest to newest; links are index + 1 ---- */

static void unlink_entry(lk_lru *t, uint32_t ref)
{
    uint32_t older = t->older[ref - 1], newer = t->newer[ref - 1];

    *(older ? &t->newer[older - 1] : &t->oldest) = newer;
    *(newer ? &t->older[newer - 1] : &t->newest) = older;
}

static void link_newest(lk_lru *t, uint32_t ref)
{
    t->older[ref - 1] = t->newest;
    t->newer[ref - 1] = 0;
    *(t->newest ? &t->newer[t->newest - 1] : &t->oldest) = ref;
    t->newest = ref;
}

/* ---- growth ---- */

static size_t slots_for(size_t cap)
{
    size_t count = 16;

    while (count < 2 * cap)
        count *= 2;
    return count;
}

/* realloc of one column; the old one stays valid when it fails. */
static bool widen(void **column, size_t count, size_t size)
{
    void *wider;

    if (count > SIZE_MAX / size)
        return false;
    wider = realloc(*column, count * size);
    if (!wider)
        return false;
    *column = wider;
    return true;
}

static bool widen_columns(lk_lru *t, size_t cap)
{
    void *entries = t->entries, *keys = t->keys, *older = t->older, *newer = t->newer;
    bool ok = widen(&entries, cap, t->entry_size) && widen(&keys, cap, sizeof(*t->keys)) &&
              widen(&older, cap, sizeof(*t->older)) && widen(&newer, cap, sizeof(*t->newer));

    t->entries = entries;
    t->keys = keys;
    t->older = older;
    t->newer = newer;
    return ok;
}

static bool grow(lk_lru *t, size_t cap)
{
    size_t slot_count = slots_for(cap);
    uint32_t *slots;

    if (!widen_columns(t, cap))
        return false;
    slots = calloc(slot_count, sizeof(*slots));
    if (!slots)
        return false;
    free(t->slots);
    t->slots = slots;
    t->slot_count = slot_count;
    t->cap = cap;
    for (uint32_t ref = t->oldest; ref != 0; ref = t->newer[ref - 1])
        t->slots[slot_of(t, t->keys[ref - 1])] = ref;
    return true;
}

static bool make_room(lk_lru *t)
{
    if (t->free_list != 0 || t->fresh < t->cap)
        return true;
    return grow(t, t->cap > t->max / 2 ? t->max : t->cap * 2);
}

/* ---- entries ---- */

static void *entry_at(const lk_lru *t, uint32_t ref)
{
    return t->entries + (size_t)(ref - 1) * t->entry_size;
}

static uint32_t ref_of(const lk_lru *t, const void *entry)
{
    size_t offset = (size_t)((const unsigned char *)entry - t->entries);

    assert(offset % t->entry_size == 0 && offset / t->entry_size < t->fresh);
    return (uint32_t)(offset / t->entry_size) + 1;
}

static uint32_t take_entry(lk_lru *t)
{
    uint32_t ref = t->free_list;

    if (ref == 0)
        return ++t->fresh;
    t->free_list = t->newer[ref - 1];
    return ref;
}

/* ---- the interface ---- */

lk_code lk_lru_init(lk_lru *t, size_t entry_size, size_t max, uint64_t seed, lk_err *e)
{
    assert(entry_size > 0 && max > 0 && max <= MAX_ENTRIES);
    *t = (lk_lru){ .entry_size = entry_size, .max = max, .seed = seed };
    if (grow(t, max < CAP_FIRST ? max : CAP_FIRST))
        return LK_OK;
    lk_lru_release(t);
    return lk_fail(e, LK_EOOM, "no memory for a table of %zu-byte entries", entry_size);
}

void lk_lru_release(lk_lru *t)
{
    free(t->entries);
    free(t->keys);
    free(t->older);
    free(t->newer);
    free(t->slots);
    *t = (lk_lru){ 0 };
}

void *lk_lru_find(lk_lru *t, uint64_t key)
{
    uint32_t ref = t->slots[slot_of(t, key)];

    if (ref == 0)
        return NULL;
    if (ref != t->newest) {
        unlink_entry(t, ref);
        link_newest(t, ref);
    }
    return entry_at(t, ref);
}

bool lk_lru_is_full(const lk_lru *t)
{
    return t->count == t->max;
}

lk_code lk_lru_add(lk_lru *t, uint64_t key, void **out, lk_err *e)
{
    size_t slot;
    uint32_t ref;

    assert(!lk_lru_is_full(t));
    if (!make_room(t))
        return lk_fail(e, LK_EOOM, "no memory for more than %zu entries of %zu bytes", t->cap,
                       t->entry_size);
    slot = slot_of(t, key);
    assert(t->slots[slot] == 0);
    ref = take_entry(t);
    t->slots[slot] = ref;
    t->keys[ref - 1] = key;
    link_newest(t, ref);
    t->count++;
    *out = memset(entry_at(t, ref), 0, t->entry_size);
    return LK_OK;
}

void *lk_lru_oldest(const lk_lru *t)
{
    return t->oldest ? entry_at(t, t->oldest) : NULL;
}

uint32_t lk_lru_index(const lk_lru *t, const void *entry)
{
    return ref_of(t, entry) - 1;
}

void *lk_lru_at(const lk_lru *t, uint32_t index)
{
    assert(index < t->fresh);
    return entry_at(t, index + 1);
}

uint64_t lk_lru_key(const lk_lru *t, const void *entry)
{
    return t->keys[ref_of(t, entry) - 1];
}

void lk_lru_drop(lk_lru *t, void *entry)
{
    uint32_t ref = ref_of(t, entry);
    size_t slot = slot_of(t, t->keys[ref - 1]);

    assert(t->slots[slot] == ref); /* dropped twice? */
    empty_slot(t, slot);
    unlink_entry(t, ref);
    t->newer[ref - 1] = t->free_list;
    t->free_list = ref;
    t->count--;
}

void lk_lru_each(const lk_lru *t, void (*visit)(void *ctx, uint64_t key, void *entry), void *ctx)
{
    for (uint32_t ref = t->oldest; ref != 0; ref = t->newer[ref - 1])
        visit(ctx, t->keys[ref - 1], entry_at(t, ref));
}
