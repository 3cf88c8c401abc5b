#include "base/lru.h"

#include "base/hash.h"
#include "base/prefetch.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum { CAP_FIRST = 1024 };
#define MAX_ENTRIES ((size_t)1 << 30) /* twice as many slots still count in 32 bits */

/* In front of each entry. */
typedef struct head {
    uint64_t key;  /* of a free one: the next free one, index + 1 */
    uint64_t used; /* when, in uses of the table; 0 = free */
} head;

struct lk_lru_slot {
    uint32_t tag; /* of the key's hash: saves looking at the entry, and tells the slot's home */
    uint32_t ref; /* entry index + 1, 0 = empty */
};

/* Entries that were used since stand further behind, wherever they are here. */
struct lk_lru_queue {
    uint64_t as_of; /* the table's `now` when it was made */
    size_t at, count;
    uint32_t refs[]; /* [cap] */
};

/* ---- entries ---- */

static size_t stride_for(size_t entry_size)
{
    return (sizeof(head) + entry_size + 7) & ~(size_t)7;
}

static head *head_of(const lk_lru *t, uint32_t ref)
{
    return (head *)(void *)(t->nodes + (size_t)(ref - 1) * t->stride);
}

static uint64_t *used_of(const lk_lru *t, uint32_t ref)
{
    return &head_of(t, ref)->used;
}

static void *entry_at(const lk_lru *t, uint32_t ref)
{
    return head_of(t, ref) + 1;
}

static uint32_t ref_of(const lk_lru *t, const void *entry)
{
    const size_t offset = (size_t)((const unsigned char *)entry - t->nodes) - sizeof(head);

    const size_t index = offset / t->stride;

    assert(index * t->stride == offset && index < t->fresh);
    return (uint32_t)index + 1;
}

/* ---- slots: open addressing, linear probing ---- */

static uint32_t tag_of(const lk_lru *t, uint64_t key)
{
    return (uint32_t)(lk_hash_mix(key ^ t->seed) >> 32);
}

static size_t home(const lk_lru *t, uint32_t tag)
{
    return tag & (t->slot_count - 1);
}

static size_t after(const lk_lru *t, size_t slot)
{
    return (slot + 1) & (t->slot_count - 1);
}

/* The slot that holds `key`, or the empty one where it would go. */
static size_t slot_of(const lk_lru *t, uint64_t key, uint32_t tag)
{
    size_t at = home(t, tag);

    while (t->slots[at].ref != 0 &&
           (t->slots[at].tag != tag || head_of(t, t->slots[at].ref)->key != key))
        at = after(t, at);
    return at;
}

uint64_t lk_lru_looks(const lk_lru *t)
{
    uint64_t looks = 0;

    for (size_t at = 0; at < t->slot_count; at++)
        if (t->slots[at].ref)
            looks += 1 + ((at - home(t, t->slots[at].tag)) & (t->slot_count - 1));
    return looks;
}

/* Would the entry at `from`, probing from its home, come past the hole at `hole`? */
static bool may_move(const lk_lru *t, size_t from, size_t hole)
{
    size_t mask = t->slot_count - 1;

    return ((from - home(t, t->slots[from].tag)) & mask) >= ((from - hole) & mask);
}

/* Closes the gap instead of leaving a tombstone, so that probes stay short for ever. */
static void empty_slot(lk_lru *t, size_t hole)
{
    for (size_t at = after(t, hole); t->slots[at].ref != 0; at = after(t, at)) {
        if (!may_move(t, at, hole))
            continue;
        t->slots[hole] = t->slots[at];
        hole = at;
    }
    t->slots[hole].ref = 0;
}

/* ---- order of last use ---- */

typedef struct turn {
    uint32_t used; /* since the first of them */
    uint32_t ref;
} turn;

/* By one digit of `used`. */
static void sort_digit(const turn *in, turn *out, size_t count, unsigned shift)
{
    enum { DIGITS = 2048 };
    uint32_t place[DIGITS] = { 0 }, sum = 0;

    for (size_t i = 0; i < count; i++)
        place[in[i].used >> shift & (DIGITS - 1)]++;
    for (size_t d = 0; d < DIGITS; d++) {
        const uint32_t n = place[d];

        place[d] = sum;
        sum += n;
    }
    for (size_t i = 0; i < count; i++)
        out[place[in[i].used >> shift & (DIGITS - 1)]++] = in[i];
}

/* The turns in a[count], none of them past `last`, sorted: in a or in b. */
static const turn *sort_turns(turn *a, turn *b, size_t count, uint64_t last)
{
    for (unsigned shift = 0; last >> shift != 0; shift += 11) {
        turn *other = a;

        sort_digit(a, b, count, shift);
        a = b;
        b = other;
    }
    return a;
}

/* Where there is no memory to sort, or the first use is too long ago to count from: in place. */
static void sift(const lk_lru *t, uint32_t *refs, size_t at, size_t count)
{
    for (size_t child; (child = 2 * at + 1) < count; at = child) {
        const uint32_t moving = refs[at];

        if (child + 1 < count && *used_of(t, refs[child + 1]) > *used_of(t, refs[child]))
            child++;
        if (*used_of(t, refs[child]) <= *used_of(t, moving))
            return;
        refs[at] = refs[child];
        refs[child] = moving;
    }
}

static void sort_in_place(const lk_lru *t, uint32_t *refs, size_t count)
{
    for (size_t i = count / 2; i-- > 0;)
        sift(t, refs, i, count);
    while (count > 1) {
        const uint32_t last = refs[--count];

        refs[count] = refs[0];
        refs[0] = last;
        sift(t, refs, 0, count);
    }
}

static void sort_queue(const lk_lru *t, struct lk_lru_queue *q)
{
    uint64_t from = UINT64_MAX;
    const turn *sorted;
    turn *room;

    for (size_t i = 0; i < q->count; i++)
        from = *used_of(t, q->refs[i]) < from ? *used_of(t, q->refs[i]) : from;
    room = t->now - from <= UINT32_MAX ? malloc(2 * q->count * sizeof(*room)) : NULL;
    if (!room) {
        sort_in_place(t, q->refs, q->count);
        return;
    }
    for (size_t i = 0; i < q->count; i++)
        room[i] = (turn){ (uint32_t)(*used_of(t, q->refs[i]) - from), q->refs[i] };
    sorted = sort_turns(room, room + q->count, q->count, t->now - from);
    for (size_t i = 0; i < q->count; i++)
        q->refs[i] = sorted[i].ref;
    free(room);
}

/* All entries, the oldest first. */
static void line_up(const lk_lru *t)
{
    struct lk_lru_queue *q = t->queue;

    q->as_of = t->now;
    q->at = q->count = 0;
    for (uint32_t ref = 1; ref <= t->fresh; ref++)
        if (*used_of(t, ref) != 0)
            q->refs[q->count++] = ref;
    if (q->count > 1)
        sort_queue(t, q);
}

/* Was it neither used nor dropped since the queue was made? */
static bool stands(const lk_lru *t, size_t at)
{
    const uint64_t used = *used_of(t, t->queue->refs[at]);

    return used != 0 && used <= t->queue->as_of;
}

/* Passes over what does not stand there any more; false when nothing is left of the queue. */
static bool find_first(const lk_lru *t)
{
    struct lk_lru_queue *q = t->queue;

    for (; q->at < q->count; q->at++)
        if (stands(t, q->at))
            return true;
    return false;
}

/* ---- growth ---- */

static size_t slots_for(size_t cap)
{
    size_t count = 16;

    while (count < 2 * cap)
        count *= 2;
    return count;
}

/* Entries begin with a line of the cache: one of 48 bytes and its head lie in one. */
static bool widen_nodes(lk_lru *t, size_t cap)
{
    const size_t stride = stride_for(t->entry_size);
    unsigned char *wider;
    size_t size;

    if (t->entry_size > SIZE_MAX / 2 || cap > (SIZE_MAX - LK_PREFETCH_LINE) / stride)
        return false;
    size = (cap * stride + LK_PREFETCH_LINE - 1) / LK_PREFETCH_LINE * LK_PREFETCH_LINE;
    wider = aligned_alloc(LK_PREFETCH_LINE, size);
    if (!wider)
        return false;
    if (t->fresh)
        memcpy(wider, t->nodes, t->fresh * stride);
    free(t->nodes);
    t->nodes = wider;
    return true;
}

static bool widen_queue(lk_lru *t, size_t cap)
{
    struct lk_lru_queue *wider = realloc(t->queue, sizeof(*wider) + cap * sizeof(wider->refs[0]));

    if (!wider)
        return false;
    if (!t->queue)
        *wider = (struct lk_lru_queue){ .as_of = 0 };
    t->queue = wider;
    return true;
}

static void fill_slots(lk_lru *t)
{
    for (uint32_t ref = 1; ref <= t->fresh; ref++) {
        const head *h = head_of(t, ref);
        const uint32_t tag = tag_of(t, h->key);

        if (*used_of(t, ref) != 0)
            t->slots[slot_of(t, h->key, tag)] = (struct lk_lru_slot){ tag, ref };
    }
}

static bool grow(lk_lru *t, size_t cap)
{
    size_t slot_count = slots_for(cap);
    struct lk_lru_slot *slots;

    if (!widen_nodes(t, cap) || !widen_queue(t, cap))
        return false;
    slots = calloc(slot_count, sizeof(*slots));
    if (!slots)
        return false;
    free(t->slots);
    t->slots = slots;
    t->slot_count = slot_count;
    t->cap = cap;
    fill_slots(t);
    return true;
}

static bool make_room(lk_lru *t)
{
    if (t->free_list != 0 || t->fresh < t->cap)
        return true;
    /* What is not used yet is not touched; what is left behind is. */
    return grow(t, t->cap > t->max / 4 ? t->max : t->cap * 4);
}

static uint32_t take_entry(lk_lru *t)
{
    uint32_t ref = t->free_list;

    if (ref == 0)
        return ++t->fresh;
    t->free_list = (uint32_t)head_of(t, ref)->key;
    return ref;
}

/* ---- the interface ---- */

lk_code lk_lru_init(lk_lru *t, size_t entry_size, size_t max, uint64_t seed, lk_err *e)
{
    assert(entry_size > 0 && max > 0 && max <= MAX_ENTRIES);
    *t = (lk_lru){ .entry_size = entry_size, .stride = stride_for(entry_size), .max = max, .seed = seed };
    if (grow(t, max < CAP_FIRST ? max : CAP_FIRST))
        return LK_OK;
    lk_lru_release(t);
    return lk_fail(e, LK_EOOM, "no memory for a table of %zu-byte entries", entry_size);
}

void lk_lru_release(lk_lru *t)
{
    free(t->nodes);
    free(t->slots);
    free(t->queue);
    *t = (lk_lru){ 0 };
}

void *lk_lru_find(lk_lru *t, uint64_t key)
{
    const uint32_t ref = t->slots[slot_of(t, key, tag_of(t, key))].ref;

    if (ref == 0)
        return NULL;
    *used_of(t, ref) = ++t->now;
    return entry_at(t, ref);
}

void lk_lru_foresee(const lk_lru *t, uint64_t key)
{
    lk_prefetch(&t->slots[home(t, tag_of(t, key))]);
}

lk_code lk_lru_add(lk_lru *t, uint64_t key, void **out, lk_err *e)
{
    const uint32_t tag = tag_of(t, key);
    size_t slot;
    uint32_t ref;

    assert(!lk_lru_is_full(t));
    if (!make_room(t))
        return lk_fail(e, LK_EOOM, "no memory for more than %zu entries of %zu bytes", t->cap,
                       t->entry_size);
    slot = slot_of(t, key, tag);
    assert(t->slots[slot].ref == 0);
    ref = take_entry(t);
    t->slots[slot] = (struct lk_lru_slot){ tag, ref };
    head_of(t, ref)->key = key;
    *used_of(t, ref) = ++t->now;
    t->count++;
    *out = memset(entry_at(t, ref), 0, t->entry_size);
    return LK_OK;
}

void *lk_lru_oldest(const lk_lru *t)
{
    if (t->count == 0)
        return NULL;
    if (!find_first(t)) {
        line_up(t);
        (void)find_first(t);
    }
    return entry_at(t, t->queue->refs[t->queue->at]);
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
    return head_of(t, ref_of(t, entry))->key;
}

static void drop(lk_lru *t, uint32_t ref)
{
    head *h = head_of(t, ref);
    const size_t slot = slot_of(t, h->key, tag_of(t, h->key));

    assert(h->used != 0 && t->slots[slot].ref == ref); /* dropped twice? */
    empty_slot(t, slot);
    h->key = t->free_list;
    h->used = 0;
    t->free_list = ref;
    t->count--;
}

void lk_lru_drop(lk_lru *t, void *entry)
{
    drop(t, ref_of(t, entry));
}

void lk_lru_each(const lk_lru *t, void (*visit)(void *ctx, uint64_t key, void *entry), void *ctx)
{
    const struct lk_lru_queue *q = t->queue;

    line_up(t);
    for (size_t i = 0; i < q->count; i++)
        visit(ctx, head_of(t, q->refs[i])->key, entry_at(t, q->refs[i]));
}
