#include "link/pairing.h"

#include "base/whole.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { CROWD = 400, SAMPLED_MAX = 500, FAILED_MIN = 20, CELLS_MAX = 1600, EDGE = 4 };

static const double HORIZON_S = 400;
static const double CELL_MIN_S = 0.25;
static const double PEAK_SHARE = 0.3; /* of the failures, above what is around the peak */
static const double SIGMAS = 6;

/* The end of the run of one key that begins at `from`. */
static size_t key_end(const lk_chains *c, const lk_units *u, size_t from, size_t to)
{
    uint64_t key = u->items[c->order[from]].key;

    while (from < to && u->items[c->order[from]].key == key)
        from++;
    return from;
}

bool lk_pairing_is_crowded(const lk_chains *c, const lk_units *u, size_t from, size_t to)
{
    size_t keys = 0;

    for (size_t at = from; at < to; at = key_end(c, u, at, to))
        keys++;
    return to - from > CROWD * keys;
}

/* Distances from failures to later arrivals of their key. */
struct correlogram {
    uint32_t *cells; /* [CELLS_MAX] */
    double cell_s;
    uint64_t failures;
};

static void add_failure(struct correlogram *h, const lk_chains *c, const lk_units *u, size_t at,
                        size_t to)
{
    int64_t end_ns = u->items[c->order[at]].end_ns;

    h->failures++;
    for (size_t j = at + 1; j < to; j++) {
        double d = (double)(u->items[c->order[j]].first_ns - end_ns) / 1e9;
        size_t cell;

        if (d >= HORIZON_S)
            return;
        cell = d > 0 ? lk_whole_size(d / h->cell_s + 0.5) : 0;
        if (cell < CELLS_MAX)
            h->cells[cell]++;
    }
}

static void add_key(struct correlogram *h, const lk_chains *c, const lk_units *u, size_t from,
                    size_t to)
{
    size_t failed = 0, step, n = 0;

    for (size_t i = from; i < to; i++)
        failed += u->items[c->order[i]].failed;
    if (failed < FAILED_MIN)
        return;
    step = (failed + SAMPLED_MAX - 1) / SAMPLED_MAX;
    for (size_t i = from; i < to; i++)
        if (u->items[c->order[i]].failed && n++ % step == 0)
            add_failure(h, c, u, i, to);
}

static double mean_of(const uint32_t *cells, size_t from, size_t to)
{
    double sum = 0;

    for (size_t i = from; i < to; i++)
        sum += cells[i];
    return to > from ? sum / (double)(to - from) : 0;
}

/* The cell that stands out most from both its sides; 0: none does. */
static size_t peak_of(const struct correlogram *h)
{
    size_t n = lk_whole_size(fmin(HORIZON_S / h->cell_s, CELLS_MAX)), best = 0;
    double most = 0;

    for (size_t i = EDGE; i + EDGE < n; i++) {
        double here = 3 * mean_of(h->cells, i - 1, i + 2);
        double before = mean_of(h->cells, i > 8 ? i - 8 : 0, i - 2);
        double after = mean_of(h->cells, i + 3, i + 9 < n ? i + 9 : n);
        double around = 3 * fmax(before, after), over = here - around;

        if (over <= PEAK_SHARE * (double)h->failures || over <= SIGMAS * sqrt(around + 1) ||
            over <= most)
            continue;
        most = over;
        best = i;
    }
    return best;
}

/* How far the peak reaches: cells that stand out of what is around it, a fifth of the delay each way
 * at most. */
static void widen(const struct correlogram *h, size_t peak, lk_pairing *out)
{
    double before = mean_of(h->cells, peak > 8 ? peak - 8 : 0, peak - 2);
    double after = mean_of(h->cells, peak + 3, peak + 9);
    double bound = fmax(before, after);
    size_t most = peak / 5 + 1, low = peak, high = peak;

    bound += 3 * sqrt(bound + 1);
    while (peak - low < most && low > 1 && h->cells[low - 1] > bound)
        low--;
    while (high - peak < most && high + 1 < CELLS_MAX && h->cells[high + 1] > bound)
        high++;
    out->low_s = ((double)low - 0.5) * h->cell_s;
    out->high_s = ((double)high + 0.5) * h->cell_s;
}

lk_code lk_pairing_delay(const lk_chains *c, const lk_units *u, size_t from, size_t to,
                         double resolution_s, lk_arena *scratch, lk_pairing *out, lk_err *e)
{
    struct correlogram h = { .cell_s = fmax(resolution_s, CELL_MIN_S) };
    size_t peak;

    *out = (lk_pairing){ (double)NAN, (double)NAN };
    h.cells = LK_NEW(scratch, uint32_t, CELLS_MAX);
    if (!h.cells)
        return lk_fail(e, LK_EOOM, "no memory for the distances of a population");
    memset(h.cells, 0, CELLS_MAX * sizeof(*h.cells));
    for (size_t at = from, next; at < to; at = next) {
        next = key_end(c, u, at, to);
        add_key(&h, c, u, at, next);
    }
    peak = h.failures ? peak_of(&h) : 0;
    if (peak)
        widen(&h, peak, out);
    return LK_OK;
}

struct failure {
    int64_t end_ns;
    uint32_t unit;
};

static int by_end(const void *pa, const void *pb)
{
    const struct failure *a = pa, *b = pb;

    if (a->end_ns != b->end_ns)
        return a->end_ns < b->end_ns ? -1 : 1;
    return (a->unit > b->unit) - (a->unit < b->unit);
}

static void pair_key(lk_chains *c, const lk_units *u, size_t from, size_t to,
                     const lk_pairing *delay, struct failure *f)
{
    size_t n = 0, q = 0;

    for (size_t i = from; i < to; i++)
        if (u->items[c->order[i]].failed)
            f[n++] = (struct failure){ u->items[c->order[i]].end_ns, c->order[i] };
    qsort(f, n, sizeof(*f), by_end);
    for (size_t i = from; i < to; i++) {
        uint32_t at = c->order[i];
        int64_t first_ns = u->items[at].first_ns;

        while (q < n && (double)(first_ns - f[q].end_ns) / 1e9 > delay->high_s)
            q++;
        if (q == n || (double)(first_ns - f[q].end_ns) / 1e9 < delay->low_s)
            continue;
        c->prev[at] = (int32_t)f[q].unit;
        c->next[f[q].unit] = (int32_t)at;
        q++;
    }
}

lk_code lk_pairing_link(lk_chains *c, const lk_units *u, size_t from, size_t to,
                        const lk_pairing *delay, lk_arena *scratch, lk_err *e)
{
    struct failure *room = LK_NEW(scratch, struct failure, to - from);

    if (!room)
        return lk_fail(e, LK_EOOM, "no memory to pair %zu units", to - from);
    for (size_t at = from, next; at < to; at = next) {
        next = key_end(c, u, at, to);
        pair_key(c, u, at, next, delay, room);
    }
    return LK_OK;
}
