/* scale/numbers — small numbers for 64-bit values that come again: what a map sends once and then
 * names by its number.
 *
 * A value gets its number when it comes for the second time: one that comes once costs no entry.
 *
 * Owner:  lk_numbers_init/lk_numbers_release.
 * Errors: EOOM.
 * Cost:   32 to 64 bytes a value, at most LK_NUMBERS_MAX of them; further ones have no number.  */
#ifndef LK_SCALE_NUMBERS_H
#define LK_SCALE_NUMBERS_H

#include "base/err.h"

#include <stddef.h>
#include <stdint.h>

enum { LK_NUMBERS_MAX = 1 << 16 };

typedef struct lk_numbers {
    struct lk_number_slot *slots; /* open addressing */
    size_t slot_count, seen;
    uint32_t given;
    uint64_t seed;
} lk_numbers;

typedef enum lk_numbered {
    LK_NUMBERED_NOT, /* the value stands for itself                */
    LK_NUMBERED_NOW, /* it has got a number, which nobody knows yet */
    LK_NUMBERED
} lk_numbered;

LK_MUST_CHECK lk_code lk_numbers_init(lk_numbers *n, uint64_t seed, lk_err *e);
void lk_numbers_release(lk_numbers *n);
LK_MUST_CHECK lk_code lk_numbers_find(lk_numbers *n, uint64_t value, lk_numbered *how,
                                      uint32_t *number, lk_err *e);

#endif
