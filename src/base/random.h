/* base/random — a small deterministic generator for simulation and tests (never for secrets).
 *
 * Source: SplitMix64 (Steele, Lea, Flood 2014).  Same seed, same numbers, on every machine.  */
#ifndef LK_BASE_RANDOM_H
#define LK_BASE_RANDOM_H

#include <stdint.h>

typedef struct lk_random {
    uint64_t state;
} lk_random;

void lk_random_init(lk_random *r, uint64_t seed);
uint64_t lk_random_u64(lk_random *r);
double lk_random_unit(lk_random *r);                     /* [0, 1), 53 bits */
double lk_random_exponential(lk_random *r, double mean); /* mean > 0 */

/* The natural logarithm of x > 0, to the last bit or two: the same bits on every machine. */
double lk_random_log(double x);

/* A key for this process from the operating system (/dev/urandom); a fixed one when that fails. */
uint64_t lk_random_process_key(void);

#endif
