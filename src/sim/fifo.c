#include "sim/fifo.h"

#include <stdlib.h>
#include <string.h>

enum { FIRST = 64 };

bool lk_fifo_grow(lk_fifo *f)
{
    size_t old = f->items ? f->mask + 1 : 0, size = old ? 2 * old : FIRST;
    lk_fifo_item *items;

    if (size > SIZE_MAX / sizeof(*items))
        return false;
    items = realloc(f->items, size * sizeof(*items));
    if (!items)
        return false;
    if (f->head) /* the part before the head goes behind the part after it */
        memcpy(items + old, items, f->head * sizeof(*items));
    f->items = items;
    f->mask = size - 1;
    return true;
}

void lk_fifo_release(lk_fifo *f)
{
    free(f->items);
    *f = (lk_fifo){ 0 };
}
