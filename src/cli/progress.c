#include "cli/progress.h"

#include "base/clock.h"
#include "base/time.h"
#include "base/whole.h"
#include "cli/interrupt.h"
#include "cli/terminal.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { CELLS = 24, FIRST_MS = 500, EVERY_MS = 100, LINE_MAX_COLUMNS = 160 };

static int64_t now_ms(void)
{
    return lk_clock_monotonic_ns() / LK_NS_PER_MS;
}

lk_code lk_progress_check(const char *when, lk_err *e)
{
    if (!when || strcmp(when, "auto") == 0 || strcmp(when, "always") == 0 ||
        strcmp(when, "never") == 0)
        return LK_OK;
    return lk_fail(e, LK_EUSAGE, "--progress: '%s' is not auto, always or never", when);
}

/* ---- the line ---- */

static void bar(double share, char *out)
{
    int full = share < 0 ? 0 : share > 1 ? CELLS : (int)(share * CELLS);

    out[0] = '[';
    memset(out + 1, '.', CELLS);
    memset(out + 1, '#', (size_t)full);
    (void)snprintf(out + 1 + CELLS, 10, "] %3d %%", (int)(100 * (share > 1 ? 1 : share)));
}

/* "870", "41.2k", "1.31M" */
static void amount(double n, char *out, size_t size)
{
    static const char UNITS[] = " kMGT";
    size_t i = 0;

    for (; n >= 999.5 && i + 2 < sizeof(UNITS); i++)
        n /= 1000;
    if (i == 0)
        (void)snprintf(out, size, "%.0f", n);
    else
        (void)snprintf(out, size, "%.*f%c", n < 9.995 ? 2 : n < 99.95 ? 1 : 0, n, UNITS[i]);
}

/* "0:07", "1:02:10" */
static void span(double seconds, char *out, size_t size)
{
    unsigned s = seconds < 360000 ? lk_whole_u32(seconds + 0.5) : 359999U;

    if (s < 3600)
        (void)snprintf(out, size, "%u:%02u", s / 60, s % 60);
    else
        (void)snprintf(out, size, "%u:%02u:%02u", s / 3600, s / 60 % 60, s % 60);
}

void lk_progress_line(const lockstep_reading *read, double seconds, size_t columns, char *out,
                      size_t size)
{
    char lines[16], rate[16], bytes[16], left[32], text[LINE_MAX_COLUMNS];
    double done = (double)read->bytes, whole = (double)read->total;

    amount((double)read->lines, lines, sizeof(lines));
    amount((double)read->lines / seconds, rate, sizeof(rate));
    amount(done / seconds, bytes, sizeof(bytes));
    if (read->total && read->bytes >= read->total) {
        (void)snprintf(text, sizeof(text), "%s lines read, working it out", lines);
    } else if (read->total) {
        bar(done / whole, text);
        span(done > 0 ? seconds * (whole - done) / done : 0, left, sizeof(left));
        (void)snprintf(text + strlen(text), sizeof(text) - strlen(text),
                       "  %s lines/s  %sB/s  %s left", rate, bytes, left);
    } else {
        (void)snprintf(text, sizeof(text), "%s lines  %s lines/s  %sB/s", lines, rate, bytes);
    }
    (void)snprintf(out, size, "%.*s", (int)columns, text);
}

static void share_line(int per_mille, double seconds, size_t columns, char *out, size_t size)
{
    char text[LINE_MAX_COLUMNS], left[32];
    double share = per_mille / 1000.0;

    bar(share, text);
    if (share > 0) {
        span(seconds * (1 - share) / share, left, sizeof(left));
        (void)snprintf(text + strlen(text), sizeof(text) - strlen(text), "  %s left", left);
    }
    (void)snprintf(out, size, "%.*s", (int)columns, text);
}

/* ---- drawing ---- */

static void put(lk_progress *p, const char *line)
{
    size_t len = strlen(line);

    (void)fprintf(stderr, "\r%s%*s", line, len < p->drawn ? (int)(p->drawn - len) : 0, "");
    if (len < p->drawn)
        (void)fprintf(stderr, "\r%s", line);
    (void)fflush(stderr);
    p->drawn = len;
}

static void erase(lk_progress *p)
{
    if (!p->drawn)
        return;
    put(p, "");
    p->drawn = 0;
}

static void draw(lk_progress *p)
{
    double seconds = (double)(now_ms() - p->since_ms) / 1000.0;
    size_t columns = lk_terminal_width_of(STDERR_FILENO) - 1;
    char line[LINE_MAX_COLUMNS];
    lockstep_reading read;

    if (p->meter) {
        lockstep_meter_read(p->meter, &read);
        lk_progress_line(&read, seconds, columns, line, sizeof(line));
    } else {
        share_line(atomic_load(&p->per_mille), seconds, columns, line, sizeof(line));
    }
    put(p, line);
}

/* ---- the thread ---- */

static void wait_a_moment(lk_progress *p)
{
    struct timespec until;

    (void)clock_gettime(CLOCK_REALTIME, &until);
    until.tv_nsec += EVERY_MS * 1000000L;
    if (until.tv_nsec >= 1000000000L) {
        until.tv_nsec -= 1000000000L;
        until.tv_sec++;
    }
    (void)pthread_cond_timedwait(&p->end, &p->lock, &until);
}

static void *look_on(void *progress)
{
    lk_progress *p = progress;

    (void)pthread_mutex_lock(&p->lock);
    while (!p->is_over) {
        wait_a_moment(p);
        if (p->is_over)
            break;
        if (p->meter && lk_interrupt_seen() == SIGTERM)
            lockstep_meter_cancel(p->meter);
        else if (p->meter && lk_interrupt_seen())
            lockstep_meter_stop(p->meter);
        if (p->is_shown && now_ms() - p->since_ms >= FIRST_MS)
            draw(p);
    }
    erase(p);
    (void)pthread_mutex_unlock(&p->lock);
    return NULL;
}

static bool is_wanted(const char *when, bool quiet)
{
    if (when && strcmp(when, "auto") != 0)
        return strcmp(when, "always") == 0;
    return !quiet && isatty(STDERR_FILENO) && lk_terminal_is_able();
}

void lk_progress_start(lk_progress *p, const char *when, bool quiet, lockstep_meter *meter)
{
    *p = (lk_progress){ .meter = meter, .since_ms = now_ms(), .is_shown = is_wanted(when, quiet) };
    if (!meter && !p->is_shown)
        return;
    (void)pthread_mutex_init(&p->lock, NULL);
    (void)pthread_cond_init(&p->end, NULL);
    p->is_running = pthread_create(&p->thread, NULL, look_on, p) == 0;
}

void lk_progress_share(void *progress, double share)
{
    lk_progress *p = progress;

    atomic_store(&p->per_mille, share < 0 ? 0 : share > 1 ? 1000 : (int)(1000 * share));
}

void lk_progress_stop(lk_progress *p)
{
    if (!p->is_running)
        return;
    (void)pthread_mutex_lock(&p->lock);
    p->is_over = true;
    (void)pthread_cond_signal(&p->end);
    (void)pthread_mutex_unlock(&p->lock);
    (void)pthread_join(p->thread, NULL);
    p->is_running = false;
    (void)pthread_cond_destroy(&p->end);
    (void)pthread_mutex_destroy(&p->lock);
}
