#include "scale/collect.h"

#include "scale/record.h"

#include <stdlib.h>
#include <string.h>

enum { FIRST = 128 }; /* attempts that there is room for at first */

/* The turn of an attempt that is held. */
typedef struct turn {
    int64_t turn_ns;
    uint64_t place; /* its source, then its number there */
    uint32_t item;
} turn;

typedef struct item {
    uint64_t key, ordinal;
    uint32_t source, rest_at, rest_len;
} item;

struct lk_collector {
    lk_state_writer *writer;
    item *items; /* [cap] */
    turn *turns; /* [cap] */
    size_t count, cap;
    lk_buf rests, lines;
    uint64_t last_number; /* of a source, and its index */
    uint32_t last_index;
    bool knows_last;
};

lk_code lk_collector_open(lk_state_sink *sink, void *ctx, lk_collector **out, lk_err *e)
{
    lk_collector *c = calloc(1, sizeof(*c));

    if (!c)
        return lk_fail(e, LK_EOOM, "no memory to collect records");
    *out = c;
    lk_buf_init(&c->rests);
    lk_buf_init(&c->lines);
    return lk_state_writer_open(sink, ctx, &c->writer, e);
}

void lk_collector_close(lk_collector *c)
{
    if (!c)
        return;
    lk_state_writer_close(c->writer);
    lk_buf_release(&c->rests);
    lk_buf_release(&c->lines);
    free(c->items);
    free(c->turns);
    free(c);
}

static int by_turn(const void *pa, const void *pb)
{
    const turn *a = pa, *b = pb;

    if (a->turn_ns != b->turn_ns)
        return a->turn_ns < b->turn_ns ? -1 : 1;
    return (a->place > b->place) - (a->place < b->place);
}

static lk_code write_run(lk_collector *c, lk_err *e)
{
    if (c->count)
        qsort(c->turns, c->count, sizeof(*c->turns), by_turn);
    for (size_t i = 0; i < c->count; i++) {
        const item *it = &c->items[c->turns[i].item];
        const lk_state_entry entry = { .turn_ns = c->turns[i].turn_ns,
                                       .key = it->key,
                                       .ordinal = it->ordinal,
                                       .source = it->source,
                                       .rest = { c->rests.p + it->rest_at, it->rest_len } };

        LK_TRY(lk_state_writer_put(c->writer, &entry, e));
    }
    c->count = c->rests.len = 0;
    return lk_state_writer_end_run(c->writer, e);
}

static lk_code make_room(lk_collector *c, lk_err *e)
{
    size_t cap = c->cap ? 2 * c->cap : FIRST;
    item *items;
    turn *turns;

    if (c->count == LK_COLLECT_MAX || c->rests.len >= LK_COLLECT_BYTES)
        LK_TRY(write_run(c, e));
    if (c->count < c->cap)
        return LK_OK;
    items = realloc(c->items, cap * sizeof(*items));
    if (items)
        c->items = items;
    turns = realloc(c->turns, cap * sizeof(*turns));
    if (turns)
        c->turns = turns;
    if (!items || !turns)
        return lk_fail(e, LK_EOOM, "no memory to hold %zu attempts", cap);
    c->cap = cap;
    return LK_OK;
}

static lk_code index_of(lk_collector *c, uint64_t number, uint32_t *index, lk_err *e)
{
    if (!c->knows_last || c->last_number != number) {
        LK_TRY(lk_state_sources_index(lk_state_writer_sources(c->writer), number, &c->last_index,
                                      e));
        c->last_number = number;
        c->knows_last = true;
    }
    *index = c->last_index;
    return LK_OK;
}

static lk_code take_attempt(lk_collector *c, const lk_record *r, lk_err *e)
{
    uint32_t source;
    enum { ORDINAL_BITS = 44 };

    LK_TRY(make_room(c, e));
    LK_TRY(index_of(c, r->source, &source, e));
    c->items[c->count] =
        (item){ r->key, r->ordinal, source, (uint32_t)c->rests.len, (uint32_t)r->rest.len };
    c->turns[c->count] = (turn){ r->turn_ns, (uint64_t)source << ORDINAL_BITS ^ r->ordinal,
                                 (uint32_t)c->count };
    lk_buf_add(&c->rests, r->rest.p, r->rest.len);
    c->count++;
    return c->rests.failed ? lk_fail(e, LK_EOOM, "no memory to hold %zu attempts", c->count) : LK_OK;
}

lk_code lk_collector_take(lk_collector *c, lk_slice line, lk_err *e)
{
    lk_record r;

    if (!lk_record_parse(line, &r) || r.rest.len > LK_STATE_REST_MAX + (size_t)(r.is_reserved << 20))
        return lk_fail(e, LK_EDATA, "not a record of lockstep map");
    if (!r.is_reserved)
        return take_attempt(c, &r, e);
    lk_buf_add(&c->lines, r.rest.p, r.rest.len);
    lk_buf_add(&c->lines, "\n", 1);
    return c->lines.failed ? lk_fail(e, LK_EOOM, "no memory for dictionaries") : LK_OK;
}

lk_code lk_collector_finish(lk_collector *c, lk_err *e)
{
    LK_TRY(write_run(c, e));
    LK_TRY(lk_lines_sort(&c->lines, e));
    return lk_state_writer_finish(c->writer, (lk_slice){ c->lines.p, c->lines.len }, e);
}

/* ---- lines ---- */

static int by_bytes(const void *pa, const void *pb)
{
    const lk_slice *a = pa, *b = pb;
    int order = memcmp(a->p, b->p, a->len < b->len ? a->len : b->len);

    return order ? order : (a->len > b->len) - (a->len < b->len);
}

static size_t split(const lk_buf *lines, lk_slice *out)
{
    const char *p = lines->p, *end = lines->p + lines->len;
    size_t count = 0;

    while (p < end) {
        const char *stop = memchr(p, '\n', (size_t)(end - p));

        out[count++] = (lk_slice){ p, (size_t)(stop - p) + 1 };
        p = stop + 1;
    }
    return count;
}

lk_code lk_lines_sort(lk_buf *lines, lk_err *e)
{
    size_t count = 0;
    lk_slice *list;
    lk_buf sorted;

    for (size_t i = 0; i < lines->len; i++)
        count += lines->p[i] == '\n';
    if (count < 2)
        return LK_OK;
    list = calloc(count, sizeof(*list));
    if (!list)
        return lk_fail(e, LK_EOOM, "no memory to sort %zu lines", count);
    (void)split(lines, list);
    qsort(list, count, sizeof(*list), by_bytes);
    lk_buf_init(&sorted);
    for (size_t i = 0; i < count; i++)
        if (i == 0 || by_bytes(&list[i - 1], &list[i]) != 0)
            lk_buf_add(&sorted, list[i].p, list[i].len);
    free(list);
    if (sorted.failed) {
        lk_buf_release(&sorted);
        return lk_fail(e, LK_EOOM, "no memory to sort %zu lines", count);
    }
    lk_buf_release(lines);
    *lines = sorted;
    return LK_OK;
}
