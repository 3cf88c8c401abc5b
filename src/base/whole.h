/* base/whole — whole numbers from floating ones, defined for every value.
 *
 * C leaves a cast undefined where the number does not fit: a quotient by something that was measured as
 * nothing, an infinite wait.  Here what is too large is the largest, what is too small the smallest, and what is
 * no number is 0.
 *
 * Errors: none.  */
#ifndef LK_BASE_WHOLE_H
#define LK_BASE_WHOLE_H

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Toward zero, as a cast does. */
static inline int64_t lk_whole(double x)
{
    if (x >= 0x1p63)
        return INT64_MAX;
    if (x < -0x1p63)
        return INT64_MIN;
    return isnan(x) ? 0 : (int64_t)x;
}

/* The nearest; halves away from zero. */
static inline int64_t lk_nearest(double x)
{
    return lk_whole(round(x));
}

/* The nearest; halves to the even one. */
static inline int64_t lk_nearest_even(double x)
{
    return lk_whole(rint(x));
}

enum { LK_SIZE_SPARE = 4 };

/* A number of things, toward zero; none of what is below 0.  The largest is a quarter of SIZE_MAX: it may be
 * doubled, and some added, before it is asked for as memory. */
static inline size_t lk_whole_size(double x)
{
    const size_t most = SIZE_MAX / LK_SIZE_SPARE;

    return !(x > 0) ? 0 : x >= (double)most ? most : (size_t)x;
}

static inline uint32_t lk_whole_u32(double x)
{
    return !(x > 0) ? 0 : x >= (double)UINT32_MAX ? UINT32_MAX : (uint32_t)x;
}

/* Counts one; a 32-bit counter stops at the largest. */
static inline void lk_count_u32(uint32_t *n, bool is_one)
{
    *n += is_one && *n < UINT32_MAX;
}

/* Sums of 32-bit counters stop at the largest. */
static inline uint32_t lk_sum_u32(uint32_t a, uint32_t b)
{
    return b > UINT32_MAX - a ? UINT32_MAX : a + b;
}

/* An instant so much later (earlier where it is negative): no further than such a number goes. */
static inline int64_t lk_later(int64_t at_ns, int64_t more_ns)
{
    if (more_ns > 0 && at_ns > INT64_MAX - more_ns)
        return INT64_MAX;
    if (more_ns < 0 && at_ns < INT64_MIN - more_ns)
        return INT64_MIN;
    return at_ns + more_ns;
}

/* ... so many seconds, cut to whole nanoseconds. */
static inline int64_t lk_seconds_after(int64_t at_ns, double seconds)
{
    return lk_later(at_ns, lk_whole(seconds * 1e9));
}

#endif
