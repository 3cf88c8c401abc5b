#include "infer/strides.h"

#include "base/time.h"

#include <math.h>
#include <stdlib.h>

typedef struct key {
    uint64_t caller;
    size_t hop;
} key;

static int by_caller(const void *a, const void *b)
{
    const key *x = a, *y = b;

    if (x->caller != y->caller)
        return x->caller < y->caller ? -1 : 1;
    return (x->hop > y->hop) - (x->hop < y->hop);
}

static int by_hop(const void *a, const void *b)
{
    const key *x = a, *y = b;

    return (x->hop > y->hop) - (x->hop < y->hop);
}

static double seconds(int64_t ns)
{
    return (double)ns * 1e-9;
}

static lk_stride stride_of(const lk_hop *h, int64_t zero_ns, uint32_t unit)
{
    return (lk_stride){ .at_s = seconds(h->from_ns - zero_ns),
                        .gap_s = h->gap_ns < 0 ? (double)INFINITY : seconds(h->gap_ns),
                        .pause_s = h->gap_ns < 0 ? (double)INFINITY
                                                 : fmax(0.0, seconds(h->pause_ns)),
                        .unit = unit,
                        .next = LK_NO_STRIDE,
                        .previous = LK_NO_STRIDE,
                        .population = h->population,
                        .target = h->target,
                        .failed = h->failed,
                        .rejected = h->rejected,
                        .next_rejected = h->next_rejected,
                        .by_id = h->by_id };
}

/* Callers in order of first appearance: `keys` stands by caller, `units` gets one key a caller whose
 * hop is the caller's first and whose `caller` is where its keys begin. */
static size_t list_units(const key *keys, size_t n, key *units)
{
    size_t count = 0;

    for (size_t i = 0; i < n; i++)
        if (i == 0 || keys[i].caller != keys[i - 1].caller)
            units[count++] = (key){ i, keys[i].hop };
    qsort(units, count, sizeof(*units), by_hop);
    return count;
}

static void lay_out(const lk_evidence *ev, const key *keys, const key *units, lk_strides *s)
{
    size_t at = 0;

    for (size_t u = 0; u < s->unit_count; u++) {
        uint64_t caller = keys[units[u].caller].caller;

        s->first[u] = at;
        for (size_t i = units[u].caller; i < s->n && keys[i].caller == caller; i++) {
            const lk_hop *h = &ev->hops[keys[i].hop];

            s->has_pauses |= h->gap_ns >= 0 && h->pause_ns != h->gap_ns;
            s->row[at++] = stride_of(h, ev->first_ns, (uint32_t)u);
        }
    }
    s->first[s->unit_count] = at;
}

/* Finds the row that stride i leads to among the rows of its unit that follow. */
static void join(lk_strides *s, size_t i)
{
    double due = s->row[i].at_s + s->row[i].gap_s;
    size_t lo = i + 1, hi = s->first[s->row[i].unit + 1], end = hi;

    if (isinf(due))
        return;
    while (lo < hi) {
        size_t mid = lo + (hi - lo) / 2;

        if (s->row[mid].at_s < due - 1e-7)
            lo = mid + 1;
        else
            hi = mid;
    }
    while (lo < end && s->row[lo].previous != LK_NO_STRIDE && s->row[lo].at_s < due + 1e-7)
        lo++;
    if (lo == end || s->row[lo].at_s > due + 1e-7)
        return;
    s->row[i].next = (uint32_t)lo;
    s->row[lo].previous = (uint32_t)i;
}

lk_code lk_strides_new(const lk_evidence *evidence, lk_arena *a, lk_strides *out, lk_err *e)
{
    size_t n = evidence->hop_count;
    lk_strides s = { .row = LK_NEW(a, lk_stride, n),
                     .n = n,
                     .first = LK_NEW(a, size_t, n + 1),
                     .resolution_s = seconds(evidence->resolution_ns),
                     .minute_s = seconds(evidence->first_ns % (60 * LK_NS_PER_S)) };
    key *keys = LK_NEW(a, key, n), *units = LK_NEW(a, key, n);

    if (n >= LK_NO_STRIDE || !s.row || !s.first || !keys || !units)
        return lk_fail(e, LK_EOOM, "no memory for %zu steps of callers", n);
    for (size_t i = 0; i < n; i++)
        keys[i] = (key){ evidence->hops[i].caller, i };
    qsort(keys, n, sizeof(*keys), by_caller);
    s.unit_count = list_units(keys, n, units);
    lay_out(evidence, keys, units, &s);
    for (size_t i = 0; i < n; i++)
        join(&s, i);
    *out = s;
    return LK_OK;
}

double lk_stride_value(const lk_stride *s, lk_measure m)
{
    return m == LK_MEASURE_PAUSE ? s->pause_s : s->gap_s;
}
