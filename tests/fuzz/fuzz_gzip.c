/* Any bytes as a file, as a pipe in small packets and with a peek first: the same lines, in bounds,
 * and an end.  zlib in one plain loop is the judge of how many bytes there are. */
#define _GNU_SOURCE /* pipe2, O_DIRECT, memfd_create */

#include "base/hash.h"
#include "input/lines.h"
#include "require.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <zlib.h>

enum { PACKETS = 16, PACKET_MAX = 4096, HELD = 4 << 20 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

typedef struct outcome {
    uint64_t digest, lines, text_bytes;
    lk_step end;
    lk_err err;
    lk_lines_stats stats;
} outcome;

static void add(outcome *o, const lk_line *line, size_t max_line)
{
    REQUIRE(line->text.len <= max_line);
    REQUIRE(!line->overlong || line->text.len <= 200);
    REQUIRE(!line->overlong || line->text.len == (max_line < 200 ? max_line : 200));
    REQUIRE(line->number == ++o->lines);
    REQUIRE(!memchr(line->text.p, '\n', line->text.len));
    REQUIRE(line->number == 1 || line->text.len == 0 || line->text.p[0] != '\0');
    o->digest = lk_hash_mix(o->digest ^ lk_hash(line->text.p, line->text.len));
    o->digest = lk_hash_mix(o->digest ^ (uint64_t)line->cut << 1 ^ (uint64_t)line->overlong);
    o->text_bytes += line->text.len;
}

/* A path through which an open descriptor can be opened once more. */
static void open_fd(int fd, size_t max_line, lk_lines **l)
{
    char path[64];
    lk_err e = { 0 };

    (void)snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
    REQUIRE(lk_lines_open(path, max_line, l, &e) == LK_OK);
}

static outcome read_all(lk_lines *l, size_t max_line)
{
    outcome o = { 0 };
    lk_line line = { 0 };
    lk_err e = { 0 };
    bool was_cut = false;

    while ((o.end = lk_lines_next(l, &line, &o.err)) == LK_STEP_ITEM) {
        REQUIRE(!was_cut);
        was_cut = line.cut;
        add(&o, &line, max_line);
    }
    o.stats = *lk_lines_stats_of(l);
    REQUIRE(lk_lines_next(l, &line, &e) == LK_STEP_END);
    REQUIRE((o.end == LK_STEP_FAIL) == (o.err.code != LK_OK));
    REQUIRE(o.stats.truncated == (o.err.code == LK_ETRUNC));
    REQUIRE(!was_cut || o.end == LK_STEP_FAIL || o.stats.trailing_bytes > 0);
    REQUIRE(o.text_bytes + o.stats.hole_bytes <= o.stats.bytes_out);
    lk_lines_close(l);
    return o;
}

static int file_of(const uint8_t *data, size_t len)
{
    int fd = memfd_create("input", MFD_CLOEXEC);

    REQUIRE(fd >= 0 && write(fd, data, len) == (ssize_t)len);
    return fd;
}

/* Each packet is one read at the other end. */
static int pipe_of(const uint8_t *data, size_t len)
{
    int ends[2];

    REQUIRE(pipe2(ends, O_DIRECT | O_CLOEXEC) == 0);
    for (int i = 0; len > 0; i++) {
        size_t n = i == PACKETS - 1 ? len : len / (PACKETS - (size_t)i) + 1;

        n = n > PACKET_MAX ? PACKET_MAX : n > len ? len : n;
        REQUIRE(write(ends[1], data, n) == (ssize_t)n);
        data += n;
        len -= n;
    }
    (void)close(ends[1]);
    return ends[0];
}

static void require_same(const outcome *a, const outcome *b)
{
    if (a->stats.bytes_out >= HELD || b->stats.bytes_out >= HELD)
        return; /* where a long block is released depends on where the buffer began */
    REQUIRE(a->end == b->end && a->err.code == b->err.code);
    REQUIRE(strcmp(a->err.msg, b->err.msg) == 0);
    REQUIRE(a->lines == b->lines && a->digest == b->digest);
    REQUIRE(a->stats.holes == b->stats.holes && a->stats.hole_bytes == b->stats.hole_bytes);
    REQUIRE(a->stats.bytes == b->stats.bytes && a->stats.bytes_out == b->stats.bytes_out);
    REQUIRE(a->stats.padding_bytes == b->stats.padding_bytes);
    REQUIRE(a->stats.trailing_bytes == b->stats.trailing_bytes);
}

/* One member: bytes that it gives, whatever is wrong with it; *used bytes of input. */
static uint64_t inflate_one(const uint8_t *data, size_t len, size_t *used, int *code)
{
    static unsigned char some[65536];
    z_stream z = { 0 };
    uint64_t out = 0;

    REQUIRE(inflateInit2(&z, 15 + 16) == Z_OK);
    z.next_in = (Bytef *)(uintptr_t)data;
    z.avail_in = (unsigned)len;
    do {
        z.next_out = some;
        z.avail_out = sizeof(some);
        *code = inflate(&z, Z_NO_FLUSH);
        out += sizeof(some) - z.avail_out;
    } while (*code == Z_OK && (z.avail_in > 0 || z.avail_out == 0));
    *used = len - z.avail_in;
    (void)inflateEnd(&z);
    return out;
}

static void require_as_zlib(const uint8_t *data, size_t len, const outcome *o)
{
    uint64_t out = 0;
    size_t used = 0;
    int code = Z_STREAM_END;

    if (strcmp(o->stats.compression, "gzip") != 0)
        return;
    while (code == Z_STREAM_END && len > 0 && (data[0] == 0 || data[0] == 0x1F)) {
        used = 1;
        if (data[0] != 0) {
            if (len > 1 && data[1] != 0x8B)
                break;
            out += inflate_one(data, len, &used, &code);
        }
        data += used;
        len -= used;
    }
    if (code == Z_DATA_ERROR) {
        REQUIRE(o->err.code == LK_EDATA && o->stats.bytes_out <= out);
        REQUIRE(!strstr(o->err.msg, "not to be trusted") || o->stats.bytes_out == out);
        return;
    }
    if (code == Z_STREAM_END && len > 0 && o->stats.trailing_bytes != len)
        return; /* text or another compression goes on there, and may end before the file does */
    REQUIRE(o->stats.bytes_out == out);
    REQUIRE(o->err.code == (code == Z_STREAM_END ? LK_OK : LK_ETRUNC));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
    const uint64_t chance = lk_hash(data, len);
    const size_t max_line = chance % 3 == 0 ? 1 + chance / 3 % 300 : LK_LINE_MAX;
    const int fd = file_of(data, len);
    lk_line line = { 0 };
    lk_err e = { 0 };
    lk_lines *l = NULL;
    outcome plain, other;

    open_fd(fd, max_line, &l);
    plain = read_all(l, max_line);
    REQUIRE(plain.stats.bytes <= len && (plain.end == LK_STEP_FAIL || plain.stats.bytes == len));
    require_as_zlib(data, len, &plain);

    open_fd(fd, max_line, &l);
    lk_lines_record(l, chance >> 16 & 0x3FF);
    for (uint64_t i = chance >> 32 & 7; i > 0; i--)
        if (lk_lines_next(l, &line, &e) != LK_STEP_ITEM)
            break;
    lk_lines_replay(l);
    other = read_all(l, max_line);
    require_same(&plain, &other);
    (void)close(fd);

    if (len <= PACKETS * (PACKET_MAX - 1)) {
        const int end = pipe_of(data, len);

        open_fd(end, max_line, &l);
        (void)close(end);
        other = read_all(l, max_line);
        other.stats.bytes = plain.stats.bytes; /* a failure may come before all packets were read */
        require_same(&plain, &other);
    }
    return 0;
}
