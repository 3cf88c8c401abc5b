/* heap_contention — the contention models with every event in one plain 4-ary heap: the peer of
 * sim/contention, slow and obvious.
 *
 * It keeps the version rule to the letter (a version read at the start, compared at the end), marks
 * overlaps by looking at what is in flight, and draws at the end of the failed attempt.  Given the
 * same options, seed and stream it must give the same bits.  */
#ifndef LK_TESTS_HEAP_CONTENTION_H
#define LK_TESTS_HEAP_CONTENTION_H

#include "base/xoshiro.h"
#include "sim/contention.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

enum heap_kind { HEAP_END, HEAP_LOOK, HEAP_WAKE, HEAP_ARRIVAL };

typedef struct heap_event {
    double when;
    uint64_t order; /* kind, then sequence number */
    uint32_t id;
} heap_event;

typedef struct heap_client {
    double arrival, previous, start;
    uint64_t version;
    uint32_t failures;
    bool spoilt, valid;
} heap_client;

typedef struct heap_world {
    const lk_contention_options *o;
    lk_xoshiro draws, arrivals;
    heap_event *events;
    size_t count, capacity;
    heap_client *clients;
    uint32_t *unused;
    uint32_t used, unused_count, clients_capacity;
    uint64_t seq, version;
    uint32_t last; /* collisions: who started last */
    double last_start;
    uint64_t flying;
    bool valid_flies;
    double virtual, since; /* shared */
    heap_event *flight;    /* shared: a heap in virtual time */
    size_t flight_count, flight_capacity;
    lk_contention_result r;
    bool stopped;
} heap_world;

static bool heap_before(const heap_event *a, const heap_event *b)
{
    return a->when != b->when ? a->when < b->when : a->order < b->order;
}

static void heap_push(heap_event **items, size_t *count, size_t *capacity, heap_event e)
{
    size_t i = (*count)++;

    if (*count > *capacity) {
        *capacity = *capacity ? 2 * *capacity : 1024;
        *items = realloc(*items, *capacity * sizeof(**items));
        if (!*items)
            abort();
    }
    while (i > 0 && heap_before(&e, &(*items)[(i - 1) / 4])) {
        (*items)[i] = (*items)[(i - 1) / 4];
        i = (i - 1) / 4;
    }
    (*items)[i] = e;
}

static heap_event heap_pop(heap_event *items, size_t *count)
{
    heap_event top = items[0], moving = items[--*count];
    size_t i = 0;

    for (;;) {
        size_t first = 4 * i + 1, best = first, end = first + 4 < *count ? first + 4 : *count;

        if (first >= *count)
            break;
        for (size_t j = first + 1; j < end; j++)
            if (heap_before(&items[j], &items[best]))
                best = j;
        if (!heap_before(&items[best], &moving))
            break;
        items[i] = items[best];
        i = best;
    }
    items[i] = moving;
    return top;
}

static void heap_event_at(heap_world *w, enum heap_kind kind, double when, uint32_t id)
{
    heap_push(&w->events, &w->count, &w->capacity,
              (heap_event){ when, (uint64_t)kind << 56 | w->seq++, id });
}

static uint32_t heap_arrive(heap_world *w, double at)
{
    uint32_t id;

    if (w->unused_count) {
        id = w->unused[--w->unused_count];
    } else {
        if (w->used == w->clients_capacity) {
            w->clients_capacity = w->clients_capacity ? 2 * w->clients_capacity : 1024;
            w->clients = realloc(w->clients, w->clients_capacity * sizeof(*w->clients));
            w->unused = realloc(w->unused, w->clients_capacity * sizeof(*w->unused));
            if (!w->clients || !w->unused)
                abort();
        }
        id = w->used++;
    }
    w->clients[id] = (heap_client){ .arrival = at, .previous = w->o->policy->params.base_s };
    w->r.arrivals++;
    w->r.in_system++;
    if (w->r.in_system > w->r.most)
        w->r.most = w->r.in_system;
    if (w->o->waiting_max && w->r.in_system >= w->o->waiting_max)
        w->r.collapsed = w->stopped = true;
    if (w->o->hopeless && w->r.in_system >= w->o->hopeless)
        w->stopped = true;
    return id;
}

static void heap_go(heap_world *w, uint32_t id)
{
    w->unused[w->unused_count++] = id;
    w->r.in_system--;
}

static bool heap_is_shared(const heap_world *w)
{
    return w->o->conflict == LK_CONFLICT_SHARED || w->o->conflict == LK_CONFLICT_NONE;
}

static void heap_start(heap_world *w, uint32_t id, double at)
{
    heap_client *c = &w->clients[id];

    w->r.attempts++;
    c->start = at;
    c->version = w->version;
    c->spoilt = false;
    if (heap_is_shared(w)) {
        c->valid = w->o->conflict == LK_CONFLICT_NONE || !w->valid_flies;
        w->valid_flies = true;
        heap_push(&w->flight, &w->flight_count, &w->flight_capacity,
                  (heap_event){ w->virtual + 1, w->seq++, id });
        return;
    }
    if (w->flying && at < w->last_start + 1) {
        c->spoilt = true;
        w->clients[w->last].spoilt = true;
    }
    w->last = id;
    w->last_start = at;
    w->flying++;
    heap_event_at(w, HEAP_END, at + 1, id);
}

static bool heap_succeeds(heap_world *w, const heap_client *c)
{
    if (w->o->conflict == LK_CONFLICT_COLLISIONS)
        return !c->spoilt;
    if (heap_is_shared(w))
        return c->valid;
    return c->version == w->version;
}

static void heap_end(heap_world *w, uint32_t id, double at)
{
    heap_client *c = &w->clients[id];
    lk_wait wait = { c->failures, c->previous, -1 };

    if (heap_succeeds(w, c)) {
        w->version++;
        w->valid_flies = false;
        w->r.successes++;
        w->r.latency_sum += at - c->arrival;
        w->r.makespan = at;
        heap_go(w, id);
        return;
    }
    c->failures++;
    w->r.failures++;
    if (w->o->policy->kind == LK_SAMPLER_NEVER ||
        (w->o->policy->params.attempts && c->failures >= w->o->policy->params.attempts)) {
        w->r.left++;
        heap_go(w, id);
        return;
    }
    c->previous = lk_sampler_draw(w->o->policy, &wait,
                                  w->o->policy->kind == LK_SAMPLER_CONSTANT
                                      ? 0
                                      : lk_xoshiro_unit(&w->draws));
    heap_event_at(w, HEAP_WAKE, at + c->previous, id);
}

static void heap_take(heap_world *w, heap_event e)
{
    switch ((enum heap_kind)(e.order >> 56)) {
    case HEAP_END:
        w->flying--;
        heap_end(w, e.id, e.when);
        break;
    case HEAP_WAKE: heap_start(w, e.id, e.when); break;
    case HEAP_ARRIVAL: {
        uint32_t id = heap_arrive(w, e.when);

        heap_event_at(w, HEAP_ARRIVAL,
                      e.when + lk_xoshiro_exponential(&w->arrivals, 1 / w->o->rate), 0);
        if (!w->stopped)
            heap_start(w, id, e.when);
        break;
    }
    case HEAP_LOOK:
        if (w->r.in_system <= w->o->drained_most) {
            w->r.drained = e.when;
            w->stopped = true;
        }
        heap_event_at(w, HEAP_LOOK, e.when + w->o->drained_every, 0);
        break;
    }
}

/* The next end in real time; INFINITY: nothing is in flight. */
static double heap_flight_end(const heap_world *w)
{
    double left;

    if (!w->flight_count)
        return (double)INFINITY;
    left = w->flight[0].when - w->virtual;
    return w->since + (left > 0 ? left : 0) * (double)w->flight_count;
}

static void heap_run(heap_world *w)
{
    double horizon = fmin(w->o->horizon, DBL_MAX), now = 0;

    while (!w->stopped) {
        double ends = heap_flight_end(w), next = w->count ? w->events[0].when : (double)INFINITY;

        if (ends <= next) {
            heap_event e;

            if (ends > horizon)
                break;
            now = w->since = ends;
            e = heap_pop(w->flight, &w->flight_count);
            w->virtual = w->flight_count ? e.when : 0;
            heap_end(w, e.id, now);
            continue;
        }
        if (next > horizon)
            break;
        now = next;
        if (heap_is_shared(w) && w->events[0].order >> 56 != HEAP_LOOK) {
            if (w->flight_count)
                w->virtual += (next - w->since) / (double)w->flight_count;
            w->since = next;
        }
        heap_take(w, heap_pop(w->events, &w->count));
    }
    w->r.ended = !w->stopped && horizon < DBL_MAX ? horizon : now;
    if (!w->stopped && (double)w->r.in_system > w->o->unfinished_max * (double)w->r.arrivals)
        w->r.collapsed = true;
}

static lk_contention_result heap_contention(const lk_contention_options *o, uint64_t seed,
                                            uint64_t stream)
{
    heap_world w = { .o = o, .last_start = -2, .r = { .drained = -1 } };

    lk_xoshiro_init(&w.draws, seed, 2 * stream);
    lk_xoshiro_init(&w.arrivals, seed, 2 * stream + 1);
    if (o->rate > 0)
        heap_event_at(&w, HEAP_ARRIVAL, lk_xoshiro_exponential(&w.arrivals, 1 / o->rate), 0);
    if (o->drained_every > 0)
        heap_event_at(&w, HEAP_LOOK, o->drained_every, 0);
    for (uint32_t i = 0; i < o->burst && !w.stopped; i++) {
        uint32_t id = heap_arrive(&w, 0);

        if (!w.stopped)
            heap_start(&w, id, 0);
    }
    heap_run(&w);
    free(w.events);
    free(w.flight);
    free(w.clients);
    free(w.unused);
    return w.r;
}

#endif
