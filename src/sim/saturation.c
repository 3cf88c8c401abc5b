#include "sim/saturation.h"

#include "base/whole.h"
#include "base/xoshiro.h"
#include "sim/fifo.h"
#include "sim/wheel.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define TICK_S (1.0 / 64)
#define SHRINK 0.9 /* of an adaptive limit, on a refusal */

/* What a task waits for. */
enum state { IDLE, WANTED, QUEUED, SLEEPING, IN_FLIGHT, OVER };

typedef struct task {
    double wanted_s;   /* first */
    double started_s;  /* of the call: its first attempt */
    double previous_s; /* the call's last delay */
    double asked_s;    /* Retry-After of the attempt in flight */
    uint64_t number;   /* in its population */
    uint64_t call;
    uint32_t calls, attempts; /* attempts of this call */
    uint32_t streak;          /* failures in a row, over calls: the breaker's */
    uint16_t population;
    uint8_t state;
    bool ok;                  /* the attempt in flight */
} task;

typedef struct crowd {
    const lk_population *p;
    lk_population_result *r;
    lk_fifo queue;   /* for a slot */
    double limit;    /* slots */
    uint32_t at_work;
    double budget, budget_filled_s;
    size_t took_capacity;
    uint32_t source; /* node of the Poisson arrivals; UINT32_MAX = none */
} crowd;

typedef struct world {
    const lk_saturation_options *o;
    lk_saturation_result *r;
    lk_server server;
    lk_server *pools; /* [o->pool_count] */
    lk_xoshiro random, arrivals;
    lk_wheel *wheel;
    lk_wheel_node *nodes; /* [capacity] */
    task *tasks;          /* [capacity]; the first population_count are the arrival sources */
    uint32_t *unused;     /* [capacity] */
    uint32_t capacity, used, unused_count;
    crowd *crowds;
    uint64_t counted;     /* tasks not over, of the counted populations */
    uint64_t parked;      /* retries that a budget put off */
    uint64_t calls;
    double now;
    lk_code failed;
} world;

/* ---- memory ---- */

static bool reserve(world *w, size_t count)
{
    lk_wheel_node *nodes;
    task *tasks;
    uint32_t *unused;

    if (count <= w->capacity)
        return true;
    if (count > UINT32_MAX / 2)
        return false;
    nodes = realloc(w->nodes, count * sizeof(*nodes));
    w->nodes = nodes ? nodes : w->nodes;
    tasks = realloc(w->tasks, count * sizeof(*tasks));
    w->tasks = tasks ? tasks : w->tasks;
    unused = realloc(w->unused, count * sizeof(*unused));
    w->unused = unused ? unused : w->unused;
    if (!nodes || !tasks || !unused)
        return false;
    w->capacity = (uint32_t)count;
    return true;
}

static uint32_t new_task(world *w, size_t population)
{
    uint32_t id;

    if (w->unused_count) {
        id = w->unused[--w->unused_count];
    } else if (w->used == w->capacity && !reserve(w, 2 * (size_t)w->capacity + 16)) {
        w->failed = LK_EOOM;
        return UINT32_MAX;
    } else {
        id = w->used++;
    }
    w->tasks[id] = (task){ .population = (uint16_t)population, .previous_s = 1,
                           .number = w->crowds[population].r->tasks++ };
    return id;
}

static bool note_done(world *w, crowd *c, double took_s)
{
    lk_population_result *r = c->r;

    if (r->done == c->took_capacity) {
        size_t size = c->took_capacity ? 2 * c->took_capacity : 256;
        double *took = realloc(r->took_s, size * sizeof(*took)), *done;

        r->took_s = took ? took : r->took_s;
        done = realloc(r->done_s, size * sizeof(*done));
        r->done_s = done ? done : r->done_s;
        if (!took || !done)
            return false;
        c->took_capacity = size;
    }
    r->took_s[r->done] = took_s;
    r->done_s[r->done] = w->now;
    return true;
}

static void count_request(world *w, bool retry)
{
    lk_saturation_result *r = w->r;
    size_t bin = lk_whole_size(w->now / w->o->bin_s);

    if (bin >= r->bin_count) {
        size_t size = bin + bin / 2 + 64;
        uint32_t *bins = realloc(r->bins, size * sizeof(*bins)), *retries;

        r->bins = bins ? bins : r->bins;
        retries = realloc(r->retry_bins, size * sizeof(*retries));
        r->retry_bins = retries ? retries : r->retry_bins;
        if (!bins || !retries) {
            w->failed = LK_EOOM;
            return;
        }
        memset(bins + r->bin_count, 0, (size - r->bin_count) * sizeof(*bins));
        memset(retries + r->bin_count, 0, (size - r->bin_count) * sizeof(*retries));
        r->bin_count = size;
    }
    r->bins[bin]++;
    r->retry_bins[bin] += retry;
}

/* ---- what tasks do ---- */

static void attempt(world *w, uint32_t id);

static void push(world *w, uint32_t id, enum state state, double when)
{
    w->tasks[id].state = (uint8_t)state;
    lk_wheel_push(w->wheel, w->nodes, id, when > w->now ? when : w->now);
}

static double spread(world *w, double width_s)
{
    return width_s > 0 ? width_s * lk_xoshiro_unit(&w->random) : 0;
}

static bool has_slot(const crowd *c)
{
    return !c->p->concurrency || c->at_work < lk_whole_u32(fmax(1, c->limit));
}

static void begin_call(world *w, uint32_t id)
{
    task *t = &w->tasks[id];
    crowd *c = &w->crowds[t->population];
    size_t round;

    c->at_work++;
    t->call = ++w->calls;
    t->started_s = w->now;
    t->attempts = 0;
    t->previous_s = c->p->policy ? c->p->policy->params.base_s : 1;
    round = t->calls < LK_SATURATION_ROUNDS ? t->calls : LK_SATURATION_ROUNDS - 1;
    c->r->calls_by_no[round]++;
    c->r->calls++;
    t->calls++;
    attempt(w, id);
}

static void want(world *w, uint32_t id)
{
    task *t = &w->tasks[id];
    crowd *c = &w->crowds[t->population];

    if (has_slot(c)) {
        begin_call(w, id);
        return;
    }
    t->state = QUEUED;
    if (!lk_fifo_push(&c->queue, (lk_fifo_item){ w->now, id, 0 }))
        w->failed = LK_EOOM;
}

/* A slot is free: the next in the queue begins, at once but as an event of its own. */
static void leave_slot(world *w, crowd *c)
{
    c->at_work--;
    while (c->queue.count && c->p->concurrency &&
           c->at_work + 0U < lk_whole_u32(fmax(1, c->limit))) {
        uint32_t next = lk_fifo_pop(&c->queue).id;

        push(w, next, WANTED, w->now);
        return;
    }
}

static void over(world *w, uint32_t id)
{
    task *t = &w->tasks[id];
    crowd *c = &w->crowds[t->population];

    t->state = OVER;
    if (c->source == UINT32_MAX)
        w->counted--;
    else
        w->unused[w->unused_count++] = id;
    leave_slot(w, c);
}

static void tell_call(const world *w, const task *t, bool ok)
{
    lk_sat_call call = { t->started_s, w->now, t->population, t->number, t->call, t->attempts, ok };

    if (w->o->observer.call)
        w->o->observer.call(w->o->observer.context, &call);
}

static void fail_call(world *w, uint32_t id)
{
    task *t = &w->tasks[id];
    crowd *c = &w->crowds[t->population];
    const lk_population *p = c->p;

    tell_call(w, t, false);
    c->r->failed_calls++;
    if (p->leave_share > 0 && lk_xoshiro_unit(&w->random) < p->leave_share) {
        c->r->left++;
        over(w, id);
    } else if (p->requeue_s < 0 || (p->queue_attempts && t->calls >= p->queue_attempts)) {
        c->r->lost++;
        over(w, id);
    } else {
        push(w, id, WANTED, w->now + p->requeue_s + spread(w, p->requeue_jitter_s));
        leave_slot(w, c);
    }
}

/* The delay before the next attempt; INFINITY: the call has failed. */
static double comeback_s(world *w, task *t, const lk_population *p)
{
    lk_wait wait = { t->attempts - 1, t->previous_s, t->asked_s };
    double delay;

    if (!p->policy || p->policy->kind == LK_SAMPLER_NEVER ||
        (p->policy->params.attempts && t->attempts >= p->policy->params.attempts))
        return (double)INFINITY;
    if (p->retry_after_most_s > 0 && wait.asked_s > p->retry_after_most_s)
        wait.asked_s = p->retry_after_most_s;
    delay = lk_sampler_draw(p->policy, &wait, lk_xoshiro_unit(&w->random));
    t->previous_s = delay;
    if (p->breaker_trips && t->streak >= p->breaker_trips)
        delay = p->breaker_open_s + spread(w, p->breaker_jitter_s);
    if (p->deadline_s > 0 && w->now + delay > t->started_s + p->deadline_s)
        return (double)INFINITY;
    return delay;
}

/* Sleeps until the retry that the budget did not let through is tried again: another draw, and never
   at once, when nothing can have changed. */
static void park(world *w, uint32_t id)
{
    task *t = &w->tasks[id];
    const crowd *c = &w->crowds[t->population];
    double delay = comeback_s(w, t, c->p);

    if (delay <= 0)
        delay = c->p->budget_per_s > 0 ? (1 - c->budget) / c->p->budget_per_s : 1;
    if (delay < (double)INFINITY)
        push(w, id, SLEEPING, w->now + delay);
    else
        fail_call(w, id);
    if (w->r->requests + ++w->parked > w->o->requests_max)
        w->failed = LK_EUSAGE;
}

static void come_back(world *w, uint32_t id)
{
    task *t = &w->tasks[id];
    double delay = comeback_s(w, t, w->crowds[t->population].p);

    if (delay < (double)INFINITY)
        push(w, id, SLEEPING, w->now + delay);
    else
        fail_call(w, id);
}

static void serve(world *w, uint32_t id)
{
    task *t = &w->tasks[id];
    crowd *c = &w->crowds[t->population];

    tell_call(w, t, true);
    if (!note_done(w, c, w->now - t->wanted_s)) {
        w->failed = LK_EOOM;
        return;
    }
    c->r->done++;
    c->r->recovered_calls += t->attempts > 1;
    c->r->took_mean_s += w->now - t->wanted_s;
    c->r->last_done_s = w->now;
    c->budget = fmin(fmax(c->p->budget, c->budget), c->budget + c->p->budget_per_success);
    if (c->p->adaptive)
        c->limit += 1 / c->limit;
    over(w, id);
}

static void end_attempt(world *w, uint32_t id)
{
    task *t = &w->tasks[id];
    crowd *c = &w->crowds[t->population];

    if (t->ok) {
        lk_server_done(&w->server);
        if (c->p->pool)
            lk_server_done(&w->pools[c->p->pool - 1]);
        t->streak = 0;
        serve(w, id);
        return;
    }
    t->streak++;
    if (c->p->adaptive)
        c->limit = fmax(1, c->limit * SHRINK);
    come_back(w, id);
}

/* A retry takes a token of its population's budget. */
static bool within_budget(world *w, crowd *c)
{
    const lk_population *p = c->p;

    if (!(p->budget > 0))
        return true;
    c->budget = fmin(p->budget, c->budget + (w->now - c->budget_filled_s) * p->budget_per_s);
    c->budget_filled_s = w->now;
    if (c->budget < 1)
        return false;
    c->budget -= 1;
    return true;
}

static void tell_attempt(const world *w, const task *t, unsigned status, double end_s)
{
    lk_sat_attempt a = { w->now, end_s, t->wanted_s, t->asked_s, t->population, t->number, t->call, t->calls,
                         t->attempts, status };

    if (w->o->observer.attempt)
        w->o->observer.attempt(w->o->observer.context, &a);
}

static void count_attempt(world *w, const task *t, lk_population_result *r)
{
    const lk_server_options *s = &w->o->server;
    unsigned round = t->attempts < LK_SATURATION_ROUNDS ? t->attempts : LK_SATURATION_ROUNDS;

    r->requests++;
    r->requests_by_no[round - 1]++;
    w->r->requests++;
    if (!t->ok) {
        r->refused++;
        w->r->refused++;
        r->refused_in_outage += w->now >= s->down_from_s && w->now < s->down_until_s;
    }
    count_request(w, t->attempts > 1 || t->calls > 1);
    if (w->r->requests > w->o->requests_max)
        w->failed = LK_EUSAGE;
}

/* Refused by something that the callers have no hand in? */
static bool is_turned_away(world *w, const lk_population *p)
{
    double bin = w->now / (p->refused_bin_s > 0 ? p->refused_bin_s : 1), share;

    if (!p->refused_share || !(bin < (double)p->refused_count))
        return false;
    share = p->refused_share[lk_whole_size(bin)];
    return share > 0 && lk_xoshiro_unit(&w->random) < share;
}

/* The server, then what stands behind it for this population. */
static unsigned ask(world *w, const lk_population *p)
{
    unsigned status = lk_server_take(&w->server, w->now, p->cost);

    if (status != 200)
        return status;
    if (is_turned_away(w, p))
        status = 503;
    else if (p->pool)
        status = lk_server_take(&w->pools[p->pool - 1], w->now, p->cost);
    if (status != 200)
        lk_server_refused(&w->server);
    return status;
}

static double answer_s(const lk_server_options *s, const lk_population *p, bool ok)
{
    if (ok)
        return p->service_s >= 0 ? p->service_s : s->service_s;
    return p->refusal_s >= 0 ? p->refusal_s : s->refusal_s;
}

static void attempt(world *w, uint32_t id)
{
    task *t = &w->tasks[id];
    crowd *c = &w->crowds[t->population];
    const lk_server_options *s = &w->o->server;
    unsigned status;
    double end_s;

    if (t->attempts > 0 && !within_budget(w, c)) {
        park(w, id);
        return;
    }
    t->attempts++;
    status = ask(w, c->p);
    t->ok = status == 200;
    end_s = w->now + answer_s(s, c->p, t->ok) + spread(w, s->answer_spread_s);
    t->asked_s = t->ok || s->retry_after_s < 0 ? -1
                                               : s->retry_after_s + spread(w, s->retry_after_spread_s);
    count_attempt(w, t, c->r);
    tell_attempt(w, t, status, end_s);
    if (end_s > w->now)
        push(w, id, IN_FLIGHT, end_s);
    else
        end_attempt(w, id);
}

/* ---- the loop ---- */

static void arrive(world *w, size_t population)
{
    uint32_t id = new_task(w, population), source = w->crowds[population].source;

    if (id == UINT32_MAX)
        return;
    w->tasks[id].wanted_s = w->now;
    push(w, source, IDLE,
         w->now + lk_xoshiro_exponential(&w->arrivals, 1 / w->crowds[population].p->rate_per_s));
    want(w, id);
}

static void take(world *w, uint32_t id)
{
    if (id < w->o->population_count) {
        arrive(w, id);
        return;
    }
    switch ((enum state)w->tasks[id].state) {
    case WANTED: want(w, id); break;
    case SLEEPING: attempt(w, id); break;
    case IN_FLIGHT: end_attempt(w, id); break;
    case IDLE:
    case QUEUED:
    case OVER: break;
    }
}

static void loop(world *w, bool counts)
{
    while (w->failed == LK_OK && (!counts || w->counted)) {
        uint32_t id = lk_wheel_peek(w->wheel, w->nodes);

        if (id == LK_WHEEL_NONE || w->nodes[id].when > w->o->span_s)
            break;
        (void)lk_wheel_pop(w->wheel, w->nodes);
        w->now = w->nodes[id].when;
        take(w, id);
    }
}

/* The run is over: what is in flight still has its answer, and nothing new begins. */
static void land(world *w)
{
    uint32_t id;

    while (w->failed == LK_OK && (id = lk_wheel_peek(w->wheel, w->nodes)) != LK_WHEEL_NONE) {
        (void)lk_wheel_pop(w->wheel, w->nodes);
        if (id < w->o->population_count || w->tasks[id].state != IN_FLIGHT)
            continue;
        w->now = w->nodes[id].when;
        end_attempt(w, id);
    }
}

/* ---- setting up ---- */

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

/* Tasks of a counted population, paced in the order in which they were wanted. */
static lk_code seat(world *w, size_t population, lk_err *e)
{
    const lk_population *p = w->crowds[population].p;
    double *at, release = -(double)INFINITY;

    if (!p->count)
        return LK_OK;
    at = malloc(p->count * sizeof(*at));
    if (!at || !reserve(w, w->used + p->count)) {
        free(at);
        return lk_fail(e, LK_EOOM, "no memory for %zu tasks", p->count);
    }
    for (size_t i = 0; i < p->count; i++)
        at[i] = p->at_s[i] + spread(w, p->first_jitter_s);
    qsort(at, p->count, sizeof(*at), by_value);
    for (size_t i = 0; i < p->count; i++) {
        uint32_t id = new_task(w, population);

        release = p->pace_s > 0 ? fmax(at[i], release + p->pace_s) : at[i];
        w->tasks[id].wanted_s = at[i];
        push(w, id, WANTED, release);
    }
    w->counted += p->count;
    free(at);
    return LK_OK;
}

static lk_code check_population(const lk_population *p, const lk_server_options *s, lk_err *e)
{
    bool at_once = p->policy && p->policy->kind == LK_SAMPLER_CONSTANT &&
                   !(p->policy->constant > 0) && !p->policy->params.attempts;
    double refusal_s = p->refusal_s >= 0 ? p->refusal_s : s->refusal_s;

    if (!(p->cost >= 0) || !(p->rate_per_s >= 0) || !(p->leave_share >= 0) ||
        !(p->leave_share <= 1) || !(p->pace_s >= 0) || !(p->first_jitter_s >= 0))
        return lk_fail(e, LK_EUSAGE, "%s: no negative costs, rates or times", p->name);
    if (at_once && !(refusal_s + s->answer_spread_s > 0))
        return lk_fail(e, LK_EUSAGE,
                       "%s: retries at once without end need answers that take time", p->name);
    if (p->refused_share && !(p->refused_bin_s > 0))
        return lk_fail(e, LK_EUSAGE, "%s: shares need bins", p->name);
    if (p->requeue_s >= 0 && !(p->requeue_s + p->requeue_jitter_s + refusal_s > 0) &&
        !p->queue_attempts)
        return lk_fail(e, LK_EUSAGE, "%s: requeues at once without end", p->name);
    return LK_OK;
}

static lk_code check_options(const lk_saturation_options *o, lk_err *e)
{
    if (!(o->span_s > 0) || !(o->span_s < 1e9) || !(o->bin_s > 0) || o->span_s / o->bin_s > 1e8)
        return lk_fail(e, LK_EUSAGE, "a run needs a span and bins");
    if (!o->population_count || o->population_count > 1000)
        return lk_fail(e, LK_EUSAGE, "a run needs callers");
    if (o->server.quota == LK_QUOTA_WINDOW && !(o->server.window_s > 0))
        return lk_fail(e, LK_EUSAGE, "a fixed window needs a width");
    for (size_t i = 0; i < o->population_count; i++) {
        LK_TRY(check_population(&o->populations[i], &o->server, e));
        if (o->populations[i].pool > o->pool_count)
            return lk_fail(e, LK_EUSAGE, "%s: no such pool", o->populations[i].name);
    }
    return LK_OK;
}

static lk_code allocate(world *w, lk_err *e)
{
    size_t n = w->o->population_count;

    LK_TRY(lk_wheel_open(TICK_S, &w->wheel, e));
    w->crowds = calloc(n, sizeof(*w->crowds));
    w->pools = calloc(w->o->pool_count + 1, sizeof(*w->pools));
    w->r->populations = calloc(n, sizeof(*w->r->populations));
    if (!w->crowds || !w->pools || !w->r->populations || !reserve(w, n + 16))
        return lk_fail(e, LK_EOOM, "no memory for %zu populations", n);
    w->r->population_count = n;
    w->used = (uint32_t)n;
    for (size_t i = 0; i < w->o->pool_count; i++)
        lk_server_init(&w->pools[i], &w->o->pools[i]);
    return LK_OK;
}

static lk_code set_up(world *w, lk_err *e)
{
    LK_TRY(allocate(w, e));
    for (size_t i = 0; i < w->o->population_count; i++) {
        const lk_population *p = &w->o->populations[i];
        crowd *c = &w->crowds[i];

        *c = (crowd){ .p = p, .r = &w->r->populations[i], .limit = (double)p->concurrency,
                      .budget = p->budget, .source = p->rate_per_s > 0 ? (uint32_t)i : UINT32_MAX };
        if (p->rate_per_s > 0)
            push(w, (uint32_t)i, IDLE, lk_xoshiro_exponential(&w->arrivals, 1 / p->rate_per_s));
        else
            LK_TRY(seat(w, i, e));
    }
    return LK_OK;
}

static void finish(world *w)
{
    w->r->billed = w->server.billed;
    w->r->bin_s = w->o->bin_s;
    for (size_t i = 0; i < w->r->population_count; i++) {
        lk_population_result *p = &w->r->populations[i];

        p->open = p->tasks - p->done - p->lost - p->left;
        p->took_mean_s = p->done ? p->took_mean_s / (double)p->done : (double)NAN;
        if (p->done)
            qsort(p->took_s, (size_t)p->done, sizeof(*p->took_s), by_value);
    }
}

static void release_world(world *w)
{
    lk_wheel_close(w->wheel);
    for (size_t i = 0; w->crowds && i < w->o->population_count; i++)
        lk_fifo_release(&w->crowds[i].queue);
    free(w->crowds);
    free(w->pools);
    free(w->nodes);
    free(w->tasks);
    free(w->unused);
}

static bool has_counted(const lk_saturation_options *o)
{
    for (size_t i = 0; i < o->population_count; i++)
        if (!(o->populations[i].rate_per_s > 0))
            return true;
    return false;
}

static lk_code simulate(world *w, lk_err *e)
{
    LK_TRY(set_up(w, e));
    loop(w, has_counted(w->o));
    w->r->ended_s = w->now;
    land(w);
    if (w->failed == LK_EUSAGE)
        return lk_fail(e, LK_EUSAGE, "more than %llu requests; bound the attempts or the span",
                       (unsigned long long)w->o->requests_max);
    if (w->failed != LK_OK)
        return lk_fail(e, w->failed, "no memory for the run");
    finish(w);
    return LK_OK;
}

lk_code lk_saturation_run(const lk_saturation_options *options, uint64_t seed, uint64_t stream,
                          lk_saturation_result *out, lk_err *e)
{
    lk_saturation_result r = { 0 };
    world w = { .o = options, .r = &r };
    lk_code code;

    LK_TRY(check_options(options, e));
    lk_xoshiro_init(&w.random, seed, 2 * stream);
    lk_xoshiro_init(&w.arrivals, seed, 2 * stream + 1);
    lk_server_init(&w.server, &options->server);
    code = simulate(&w, e);
    release_world(&w);
    if (code == LK_OK)
        *out = r;
    else
        lk_saturation_release(&r);
    return code;
}

void lk_saturation_release(lk_saturation_result *r)
{
    for (size_t i = 0; i < r->population_count; i++) {
        free(r->populations[i].took_s);
        free(r->populations[i].done_s);
    }
    free(r->populations);
    free(r->bins);
    free(r->retry_bins);
    *r = (lk_saturation_result){ 0 };
}

/* ---- reading a result ---- */

double lk_saturation_peak_per_s(const lk_saturation_result *r, const uint32_t *bins, double from_s,
                                double until_s)
{
    uint32_t most = 0;

    for (size_t i = 0; i < r->bin_count; i++) {
        double at_s = (double)i * r->bin_s;

        if (at_s >= from_s && at_s < until_s && bins[i] > most)
            most = bins[i];
    }
    return most / r->bin_s;
}

double lk_population_quantile_s(const lk_population_result *p, double q)
{
    uint64_t at = (uint64_t)lk_whole(ceil(q * (double)p->done));

    if (!p->done)
        return (double)NAN;
    return p->took_s[at ? at - 1 : 0];
}
