/* base/xoshiro — the generator of the simulators: xoshiro256++, one independent stream a run.
 *
 * A stream is named by (seed, stream number): its 256 bits of state are four outputs of SplitMix64
 * started at a hash of the two, as the authors recommend for seeding.  Period 2^256 - 1; that two of
 * a million streams overlap within 2^64 numbers has a probability below 2^-150.
 *
 * Units:  lk_xoshiro_unit gives [0, 1) with 53 bits, lk_xoshiro_exponential the mean it is asked for.
 * Thread: a state is one thread's; streams share nothing.
 * Source: D. Blackman, S. Vigna, "Scrambled Linear Pseudorandom Number Generators", ACM TOMS 47(4),
 *         2021.  Same numbers on every machine: no libm.  */
#ifndef LK_BASE_XOSHIRO_H
#define LK_BASE_XOSHIRO_H

#include <stdint.h>

typedef struct lk_xoshiro {
    uint64_t s[4];
} lk_xoshiro;

void lk_xoshiro_init(lk_xoshiro *x, uint64_t seed, uint64_t stream);

/* Inline: a simulator draws at every event. */
static inline uint64_t lk_xoshiro_u64(lk_xoshiro *x)
{
    uint64_t *s = x->s, sum = s[0] + s[3], t = s[1] << 17;
    uint64_t result = (sum << 23 | sum >> 41) + s[0];

    s[2] ^= s[0];
    s[3] ^= s[1];
    s[1] ^= s[2];
    s[0] ^= s[3];
    s[2] ^= t;
    s[3] = s[3] << 45 | s[3] >> 19;
    return result;
}

static inline double lk_xoshiro_unit(lk_xoshiro *x)
{
    return (double)(lk_xoshiro_u64(x) >> 11) * 0x1.0p-53;
}

double lk_xoshiro_exponential(lk_xoshiro *x, double mean); /* mean > 0 */
double lk_xoshiro_normal(lk_xoshiro *x);                   /* mean 0, variance 1; polar method */

#endif
