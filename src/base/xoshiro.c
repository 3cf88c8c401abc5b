#include "base/xoshiro.h"

#include "base/hash.h"
#include "base/random.h"

#include <assert.h>
#include <math.h>

void lk_xoshiro_init(lk_xoshiro *x, uint64_t seed, uint64_t stream)
{
    lk_random seeds;

    lk_random_init(&seeds, lk_hash_mix(lk_hash_mix(seed) + stream));
    for (int i = 0; i < 4; i++)
        x->s[i] = lk_random_u64(&seeds); /* four different outputs: never all zero */
}

double lk_xoshiro_exponential(lk_xoshiro *x, double mean)
{
    assert(mean > 0.0);
    return -mean * lk_random_log(1.0 - lk_xoshiro_unit(x));
}

double lk_xoshiro_normal(lk_xoshiro *x)
{
    double u, v, r;

    do {
        u = 2.0 * lk_xoshiro_unit(x) - 1.0;
        v = 2.0 * lk_xoshiro_unit(x) - 1.0;
        r = u * u + v * v;
    } while (r >= 1.0 || r <= 0.0);
    return u * sqrt(-2.0 * lk_random_log(r) / r);
}
