#include "sim/contention.h"

#include "base/xoshiro.h"
#include "sim/fifo.h"
#include "sim/wheel.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

const char *const LK_CONFLICT_NAMES[] = { "collisions", "free", "shared", "no-conflict", NULL };

#define NEVER ((double)INFINITY)
#define TICK 0.25      /* buckets of a quarter of an attempt */
#define NO_CLIENT UINT32_MAX

enum { FIRST_CLIENTS = 1024 };

typedef struct client {
    double arrival;
    double previous; /* its last sleep */
    uint32_t failures;
    uint32_t leaving; /* 1: its last allowed attempt ends at its node's time */
} client;

struct lk_contention {
    lk_contention_options o;
    const lk_sampler *policy;
    lk_xoshiro draws, arrivals; /* two streams, so that another policy meets the same arrivals */
    lk_wheel *wheel;
    lk_wheel_node *nodes; /* [capacity], beside clients */
    client *clients;
    uint32_t *unused; /* [capacity]; a stack */
    uint32_t capacity, unused_count;
    lk_fifo waits;   /* sleepers, when all sleep equally long */
    lk_fifo flight;  /* processor sharing: attempts in virtual time; mark 1 = will succeed */
    bool constant;   /* waits is in use, not the wheel */
    double now, next_arrival, next_check;
    double start_last;   /* collisions: of the last attempt  */
    double pending_end;  /* of the attempt that succeeds unless something comes; NEVER = none */
    uint32_t pending;    /* its client */
    bool valid_flies;    /* shared: an attempt that will succeed is in flight */
    bool failed;         /* no memory */
    bool stopped;
    lk_contention_result r;
};

/* ---- clients ---- */

static bool grow(lk_contention *c)
{
    uint32_t size = c->capacity ? 2 * c->capacity : FIRST_CLIENTS;
    lk_wheel_node *nodes = realloc(c->nodes, size * sizeof(*nodes));
    client *clients;
    uint32_t *unused;

    if (!nodes)
        return false;
    c->nodes = nodes;
    clients = realloc(c->clients, size * sizeof(*clients));
    if (!clients)
        return false;
    c->clients = clients;
    unused = realloc(c->unused, size * sizeof(*unused));
    if (!unused)
        return false;
    c->unused = unused;
    for (uint32_t id = size; id-- > c->capacity;)
        c->unused[c->unused_count++] = id;
    c->capacity = size;
    return true;
}

/* NO_CLIENT: no memory. */
static uint32_t arrive(lk_contention *c, double at)
{
    uint32_t id;

    if (!c->unused_count && (c->capacity > UINT32_MAX / 4 || !grow(c))) {
        c->failed = c->stopped = true;
        return NO_CLIENT;
    }
    id = c->unused[--c->unused_count];
    c->clients[id] = (client){ at, c->policy->params.base_s, 0, 0 };
    c->r.arrivals++;
    c->r.in_system++;
    if (c->r.in_system > c->r.most)
        c->r.most = c->r.in_system;
    if (c->o.waiting_max && c->r.in_system >= c->o.waiting_max)
        c->r.collapsed = c->stopped = true;
    if (c->o.hopeless && c->r.in_system >= c->o.hopeless)
        c->stopped = true;
    return id;
}

static inline void go(lk_contention *c, uint32_t id)
{
    c->unused[c->unused_count++] = id;
    c->r.in_system--;
}

static inline void succeed(lk_contention *c, uint32_t id, double at)
{
    c->r.successes++;
    c->r.latency_sum += at - c->clients[id].arrival;
    c->r.makespan = at;
    go(c, id);
}

static inline void wake_at(lk_contention *c, uint32_t id, double when)
{
    if (!c->constant)
        lk_wheel_push(c->wheel, c->nodes, id, when);
    else if (!lk_fifo_push(&c->waits, (lk_fifo_item){ when, id, 0 }))
        c->failed = c->stopped = true;
}

/* The attempt that ends at `end` has failed: when its client tries again, if it does. */
static inline void fail_at(lk_contention *c, uint32_t id, double end)
{
    client *me = &c->clients[id];
    lk_wait w = { me->failures++, me->previous, -1 };

    c->r.failures++;
    if (c->policy->kind == LK_SAMPLER_NEVER ||
        (c->policy->params.attempts && me->failures >= c->policy->params.attempts)) {
        me->leaving = 1;
        wake_at(c, id, end);
        return;
    }
    if (c->policy->kind == LK_SAMPLER_CONSTANT) {
        wake_at(c, id, end + c->policy->constant);
        return;
    }
    me->previous = lk_sampler_draw(c->policy, &w, lk_xoshiro_unit(&c->draws));
    wake_at(c, id, end + me->previous);
}

/* ---- time ---- */

static void look(lk_contention *c)
{
    if (c->r.in_system <= c->o.drained_most) {
        c->r.drained = c->next_check;
        c->stopped = true;
    }
    c->next_check += c->o.drained_every;
}

/* The clean attempt's end and the looks at the queue that come no later than t. */
static inline void settle(lk_contention *c, double t)
{
    while (c->pending_end <= t || c->next_check <= t) {
        if (c->pending_end <= c->next_check) {
            double end = c->pending_end;

            c->pending_end = NEVER;
            succeed(c, c->pending, end);
            if (end > c->now)
                c->now = end;
        } else {
            c->now = c->next_check;
            look(c);
            if (c->stopped)
                return;
        }
    }
}

static inline double next_wake(lk_contention *c)
{
    uint32_t id;

    if (c->constant)
        return c->waits.count ? c->waits.items[c->waits.head].when : NEVER;
    id = lk_wheel_peek(c->wheel, c->nodes);
    return id != LK_WHEEL_NONE ? c->nodes[id].when : NEVER;
}

static inline uint32_t wake(lk_contention *c)
{
    return c->constant ? lk_fifo_pop(&c->waits).id : lk_wheel_pop(c->wheel, c->nodes);
}

/* The client whose attempt starts now: a sleeper before an arrival.  NO_CLIENT: nobody, one left. */
static inline uint32_t starter(lk_contention *c, double waking)
{
    uint32_t id;

    if (waking > c->next_arrival) {
        id = arrive(c, c->next_arrival);
        c->next_arrival += lk_xoshiro_exponential(&c->arrivals, 1 / c->o.rate);
        return id;
    }
    id = wake(c);
    if (!c->clients[id].leaving)
        return id;
    c->r.left++;
    go(c, id);
    return NO_CLIENT;
}

/* ---- collisions and failures that are free: the verdict at the start of this or the next ---- */

static inline void start_colliding(lk_contention *c, uint32_t id)
{
    if (c->now >= c->start_last + 1) {
        c->pending = id;
        c->pending_end = c->now + 1;
    } else {
        if (c->pending_end < NEVER) {
            double end = c->pending_end;

            c->pending_end = NEVER;
            fail_at(c, c->pending, end);
        }
        fail_at(c, id, c->now + 1);
    }
    c->start_last = c->now;
}

static inline void start_free(lk_contention *c, uint32_t id)
{
    if (c->pending_end < NEVER) {
        fail_at(c, id, c->now + 1);
        return;
    }
    c->pending = id;
    c->pending_end = c->now + 1;
}

static inline void run_starts(lk_contention *c, void (*start)(lk_contention *, uint32_t))
{
    while (!c->stopped) {
        double waking = next_wake(c), t = waking <= c->next_arrival ? waking : c->next_arrival;
        uint32_t id;

        settle(c, t < c->o.horizon ? t : c->o.horizon);
        if (c->stopped || t > c->o.horizon)
            break;
        c->now = t;
        id = starter(c, waking);
        if (id == NO_CLIENT || c->stopped)
            continue;
        c->r.attempts++;
        start(c, id);
    }
}

static void run_collisions(lk_contention *c)
{
    for (uint32_t i = 0; i < c->o.burst && !c->stopped; i++) {
        uint32_t id = arrive(c, 0);

        if (c->stopped)
            return;
        c->r.attempts++;
        start_colliding(c, id);
    }
    run_starts(c, start_colliding);
}

static void run_free(lk_contention *c)
{
    for (uint32_t i = 0; i < c->o.burst && !c->stopped; i++) {
        uint32_t id = arrive(c, 0);

        if (c->stopped)
            return;
        c->r.attempts++;
        start_free(c, id);
    }
    run_starts(c, start_free);
}

/* ---- processor sharing: in virtual time every attempt takes 1 ---- */

typedef struct sharing {
    double virtual; /* progress of each attempt in flight since the server was last empty */
} sharing;

static void start_shared(lk_contention *c, const sharing *v, uint32_t id)
{
    bool valid = c->o.conflict == LK_CONFLICT_NONE || !c->valid_flies;

    c->r.attempts++;
    c->valid_flies = true;
    if (!lk_fifo_push(&c->flight, (lk_fifo_item){ v->virtual + 1, id, valid }))
        c->failed = c->stopped = true;
}

static void end_shared(lk_contention *c, sharing *v)
{
    lk_fifo_item item = lk_fifo_pop(&c->flight);

    v->virtual = c->flight.count ? item.when : 0; /* as it is, without the sums' rounding */
    if (item.mark) {
        c->valid_flies = false;
        succeed(c, item.id, c->now);
    } else {
        fail_at(c, item.id, c->now);
    }
}

/* Looks before t; at t itself too, unless attempts end there: those come first. */
static void look_until(lk_contention *c, double t, bool ends)
{
    while ((c->next_check < t || (c->next_check == t && !ends)) && !c->stopped) {
        c->now = c->next_check;
        look(c);
    }
}

static void run_shared(lk_contention *c)
{
    sharing v = { 0 };
    double since = 0; /* when virtual was brought up to date */

    for (uint32_t i = 0; i < c->o.burst && !c->stopped; i++) {
        uint32_t id = arrive(c, 0);

        if (c->stopped)
            return;
        start_shared(c, &v, id);
    }
    while (!c->stopped) {
        const lk_fifo_item *first = lk_fifo_first(&c->flight);
        double n = (double)c->flight.count, waking = next_wake(c), t = NEVER;
        double begins = waking <= c->next_arrival ? waking : c->next_arrival;
        uint32_t id;

        if (first) {
            double left = first->when - v.virtual;

            t = since + (left > 0 ? left : 0) * n;
        }
        if (t <= begins) {
            look_until(c, t < c->o.horizon ? t : c->o.horizon, t <= c->o.horizon);
            if (c->stopped || t > c->o.horizon)
                break;
            c->now = since = t;
            end_shared(c, &v);
            continue;
        }
        look_until(c, begins < c->o.horizon ? begins : c->o.horizon, false);
        if (c->stopped || begins > c->o.horizon)
            break;
        if (first)
            v.virtual += (begins - since) / n;
        c->now = since = begins;
        id = starter(c, waking);
        if (id != NO_CLIENT && !c->stopped)
            start_shared(c, &v, id);
    }
}

/* ---- a run ---- */

static lk_code check_options(const lk_contention_options *o, lk_err *e)
{
    bool endless = !(o->horizon < NEVER);

    if (!(o->horizon >= 0) || !(o->rate >= 0) || !(o->rate < 1e6) || !(o->drained_every >= 0))
        return lk_fail(e, LK_EUSAGE, "no negative times or rates");
    if (endless && o->rate > 0 && !(o->drained_every > 0))
        return lk_fail(e, LK_EUSAGE, "steady arrivals need a horizon");
    if (endless && o->conflict == LK_CONFLICT_COLLISIONS && o->burst > 1 &&
        !o->policy->params.attempts && lk_sampler_is_point(o->policy))
        return lk_fail(e, LK_EUSAGE, "callers in lockstep collide for ever: give a horizon");
    return LK_OK;
}

static void prepare(lk_contention *c, const lk_contention_options *o, uint64_t seed, uint64_t stream)
{
    c->o = *o;
    c->o.horizon = fmin(o->horizon, DBL_MAX); /* so that NEVER lies beyond it */
    c->policy = o->policy;
    lk_xoshiro_init(&c->draws, seed, 2 * stream);
    lk_xoshiro_init(&c->arrivals, seed, 2 * stream + 1);
    lk_wheel_reset(c->wheel);
    lk_fifo_reset(&c->waits);
    lk_fifo_reset(&c->flight);
    c->unused_count = 0;
    for (uint32_t id = c->capacity; id-- > 0;)
        c->unused[c->unused_count++] = id;
    c->constant = o->policy->kind == LK_SAMPLER_CONSTANT || o->policy->kind == LK_SAMPLER_NEVER;
    c->now = 0;
    c->start_last = -2;
    c->pending_end = NEVER;
    c->next_check = o->drained_every > 0 ? o->drained_every : NEVER;
    c->valid_flies = c->failed = c->stopped = false;
    c->r = (lk_contention_result){ .drained = -1 };
    c->next_arrival = o->rate > 0 ? lk_xoshiro_exponential(&c->arrivals, 1 / o->rate) : NEVER;
}

static void finish(lk_contention *c)
{
    c->r.ended = !c->stopped && c->o.horizon < DBL_MAX ? c->o.horizon : c->now;
    if (!c->stopped && (double)c->r.in_system > c->o.unfinished_max * (double)c->r.arrivals)
        c->r.collapsed = true;
}

lk_code lk_contention_run(lk_contention *c, const lk_contention_options *options, uint64_t seed,
                          uint64_t stream, lk_contention_result *out, lk_err *e)
{
    LK_TRY(check_options(options, e));
    prepare(c, options, seed, stream);
    switch (options->conflict) {
    case LK_CONFLICT_COLLISIONS: run_collisions(c); break;
    case LK_CONFLICT_FREE: run_free(c); break;
    case LK_CONFLICT_SHARED:
    case LK_CONFLICT_NONE: run_shared(c); break;
    }
    if (c->failed)
        return lk_fail(e, LK_EOOM, "no memory for %u clients", c->capacity);
    finish(c);
    *out = c->r;
    return LK_OK;
}

lk_code lk_contention_open(lk_contention **out, lk_err *e)
{
    lk_contention *c = calloc(1, sizeof(*c));

    if (!c)
        return lk_fail(e, LK_EOOM, "no memory for a simulator");
    if (lk_wheel_open(TICK, &c->wheel, e) != LK_OK) {
        free(c);
        return e->code;
    }
    *out = c;
    return LK_OK;
}

void lk_contention_close(lk_contention *c)
{
    if (!c)
        return;
    lk_wheel_close(c->wheel);
    lk_fifo_release(&c->waits);
    lk_fifo_release(&c->flight);
    free(c->nodes);
    free(c->clients);
    free(c->unused);
    free(c);
}
