/* base/seek — the first byte of a kind in a short run, without a call.
 *
 * For runs of some tens of bytes that a look-up in a library spends more on getting there than on looking.
 * Reads nothing past `end`.  */
#ifndef LK_BASE_SEEK_H
#define LK_BASE_SEEK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

/* NULL when there is none in p[0 .. end - p). */
static inline const char *lk_seek(const char *p, const char *end, char c)
{
#ifdef __SSE2__
    const __m128i wanted = _mm_set1_epi8(c);

    for (; end - p >= 16; p += 16) {
        const __m128i here = _mm_loadu_si128((const __m128i *)(const void *)p);
        const int found = _mm_movemask_epi8(_mm_cmpeq_epi8(here, wanted));

        if (found)
            return p + __builtin_ctz((unsigned)found);
    }
#endif
    return p < end ? memchr(p, c, (size_t)(end - p)) : NULL;
}

/* The first c with a digit behind it; NULL when there is none. */
static inline const char *lk_seek_before_digit(const char *p, const char *end, char c)
{
#ifdef __SSE2__
    const __m128i wanted = _mm_set1_epi8(c), zero = _mm_set1_epi8('0'), nine = _mm_set1_epi8(9);

    for (; end - p >= 17; p += 16) {
        const __m128i here = _mm_loadu_si128((const __m128i *)(const void *)p);
        const __m128i next = _mm_sub_epi8(_mm_loadu_si128((const __m128i *)(const void *)(p + 1)), zero);
        const __m128i is_digit = _mm_cmpeq_epi8(_mm_min_epu8(next, nine), next);
        const int found = _mm_movemask_epi8(_mm_and_si128(_mm_cmpeq_epi8(here, wanted), is_digit));

        if (found)
            return p + __builtin_ctz((unsigned)found);
    }
#endif
    for (; end - p >= 2; p++)
        if (*p == c && p[1] >= '0' && p[1] <= '9')
            return p;
    return NULL;
}

#define LK_EACH_BYTE(c) (UINT64_C(0x0101010101010101) * (unsigned char)(c))

/* The high bit of each byte of x that is zero; of bytes above the first such byte it may lie. */
static inline uint64_t lk_zero_bytes(uint64_t x)
{
    return (x - LK_EACH_BYTE(1)) & ~x & LK_EACH_BYTE(0x80);
}

/* The first quote or backslash from p on, or end.  Sixteen bytes at a time where the processor has them, else
 * eight where the lowest byte of a word comes first. */
static inline const char *lk_seek_quote(const char *p, const char *end)
{
#ifdef __SSE2__
    const __m128i quote = _mm_set1_epi8('"'), backslash = _mm_set1_epi8('\\');

    for (; end - p >= 16; p += 16) {
        const __m128i here = _mm_loadu_si128((const __m128i *)(const void *)p);
        const __m128i found = _mm_or_si128(_mm_cmpeq_epi8(here, quote), _mm_cmpeq_epi8(here, backslash));
        const int hits = _mm_movemask_epi8(found);

        if (hits)
            return p + __builtin_ctz((unsigned)hits);
    }
#endif
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    for (; end - p >= 8; p += 8) {
        uint64_t word, hits;

        memcpy(&word, p, sizeof(word));
        hits = lk_zero_bytes(word ^ LK_EACH_BYTE('"')) | lk_zero_bytes(word ^ LK_EACH_BYTE('\\'));
        if (hits)
            return p + (__builtin_ctzll(hits) >> 3);
    }
#endif
    while (p < end && *p != '"' && *p != '\\')
        p++;
    return p;
}

/* How many of the first 16 bytes are digits and points, up to the first that is neither. */
static inline size_t lk_seek_past_quad(const char *p, const char *end)
{
    size_t n = 0;

#ifdef __SSE2__
    if (end - p >= 16) {
        const __m128i here = _mm_loadu_si128((const __m128i *)(const void *)p);
        const __m128i digit = _mm_sub_epi8(here, _mm_set1_epi8('0')), nine = _mm_set1_epi8(9);
        const __m128i is_digit = _mm_cmpeq_epi8(_mm_min_epu8(digit, nine), digit);
        const __m128i is_point = _mm_cmpeq_epi8(here, _mm_set1_epi8('.'));
        const unsigned found = (unsigned)_mm_movemask_epi8(_mm_or_si128(is_digit, is_point));

        return (size_t)__builtin_ctz(~found);
    }
#endif
    while (n < 16 && p + n < end && ((p[n] >= '0' && p[n] <= '9') || p[n] == '.'))
        n++;
    return n;
}

/* A letter, a digit, '-', '.' or '/'. */
static inline bool lk_is_word_byte(char c)
{
    return (c >= '-' && c <= '9') || ((c | 0x20) >= 'a' && (c | 0x20) <= 'z');
}

/* Behind the letters, digits, '-', '.' and '/' at p. */
static inline const char *lk_seek_past_word(const char *p, const char *end)
{
#ifdef __SSE2__
    for (; end - p >= 16; p += 16) {
        const __m128i here = _mm_loadu_si128((const __m128i *)(const void *)p);
        const __m128i letter = _mm_sub_epi8(_mm_or_si128(here, _mm_set1_epi8(0x20)), _mm_set1_epi8('a'));
        const __m128i digit = _mm_sub_epi8(here, _mm_set1_epi8('-'));
        const __m128i is_letter = _mm_cmpeq_epi8(_mm_min_epu8(letter, _mm_set1_epi8('z' - 'a')), letter);
        const __m128i is_digit = _mm_cmpeq_epi8(_mm_min_epu8(digit, _mm_set1_epi8('9' - '-')), digit);
        const unsigned other = ~(unsigned)_mm_movemask_epi8(_mm_or_si128(is_letter, is_digit)) & 0xffff;

        if (other)
            return p + __builtin_ctz(other);
    }
#endif
    while (p < end && lk_is_word_byte(*p))
        p++;
    return p;
}

#endif
