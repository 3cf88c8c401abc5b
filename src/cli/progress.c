#include "cli/progress.h"

#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { CELLS = 40, FIRST_MS = 1000, EVERY_MS = 100 };

static int64_t now_ms(void)
{
    struct timespec t;

    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

void lk_progress_init(lk_progress *p, bool quiet)
{
    *p = (lk_progress){ .since_ms = now_ms(), .on = !quiet && isatty(STDERR_FILENO) };
}

void lk_progress_show(void *progress, double share)
{
    lk_progress *p = progress;
    char bar[CELLS + 1];
    int64_t now;
    int full;

    if (!p->on)
        return;
    now = now_ms();
    if (now - p->since_ms < FIRST_MS || now - p->shown_ms < EVERY_MS)
        return;
    p->shown_ms = now;
    p->drawn = true;
    full = share < 0 ? 0 : share > 1 ? CELLS : (int)(share * CELLS);
    memset(bar, '.', CELLS);
    memset(bar, '#', (size_t)full);
    bar[CELLS] = '\0';
    (void)fprintf(stderr, "\r[%s] %3d %%", bar, (int)(100 * share));
    (void)fflush(stderr);
}

void lk_progress_clear(lk_progress *p)
{
    if (!p->drawn)
        return;
    (void)fprintf(stderr, "\r%*s\r", CELLS + 10, "");
    (void)fflush(stderr);
    p->drawn = false;
}
