#include "scale/gather.h"

#include <stdlib.h>
#include <string.h>

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

struct lk_gather {
    lk_gather_options options;
    run *runs; /* [run_count] */
    size_t run_count;
    size_t *heap; /* [in_heap] of runs, the earliest head first */
    size_t in_heap;
    held *instant; /* [count], of which `at` were given */
    size_t count, at, cap;
    lk_buf rests;
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
    lk_buf_init(&g->rests);
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
    lk_buf_release(&g->rests);
    free(g->runs);
    free(g->heap);
    free(g->instant);
    free(g);
}

static lk_code hold(lk_gather *g, const run *r, lk_err *e)
{
    uint32_t source = r->sources[r->head.source], rank = g->options.rank[source];
    held *h;

    if (rank == UINT32_MAX)
        return LK_OK;
    if (g->count == g->cap) {
        size_t cap = g->cap ? 2 * g->cap : 64;
        held *wider = realloc(g->instant, cap * sizeof(*wider));

        if (!wider)
            return lk_fail(e, LK_EOOM, "no memory for %zu attempts of one instant", cap);
        g->instant = wider;
        g->cap = cap;
    }
    h = &g->instant[g->count++];
    *h = (held){ .entry = r->head, .rest_at = g->rests.len, .rank = rank };
    h->entry.source = source;
    lk_buf_add(&g->rests, r->head.rest.p, r->head.rest.len);
    return g->rests.failed ? lk_fail(e, LK_EOOM, "no memory for attempts of one instant") : LK_OK;
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

static bool is_sorted(const lk_gather *g)
{
    for (size_t i = 1; i < g->count; i++)
        if (by_rank(&g->instant[i - 1], &g->instant[i]) > 0)
            return false;
    return true;
}

/* All that began at the next instant; none where all of it is left out. */
static lk_code next_instant(lk_gather *g, lk_err *e)
{
    int64_t at_ns = g->runs[g->heap[0]].head.turn_ns;

    g->count = g->at = g->rests.len = 0;
    while (g->in_heap && g->runs[g->heap[0]].head.turn_ns == at_ns) {
        LK_TRY(hold(g, &g->runs[g->heap[0]], e));
        LK_TRY(advance(g, e));
    }
    if (!is_sorted(g))
        qsort(g->instant, g->count, sizeof(*g->instant), by_rank);
    return LK_OK;
}

static bool is_repeated(const lk_gather *g)
{
    return g->options.once && g->at > 0 &&
           by_rank(&g->instant[g->at - 1], &g->instant[g->at]) == 0;
}

lk_step lk_gather_next(lk_gather *g, lk_state_entry *out, lk_err *e)
{
    for (;;) {
        while (g->at == g->count) {
            if (!g->in_heap)
                return LK_STEP_END;
            if (next_instant(g, e) != LK_OK)
                return LK_STEP_FAIL;
        }
        if (!is_repeated(g))
            break;
        g->at++;
    }
    *out = g->instant[g->at].entry;
    out->rest.p = g->rests.p + g->instant[g->at++].rest_at;
    return LK_STEP_ITEM;
}
