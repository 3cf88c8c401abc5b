#include "order/merge.h"

#include <stdlib.h>

/* The turn of one attempt that waits. */
struct lk_held {
    int64_t start_ns;
    uint64_t line;   /* of its source */
    uint32_t source;
    uint32_t place;  /* of the attempt */
};

/* What the merge knows of one source. */
struct lk_reader {
    int64_t newest_ns; /* latest stamp read: later lines are not far behind it */
    uint64_t lines;
    bool ended;
};

static bool is_before(const struct lk_held *a, const struct lk_held *b)
{
    if (a->start_ns != b->start_ns)
        return a->start_ns < b->start_ns;
    if (a->source != b->source)
        return a->source < b->source;
    return a->line < b->line;
}

static void sift_up(struct lk_held *heap, size_t i)
{
    struct lk_held moving = heap[i];

    while (i > 0 && is_before(&moving, &heap[(i - 1) / 2])) {
        heap[i] = heap[(i - 1) / 2];
        i = (i - 1) / 2;
    }
    heap[i] = moving;
}

static void sift_down(struct lk_held *heap, size_t count)
{
    struct lk_held moving = heap[0];
    size_t i = 0, child;

    while ((child = 2 * i + 1) < count) {
        if (child + 1 < count && is_before(&heap[child + 1], &heap[child]))
            child++;
        if (!is_before(&heap[child], &moving))
            break;
        heap[i] = heap[child];
        i = child;
    }
    heap[i] = moving;
}

/* Twice the room; what could not grow stays as it was. */
static lk_code grow(lk_merge *m, lk_err *e)
{
    size_t cap = m->heap_cap ? 2 * m->heap_cap : 256;
    struct lk_held *heap = realloc(m->heap, cap * sizeof(*heap));
    lk_attempt *attempts;
    uint32_t *free_places;

    if (heap)
        m->heap = heap;
    attempts = heap ? realloc(m->attempts, cap * sizeof(*attempts)) : NULL;
    if (attempts)
        m->attempts = attempts;
    free_places = attempts ? realloc(m->free, cap * sizeof(*free_places)) : NULL;
    if (!free_places)
        return lk_fail(e, LK_EOOM, "no memory to hold %zu attempts", cap);
    m->free = free_places;
    for (size_t i = m->heap_cap; i < cap; i++)
        m->free[i - m->heap_cap] = (uint32_t)i;
    m->heap_cap = cap;
    return LK_OK;
}

/* The room is full or has a free place: m->free holds heap_cap - held of them. */
static lk_code hold(lk_merge *m, const lk_attempt *attempt, size_t source, uint64_t line, lk_err *e)
{
    uint32_t place;

    if (m->held == m->heap_cap)
        LK_TRY(grow(m, e));
    place = m->free[m->heap_cap - m->held - 1];
    m->attempts[place] = *attempt;
    m->heap[m->held++] = (struct lk_held){ attempt->start_ns, line, (uint32_t)source, place };
    sift_up(m->heap, m->held - 1);
    return LK_OK;
}

static void take_off(lk_merge *m, lk_attempt *out)
{
    uint32_t place = m->heap[0].place;

    *out = m->attempts[place];
    m->heap[0] = m->heap[--m->held];
    m->free[m->heap_cap - m->held - 1] = place;
    if (m->held)
        sift_down(m->heap, m->held);
    if (out->start_ns < m->last_ns)
        m->late++;
    else
        m->last_ns = out->start_ns;
}

lk_code lk_merge_init(lk_merge *m, lk_source **sources, size_t count,
                      const lk_merge_options *options, lk_err *e)
{
    *m = (lk_merge){ .options = *options, .sources = sources, .source_count = count,
                     .last_ns = INT64_MIN };
    m->readers = calloc(count ? count : 1, sizeof(*m->readers));
    if (!m->readers)
        return lk_fail(e, LK_EOOM, "no memory to merge %zu sources", count);
    return LK_OK;
}

void lk_merge_release(lk_merge *m)
{
    for (size_t i = 0; i < m->source_count; i++)
        m->sources[i]->close(m->sources[i]);
    free(m->readers);
    free(m->heap);
    free(m->attempts);
    free(m->free);
    *m = (lk_merge){ 0 };
}

/* Reads one attempt of source i into the heap, or closes the source. */
static lk_code advance(lk_merge *m, size_t i, lk_err *e)
{
    lk_err trouble = { 0 };
    lk_attempt attempt;
    lk_step got = m->sources[i]->next(m->sources[i], &attempt, &trouble);

    if (got == LK_STEP_ITEM) {
        uint64_t line = m->readers[i].lines++;

        if (line == 0 || attempt.stamp_ns > m->readers[i].newest_ns)
            m->readers[i].newest_ns = attempt.stamp_ns;
        return hold(m, &attempt, i, line, e);
    }
    m->readers[i].ended = true;
    m->sources[i]->close(m->sources[i]);
    while (m->ended < m->opened && m->readers[m->ended].ended)
        m->ended++;
    if (got == LK_STEP_FAIL && m->failed)
        m->failed(m->ctx, i, &trouble);
    return LK_OK;
}

/* The source that may still hold something before the earliest attempt in the heap: the one that is
 * least far ahead.  source_count when there is none. */
static size_t laggard(const lk_merge *m)
{
    size_t found = m->source_count;
    int64_t least = INT64_MAX;

    for (size_t i = m->ended; i < m->opened; i++) {
        int64_t reached = m->readers[i].lines ? m->readers[i].newest_ns : m->sources[i]->first_ns;

        if (!m->readers[i].ended && reached < least) {
            least = reached;
            found = i;
        }
    }
    if (found < m->source_count && m->held &&
        least - m->options.window_ns > m->heap[0].start_ns)
        return m->source_count;
    return found;
}

/* Opens every source that may hold an attempt as early as the heap's first. */
static void open_due(lk_merge *m, bool starving)
{
    while (m->opened < m->source_count) {
        int64_t first = m->sources[m->opened]->first_ns;

        if (!starving &&
            (!m->held || first - m->options.window_ns > m->heap[0].start_ns))
            return;
        m->opened++;
        starving = false;
    }
}

lk_step lk_merge_next(lk_merge *m, lk_attempt *out, lk_err *e)
{
    for (;;) {
        size_t i;

        open_due(m, false);
        i = laggard(m);
        if (i == m->source_count && !m->held && m->opened < m->source_count) {
            open_due(m, true);
            continue;
        }
        if (i == m->source_count || m->held >= m->options.max_held)
            break;
        if (advance(m, i, e) != LK_OK)
            return LK_STEP_FAIL;
    }
    if (!m->held)
        return LK_STEP_END;
    take_off(m, out);
    return LK_STEP_ITEM;
}
