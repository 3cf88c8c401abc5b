#include "input/lines.h"

#include "input/chunks.h"

#include <inttypes.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

enum {
    HEAD_MAX = 200, /* of an overlong line                                  */
    LOOK = 64 << 10, /* bytes that tell what ends lines                     */
    MARGIN = 4,     /* a byte-order mark and a CR do not count as its bytes */
    CARRY_MIN = 4096
};

static const char BOM[] = "\xEF\xBB\xBF";

struct lk_lines {
    char *path;
    size_t max_line;
    const char *at, *end; /* the unread part of the chunk */
    size_t next_line, next_quote; /* the first of them that are not behind `at` */
    size_t quotes_last;           /* of the line before: mostly the next has as many */
    bool marks_quotes;
    /* The line that earlier chunks began: `held` bytes so far, the first of which are kept. */
    char *carry;
    size_t kept, carry_cap;
    uint64_t held;
    uint64_t spilled; /* bytes of it that went to the sink */
    uint64_t nuls;    /* before the next line */
    bool is_in_hole;
    bool is_begun;    /* the first bytes were looked at, see `look` */
    char *first;      /* those bytes, to be split again */
    lk_slice after_first;
    bool cr_ends;     /* a line, as an LF does */
    lk_lines_sink *sink;
    void *sink_ctx;
    bool is_told; /* the caller knows of the failure */
    uint64_t out_at;      /* bytes of the chunks that came */
    uint64_t member_line; /* in which the member begins that was begun last; 0 = it gave nothing yet */
    lk_err why;
    uint64_t number;
    uint64_t told; /* of the lines: those that the meter has */
    lk_lines_stats stats;
    /* What is large, and not cleared: a folder may hold many files of few lines. */
    lk_marks marks; /* of a block of the chunk */
    lk_chunks chunks;
};

lk_code lk_lines_open(const char *path, size_t max_line, lk_lines **out, lk_err *e)
{
    lk_lines *l = malloc(sizeof(*l));
    lk_code code;

    if (l) {
        memset(l, 0, offsetof(lk_lines, marks));
        l->marks.line_count = 0;
    }
    if (!l || !(l->path = strdup(path))) {
        code = lk_fail(e, LK_EOOM, "no memory to open '%s'", path);
        goto done;
    }
    code = lk_chunks_open(&l->chunks, l->path, e);
    if (code != LK_OK)
        goto done;
    l->max_line = max_line == 0 ? LK_LINE_MAX : max_line;
    if (l->max_line > SIZE_MAX / 4) /* so that no sum of lengths overflows */
        l->max_line = SIZE_MAX / 4;
    l->stats.compression = LK_CODEC_NONE.name;
    *out = l;
    return LK_OK;
done:
    if (l)
        free(l->path);
    free(l);
    return code;
}

void lk_lines_close(lk_lines *l)
{
    if (!l)
        return;
    lk_chunks_close(&l->chunks);
    free(l->carry);
    free(l->first);
    free(l->path);
    free(l);
}

const lk_lines_stats *lk_lines_stats_of(const lk_lines *l)
{
    return &l->stats;
}

void lk_lines_on_overlong(lk_lines *l, lk_lines_sink *sink, void *ctx)
{
    l->sink = sink;
    l->sink_ctx = ctx;
}

bool lk_lines_changed(const lk_lines *l, int64_t *at_ns)
{
    return lk_bytes_changed(&l->chunks.in, at_ns);
}

bool lk_lines_is_regular(const lk_lines *l)
{
    return l->chunks.in.is_regular;
}

void lk_lines_let_go(lk_lines *l)
{
    lk_bytes_let_go(&l->chunks.in);
}

lk_file_id lk_lines_file(const lk_lines *l)
{
    return l->chunks.in.id;
}

uint64_t lk_lines_size(const lk_lines *l)
{
    return lk_bytes_size(&l->chunks.in);
}

void lk_lines_meter(lk_lines *l, lk_meter *meter, bool is_counted)
{
    l->chunks.in.meter = meter;
    l->chunks.in.is_counted = is_counted;
}

void lk_lines_room(lk_lines *l, size_t bytes)
{
    l->chunks.in.room = bytes;
}

lk_slice lk_lines_recorded(const lk_lines *l)
{
    return (lk_slice){ l->chunks.tape.p, l->chunks.tape.len };
}

lk_code lk_lines_strict(lk_lines *l, lk_err *e)
{
    return lk_lines_is_regular(l) ? lk_chunks_verify(&l->chunks, e) : LK_OK;
}

void lk_lines_mark_quotes(lk_lines *l)
{
    l->marks_quotes = true;
    l->next_line = l->marks.line_count = 0; /* what was looked at is looked at again */
}

void lk_lines_record(lk_lines *l, size_t max)
{
    lk_chunks_record(&l->chunks, max);
}

static bool is_recording(const lk_lines *l)
{
    return l->chunks.tape.mode == LK_TAPE_RECORDS;
}

void lk_lines_replay(lk_lines *l)
{
    if (!is_recording(l))
        return;
    lk_chunks_replay(&l->chunks);
    l->at = l->end = NULL;
    l->next_line = l->marks.line_count = 0;
    l->kept = 0;
    l->held = 0;
    l->is_in_hole = false;
    l->is_told = false;
    l->is_begun = false;
    l->cr_ends = false;
    l->after_first = LK_SLICE_NONE;
    l->nuls = l->spilled = 0;
    l->number = l->told = 0;
    l->out_at = l->member_line = 0;
    l->stats.holes = l->stats.hole_bytes = 0;
}

static bool is_stopped(const lk_lines *l)
{
    return lk_meter_is_stopped(l->chunks.in.meter);
}

static void note_lines(lk_lines *l)
{
    const lk_bytes *in = &l->chunks.in;

    if (!in->meter || !in->is_counted || is_recording(l))
        return;
    atomic_fetch_add_explicit(&in->meter->lines, l->number - l->told, memory_order_relaxed);
    l->told = l->number;
}

static void note(lk_lines *l, lk_step got)
{
    const lk_chunks *c = &l->chunks;

    l->stats.bytes = c->in.total;
    l->stats.bytes_out = c->bytes_out;
    if (c->first)
        l->stats.compression = c->first->name;
    l->stats.padding_bytes = c->padding_bytes + (c->stream ? c->stream->padding_bytes : 0);
    l->stats.trailing_bytes = c->trailing_bytes;
    l->stats.trailing_at = c->trailing_at;
    if (got == LK_STEP_FAIL && l->why.code == LK_ETRUNC && !is_stopped(l))
        l->stats.truncated = true;
    note_lines(l);
}

static uint64_t newlines(const char *p, const char *end)
{
    uint64_t n = 0;

    while ((p = memchr(p, '\n', (size_t)(end - p)))) {
        n++;
        p++;
    }
    return n;
}

/* Where the lines of the member begin that is read, should its check not match in the end. */
static void note_member(lk_lines *l, lk_slice chunk)
{
    const uint64_t at = lk_chunks_member_out(&l->chunks);

    if (at >= l->out_at + chunk.len)
        l->member_line = 0;
    else if (at >= l->out_at)
        l->member_line = l->number + 1 + newlines(chunk.p, chunk.p + (at - l->out_at));
    l->out_at += chunk.len;
}

static lk_step refill(lk_lines *l)
{
    lk_slice chunk;
    const lk_step got = lk_chunks_next(&l->chunks, &chunk, &l->why);

    note(l, got);
    if (got == LK_STEP_ITEM) {
        note_member(l, chunk);
        l->at = chunk.p;
        l->end = chunk.p + chunk.len;
    }
    return got;
}

static const char *past_nuls(const char *p, const char *end)
{
    uint64_t word;

    while ((size_t)(end - p) >= sizeof(word)) {
        memcpy(&word, p, sizeof(word));
        if (word != 0)
            break;
        p += sizeof(word);
    }
    while (p < end && *p == '\0')
        p++;
    return p;
}

/* A hole may go on in the next chunk: one run all the same. */
static void skip_hole(lk_lines *l)
{
    const char *p = past_nuls(l->at, l->end);

    l->stats.holes += !l->is_in_hole;
    l->stats.hole_bytes += (uint64_t)(p - l->at);
    l->nuls += (uint64_t)(p - l->at);
    l->is_in_hole = true;
    l->at = p;
}

static bool reserve(lk_lines *l, size_t len)
{
    size_t cap = l->carry_cap ? l->carry_cap : CARRY_MIN;
    char *p;

    if (l->kept + len <= l->carry_cap)
        return true;
    while (cap < l->kept + len)
        cap *= 2;
    p = realloc(l->carry, cap);
    if (!p)
        return false;
    l->carry = p;
    l->carry_cap = cap;
    return true;
}

/* Which lines stand under a check that failed, or that they are left out. */
static void name_lines(lk_lines *l)
{
    const lk_stream *stream = l->chunks.stream;

    if (l->why.code != LK_EDATA && l->why.code != LK_ETRUNC)
        return;
    if (l->chunks.sound_out < UINT64_MAX)
        (void)lk_fail(&l->why, l->why.code, "%s; nothing of it is read (strict)", l->why.msg);
    else if (stream && stream->is_unsure && l->member_line && l->member_line <= l->number)
        (void)lk_fail(&l->why, l->why.code, "%s (lines %" PRIu64 " to %" PRIu64 ")", l->why.msg,
                      l->member_line, l->number);
}

static lk_step tell(lk_lines *l, lk_err *e)
{
    l->is_told = true;
    name_lines(l);
    l->why.line = l->number;
    (void)lk_fail_in(&l->why, strcmp(l->path, "-") == 0 ? "standard input" : l->path);
    *e = l->why;
    return LK_STEP_FAIL;
}

static void spill(lk_lines *l, lk_slice rest)
{
    if (l->spilled == 0) {
        l->sink(l->sink_ctx, (lk_slice){ l->carry, l->kept }, true);
        l->spilled = l->kept;
    }
    l->sink(l->sink_ctx, rest, false);
    l->spilled += rest.len;
}

/* Adds to the line that goes on in the next chunk; past the longest line bytes are counted only. */
static lk_step keep(lk_lines *l, lk_slice piece, lk_err *e)
{
    const size_t room = l->max_line + MARGIN - l->kept;
    const size_t len = piece.len < room ? piece.len : room;

    if (!reserve(l, len)) {
        (void)lk_fail(&l->why, LK_EOOM, "no memory for a line of %zu bytes", l->kept + len);
        return tell(l, e);
    }
    memcpy(l->carry + l->kept, piece.p, len);
    l->kept += len;
    l->held += piece.len;
    if (len < piece.len && l->sink)
        spill(l, lk_slice_skip(piece, len));
    return LK_STEP_ITEM;
}

/* text: the first bytes of a line that is `len` bytes long, all of them unless it is overlong. */
static void dress(lk_lines *l, lk_slice text, uint64_t len, lk_line *out)
{
    out->quotes = LK_QUOTES_UNKNOWN;
    out->raw = l->spilled > 0 ? (lk_slice){ text.p, 0 } : text;
    out->nuls = l->nuls;
    l->nuls = l->spilled = 0;
    if (l->number == 0 && lk_slice_starts(text, BOM)) {
        text = lk_slice_skip(text, strlen(BOM));
        len -= strlen(BOM);
    }
    if (len == text.len && len > 0 && text.p[len - 1] == '\r')
        text.len = (size_t)--len;
    out->overlong = len > l->max_line;
    if (out->overlong)
        text.len = l->max_line < HEAD_MAX ? l->max_line : HEAD_MAX;
    out->text = text;
    out->number = ++l->number;
    out->cut = false;
}

static void dress_carried(lk_lines *l, lk_line *out)
{
    dress(l, (lk_slice){ l->carry, l->kept }, l->held, out);
    l->kept = 0;
    l->held = 0;
}

/* Those of the line that ends there: of the block that was looked at, or it would not be known that there are no
 * more. */
static lk_quotes quotes_before(lk_lines *l, const char *newline)
{
    const lk_marks *m = &l->marks;
    const ptrdiff_t end = newline - m->base;
    size_t first = l->next_quote, past = first + l->quotes_last;

    if (l->next_line == 0)
        return LK_QUOTES_UNKNOWN;
    if (past > m->quote_count || (past > first && m->quotes[past - 1] >= end))
        past = first;
    while (m->quotes[past] < end)
        past++;
    l->next_quote = past;
    l->quotes_last = past - first;
    return (lk_quotes){ m->base, m->quotes + first, past - first };
}

static lk_step take(lk_lines *l, const char *newline, lk_line *out, lk_err *e)
{
    const lk_slice piece = { l->at, (size_t)(newline - l->at) };
    const lk_quotes quotes = l->marks_quotes ? quotes_before(l, newline) : LK_QUOTES_UNKNOWN;

    l->at = newline + 1;
    l->is_in_hole = false;
    if (l->held == 0) {
        dress(l, piece, piece.len, out);
        out->quotes = quotes;
        return LK_STEP_ITEM;
    }
    if (keep(l, piece, e) != LK_STEP_ITEM)
        return LK_STEP_FAIL;
    dress_carried(l, out);
    return LK_STEP_ITEM;
}

/* Nothing comes after what is carried, or not before the replay.  Bytes behind the compressed data
 * may be a damaged next member, so a half line before them is not trusted either. */
static lk_step take_last(lk_lines *l, lk_step got, lk_line *out, lk_err *e)
{
    const bool is_bom =
        l->number == 0 && l->held == strlen(BOM) && memcmp(l->carry, BOM, strlen(BOM)) == 0;

    if (is_stopped(l)) /* neither the half line nor the cut is the file's own */
        return LK_STEP_END;
    if (l->held > 0 && !is_bom && !lk_chunks_is_paused(&l->chunks)) {
        dress_carried(l, out);
        out->cut = got == LK_STEP_FAIL || l->stats.trailing_bytes > 0;
        return LK_STEP_ITEM;
    }
    return got == LK_STEP_FAIL ? tell(l, e) : LK_STEP_END;
}

/* ---- what ends lines ---- */

static bool has(lk_slice s, char c)
{
    return s.len > 0 && memchr(s.p, c, s.len);
}

/* What was kept is split again, then comes the rest of the chunk. */
static void split_again(lk_lines *l)
{
    l->after_first = (lk_slice){ l->at, (size_t)(l->end - l->at) };
    free(l->first);
    l->first = l->carry;
    l->at = l->first;
    l->end = l->first + l->kept;
    l->carry = NULL;
    l->carry_cap = l->kept = 0;
    l->held = 0;
}

/* Do the first bytes say what ends lines?  No LF but a CR among them (text of old Macs, what a progress
 * bar left): then CRs do as well.  The answer does not depend on where chunks begin. */
static void look(lk_lines *l, bool is_end)
{
    const size_t window = l->max_line < LOOK ? l->max_line : LOOK;
    lk_slice kept = { l->carry, l->kept }, more = { l->at, (size_t)(l->end - l->at) };

    if (more.len > window - kept.len)
        more.len = window - kept.len;
    if (has(more, '\n')) {
        l->is_begun = true;
        return;
    }
    if (kept.len + more.len < window && !is_end)
        return;
    l->is_begun = true;
    if (more.len > 0) /* a CR at the very end may be followed by an LF */
        more.len--;
    else if (kept.len > 0)
        kept.len--;
    l->cr_ends = has(kept, '\r') || has(more, '\r');
    l->stats.cr_ends_lines = l->cr_ends;
    if (l->cr_ends && l->kept > 0)
        split_again(l);
}

/* The next newline of the block that was looked at, or of the next block, which begins with a line. */
static const char *next_newline(lk_lines *l)
{
    lk_marks *m = &l->marks;

    if (l->next_line == m->line_count) {
        lk_marks_find(m, l->at, (size_t)(l->end - l->at), l->marks_quotes);
        l->next_line = l->next_quote = 0;
        if (m->line_count == 0) /* a line longer than a block, or no whole one */
            return memchr(l->at + m->len, '\n', (size_t)(l->end - l->at) - m->len);
    }
    return m->base + m->lines[l->next_line++];
}

static const char *end_of_line(lk_lines *l)
{
    const char *newline, *end, *cr;

    if (!l->cr_ends)
        return next_newline(l);
    newline = memchr(l->at, '\n', (size_t)(l->end - l->at));
    end = newline ? newline : l->end;
    if (end == l->at)
        return newline;
    cr = memchr(l->at, '\r', (size_t)(end - l->at));
    return cr ? cr : newline;
}

/* A line as nearly all are: it ends in the block that was looked at, and nothing is to be taken off it. */
static bool take_plain(lk_lines *l, lk_line *out)
{
    const lk_marks *m = &l->marks;
    const char *newline, *p = l->at;
    size_t len;

    if (l->next_line == m->line_count || l->held > 0 || l->number == 0 || l->nuls > 0 || *p == '\0')
        return false;
    newline = m->base + m->lines[l->next_line];
    len = (size_t)(newline - p);
    if (len == 0 || newline[-1] == '\r' || len > l->max_line)
        return false;
    l->next_line++;
    l->at = newline + 1;
    l->is_in_hole = false;
    out->text = out->raw = (lk_slice){ p, len };
    out->quotes = l->marks_quotes ? quotes_before(l, newline) : LK_QUOTES_UNKNOWN;
    out->nuls = 0;
    out->number = ++l->number;
    out->overlong = out->cut = false;
    return true;
}

lk_step lk_lines_next(lk_lines *l, lk_line *out, lk_err *e)
{
    const char *newline;
    lk_step got;

    if (take_plain(l, out))
        return LK_STEP_ITEM;
    if (l->is_told)
        return LK_STEP_END;
    for (;;) {
        if (l->at == l->end && l->after_first.len > 0) {
            l->at = l->after_first.p;
            l->end = l->at + l->after_first.len;
            l->after_first = LK_SLICE_NONE;
        }
        if (l->at == l->end) {
            got = refill(l);
            if (got != LK_STEP_ITEM && !l->is_begun && !lk_chunks_is_paused(&l->chunks)) {
                look(l, true);
                continue;
            }
            if (got != LK_STEP_ITEM)
                return take_last(l, got, out, e);
        }
        if (l->held == 0 && *l->at == '\0') {
            skip_hole(l);
            continue;
        }
        if (!l->is_begun) {
            look(l, false);
            if (l->cr_ends)
                continue;
        }
        newline = end_of_line(l);
        if (newline)
            return take(l, newline, out, e);
        if (keep(l, (lk_slice){ l->at, (size_t)(l->end - l->at) }, e) != LK_STEP_ITEM)
            return LK_STEP_FAIL;
        l->at = l->end;
    }
}
