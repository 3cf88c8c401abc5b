/* base/word — bytes as whole words, read where they stand; the lowest byte comes first on any machine.  */
#ifndef LK_BASE_WORD_H
#define LK_BASE_WORD_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

static inline uint64_t lk_word_64(const void *p)
{
    uint64_t x;

    memcpy(&x, p, sizeof(x));
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    x = __builtin_bswap64(x);
#endif
    return x;
}

static inline uint64_t lk_word_32(const void *p)
{
    uint32_t x;

    memcpy(&x, p, sizeof(x));
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    x = __builtin_bswap32(x);
#endif
    return x;
}

/* p[len], shorter than a word and not empty, in three bytes or two halves that overlap. */
static inline uint64_t lk_word_short(const char *p, size_t len)
{
    if (len >= 4)
        return lk_word_32(p) | lk_word_32(p + len - 4) << (8 * (len - 4));
    return (uint64_t)(unsigned char)p[0] | (uint64_t)(unsigned char)p[len / 2] << (8 * (len / 2)) |
           (uint64_t)(unsigned char)p[len - 1] << (8 * (len - 1));
}

/* The last len % 8 bytes of p[len], without a byte loop; 0 when there are none. */
static inline uint64_t lk_word_tail(const void *bytes, size_t len)
{
    const char *p = bytes;
    const size_t left = len % 8;

    if (left == 0)
        return 0;
    return len > 8 ? lk_word_64(p + len - 8) >> (8 * (8 - left)) : lk_word_short(p, left);
}

#endif
