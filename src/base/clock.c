#include "base/clock.h"

#include "base/time.h"

#include <time.h>

static int64_t read_ns(clockid_t clock)
{
    struct timespec t = { 0, 0 };

    (void)clock_gettime(clock, &t);
    return (int64_t)t.tv_sec * LK_NS_PER_S + t.tv_nsec;
}

int64_t lk_clock_monotonic_ns(void)
{
    return read_ns(CLOCK_MONOTONIC);
}

int64_t lk_clock_wall_ns(void)
{
    return read_ns(CLOCK_REALTIME);
}
