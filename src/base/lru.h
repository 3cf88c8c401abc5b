/* base/lru — a bounded table of fixed-size entries by 64-bit key, in order of last use.
 *
 * Owner:  lk_lru_init/lk_lru_release.  Entry pointers live until the next lk_lru_add.
 * Errors: EOOM.
 * Cost:   entry + 36 bytes each, growing fourfold from 1,024 up to `max` entries; O(1) a call, and a
 *         sort of all entries by their last use once for as many evictions (linear; 16 bytes each for
 *         its time).
 *         A find touches a slot and the entry, which is one line of the cache up to 48 bytes: no
 *         neighbours in a list.  The table never evicts by itself: when lk_lru_is_full, drop the oldest
 *         first.  (Where most keys are new and the oldest goes for each: base/recent.)
 * Note:   keys are hashed again with the per-run `seed`, so that a log cannot choose its bucket;
 *         nothing visible depends on the seed.  */
#ifndef LK_BASE_LRU_H
#define LK_BASE_LRU_H

#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct lk_lru_slot;
struct lk_lru_queue;

typedef struct lk_lru {
    unsigned char *nodes;        /* [cap] of a key, its last use and the entry */
    struct lk_lru_slot *slots;   /* open addressing */
    struct lk_lru_queue *queue;  /* entries in order of their last use, as it was at some time */
    size_t entry_size, stride; /* bytes of an entry, and from one to the next */
    size_t count, cap, max, slot_count;
    uint32_t free_list; /* entry index + 1 */
    uint32_t fresh;     /* entries ever handed out */
    uint64_t now;       /* uses so far */
    uint64_t seed;
} lk_lru;

LK_MUST_CHECK lk_code lk_lru_init(lk_lru *t, size_t entry_size, size_t max, uint64_t seed,
                                  lk_err *e);
void lk_lru_release(lk_lru *t);

void *lk_lru_find(lk_lru *t, uint64_t key); /* NULL when absent; makes it the newest */
static inline bool lk_lru_is_full(const lk_lru *t)
{
    return t->count == t->max;
}

void lk_lru_foresee(const lk_lru *t, uint64_t key); /* before a find, some way ahead: brings the key's slot near */

/* A zeroed entry for a key that is not in the table; the table must not be full. */
LK_MUST_CHECK lk_code lk_lru_add(lk_lru *t, uint64_t key, void **out, lk_err *e);

void *lk_lru_oldest(const lk_lru *t); /* NULL when empty */
uint64_t lk_lru_key(const lk_lru *t, const void *entry);
void lk_lru_drop(lk_lru *t, void *entry);

/* A small number for an entry, below max, that stays when the table grows; and the entry again, what
 * a dropped one held until its place is used again. */
uint32_t lk_lru_index(const lk_lru *t, const void *entry);
void *lk_lru_at(const lk_lru *t, uint32_t index);

/* How many slots finding each entry once looks at: about one each, unless keys were chosen to meet. */
uint64_t lk_lru_looks(const lk_lru *t);

/* Oldest to newest; do not add or drop inside. */
void lk_lru_each(const lk_lru *t, void (*visit)(void *ctx, uint64_t key, void *entry), void *ctx);

#endif
