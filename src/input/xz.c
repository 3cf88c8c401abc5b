#include "input/xz.h"

#define MAGICS { LK_MAGIC("\xFD" "7zXZ\0") }

#ifdef LK_HAVE_XZ

#include "input/members.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include <lzma.h>

static const uint64_t MEMORY_MAX = 128 << 20;

typedef struct streams {
    lzma_stream z;
    uint64_t max; /* bytes that it may take */
} streams;

static const lk_unpacker UNPACKER;

static void *open_state(size_t room)
{
    static const lzma_stream INIT = LZMA_STREAM_INIT;
    streams *s = malloc(sizeof(*s));

    if (!s)
        return NULL;
    s->z = INIT;
    s->max = room && room < MEMORY_MAX ? room : MEMORY_MAX;
    return s;
}

static void close_state(void *state)
{
    streams *s = state;

    lzma_end(&s->z);
    free(s);
}

static bool begin(void *state)
{
    streams *s = state;

    return lzma_stream_decoder(&s->z, s->max, 0) == LZMA_OK;
}

static lk_unpacked explain(const streams *s, lzma_ret code, lk_unpacking *io, lk_err *why)
{
    io->is_check = code == LZMA_DATA_ERROR;
    if (code == LZMA_MEM_ERROR)
        (void)lk_fail(why, LK_EOOM, "no memory to unpack xz");
    else if (code == LZMA_MEMLIMIT_ERROR && s->max < MEMORY_MAX)
        (void)lk_fail(why, LK_EDATA,
                      "the xz stream that starts at byte %" PRIu64 " needs %" PRIu64
                      " MiB to be unpacked: more --memory, or xzcat FILE | ...",
                      io->member_at, (lzma_memusage(&s->z) >> 20) + 1);
    else if (code == LZMA_MEMLIMIT_ERROR)
        (void)lk_fail(why, LK_EDATA,
                      "the xz stream that starts at byte %" PRIu64
                      " needs more than 128 MiB; use: xzcat FILE | lockstep analyze -",
                      io->member_at);
    else if (code == LZMA_OPTIONS_ERROR)
        return lk_unpacked_damaged(&UNPACKER, io, "options that liblzma does not know", why);
    else if (code == LZMA_DATA_ERROR)
        (void)lk_fail(why, LK_EDATA,
                      "xz stream is damaged at byte %" PRIu64 " (data or check): the lines of the "
                      "stream that starts at byte %" PRIu64 " are not to be trusted",
                      io->offset + io->used, io->member_at);
    else
        return lk_unpacked_damaged(&UNPACKER, io, "no xz data", why);
    return LK_UNPACKED_NOT;
}

static lk_unpacked step(void *state, lk_unpacking *io, lk_err *why)
{
    streams *s = state;
    lzma_stream *z = &s->z;
    lzma_ret code;

    z->next_in = (const uint8_t *)io->in;
    z->avail_in = io->in_len;
    z->next_out = (uint8_t *)io->out;
    z->avail_out = io->out_len;
    code = lzma_code(z, LZMA_RUN);
    io->used = io->in_len - z->avail_in;
    io->made = io->out_len - z->avail_out;
    if (code == LZMA_STREAM_END)
        return LK_UNPACKED_MEMBER;
    /* What comes before damage is found may be noise already, and only a block's end is checked: it is
     * held back.  BUF_ERROR: no progress, and not fatal. */
    if (code == LZMA_OK || code == LZMA_BUF_ERROR)
        return LK_UNPACKED_SOME;
    return explain(s, code, io, why);
}

static const lk_unpacker UNPACKER = {
    .name = "xz",
    .magic = MAGICS,
    .open = open_state,
    .close = close_state,
    .begin = begin,
    .step = step,
};

static lk_code open_xz(lk_bytes *in, lk_stream **out, lk_err *e)
{
    return lk_members_open(&UNPACKER, in, out, e);
}

static void library(char *out)
{
    (void)snprintf(out, 32, "liblzma %.20s", lzma_version_string());
}

const lk_codec LK_CODEC_XZ = {
    .name = "xz", .magic = MAGICS, .open = open_xz, .library = library
};

#else

const lk_codec LK_CODEC_XZ = {
    .name = "xz", .magic = MAGICS, .needs = "liblzma", .instead = "xzcat"
};

#endif
