/* base/distinct — how many different values there were: exactly up to a bound, beyond it estimated.
 *
 * A commutative monoid of the values' published hashes: the same set gives the same state and number, in
 * whatever order it came.  Whoever knows the published key can choose values that make the
 * estimate wrong; nothing else rests on it.
 *
 * Owner:  lk_distinct_init/lk_distinct_release.
 * Errors: none: without memory for the exact set it estimates; without any it knows nothing.
 * Cost:   up to 1 MB while exact, then 16 KB; O(1) an addition.
 * Source: P. Flajolet, E. Fusy, O. Gandouet, F. Meunier, "HyperLogLog" (2007), with 2^14 registers:
 *         standard error 1.04 / sqrt(2^14); the estimator is that of O. Ertl, "New cardinality estimation
 *         algorithms for HyperLogLog sketches" (2017), unbiased over the whole range.  */
#ifndef LK_BASE_DISTINCT_H
#define LK_BASE_DISTINCT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { LK_DISTINCT_EXACT = 65536 }; /* values that are told apart one by one */
#define LK_DISTINCT_ERROR 0.008125  /* relative standard error of an estimate */

typedef struct lk_distinct {
    uint64_t *set; /* open addressing, 0 = empty; NULL once it is estimated */
    size_t count, slots;
    bool has_zero;      /* the hash 0 came by */
    uint8_t *registers; /* NULL while exact */
    uint64_t seed;      /* of the places in the set, so that a log cannot choose them */
} lk_distinct;

void lk_distinct_init(lk_distinct *d, uint64_t seed);
void lk_distinct_release(lk_distinct *d);
void lk_distinct_add(lk_distinct *d, uint64_t hash);

/* Some additions ahead: brings near what adding it will look at. */
void lk_distinct_foresee(const lk_distinct *d, uint64_t hash);

/* Stops telling values apart: what was added so far counts in the estimate. */
void lk_distinct_estimate(lk_distinct *d);
bool lk_distinct_is_exact(const lk_distinct *d);
uint64_t lk_distinct_count(const lk_distinct *d);

#endif
