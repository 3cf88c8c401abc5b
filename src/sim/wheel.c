#include "sim/wheel.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum { HALF = LK_WHEEL_SLOTS / 2 };

static bool is_before(const lk_wheel_node *a, const lk_wheel_node *b)
{
    return a->when != b->when ? a->when < b->when : (int32_t)(a->seq - b->seq) < 0;
}

lk_code lk_wheel_open(double tick, lk_wheel **out, lk_err *e)
{
    lk_wheel *w = calloc(1, sizeof(*w));

    if (!w)
        return lk_fail(e, LK_EOOM, "no memory for a timing wheel");
    w->ticks = 1 / tick;
    lk_wheel_reset(w);
    *out = w;
    return LK_OK;
}

void lk_wheel_close(lk_wheel *w)
{
    free(w);
}

void lk_wheel_reset(lk_wheel *w)
{
    for (; w->top; w->top &= w->top - 1) {
        size_t mid = (size_t)__builtin_ctzll(w->top);

        for (; w->mid[mid]; w->mid[mid] &= w->mid[mid] - 1)
            w->low[mid * 64 + (size_t)__builtin_ctzll(w->mid[mid])] = 0;
    }
    w->at = 0;
    w->limit = LK_WHEEL_SLOTS;
    w->current = w->far = LK_WHEEL_NONE;
    w->seq = 0;
    w->count = 0;
}

/* ---- lists ---- */

static uint32_t merge(lk_wheel_node *nodes, uint32_t a, uint32_t b)
{
    uint32_t head = LK_WHEEL_NONE, *link = &head;

    while (a != LK_WHEEL_NONE && b != LK_WHEEL_NONE) {
        uint32_t *first = is_before(&nodes[b], &nodes[a]) ? &b : &a;

        *link = *first;
        link = &nodes[*first].next;
        *first = *link;
    }
    *link = a != LK_WHEEL_NONE ? a : b;
    return head;
}

/* Bottom up: runs[i] is a sorted list of 2^i nodes or none. */
static uint32_t sorted(lk_wheel_node *nodes, uint32_t list)
{
    uint32_t runs[32], all = LK_WHEEL_NONE;
    size_t used = 0;

    if (nodes[list].next == LK_WHEEL_NONE)
        return list;
    while (list != LK_WHEEL_NONE) {
        uint32_t one = list;
        size_t i = 0;

        list = nodes[one].next;
        nodes[one].next = LK_WHEEL_NONE;
        for (; i < used && runs[i] != LK_WHEEL_NONE; i++) {
            one = merge(nodes, runs[i], one);
            runs[i] = LK_WHEEL_NONE;
        }
        if (i == used)
            used++;
        runs[i] = one;
    }
    for (size_t i = 0; i < used; i++)
        all = merge(nodes, runs[i], all);
    return all;
}

static void insert_sorted(lk_wheel *w, lk_wheel_node *nodes, uint32_t id)
{
    uint32_t *link = &w->current;

    while (*link != LK_WHEEL_NONE && is_before(&nodes[*link], &nodes[id]))
        link = &nodes[*link].next;
    nodes[id].next = *link;
    *link = id;
}

/* ---- far and near ---- */

void lk_wheel_push_slow(lk_wheel *w, lk_wheel_node *nodes, uint32_t id, uint64_t tick)
{
    if (tick <= w->at) {
        insert_sorted(w, nodes, id);
        return;
    }
    nodes[id].next = w->far;
    w->far = id;
}

static uint64_t tick_of(const lk_wheel *w, double when)
{
    double ticks = when * w->ticks;

    return ticks < 0x1p62 ? (uint64_t)ticks : UINT64_C(1) << 62;
}

/* Those below the new limit move into the wheel; sequence numbers keep their order. */
static void pull_near(lk_wheel *w, lk_wheel_node *nodes)
{
    uint32_t list = w->far, seq = w->seq;

    w->far = LK_WHEEL_NONE;
    while (list != LK_WHEEL_NONE) {
        uint32_t id = list, own = nodes[id].seq;

        list = nodes[id].next;
        w->count--;
        lk_wheel_push(w, nodes, id, nodes[id].when);
        nodes[id].seq = own;
    }
    w->seq = seq;
}

/* Nothing is near: the wheel turns on to the half of the first one that is far. */
static void jump(lk_wheel *w, lk_wheel_node *nodes)
{
    uint64_t first = UINT64_MAX;

    for (uint32_t id = w->far; id != LK_WHEEL_NONE; id = nodes[id].next)
        if (tick_of(w, nodes[id].when) < first)
            first = tick_of(w, nodes[id].when);
    w->at = first / HALF * HALF - 1; /* one before, so that `first` may be in the next bucket */
    w->limit = w->at + 1 + LK_WHEEL_SLOTS;
    pull_near(w, nodes);
}

/* ---- the next bucket ---- */

static uint64_t from_bit(uint64_t word, uint64_t bit)
{
    return bit < 64 ? word & ~UINT64_C(0) << bit : 0;
}

/* The first used slot at or after `slot`; LK_WHEEL_SLOTS: none. */
static uint64_t used_from(const lk_wheel *w, uint64_t slot)
{
    uint64_t low = from_bit(w->low[slot >> 6], slot & 63), mid, top, at = slot >> 12;

    if (low)
        return (slot & ~UINT64_C(63)) + (uint64_t)__builtin_ctzll(low);
    mid = from_bit(w->mid[at], (slot >> 6 & 63) + 1);
    if (!mid) {
        top = from_bit(w->top, at + 1);
        if (!top)
            return LK_WHEEL_SLOTS;
        at = (uint64_t)__builtin_ctzll(top);
        mid = w->mid[at];
    }
    at = at * 64 + (uint64_t)__builtin_ctzll(mid);
    return at * 64 + (uint64_t)__builtin_ctzll(w->low[at]);
}

static void take_bucket(lk_wheel *w, lk_wheel_node *nodes, uint64_t slot)
{
    w->low[slot >> 6] &= ~(UINT64_C(1) << (slot & 63));
    if (!w->low[slot >> 6])
        w->mid[slot >> 12] &= ~(UINT64_C(1) << (slot >> 6 & 63));
    if (!w->mid[slot >> 12])
        w->top &= ~(UINT64_C(1) << (slot >> 12));
    w->current = sorted(nodes, w->head[slot]);
}

void lk_wheel_advance(lk_wheel *w, lk_wheel_node *nodes)
{
    uint64_t here, slot;

    if (!w->top)
        jump(w, nodes);
    here = (w->at + 1) & (LK_WHEEL_SLOTS - 1);
    slot = used_from(w, here);
    if (slot == LK_WHEEL_SLOTS)
        slot = used_from(w, 0);
    assert(slot < LK_WHEEL_SLOTS);
    w->at += 1 + ((slot - here) & (LK_WHEEL_SLOTS - 1));
    take_bucket(w, nodes, slot);
    if (w->at + HALF >= w->limit) {
        w->limit = (w->at / HALF + 2) * HALF;
        if (w->far != LK_WHEEL_NONE)
            pull_near(w, nodes);
    }
}
