#include "base/random.h"

#include "base/hash.h"

#include <assert.h>
#include <fcntl.h>
#include <math.h>
#include <stddef.h>
#include <unistd.h>

#define GOLDEN_GAMMA UINT64_C(0x9e3779b97f4a7c15)
#define LN_2 0.69314718055994530942
#define SQRT_HALF 0.70710678118654752440

void lk_random_init(lk_random *r, uint64_t seed)
{
    r->state = seed;
}

uint64_t lk_random_u64(lk_random *r)
{
    r->state += GOLDEN_GAMMA;
    return lk_hash_mix(r->state);
}

double lk_random_unit(lk_random *r)
{
    return (double)(lk_random_u64(r) >> 11) * 0x1.0p-53;
}

/* libm's log may differ in its last bit from machine to machine, and the same seed must give the
 * same bytes.  log x = k ln 2 + 2 artanh z, z = (m - 1) / (m + 1), |z| < 0.172: 11 terms reach
 * 1e-18.  */
double lk_random_log(double x)
{
    int k;
    double m = frexp(x, &k), z, z2, sum = 0.0;

    if (m < SQRT_HALF) {
        m *= 2.0;
        k--;
    }
    z = (m - 1.0) / (m + 1.0);
    z2 = z * z;
    for (int term = 21; term >= 1; term -= 2)
        sum = sum * z2 + 1.0 / term;
    return k * LN_2 + 2.0 * z * sum;
}

double lk_random_exponential(lk_random *r, double mean)
{
    assert(mean > 0.0);
    return -mean * lk_random_log(1.0 - lk_random_unit(r));
}

uint64_t lk_random_process_key(void)
{
    uint64_t key = 0;
    ssize_t got = -1;
    int fd = open("/dev/urandom", O_RDONLY | O_CLOEXEC);

    if (fd >= 0) {
        got = read(fd, &key, sizeof(key));
        (void)close(fd);
    }
    return got == (ssize_t)sizeof(key) ? key : GOLDEN_GAMMA;
}
