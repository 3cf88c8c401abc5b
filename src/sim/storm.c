#include "sim/storm.h"
#include "base/hash.h"
#include "base/random.h"
#include "base/time.h"
#include "base/whole.h"

#include <math.h>
#include <stdlib.h>

static const int64_t EPOCH_NS = INT64_C(1767225600) * LK_NS_PER_S; /* 2026-01-01 */

/* The next attempt of one caller; caller `callers` is the background. */
struct event {
    double at_s;
    uint32_t caller;
    uint32_t attempt; /* 0-based, in the call */
    uint32_t call;    /* how many calls the caller began before */
    double previous_s;
};

struct lk_storm {
    lk_source source;
    lk_storm_options options;
    lk_random random;
    struct event *heap;
    size_t count;
    double tokens, filled_s; /* of the bucket, and when */
    uint64_t background;     /* attempts so far */
    lk_storm_counts counts;
};

static bool is_before(const struct event *a, const struct event *b)
{
    return a->at_s != b->at_s ? a->at_s < b->at_s : a->caller < b->caller;
}

static void push(lk_storm *s, struct event e)
{
    size_t i = s->count++;

    while (i > 0 && is_before(&e, &s->heap[(i - 1) / 2])) {
        s->heap[i] = s->heap[(i - 1) / 2];
        i = (i - 1) / 2;
    }
    s->heap[i] = e;
}

static struct event pop(lk_storm *s)
{
    struct event top = s->heap[0], moving = s->heap[--s->count];
    size_t i = 0, child;

    while ((child = 2 * i + 1) < s->count) {
        if (child + 1 < s->count && is_before(&s->heap[child + 1], &s->heap[child]))
            child++;
        if (!is_before(&s->heap[child], &moving))
            break;
        s->heap[i] = s->heap[child];
        i = child;
    }
    s->heap[i] = moving;
    return top;
}

static bool take_token(lk_storm *s, double at_s)
{
    const lk_storm_options *o = &s->options;

    s->tokens = fmin(o->bucket, s->tokens + (at_s - s->filled_s) * o->allowance_per_s);
    s->filled_s = at_s;
    if (s->tokens < 1)
        return false;
    s->tokens -= 1;
    return true;
}

static int64_t instant(double at_s)
{
    return EPOCH_NS + lk_nearest(at_s * 1e3) * LK_NS_PER_MS;
}

static void fill(const lk_storm *s, const struct event *ev, lk_attempt *out)
{
    uint64_t caller = lk_hash_mix(ev->caller + 1);

    *out = (lk_attempt){
        .start_ns = instant(ev->at_s),
        .end_ns = instant(ev->at_s + s->options.service_s),
        .caller = caller,
        .key = lk_hash_mix(caller),
        .retry_after_ns = -1,
        .status = 200,
        .try_no = 1,
        .moment = LK_MOMENT_END,
        .fraction = true,
        .has_took = true,
    };
    out->stamp_ns = out->end_ns;
}

static void background(lk_storm *s, struct event ev, lk_attempt *out)
{
    fill(s, &ev, out);
    out->caller = lk_hash_mix(UINT64_C(1) << 40 | s->background++ % 997);
    out->key = lk_hash_mix(out->caller);
    out->population = out->target = 1;
    ev.at_s += lk_random_exponential(&s->random, 1 / s->options.background_per_s);
    push(s, ev);
}

/* What a refused caller does next. */
static void come_back(lk_storm *s, struct event ev)
{
    const lk_storm_options *o = &s->options;
    double end_s = ev.at_s + o->service_s;
    lk_wait w = { ev.attempt, ev.previous_s, o->retry_after_s };

    if (o->policy && !lk_policy_gives_up(o->policy, &o->params, ev.attempt + 1) &&
        (!o->attempts_max || ev.attempt + 1 < o->attempts_max)) {
        ev.previous_s = lk_policy_delay_s(o->policy, &o->params, &w, lk_random_unit(&s->random));
        ev.at_s = end_s + ev.previous_s;
        ev.attempt++;
        push(s, ev);
        return;
    }
    s->counts.failed_calls++;
    if (o->requeue_s <= 0)
        return;
    push(s, (struct event){ end_s + o->requeue_s, ev.caller, 0, ev.call + 1, o->params.base_s });
}

static void herd(lk_storm *s, struct event ev, lk_attempt *out)
{
    bool admitted = take_token(s, ev.at_s);

    fill(s, &ev, out);
    if (s->options.with_ids) {
        out->id[0] = lk_hash_mix(((uint64_t)ev.caller << 24 | ev.call) + 1) | 1;
        out->call_ids = 1;
        out->attempt_no = (int32_t)ev.attempt + 1;
    }
    s->counts.attempts++;
    s->counts.calls += ev.attempt == 0;
    s->counts.tasks += ev.attempt == 0 && ev.call == 0;
    if (admitted)
        return;
    s->counts.refused++;
    out->status = 429;
    out->failed = out->rejected = true;
    if (s->options.retry_after_s >= 0)
        out->retry_after_ns = lk_nearest(s->options.retry_after_s * 1e3) * LK_NS_PER_MS;
    come_back(s, ev);
}

static lk_step next_attempt(lk_source *source, lk_attempt *out, lk_err *e)
{
    lk_storm *s = (lk_storm *)source;
    struct event ev;

    (void)e;
    if (!s->count || s->heap[0].at_s > s->options.span_s)
        return LK_STEP_END;
    ev = pop(s);
    if (ev.caller == s->options.callers)
        background(s, ev, out);
    else
        herd(s, ev, out);
    return LK_STEP_ITEM;
}

static void close_nothing(lk_source *source)
{
    (void)source;
}

static lk_code check(const lk_storm_options *o, lk_err *e)
{
    if (!(o->span_s > 0) || !(o->span_s < 1e7) || !(o->allowance_per_s >= 0) || !(o->bucket >= 0) ||
        !(o->service_s >= 0) || !(o->spread_s >= 0) || !(o->background_per_s >= 0))
        return lk_fail(e, LK_EUSAGE, "a storm needs a span and no negative times or rates");
    if (o->policy && !o->attempts_max && o->params.base_s <= 0 && o->service_s <= 0)
        return lk_fail(e, LK_EUSAGE, "callers that retry at once for ever need a service time");
    return LK_OK;
}

lk_code lk_storm_open(const lk_storm_options *options, lk_storm **out, lk_err *e)
{
    lk_storm *s;

    LK_TRY(check(options, e));
    s = calloc(1, sizeof(*s));
    if (s)
        s->heap = calloc((size_t)options->callers + 1, sizeof(*s->heap));
    if (!s || !s->heap) {
        free(s);
        return lk_fail(e, LK_EOOM, "no memory for %u callers", options->callers);
    }
    s->options = *options;
    s->source = (lk_source){ EPOCH_NS, next_attempt, close_nothing };
    s->tokens = options->bucket;
    lk_random_init(&s->random, options->seed);
    for (uint32_t i = 0; i < options->callers; i++)
        push(s, (struct event){ options->burst_s + options->spread_s * lk_random_unit(&s->random),
                                i, 0, 0, options->params.base_s });
    if (options->background_per_s > 0)
        push(s, (struct event){ lk_random_exponential(&s->random, 1 / options->background_per_s),
                                options->callers, 0, 0, 0 });
    *out = s;
    return LK_OK;
}

void lk_storm_close(lk_storm *s)
{
    if (!s)
        return;
    free(s->heap);
    free(s);
}

lk_source *lk_storm_source(lk_storm *s)
{
    return &s->source;
}

lk_storm_counts lk_storm_counts_of(const lk_storm *s)
{
    return s->counts;
}
