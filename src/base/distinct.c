#include "base/distinct.h"

#include "base/hash.h"
#include "base/prefetch.h"
#include "base/whole.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { INDEX_BITS = 14, REGISTERS = 1 << INDEX_BITS, REST_BITS = 64 - INDEX_BITS, FIRST = 1024 };

void lk_distinct_init(lk_distinct *d, uint64_t seed)
{
    *d = (lk_distinct){ .seed = seed };
}

void lk_distinct_release(lk_distinct *d)
{
    free(d->set);
    free(d->registers);
    *d = (lk_distinct){ .seed = d->seed };
}

/* The register that its first bits name keeps the longest run of zeros at the end of the others. */
static void note(lk_distinct *d, uint64_t hash)
{
    const uint64_t rest = hash >> INDEX_BITS;
    uint8_t *at = &d->registers[hash & (REGISTERS - 1)], run = REST_BITS + 1;

    if (rest)
        run = (uint8_t)(__builtin_ctzll(rest) + 1);
    if (run > *at)
        *at = run;
}

void lk_distinct_estimate(lk_distinct *d)
{
    if (d->registers)
        return;
    d->registers = calloc(REGISTERS, sizeof(*d->registers));
    if (!d->registers)
        return;
    for (size_t i = 0; i < d->slots; i++)
        if (d->set[i])
            note(d, d->set[i]);
    if (d->has_zero)
        note(d, 0);
    free(d->set);
    d->set = NULL;
    d->slots = d->count = 0;
    d->has_zero = false;
}

static size_t slot_of(const uint64_t *set, size_t slots, uint64_t seed, uint64_t hash)
{
    size_t at = (size_t)lk_hash_mix(hash ^ seed) & (slots - 1);

    while (set[at] && set[at] != hash)
        at = (at + 1) & (slots - 1);
    return at;
}

/* Twice the room, at most half full. */
static bool grow(lk_distinct *d)
{
    const size_t slots = d->slots ? 2 * d->slots : FIRST;
    uint64_t *set = calloc(slots, sizeof(*set));

    if (!set)
        return false;
    for (size_t i = 0; i < d->slots; i++)
        if (d->set[i])
            set[slot_of(set, slots, d->seed, d->set[i])] = d->set[i];
    free(d->set);
    d->set = set;
    d->slots = slots;
    return true;
}

void lk_distinct_add(lk_distinct *d, uint64_t hash)
{
    size_t at;

    if (d->registers) {
        note(d, hash);
        return;
    }
    if (!hash) {
        d->has_zero = true;
        return;
    }
    if (2 * d->count >= d->slots && (d->count >= LK_DISTINCT_EXACT || !grow(d))) {
        if (d->slots && d->set[slot_of(d->set, d->slots, d->seed, hash)] == hash)
            return;
        lk_distinct_estimate(d);
        if (d->registers)
            note(d, hash);
        return;
    }
    at = slot_of(d->set, d->slots, d->seed, hash);
    d->count += d->set[at] == 0;
    d->set[at] = hash;
}

void lk_distinct_foresee(const lk_distinct *d, uint64_t hash)
{
    if (d->set)
        lk_prefetch(&d->set[(size_t)lk_hash_mix(hash ^ d->seed) & (d->slots - 1)]);
}

bool lk_distinct_is_exact(const lk_distinct *d)
{
    return !d->registers;
}

/* Ertl's sigma and tau: what the empty and the full registers stand for. */
static double sigma(double x)
{
    double y = 1, z = x, before;

    if (x >= 1)
        return HUGE_VAL;
    do {
        x *= x;
        before = z;
        z += x * y;
        y += y;
    } while (z > before);
    return z;
}

static double tau(double x)
{
    double y = 1, z = 1 - x, before;

    if (x <= 0 || x >= 1)
        return 0;
    do {
        x = sqrt(x);
        before = z;
        y /= 2;
        z -= (1 - x) * (1 - x) * y;
    } while (z < before);
    return z / 3;
}

static uint64_t estimate(const uint8_t *registers)
{
    const double m = REGISTERS;
    uint32_t of[REST_BITS + 2] = { 0 };
    double z;

    for (size_t i = 0; i < REGISTERS; i++)
        of[registers[i]]++;
    if (of[0] == REGISTERS)
        return 0;
    z = m * tau(1 - of[REST_BITS + 1] / m);
    for (size_t k = REST_BITS; k >= 1; k--)
        z = (z + of[k]) / 2;
    z += m * sigma(of[0] / m);
    z = m * m / (2 * log(2) * z);
    return z < 9e18 ? (uint64_t)lk_nearest(z) : UINT64_C(9000000000000000000);
}

uint64_t lk_distinct_count(const lk_distinct *d)
{
    return d->registers ? estimate(d->registers) : d->count + d->has_zero;
}
