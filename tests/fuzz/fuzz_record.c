/* Any lines as records: what is taken makes a state that opens, and whose attempts come out or are refused
 * with a message; nothing is read past an end. */
#define _GNU_SOURCE /* memfd_create */

#include "scale/collect.h"
#include "scale/dictionary.h"
#include "scale/gather.h"
#include "require.h"

#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

static lk_code put(void *ctx, const char *bytes, size_t len, lk_err *e)
{
    (void)e;
    REQUIRE(write(*(const int *)ctx, bytes, len) == (ssize_t)len);
    return LK_OK;
}

static void collect(const char *p, size_t len, int fd)
{
    const char *end = p + len;
    lk_collector *c = NULL;
    lk_err e = { 0 };

    REQUIRE(lk_collector_open(put, &fd, &c, &e) == LK_OK);
    while (p < end) {
        const char *stop = memchr(p, '\n', (size_t)(end - p));

        stop = stop ? stop : end;
        if (lk_collector_take(c, (lk_slice){ p, (size_t)(stop - p) }, &e) != LK_OK)
            e = (lk_err){ 0 }; /* that line is none; the next may be one */
        p = stop + (stop < end);
    }
    REQUIRE(lk_collector_finish(c, &e) == LK_OK);
    lk_collector_close(c);
}

static void read_attempts(const lk_state *s, const lk_dictionary *d)
{
    const lk_gather_options options = { .states = s, .state_count = 1, .sources = d->of_state, .rank = d->rank, .once = true };
    lk_state_entry entry;
    lk_gather *g = NULL;
    lk_attempt a;
    lk_err e = { 0 };

    REQUIRE(lk_gather_open(&options, &g, &e) == LK_OK);
    while (lk_gather_next(g, &entry, &e) == LK_STEP_ITEM)
        if (lk_dictionary_attempt(d, &entry, &a, &e) == LK_OK)
            REQUIRE(a.try_no >= 1 && a.try_no <= LK_TRIES_MAX && a.status <= LK_STATUS_UNKNOWN);
    REQUIRE(e.code == LK_OK || e.msg[0]);
    lk_gather_close(g);
}

static void read_back(const char *path)
{
    lk_symbols symbols;
    lk_dictionary d;
    lk_arena arena;
    lk_err e = { 0 };
    lk_state s;

    lk_arena_init(&arena, 0);
    REQUIRE(lk_state_open(&s, path, &e) == LK_OK);
    REQUIRE(lk_symbols_init(&symbols, 1, &e) == LK_OK);
    if (lk_dictionary_open(&d, &s, 1, LK_REPEATS_LEFT_OUT, &arena, &e) == LK_OK &&
        lk_dictionary_number_symbols(&d, &symbols, &e) == LK_OK)
        read_attempts(&s, &d);
    lk_dictionary_close(&d);
    lk_symbols_release(&symbols);
    lk_state_close(&s);
    lk_arena_release(&arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
    int fd = memfd_create("state", MFD_CLOEXEC);
    char path[64];

    REQUIRE(fd >= 0);
    (void)snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
    collect((const char *)data, len, fd);
    read_back(path);
    (void)close(fd);
    return 0;
}
