#include "scale/digits.h"

/* clang-format off */
static const char DIGITS[] = "-0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz";

/* The value of each byte below 128; 64: it is no digit. */
static const unsigned char VALUES[128] = {
    64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64,
    64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64,
    64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64,  0, 64, 64,
     1,  2,  3,  4,  5,  6,  7,  8,  9, 10, 64, 64, 64, 64, 64, 64,
    64, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25,
    26, 27, 28, 29, 30, 31, 32, 33, 34, 35, 36, 64, 64, 64, 64, 37,
    64, 38, 39, 40, 41, 42, 43, 44, 45, 46, 47, 48, 49, 50, 51, 52,
    53, 54, 55, 56, 57, 58, 59, 60, 61, 62, 63, 64, 64, 64, 64, 64
};
/* clang-format on */

enum { NO_DIGIT = 64, MORE = 32 };

static unsigned value_of(char c)
{
    return (unsigned char)c < sizeof(VALUES) ? VALUES[(unsigned char)c] : NO_DIGIT;
}

char *lk_digits_put(char *to, uint64_t value, unsigned count)
{
    for (unsigned i = count; i > 0; i--) {
        to[i - 1] = DIGITS[value & 63];
        value >>= 6;
    }
    return to + count;
}

char *lk_varint_put(char *to, uint64_t value)
{
    for (; value >= MORE; value >>= 5)
        *to++ = DIGITS[MORE | (value & (MORE - 1))];
    *to++ = DIGITS[value];
    return to;
}

bool lk_digits_get(const char **at, const char *end, unsigned count, uint64_t *value)
{
    const char *p = *at;
    uint64_t v = 0;

    if ((size_t)(end - p) < count)
        return false;
    for (unsigned i = 0; i < count; i++) {
        unsigned digit = value_of(p[i]);

        if (digit == NO_DIGIT || v >> 58)
            return false;
        v = v << 6 | digit;
    }
    *at = p + count;
    *value = v;
    return true;
}

bool lk_varint_get(const char **at, const char *end, uint64_t *value)
{
    const char *p = *at;
    uint64_t v = 0;

    for (unsigned shift = 0; p < end && shift < 64; shift += 5) {
        unsigned digit = value_of(*p++);

        if (digit == NO_DIGIT || (shift == 60 && (digit & (MORE - 1)) > 15))
            return false;
        v |= (uint64_t)(digit & (MORE - 1)) << shift;
        if (digit < MORE) {
            *at = p;
            *value = v;
            return true;
        }
    }
    return false;
}

uint64_t lk_zigzag(int64_t value)
{
    return value < 0 ? ~((uint64_t)value << 1) : (uint64_t)value << 1;
}

int64_t lk_zigzag_back(uint64_t value)
{
    return (int64_t)(value >> 1 ^ (~(value & 1) + 1));
}
