#include "base/slice.h"

#include <string.h>

/* Seconds whose nanoseconds fit an int64 with room to spare for sums. */
#define NANO_WHOLE_MAX UINT64_C(9200000000)
#define NANO_PER_UNIT UINT64_C(1000000000)

lk_slice lk_slice_from(const char *text)
{
    return (lk_slice){ text, strlen(text) };
}

static bool same_bytes(const char *a, const char *b, size_t len)
{
    return len == 0 || memcmp(a, b, len) == 0;
}

bool lk_slice_equal(lk_slice a, lk_slice b)
{
    return a.len == b.len && same_bytes(a.p, b.p, a.len);
}

bool lk_slice_starts(lk_slice s, const char *prefix)
{
    size_t len = strlen(prefix);

    return s.len >= len && same_bytes(s.p, prefix, len);
}

lk_slice lk_slice_skip(lk_slice s, size_t n)
{
    if (s.len == 0)
        return s;
    if (n > s.len)
        n = s.len;
    return (lk_slice){ s.p + n, s.len - n };
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

bool lk_slice_u64(lk_slice s, uint64_t *out)
{
    enum { SAFE = 19 }; /* as many digits always fit */
    const size_t safe = s.len < SAFE ? s.len : SAFE;
    uint64_t value = 0;
    size_t i;

    if (s.len == 0)
        return false;
    for (i = 0; i < safe; i++) {
        if (!is_digit(s.p[i]))
            return false;
        value = value * 10 + (unsigned)(s.p[i] - '0');
    }
    for (; i < s.len; i++) {
        const unsigned digit = (unsigned)(s.p[i] - '0');

        if (!is_digit(s.p[i]) || value > (UINT64_MAX - digit) / 10)
            return false;
        value = value * 10 + digit;
    }
    *out = value;
    return true;
}

/* Digits from s.p[*i] on; false when there is none or past NANO_WHOLE_MAX. */
static bool take_whole(lk_slice s, size_t *i, uint64_t *whole)
{
    const size_t first = *i;
    uint64_t value = 0;
    size_t at = first;

    for (; at < s.len && is_digit(s.p[at]); at++) {
        value = value * 10 + (unsigned)(s.p[at] - '0');
        if (value > NANO_WHOLE_MAX)
            return false;
    }
    *i = at;
    *whole = value;
    return at > first;
}

/* Digits past the ninth are looked at, no more. */
static bool take_fraction(lk_slice s, size_t *i, uint64_t *nanos)
{
    static const uint32_t UNIT[] = { 1000000000, 100000000, 10000000, 1000000, 100000,
                                     10000,      1000,      100,      10,      1 };
    enum { DIGITS = sizeof(UNIT) / sizeof(UNIT[0]) - 1 };
    const size_t first = *i;
    uint64_t value = 0;
    size_t at = first;

    for (; at < s.len && is_digit(s.p[at]); at++)
        if (at - first < DIGITS)
            value = value * 10 + (unsigned)(s.p[at] - '0');
    *i = at;
    *nanos = value * UNIT[at - first < DIGITS ? at - first : DIGITS];
    return at > first;
}

/* "0.250": digits with three behind the point, which is how most durations are written. */
static bool take_thousandths(lk_slice s, int64_t *out)
{
    enum { MIN = 5, MAX = 9, PLACES = 3 };
    int64_t value = 0;

    if (s.len < MIN || s.len > MAX || s.p[s.len - PLACES - 1] != '.')
        return false;
    for (size_t i = 0; i < s.len; i++) {
        if (i + PLACES + 1 == s.len)
            continue;
        if (!is_digit(s.p[i]))
            return false;
        value = value * 10 + (s.p[i] - '0');
    }
    *out = value * (int64_t)(NANO_PER_UNIT / 1000);
    return true;
}

bool lk_slice_nano(lk_slice s, int64_t *out)
{
    bool negative = s.len > 0 && s.p[0] == '-';
    size_t i = negative ? 1 : 0;
    uint64_t whole = 0, nanos = 0;

    if (take_thousandths(s, out))
        return true;
    if (!take_whole(s, &i, &whole))
        return false;
    if (i < s.len && s.p[i] == '.') {
        i++;
        if (!take_fraction(s, &i, &nanos))
            return false;
    }
    if (i != s.len || (whole == NANO_WHOLE_MAX && nanos > 0))
        return false;
    int64_t value = (int64_t)(whole * NANO_PER_UNIT + nanos);
    *out = negative ? -value : value;
    return true;
}
