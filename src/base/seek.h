/* base/seek — the first byte of a kind in a short run, without a call.
 *
 * For runs of some tens of bytes that a look-up in a library spends more on getting there than on looking.
 * Reads nothing past `end`.  */
#ifndef LK_BASE_SEEK_H
#define LK_BASE_SEEK_H

#include <stdbool.h>
#include <stddef.h>
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
