/* Any bytes as a state, with checksums that match: all of it is read, or refused with a message. */
#define _GNU_SOURCE /* memfd_create */

#include "base/hash.h"
#include "states.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

enum { HEAD = 17, BLOCK_HEAD = 24, FOOT = 32 };

static uint64_t get(const char *p)
{
    uint64_t v = 0;

    for (int i = 7; i >= 0; i--)
        v = v << 8 | (unsigned char)p[i];
    return v;
}

static void put(char *p, uint64_t v)
{
    for (int i = 0; i < 8; i++)
        p[i] = (char)(v >> (8 * i) & 255);
}

/* Nobody guesses a checksum: those of the index and of the blocks, one behind the other, are mended. */
static void mend(char *p, size_t len)
{
    size_t at = HEAD;
    uint64_t index_at, index_len;

    while (len >= BLOCK_HEAD && at <= len - BLOCK_HEAD) {
        uint64_t size = get(p + at) >> 8;

        if (size > len - at - BLOCK_HEAD)
            break;
        put(p + at + 16, lk_hash(p + at + BLOCK_HEAD, (size_t)size));
        at += BLOCK_HEAD + (size_t)size;
    }
    if (len < FOOT)
        return;
    index_at = get(p + len - FOOT + 8);
    index_len = get(p + len - FOOT + 16);
    if (index_at <= len && index_len <= len - index_at)
        put(p + len - 8, lk_hash(p + index_at, (size_t)index_len));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
    int fd = memfd_create("state", MFD_CLOEXEC);
    char *copy = malloc(len + 1), path[64];

    REQUIRE(fd >= 0 && copy);
    memcpy(copy, data, len);
    mend(copy, len);
    REQUIRE(write(fd, copy, len) == (ssize_t)len);
    (void)snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
    read_states(path);
    free(copy);
    (void)close(fd);
    return 0;
}
