/* Any lines as records: what is taken makes a state that opens, and whose attempts come out or are refused
 * with a message; nothing is read past an end. */
#define _GNU_SOURCE /* memfd_create */

#include "scale/collect.h"
#include "states.h"

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

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
    int fd = memfd_create("state", MFD_CLOEXEC);
    char path[64];

    REQUIRE(fd >= 0);
    (void)snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
    collect((const char *)data, len, fd);
    read_states(path);
    (void)close(fd);
    return 0;
}
