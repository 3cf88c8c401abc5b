#include "measure/arrivals.h"

#include "base/time.h"
#include "base/whole.h"
#include "measure/room.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

lk_code lk_arrivals_init(lk_arrivals *s, int64_t bin_ns, lk_err *e)
{
    *s = (lk_arrivals){ .bin_ns = bin_ns, .max = LK_ARRIVAL_BINS_MAX };
    lk_fine_init(&s->fine, bin_ns);
    if (bin_ns <= 0)
        return lk_fail(e, LK_EUSAGE, "a bin must be wider than nothing");
    return LK_OK;
}

void lk_arrivals_keep_fine(lk_arrivals *s)
{
    s->keeps_fine = true;
}

void lk_arrivals_limit(lk_arrivals *s, size_t bins_max, size_t blocks_max)
{
    if (bins_max < s->max)
        s->max = bins_max;
    lk_fine_limit(&s->fine, blocks_max);
}

static void release_bins(lk_arrivals *s)
{
    if (!s->cap)
        return;
    free(s->all - s->front);
    free(s->rejected - s->front);
}

void lk_arrivals_release(lk_arrivals *s)
{
    lk_fine_release(&s->fine);
    release_bins(s);
    *s = (lk_arrivals){ 0 };
}

/* The bins are about to become wider for the first time: as they are, they go to the narrow ones. */
static lk_code begin_fine(lk_arrivals *s, lk_err *e)
{
    if (!s->keeps_fine || s->is_long)
        return LK_OK;
    s->is_long = true;
    for (size_t i = 0; i < s->n; i++)
        if (s->all[i])
            LK_TRY(lk_fine_add(&s->fine, (s->first_bin + (int64_t)i) * s->bin_ns, s->all[i],
                               s->rejected[i], e));
    return LK_OK;
}

/* Bins twice as wide; sums saturate. */
static void halve(lk_arrivals *s)
{
    int64_t first = lk_floor_div(s->first_bin, 2);
    size_t n = 0;

    for (size_t i = 0; i < s->n; i++) {
        size_t to = (size_t)(lk_floor_div(s->first_bin + (int64_t)i, 2) - first);
        uint32_t all = s->all[i], rejected = s->rejected[i];

        if (to >= n) {
            s->all[to] = s->rejected[to] = 0;
            n = to + 1;
        }
        s->all[to] = lk_sum_u32(s->all[to], all);
        s->rejected[to] = lk_sum_u32(s->rejected[to], rejected);
    }
    s->n = n;
    s->first_bin = first;
    s->bin_ns *= 2;
    s->begin_ns = s->end_ns = 0;
}

/* The bins, moved into a new array at `front`. */
static uint32_t *moved(const uint32_t *bins, size_t n, size_t front, size_t cap)
{
    uint32_t *room = malloc(cap * sizeof(*room));

    if (room && n)
        memcpy(room + front, bins, n * sizeof(*bins));
    return room;
}

static lk_code grow(lk_arrivals *s, size_t before, size_t need, lk_err *e)
{
    lk_room now = { s->cap, s->front }, room;
    uint32_t *all, *rejected;

    if (lk_room_is_enough(&now, before, need))
        return LK_OK;
    room = lk_room_grown(&now, before, need, 1024, s->max);
    all = moved(s->all, s->n, room.front, room.cap);
    rejected = moved(s->rejected, s->n, room.front, room.cap);
    if (!all || !rejected) {
        free(all);
        free(rejected);
        return lk_fail(e, LK_EOOM, "no memory for %zu bins", room.cap);
    }
    release_bins(s);
    s->front = room.front;
    s->all = all + s->front;
    s->rejected = rejected + s->front;
    s->cap = room.cap;
    return LK_OK;
}

/* Makes room so that bin number `bin` (of the width it then has) is inside. */
static lk_code reach(lk_arrivals *s, int64_t at_ns, size_t *index, lk_err *e)
{
    int64_t bin = lk_floor_div(at_ns, s->bin_ns), first, last;
    size_t before, need;

    if (!s->n)
        s->first_bin = bin;
    for (;;) {
        first = bin < s->first_bin ? bin : s->first_bin;
        last = s->first_bin + (int64_t)s->n - 1;
        last = bin > last ? bin : last;
        if ((uint64_t)(last - first) < s->max)
            break;
        LK_TRY(begin_fine(s, e));
        halve(s);
        bin = lk_floor_div(at_ns, s->bin_ns);
    }
    need = (size_t)(last - first + 1);
    before = (size_t)(s->first_bin - first);
    LK_TRY(grow(s, before, need, e));
    if (before) {
        s->front -= before;
        s->all -= before;
        s->rejected -= before;
        memset(s->all, 0, before * sizeof(*s->all));
        memset(s->rejected, 0, before * sizeof(*s->rejected));
    }
    if (need > before + s->n) {
        size_t more = need - before - s->n;

        memset(s->all + before + s->n, 0, more * sizeof(*s->all));
        memset(s->rejected + before + s->n, 0, more * sizeof(*s->rejected));
    }
    s->first_bin = first;
    s->n = need;
    *index = (size_t)(bin - first);
    return LK_OK;
}

static lk_code look_up(lk_arrivals *s, int64_t at_ns, size_t *index, lk_err *e)
{
    int64_t bin = lk_floor_div(at_ns, s->bin_ns);

    *index = (size_t)(bin - s->first_bin);
    if (bin < s->first_bin || *index >= s->n)
        LK_TRY(reach(s, at_ns, index, e));
    s->at = *index;
    s->begin_ns = lk_floor_div(at_ns, s->bin_ns) * s->bin_ns;
    s->end_ns = s->begin_ns + s->bin_ns;
    return LK_OK;
}

static inline lk_code add(lk_arrivals *s, int64_t at_ns, uint32_t all, uint32_t rejected, lk_err *e)
{
    size_t i = s->at;

    if (at_ns < s->begin_ns || at_ns >= s->end_ns)
        LK_TRY(look_up(s, at_ns, &i, e));
    s->all[i] = lk_sum_u32(s->all[i], all);
    s->rejected[i] = lk_sum_u32(s->rejected[i], rejected);
    return LK_OK;
}

lk_code lk_arrivals_add(lk_arrivals *s, int64_t at_ns, bool rejected, lk_err *e)
{
    LK_TRY(add(s, at_ns, 1, rejected, e));
    return s->is_long ? lk_fine_add(&s->fine, at_ns, 1, rejected, e) : LK_OK;
}

static lk_code merge_bin(lk_arrivals *s, const lk_arrivals *other, size_t i, lk_err *e)
{
    int64_t at_ns = (other->first_bin + (int64_t)i) * other->bin_ns;

    LK_TRY(add(s, at_ns, other->all[i], other->rejected[i], e));
    if (!s->is_long || other->is_long)
        return LK_OK;
    return lk_fine_add(&s->fine, at_ns, other->all[i], other->rejected[i], e);
}

lk_code lk_arrivals_merge(lk_arrivals *s, const lk_arrivals *other, lk_err *e)
{
    if (other->is_long) {
        LK_TRY(begin_fine(s, e));
        LK_TRY(lk_fine_merge(&s->fine, &other->fine, e));
    }
    while (other->n && s->bin_ns < other->bin_ns)
        halve(s);
    for (size_t i = 0; i < other->n; i++)
        if (other->all[i])
            LK_TRY(merge_bin(s, other, i, e));
    return LK_OK;
}

/* Sums the bins into new ones of width `bin_ns`, a multiple of s->bin_ns. */
static lk_code regroup(const lk_arrivals *s, int64_t bin_ns, lk_arena *arena, lk_series *out,
                       lk_err *e)
{
    int64_t first, factor = bin_ns / s->bin_ns;
    size_t n;
    uint32_t *all, *rejected;

    *out = (lk_series){ .bin_ns = bin_ns };
    if (!s->n)
        return LK_OK;
    first = lk_floor_div(s->first_bin, factor);
    n = (size_t)(lk_floor_div(s->first_bin + (int64_t)s->n - 1, factor) - first + 1);
    all = LK_NEW(arena, uint32_t, n);
    rejected = LK_NEW(arena, uint32_t, n);
    if (!all || !rejected)
        return lk_fail(e, LK_EOOM, "no memory for %zu bins", n);
    for (size_t i = 0; i < s->n; i++) {
        size_t to = (size_t)(lk_floor_div(s->first_bin + (int64_t)i, factor) - first);

        all[to] = lk_sum_u32(all[to], s->all[i]);
        rejected[to] = lk_sum_u32(rejected[to], s->rejected[i]);
    }
    *out = (lk_series){ .start_ns = first * bin_ns,
                        .bin_ns = bin_ns,
                        .n = n,
                        .all = all,
                        .rejected = rejected };
    return LK_OK;
}

static void read_fine(const void *ctx, size_t from, size_t n, uint32_t *all, uint32_t *rejected)
{
    const lk_arrivals *s = ctx;

    lk_fine_read(&s->fine, from, n, all, rejected);
}

static void read_own(const void *ctx, size_t from, size_t n, uint32_t *all, uint32_t *rejected)
{
    const lk_arrivals *s = ctx;

    for (size_t i = 0; i < n; i++) {
        all[i] = from + i < s->n ? s->all[from + i] : 0;
        rejected[i] = from + i < s->n ? s->rejected[from + i] : 0;
    }
}

/* The narrowest bins there are. */
static lk_fine_series narrowest(const lk_arrivals *s)
{
    const lk_fine *f = &s->fine;

    if (f->n == 0)
        return (lk_fine_series){ .start_ns = s->first_bin * s->bin_ns,
                                 .bin_ns = s->bin_ns,
                                 .n = s->n,
                                 .read = read_own,
                                 .ctx = s };
    return (lk_fine_series){ .start_ns = f->first_block * LK_FINE_BLOCK * f->bin_ns,
                             .bin_ns = f->bin_ns,
                             .n = f->n * LK_FINE_BLOCK,
                             .read = read_fine,
                             .ctx = s };
}

lk_code lk_arrivals_series(const lk_arrivals *s, int64_t bin_ns, lk_arena *arena, lk_series *out,
                           lk_err *e)
{
    int64_t factor = (bin_ns + s->bin_ns - 1) / s->bin_ns;

    LK_TRY(regroup(s, s->bin_ns * (factor > 0 ? factor : 1), arena, out, e));
    out->fine = narrowest(s);
    return LK_OK;
}

/* The narrowest round width, in quarters of a second, at which the bins fit a report. */
static int64_t round_width(const lk_arrivals *s, int64_t at_least_ns)
{
    static const int64_t QUARTERS[] = { 1,    2,    4,    8,     20,    40,    60,    120,
                                        240,  480,  1200, 2400,  3600,  7200,  14400, 28800,
                                        57600, 86400, 172800, 345600 };
    const int64_t quarter = LK_NS_PER_S / 4;
    int64_t span = (int64_t)s->n * s->bin_ns, width = QUARTERS[0] * quarter;

    for (size_t i = 0; i < sizeof(QUARTERS) / sizeof(QUARTERS[0]); i++) {
        width = QUARTERS[i] * quarter;
        if (width % s->bin_ns == 0 && width >= at_least_ns && span / width < LK_ARRIVALS_MAX - 1)
            return width;
    }
    while (width % s->bin_ns != 0 || span / width >= LK_ARRIVALS_MAX - 1)
        width += 345600 * quarter;
    return width;
}

/* The comebacks in the bins of the series. */
static lk_code place_comebacks(const lk_arrivals *comebacks, lk_arena *arena, lk_series *series,
                               uint32_t **out, lk_err *e)
{
    lk_series own;

    *out = LK_NEW(arena, uint32_t, series->n);
    if (!*out)
        return lk_fail(e, LK_EOOM, "no memory for %zu bins", series->n);
    LK_TRY(regroup(comebacks, series->bin_ns, arena, &own, e));
    for (size_t i = 0; i < own.n; i++) {
        int64_t to = (own.start_ns - series->start_ns) / series->bin_ns + (int64_t)i;

        if (to >= 0 && to < (int64_t)series->n)
            (*out)[to] = own.all[i];
    }
    return LK_OK;
}

lk_code lk_arrivals_report(const lk_arrivals *s, const lk_arrivals *comebacks, double bin_s,
                           double resolution_s, lk_arena *arena, lk_report *r, lk_err *e)
{
    uint32_t *retries = NULL;
    int64_t wanted = lk_nearest(bin_s * 1e9), width = 0;
    lk_series series;

    if (!s->n)
        return LK_OK;
    if (wanted > 0) { /* as asked, rounded up to whole stored bins, unless there would be too many */
        width = (wanted + s->bin_ns - 1) / s->bin_ns * s->bin_ns;
        if ((int64_t)s->n * s->bin_ns / width >= LK_ARRIVALS_MAX - 1)
            width = 0;
    }
    if (!width)
        width = round_width(s, resolution_s >= 1.0 ? LK_NS_PER_S : 0);
    LK_TRY(regroup(s, width, arena, &series, e));
    if (comebacks)
        LK_TRY(place_comebacks(comebacks, arena, &series, &retries, e));
    r->arrivals = (lk_report_arrivals){ (double)width / 1e9, series.start_ns, series.n,
                                        series.all,          series.rejected, retries };
    return LK_OK;
}
