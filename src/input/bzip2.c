#include "input/bzip2.h"

/* The first block, or the end of a stream that holds none. */
#define MAGICS                                \
    {                                         \
        LK_MAGIC_ANY("BZh?1AY&SY", "19"),     \
        LK_MAGIC_ANY("BZh?\x17rE8P\x90", "19") \
    }

#ifdef LK_HAVE_BZIP2

#include "input/members.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <bzlib.h>

typedef struct bzip2 {
    bz_stream z;
    bool is_open;
} bzip2;

static const lk_unpacker UNPACKER;

static void *open_state(size_t room)
{
    (void)room; /* 4 MB at most */
    return calloc(1, sizeof(bzip2));
}

static void end(bzip2 *b)
{
    if (b->is_open)
        (void)BZ2_bzDecompressEnd(&b->z);
    b->is_open = false;
}

static void close_state(void *state)
{
    end(state);
    free(state);
}

static bool begin(void *state)
{
    bzip2 *b = state;

    end(b);
    b->z = (bz_stream){ 0 };
    b->is_open = BZ2_bzDecompressInit(&b->z, 0, 0) == BZ_OK;
    return b->is_open;
}

/* Without room for output libbz2 goes no further than to the end of a block. */
static int read_block(bzip2 *b, lk_unpacking *io)
{
    char *in = io->in_len ? (char *)(uintptr_t)io->in : NULL; /* it does not write there */
    int code;

    b->z.next_in = in;
    b->z.avail_in = (unsigned)io->in_len;
    b->z.next_out = io->out + io->made;
    b->z.avail_out = 0;
    code = BZ2_bzDecompress(&b->z);
    io->used = io->in_len - b->z.avail_in;
    return code;
}

/* Without input it goes no further than to the block's checksum. */
static int write_block(bzip2 *b, lk_unpacking *io)
{
    int code;

    b->z.avail_in = 0;
    b->z.next_out = io->out + io->made;
    b->z.avail_out = (unsigned)(io->out_len - io->made);
    code = BZ2_bzDecompress(&b->z);
    io->made = io->out_len - b->z.avail_out;
    return code;
}

static lk_unpacked explain(int code, bool is_check, const lk_unpacking *io, lk_err *why)
{
    if (code == BZ_MEM_ERROR) {
        (void)lk_fail(why, LK_EOOM, "no memory to unpack bzip2");
        return LK_UNPACKED_NOT;
    }
    return lk_unpacked_damaged(&UNPACKER, io,
                               is_check ? "the checksum of a block does not match"
                                        : "a block does not decompress",
                               why);
}

static lk_unpacked step(void *state, lk_unpacking *io, lk_err *why)
{
    bzip2 *b = state;
    int code = write_block(b, io);

    if (code != BZ_OK && code != BZ_STREAM_END)
        return explain(code, true, io, why);
    if (code == BZ_OK && io->made > 0)
        return io->made < io->out_len ? LK_UNPACKED_SEALED : LK_UNPACKED_SOME;
    if (code == BZ_OK)
        code = read_block(b, io);
    if (code == BZ_STREAM_END)
        return LK_UNPACKED_MEMBER;
    if (code != BZ_OK)
        return explain(code, false, io, why);
    code = write_block(b, io);
    if (code != BZ_OK && code != BZ_STREAM_END)
        return explain(code, true, io, why);
    return io->made < io->out_len ? LK_UNPACKED_SEALED : LK_UNPACKED_SOME;
}

static const lk_unpacker UNPACKER = {
    .name = "bzip2",
    .magic = { LK_MAGIC_ANY("BZh?", "19") },
    .open = open_state,
    .close = close_state,
    .begin = begin,
    .step = step,
};

static lk_code open_bzip2(lk_bytes *in, lk_stream **out, lk_err *e)
{
    return lk_members_open(&UNPACKER, in, out, e);
}

static void library(char *out)
{
    const char *version = BZ2_bzlibVersion(); /* "1.0.8, 13-Jul-2019" */

    (void)snprintf(out, 32, "libbz2 %.*s", (int)strcspn(version, ","), version);
}

const lk_codec LK_CODEC_BZIP2 = {
    .name = "bzip2", .magic = MAGICS, .open = open_bzip2, .library = library
};

#else

const lk_codec LK_CODEC_BZIP2 = {
    .name = "bzip2", .magic = MAGICS, .needs = "libbz2", .instead = "bzcat"
};

#endif
