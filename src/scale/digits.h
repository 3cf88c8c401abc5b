/* scale/digits — numbers as printable text: 64 digits in the order of their bytes, so that numbers of
 * equal length sort as text the way they sort as numbers.
 *
 * Shapes: a fixed number of n digits has 6 n bits, the highest first; a varint has 5 bits a digit, the
 *         lowest first, and every digit but the last has its sixth bit set.
 * Errors: readers say false on what is no such number, and read nothing past `end`.  */
#ifndef LK_SCALE_DIGITS_H
#define LK_SCALE_DIGITS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    LK_DIGITS_64 = 11,    /* of any 64-bit number    */
    LK_VARINT_DIGITS = 13 /* of one, at most         */
};

/* Each gives where the text goes on. */
char *lk_digits_put(char *to, uint64_t value, unsigned count);
char *lk_varint_put(char *to, uint64_t value);

bool lk_digits_get(const char **at, const char *end, unsigned count, uint64_t *value);
bool lk_varint_get(const char **at, const char *end, uint64_t *value);

/* Signed numbers as unsigned ones: 0, -1, 1, -2, ... are 0, 1, 2, 3, ... */
uint64_t lk_zigzag(int64_t value);
int64_t lk_zigzag_back(uint64_t value);

#endif
