/* Any bytes as a state, with checksums that match: all of it is read, or refused with a message. */
#define _GNU_SOURCE /* memfd_create */

#include "base/hash.h"
#include "scale/dictionary.h"
#include "scale/gather.h"
#include "require.h"

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

static void read_all(const char *path)
{
    lk_symbols symbols;
    lk_dictionary d = { 0 };
    lk_gather *g = NULL;
    lk_state_entry entry;
    lk_arena arena;
    lk_attempt a;
    lk_err e = { 0 };
    lk_state s;

    lk_arena_init(&arena, 0);
    REQUIRE(lk_symbols_init(&symbols, 1, &e) == LK_OK);
    if (lk_state_open(&s, path, &e) == LK_OK &&
        lk_dictionary_open(&d, &s, 1, LK_REPEATS_LEFT_OUT, &arena, &e) == LK_OK &&
        lk_dictionary_number_symbols(&d, &symbols, &e) == LK_OK &&
        lk_gather_open(&(lk_gather_options){ .states = &s, .state_count = 1, .sources = d.of_state, .rank = d.rank, .once = true }, &g, &e) == LK_OK)
        while (lk_gather_next(g, &entry, &e) == LK_STEP_ITEM)
            if (lk_dictionary_attempt(&d, &entry, &a, &e) != LK_OK)
                break;
    REQUIRE(e.code == LK_OK || e.msg[0]);
    lk_gather_close(g);
    lk_dictionary_close(&d);
    lk_state_close(&s);
    lk_symbols_release(&symbols);
    lk_arena_release(&arena);
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
    read_all(path);
    free(copy);
    (void)close(fd);
    return 0;
}
