#include "link/unit.h"

#include <assert.h>
#include <stdlib.h>

/* Room that is not used yet is not touched; what growth leaves behind is. */
enum { CAP_FIRST = 131072 };

void lk_units_init(lk_units *u, size_t max)
{
    *u = (lk_units){ .max = max };
}

void lk_units_release(lk_units *u)
{
    free(u->items);
    free(u->mores);
    *u = (lk_units){ 0 };
}

lk_code lk_units_add(lk_units *u, const lk_unit *unit, int32_t *index, lk_err *e)
{
    assert(!lk_units_is_full(u));
    if (u->count == u->cap) {
        size_t cap = u->cap ? 4 * u->cap : CAP_FIRST;
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

static lk_code grow_mores(lk_units *u, lk_err *e)
{
    const uint32_t cap = u->more_cap ? 2 * u->more_cap : 1024;
    lk_unit_more *grown = realloc(u->mores, cap * sizeof(*grown));

    if (!grown)
        return lk_fail(e, LK_EOOM, "no memory for %u units of several attempts", (unsigned)cap);
    u->mores = grown;
    u->more_cap = cap;
    return LK_OK;
}

lk_code lk_units_extend(lk_units *u, lk_unit *unit, lk_unit_more **out, lk_err *e)
{
    const lk_unit_more now = lk_units_more(u, unit);

    if (!unit->more) {
        if (!u->more_free && u->more_used == u->more_cap)
            LK_TRY(grow_mores(u, e));
        unit->more = u->more_free ? u->more_free : ++u->more_used;
        if (unit->more == u->more_free)
            u->more_free = u->mores[unit->more - 1].next_free;
        u->mores[unit->more - 1] = now;
    }
    *out = &u->mores[unit->more - 1];
    return LK_OK;
}

void lk_units_drop_more(lk_units *u, const lk_unit *unit)
{
    if (!unit->more)
        return;
    u->mores[unit->more - 1].next_free = u->more_free;
    u->more_free = unit->more;
}
