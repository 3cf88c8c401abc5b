/* sim/wheel — the sleepers' queue: a timing wheel with a bitmap over its buckets.
 *
 * Nodes are the caller's array, one a client; a client waits for one thing at a time, so that the
 * lists are intrusive and a push allocates nothing.  They come out by (when, order of pushing): equal
 * times are first in, first out, as in a heap keyed by (time, sequence number), bit for bit.
 *
 * Shapes: 2^16 buckets of one tick; what lies further off waits in one list and moves in as its half
 *         of the wheel comes up.
 * Units:  `when` in the caller's time; tick is the width of a bucket.
 * Owner:  lk_wheel_open/lk_wheel_close; the nodes are the caller's and may move between calls.
 * Errors: EOOM.
 * Cost:   260 KiB; a push or pop is O(1) while a bucket holds a few; a bucket of n is merge-sorted
 *         when it comes up.
 * Source: G. Varghese, T. Lauck, "Hashed and Hierarchical Timing Wheels", 1987.  */
#ifndef LK_SIM_WHEEL_H
#define LK_SIM_WHEEL_H

#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { LK_WHEEL_BITS = 16, LK_WHEEL_SLOTS = 1 << LK_WHEEL_BITS };
#define LK_WHEEL_NONE UINT32_MAX

typedef struct lk_wheel_node {
    double when;
    uint32_t next, seq;
} lk_wheel_node;

typedef struct lk_wheel {
    double ticks; /* a unit of time */
    uint64_t at;      /* the current bucket, in ticks since 0        */
    uint64_t limit;   /* buckets from here on go to the far list     */
    uint32_t current; /* sorted list: the current bucket             */
    uint32_t far;     /* unsorted list                               */
    uint32_t seq;
    size_t count;
    uint64_t top;                             /* one bit a word of mid  */
    uint64_t mid[LK_WHEEL_SLOTS / 64 / 64];   /* one bit a word of low  */
    uint64_t low[LK_WHEEL_SLOTS / 64];        /* one bit a bucket       */
    uint32_t head[LK_WHEEL_SLOTS];            /* valid where the bit is set; last in first */
} lk_wheel;

LK_MUST_CHECK lk_code lk_wheel_open(double tick, lk_wheel **out, lk_err *e);
void lk_wheel_close(lk_wheel *w);
void lk_wheel_reset(lk_wheel *w); /* empty, at time 0; touches what was used only */

/* The slow paths of the functions below. */
void lk_wheel_push_slow(lk_wheel *w, lk_wheel_node *nodes, uint32_t id, uint64_t tick);
void lk_wheel_advance(lk_wheel *w, lk_wheel_node *nodes);

/* when >= that of the last popped. */
static inline void lk_wheel_push(lk_wheel *w, lk_wheel_node *nodes, uint32_t id, double when)
{
    double ticks = when * w->ticks;
    uint64_t tick = ticks < 0x1p62 ? (uint64_t)ticks : UINT64_C(1) << 62, slot;

    nodes[id].when = when;
    nodes[id].seq = w->seq++;
    w->count++;
    if (tick <= w->at || tick >= w->limit) {
        lk_wheel_push_slow(w, nodes, id, tick);
        return;
    }
    slot = tick & (LK_WHEEL_SLOTS - 1);
    if (w->low[slot >> 6] >> (slot & 63) & 1) {
        nodes[id].next = w->head[slot];
    } else {
        nodes[id].next = LK_WHEEL_NONE;
        w->low[slot >> 6] |= UINT64_C(1) << (slot & 63);
        w->mid[slot >> 12] |= UINT64_C(1) << (slot >> 6 & 63);
        w->top |= UINT64_C(1) << (slot >> 12);
    }
    w->head[slot] = id;
}

/* The next one; LK_WHEEL_NONE: empty. */
static inline uint32_t lk_wheel_peek(lk_wheel *w, lk_wheel_node *nodes)
{
    if (w->current == LK_WHEEL_NONE && w->count)
        lk_wheel_advance(w, nodes);
    return w->current;
}

/* After a peek that found one. */
static inline uint32_t lk_wheel_pop(lk_wheel *w, const lk_wheel_node *nodes)
{
    uint32_t id = w->current;

    w->current = nodes[id].next;
    w->count--;
    return id;
}

#endif
