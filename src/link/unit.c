#include "link/unit.h"

#include <assert.h>
#include <stdlib.h>

void lk_units_init(lk_units *u, size_t max)
{
    *u = (lk_units){ .max = max };
}

void lk_units_release(lk_units *u)
{
    free(u->items);
    *u = (lk_units){ 0 };
}

lk_code lk_units_add(lk_units *u, const lk_unit *unit, int32_t *index, lk_err *e)
{
    assert(!lk_units_is_full(u));
    if (u->count == u->cap) {
        size_t cap = u->cap ? 4 * u->cap : 512;
        lk_unit *grown;

        cap = cap < u->max ? cap : u->max;
        grown = realloc(u->items, cap * sizeof(*grown));
        if (!grown)
            return lk_fail(e, LK_EOOM, "no memory for %zu units", cap);
        u->items = grown;
        u->cap = cap;
    }
    *index = (int32_t)u->count;
    u->items[u->count++] = *unit;
    return LK_OK;
}
