#include "input/gzip.h"
#include "input/gzip_writer.h"
#include "input/isal.h"
#include "input/members.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define ZLIB_CONST
#include <zlib.h>

typedef struct gzip {
    z_stream z;
    bool is_checking; /* its last block has ended, the trailer is next */
} gzip;

static const lk_unpacker UNPACKER;

static void *open_state(size_t room)
{
    gzip *g = calloc(1, sizeof(*g));

    (void)room; /* it takes little */
    if (g && inflateInit2(&g->z, 15 + 16) == Z_OK) /* 16: gzip header and trailer, checked */
        return g;
    free(g);
    return NULL;
}

static void close_state(void *state)
{
    gzip *g = state;

    (void)inflateEnd(&g->z);
    free(g);
}

static bool begin(void *state)
{
    gzip *g = state;
    int code = inflateReset(&g->z);

    assert(code == Z_OK);
    (void)code;
    g->is_checking = false;
    return true;
}

static lk_unpacked mismatch(const gzip *g, lk_unpacking *io, lk_err *why)
{
    const bool is_length = g->z.msg && strcmp(g->z.msg, "incorrect length check") == 0;

    io->is_check = true;
    (void)lk_fail(why, LK_EDATA,
                  "%s of the gzip member that starts at byte %" PRIu64
                  " does not match: its lines are not to be trusted",
                  is_length ? "length" : "checksum", io->member_at);
    return LK_UNPACKED_NOT;
}

/* What the zlib call that just ended means for the output and the member. */
static lk_unpacked judge(gzip *g, int code, lk_unpacking *io, lk_err *why)
{
    const bool at_block_end = (g->z.data_type & 128) != 0;

    if (code == Z_STREAM_END)
        return LK_UNPACKED_MEMBER;
    if (code == Z_MEM_ERROR) {
        (void)lk_fail(why, LK_EOOM, "no memory to inflate");
        return LK_UNPACKED_NOT;
    }
    if (code == Z_DATA_ERROR && g->is_checking)
        return mismatch(g, io, why);
    if (code != Z_OK && code != Z_BUF_ERROR)
        return lk_unpacked_damaged(&UNPACKER, io, g->z.msg ? g->z.msg : "no progress", why);
    if (!at_block_end)
        return LK_UNPACKED_SOME;
    g->is_checking = (g->z.data_type & 64) != 0;
    return LK_UNPACKED_SEALED;
}

static lk_unpacked step(void *state, lk_unpacking *io, lk_err *why)
{
    gzip *g = state;
    int code;

    g->z.next_in = (const unsigned char *)io->in;
    g->z.avail_in = (unsigned)io->in_len;
    g->z.next_out = (unsigned char *)io->out;
    g->z.avail_out = (unsigned)io->out_len;
    code = inflate(&g->z, Z_BLOCK);
    io->used = io->in_len - g->z.avail_in;
    io->made = io->out_len - g->z.avail_out;
    return judge(g, code, io, why);
}

static const lk_unpacker UNPACKER = {
    .name = "gzip",
    .magic = { LK_MAGIC("\x1F\x8B") },
    .open = open_state,
    .close = close_state,
    .begin = begin,
    .step = step,
};

static lk_code open_zlib(lk_bytes *in, lk_stream **out, lk_err *e)
{
    return lk_members_open(&UNPACKER, in, out, e);
}

#ifdef LK_HAVE_ISAL

/* Of the files that are read side by side only those that keep their descriptor take its memory, and none where
 * it is short. */
static lk_code open_gzip(lk_bytes *in, lk_stream **out, lk_err *e)
{
    const bool has_room = in->room == 0 || in->room >= LK_ISAL_ROOM;

    return has_room && in->is_regular && in->fd >= 0 ? lk_isal_open(in, open_zlib, out, e)
                                                     : open_zlib(in, out, e);
}

static void library(char *out)
{
    char fast[32];

    lk_isal_library(fast);
    (void)snprintf(out, 32, "zlib %.8s, %.16s", zlibVersion(), fast);
}

#else

static lk_code open_gzip(lk_bytes *in, lk_stream **out, lk_err *e)
{
    return open_zlib(in, out, e);
}

static void library(char *out)
{
    (void)snprintf(out, 32, "zlib %.20s", zlibVersion());
}

#endif

const lk_codec LK_CODEC_GZIP = {
    .name = "gzip", .magic = { LK_MAGIC("\x1F\x8B\x08") }, .open = open_gzip, .library = library
};

/* ---- writing ---- */

static lk_code writer_failed(const lk_gzip_writer *w, lk_err *e)
{
    return lk_fail(e, LK_EOUT, "cannot write '%s': %s", w->path,
                   errno ? strerror(errno) : "compression failed");
}

lk_code lk_gzip_writer_open(const char *path, lk_gzip_writer *out, lk_err *e)
{
    const size_t len = strlen(path);
    const bool is_gzip = len > 3 && strcmp(path + len - 3, ".gz") == 0;
    const bool is_stdout = strcmp(path, "-") == 0;
    int fd;

    out->path = path;
    out->file = NULL;
    out->out.fd = -1;
    if (!is_stdout)
        LK_TRY(lk_outfile_open(&out->out, "", path, e));
    errno = 0;
    fd = fcntl(is_stdout ? STDOUT_FILENO : out->out.fd, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
    out->file = fd < 0 ? NULL : gzdopen(fd, is_gzip ? "wb6" : "wbT"); /* 'T': as it is */
    if (out->file)
        return LK_OK;
    (void)writer_failed(out, e);
    if (fd >= 0)
        (void)close(fd);
    lk_gzip_writer_abandon(out);
    return e->code;
}

lk_code lk_gzip_writer_add(lk_gzip_writer *w, const char *p, size_t len, lk_err *e)
{
    while (len > 0) {
        unsigned part = len < 1U << 30 ? (unsigned)len : 1U << 30;

        errno = 0;
        if (gzwrite(w->file, p, part) != (int)part)
            return writer_failed(w, e);
        p += part;
        len -= part;
    }
    return LK_OK;
}

lk_code lk_gzip_writer_close(lk_gzip_writer *w, lk_err *e)
{
    gzFile file = w->file;

    w->file = NULL;
    errno = 0;
    if (file && gzclose(file) != Z_OK) {
        (void)writer_failed(w, e);
        lk_gzip_writer_abandon(w);
        return e->code;
    }
    return w->out.fd < 0 ? LK_OK : lk_outfile_finish(&w->out, e);
}

void lk_gzip_writer_abandon(lk_gzip_writer *w)
{
    if (w->file)
        (void)gzclose(w->file);
    w->file = NULL;
    if (w->out.fd >= 0)
        lk_outfile_abandon(&w->out);
}
