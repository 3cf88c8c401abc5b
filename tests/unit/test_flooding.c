/* Keys that were chosen to fall into one place of a table, by somebody who knows all but the key of the run: how many
 * slots are looked at for each, not how long it takes. */
#include "unit.h"

#include "base/distinct.h"
#include "base/hash.h"
#include "base/intern.h"
#include "base/lru.h"

enum { CROWDED = 256, PLACES = 2048, KEYS = 20 };

/* What an open table of linear probes, at most half full, costs a key that was not chosen: 1.5 looks.  Three is out
 * of its reach; chosen keys cost CROWDED / 2. */
#define FEW 3.0

static double looks_of_intern(const lk_intern *t)
{
    const size_t mask = t->slot_count - 1;
    double looks = 0;

    for (size_t at = 0; at <= mask; at++)
        if (t->slots[at].ref)
            looks += 1 + (double)((at - (size_t)t->hashes[t->slots[at].ref - 1]) & mask);
    return looks / (double)t->count;
}

static double looks_of_distinct(const lk_distinct *d)
{
    const size_t mask = d->slots - 1;
    double looks = 0;

    for (size_t at = 0; at <= mask; at++)
        if (d->set[at])
            looks += 1 + (double)((at - (size_t)lk_hash_mix(d->set[at] ^ d->seed)) & mask);
    return looks / (double)d->count;
}

static double interned(uint64_t seed, char (*names)[24])
{
    lk_intern t;
    lk_err e = { 0 };
    double looks;

    check_ok(lk_intern_init(&t, 1 << 16, seed, &e), e);
    for (size_t i = 0; i < CROWDED; i++) {
        uint32_t id;

        check_ok(lk_intern_id(&t, lk_slice_from(names[i]), &id, &e), e);
    }
    check(t.slot_count <= PLACES, "%zu slots", t.slot_count);
    looks = looks_of_intern(&t);
    lk_intern_release(&t);
    return looks;
}

TEST(names_chosen_for_one_key_are_spread_by_another)
{
    static char names[CROWDED][24];
    size_t found = 0;

    for (unsigned long n = 0; found < CROWDED; n++) {
        (void)snprintf(names[found], sizeof(names[found]), "k%lu", n);
        found += lk_hash_mix(lk_hash(names[found], strlen(names[found])) ^ 0) % PLACES == 0;
    }
    check(interned(0, names) > CROWDED / 4,
          "they do collide under the key they were chosen for: %g", interned(0, names));
    for (uint64_t k = 1; k <= KEYS; k++)
        check(interned(lk_hash_mix(k), names) < FEW, "key %d: %g looks a name", (int)k,
              interned(lk_hash_mix(k), names));
}

static double counted(uint64_t seed)
{
    lk_distinct d;
    double looks;

    lk_distinct_init(&d, seed);
    for (uint64_t i = 1; i <= CROWDED; i++)
        lk_distinct_add(&d, lk_hash_unmix(i << 32)); /* the low half of the mixed hash is 0 */
    looks = looks_of_distinct(&d);
    lk_distinct_release(&d);
    return looks;
}

TEST(values_chosen_for_one_key_are_spread_by_another)
{
    check(counted(0) > CROWDED / 4, "they do collide under the key they were chosen for: %g",
          counted(0));
    for (uint64_t k = 1; k <= KEYS; k++)
        check(counted(lk_hash_mix(k)) < FEW, "key %d: %g looks a value", (int)k,
              counted(lk_hash_mix(k)));
}

static double remembered(uint64_t seed)
{
    lk_lru t;
    lk_err e = { 0 };
    void *entry;
    double looks;

    check_ok(lk_lru_init(&t, sizeof(uint64_t), CROWDED, seed, &e), e);
    for (uint64_t i = 1; i <= 2 * CROWDED; i++) { /* each beyond makes the oldest go, and its gap is closed */
        if (lk_lru_is_full(&t))
            lk_lru_drop(&t, lk_lru_oldest(&t));
        check_ok(lk_lru_add(&t, lk_hash_unmix(UINT64_C(77) << 32 | i), &entry, &e), e); /* the high half is 77 */
    }
    looks = (double)lk_lru_looks(&t) / (double)t.count;
    lk_lru_release(&t);
    return looks;
}

TEST(callers_chosen_for_one_key_are_spread_by_another)
{
    check(remembered(0) > CROWDED / 4, "they do collide under the key they were chosen for: %g", remembered(0));
    for (uint64_t k = 1; k <= KEYS; k++)
        check(remembered(lk_hash_mix(k)) < FEW, "key %d: %g looks an entry", (int)k, remembered(lk_hash_mix(k)));
}

TESTS(T(names_chosen_for_one_key_are_spread_by_another),
      T(values_chosen_for_one_key_are_spread_by_another),
      T(callers_chosen_for_one_key_are_spread_by_another))
