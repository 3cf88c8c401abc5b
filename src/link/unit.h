/* link/unit — the store of units that may be part of a retry: an attempt, or the attempts that one
 * call id joins.
 *
 * A unit is kept when it failed, or when its caller (key) failed shortly before; all others are
 * counted at once and forgotten.
 *
 * Units:  ns.
 * Owner:  lk_units_init/lk_units_release.
 * Errors: EOOM.
 * Cost:   96 bytes a unit, at most `max`; 64 more of one that has several attempts.  */
#ifndef LK_LINK_UNIT_H
#define LK_LINK_UNIT_H

#include "base/err.h"
#include "base/hash.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { LK_UNIT_NONE = -1, LK_UNIT_GONE = -2 }; /* none kept; decided and let go */

typedef struct lk_unit {
    uint64_t key;
    uint64_t caller;  /* of the first attempt                    */
    int64_t first_ns; /* start of its first attempt              */
    int64_t end_ns;   /* end of its last attempt                 */
    int64_t next_ns;  /* first_ns of the next unit of the same key; LK_TIME_NONE = none yet */
    int64_t asked_ns; /* Retry-After of its last attempt; -1 = none */
    uint32_t more;    /* number + 1 of its lk_unit_more; 0 = it is one attempt */
    uint32_t alike;   /* units of its key before it that began at its instant */
    int32_t prev;     /* the unit that this one certainly came back from, by id; LK_UNIT_NONE */
    int32_t after;    /* the next unit that waits for the same number of the same key; LK_UNIT_NONE */
    uint32_t attempts; /* as seen, or the attempt number when that is larger */
    uint32_t last_no; /* attempt number of the last one; 0 = not logged */
    uint32_t cap;     /* max= as logged; 0 = not                 */
    uint32_t value;   /* of its first attempt                    */
    uint32_t above;   /* the same                                */
    uint16_t group;
    uint16_t status;  /* of its last attempt                     */
    uint8_t column;   /* the id column that joined it, from 1; 0 = none */
    bool failed : 1;  /* its last attempt                        */
    bool refused : 1; /* its last attempt was a rejection        */
    bool left : 1;    /* its client gave up on the last attempt  */
    bool insists : 1; /* it repeated what no wait helps: such an answer is a failure to it */
    bool late : 1;    /* the attempts before the first one seen are missing: it began earlier */
    bool by_id : 1;
    bool fraction : 1; /* fine stamps                            */
    bool has_took : 1;
    bool counted : 1; /* its delay is in the histograms          */
} lk_unit;

/* What a unit has beside its first attempt and its end; of one attempt alone it follows from that. */
typedef struct lk_unit_more {
    uint64_t last_caller; /* of the last attempt                 */
    int64_t last_ns;      /* start of its last attempt           */
    int64_t waited_ns;    /* pauses between its attempts         */
    int64_t pause_ns;     /* the last of them; -1 = none         */
    uint64_t refusals;    /* rejected or not, the last 64 attempts, the last one in bit 0 */
    uint32_t lines;       /* attempts seen                       */
    uint32_t rejected;
    uint32_t tries;       /* attempts that repeat the number before them: a proxy's */
    uint32_t next_free;   /* of one that no unit has: as lk_unit.more */
} lk_unit_more;

typedef struct lk_units {
    lk_unit *items;
    size_t count, cap, max;
    lk_unit_more *mores; /* [more_cap] of which [more_used] were ever handed out */
    uint32_t more_cap, more_used, more_free;
} lk_units;

/* See lk_place. */
static inline uint64_t lk_unit_name(uint64_t key, int64_t first_ns, uint32_t alike)
{
    return lk_hash_mix(key ^ lk_hash_mix((uint64_t)first_ns + alike)) | 1;
}

static inline lk_unit_more lk_units_more(const lk_units *u, const lk_unit *unit)
{
    if (unit->more)
        return u->mores[unit->more - 1];
    return (lk_unit_more){ .last_caller = unit->caller,
                           .last_ns = unit->first_ns,
                           .pause_ns = -1,
                           .refusals = unit->refused,
                           .lines = 1,
                           .rejected = unit->refused };
}

void lk_units_init(lk_units *u, size_t max);
void lk_units_release(lk_units *u);
static inline bool lk_units_is_full(const lk_units *u)
{
    return u->count == u->max;
}
LK_MUST_CHECK lk_code lk_units_add(lk_units *u, const lk_unit *unit, int32_t *index, lk_err *e);

/* The unit is about to have an attempt more: what it has of its own for that. */
LK_MUST_CHECK lk_code lk_units_extend(lk_units *u, lk_unit *unit, lk_unit_more **out, lk_err *e);
/* The unit is about to be forgotten. */
void lk_units_drop_more(lk_units *u, const lk_unit *unit);

#endif
