#include "order/ahead.h"

#include "base/relay.h"

#include <signal.h>
#include <stdlib.h>

enum { BATCHES = 16, BATCH = 128 };

typedef struct batch {
    size_t count;
    lk_step end; /* what came behind them: ITEM = there is another batch */
    lk_err why;
    lk_attempt attempts[BATCH];
} batch;

typedef struct ahead {
    lk_source source; /* first: it is what the caller holds */
    lk_source *inner; /* NULL once closed */
    lk_relay relay;
    pthread_t thread;
    bool is_threaded;
    batch *batches;    /* [BATCHES] */
    const batch *from; /* NULL = the next is to be waited for */
    size_t at;
} ahead;

static void read_batch(lk_source *inner, batch *b)
{
    b->count = 0;
    b->end = LK_STEP_ITEM;
    b->why = (lk_err){ 0 };
    while (b->count < BATCH &&
           (b->end = inner->next(inner, &b->attempts[b->count], &b->why)) == LK_STEP_ITEM)
        b->count++;
}

static void *read_on(void *ctx)
{
    ahead *x = ctx;
    lk_step end = LK_STEP_ITEM;
    size_t slot;

    while (end == LK_STEP_ITEM && lk_relay_await_room(&x->relay, &slot)) {
        read_batch(x->inner, &x->batches[slot]);
        end = x->batches[slot].end;
        lk_relay_fill(&x->relay);
    }
    return NULL;
}

static lk_step next(lk_source *self, lk_attempt *out, lk_err *e)
{
    ahead *x = (ahead *)self;

    if (!x->is_threaded)
        return x->inner->next(x->inner, out, e);
    for (;;) {
        if (!x->from) {
            x->from = &x->batches[lk_relay_await_item(&x->relay)];
            x->at = 0;
        }
        if (x->at < x->from->count) {
            *out = x->from->attempts[x->at++];
            return LK_STEP_ITEM;
        }
        if (x->from->end != LK_STEP_ITEM)
            break; /* it stays, and says so again */
        x->from = NULL;
        lk_relay_empty(&x->relay);
    }
    if (x->from->end == LK_STEP_FAIL)
        *e = x->from->why;
    return x->from->end;
}

static void close_ahead(lk_source *self)
{
    ahead *x = (ahead *)self;

    if (!x->inner)
        return;
    if (x->is_threaded) {
        lk_relay_leave(&x->relay);
        (void)pthread_join(x->thread, NULL);
    }
    x->inner->close(x->inner);
    x->inner = NULL;
    lk_relay_close(&x->relay);
    free(x->batches);
    x->batches = NULL;
}

/* Signals are for the thread that was there first. */
static bool start(ahead *x)
{
    sigset_t all, before;
    int failed;

    (void)sigfillset(&all);
    (void)pthread_sigmask(SIG_BLOCK, &all, &before);
    failed = pthread_create(&x->thread, NULL, read_on, x);
    (void)pthread_sigmask(SIG_SETMASK, &before, NULL);
    return failed == 0;
}

lk_code lk_ahead_open(lk_source *inner, lk_arena *arena, lk_source **out, lk_err *e)
{
    ahead *x = LK_NEW(arena, ahead, 1);

    if (!x)
        return lk_fail(e, LK_EOOM, "no memory to read ahead");
    *x = (ahead){ .source = { inner->first_ns, next, close_ahead }, .inner = inner };
    LK_TRY(lk_relay_open(&x->relay, BATCHES, e));
    x->batches = malloc(BATCHES * sizeof(*x->batches));
    if (!x->batches) {
        lk_relay_close(&x->relay);
        return lk_fail(e, LK_EOOM, "no memory to read ahead");
    }
    x->is_threaded = start(x);
    *out = &x->source;
    return LK_OK;
}
