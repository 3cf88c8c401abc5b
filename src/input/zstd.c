#include "input/zstd.h"

#define MAGICS { LK_MAGIC("\x28\xB5\x2F\xFD"), LK_MAGIC_ANY("?\x2A\x4D\x18", "\x50\x5F") }

#ifdef LK_HAVE_ZSTD

#include "input/members.h"

#include <inttypes.h>
#include <stdio.h>

#include <zstd.h>
#include <zstd_errors.h>

enum { WINDOW_LOG_MAX = 27 };

static const lk_unpacker UNPACKER;

static void *open_state(void)
{
    ZSTD_DCtx *z = ZSTD_createDCtx();

    if (z && !ZSTD_isError(ZSTD_DCtx_setParameter(z, ZSTD_d_windowLogMax, WINDOW_LOG_MAX)))
        return z;
    (void)ZSTD_freeDCtx(z);
    return NULL;
}

static void close_state(void *state)
{
    (void)ZSTD_freeDCtx(state);
}

static bool begin(void *state)
{
    return !ZSTD_isError(ZSTD_DCtx_reset(state, ZSTD_reset_session_only));
}

static lk_unpacked explain(size_t code, const lk_unpacking *io, lk_err *why)
{
    const ZSTD_ErrorCode error = ZSTD_getErrorCode(code);
    const char *what = ZSTD_getErrorName(code);

    if (error == ZSTD_error_memory_allocation)
        (void)lk_fail(why, LK_EOOM, "no memory to unpack zstd");
    else if (error == ZSTD_error_checksum_wrong)
        (void)lk_fail(why, LK_EDATA,
                      "checksum of the zstd frame that starts at byte %" PRIu64
                      " does not match: its lines are not to be trusted",
                      io->member_at);
    else if (error == ZSTD_error_frameParameter_windowTooLarge)
        (void)lk_fail(why, LK_EDATA,
                      "the zstd frame that starts at byte %" PRIu64
                      " needs a window above 128 MiB; use: zstdcat --long=31 FILE | lockstep "
                      "analyze -",
                      io->member_at);
    else
        return lk_unpacked_damaged(&UNPACKER, io, what, why);
    return LK_UNPACKED_NOT;
}

static lk_unpacked step(void *state, lk_unpacking *io, lk_err *why)
{
    ZSTD_inBuffer in = { io->in, io->in_len, 0 };
    ZSTD_outBuffer out = { io->out, io->out_len, 0 };
    const size_t code = ZSTD_decompressStream(state, &out, &in);

    io->used = in.pos;
    io->made = out.pos;
    if (ZSTD_isError(code))
        return explain(code, io, why);
    return code == 0 ? LK_UNPACKED_MEMBER : LK_UNPACKED_SEALED;
}

static const lk_unpacker UNPACKER = {
    .name = "zstd",
    .magic = MAGICS,
    .open = open_state,
    .close = close_state,
    .begin = begin,
    .step = step,
};

static lk_code open_zstd(lk_bytes *in, lk_stream **out, lk_err *e)
{
    return lk_members_open(&UNPACKER, in, out, e);
}

static void library(char *out)
{
    (void)snprintf(out, 32, "libzstd %.20s", ZSTD_versionString());
}

const lk_codec LK_CODEC_ZSTD = {
    .name = "zstd", .magic = MAGICS, .open = open_zstd, .library = library
};

#else

const lk_codec LK_CODEC_ZSTD = {
    .name = "zstd", .magic = MAGICS, .needs = "libzstd", .instead = "zstdcat"
};

#endif
