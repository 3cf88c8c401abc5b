#include "base/intern.h"

#include "base/hash.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum { CAP_FIRST = 64, KNOWN_WORDS = 1024 };

static size_t slots_for(size_t cap)
{
    return 2 * cap; /* cap is a power of two */
}

static uint32_t tag_of(uint64_t hash)
{
    return (uint32_t)(hash >> 32);
}

/* The slot that holds `text`, or the empty one where it would go. */
static size_t slot_of(const lk_intern *t, uint64_t hash, lk_slice text)
{
    size_t mask = t->slot_count - 1, at = (size_t)hash & mask;

    for (; t->slots[at].ref != 0; at = (at + 1) & mask) {
        uint32_t id = t->slots[at].ref - 1;

        if (t->slots[at].tag == tag_of(hash) && t->hashes[id] == hash &&
            lk_slice_equal(t->items[id], text))
            return at;
    }
    return at;
}

static void fill_slots(lk_intern *t)
{
    size_t mask = t->slot_count - 1;

    for (size_t id = 0; id < t->count; id++) {
        size_t at = (size_t)t->hashes[id] & mask;

        while (t->slots[at].ref != 0)
            at = (at + 1) & mask;
        t->slots[at] = (lk_intern_slot){ tag_of(t->hashes[id]), (uint32_t)id + 1 };
    }
}

static bool grow(lk_intern *t, size_t cap)
{
    uint64_t *hashes;
    lk_intern_slot *slots;

    hashes = realloc(t->hashes, cap * sizeof(*hashes));
    if (!hashes)
        return false;
    t->hashes = hashes;
    slots = calloc(slots_for(cap), sizeof(*slots));
    if (!slots)
        return false;
    free(t->slots);
    t->slots = slots;
    t->slot_count = slots_for(cap);
    t->cap = cap;
    fill_slots(t);
    return true;
}

lk_code lk_intern_init(lk_intern *t, size_t max, uint64_t seed, lk_err *e)
{
    assert(max < UINT32_MAX);
    *t = (lk_intern){ .max = max, .seed = seed };
    lk_arena_init(&t->texts, 0);
    t->items = calloc(max ? max : 1, sizeof(*t->items));
    if (t->items && grow(t, CAP_FIRST))
        return LK_OK;
    lk_intern_release(t);
    return lk_fail(e, LK_EOOM, "no memory for a table of strings");
}

void lk_intern_release(lk_intern *t)
{
    lk_distinct_release(&t->all);
    lk_arena_release(&t->texts);
    free(t->items);
    free(t->hashes);
    free(t->slots);
    free(t->known);
    *t = (lk_intern){ 0 };
}

static lk_code add(lk_intern *t, uint64_t hash, lk_slice text, uint32_t *id, lk_err *e)
{
    const char *copy;

    if (t->count == t->cap && !grow(t, t->cap * 2))
        return lk_fail(e, LK_EOOM, "no memory for more than %zu strings", t->count);
    copy = lk_arena_text(&t->texts, text);
    if (!copy)
        return lk_fail(e, LK_EOOM, "no memory for more than %zu strings", t->count);
    *id = (uint32_t)t->count;
    t->items[t->count] = (lk_slice){ copy, text.len };
    t->hashes[t->count] = hash;
    t->count++;
    t->slots[slot_of(t, hash, text)] = (lk_intern_slot){ tag_of(hash), *id + 1 };
    return LK_OK;
}

/* The key drawn for the run decides the slot; the published hash alone would let a log choose it. */
static uint64_t slot_hash(const lk_intern *t, uint64_t hash)
{
    return lk_hash_mix(hash ^ t->seed);
}

static bool may_be_known(const lk_intern *t, uint64_t hash)
{
    return !t->known || t->known[tag_of(hash) % KNOWN_WORDS] >> (hash >> 58) & 1;
}

/* Once the table is full no more strings come in.  Without memory for it strings are looked for one by one. */
static void note_known(lk_intern *t)
{
    if (t->count < t->max)
        return;
    t->known = calloc(KNOWN_WORDS, sizeof(*t->known));
    for (size_t id = 0; t->known && id < t->count; id++)
        t->known[tag_of(t->hashes[id]) % KNOWN_WORDS] |= UINT64_C(1) << (t->hashes[id] >> 58);
}

/* `hash`: the lk_hash of a string that found no place; it is noted, not counted. */
void lk_intern_fold(lk_intern *t, uint64_t hash)
{
    if (!t->is_estimated) {
        t->is_estimated = true;
        note_known(t);
        lk_distinct_init(&t->all, t->seed);
        lk_distinct_estimate(&t->all);
        for (size_t id = 0; id < t->count; id++)
            lk_distinct_add(&t->all, lk_intern_hash(t->items[id]));
    }
    lk_distinct_add(&t->all, hash);
}

uint64_t lk_intern_distinct(const lk_intern *t, bool *is_exact)
{
    *is_exact = t->folded == 0;
    return *is_exact ? t->count : lk_distinct_count(&t->all);
}

static lk_code fold(lk_intern *t, uint64_t hash, uint32_t *id)
{
    t->folded++;
    lk_intern_fold(t, hash);
    *id = (uint32_t)t->max;
    return LK_OK;
}

/* text: at most LK_INTERN_TEXT_MAX long; `hash` is its lk_hash. */
static lk_code find_or_add(lk_intern *t, lk_slice text, uint64_t hash, uint32_t *id, lk_err *e)
{
    const uint64_t published = hash;
    uint32_t ref;

    hash = slot_hash(t, hash);
    if (!may_be_known(t, hash))
        return fold(t, published, id);
    ref = t->slots[slot_of(t, hash, text)].ref;
    if (ref != 0) {
        *id = ref - 1;
        return LK_OK;
    }
    if (t->count < t->max)
        return add(t, hash, text, id, e);
    return fold(t, published, id);
}

uint64_t lk_intern_hash(lk_slice text)
{
    return lk_hash(text.len ? text.p : "", text.len < LK_INTERN_TEXT_MAX ? text.len : LK_INTERN_TEXT_MAX);
}

lk_code lk_intern_id(lk_intern *t, lk_slice text, uint32_t *id, lk_err *e)
{
    if (text.len > LK_INTERN_TEXT_MAX)
        text.len = LK_INTERN_TEXT_MAX;
    return find_or_add(t, text, lk_intern_hash(text), id, e);
}

lk_code lk_intern_unseen_id(lk_intern *t, lk_intern_seen *s, lk_slice text, uint32_t *id, uint64_t *mixed,
                            lk_err *e)
{
    const uint64_t hash = lk_hash(text.len ? text.p : "", text.len);

    *mixed = lk_hash_mix(hash);
    if (text.len > LK_INTERN_TEXT_MAX)
        return lk_intern_id(t, text, id, e);
    LK_TRY(find_or_add(t, text, hash, id, e));
    if (*id < t->count && text.len > 0)
        *s = (lk_intern_seen){ *mixed, t->items[*id].p, (uint32_t)text.len, *id };
    return LK_OK;
}

lk_slice lk_intern_text(const lk_intern *t, uint32_t id)
{
    if (id == t->max)
        return LK_SLICE("other");
    assert(id < t->max);
    return t->items[id];
}
