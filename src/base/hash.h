/* base/hash — SipHash-1-3 of bytes, and a mixer for 64-bit keys.
 *
 * Source: J.-P. Aumasson, D. J. Bernstein, "SipHash: a fast short-input PRF" (2012), with one
 *         compression and three finalisation rounds; the mixer is the finaliser of SplitMix64
 *         (Steele, Lea, Flood 2014).  */
#ifndef LK_BASE_HASH_H
#define LK_BASE_HASH_H

#include <stddef.h>
#include <stdint.h>

/* The published key: ids that samples and reports may depend on. */
uint64_t lk_hash(const void *p, size_t len);
uint64_t lk_hash_keyed(const void *p, size_t len, uint64_t k0, uint64_t k1);

static inline uint64_t lk_hash_mix(uint64_t x)
{
    x = (x ^ (x >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ (x >> 27)) * UINT64_C(0x94d049bb133111eb);
    return x ^ (x >> 31);
}

/* The inverse of lk_hash_mix. */
static inline uint64_t lk_hash_unmix(uint64_t x)
{
    x = (x ^ (x >> 31) ^ (x >> 62)) * UINT64_C(0x319642b2d24d8ec3);
    x = (x ^ (x >> 27) ^ (x >> 54)) * UINT64_C(0x96de1b173f119089);
    return x ^ (x >> 30) ^ (x >> 60);
}

#endif
