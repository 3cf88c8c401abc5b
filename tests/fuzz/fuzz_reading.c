/* Any bytes as a log, read as analyze reads it: it ends, every line is accounted for once, and the
 * rejected ones come out as they went in. */
#define _GNU_SOURCE /* memfd_create */

#include "api/logfile.h"
#include "base/hash.h"
#include "require.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

static int file_of(const uint8_t *data, size_t len, char path[64])
{
    int fd = memfd_create("input", MFD_CLOEXEC);

    REQUIRE(fd >= 0 && write(fd, data, len) == (ssize_t)len);
    (void)snprintf(path, 64, "/proc/self/fd/%d", fd);
    return fd;
}

static void check_account(const lk_logfile *f)
{
    uint64_t reasons = 0;

    for (size_t i = 0; i < LK_REJECT_COUNT; i++)
        reasons += f->rejected_by[i];
    REQUIRE(f->held == 0);
    REQUIRE(f->total == f->parsed + f->filtered + f->rejected + f->ignored);
    REQUIRE(f->rejected == reasons && f->rejected_by[LK_REJECT_NONE] == 0);
    REQUIRE(f->sample_count <= LK_SAMPLES_MAX && f->sample_count <= f->rejected);
    REQUIRE((f->sample_count == 0) == (f->rejected == 0));
    for (size_t i = 0; i < f->sample_count; i++)
        REQUIRE(f->samples[i].line >= 1 && (uint64_t)f->samples[i].line <= f->total);
}

/* One line each in the file of the rejected. */
static void check_rejects(const char *path, uint64_t rejected)
{
    FILE *in = fopen(path, "rb");
    uint64_t lines = 0;
    int c;

    REQUIRE(in);
    while ((c = getc(in)) != EOF)
        lines += c == '\n';
    REQUIRE(fclose(in) == 0 && unlink(path) == 0);
    REQUIRE(lines == rejected);
}

static void settle(lk_logfile *f, const lk_reading *reading)
{
    lk_layout layout;

    lk_reading_decide(reading, f->sniffer, &layout);
    lk_logfile_settle(f, &layout);
}

static void read_all(lk_logfile *f)
{
    lk_attempt a;
    lk_err e = { 0 };
    lk_step got;

    while ((got = f->source.next(&f->source, &a, &e)) == LK_STEP_ITEM)
        ;
    f->source.close(&f->source);
    check_account(f);
}

static void read_log(const char *path, const lk_reading *reading, lk_symbols *symbols)
{
    lk_logfile *f = malloc(sizeof(*f));
    char rejects_path[64];
    lk_rejects *rejects = NULL;
    lk_arena arena;
    lk_err e = { 0 };

    REQUIRE(f);
    (void)snprintf(rejects_path, sizeof(rejects_path), "/tmp/fuzz_reading.%ld", (long)getpid());
    lk_arena_init(&arena, 0);
    if (lk_logfile_open(f, path, symbols, reading, &arena, &e) == LK_OK) {
        lk_err ignored = { 0 };

        REQUIRE(lk_rejects_open(rejects_path, &rejects, &ignored) == LK_OK);
        f->rejects = rejects;
        settle(f, reading);
        read_all(f);
        REQUIRE(lk_rejects_finish(rejects, &ignored) == LK_OK);
        check_rejects(rejects_path, f->rejected);
    }
    lk_rejects_close(rejects);
    lk_arena_release(&arena);
    free(f);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
    const uint64_t chance = lk_hash(data, len);
    lk_reading reading = {
        .since_ns = LK_TIME_NONE,
        .until_ns = LK_TIME_NONE,
        .max_line = chance % 4 == 0 ? 40 + chance / 4 % 1000 : LK_LINE_MAX,
    };
    char path[64];
    int fd = file_of(data, len, path);
    lk_symbols symbols;
    lk_err e = { 0 };

    REQUIRE(lk_symbols_init(&symbols, 1, &e) == LK_OK);
    read_log(path, &reading, &symbols);
    lk_symbols_release(&symbols);
    (void)close(fd);
    return 0;
}
