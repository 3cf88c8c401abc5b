#include "infer/strides.h"

#include "base/time.h"

#include <math.h>
#include <stdlib.h>

typedef struct key {
    uint64_t caller;
    int64_t from_ns;
    uint64_t gap_ns; /* "never" is the longest */
    size_t hop;
} key;

/* By caller and time; of one instant the shortest step first, so that it leads to the others. */
static int by_caller(const void *a, const void *b)
{
    const key *x = a, *y = b;

    if (x->caller != y->caller)
        return x->caller < y->caller ? -1 : 1;
    if (x->from_ns != y->from_ns)
        return x->from_ns < y->from_ns ? -1 : 1;
    if (x->gap_ns != y->gap_ns)
        return x->gap_ns < y->gap_ns ? -1 : 1;
    return (x->hop > y->hop) - (x->hop < y->hop);
}

static double seconds(int64_t ns)
{
    return (double)ns * 1e-9;
}

static lk_stride stride_of(const lk_hop *h, int64_t zero_ns)
{
    return (lk_stride){ .at_s = seconds(h->from_ns - zero_ns),
                        .gap_s = h->gap_ns < 0 ? (double)INFINITY : seconds(h->gap_ns),
                        .pause_s =
                            h->gap_ns < 0 ? (double)INFINITY : fmax(0.0, seconds(h->pause_ns)),
                        .next = LK_NO_STRIDE,
                        .previous = LK_NO_STRIDE,
                        .population = h->population,
                        .target = h->target,
                        .failed = h->failed,
                        .rejected = h->rejected,
                        .next_rejected = h->next_rejected,
                        .by_id = h->by_id };
}

/* While paths are made: hops by caller and time; `row_of` the row of a hop. */
typedef struct draft {
    const lk_evidence *ev;
    key *keys;
    lk_stride *row;
    bool *dropped;
    size_t *row_of;
    size_t n;
} draft;

static lk_code open_draft(draft *d, const lk_evidence *ev, lk_arena *scratch, lk_err *e)
{
    size_t n = ev->hop_count;

    *d = (draft){ .ev = ev,
                  .keys = LK_NEW(scratch, key, n),
                  .row = LK_NEW(scratch, lk_stride, n),
                  .dropped = LK_NEW(scratch, bool, n),
                  .row_of = LK_NEW(scratch, size_t, n),
                  .n = n };
    if (n >= LK_NO_STRIDE || !d->keys || !d->row || !d->dropped || !d->row_of)
        return lk_fail(e, LK_EOOM, "no memory for %zu steps of callers", n);
    for (size_t i = 0; i < n; i++)
        d->keys[i] =
            (key){ ev->hops[i].caller, ev->hops[i].from_ns, (uint64_t)ev->hops[i].gap_ns, i };
    qsort(d->keys, n, sizeof(*d->keys), by_caller);
    for (size_t i = 0; i < n; i++) {
        d->row[i] = stride_of(&ev->hops[d->keys[i].hop], ev->first_ns);
        d->row_of[d->keys[i].hop] = i;
    }
    return LK_OK;
}

static size_t caller_end(const draft *d, size_t from)
{
    size_t to = from + 1;

    while (to < d->n && d->keys[to].caller == d->keys[from].caller)
        to++;
    return to;
}

static bool is_same_attempt(const draft *d, size_t i, size_t j)
{
    const lk_hop *a = &d->ev->hops[d->keys[i].hop], *b = &d->ev->hops[d->keys[j].hop];

    return a->from_ns == b->from_ns && a->population == b->population && a->target == b->target &&
           a->failed == b->failed;
}

/* An attempt that a call id joins to its next may have been joined by its caller to another's attempt
 * before: the id is right. */
static void drop_doubles(draft *d, size_t from, size_t to)
{
    for (size_t i = from; i < to; i++) {
        size_t low = i, high = i + 1;

        if (!d->row[i].by_id)
            continue;
        while (low > from && is_same_attempt(d, i, low - 1))
            low--;
        while (high < to && is_same_attempt(d, i, high))
            high++;
        for (; low < high; low++)
            if (!d->row[low].by_id && !d->dropped[low] && d->row[low].gap_s < d->row[i].gap_s) {
                d->dropped[low] = true;
                break;
            }
    }
}

/* Finds the row that row i leads to among those of its caller that follow. */
static void join(draft *d, size_t i, size_t end)
{
    double due = d->row[i].at_s + d->row[i].gap_s;
    size_t lo = i + 1, hi = end;

    if (isinf(due) || d->dropped[i])
        return;
    while (lo < hi) {
        size_t mid = lo + (hi - lo) / 2;

        if (d->row[mid].at_s < due - 1e-7)
            lo = mid + 1;
        else
            hi = mid;
    }
    while (lo < end && d->row[lo].at_s < due + 1e-7 &&
           (d->dropped[lo] || d->row[lo].previous != LK_NO_STRIDE))
        lo++;
    if (lo == end || d->row[lo].at_s > due + 1e-7)
        return;
    d->row[i].next = (uint32_t)lo;
    d->row[lo].previous = (uint32_t)i;
}

static void join_all(draft *d)
{
    for (size_t from = 0, to; from < d->n; from = to) {
        to = caller_end(d, from);
        drop_doubles(d, from, to);
        for (size_t i = from; i < to; i++)
            join(d, i, to);
    }
}

/* Copies the path that begins at `row`; gives where the next begins. */
static size_t lay_path(const draft *d, uint32_t row, lk_strides *s, size_t at)
{
    size_t first = at;

    for (; row != LK_NO_STRIDE; row = d->row[row].next) {
        s->row[at] = d->row[row];
        s->row[at].unit = (uint32_t)s->unit_count;
        s->row[at].previous = at > first ? (uint32_t)(at - 1) : LK_NO_STRIDE;
        s->row[at].next = d->row[row].next == LK_NO_STRIDE ? LK_NO_STRIDE : (uint32_t)(at + 1);
        at++;
    }
    s->first[s->unit_count++] = first;
    return at;
}

static void lay_paths(const draft *d, lk_strides *s)
{
    size_t at = 0;

    for (size_t hop = 0; hop < d->n; hop++) {
        size_t row = d->row_of[hop];
        const lk_hop *h = &d->ev->hops[hop];

        s->has_pauses |= h->gap_ns >= 0 && h->pause_ns != h->gap_ns;
        if (!d->dropped[row] && d->row[row].previous == LK_NO_STRIDE)
            at = lay_path(d, (uint32_t)row, s, at);
    }
    s->first[s->unit_count] = at;
    s->n = at;
}

/* A caller that never failed was taken from the other pool. */
static void weigh(const lk_evidence *ev, lk_strides *s)
{
    for (size_t u = 0; u < s->unit_count; u++) {
        bool failed = false;

        for (size_t i = s->first[u]; i < s->first[u + 1]; i++) {
            failed |= s->row[i].failed;
            s->answered[u] |= !s->row[i].failed;
        }
        s->weight[u] = ldexp(1.0, (int)(failed ? ev->hop_share_log2 : ev->calm_share_log2));
    }
}

lk_code lk_strides_new(const lk_evidence *evidence, lk_arena *a, lk_arena *scratch, lk_strides *out,
                       lk_err *e)
{
    lk_mark mark = lk_arena_mark(scratch);
    size_t n = evidence->hop_count;
    lk_strides s = { .row = LK_NEW(a, lk_stride, n),
                     .first = LK_NEW(a, size_t, n + 1),
                     .weight = LK_NEW(a, double, n),
                     .answered = LK_NEW(a, bool, n),
                     .resolution_s = seconds(evidence->resolution_ns),
                     .minute_s = seconds(evidence->first_ns % (60 * LK_NS_PER_S)) };
    draft d;

    if (!s.row || !s.first || !s.weight || !s.answered)
        return lk_fail(e, LK_EOOM, "no memory for %zu steps of callers", n);
    LK_TRY(open_draft(&d, evidence, scratch, e));
    join_all(&d);
    lay_paths(&d, &s);
    weigh(evidence, &s);
    lk_arena_rewind(scratch, mark);
    *out = s;
    return LK_OK;
}

double lk_stride_value(const lk_stride *s, lk_measure m)
{
    return m == LK_MEASURE_PAUSE ? s->pause_s : s->gap_s;
}

double lk_stride_end_s(const lk_stride *s)
{
    return isfinite(s->gap_s) ? s->at_s + fmax(0.0, s->gap_s - s->pause_s) : s->at_s;
}
