#include "order/crew.h"

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>

enum { SIDE_MAX = 64 << 10 }; /* bytes beside the attempts of a batch, but for those of the last */

typedef struct batch {
    lk_attempt *attempts; /* [options.batch] */
    size_t count;
    lk_buf side;
    lk_step end; /* what came behind them: ITEM = there is another batch */
    lk_err why;
} batch;

typedef struct lane {
    /* Under the lock. */
    lk_source *source; /* NULL = the lane is free */
    size_t filled, emptied; /* batches so far */
    bool is_busy;           /* somebody fills the next one */
    bool is_over;           /* there is no next one */
    /* The slot that is filled is the reader's, the one that is emptied the taker's. */
    batch *ring;         /* [options.slots]; NULL = the lane was never used */
    const batch *from;   /* the taker's: NULL = the next is to be waited for */
    size_t at;
} lane;

struct lk_crew {
    lk_crew_options options;
    pthread_mutex_t lock;
    pthread_cond_t has_work, has_batch;
    bool is_left;
    size_t idle;    /* threads that wait for work */
    size_t awaited; /* the lane that the taker waits for, LK_CREW_NO_LANE = none */
    lane *lanes;    /* [options.lanes] */
    pthread_t *threads; /* [thread_count] */
    size_t thread_count;
};

/* ---- reading ---- */

static void read_batch(const lk_crew *c, size_t i, batch *b)
{
    const lk_crew_options *o = &c->options;
    lk_source *source = c->lanes[i].source;

    b->count = b->side.len = 0;
    b->end = LK_STEP_ITEM;
    b->why = (lk_err){ 0 };
    while (b->count < o->batch && b->side.len < SIDE_MAX) {
        lk_attempt *a = &b->attempts[b->count];

        b->end = source->next(source, a, &b->why);
        if (b->end != LK_STEP_ITEM)
            return;
        if (o->pack && o->pack(o->ctx, i, a, &b->side, &b->why) != LK_OK) {
            b->end = LK_STEP_FAIL;
            return;
        }
        b->count++;
    }
}

static bool may_be_filled(const lk_crew *c, const lane *l)
{
    return l->source && !l->is_busy && !l->is_over && l->filled - l->emptied < c->options.slots;
}

/* The lock is held before and after. */
static void fill_one(lk_crew *c, size_t i)
{
    lane *l = &c->lanes[i];
    batch *b = &l->ring[l->filled % c->options.slots];

    l->is_busy = true;
    (void)pthread_mutex_unlock(&c->lock);
    read_batch(c, i, b);
    (void)pthread_mutex_lock(&c->lock);
    l->is_busy = false;
    l->is_over = l->is_over || b->end != LK_STEP_ITEM;
    l->filled++;
    if (c->awaited == i)
        (void)pthread_cond_signal(&c->has_batch);
}

/* The lane that needs it most, LK_CREW_NO_LANE when none can be filled. */
static size_t neediest(const lk_crew *c)
{
    size_t found = LK_CREW_NO_LANE, least = SIZE_MAX;

    if (c->awaited != LK_CREW_NO_LANE && may_be_filled(c, &c->lanes[c->awaited]))
        return c->awaited;
    for (size_t i = 0; i < c->options.lanes; i++) {
        const lane *l = &c->lanes[i];

        if (l->filled - l->emptied < least && may_be_filled(c, l)) {
            least = l->filled - l->emptied;
            found = i;
        }
    }
    return found;
}

static void *read_on(void *ctx)
{
    lk_crew *c = ctx;
    size_t i;

    (void)pthread_mutex_lock(&c->lock);
    while (!c->is_left) {
        i = neediest(c);
        if (i != LK_CREW_NO_LANE) {
            fill_one(c, i);
            continue;
        }
        c->idle++;
        (void)pthread_cond_wait(&c->has_work, &c->lock);
        c->idle--;
    }
    (void)pthread_mutex_unlock(&c->lock);
    return NULL;
}

/* ---- opening and closing ---- */

/* Signals are for the thread that was there first. */
static void start(lk_crew *c)
{
    sigset_t all, before;

    (void)sigfillset(&all);
    (void)pthread_sigmask(SIG_BLOCK, &all, &before);
    while (c->thread_count < c->options.threads &&
           pthread_create(&c->threads[c->thread_count], NULL, read_on, c) == 0)
        c->thread_count++;
    (void)pthread_sigmask(SIG_SETMASK, &before, NULL);
}

lk_code lk_crew_open(const lk_crew_options *options, lk_crew **out, lk_err *e)
{
    lk_crew *c = calloc(1, sizeof(*c));

    if (!c)
        return lk_fail(e, LK_EOOM, "no memory to read ahead");
    c->options = *options;
    c->awaited = LK_CREW_NO_LANE;
    c->lanes = calloc(options->lanes ? options->lanes : 1, sizeof(*c->lanes));
    c->threads = calloc(options->threads ? options->threads : 1, sizeof(*c->threads));
    if (!c->lanes || !c->threads || pthread_mutex_init(&c->lock, NULL) != 0) {
        const bool has_memory = c->lanes && c->threads;

        free(c->lanes);
        free(c->threads);
        free(c);
        return has_memory ? lk_fail(e, LK_EIO, "no lock for threads")
                          : lk_fail(e, LK_EOOM, "no memory to read ahead");
    }
    (void)pthread_cond_init(&c->has_work, NULL);
    (void)pthread_cond_init(&c->has_batch, NULL);
    start(c);
    *out = c;
    return LK_OK;
}

static void free_ring(const lk_crew *c, batch *ring)
{
    for (size_t i = 0; ring && i < c->options.slots; i++) {
        free(ring[i].attempts);
        lk_buf_release(&ring[i].side);
    }
    free(ring);
}

void lk_crew_close(lk_crew *c)
{
    if (!c)
        return;
    (void)pthread_mutex_lock(&c->lock);
    c->is_left = true;
    (void)pthread_cond_broadcast(&c->has_work);
    (void)pthread_mutex_unlock(&c->lock);
    for (size_t i = 0; i < c->thread_count; i++)
        (void)pthread_join(c->threads[i], NULL);
    for (size_t i = 0; i < c->options.lanes; i++)
        free_ring(c, c->lanes[i].ring);
    (void)pthread_cond_destroy(&c->has_batch);
    (void)pthread_cond_destroy(&c->has_work);
    (void)pthread_mutex_destroy(&c->lock);
    free(c->lanes);
    free(c->threads);
    free(c);
}

/* ---- taking ---- */

static batch *new_ring(const lk_crew *c)
{
    batch *ring = calloc(c->options.slots, sizeof(*ring));

    for (size_t i = 0; ring && i < c->options.slots; i++) {
        lk_buf_init(&ring[i].side);
        ring[i].attempts = malloc(c->options.batch * sizeof(*ring[i].attempts));
        if (!ring[i].attempts) {
            free_ring(c, ring);
            return NULL;
        }
    }
    return ring;
}

static void wake(lk_crew *c)
{
    if (c->idle)
        (void)pthread_cond_signal(&c->has_work);
}

size_t lk_crew_find_lane(lk_crew *c)
{
    size_t i = 0;
    lane *l;

    while (i < c->options.lanes && c->lanes[i].source) /* it is the taker who sets it */
        i++;
    if (i == c->options.lanes)
        return LK_CREW_NO_LANE;
    l = &c->lanes[i];
    if (!l->ring)
        l->ring = new_ring(c);
    return l->ring ? i : LK_CREW_NO_LANE;
}

void lk_crew_take_on(lk_crew *c, size_t i, lk_source *source)
{
    lane *l = &c->lanes[i];

    (void)pthread_mutex_lock(&c->lock);
    l->source = source;
    l->filled = l->emptied = 0;
    l->is_over = false;
    l->from = NULL;
    wake(c);
    (void)pthread_mutex_unlock(&c->lock);
}

static const batch *await_batch(lk_crew *c, size_t i)
{
    lane *l = &c->lanes[i];
    const batch *b;

    (void)pthread_mutex_lock(&c->lock);
    while (l->filled == l->emptied) {
        if (!l->is_busy) {
            fill_one(c, i);
            wake(c); /* the next one is for others */
            continue;
        }
        c->awaited = i;
        (void)pthread_cond_wait(&c->has_batch, &c->lock);
        c->awaited = LK_CREW_NO_LANE;
    }
    b = &l->ring[l->emptied % c->options.slots];
    (void)pthread_mutex_unlock(&c->lock);
    return b;
}

/* A thread that found all full is woken when half is free, to find work for a while. */
static void give_back(lk_crew *c, lane *l)
{
    l->from = NULL;
    (void)pthread_mutex_lock(&c->lock);
    l->emptied++;
    if (l->filled - l->emptied <= c->options.slots / 2)
        wake(c);
    (void)pthread_mutex_unlock(&c->lock);
}

lk_step lk_crew_next(lk_crew *c, size_t i, lk_attempt *out, lk_err *e)
{
    const lk_crew_options *o = &c->options;
    lane *l = &c->lanes[i];

    for (;;) {
        if (!l->from) {
            l->from = await_batch(c, i);
            l->at = 0;
        }
        if (l->at < l->from->count) {
            *out = l->from->attempts[l->at++];
            if (o->unpack &&
                o->unpack(o->ctx, i, out, (lk_slice){ l->from->side.p, l->from->side.len }, e) != LK_OK)
                return LK_STEP_FAIL;
            return LK_STEP_ITEM;
        }
        if (l->from->end != LK_STEP_ITEM)
            break; /* it stays, and says so again */
        give_back(c, l);
    }
    if (l->from->end == LK_STEP_FAIL)
        *e = l->from->why;
    return l->from->end;
}

void lk_crew_let_go(lk_crew *c, size_t i)
{
    lane *l = &c->lanes[i];

    (void)pthread_mutex_lock(&c->lock);
    l->is_over = true;
    while (l->is_busy) {
        c->awaited = i;
        (void)pthread_cond_wait(&c->has_batch, &c->lock);
        c->awaited = LK_CREW_NO_LANE;
    }
    l->source = NULL;
    (void)pthread_mutex_unlock(&c->lock);
}
