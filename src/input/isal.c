#include "input/isal.h"

#ifdef LK_HAVE_ISAL

#include <isa-l.h>

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    LAG = 4 << 20,           /* what input/members holds back at most */
    RING = LAG + (1 << 20),
    RING_FIRST = 128 << 10,  /* most logs of a test, and those of an hour, need no more */
    GIVE_MIN = 256 << 10,    /* hand it out together, while the file goes on */
    GIVE_MAX = 1 << 20,
    STEP_MAX = 256 << 10,    /* of output, so that what was just written is still in the cache */
    HEADER = 10
};

/* Positions count bytes of output since the stream began; the ring holds [free .. filled).  Until it is as large as
 * it may be it grows in place of coming round. */
typedef struct isal {
    lk_stream stream; /* first: it is what the caller holds */
    lk_code (*careful)(lk_bytes *in, lk_stream **out, lk_err *e);
    lk_stream *zlib; /* has taken over */
    uint64_t skip;   /* of its output: was given before */
    struct inflate_state *state;
    char *ring; /* [cap] */
    size_t cap;
    bool is_amiss;       /* or at the end: zlib's turn */
    bool is_inside;      /* a member */
    uint64_t member_at;  /* where it starts in the file */
    uint64_t member_out; /* ... and its output */
    uint64_t zlib_out;   /* output before that of `zlib` */
    uint64_t given, sealed, filled;
} isal;

static lk_code take_over(isal *x, lk_err *e)
{
    x->zlib_out = x->is_inside ? x->member_out : x->filled;
    if (x->is_inside) {
        x->skip = x->given - x->member_out;
        LK_TRY(lk_bytes_seek(x->stream.in, x->member_at, e));
    }
    return x->careful(x->stream.in, &x->zlib, e);
}

/* A member whose header says nothing that ISA-L might read otherwise than zlib. */
static bool is_plain_header(const unsigned char *p)
{
    enum { DEFLATE = 8, HEADER_CHECK = 2, RESERVED = 0xE0 };

    return p[0] == 0x1F && p[1] == 0x8B && p[2] == DEFLATE &&
           (p[3] & (HEADER_CHECK | RESERVED)) == 0;
}

/* false: what comes is zlib's to judge, be it the end. */
static bool begin_member(isal *x, lk_err *e)
{
    lk_step got = LK_STEP_ITEM;
    lk_slice ahead;

    while ((ahead = lk_bytes_ahead(x->stream.in)).len < HEADER && got == LK_STEP_ITEM)
        got = lk_bytes_fill(x->stream.in, e);
    if (ahead.len < HEADER || !is_plain_header((const unsigned char *)ahead.p))
        return false;
    isal_inflate_reset(x->state);
    x->state->crc_flag = ISAL_GZIP;
    x->member_at = lk_bytes_offset(x->stream.in);
    x->member_out = x->filled;
    x->stream.member_out = x->member_out;
    x->is_inside = true;
    return true;
}

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* At its end a member gives back what it had read ahead, which may be from before this step. */
static void account(lk_bytes *in, size_t before, size_t after)
{
    if (after <= before)
        lk_bytes_use(in, before - after);
    else
        lk_bytes_unuse(in, after - before);
}

/* What was handed out is done with, so the ring may move. */
static bool grow(isal *x)
{
    char *wider;

    if (x->filled < x->cap || x->cap == RING)
        return true;
    wider = realloc(x->ring, least(2 * x->cap, RING));
    if (!wider)
        return false;
    x->ring = wider;
    x->cap = least(2 * x->cap, RING);
    return true;
}

/* Inflates some more of the member; false: something is amiss, or for zlib's smaller room. */
static bool inflate_some(isal *x, lk_err *e)
{
    struct inflate_state *s = x->state;
    lk_slice ahead = lk_bytes_ahead(x->stream.in);
    size_t at, room;
    int code;

    if (!grow(x))
        return false;
    at = (size_t)(x->filled % x->cap);
    room = least(least(x->cap - at, (size_t)(x->cap - (x->filled - x->given))), STEP_MAX);
    if (ahead.len == 0 && lk_bytes_fill(x->stream.in, e) != LK_STEP_ITEM)
        return false;
    ahead = lk_bytes_ahead(x->stream.in);
    s->next_in = (uint8_t *)(uintptr_t)ahead.p; /* not written to */
    s->avail_in = (uint32_t)ahead.len;
    s->next_out = (uint8_t *)x->ring + at;
    s->avail_out = (uint32_t)room;
    code = isal_inflate(s);
    x->filled += room - s->avail_out;
    if (code != ISAL_DECOMP_OK && code != ISAL_END_INPUT && code != ISAL_OUT_OVERFLOW)
        return false;
    account(x->stream.in, ahead.len, s->avail_in);
    if (s->block_state == ISAL_BLOCK_FINISH) {
        x->is_inside = false;
        x->sealed = x->filled;
    }
    return s->avail_in != ahead.len || s->avail_out < room || !x->is_inside;
}

/* How much may be handed out in one piece. */
static size_t ready(const isal *x)
{
    uint64_t to = x->filled > LAG ? x->filled - LAG : 0;

    if (to < x->sealed)
        to = x->sealed;
    if (to <= x->given)
        return 0;
    return least(least((size_t)(to - x->given), GIVE_MAX), x->cap - (size_t)(x->given % x->cap));
}

static bool has_enough(const isal *x)
{
    const size_t n = ready(x);

    if (x->cap < RING) /* it grows before it is full */
        return n >= GIVE_MIN;
    return n >= GIVE_MIN || (n > 0 && x->given % RING + n == RING) ||
           x->filled - x->given == RING;
}

static lk_step give(isal *x, size_t len, lk_slice *chunk)
{
    *chunk = (lk_slice){ x->ring + x->given % x->cap, len };
    x->given += len;
    return LK_STEP_ITEM;
}

static lk_step next_careful(isal *x, lk_slice *chunk, lk_err *e)
{
    lk_step got;

    while ((got = x->zlib->next(x->zlib, chunk, e)) == LK_STEP_ITEM && chunk->len <= x->skip)
        x->skip -= chunk->len;
    x->stream.padding_bytes = x->zlib->padding_bytes;
    x->stream.member_out = x->zlib_out + x->zlib->member_out;
    x->stream.is_unsure = x->zlib->is_unsure;
    if (got == LK_STEP_ITEM)
        *chunk = lk_slice_skip(*chunk, (size_t)x->skip);
    x->skip = 0;
    return got;
}

/* A chunk lives until the next call, so what was given is free now. */
static lk_step next(lk_stream *self, lk_slice *chunk, lk_err *e)
{
    isal *x = (isal *)self;
    lk_err told_again = { 0 };

    if (x->zlib)
        return next_careful(x, chunk, e);
    while (!x->is_amiss && !has_enough(x))
        x->is_amiss = !(x->is_inside ? inflate_some(x, &told_again) : begin_member(x, &told_again));
    if (!x->is_amiss)
        return give(x, ready(x), chunk);
    if (x->given < x->sealed)
        return give(x, least((size_t)(x->sealed - x->given), x->cap - (size_t)(x->given % x->cap)),
                    chunk);
    if (take_over(x, e) != LK_OK)
        return LK_STEP_FAIL;
    return next_careful(x, chunk, e);
}

static void close_isal(lk_stream *self)
{
    isal *x = (isal *)self;

    if (x->zlib)
        x->zlib->close(x->zlib);
    free(x->state);
    free(x->ring);
    free(x);
}

lk_code lk_isal_open(lk_bytes *in, lk_code (*careful)(lk_bytes *in, lk_stream **out, lk_err *e),
                     lk_stream **out, lk_err *e)
{
    isal *x = calloc(1, sizeof(*x));

    if (!x || !(x->state = malloc(sizeof(*x->state))) || !(x->ring = malloc(RING_FIRST))) {
        if (x)
            free(x->state);
        free(x);
        return lk_fail(e, LK_EOOM, "no memory to unpack gzip");
    }
    isal_inflate_init(x->state);
    x->cap = RING_FIRST;
    x->stream = (lk_stream){ .next = next, .close = close_isal, .in = in };
    x->careful = careful;
    *out = &x->stream;
    return LK_OK;
}

void lk_isal_library(char *out)
{
    (void)snprintf(out, 32, "ISA-L %d.%d.%d", ISAL_MAJOR_VERSION, ISAL_MINOR_VERSION,
                   ISAL_PATCH_VERSION);
}

#endif
