#include "input/members.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>

enum {
    OUT_MIN = 512 << 10,
    OUT_MAX = 4 << 20,
    OUT_ENOUGH = 128 << 10, /* hand it out at the next seal */
    IDLE_MAX = 16           /* steps without progress; zlib needs two at most */
};

typedef struct members {
    lk_stream stream; /* first: it is what the caller holds */
    const lk_unpacker *row;
    void *state;
    bool is_inside;     /* a member */
    uint64_t member_at; /* where this member starts in the file */
    bool was_full;      /* the last step left no room: there may be more without more input */
    unsigned idle;
    uint64_t given; /* before what is in `out` */
    char *out; /* out[0 .. sealed) may be handed out */
    size_t sealed, filled, cap;
    lk_step end; /* ITEM while there is more */
    lk_err why;
} members;

static void stop(members *m)
{
    assert(m->why.code != LK_OK);
    m->end = LK_STEP_FAIL;
}

/* The file ended or cannot be read on: all that unpacked counts. */
static void stop_short(members *m, lk_step got)
{
    m->sealed = m->filled;
    if (got == LK_STEP_END)
        (void)lk_fail(&m->why, LK_ETRUNC, "%s stream is cut short at byte %" PRIu64, m->row->name,
                      lk_bytes_offset(m->stream.in));
    stop(m);
}

lk_unpacked lk_unpacked_damaged(const lk_unpacker *row, const lk_unpacking *io, const char *what,
                                lk_err *why)
{
    (void)lk_fail(why, LK_EDATA, "%s stream is damaged at byte %" PRIu64 " (%s)", row->name,
                  io->offset + io->used, what);
    return LK_UNPACKED_NOT;
}

static void skip_padding(members *m, lk_slice ahead)
{
    size_t n = 0;

    while (n < ahead.len && ahead.p[n] == '\0')
        n++;
    m->stream.padding_bytes += n;
    lk_bytes_use(m->stream.in, n);
}

static void begin_member(members *m)
{
    m->member_at = lk_bytes_offset(m->stream.in);
    m->stream.member_out = m->given + m->filled;
    m->was_full = false;
    m->idle = 0;
    m->is_inside = true;
    if (!m->row->begin(m->state)) {
        (void)lk_fail(&m->why, LK_EOOM, "no memory to unpack %s", m->row->name);
        stop(m);
    }
}

/* Half a magic at the end of the file is a member that was cut. */
static void pass_between(members *m)
{
    lk_step got = LK_STEP_ITEM;
    lk_slice ahead;
    bool sure = false, is_member;

    while (ahead = lk_bytes_ahead(m->stream.in),
           is_member = lk_magic_agrees(m->row->magic, ahead, &sure),
           is_member && !sure && got == LK_STEP_ITEM)
        got = lk_bytes_fill(m->stream.in, &m->why);
    if (got == LK_STEP_FAIL)
        stop_short(m, got);
    else if (ahead.len > 0 && ahead.p[0] == '\0')
        skip_padding(m, ahead);
    else if (ahead.len == 0 || !is_member)
        m->end = LK_STEP_END;
    else
        begin_member(m);
}

static bool grow(members *m)
{
    const size_t cap = m->cap == 0 ? OUT_MIN : m->cap * 2;
    char *out;

    assert(cap <= OUT_MAX);
    out = realloc(m->out, cap);
    if (!out) {
        (void)lk_fail(&m->why, LK_EOOM, "no memory to unpack a block of %zu bytes", cap);
        stop(m);
        return false;
    }
    m->out = out;
    m->cap = cap;
    return true;
}

static void judge(members *m, const lk_unpacking *io, lk_unpacked what)
{
    m->idle = io->used + io->made > 0 ? 0 : m->idle + 1;
    if (what == LK_UNPACKED_NOT) {
        m->stream.is_unsure = io->is_check;
        stop(m);
    } else if (what != LK_UNPACKED_MEMBER && m->idle > IDLE_MAX) {
        (void)lk_unpacked_damaged(m->row, io, "no progress", &m->why);
        stop(m);
    } else if (what != LK_UNPACKED_SOME || m->filled == OUT_MAX) {
        m->sealed = m->filled;
    }
    m->is_inside = what != LK_UNPACKED_MEMBER;
}

static void unpack_some(members *m)
{
    lk_unpacking io = { .member_at = m->member_at };
    lk_unpacked what;
    lk_slice ahead;

    if (lk_bytes_ahead(m->stream.in).len == 0 && !m->was_full) {
        const lk_step got = lk_bytes_fill(m->stream.in, &m->why);

        if (got != LK_STEP_ITEM) {
            stop_short(m, got);
            return;
        }
    }
    if (m->filled == m->cap && !grow(m))
        return;
    ahead = lk_bytes_ahead(m->stream.in);
    io.in = ahead.p;
    io.in_len = ahead.len;
    io.out = m->out + m->filled;
    io.out_len = m->cap - m->filled;
    io.offset = lk_bytes_offset(m->stream.in);
    what = m->row->step(m->state, &io, &m->why);
    lk_bytes_use(m->stream.in, io.used);
    m->filled += io.made;
    m->was_full = io.made == io.out_len;
    judge(m, &io, what);
}

/* Hand out where all is sealed: nothing has to be kept then.  Do not wait for a slow pipe with lines
 * in hand. */
static bool has_enough(const members *m)
{
    return m->sealed > 0 && m->sealed == m->filled &&
           (m->sealed >= OUT_ENOUGH || lk_bytes_ahead(m->stream.in).len == 0);
}

static lk_step next(lk_stream *self, lk_slice *chunk, lk_err *e)
{
    members *m = (members *)self;

    m->given += m->sealed;
    m->sealed = m->filled = 0;
    while (m->end == LK_STEP_ITEM && !has_enough(m)) {
        if (m->is_inside)
            unpack_some(m);
        else
            pass_between(m);
    }
    if (m->sealed > 0) {
        *chunk = (lk_slice){ m->out, m->sealed };
        return LK_STEP_ITEM;
    }
    if (m->end == LK_STEP_FAIL)
        (void)lk_fail(e, m->why.code, "%s", m->why.msg);
    return m->end;
}

static void close_members(lk_stream *self)
{
    members *m = (members *)self;

    m->row->close(m->state);
    free(m->out);
    free(m);
}

lk_code lk_members_open(const lk_unpacker *row, lk_bytes *in, lk_stream **out, lk_err *e)
{
    members *m = calloc(1, sizeof(*m));

    if (!m || !(m->state = row->open(in->room))) {
        free(m);
        return lk_fail(e, LK_EOOM, "no memory to unpack %s", row->name);
    }
    m->stream = (lk_stream){ .next = next, .close = close_members, .in = in };
    m->row = row;
    m->end = LK_STEP_ITEM;
    *out = &m->stream;
    return LK_OK;
}
