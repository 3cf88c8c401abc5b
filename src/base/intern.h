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
#include "base/hash.h"
#include "base/prefetch.h"
#include "base/slice.h"
#include "base/word.h"

enum { LK_INTERN_TEXT_MAX = 512 };

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

/* The same through a small table of strings seen lately: also the string's lk_hash, whole and mixed (lk_hash_mix).
 * Its words are looked at instead of being hashed twice. */
enum { LK_INTERN_LATELY = 2048 };

typedef struct lk_intern_seen {
    uint64_t mixed;
    const char *text; /* the intern table's; NULL = empty */
    uint32_t len, id;
} lk_intern_seen;

typedef struct lk_intern_lately {
    lk_intern_seen seen[LK_INTERN_LATELY];
} lk_intern_lately;

/* Where a string stands among those seen lately, by all of its bytes, which are taken in by sixteen.  Who knows
 * the places can make strings fight for one; they are then found as if there were no such table. */
static inline size_t lk_intern_place(lk_slice text)
{
    const uint64_t one = UINT64_C(0x9e3779b97f4a7c15), two = UINT64_C(0xff51afd7ed558ccd);
    const char *p = text.p;
    uint64_t a = one ^ text.len, b = two;
    size_t left = text.len;

    if (left < 8)
        return left == 0 ? 0 : (size_t)(lk_hash_fold(lk_word_short(p, left) ^ two, a) % LK_INTERN_LATELY);
    for (; left > 32; left -= 32, p += 32) { /* two that do not wait for each other */
        a = lk_hash_fold(lk_word_64(p) ^ one, lk_word_64(p + 8) ^ a);
        b = lk_hash_fold(lk_word_64(p + 16) ^ two, lk_word_64(p + 24) ^ b);
    }
    if (left > 16)
        a = lk_hash_fold(lk_word_64(p) ^ one, lk_word_64(p + 8) ^ a);
    p += left; /* the end, over what may have been taken in already */
    if (text.len >= 16)
        b = lk_hash_fold(lk_word_64(p - 16) ^ two, lk_word_64(p - 8) ^ b);
    else
        b = lk_hash_fold(lk_word_64(text.p) ^ two, lk_word_64(p - 8) ^ b);
    return (size_t)(lk_hash_fold(a ^ one, b ^ two) % LK_INTERN_LATELY);
}

/* Where the text stands in that table, which is fetched ahead: do something else before it is asked for. */
static inline lk_intern_seen *lk_intern_foresee(lk_intern_lately *lately, lk_slice text)
{
    lk_intern_seen *seen = &lately->seen[lk_intern_place(text)];

    lk_prefetch(seen);
    return seen;
}

/* ... and then what it is compared with. */
static inline void lk_intern_foresee_text(const lk_intern_seen *seen)
{
    lk_prefetch(seen->text);
    if (seen->len > LK_PREFETCH_LINE)
        lk_prefetch(seen->text + LK_PREFETCH_LINE);
}

/* Another string stands in its place, or none. */
LK_MUST_CHECK lk_code lk_intern_unseen_id(lk_intern *t, lk_intern_seen *seen, lk_slice text, uint32_t *id,
                                          uint64_t *mixed, lk_err *e);

LK_MUST_CHECK static inline lk_code lk_intern_seen_id(lk_intern *t, lk_intern_seen *seen, lk_slice text,
                                                      uint32_t *id, uint64_t *mixed, lk_err *e)
{
    if (seen->len != text.len || !seen->text || memcmp(seen->text, text.p, text.len) != 0)
        return lk_intern_unseen_id(t, seen, text, id, mixed, e);
    *id = seen->id;
    *mixed = seen->mixed;
    return LK_OK;
}

/* A string past the bound came by, of which the hash alone is known. */
void lk_intern_fold(lk_intern *t, uint64_t hash);
uint64_t lk_intern_hash(lk_slice text); /* lk_hash of what would be kept of it */
/* How many different strings came by; past the bound it is estimated. */
uint64_t lk_intern_distinct(const lk_intern *t, bool *is_exact);
lk_slice lk_intern_text(const lk_intern *t, uint32_t id); /* "other" for `max` */

#endif
