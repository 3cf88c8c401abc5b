#include "input/zstd.h"

#define MAGICS { LK_MAGIC("\x28\xB5\x2F\xFD"), LK_MAGIC_ANY("?\x2A\x4D\x18", "\x50\x5F") }

#ifdef LK_HAVE_ZSTD

#include "input/members.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include <zstd.h>
#include <zstd_errors.h>

enum { WINDOW_LOG_MIN = 10, WINDOW_LOG_MAX = 27, HEADER = 3 };

typedef struct frames {
    ZSTD_DCtx *z;
    int window_log; /* at most */
    size_t wanted; /* input up to the end of this block, or of what follows its end */
} frames;

/* The widest window that leaves something of the room. */
static int window_log(size_t room)
{
    int log = WINDOW_LOG_MAX;

    while (room && log > WINDOW_LOG_MIN && room / 4 * 3 < (size_t)1 << log)
        log--;
    return log;
}

static void *open_state(size_t room)
{
    frames *f = calloc(1, sizeof(*f));

    if (!f)
        return NULL;
    f->window_log = window_log(room);
    f->z = ZSTD_createDCtx();
    if (f->z && !ZSTD_isError(ZSTD_DCtx_setParameter(f->z, ZSTD_d_windowLogMax, f->window_log)))
        return f;
    (void)ZSTD_freeDCtx(f->z);
    free(f);
    return NULL;
}

static void close_state(void *state)
{
    frames *f = state;

    (void)ZSTD_freeDCtx(f->z);
    free(f);
}

static bool begin(void *state)
{
    frames *f = state;

    f->wanted = ZSTD_initDStream(f->z);
    return !ZSTD_isError(f->wanted);
}

static lk_unpacked explain(const frames *f, size_t code, lk_unpacking *io, lk_err *why)
{
    const ZSTD_ErrorCode error = ZSTD_getErrorCode(code);
    const char *what = ZSTD_getErrorName(code);

    io->is_check = error == ZSTD_error_checksum_wrong;
    if (error == ZSTD_error_memory_allocation)
        (void)lk_fail(why, LK_EOOM, "no memory to unpack zstd");
    else if (error == ZSTD_error_checksum_wrong)
        (void)lk_fail(why, LK_EDATA,
                      "checksum of the zstd frame that starts at byte %" PRIu64
                      " does not match: its lines are not to be trusted",
                      io->member_at);
    else if (error == ZSTD_error_frameParameter_windowTooLarge && f->window_log < WINDOW_LOG_MAX)
        (void)lk_fail(why, LK_EDATA,
                      "the zstd frame that starts at byte %" PRIu64
                      " needs a window above %zu KiB: more --memory, or zstdcat --long=31 FILE | ...",
                      io->member_at, ((size_t)1 << f->window_log) >> 10);
    else if (error == ZSTD_error_frameParameter_windowTooLarge)
        (void)lk_fail(why, LK_EDATA,
                      "the zstd frame that starts at byte %" PRIu64
                      " needs a window above 128 MiB; use: zstdcat --long=31 FILE | lockstep "
                      "analyze -",
                      io->member_at);
    else /* how far libzstd had come it does not tell */
        (void)lk_fail(why, LK_EDATA, "the zstd frame that starts at byte %" PRIu64 " is damaged (%s)",
                      io->member_at, what);
    return LK_UNPACKED_NOT;
}

/* libzstd gives nothing of a call that fails, so each call gets one block at most: what it asks for may
 * include the three bytes of the next block's header, which are left for the call after. */
static size_t portion(const frames *f, size_t len)
{
    const size_t block = f->wanted > HEADER ? f->wanted - HEADER : f->wanted;

    return len < block ? len : block;
}

static lk_unpacked step(void *state, lk_unpacking *io, lk_err *why)
{
    frames *f = state;
    ZSTD_inBuffer in = { io->in, portion(f, io->in_len), 0 };
    ZSTD_outBuffer out = { io->out, io->out_len, 0 };
    const size_t code = ZSTD_decompressStream(f->z, &out, &in);

    io->used = in.pos;
    io->made = out.pos;
    if (ZSTD_isError(code))
        return explain(f, code, io, why);
    f->wanted = code;
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
