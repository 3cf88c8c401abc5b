#include "input/chunks.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum { TAPE_MIN = 64 << 10, TEXT_SEEN = 4 << 10 };

/* As before the first byte. */
static void start(lk_chunks *c)
{
    c->first = c->codec = NULL;
    c->stream = NULL;
    c->bytes_out = c->stream_out = c->padding_bytes = 0;
    c->sound_out = UINT64_MAX;
    c->trailing_bytes = c->trailing_at = 0;
    c->rest = LK_SLICE_NONE;
    c->end = LK_STEP_ITEM;
    memset(&c->why, 0, sizeof(c->why));
    memset(&c->tape, 0, sizeof(c->tape));
}

lk_code lk_chunks_open(lk_chunks *c, const char *path, lk_err *e)
{
    LK_TRY(lk_bytes_open(&c->in, path, e));
    start(c);
    return LK_OK;
}

void lk_chunks_close(lk_chunks *c)
{
    if (c->stream)
        c->stream->close(c->stream);
    c->stream = NULL;
    free(c->tape.p);
    c->tape.p = NULL;
    lk_bytes_close(&c->in);
}

static lk_step tell(const lk_chunks *c, lk_err *e)
{
    const lk_step end = c->end;

    if (end == LK_STEP_FAIL)
        (void)lk_fail(e, c->why.code, "%s", c->why.msg);
    return end;
}

static lk_step begin(lk_chunks *c, const lk_codec *codec)
{
    c->codec = codec;
    c->stream_out = c->bytes_out;
    return codec->open(&c->in, &c->stream, &c->why) == LK_OK ? LK_STEP_ITEM : LK_STEP_FAIL;
}

static bool is_text(lk_slice s)
{
    for (size_t i = 0; i < s.len; i++)
        if ((unsigned char)s.p[i] < ' ' && !memchr("\t\n\r\x1B", s.p[i], 4))
            return false;
    return memchr(s.p, '\n', s.len) != NULL;
}

/* Is it text that goes on behind compressed data?  Text may hold any byte from a space on. */
static lk_step look_for_text(lk_chunks *c, bool *found)
{
    lk_step got = LK_STEP_ITEM;
    lk_slice seen;

    while (got == LK_STEP_ITEM && lk_bytes_ahead(&c->in).len < TEXT_SEEN)
        got = lk_bytes_fill(&c->in, &c->why);
    seen = lk_bytes_ahead(&c->in);
    if (seen.len > TEXT_SEEN)
        seen.len = TEXT_SEEN;
    *found = is_text(seen);
    return got == LK_STEP_FAIL ? got : LK_STEP_ITEM;
}

static lk_step count_trailing(lk_chunks *c)
{
    lk_step got = LK_STEP_ITEM;

    c->trailing_at = lk_bytes_offset(&c->in);
    while (got == LK_STEP_ITEM) {
        const size_t len = lk_bytes_ahead(&c->in).len;

        c->trailing_bytes += len;
        lk_bytes_use(&c->in, len);
        got = lk_bytes_fill(&c->in, &c->why);
    }
    return got;
}

/* What follows the data of one stream: another one, or the end. */
static lk_step go_on(lk_chunks *c)
{
    const lk_codec *codec;
    bool found;

    if (lk_bytes_ahead(&c->in).len == 0)
        return LK_STEP_END;
    c->padding_bytes += c->stream->padding_bytes;
    c->stream->close(c->stream);
    c->stream = NULL;
    if (lk_codec_find(&c->in, &codec, &c->why) != LK_OK)
        return LK_STEP_FAIL;
    if (codec != &LK_CODEC_NONE)
        return begin(c, codec);
    if (look_for_text(c, &found) == LK_STEP_FAIL)
        return LK_STEP_FAIL;
    return found ? begin(c, codec) : count_trailing(c);
}

static lk_step pull(lk_chunks *c, lk_slice *chunk)
{
    lk_step got = LK_STEP_ITEM;

    if (!c->first) {
        if (lk_codec_find(&c->in, &c->first, &c->why) != LK_OK)
            return LK_STEP_FAIL;
        got = begin(c, c->first);
    }
    while (got == LK_STEP_ITEM) {
        got = c->stream->next(c->stream, chunk, &c->why);
        if (got != LK_STEP_END)
            return got;
        got = go_on(c);
    }
    return got;
}

/* Header of a member: name, mode and so on, padded with NULs, a type at 156, the magic at 257. */
static bool is_tar(const char *head)
{
    return memcmp(head + 257, "ustar", 5) == 0 && (head[262] == '\0' || head[262] == ' ') &&
           memchr(head, '\0', 257) && head[0] != '\0';
}

/* Keeps the first bytes until there are enough of them to tell. */
static lk_step look_for_tar(lk_chunks *c, lk_slice chunk)
{
    const size_t at = (size_t)c->bytes_out;
    size_t len = sizeof(c->head) - at;

    if (len > chunk.len)
        len = chunk.len;
    memcpy(c->head + at, chunk.p, len);
    if (at + len < sizeof(c->head) || !is_tar(c->head))
        return LK_STEP_ITEM;
    (void)lk_fail(&c->why, LK_EDATA,
                  "it is a tar archive; use: tar -xOf FILE | lockstep analyze -");
    return LK_STEP_FAIL;
}

/* The rest that the tape left over, or a new chunk. */
static lk_step fresh(lk_chunks *c, lk_slice *chunk, lk_err *e)
{
    if (c->rest.len > 0) {
        *chunk = c->rest;
        c->rest = LK_SLICE_NONE;
        return LK_STEP_ITEM;
    }
    if (c->end == LK_STEP_ITEM)
        c->end = pull(c, chunk);
    if (c->end == LK_STEP_ITEM && c->bytes_out < sizeof(c->head))
        c->end = look_for_tar(c, *chunk);
    if (c->end != LK_STEP_ITEM)
        return tell(c, e);
    assert(chunk->len > 0);
    if (chunk->len > c->sound_out - c->bytes_out) {
        chunk->len = (size_t)(c->sound_out - c->bytes_out);
        c->end = LK_STEP_FAIL;
        c->why = c->unsound;
    }
    c->bytes_out += chunk->len;
    return chunk->len > 0 ? LK_STEP_ITEM : tell(c, e);
}

uint64_t lk_chunks_member_out(const lk_chunks *c)
{
    return c->stream_out + (c->stream ? c->stream->member_out : 0);
}

lk_code lk_chunks_verify(lk_chunks *c, lk_err *e)
{
    lk_err trouble = { 0 };
    lk_slice chunk;
    uint64_t sound;
    lk_step got;

    assert(!c->first && c->end == LK_STEP_ITEM && c->in.is_regular && c->tape.mode == LK_TAPE_OFF);
    while ((got = fresh(c, &chunk, &trouble)) == LK_STEP_ITEM)
        continue;
    if (trouble.code == LK_EOOM)
        return lk_fail(e, LK_EOOM, "%s", trouble.msg);
    /* Text has no members: it is read as far as it goes, twice. */
    sound = got == LK_STEP_FAIL && c->codec && c->codec != &LK_CODEC_NONE ? lk_chunks_member_out(c)
                                                                          : UINT64_MAX;
    if (c->stream)
        c->stream->close(c->stream);
    start(c);
    c->sound_out = sound;
    c->unsound = trouble;
    return lk_bytes_seek(&c->in, 0, e);
}

static bool reserve(lk_chunks *c, size_t len)
{
    const size_t need = c->tape.len + len;
    size_t cap = c->tape.cap ? c->tape.cap : TAPE_MIN;
    char *p;

    if (need <= c->tape.cap)
        return true;
    while (cap < need)
        cap = cap > c->tape.max / 2 ? c->tape.max : cap * 2;
    p = realloc(c->tape.p, cap);
    if (!p)
        return false;
    c->tape.p = p;
    c->tape.cap = cap;
    return true;
}

static lk_step record(lk_chunks *c, lk_slice *chunk, lk_err *e)
{
    size_t room = c->tape.max - c->tape.len;
    lk_slice got;
    lk_step end;

    if (room == 0)
        return LK_STEP_END;
    end = fresh(c, &got, e);
    if (end != LK_STEP_ITEM)
        return end;
    if (room > got.len)
        room = got.len;
    if (!reserve(c, room)) {
        c->rest = got;
        (void)lk_fail(e, LK_EOOM, "no memory to remember the start of a stream");
        return LK_STEP_FAIL;
    }
    memcpy(c->tape.p + c->tape.len, got.p, room);
    c->tape.len += room;
    c->rest = lk_slice_skip(got, room);
    *chunk = (lk_slice){ got.p, room };
    return LK_STEP_ITEM;
}

static lk_step play(lk_chunks *c, lk_slice *chunk, lk_err *e)
{
    c->tape.mode = LK_TAPE_PLAYED;
    if (c->tape.len == 0)
        return lk_chunks_next(c, chunk, e);
    *chunk = (lk_slice){ c->tape.p, c->tape.len };
    return LK_STEP_ITEM;
}

static lk_step erase(lk_chunks *c, lk_slice *chunk, lk_err *e)
{
    free(c->tape.p);
    memset(&c->tape, 0, sizeof(c->tape));
    return fresh(c, chunk, e);
}

lk_step lk_chunks_next(lk_chunks *c, lk_slice *chunk, lk_err *e)
{
    switch (c->tape.mode) {
    case LK_TAPE_RECORDS: return record(c, chunk, e);
    case LK_TAPE_REWOUND: return play(c, chunk, e);
    case LK_TAPE_PLAYED: return erase(c, chunk, e);
    case LK_TAPE_OFF: break;
    }
    return fresh(c, chunk, e);
}

void lk_chunks_record(lk_chunks *c, size_t max)
{
    assert(!c->first && c->end == LK_STEP_ITEM && c->tape.mode == LK_TAPE_OFF);
    c->tape.mode = LK_TAPE_RECORDS;
    c->tape.max = max;
}

bool lk_chunks_is_paused(const lk_chunks *c)
{
    return c->tape.mode == LK_TAPE_RECORDS && c->tape.len == c->tape.max;
}

void lk_chunks_replay(lk_chunks *c)
{
    if (c->tape.mode == LK_TAPE_RECORDS)
        c->tape.mode = LK_TAPE_REWOUND;
}
