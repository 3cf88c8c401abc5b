/* sim/fifo — events a constant time ahead: first in, first out, no queue to keep in order.
 *
 * Owner:  lk_fifo_release; starts zeroed.
 * Errors: lk_fifo_push false: no memory.
 * Cost:   amortised O(1); a ring that doubles.  */
#ifndef LK_SIM_FIFO_H
#define LK_SIM_FIFO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct lk_fifo_item {
    double when;
    uint32_t id;
    uint32_t mark; /* the owner's */
} lk_fifo_item;

typedef struct lk_fifo {
    lk_fifo_item *items; /* [mask + 1] */
    size_t mask, head, count;
} lk_fifo;

bool lk_fifo_grow(lk_fifo *f);
void lk_fifo_release(lk_fifo *f);

static inline bool lk_fifo_push(lk_fifo *f, lk_fifo_item item)
{
    if (f->count > f->mask || !f->items)
        if (!lk_fifo_grow(f))
            return false;
    f->items[(f->head + f->count++) & f->mask] = item;
    return true;
}

static inline lk_fifo_item *lk_fifo_first(const lk_fifo *f) /* NULL: empty */
{
    return f->count ? &f->items[f->head] : NULL;
}

static inline lk_fifo_item lk_fifo_pop(lk_fifo *f)
{
    lk_fifo_item item = f->items[f->head];

    f->head = (f->head + 1) & f->mask;
    f->count--;
    return item;
}

static inline void lk_fifo_reset(lk_fifo *f)
{
    f->head = f->count = 0;
}

#endif
