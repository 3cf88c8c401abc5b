#include "scale/numbers.h"

#include "base/hash.h"

#include <stdlib.h>

enum { SLOTS_FIRST = 256 };

struct lk_number_slot {
    uint64_t value;
    uint32_t times; /* 0: the slot is empty; 1: it has no number yet */
    uint32_t number;
};

static struct lk_number_slot *slot_of(const lk_numbers *n, uint64_t value)
{
    size_t mask = n->slot_count - 1, at = (size_t)lk_hash_mix(value ^ n->seed) & mask;

    while (n->slots[at].times && n->slots[at].value != value)
        at = (at + 1) & mask;
    return &n->slots[at];
}

static lk_code grow(lk_numbers *n, size_t slot_count, lk_err *e)
{
    struct lk_number_slot *old = n->slots, *wider = calloc(slot_count, sizeof(*wider));
    size_t old_count = n->slot_count;

    if (!wider)
        return lk_fail(e, LK_EOOM, "no memory for %zu values", slot_count);
    n->slots = wider;
    n->slot_count = slot_count;
    for (size_t i = 0; i < old_count; i++)
        if (old[i].times)
            *slot_of(n, old[i].value) = old[i];
    free(old);
    return LK_OK;
}

lk_code lk_numbers_init(lk_numbers *n, uint64_t seed, lk_err *e)
{
    *n = (lk_numbers){ .seed = seed };
    return grow(n, SLOTS_FIRST, e);
}

void lk_numbers_release(lk_numbers *n)
{
    free(n->slots);
    *n = (lk_numbers){ 0 };
}

lk_code lk_numbers_find(lk_numbers *n, uint64_t value, lk_numbered *how, uint32_t *number,
                        lk_err *e)
{
    struct lk_number_slot *s = slot_of(n, value);

    *how = LK_NUMBERED_NOT;
    if (!s->times) {
        if (n->seen == LK_NUMBERS_MAX)
            return LK_OK;
        if (n->seen * 2 >= n->slot_count) {
            LK_TRY(grow(n, n->slot_count * 2, e));
            s = slot_of(n, value);
        }
        n->seen++;
        s->value = value;
        s->times = 1;
        return LK_OK;
    }
    *how = LK_NUMBERED;
    if (s->times == 1) {
        s->times = 2;
        s->number = n->given++;
        *how = LK_NUMBERED_NOW;
    }
    *number = s->number;
    return LK_OK;
}
