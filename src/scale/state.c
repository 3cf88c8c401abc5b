#include "scale/state.h"

#include "base/hash.h"
#include "scale/digits.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char HEAD[] = "lockstep state 2\n";
static const char HEAD_ANY[] = "lockstep state ";
static const char FOOT[] = "lockend\n";

enum {
    HEAD_LEN = sizeof(HEAD) - 1,
    FOOT_LEN = 32,  /* FOOT, then offset, length and checksum of the index */
    BLOCK_HEAD = 24, /* kind, length, entries, checksum */
    VARINT_MAX = 10,
    ENTRY_MAX = 4 * VARINT_MAX + 8 + LK_STATE_REST_MAX,
    BLOCK_MAX = LK_STATE_BLOCK + ENTRY_MAX,
    SOURCES_FIRST = 64
};

typedef enum block_kind { BLOCK_RUN = 'R', BLOCK_LINES = 'D' } block_kind;

/* ---- numbers ---- */

static void put_u64(char *to, uint64_t v)
{
    for (int i = 0; i < 8; i++)
        to[i] = (char)(v >> (8 * i) & 255);
}

static uint64_t get_u64(const char *from)
{
    uint64_t v = 0;

    for (int i = 7; i >= 0; i--)
        v = v << 8 | (unsigned char)from[i];
    return v;
}

static char *put_varint(char *to, uint64_t v)
{
    for (; v >= 128; v >>= 7)
        *to++ = (char)((v & 127) | 128);
    *to++ = (char)v;
    return to;
}

static bool get_varint(const char **at, const char *end, uint64_t *out)
{
    const char *p = *at;
    uint64_t v = 0;

    for (unsigned shift = 0; p < end && shift < 64; shift += 7) {
        unsigned char c = (unsigned char)*p++;

        if (shift == 63 && c > 1)
            return false;
        v |= (uint64_t)(c & 127) << shift;
        if (c < 128) {
            *at = p;
            *out = v;
            return true;
        }
    }
    return false;
}

/* ---- sources ---- */

void lk_state_sources_release(lk_state_sources *s)
{
    free(s->numbers);
    free(s->counts);
    free(s->slots);
    *s = (lk_state_sources){ 0 };
}

static lk_code no_memory(const lk_state_sources *s, lk_err *e)
{
    return lk_fail(e, LK_EOOM, "no memory for more than %zu inputs", s->count);
}

static uint32_t *slot_of(const lk_state_sources *s, uint64_t number)
{
    size_t mask = s->slot_count - 1, at = (size_t)lk_hash_mix(number) & mask;

    while (s->slots[at] && s->numbers[s->slots[at] - 1] != number)
        at = (at + 1) & mask;
    return &s->slots[at];
}

static lk_code grow_sources(lk_state_sources *s, lk_err *e)
{
    size_t cap = s->cap ? 2 * s->cap : SOURCES_FIRST;
    uint64_t *numbers = realloc(s->numbers, cap * sizeof(*numbers)), *counts;
    uint32_t *slots;

    if (!numbers)
        return no_memory(s, e);
    s->numbers = numbers;
    counts = realloc(s->counts, cap * sizeof(*counts));
    if (!counts)
        return no_memory(s, e);
    s->counts = counts;
    slots = calloc(2 * cap, sizeof(*slots));
    if (!slots)
        return no_memory(s, e);
    free(s->slots);
    s->slots = slots;
    s->slot_count = 2 * cap;
    s->cap = cap;
    for (size_t i = 0; i < s->count; i++)
        *slot_of(s, s->numbers[i]) = (uint32_t)i + 1;
    return LK_OK;
}

lk_code lk_state_sources_index(lk_state_sources *s, uint64_t number, uint32_t *index, lk_err *e)
{
    uint32_t *slot;

    if (s->count == s->cap)
        LK_TRY(grow_sources(s, e));
    slot = slot_of(s, number);
    if (!*slot) {
        s->numbers[s->count] = number;
        s->counts[s->count] = 0;
        *slot = (uint32_t)++s->count;
    }
    *index = *slot - 1;
    return LK_OK;
}

/* ---- writing ---- */

struct lk_state_writer {
    lk_state_sink *sink;
    void *ctx;
    uint64_t at; /* bytes written */
    lk_state_sources sources;
    lk_buf runs; /* of the index: at, end, entries of each */
    uint64_t run_count, run_at, run_entries;
    char *block; /* [BLOCK_HEAD + BLOCK_MAX] */
    size_t len;  /* of its payload */
    uint64_t entries;
    int64_t last_ns;
};

static lk_code write_bytes(lk_state_writer *w, const char *bytes, size_t len, lk_err *e)
{
    w->at += len;
    return w->sink(w->ctx, bytes, len, e);
}

lk_code lk_state_writer_open(lk_state_sink *sink, void *ctx, lk_state_writer **out, lk_err *e)
{
    lk_state_writer *w = calloc(1, sizeof(*w));

    if (!w)
        return lk_fail(e, LK_EOOM, "no memory to write a state");
    *out = w;
    w->sink = sink;
    w->ctx = ctx;
    lk_buf_init(&w->runs);
    w->block = malloc(BLOCK_HEAD + BLOCK_MAX);
    if (!w->block)
        return lk_fail(e, LK_EOOM, "no memory to write a state");
    LK_TRY(write_bytes(w, HEAD, HEAD_LEN, e));
    w->run_at = w->at;
    return LK_OK;
}

void lk_state_writer_close(lk_state_writer *w)
{
    if (!w)
        return;
    lk_state_sources_release(&w->sources);
    lk_buf_release(&w->runs);
    free(w->block);
    free(w);
}

lk_state_sources *lk_state_writer_sources(lk_state_writer *w)
{
    return &w->sources;
}

static void put_block_head(char head[BLOCK_HEAD], block_kind kind, size_t len, uint64_t entries,
                           uint64_t checksum)
{
    put_u64(head, (uint64_t)len << 8 | (unsigned char)kind);
    put_u64(head + 8, entries);
    put_u64(head + 16, checksum);
}

static lk_code flush_block(lk_state_writer *w, lk_err *e)
{
    if (!w->entries)
        return LK_OK;
    put_block_head(w->block, BLOCK_RUN, w->len, w->entries, lk_hash(w->block + BLOCK_HEAD, w->len));
    LK_TRY(write_bytes(w, w->block, BLOCK_HEAD + w->len, e));
    w->run_entries += w->entries;
    w->entries = w->len = 0;
    w->last_ns = 0;
    return LK_OK;
}

lk_code lk_state_writer_put(lk_state_writer *w, const lk_state_entry *entry, lk_err *e)
{
    char *p = w->block + BLOCK_HEAD + w->len;

    p = put_varint(p, lk_zigzag((int64_t)((uint64_t)entry->turn_ns - (uint64_t)w->last_ns)));
    put_u64(p, entry->key);
    p = put_varint(p + 8, entry->source);
    p = put_varint(p, entry->ordinal);
    p = put_varint(p, entry->rest.len);
    memcpy(p, entry->rest.p, entry->rest.len);
    w->len = (size_t)(p + entry->rest.len - w->block) - BLOCK_HEAD;
    w->last_ns = entry->turn_ns;
    w->entries++;
    w->sources.counts[entry->source]++;
    return w->len >= LK_STATE_BLOCK ? flush_block(w, e) : LK_OK;
}

static void add_u64(lk_buf *b, uint64_t v)
{
    char bytes[8];

    put_u64(bytes, v);
    lk_buf_add(b, bytes, sizeof(bytes));
}

lk_code lk_state_writer_end_run(lk_state_writer *w, lk_err *e)
{
    LK_TRY(flush_block(w, e));
    if (!w->run_entries)
        return LK_OK;
    add_u64(&w->runs, w->run_at);
    add_u64(&w->runs, w->at);
    add_u64(&w->runs, w->run_entries);
    w->run_count++;
    w->run_at = w->at;
    w->run_entries = 0;
    return LK_OK;
}

static void build_index(const lk_state_writer *w, uint64_t lines_at, size_t lines_len, lk_buf *index)
{
    add_u64(index, lines_at);
    add_u64(index, lines_len);
    add_u64(index, w->run_count);
    add_u64(index, w->sources.count);
    lk_buf_add(index, w->runs.p, w->runs.len);
    for (size_t i = 0; i < w->sources.count; i++) {
        add_u64(index, w->sources.numbers[i]);
        add_u64(index, w->sources.counts[i]);
    }
}

static lk_code write_end(lk_state_writer *w, const lk_buf *index, lk_err *e)
{
    char foot[FOOT_LEN];
    uint64_t at = w->at;

    if (index->failed || w->runs.failed)
        return lk_fail(e, LK_EOOM, "no memory for the index of a state");
    memcpy(foot, FOOT, 8);
    put_u64(foot + 8, at);
    put_u64(foot + 16, index->len);
    put_u64(foot + 24, lk_hash(index->p, index->len));
    LK_TRY(write_bytes(w, index->p, index->len, e));
    return write_bytes(w, foot, FOOT_LEN, e);
}

lk_code lk_state_writer_finish(lk_state_writer *w, lk_slice lines, lk_err *e)
{
    uint64_t lines_at = w->at;
    char head[BLOCK_HEAD];
    lk_buf index;
    lk_code code;

    put_block_head(head, BLOCK_LINES, lines.len, 0, lk_hash(lines.len ? lines.p : "", lines.len));
    LK_TRY(write_bytes(w, head, BLOCK_HEAD, e));
    if (lines.len)
        LK_TRY(write_bytes(w, lines.p, lines.len, e));
    lk_buf_init(&index);
    build_index(w, lines_at, lines.len, &index);
    code = write_end(w, &index, e);
    lk_buf_release(&index);
    return code;
}

/* ---- reading ---- */

static lk_code damaged(const lk_state *s, const char *what, lk_err *e)
{
    return lk_fail(e, LK_EDATA, "'%s': the state is damaged: %s", s->path, what);
}

static lk_code read_at(const lk_state *s, uint64_t at, char *to, size_t len, lk_err *e)
{
    int fd = open(s->path, O_RDONLY | O_CLOEXEC);
    lk_code code = LK_OK;

    if (fd < 0)
        return lk_fail(e, LK_EIO, "cannot open '%s': %s", s->path, strerror(errno));
    while (len > 0 && code == LK_OK) {
        ssize_t got = pread(fd, to, len, (off_t)at);

        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            code = lk_fail(e, LK_EIO, "cannot read '%s': %s", s->path, strerror(errno));
        else if (got == 0)
            code = lk_fail(e, LK_ETRUNC, "'%s': the state is cut short", s->path);
        else {
            to += got;
            at += (uint64_t)got;
            len -= (size_t)got;
        }
    }
    (void)close(fd);
    return code;
}

/* A version that this program does not read is told as such, whole or not. */
static lk_code check_head(lk_state *s, lk_err *e)
{
    char head[HEAD_LEN];
    struct stat st;

    if (stat(s->path, &st) != 0)
        return lk_fail(e, LK_EIO, "cannot open '%s': %s", s->path, strerror(errno));
    if (!S_ISREG(st.st_mode))
        return lk_fail(e, LK_EIO, "'%s' is no regular file, which a state must be", s->path);
    s->size = (uint64_t)st.st_size;
    if (s->size == 0)
        return lk_fail(e, LK_ETRUNC, "'%s' is empty: no state", s->path);
    if (s->size < HEAD_LEN)
        return lk_fail(e, LK_EDATA, "'%s' is no state of lockstep reduce", s->path);
    LK_TRY(read_at(s, 0, head, HEAD_LEN, e));
    if (memcmp(head, HEAD_ANY, sizeof(HEAD_ANY) - 1) != 0)
        return lk_fail(e, LK_EDATA, "'%s' is no state of lockstep reduce", s->path);
    if (memcmp(head, HEAD, HEAD_LEN) != 0)
        return lk_fail(e, LK_EDATA, "'%s' is a state of another version: this program reads version %d",
                       s->path, LK_STATE_VERSION);
    if (s->size < HEAD_LEN + BLOCK_HEAD + FOOT_LEN)
        return lk_fail(e, LK_ETRUNC, "'%s': the state is cut short", s->path);
    return LK_OK;
}

/* NULL where an address does not reach so far, too. */
static void *room_for(uint64_t count, size_t size)
{
    return count < SIZE_MAX / size ? calloc((size_t)count + 1, size) : NULL;
}

static lk_code take_runs(lk_state *s, const char *p, uint64_t count, uint64_t lines_at, lk_err *e)
{
    s->runs = room_for(count, sizeof(*s->runs));
    if (!s->runs)
        return lk_fail(e, LK_EOOM, "no memory for %llu runs", (unsigned long long)count);
    for (uint64_t i = 0; i < count; i++, p += 24) {
        lk_state_run *r = &s->runs[i];

        *r = (lk_state_run){ get_u64(p), get_u64(p + 8), get_u64(p + 16) };
        if (r->at < HEAD_LEN || r->end <= r->at || r->end > lines_at || !r->entries)
            return damaged(s, "its index names no place in it", e);
        s->run_count++;
    }
    return LK_OK;
}

static lk_code take_sources(lk_state *s, const char *p, uint64_t count, lk_err *e)
{
    for (uint64_t i = 0; i < count; i++, p += 16) {
        uint32_t index;

        LK_TRY(lk_state_sources_index(&s->sources, get_u64(p), &index, e));
        if (index != i)
            return damaged(s, "its index names an input twice", e);
        s->sources.counts[index] = get_u64(p + 8);
    }
    return LK_OK;
}

static lk_code take_dictionary(lk_state *s, uint64_t at, uint64_t len, uint64_t index_at, lk_err *e)
{
    char head[BLOCK_HEAD];

    if (at > index_at || index_at - at < BLOCK_HEAD || index_at - at - BLOCK_HEAD != len)
        return damaged(s, "its index names no place in it", e);
    s->dictionary = room_for(len, 1);
    if (!s->dictionary)
        return lk_fail(e, LK_EOOM, "no memory for the dictionary of '%s'", s->path);
    s->dictionary_len = (size_t)len;
    LK_TRY(read_at(s, at, head, BLOCK_HEAD, e));
    LK_TRY(read_at(s, at + BLOCK_HEAD, s->dictionary, (size_t)len, e));
    if (get_u64(head) != (len << 8 | BLOCK_LINES) ||
        get_u64(head + 16) != lk_hash(s->dictionary, (size_t)len))
        return damaged(s, "the checksum of its dictionary does not match", e);
    return LK_OK;
}

static lk_code take_index(lk_state *s, const char *index, size_t len, uint64_t index_at, lk_err *e)
{
    uint64_t runs, sources, lines_at;

    if (len < 32)
        return damaged(s, "its index is no index", e);
    lines_at = get_u64(index);
    runs = get_u64(index + 16);
    sources = get_u64(index + 24);
    if (runs > len / 24 || sources > len / 16 || len != 32 + runs * 24 + sources * 16)
        return damaged(s, "its index is no index", e);
    LK_TRY(take_runs(s, index + 32, runs, lines_at, e));
    LK_TRY(take_sources(s, index + 32 + runs * 24, sources, e));
    return take_dictionary(s, lines_at, get_u64(index + 8), index_at, e);
}

static lk_code read_index(lk_state *s, lk_err *e)
{
    char foot[FOOT_LEN], *index;
    uint64_t at, len, foot_at = s->size - FOOT_LEN;
    lk_code code;

    LK_TRY(read_at(s, foot_at, foot, FOOT_LEN, e));
    if (memcmp(foot, FOOT, 8) != 0)
        return lk_fail(e, LK_ETRUNC, "'%s': the state is cut short", s->path);
    at = get_u64(foot + 8);
    len = get_u64(foot + 16);
    if (at < HEAD_LEN || at > foot_at || len != foot_at - at)
        return damaged(s, "its footer names no index", e);
    index = room_for(len, 1);
    if (!index)
        return lk_fail(e, LK_EOOM, "no memory for the index of '%s'", s->path);
    code = read_at(s, at, index, (size_t)len, e);
    if (code == LK_OK && get_u64(foot + 24) != lk_hash(index, (size_t)len))
        code = damaged(s, "the checksum of its index does not match", e);
    if (code == LK_OK)
        code = take_index(s, index, (size_t)len, at, e);
    free(index);
    return code;
}

lk_code lk_state_open(lk_state *s, const char *path, lk_err *e)
{
    *s = (lk_state){ .path = path };
    LK_TRY(check_head(s, e));
    return read_index(s, e);
}

void lk_state_close(lk_state *s)
{
    free(s->dictionary);
    free(s->runs);
    lk_state_sources_release(&s->sources);
    *s = (lk_state){ 0 };
}

void lk_run_reader_init(lk_run_reader *r, const lk_state *state, size_t run)
{
    const lk_state_run *in = &state->runs[run];

    *r = (lk_run_reader){ .state = state, .at = in->at, .end = in->end, .left = in->entries,
                          .newest_ns = INT64_MIN };
}

void lk_run_reader_release(lk_run_reader *r)
{
    free(r->block);
    r->block = NULL;
}

static lk_code read_block(lk_run_reader *r, lk_err *e)
{
    char head[BLOCK_HEAD];
    uint64_t kind, len;

    if (r->end - r->at < BLOCK_HEAD)
        return damaged(r->state, "a run ends early", e);
    LK_TRY(read_at(r->state, r->at, head, BLOCK_HEAD, e));
    kind = get_u64(head) & 255;
    len = get_u64(head) >> 8;
    r->in_block = get_u64(head + 8);
    if (kind != BLOCK_RUN || len > BLOCK_MAX || len > r->end - r->at - BLOCK_HEAD || !r->in_block ||
        r->in_block > r->left)
        return damaged(r->state, "a block is none", e);
    if (!r->block && !(r->block = malloc(BLOCK_MAX)))
        return lk_fail(e, LK_EOOM, "no memory to read '%s'", r->state->path);
    LK_TRY(read_at(r->state, r->at + BLOCK_HEAD, r->block, (size_t)len, e));
    if (get_u64(head + 16) != lk_hash(r->block, (size_t)len))
        return damaged(r->state, "the checksum of a block does not match", e);
    r->at += BLOCK_HEAD + len;
    r->from = 0;
    r->to = (size_t)len;
    r->last_ns = 0;
    return LK_OK;
}

lk_step lk_run_reader_next(lk_run_reader *r, lk_state_entry *out, lk_err *e)
{
    const char *p, *end;
    uint64_t step, source, len;

    if (!r->left)
        return LK_STEP_END;
    if (!r->in_block && read_block(r, e) != LK_OK)
        return LK_STEP_FAIL;
    p = r->block + r->from;
    end = r->block + r->to;
    if (!get_varint(&p, end, &step) || end - p < 8) {
        (void)damaged(r->state, "an entry is none", e);
        return LK_STEP_FAIL;
    }
    out->key = get_u64(p);
    p += 8;
    if (!get_varint(&p, end, &source) || source >= r->state->sources.count ||
        !get_varint(&p, end, &out->ordinal) || !get_varint(&p, end, &len) ||
        len > (uint64_t)(end - p) || len > LK_STATE_REST_MAX) {
        (void)damaged(r->state, "an entry is none", e);
        return LK_STEP_FAIL;
    }
    out->turn_ns = (int64_t)((uint64_t)r->last_ns + (uint64_t)lk_zigzag_back(step));
    out->source = (uint32_t)source;
    out->rest = (lk_slice){ p, (size_t)len };
    if (out->turn_ns < r->newest_ns) {
        (void)damaged(r->state, "a run is out of order", e);
        return LK_STEP_FAIL;
    }
    r->last_ns = r->newest_ns = out->turn_ns;
    r->from = (size_t)(p + len - r->block);
    r->in_block--;
    r->left--;
    return LK_STEP_ITEM;
}
