/* infer_world — attempts made up for the tests of infer/: a caller is a number, each of its attempts
 * leads to its next.  */
#ifndef LK_TESTS_INFER_WORLD_H
#define LK_TESTS_INFER_WORLD_H

#include "unit.h"

#include "base/random.h"
#include "base/time.h"
#include "model/attempt.h"
#include "model/evidence.h"

#include <math.h>
#include <stdlib.h>

/* A Tuesday, at a full minute. */
#define WORLD_ZERO_NS (INT64_C(1753185600) * LK_NS_PER_S)

typedef struct world_event {
    double at_s, took_s;
    uint32_t caller, population;
    bool failed;
    size_t number;
} world_event;

typedef struct world {
    world_event *event;
    size_t count, cap;
    lk_random random;
    double resolution_s;
    bool has_durations; /* off: pauses equal gaps and stamps are ends */
    lk_hop *hop;
    uint32_t *all, *rejected;
    lk_symbols symbols;
} world;

static inline void world_open(world *w, uint64_t seed, double resolution_s)
{
    lk_err e = { 0 };

    *w = (world){ .resolution_s = resolution_s, .has_durations = resolution_s < 0.5 };
    lk_random_init(&w->random, seed);
    check_ok(lk_symbols_init(&w->symbols, 1, &e), e);
    for (char name[2] = "a"; name[0] < 'h'; name[0]++) {
        uint32_t id;

        check_ok(lk_intern_id(&w->symbols.populations, lk_slice_from(name), &id, &e), e);
        check_ok(lk_intern_id(&w->symbols.targets, lk_slice_from(name), &id, &e), e);
    }
}

static inline void world_close(world *w)
{
    lk_symbols_release(&w->symbols);
    free(w->event);
    free(w->hop);
    free(w->all);
    free(w->rejected);
}

static inline double world_uniform(world *w, double from, double to)
{
    return from + (to - from) * lk_random_unit(&w->random);
}

static inline void world_add(world *w, double at_s, double took_s, uint32_t caller,
                             uint32_t population, bool failed)
{
    if (w->count == w->cap) {
        w->cap = w->cap ? 2 * w->cap : 1024;
        w->event = realloc(w->event, w->cap * sizeof(*w->event));
        assert_non_null(w->event);
    }
    w->event[w->count] = (world_event){ at_s, took_s, caller, population, failed, w->count };
    w->count++;
}

/* Answered traffic of callers 1,000,000 on, population 0; a share of it fails. */
static inline void world_poisson(world *w, double rate, double span_s, uint32_t callers,
                                 double failed_share)
{
    for (double at = lk_random_exponential(&w->random, 1.0 / rate); at < span_s;
         at += lk_random_exponential(&w->random, 1.0 / rate)) {
        double took = world_uniform(w, 0.002, 0.05); /* one draw a statement: their order counts */
        uint32_t caller = 1000000 + (uint32_t)world_uniform(w, 0, callers);
        bool failed = lk_random_unit(&w->random) < failed_share;

        world_add(w, at, took, caller, 0, failed);
    }
}

typedef struct world_herd {
    uint32_t first_caller, callers, population;
    double trigger_s, spread_s; /* all fail in here              */
    const double *delay_s;      /* [delays] in turn, then again  */
    size_t delays;
    double jitter; /* share of a delay, either side */
    double service_s;
    double leave; /* chance that an attempt succeeds and is the last */
    double end_s;
} world_herd;

static inline void world_herd_run(world *w, const world_herd *h)
{
    for (uint32_t c = 0; c < h->callers; c++) {
        double at = h->trigger_s + world_uniform(w, 0, h->spread_s);

        for (size_t turn = 0; at < h->end_s; turn++) {
            double took = h->service_s * world_uniform(w, 0.8, 1.2);
            bool failed = turn == 0 || lk_random_unit(&w->random) >= h->leave;
            double delay = h->delay_s[turn % h->delays];

            world_add(w, at, took, h->first_caller + c, h->population, failed);
            if (!failed)
                break;
            at += took + delay * world_uniform(w, 1.0 - h->jitter, 1.0 + h->jitter);
        }
    }
}

/* Callers that step by a constant whatever the answer. */
static inline void world_pollers(world *w, uint32_t first, uint32_t callers, double period_s,
                                 bool together, double span_s)
{
    for (uint32_t c = 0; c < callers; c++) {
        double phase = together ? world_uniform(w, 0, 1) : world_uniform(w, 0, period_s);

        for (int k = 0; phase + k * period_s < span_s; k++)
            world_add(w, phase + k * period_s + world_uniform(w, 0, 0.02), 0.01, first + c, 1,
                      false);
    }
}

static inline int world_order(const void *a, const void *b)
{
    const world_event *x = a, *y = b;

    if (x->at_s < y->at_s || x->at_s > y->at_s)
        return x->at_s < y->at_s ? -1 : 1;
    return (x->number > y->number) - (x->number < y->number);
}

static inline int64_t world_ns(const world *w, double at_s)
{
    double ticks = floor(at_s / w->resolution_s);

    return WORLD_ZERO_NS + llrint(ticks * w->resolution_s * 1e9);
}

static inline lk_hop world_hop(const world *w, size_t i, size_t next)
{
    const world_event *a = &w->event[i];
    double stamp = w->has_durations ? a->at_s : a->at_s + a->took_s;
    lk_hop h = { .from_ns = world_ns(w, stamp),
                 .gap_ns = -1,
                 .pause_ns = -1,
                 .asked_ns = -1,
                 .caller = a->caller,
                 .population = a->population,
                 .target = a->population,
                 .failed = a->failed,
                 .rejected = a->failed };

    if (next == SIZE_MAX)
        return h;
    stamp = w->event[next].at_s + (w->has_durations ? 0.0 : w->event[next].took_s);
    h.gap_ns = world_ns(w, stamp) - h.from_ns;
    h.pause_ns = h.gap_ns;
    if (w->has_durations) {
        h.pause_ns -= world_ns(w, a->at_s + a->took_s) - h.from_ns;
        h.pause_ns = h.pause_ns < 0 ? 0 : h.pause_ns;
    }
    h.next_rejected = w->event[next].failed;
    return h;
}

static inline int world_by_start(const void *a, const void *b)
{
    const lk_hop *x = a, *y = b;

    if (x->from_ns != y->from_ns)
        return x->from_ns < y->from_ns ? -1 : 1;
    if (x->caller != y->caller)
        return x->caller < y->caller ? -1 : 1;
    return (x->gap_ns > y->gap_ns) - (x->gap_ns < y->gap_ns);
}

/* What measure/ would hand over; it borrows the world. */
static inline lk_evidence world_evidence(world *w)
{
    lk_evidence ev = { .resolution_ns = llrint(w->resolution_s * 1e9), .attempts = w->count };
    int64_t bin_ns = ev.resolution_ns > LK_NS_PER_S / 4 ? ev.resolution_ns : LK_NS_PER_S / 4;
    size_t *last = calloc(2000000, sizeof(*last));

    assert_non_null(last);
    if (w->count > 0)
        qsort(w->event, w->count, sizeof(*w->event), world_order);
    w->hop = calloc(w->count + 1, sizeof(*w->hop));
    for (size_t i = w->count; i-- > 0;) {
        size_t *next = &last[w->event[i].caller];

        w->hop[i] = world_hop(w, i, *next ? *next - 1 : SIZE_MAX);
        *next = i + 1;
        ev.rejected += w->event[i].failed;
    }
    free(last);
    qsort(w->hop, w->count, sizeof(*w->hop), world_by_start);
    ev.hops = w->hop;
    ev.hop_count = w->count;
    ev.first_ns = w->count ? w->hop[0].from_ns : 0;
    ev.last_ns = w->count ? w->hop[w->count - 1].from_ns : 0;
    ev.series.start_ns = ev.first_ns - ev.first_ns % bin_ns;
    ev.series.bin_ns = bin_ns;
    ev.series.n = (size_t)((ev.last_ns - ev.series.start_ns) / bin_ns) + 1;
    w->all = calloc(ev.series.n, sizeof(*w->all));
    w->rejected = calloc(ev.series.n, sizeof(*w->rejected));
    for (size_t i = 0; i < w->count; i++) {
        size_t bin = (size_t)((w->hop[i].from_ns - ev.series.start_ns) / bin_ns);

        w->all[bin]++;
        w->rejected[bin] += w->hop[i].rejected;
    }
    ev.series.all = w->all;
    ev.series.rejected = w->rejected;
    return ev;
}

#endif
