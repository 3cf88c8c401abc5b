#include "order/merge.h"

#include "base/prefetch.h"
#include "base/whole.h"

#include <stdlib.h>
#include <string.h>

enum { STEPS_MAX = 32 }; /* back in the line; further behind is for the heap */

/* The turn of one attempt that waits. */
struct lk_held {
    int64_t start_ns;
    uint64_t line;   /* of its source */
    uint32_t source;
    uint32_t place;  /* of the attempt */
};

/* What the merge knows of a source that it reads. */
struct lk_reader {
    int64_t newest_ns; /* latest stamp read: later lines are not far behind it */
    uint64_t lines;
    size_t room;
    uint32_t source;
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

static bool widen(void **column, size_t count, size_t size)
{
    void *wider = realloc(*column, count * size);

    if (wider)
        *column = wider;
    return wider != NULL;
}

/* Twice the room; what could not grow stays as it was. */
static lk_code grow(lk_merge *m, lk_err *e)
{
    size_t cap = m->cap ? 2 * m->cap : 256;
    void *heap = m->heap, *line = m->line, *attempts = m->attempts, *places = m->free;
    bool ok = widen(&heap, cap, sizeof(*m->heap)) && widen(&line, 2 * cap, sizeof(*m->line)) &&
              widen(&attempts, cap, sizeof(*m->attempts)) && widen(&places, cap, sizeof(*m->free));

    m->heap = heap;
    m->line = line;
    m->attempts = attempts;
    m->free = places;
    if (!ok)
        return lk_fail(e, LK_EOOM, "no memory to hold %zu attempts", cap);
    for (size_t i = m->cap; i < cap; i++)
        m->free[i - m->cap] = (uint32_t)i;
    m->cap = cap;
    return LK_OK;
}

/* Room for one more at the end of the line: there is twice as much as can be held. */
static void move_up(lk_merge *m)
{
    if (m->line_end < 2 * m->cap)
        return;
    m->line_end -= m->line_at;
    memmove(m->line, m->line + m->line_at, m->line_end * sizeof(*m->line));
    m->line_at = 0;
}

/* Its place in the line; false when it is too far behind. */
static bool find_place(const lk_merge *m, const struct lk_held *new, size_t *at)
{
    const size_t least = m->line_end - m->line_at > STEPS_MAX ? m->line_end - STEPS_MAX : m->line_at;

    for (*at = m->line_end; *at > least; --*at)
        if (is_before(&m->line[*at - 1], new))
            return true;
    return *at == m->line_at;
}

static void stand(lk_merge *m, const struct lk_held *new)
{
    size_t at;

    move_up(m);
    if (m->line_end == m->line_at || is_before(&m->line[m->line_end - 1], new)) {
        m->line[m->line_end++] = *new;
    } else if (find_place(m, new, &at)) {
        memmove(&m->line[at + 1], &m->line[at], (m->line_end - at) * sizeof(*m->line));
        m->line[at] = *new;
        m->line_end++;
    } else {
        m->heap[m->in_heap++] = *new;
        sift_up(m->heap, m->in_heap - 1);
    }
}

static bool is_in_line(const lk_merge *m)
{
    return m->line_at < m->line_end &&
           (m->in_heap == 0 || is_before(&m->line[m->line_at], &m->heap[0]));
}

static const struct lk_held *earliest(const lk_merge *m)
{
    return is_in_line(m) ? &m->line[m->line_at] : &m->heap[0];
}

static void leave(lk_merge *m)
{
    if (is_in_line(m)) {
        m->line_at++;
    } else {
        m->heap[0] = m->heap[--m->in_heap];
        if (m->in_heap)
            sift_down(m->heap, m->in_heap);
    }
}

/* What leaves some attempts later is brought near: by then it has not been looked at for long.  Where stamps are
 * whole seconds all of a second leave at once. */
static void foresee(const lk_merge *m)
{
    enum { AHEAD = 24 };
    const char *p;

    if (m->line_at + AHEAD >= m->line_end)
        return;
    p = (const char *)&m->attempts[m->line[m->line_at + AHEAD].place];
    lk_prefetch(p);
    lk_prefetch(p + LK_PREFETCH_LINE);
}

static void take_off(lk_merge *m, lk_attempt *out)
{
    uint32_t place = earliest(m)->place;

    m->last_line = earliest(m)->line;
    foresee(m);
    *out = m->attempts[place];
    leave(m);
    m->held--;
    m->free[m->cap - m->held - 1] = place;
    if (out->start_ns < m->last_ns)
        m->late++;
    else
        m->last_ns = out->start_ns;
}

lk_code lk_merge_init(lk_merge *m, lk_source **sources, size_t count,
                      const lk_merge_options *options, lk_err *e)
{
    *m = (lk_merge){ .options = *options, .sources = sources, .source_count = count,
                     .last_ns = INT64_MIN, .free_ns = INT64_MIN };
    if (count > UINT32_MAX)
        return lk_fail(e, LK_EOOM, "no memory to merge %zu sources", count);
    return LK_OK;
}

void lk_merge_release(lk_merge *m)
{
    for (size_t i = 0; i < m->source_count; i++)
        m->sources[i]->close(m->sources[i]);
    free(m->readers);
    free(m->heap);
    free(m->line);
    free(m->attempts);
    free(m->free);
    *m = (lk_merge){ 0 };
}

/* It gives nothing any more: those that are read stay in their order. */
static void put_away(lk_merge *m, size_t i)
{
    m->open--;
    m->room -= m->readers[i].room;
    memmove(&m->readers[i], &m->readers[i + 1], (m->open - i) * sizeof(*m->readers));
    m->is_crowded = false;
}

/* Reads one attempt of the i-th that is read, or closes the source. */
static lk_code advance(lk_merge *m, size_t i, lk_err *e)
{
    struct lk_reader *r = &m->readers[i];
    const uint32_t source = r->source;
    lk_err trouble;
    lk_attempt *a;
    uint32_t place;
    lk_step got;

    if (m->held == m->cap)
        LK_TRY(grow(m, e));
    m->free_ns = INT64_MIN;
    place = m->free[m->cap - m->held - 1];
    a = &m->attempts[place];
    lk_err_clear(&trouble);
    got = m->sources[source]->next(m->sources[source], a, &trouble);
    if (got == LK_STEP_ITEM) {
        if (r->lines == 0 || a->stamp_ns > r->newest_ns)
            r->newest_ns = a->stamp_ns;
        m->held++;
        stand(m, &(struct lk_held){ a->start_ns, r->lines++, source, place });
        return LK_OK;
    }
    put_away(m, i);
    m->sources[source]->close(m->sources[source]);
    if (got == LK_STEP_FAIL && trouble.code == LK_EOOM)
        return lk_fail(e, LK_EOOM, "%s", trouble.msg);
    if (got == LK_STEP_FAIL && m->failed)
        m->failed(m->ctx, source, &trouble);
    return LK_OK;
}

/* So far back a source may still give something; a file whose lines have shown no instant yet, any time. */
static int64_t before_window(const lk_merge *m, int64_t at_ns)
{
    return lk_later(at_ns, -m->options.window_ns);
}

/* The one that is read and may still hold something before the earliest attempt in the heap: it is
 * least far ahead.  m->open when there is none; *free_ns is then what all are past. */
static size_t laggard(const lk_merge *m, int64_t *free_ns)
{
    size_t found = m->open;
    int64_t least = INT64_MAX;

    for (size_t i = 0; i < m->open; i++) {
        const struct lk_reader *r = &m->readers[i];
        int64_t reached = r->lines ? r->newest_ns : m->sources[r->source]->first_ns;

        if (reached < least) {
            least = reached;
            found = i;
        }
    }
    *free_ns = found == m->open ? INT64_MAX : before_window(m, least);
    if (found < m->open && m->held && *free_ns > earliest(m)->start_ns)
        return m->open;
    return found;
}

/* May the next source that is not open hold an attempt as early as the heap's first? */
static bool is_due(const lk_merge *m)
{
    if (m->opened == m->source_count)
        return false;
    return m->held ? before_window(m, m->sources[m->opened]->first_ns) <= earliest(m)->start_ns
                   : m->open == 0;
}

/* false: there is none beside those that are read. */
static bool find_room(const lk_merge *m, size_t *room)
{
    const lk_merge_options *o = &m->options;
    const size_t left = o->max_room > m->room ? o->max_room - m->room : 0;

    *room = o->room_of ? o->room_of(o->ctx, m->opened) : 0;
    return m->open == 0 || *room <= left;
}

static lk_code open_next(lk_merge *m, size_t room, lk_err *e)
{
    if (m->open == m->reader_cap) {
        size_t cap = m->reader_cap ? 2 * m->reader_cap : 8;
        void *readers = m->readers;
        bool ok = widen(&readers, cap, sizeof(*m->readers));

        m->readers = readers;
        if (!ok)
            return lk_fail(e, LK_EOOM, "no memory to merge %zu sources", cap);
        m->reader_cap = cap;
    }
    m->readers[m->open++] = (struct lk_reader){ .room = room, .source = (uint32_t)m->opened++ };
    m->room += room;
    return LK_OK;
}

/* Opens every source that is due, as far as there is room. */
static lk_code open_due(lk_merge *m, lk_err *e)
{
    size_t room;

    while (is_due(m)) {
        if (!find_room(m, &room)) {
            m->is_crowded = m->is_crowded || m->held >= m->options.max_held / 2;
            return LK_OK;
        }
        LK_TRY(open_next(m, room, e));
    }
    return LK_OK;
}

/* A source that is due and has no room: the first that is read makes room, if it is a small one. */
static bool must_make_room(lk_merge *m)
{
    if (!is_due(m) || m->open == 0)
        return false;
    if (m->is_crowded && m->told < m->opened + 1) {
        m->told = m->opened + 1;
        m->kept_waiting++;
    }
    return !m->is_crowded;
}

/* Until a source is read on; one that is not open yet may have something from its first instant on. */
static void free_until(lk_merge *m, int64_t at_ns)
{
    if (m->opened < m->source_count) {
        int64_t first_ns = before_window(m, m->sources[m->opened]->first_ns);

        at_ns = first_ns < at_ns ? first_ns : at_ns;
    }
    m->free_ns = at_ns;
}

/* All others have ended: reads on until the earliest attempt may leave. */
static lk_code read_last(lk_merge *m, lk_err *e)
{
    const struct lk_reader *r = m->readers;
    int64_t free_ns;

    do {
        free_ns = before_window(m, r->lines ? r->newest_ns : m->sources[r->source]->first_ns);
        if ((m->held && free_ns > earliest(m)->start_ns) || m->held >= m->options.max_held) {
            m->free_ns = free_ns;
            return LK_OK;
        }
        LK_TRY(advance(m, 0, e));
    } while (m->open);
    m->free_ns = INT64_MAX;
    return LK_OK;
}

lk_step lk_merge_next(lk_merge *m, lk_attempt *out, lk_err *e)
{
    int64_t free_ns = INT64_MIN;

    if (m->held && earliest(m)->start_ns < m->free_ns) {
        take_off(m, out);
        return LK_STEP_ITEM;
    }
    if (m->opened == m->source_count && m->open == 1) {
        if (read_last(m, e) != LK_OK)
            return LK_STEP_FAIL;
        if (!m->held)
            return LK_STEP_END;
        take_off(m, out);
        return LK_STEP_ITEM;
    }
    for (;;) {
        size_t i;

        if (open_due(m, e) != LK_OK)
            return LK_STEP_FAIL;
        i = must_make_room(m) ? 0 : laggard(m, &free_ns);
        if (i == m->open)
            free_until(m, free_ns);
        if (i == m->open || m->held >= m->options.max_held)
            break;
        if (advance(m, i, e) != LK_OK)
            return LK_STEP_FAIL;
    }
    if (!m->held)
        return LK_STEP_END;
    take_off(m, out);
    return LK_STEP_ITEM;
}
