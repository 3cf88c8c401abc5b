/* base/slice — a borrowed run of bytes, not NUL-terminated.
 *
 * Owner: whoever owns the bytes; a slice never frees.  An absent value is { NULL, 0 }.  */
#ifndef LK_BASE_SLICE_H
#define LK_BASE_SLICE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

typedef struct lk_slice {
    const char *p;
    size_t len;
} lk_slice;

#define LK_SLICE(literal) ((lk_slice){ (literal), sizeof(literal) - 1 })
#define LK_SLICE_NONE ((lk_slice){ NULL, 0 })

lk_slice lk_slice_from(const char *text); /* NUL-terminated text */
bool lk_slice_equal(lk_slice a, lk_slice b);
bool lk_slice_starts(lk_slice s, const char *prefix);
lk_slice lk_slice_skip(lk_slice s, size_t n); /* n > len gives an empty slice */

/* Whole slice as a decimal number; false on anything else, on an empty slice and on overflow. */
bool lk_slice_u64(lk_slice s, uint64_t *out);

/* Whole slice as a plain decimal ("12", "0.250", "-1.5", no exponent) in units of 1e-9,
 * digits past the ninth cut; false on anything else and past +-9.2e9.  */
bool lk_slice_nano(lk_slice s, int64_t *out);

/* Here, as most words of a table differ in their first byte. */
static inline bool lk_slice_is(lk_slice s, const char *text)
{
    if (s.len == 0)
        return *text == '\0';
    return *s.p == *text && s.len == strlen(text) && memcmp(s.p, text, s.len) == 0;
}

#endif
