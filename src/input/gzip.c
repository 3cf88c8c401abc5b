#include "input/gzip.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ZLIB_CONST
#include <zlib.h>

enum {
    OUT_MIN = 512 << 10,
    OUT_MAX = 4 << 20,
    OUT_ENOUGH = 128 << 10, /* hand it out at the next end of a block */
    IDLE_MAX = 16           /* calls without progress; zlib needs two at most */
};

typedef enum phase { BETWEEN, MEMBER, TAIL } phase;

typedef struct gzip {
    lk_stream stream; /* first: it is what the caller holds */
    z_stream z;
    phase phase;
    uint64_t member_at; /* where this member starts in the file        */
    bool is_checking;   /* its last block has ended, the trailer is next */
    unsigned idle;
    unsigned char *out; /* out[0 .. sealed) may be handed out          */
    size_t sealed, filled, cap;
    lk_step end; /* ITEM while there is more */
    lk_err why;
} gzip;

static void stop(gzip *g)
{
    assert(g->why.code != LK_OK);
    g->end = LK_STEP_FAIL;
}

/* The file ended or cannot be read on: all that inflated counts. */
static void stop_short(gzip *g, lk_step got)
{
    g->sealed = g->filled;
    if (got == LK_STEP_END)
        (void)lk_fail(&g->why, LK_ETRUNC, "gzip stream is cut short at byte %" PRIu64,
                      lk_bytes_offset(g->stream.in));
    stop(g);
}

static void stop_damaged(gzip *g, const char *what)
{
    (void)lk_fail(&g->why, LK_EDATA, "gzip stream is damaged at byte %" PRIu64 " (%s)",
                  lk_bytes_offset(g->stream.in), what);
    stop(g);
}

static void stop_mismatch(gzip *g)
{
    const bool is_length = g->z.msg && strcmp(g->z.msg, "incorrect length check") == 0;

    (void)lk_fail(&g->why, LK_EDATA,
                  "%s of the gzip member that starts at byte %" PRIu64
                  " does not match: its lines are not to be trusted",
                  is_length ? "length" : "checksum", g->member_at);
    stop(g);
}

/* Two bytes tell what follows a member, unless the file ends before. */
static lk_step look_two_ahead(gzip *g)
{
    lk_step got = LK_STEP_ITEM;

    while (got == LK_STEP_ITEM && lk_bytes_ahead(g->stream.in).len < 2)
        got = lk_bytes_fill(g->stream.in, &g->why);
    return got;
}

static void skip_padding(gzip *g, lk_slice ahead)
{
    size_t n = 0;

    while (n < ahead.len && ahead.p[n] == '\0')
        n++;
    g->stream.padding_bytes += n;
    lk_bytes_use(g->stream.in, n);
}

static void begin_member(gzip *g)
{
    int code = inflateReset(&g->z);

    assert(code == Z_OK);
    (void)code;
    g->member_at = lk_bytes_offset(g->stream.in);
    g->is_checking = false;
    g->idle = 0;
    g->phase = MEMBER;
}

static void pass_between(gzip *g)
{
    const lk_step got = look_two_ahead(g);
    const lk_slice ahead = lk_bytes_ahead(g->stream.in);

    if (got == LK_STEP_FAIL)
        stop_short(g, got);
    else if (ahead.len == 0)
        g->end = LK_STEP_END;
    else if (ahead.p[0] == '\0')
        skip_padding(g, ahead);
    else if (ahead.p[0] != '\x1F' || (ahead.len > 1 && ahead.p[1] != '\x8B'))
        g->phase = TAIL;
    else
        begin_member(g); /* half a magic at the end of the file is a member that was cut */
}

static void count_tail(gzip *g)
{
    const size_t len = lk_bytes_ahead(g->stream.in).len;
    lk_step got;

    g->stream.trailing_bytes += len;
    lk_bytes_use(g->stream.in, len);
    got = lk_bytes_fill(g->stream.in, &g->why);
    if (got != LK_STEP_ITEM)
        g->end = got;
}

static bool grow(gzip *g)
{
    const size_t cap = g->cap == 0 ? OUT_MIN : g->cap * 2;
    unsigned char *out;

    assert(cap <= OUT_MAX);
    out = realloc(g->out, cap);
    if (!out) {
        (void)lk_fail(&g->why, LK_EOOM, "no memory to inflate a block of %zu bytes", cap);
        stop(g);
        return false;
    }
    g->out = out;
    g->cap = cap;
    return true;
}

/* What the zlib call that just ended means for the output and the member. */
static void judge(gzip *g, int code, bool moved)
{
    const bool at_block_end = (g->z.data_type & 128) != 0;

    g->idle = moved ? 0 : g->idle + 1;
    if (code == Z_STREAM_END) {
        g->sealed = g->filled;
        g->phase = BETWEEN;
    } else if (code == Z_MEM_ERROR) {
        (void)lk_fail(&g->why, LK_EOOM, "no memory to inflate");
        stop(g);
    } else if (code == Z_DATA_ERROR && g->is_checking) {
        stop_mismatch(g);
    } else if ((code != Z_OK && code != Z_BUF_ERROR) || g->idle > IDLE_MAX) {
        stop_damaged(g, g->z.msg ? g->z.msg : "no progress");
    } else if (at_block_end || g->filled == OUT_MAX) {
        g->sealed = g->filled;
        g->is_checking = at_block_end && (g->z.data_type & 64) != 0;
    }
}

static void inflate_some(gzip *g)
{
    lk_slice ahead;
    size_t used, made;
    int code;

    /* A full output buffer may have left bytes inside zlib: those come before more input. */
    if (lk_bytes_ahead(g->stream.in).len == 0 && g->z.avail_out > 0) {
        const lk_step got = lk_bytes_fill(g->stream.in, &g->why);

        if (got != LK_STEP_ITEM) {
            stop_short(g, got);
            return;
        }
    }
    if (g->filled == g->cap && !grow(g))
        return;
    ahead = lk_bytes_ahead(g->stream.in);
    g->z.next_in = (const unsigned char *)ahead.p;
    g->z.avail_in = (unsigned)ahead.len;
    g->z.next_out = g->out + g->filled;
    g->z.avail_out = (unsigned)(g->cap - g->filled);
    code = inflate(&g->z, Z_BLOCK);
    used = ahead.len - g->z.avail_in;
    made = g->cap - g->filled - g->z.avail_out;
    lk_bytes_use(g->stream.in, used);
    g->filled += made;
    judge(g, code, used + made > 0);
}

static void advance(gzip *g)
{
    switch (g->phase) {
    case BETWEEN: pass_between(g); break;
    case MEMBER: inflate_some(g); break;
    case TAIL: count_tail(g); break;
    }
}

/* Hand out at the end of a block: nothing has to be kept then.  Do not wait for a slow pipe with
 * lines in hand. */
static bool has_enough(const gzip *g)
{
    return g->sealed > 0 && g->sealed == g->filled &&
           (g->sealed >= OUT_ENOUGH || lk_bytes_ahead(g->stream.in).len == 0);
}

static lk_step next(lk_stream *self, lk_slice *chunk, lk_err *e)
{
    gzip *g = (gzip *)self;

    g->sealed = g->filled = 0;
    while (g->end == LK_STEP_ITEM && !has_enough(g))
        advance(g);
    if (g->sealed > 0) {
        *chunk = (lk_slice){ (const char *)g->out, g->sealed };
        return LK_STEP_ITEM;
    }
    if (g->end == LK_STEP_FAIL)
        (void)lk_fail(e, g->why.code, "%s", g->why.msg);
    return g->end;
}

static void close_gzip(lk_stream *self)
{
    gzip *g = (gzip *)self;

    (void)inflateEnd(&g->z);
    free(g->out);
    free(g);
}

static lk_code open_gzip(lk_bytes *in, lk_stream **out, lk_err *e)
{
    gzip *g = calloc(1, sizeof(*g));

    if (!g || inflateInit2(&g->z, 15 + 16) != Z_OK) { /* 16: gzip header and trailer, checked */
        free(g);
        return lk_fail(e, LK_EOOM, "no memory to inflate");
    }
    g->stream.next = next;
    g->stream.close = close_gzip;
    g->stream.in = in;
    g->end = LK_STEP_ITEM;
    *out = &g->stream;
    return LK_OK;
}

const lk_codec LK_CODEC_GZIP = { .name = "gzip", LK_MAGIC("\x1F\x8B\x08"), .open = open_gzip };

void lk_gzip_library(char *out)
{
    (void)snprintf(out, 32, "zlib %.20s", zlibVersion());
}
