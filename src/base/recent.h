/* base/recent — a bounded table of fixed-size entries by 64-bit key that lie in order of last use.
 *
 * A ring: a new entry is put behind the newest, one that is found again moves there and leaves a hole.  What goes
 * is read in order, and what comes is written in order, however large the table: where most keys are new, an
 * attempt costs one random look at the slots.  (base/lru leaves entries where they are: better where they are
 * found again and again, or dropped from the middle.)
 *
 * Owner:  lk_recent_init/lk_recent_release.  An entry's pointer lives until the next call that finds or adds.
 * Errors: EOOM.
 * Cost:   entry + 16 bytes, and a quarter on top for holes, and 16 bytes for slots; growing fourfold from about 1,024
 *         entries up to `max`.  O(1) a call: once holes or the slots of what is gone take a quarter, all is laid out
 *         anew.  The table never evicts by itself: when lk_recent_is_full, drop the oldest first.
 * Note:   keys are hashed again with the per-run `seed`, so that a log cannot choose its bucket; nothing visible
 *         depends on the seed.  */
#ifndef LK_BASE_RECENT_H
#define LK_BASE_RECENT_H

#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct lk_recent_slot;

typedef struct lk_recent {
    unsigned char *nodes;         /* [cap] of a key, its tag and the entry: a ring */
    struct lk_recent_slot *slots; /* [slot_count] open addressing */
    size_t entry_size, stride;    /* bytes of an entry, and from one node to the next */
    size_t count, max, cap;
    size_t slot_count, slots_used; /* used: by entries, or by what is gone */
    size_t head_at;                /* where in nodes[] place `head` is */
    uint32_t head, tail; /* places of the oldest and behind the newest, counted on since all was laid out anew */
    uint64_t seed;
} lk_recent;

LK_MUST_CHECK lk_code lk_recent_init(lk_recent *t, size_t entry_size, size_t max, uint64_t seed, lk_err *e);
void lk_recent_release(lk_recent *t);

static inline bool lk_recent_is_full(const lk_recent *t)
{
    return t->count == t->max;
}

void *lk_recent_find(lk_recent *t, uint64_t key); /* NULL when absent; makes it the newest */

/* Before a find, some way ahead: brings the key's slot near; then, some way later, its entry. */
void lk_recent_foresee(const lk_recent *t, uint64_t key);
void lk_recent_foresee_entry(const lk_recent *t, uint64_t key);

/* A zeroed entry for a key that is not in the table; the table must not be full. */
LK_MUST_CHECK lk_code lk_recent_add(lk_recent *t, uint64_t key, void **out, lk_err *e);

void *lk_recent_oldest(lk_recent *t); /* NULL when empty */
void lk_recent_drop_oldest(lk_recent *t); /* what lk_recent_oldest has just given */

/* Oldest to newest; do not find, add or drop inside. */
void lk_recent_each(const lk_recent *t, void (*visit)(void *ctx, uint64_t key, void *entry), void *ctx);

#endif
