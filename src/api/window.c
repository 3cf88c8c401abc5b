#include "api/window.h"

#include "base/hash.h"
#include "base/random.h"
#include "base/time.h"
#include "base/whole.h"
#include "link/linker.h"
#include "measure/hops.h"
#include "measure/tally.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const int64_t BIN_NS = LK_NS_PER_S / 4;
static const int64_t LOOK_NS = 2 * LK_NS_PER_S;
enum { SLOTS = 1 << 15, SHARE_MAX = 16, GAIN_MIN = 4, GAIN_PART = 8 };

/* The last attempt of a caller, method, target and user agent: whoever came last has the slot. */
struct lk_window_slot {
    uint64_t key;
    int64_t end_ns;
    bool failed;
};

struct lk_window_turn {
    int64_t start_ns;
    uint32_t place, order;
};

lk_code lk_window_init(lk_window *w, int64_t span_ns, lk_symbols *symbols, lk_err *e)
{
    *w = (lk_window){ .span_ns = span_ns,
                      .symbols = symbols,
                      .bins = (size_t)(span_ns / BIN_NS),
                      .first_ns = LK_TIME_NONE,
                      .newest_ns = LK_TIME_NONE,
                      .looked_ns = LK_TIME_NONE };
    w->ring = malloc(LK_WINDOW_ATTEMPTS * sizeof(*w->ring));
    w->turns = malloc(LK_WINDOW_ATTEMPTS * sizeof(*w->turns));
    w->slots = calloc(SLOTS, sizeof(*w->slots));
    w->all = calloc(w->bins, sizeof(*w->all));
    w->rejected = calloc(w->bins, sizeof(*w->rejected));
    if (!w->ring || !w->turns || !w->slots || !w->all || !w->rejected) {
        lk_window_release(w);
        return lk_fail(e, LK_EOOM, "no memory for the last %.0f s", (double)span_ns * 1e-9);
    }
    /* Taken now, so that what is used later is no surprise. */
    memset(w->ring, 0, LK_WINDOW_ATTEMPTS * sizeof(*w->ring));
    memset(w->turns, 0, LK_WINDOW_ATTEMPTS * sizeof(*w->turns));
    memset(w->slots, 0, SLOTS * sizeof(*w->slots));
    return LK_OK;
}

void lk_window_release(lk_window *w)
{
    free(w->ring);
    free(w->turns);
    free(w->slots);
    free(w->all);
    free(w->rejected);
    *w = (lk_window){ 0 };
}

/* ---- bins ---- */

/* Bins between the newest and this one are empty, and what stood there a stretch ago is gone. */
static void open_bin(lk_window *w, int64_t bin)
{
    int64_t from = w->first_ns == LK_TIME_NONE || bin - w->last_bin >= (int64_t)w->bins
                       ? bin - (int64_t)w->bins + 1
                       : w->last_bin + 1;

    if (from < 0) /* a clock that starts at 1970: nothing is before it */
        from = 0;
    for (int64_t b = from; b <= bin; b++) {
        size_t at = (size_t)(b % (int64_t)w->bins);

        w->all[at] = w->rejected[at] = 0;
    }
    if (bin > w->last_bin || w->first_ns == LK_TIME_NONE)
        w->last_bin = bin;
}

static void count_bin(lk_window *w, const lk_attempt *a)
{
    int64_t bin = a->start_ns / BIN_NS;
    size_t at = (size_t)(bin % (int64_t)w->bins);

    if (w->first_ns == LK_TIME_NONE || bin > w->last_bin)
        open_bin(w, bin);
    w->all[at]++;
    w->rejected[at] += a->rejected;
}

/* ---- is there more to see? ---- */

static void open_slab(lk_window *w, int64_t slab)
{
    int64_t steps = slab - w->last_slab;

    if (steps > LK_WINDOW_SLABS || steps < 0)
        steps = LK_WINDOW_SLABS;
    for (int64_t i = 0; i < steps; i++) {
        uint32_t *old = w->slab[(size_t)((slab - i) % LK_WINDOW_SLABS)];

        for (size_t c = 0; c <= LK_WINDOW_CELLS; c++) {
            w->held[c] -= old[c];
            old[c] = 0;
        }
    }
    w->last_slab = slab;
}

static void gain(lk_window *w, size_t cell)
{
    int64_t slab = w->newest_ns / (w->span_ns / LK_WINDOW_SLABS);

    if (slab > w->last_slab)
        open_slab(w, slab);
    w->slab[(size_t)(w->last_slab % LK_WINDOW_SLABS)][cell]++;
    w->held[cell]++;
    w->gain[cell]++;
    w->is_ripe |= w->gain[cell] >= GAIN_MIN + (w->held[cell] - w->gain[cell]) / GAIN_PART;
}

/* A delay after a failure, above half a second: the cell of its logarithm. */
static void note_comeback(lk_window *w, const lk_attempt *a)
{
    struct lk_window_slot *s = &w->slots[lk_hash_mix(a->key) & (SLOTS - 1)];
    double pause_s = (double)(a->start_ns - s->end_ns) * 1e-9;

    if (a->rejected)
        gain(w, LK_WINDOW_CELLS);
    if (s->key == a->key && s->failed && pause_s >= 0.5) {
        double cell = log(pause_s / 0.5) / log(1.05);

        if (cell < LK_WINDOW_CELLS)
            gain(w, lk_whole_size(cell));
    }
    *s = (struct lk_window_slot){ a->key, a->end_ns, a->failed };
}

bool lk_window_is_due(const lk_window *w)
{
    return w->is_ripe && w->newest_ns != LK_TIME_NONE &&
           (w->looked_ns == LK_TIME_NONE || w->newest_ns - w->looked_ns >= LOOK_NS);
}

/* ---- attempts ---- */

static bool is_kept(const lk_window *w, uint64_t caller)
{
    return (caller & ((UINT64_C(1) << w->share_log2) - 1)) == 0;
}

static lk_attempt *nth(const lk_window *w, size_t i)
{
    return &w->ring[(w->head + i) & (LK_WINDOW_ATTEMPTS - 1)];
}

static void expire(lk_window *w)
{
    while (w->count && nth(w, 0)->start_ns <= w->newest_ns - w->span_ns) {
        w->head = (w->head + 1) & (LK_WINDOW_ATTEMPTS - 1);
        w->count--;
    }
    /* Far from full again: more callers may stay. */
    if (w->share_log2 && w->count < LK_WINDOW_ATTEMPTS / 8)
        w->share_log2--;
}

static void thin(lk_window *w)
{
    size_t kept = 0;

    w->share_log2++;
    for (size_t i = 0; i < w->count; i++)
        if (is_kept(w, nth(w, i)->caller))
            *nth(w, kept++) = *nth(w, i);
    w->count = kept;
}

static void keep(lk_window *w, const lk_attempt *a)
{
    while (w->count == LK_WINDOW_ATTEMPTS && w->share_log2 < SHARE_MAX)
        thin(w);
    if (!is_kept(w, a->caller))
        return;
    if (w->count == LK_WINDOW_ATTEMPTS) { /* one caller alone: a shorter stretch of it */
        w->head = (w->head + 1) & (LK_WINDOW_ATTEMPTS - 1);
        w->count--;
    }
    *nth(w, w->count++) = *a;
}

/* Names that nothing in the ring has any more make room. */
static lk_code renumber(lk_window *w, lk_err *e)
{
    lk_symbols fresh;

    LK_TRY(lk_symbols_init(&fresh, lk_random_process_key(), e));
    for (size_t i = 0; i < w->count; i++) {
        lk_attempt *a = nth(w, i);

        if (lk_intern_id(&fresh.populations, lk_intern_text(&w->symbols->populations, a->population),
                         &a->population, e) != LK_OK ||
            lk_intern_id(&fresh.targets, lk_intern_text(&w->symbols->targets, a->target), &a->target,
                         e) != LK_OK) {
            lk_symbols_release(&fresh);
            return e->code;
        }
    }
    lk_symbols_release(w->symbols);
    *w->symbols = fresh;
    return LK_OK;
}

static bool is_crowded(const lk_intern *t)
{
    return t->count >= t->max - t->max / 8;
}

lk_code lk_window_tidy(lk_window *w, lk_err *e)
{
    enum { BETWEEN = LK_WINDOW_ATTEMPTS / 4 };

    if (w->since_names < BETWEEN ||
        !(is_crowded(&w->symbols->populations) || is_crowded(&w->symbols->targets)))
        return LK_OK;
    w->since_names = 0;
    return renumber(w, e);
}

void lk_window_add(lk_window *w, const lk_attempt *a)
{
    if (a->start_ns < 0 || (w->newest_ns != LK_TIME_NONE &&
                            a->start_ns / BIN_NS <= w->last_bin - (int64_t)w->bins)) {
        w->late++;
        return;
    }
    count_bin(w, a);
    if (w->first_ns == LK_TIME_NONE || a->start_ns < w->first_ns)
        w->first_ns = a->start_ns;
    if (w->newest_ns == LK_TIME_NONE || a->start_ns > w->newest_ns)
        w->newest_ns = a->start_ns;
    note_comeback(w, a);
    keep(w, a);
    expire(w);
    w->since_names++;
}

/* ---- a look ---- */

static int by_start(const void *pa, const void *pb)
{
    const struct lk_window_turn *a = pa, *b = pb;

    if (a->start_ns != b->start_ns)
        return a->start_ns < b->start_ns ? -1 : 1;
    return (a->order > b->order) - (a->order < b->order);
}

static void put_in_order(lk_window *w)
{
    for (size_t i = 0; i < w->count; i++)
        w->turns[i] = (struct lk_window_turn){ nth(w, i)->start_ns,
                                               (uint32_t)((w->head + i) & (LK_WINDOW_ATTEMPTS - 1)),
                                               (uint32_t)i };
    if (w->count)
        qsort(w->turns, w->count, sizeof(*w->turns), by_start);
}

static lk_code take_hop(void *ctx, const lk_hop *hop, bool has_failed, lk_err *e)
{
    return lk_hops_add(ctx, hop, has_failed, e);
}

static lk_code take_comeback(void *ctx, int64_t at_ns, uint32_t population, lk_err *e)
{
    (void)ctx;
    (void)at_ns;
    (void)population;
    (void)e;
    return LK_OK;
}

static lk_code take_call(void *ctx, const lk_call *call, uint32_t population, lk_err *e)
{
    (void)ctx;
    (void)call;
    (void)population;
    (void)e;
    return LK_OK;
}

/* The steps of the callers that are kept, as of a log that ends here. */
static lk_code link_all(lk_window *w, lk_hops *hops, lk_tally *tally, lk_err *e)
{
    lk_linker_options options = LK_LINKER_OPTIONS_INIT;
    lk_code code = LK_OK;
    lk_linker *l;

    /* No more keys, ids or units than attempts: no room is taken for more. */
    options.units_max = options.keys_max = options.ids_max = w->count + 64;
    options.seed = lk_random_process_key();
    options.on_hop = take_hop;
    options.on_comeback = take_comeback;
    options.on_call = take_call;
    options.ctx = hops;
    LK_TRY(lk_linker_open(&options, w->symbols, &l, e));
    for (size_t i = 0; i < w->count && code == LK_OK; i++) {
        const lk_attempt *a = &w->ring[w->turns[i].place];

        lk_tally_add(tally, a);
        code = lk_linker_take(l, a, e);
    }
    if (code == LK_OK && w->count)
        code = lk_linker_finish(l, tally->end_ns, e);
    lk_linker_close(l);
    return code;
}

/* The bins of the stretch, merged to `factor`, in order. */
static lk_code series(const lk_window *w, int64_t factor, lk_arena *arena, lk_evidence *ev, lk_err *e)
{
    int64_t from = ev->first_ns / BIN_NS / factor, to = w->last_bin / factor;
    size_t n = (size_t)(to - from + 1);
    uint32_t *all = LK_NEW(arena, uint32_t, n), *rejected = LK_NEW(arena, uint32_t, n);

    if (!all || !rejected)
        return lk_fail(e, LK_EOOM, "no memory for %zu bins", n);
    for (int64_t b = ev->first_ns / BIN_NS; b <= w->last_bin; b++) {
        size_t at = (size_t)(b % (int64_t)w->bins), to_at = (size_t)(b / factor - from);

        all[to_at] += w->all[at];
        rejected[to_at] += w->rejected[at];
        ev->attempts += w->all[at];
        ev->rejected += w->rejected[at];
    }
    ev->series = (lk_series){ .start_ns = from * factor * BIN_NS,
                              .bin_ns = factor * BIN_NS,
                              .n = n,
                              .all = all,
                              .rejected = rejected };
    return LK_OK;
}

static lk_code search(lk_window *w, lk_hops *hops, const lk_clock_search *how, lk_arena *arena,
                      lk_arena *scratch, lk_report *r, lk_err *e)
{
    int64_t oldest_ns = w->newest_ns - w->span_ns + BIN_NS;
    lk_evidence ev = { .first_ns = w->first_ns > oldest_ns ? w->first_ns : oldest_ns,
                       .last_ns = w->newest_ns };
    lk_tally tally;

    lk_tally_init(&tally);
    put_in_order(w);
    LK_TRY(link_all(w, hops, &tally, e));
    if (!tally.attempts)
        return LK_OK;
    ev.resolution_ns = lk_tally_resolution_ns(&tally);
    LK_TRY(series(w, ev.resolution_ns > BIN_NS ? ev.resolution_ns / BIN_NS : 1, arena, &ev, e));
    LK_TRY(lk_hops_evidence(hops, arena, &ev, e));
    return lk_infer_clocks(&ev, w->symbols, how, arena, scratch, r, e);
}

lk_code lk_window_look(lk_window *w, const lk_clock_search *how, lk_arena *arena, lk_report *r,
                       lk_err *e)
{
    lk_arena scratch;
    lk_hops hops;
    lk_code code = LK_OK;

    w->looked_ns = w->newest_ns;
    w->is_ripe = false;
    memset(w->gain, 0, sizeof(w->gain));
    w->looks++;
    if (w->newest_ns == LK_TIME_NONE)
        return LK_OK;
    lk_hops_init(&hops);
    hops.failing.share_log2 = hops.calm.share_log2 = w->share_log2;
    lk_arena_init(&scratch, 0);
    code = search(w, &hops, how, arena, &scratch, r, e);
    lk_hops_release(&hops);
    return lk_arena_close(&scratch, code, e);
}
