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

/* The halves of the product laid over each other: both factors, whole, in 64 bits.  One step of this does what
 * several of shifts do; where zero is a factor the other is lost, so that no hash of its own is made of it. */
static inline uint64_t lk_hash_fold(uint64_t a, uint64_t b)
{
#ifdef __SIZEOF_INT128__
    __extension__ typedef unsigned __int128 wide;
    const wide product = (wide)a * b;

    return (uint64_t)product ^ (uint64_t)(product >> 64);
#else
    const uint64_t low = (a & UINT32_MAX) * (b & UINT32_MAX), high = (a >> 32) * (b >> 32);
    const uint64_t one = (a >> 32) * (b & UINT32_MAX) + (low >> 32);
    const uint64_t other = (a & UINT32_MAX) * (b >> 32) + (one & UINT32_MAX);

    return (other << 32 | (low & UINT32_MAX)) ^ (high + (one >> 32) + (other >> 32));
#endif
}

/* The inverse of lk_hash_mix. */
static inline uint64_t lk_hash_unmix(uint64_t x)
{
    x = (x ^ (x >> 31) ^ (x >> 62)) * UINT64_C(0x319642b2d24d8ec3);
    x = (x ^ (x >> 27) ^ (x >> 54)) * UINT64_C(0x96de1b173f119089);
    return x ^ (x >> 30) ^ (x >> 60);
}

#endif
