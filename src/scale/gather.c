#include "scale/gather.h"

#include <stdlib.h>
#include <string.h>

#define NOT_FIRST (UINT64_C(1) << 32) /* above all ranks */

enum { WAITING_MAX = 1 << 20 };

typedef struct run {
    lk_run_reader reader;
    lk_state_entry head; /* what it gives next */
    const uint32_t *sources;
} run;

/* One attempt of the instant; its rest is in `rests`. */
typedef struct held {
    lk_state_entry entry;
    size_t rest_at;
    uint64_t rank;
} held;

typedef struct held_list {
    held *list; /* [count] */
    size_t count, cap;
    lk_buf rests;
} held_list;

struct lk_gather {
    lk_gather_options options;
    run *runs; /* [run_count] */
    size_t run_count;
    size_t *heap; /* [in_heap] of runs, the earliest head first */
    size_t in_heap;
    held_list instant; /* of which `at` were given */
    size_t at;
    held_list waiting; /* for their sources' floors */
    int64_t waiting_ns; /* the first of those; INT64_MAX: none waits */
};

static bool is_before(const lk_gather *g, size_t a, size_t b)
{
    return g->runs[a].head.turn_ns < g->runs[b].head.turn_ns;
}

static void sift_down(lk_gather *g, size_t i)
{
    size_t moving = g->heap[i], child;

    while ((child = 2 * i + 1) < g->in_heap) {
        if (child + 1 < g->in_heap && is_before(g, g->heap[child + 1], g->heap[child]))
            child++;
        if (!is_before(g, g->heap[child], moving))
            break;
        g->heap[i] = g->heap[child];
        i = child;
    }
    g->heap[i] = moving;
}

static lk_code open_runs(lk_gather *g, lk_err *e)
{
    size_t at = 0;

    for (size_t i = 0; i < g->options.state_count; i++)
        for (size_t k = 0; k < g->options.states[i].run_count; k++, at++) {
            run *r = &g->runs[at];
            lk_step got;

            lk_run_reader_init(&r->reader, &g->options.states[i], k);
            r->sources = g->options.sources[i];
            got = lk_run_reader_next(&r->reader, &r->head, e);
            if (got == LK_STEP_FAIL)
                return e->code;
            if (got == LK_STEP_ITEM)
                g->heap[g->in_heap++] = at;
        }
    for (size_t i = g->in_heap / 2; i > 0; i--)
        sift_down(g, i - 1);
    return LK_OK;
}

lk_code lk_gather_open(const lk_gather_options *options, lk_gather **out, lk_err *e)
{
    lk_gather *g = calloc(1, sizeof(*g));

    if (!g)
        return lk_fail(e, LK_EOOM, "no memory to merge states");
    *out = g;
    g->options = *options;
    lk_buf_init(&g->instant.rests);
    lk_buf_init(&g->waiting.rests);
    g->waiting_ns = INT64_MAX;
    for (size_t i = 0; i < options->state_count; i++)
        g->run_count += options->states[i].run_count;
    g->runs = calloc(g->run_count + 1, sizeof(*g->runs));
    g->heap = calloc(g->run_count + 1, sizeof(*g->heap));
    if (!g->runs || !g->heap)
        return lk_fail(e, LK_EOOM, "no memory to merge %zu runs", g->run_count);
    return open_runs(g, e);
}

void lk_gather_close(lk_gather *g)
{
    if (!g)
        return;
    for (size_t i = 0; g->runs && i < g->run_count; i++)
        lk_run_reader_release(&g->runs[i].reader);
    lk_buf_release(&g->instant.rests);
    lk_buf_release(&g->waiting.rests);
    free(g->runs);
    free(g->heap);
    free(g->instant.list);
    free(g->waiting.list);
    free(g);
}

static lk_code add(held_list *l, const lk_state_entry *entry, uint64_t rank, lk_err *e)
{
    if (l->count == l->cap) {
        size_t cap = l->cap ? 2 * l->cap : 64;
        held *wider = realloc(l->list, cap * sizeof(*wider));

        if (!wider)
            return lk_fail(e, LK_EOOM, "no memory for %zu attempts that wait for their turn", cap);
        l->list = wider;
        l->cap = cap;
    }
    l->list[l->count++] = (held){ .entry = *entry, .rest_at = l->rests.len, .rank = rank };
    lk_buf_add(&l->rests, entry->rest.p, entry->rest.len);
    return l->rests.failed ? lk_fail(e, LK_EOOM, "no memory for attempts of one instant") : LK_OK;
}

/* Behind what the parts of its file before it had come to: it waits until that is reached. */
static lk_code wait_for_floor(lk_gather *g, const lk_state_entry *entry, uint64_t rank, lk_err *e)
{
    if (g->waiting.count == WAITING_MAX)
        return lk_fail(e, LK_EDATA,
                       "parts of one log overlap in time by more than %d attempts: was each given its place "
                       "with map --at?", WAITING_MAX);
    if (g->options.floor_ns[entry->source] < g->waiting_ns)
        g->waiting_ns = g->options.floor_ns[entry->source];
    return add(&g->waiting, entry, rank, e);
}

static lk_code hold(lk_gather *g, const run *r, lk_err *e)
{
    const lk_gather_options *o = &g->options;
    lk_state_entry entry = r->head;
    uint32_t rank;

    entry.source = r->sources[entry.source];
    rank = o->rank[entry.source];
    if (rank == UINT32_MAX)
        return LK_OK;
    if (o->floor_ns && entry.turn_ns < o->floor_ns[entry.source])
        return wait_for_floor(g, &entry, rank, e);
    return add(&g->instant, &entry,
               o->is_first && o->is_first(o->ctx, entry.source, entry.rest) ? rank : rank | NOT_FIRST, e);
}

/* Those whose floor is this instant. */
static lk_code end_waiting(lk_gather *g, int64_t at_ns, lk_err *e)
{
    held_list left = { .count = 0 };
    lk_code code = LK_OK;

    if (g->waiting_ns != at_ns)
        return LK_OK;
    lk_buf_init(&left.rests);
    g->waiting_ns = INT64_MAX;
    for (size_t i = 0; i < g->waiting.count && code == LK_OK; i++) {
        held *h = &g->waiting.list[i];
        const int64_t floor_ns = g->options.floor_ns[h->entry.source];

        h->entry.rest.p = g->waiting.rests.p + h->rest_at;
        if (floor_ns != at_ns && floor_ns < g->waiting_ns)
            g->waiting_ns = floor_ns;
        code = add(floor_ns == at_ns ? &g->instant : &left, &h->entry, h->rank, e);
    }
    free(g->waiting.list);
    lk_buf_release(&g->waiting.rests);
    g->waiting = left;
    return code;
}

static lk_code advance(lk_gather *g, lk_err *e)
{
    run *r = &g->runs[g->heap[0]];
    lk_step got = lk_run_reader_next(&r->reader, &r->head, e);

    if (got == LK_STEP_FAIL)
        return e->code;
    if (got == LK_STEP_END) {
        lk_run_reader_release(&r->reader);
        g->heap[0] = g->heap[--g->in_heap];
    }
    sift_down(g, 0);
    return LK_OK;
}

static int by_rank(const void *pa, const void *pb)
{
    const held *a = pa, *b = pb;

    if (a->rank != b->rank)
        return a->rank < b->rank ? -1 : 1;
    return (a->entry.ordinal > b->entry.ordinal) - (a->entry.ordinal < b->entry.ordinal);
}

static bool is_sorted(const held_list *l)
{
    for (size_t i = 1; i < l->count; i++)
        if (by_rank(&l->list[i - 1], &l->list[i]) > 0)
            return false;
    return true;
}

static int64_t earliest_ns(const lk_gather *g)
{
    int64_t at_ns = g->in_heap ? g->runs[g->heap[0]].head.turn_ns : INT64_MAX;

    return g->waiting_ns < at_ns ? g->waiting_ns : at_ns;
}

/* All whose turn is the next instant; none where all of it is left out, or waits. */
static lk_code next_instant(lk_gather *g, lk_err *e)
{
    const int64_t at_ns = earliest_ns(g);
    held_list *now = &g->instant;

    now->count = g->at = now->rests.len = 0;
    while (g->in_heap && g->runs[g->heap[0]].head.turn_ns == at_ns) {
        LK_TRY(hold(g, &g->runs[g->heap[0]], e));
        LK_TRY(advance(g, e));
    }
    LK_TRY(end_waiting(g, at_ns, e));
    if (!is_sorted(now))
        qsort(now->list, now->count, sizeof(*now->list), by_rank);
    return LK_OK;
}

static bool is_repeated(const lk_gather *g)
{
    return g->options.once && g->at > 0 &&
           by_rank(&g->instant.list[g->at - 1], &g->instant.list[g->at]) == 0;
}

lk_step lk_gather_next(lk_gather *g, lk_state_entry *out, lk_err *e)
{
    for (;;) {
        while (g->at == g->instant.count) {
            if (!g->in_heap && !g->waiting.count)
                return LK_STEP_END;
            if (next_instant(g, e) != LK_OK)
                return LK_STEP_FAIL;
        }
        if (!is_repeated(g))
            break;
        g->at++;
    }
    *out = g->instant.list[g->at].entry;
    out->rest.p = g->instant.rests.p + g->instant.list[g->at++].rest_at;
    return LK_STEP_ITEM;
}
