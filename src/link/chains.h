/* link/chains — which kept unit came back from which, population by population.
 *
 * Shapes: arrays are by index of the unit; `order` lists the units by group, key, first start.
 * Owner:  arrays live in the scratch arena of the caller.  */
#ifndef LK_LINK_CHAINS_H
#define LK_LINK_CHAINS_H

#include "base/arena.h"
#include "link/state.h"

typedef struct lk_chains {
    uint32_t *order; /* [count] */
    int32_t *prev;   /* [count] LK_UNIT_NONE: begins a chain */
    int32_t *next;   /* [count] LK_UNIT_NONE: ends one       */
    size_t count;
} lk_chains;

LK_MUST_CHECK lk_code lk_chains_sort(const lk_units *u, lk_arena *scratch, lk_chains *out,
                                     lk_err *e);

/* Links the units order[from..to) of one group by what was learnt of its comebacks. */
void lk_chains_link(lk_chains *c, const lk_units *u, size_t from, size_t to,
                    const lk_comebacks *learnt, const lk_edges *edges, double resolution_s);

/* Where too few failed to learn their delays from: links the next unit of a key to a failure that asked to wait, when
 * it came exactly then and most of the group's were met so. */
void lk_chains_link_told(lk_chains *c, const lk_units *u, size_t from, size_t to);

#endif
