/* link/unit — the store of units that may be part of a retry: an attempt, or the attempts that one
 * call id joins.
 *
 * A unit is kept when it failed, or when its caller (key) failed shortly before; all others are
 * counted at once and forgotten.
 *
 * Units:  ns.
 * Owner:  lk_units_init/lk_units_release.
 * Errors: EOOM.
 * Cost:   144 bytes a unit, at most `max`.  */
#ifndef LK_LINK_UNIT_H
#define LK_LINK_UNIT_H

#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { LK_UNIT_NONE = -1, LK_UNIT_GONE = -2 }; /* none kept; decided and let go */

typedef struct lk_unit {
    uint64_t key;
    uint64_t name;    /* see lk_place */
    uint64_t caller, last_caller; /* of the first attempt, of the last */
    int64_t first_ns; /* start of its first attempt              */
    int64_t last_ns;  /* start of its last attempt               */
    int64_t end_ns;   /* end of its last attempt                 */
    int64_t next_ns;  /* first_ns of the next unit of the same key; LK_TIME_NONE = none yet */
    int64_t waited_ns; /* pauses between its attempts            */
    int64_t pause_ns;  /* the last of them; -1 = none            */
    int64_t asked_ns;  /* Retry-After of its last attempt; -1 = none */
    int32_t prev;     /* the unit that this one certainly came back from, by id; LK_UNIT_NONE */
    int32_t after;    /* the next unit that waits for the same number of the same key; LK_UNIT_NONE */
    uint32_t lines;   /* attempts seen                           */
    uint32_t attempts; /* the same, or the attempt number when that is larger */
    uint32_t rejected;
    uint32_t last_no; /* attempt number of the last one; 0 = not logged */
    uint32_t tries;   /* attempts that repeat the number before them: a proxy's */
    uint32_t cap;     /* max= as logged; 0 = not                 */
    uint32_t value;   /* of its first attempt                    */
    uint32_t above;   /* the same                                */
    uint64_t refusals; /* rejected or not, the last 64 attempts, the last one in bit 0 */
    uint16_t group;
    uint16_t status;  /* of its last attempt                     */
    uint8_t column;   /* the id column that joined it, from 1; 0 = none */
    bool failed;      /* its last attempt                        */
    bool refused;     /* its last attempt was a rejection        */
    bool left;        /* its client gave up on the last attempt  */
    bool insists;     /* it repeated what no wait helps: such an answer is a failure to it */
    bool late;        /* the attempts before the first one seen are missing: it began earlier */
    bool by_id;
    bool fraction;    /* fine stamps                             */
    bool has_took;
    bool counted;     /* its delay is in the histograms          */
} lk_unit;

typedef struct lk_units {
    lk_unit *items;
    size_t count, cap, max;
} lk_units;

void lk_units_init(lk_units *u, size_t max);
void lk_units_release(lk_units *u);
static inline bool lk_units_is_full(const lk_units *u)
{
    return u->count == u->max;
}
LK_MUST_CHECK lk_code lk_units_add(lk_units *u, const lk_unit *unit, int32_t *index, lk_err *e);

#endif
