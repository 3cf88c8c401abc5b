/* base/intern — strings to small numbers, first come first numbered, with a bound.
 *
 * Shapes: ids 0 .. count-1; past `max` distinct strings every new one gets `max` ("folded").
 * Owner:  lk_intern_init/lk_intern_release; texts live as long as the table.
 * Errors: EOOM.
 * Thread: one; but lk_intern_text of an id that another thread handed over is safe while that one adds.
 * Cost:   the strings, 24 bytes each, and slots of 8 bytes, two each or more; strings longer than 512 bytes are cut there.  */
#ifndef LK_BASE_INTERN_H
#define LK_BASE_INTERN_H

#include "base/arena.h"
#include "base/distinct.h"
#include "base/err.h"
#include "base/slice.h"

/* What is looked at first: most strings are told apart by it, without a look at theirs. */
typedef struct lk_intern_slot {
    uint32_t tag; /* bits of the hash */
    uint32_t ref; /* id + 1, 0 = empty */
} lk_intern_slot;

typedef struct lk_intern {
    lk_arena texts;
    lk_slice *items;
    uint64_t *hashes;
    lk_intern_slot *slots;
    uint64_t *known; /* once it is full: bits of the hashes that it holds, so few that they stay near; or NULL */
    size_t count, cap, max, slot_count;
    uint64_t folded; /* how often a string past the bound came by */
    lk_distinct all; /* of all strings, once one was past the bound */
    bool is_estimated; /* `all` was begun */
    uint64_t seed;
} lk_intern;

LK_MUST_CHECK lk_code lk_intern_init(lk_intern *t, size_t max, uint64_t seed, lk_err *e);
void lk_intern_release(lk_intern *t);
LK_MUST_CHECK lk_code lk_intern_id(lk_intern *t, lk_slice text, uint32_t *id, lk_err *e);

/* The same through a small table of strings seen lately: also the string's lk_hash, whole.  Its words
 * are looked at instead of being hashed twice. */
enum { LK_INTERN_LATELY = 2048 };

typedef struct lk_intern_seen {
    uint64_t hash;
    const char *text; /* the intern table's; NULL = empty */
    uint32_t len, id;
} lk_intern_seen;

typedef struct lk_intern_lately {
    lk_intern_seen seen[LK_INTERN_LATELY];
} lk_intern_lately;

/* Where the text stands in that table, which is fetched ahead: do something else before it is asked for. */
lk_intern_seen *lk_intern_foresee(lk_intern_lately *lately, lk_slice text);
/* ... and then what it is compared with. */
void lk_intern_foresee_text(const lk_intern_seen *seen);
LK_MUST_CHECK lk_code lk_intern_seen_id(lk_intern *t, lk_intern_seen *seen, lk_slice text, uint32_t *id,
                                        uint64_t *hash, lk_err *e);
/* A string past the bound came by, of which the hash alone is known. */
void lk_intern_fold(lk_intern *t, uint64_t hash);
uint64_t lk_intern_hash(lk_slice text); /* lk_hash of what would be kept of it */
/* How many different strings came by; past the bound it is estimated. */
uint64_t lk_intern_distinct(const lk_intern *t, bool *is_exact);
lk_slice lk_intern_text(const lk_intern *t, uint32_t id); /* "other" for `max` */

#endif
