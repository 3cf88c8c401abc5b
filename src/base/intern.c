#include "base/intern.h"

#include "base/hash.h"
#include "base/prefetch.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum { TEXT_MAX = 512, CAP_FIRST = 64, KNOWN_WORDS = 1024 };

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

/* text: at most TEXT_MAX long; `hash` is its lk_hash. */
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
    return lk_hash(text.len ? text.p : "", text.len < TEXT_MAX ? text.len : TEXT_MAX);
}

lk_code lk_intern_id(lk_intern *t, lk_slice text, uint32_t *id, lk_err *e)
{
    if (text.len > TEXT_MAX)
        text.len = TEXT_MAX;
    return find_or_add(t, text, lk_intern_hash(text), id, e);
}

static uint64_t word_at(const char *p)
{
    uint64_t word;

    memcpy(&word, p, sizeof(word));
    return word;
}

static uint64_t stir(uint64_t x, const char *p, uint64_t by)
{
    x = (x ^ word_at(p)) * by;
    return x ^ x >> 32;
}

static uint64_t turned(uint64_t x, int by)
{
    return by ? x >> by | x << (64 - by) : x;
}

/* Where a string stands among those seen lately, by all of its words.  Who knows the places can make strings
 * fight for one; they are then found as if there were no such table. */
static size_t place_of(lk_slice text)
{
    const uint64_t by = UINT64_C(0x9e3779b97f4a7c15), other = UINT64_C(0xff51afd7ed558ccd);
    uint64_t a = text.len * by, b = other, c = by, d = other;
    size_t at = 0;

    if (text.len < 8) {
        for (; at < text.len; at++)
            a = (a ^ (unsigned char)text.p[at]) * UINT64_C(0x100000001b3);
        return (size_t)(lk_hash_mix(a) % LK_INTERN_LATELY);
    }
    for (; at + 32 < text.len; at += 32) { /* four that do not wait for each other */
        a = stir(a, text.p + at, by);
        b = stir(b, text.p + at + 8, other);
        c = stir(c, text.p + at + 16, by);
        d = stir(d, text.p + at + 24, other);
    }
    if (at + 16 < text.len) {
        a = stir(a, text.p + at, by);
        b = stir(b, text.p + at + 8, other);
        at += 16;
    }
    if (at + 8 < text.len)
        c = stir(c, text.p + at, by);
    d = stir(d, text.p + text.len - 8, other);
    return (size_t)(lk_hash_mix(turned(a, 0) ^ turned(b, 35) ^ turned(c, 17) ^ turned(d, 51)) %
                    LK_INTERN_LATELY);
}

lk_intern_seen *lk_intern_foresee(lk_intern_lately *lately, lk_slice text)
{
    lk_intern_seen *seen = &lately->seen[place_of(text)];

    lk_prefetch(seen);
    return seen;
}

void lk_intern_foresee_text(const lk_intern_seen *seen)
{
    lk_prefetch(seen->text);
    if (seen->len > LK_PREFETCH_LINE)
        lk_prefetch(seen->text + LK_PREFETCH_LINE);
}

lk_code lk_intern_seen_id(lk_intern *t, lk_intern_seen *s, lk_slice text, uint32_t *id, uint64_t *hash,
                          lk_err *e)
{
    if (s->text && s->len == text.len && memcmp(s->text, text.p, text.len) == 0) {
        *id = s->id;
        *hash = s->hash;
        return LK_OK;
    }
    *hash = lk_hash(text.len ? text.p : "", text.len);
    if (text.len > TEXT_MAX)
        return lk_intern_id(t, text, id, e);
    LK_TRY(find_or_add(t, text, *hash, id, e));
    if (*id < t->count && text.len > 0)
        *s = (lk_intern_seen){ *hash, t->items[*id].p, (uint32_t)text.len, *id };
    return LK_OK;
}

lk_slice lk_intern_text(const lk_intern *t, uint32_t id)
{
    if (id == t->max)
        return LK_SLICE("other");
    assert(id < t->max);
    return t->items[id];
}
