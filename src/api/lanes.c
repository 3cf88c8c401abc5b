#include "api/lanes.h"

#include "order/crew.h"

#include <stdlib.h>

enum { AHEAD = 2 }; /* files that are read before the merge has reached them */

typedef struct lane {
    lk_source source; /* first: what the crew reads */
    lk_waiting *file; /* NULL = free */
    lk_lane_names *names; /* NULL = the lane was never used; they stay for the next file */
    lk_arena notes; /* of the reader, for what the account of a file gets to hold */
} lane;

struct lk_lanes {
    lk_queue *queue;
    lk_lane_tables tables;
    lk_crew *crew;
    size_t counting, next; /* of the queue's files: the first that it was not decided on yet */
    size_t max;
    lane *lanes; /* [max] */
};

static lk_step read_file(lk_source *s, lk_attempt *out, lk_err *e)
{
    return lk_queue_read(((lane *)s)->file, out, e);
}

static lk_code pack(void *ctx, size_t i, lk_attempt *a, lk_buf *side, lk_err *e)
{
    const lk_lanes *x = ctx;

    return lk_lane_names_pack(x->lanes[i].names, a, side, e);
}

static lk_code unpack(void *ctx, size_t i, lk_attempt *a, lk_slice side, lk_err *e)
{
    const lk_lanes *x = ctx;

    return lk_lane_names_unpack(x->lanes[i].names, a, side, e);
}

lk_code lk_lanes_open(lk_queue *q, size_t counting, const lk_lanes_options *options, const lk_lane_tables *tables,
                      lk_err *e)
{
    lk_crew_options crew = { options->threads, options->max, options->slots, options->batch, pack, unpack, NULL };
    lk_lanes *x = calloc(1, sizeof(*x));
    lk_code code;

    if (!x)
        return lk_fail(e, LK_EOOM, "no memory to read ahead");
    x->lanes = calloc(options->max ? options->max : 1, sizeof(*x->lanes));
    crew.ctx = x;
    code = x->lanes ? lk_crew_open(&crew, &x->crew, e) : lk_fail(e, LK_EOOM, "no memory to read ahead");
    if (code != LK_OK) {
        free(x->lanes);
        free(x);
        return code;
    }
    x->queue = q;
    x->tables = *tables;
    x->counting = counting;
    x->max = options->max;
    for (size_t i = 0; i < x->max; i++) {
        x->lanes[i].source.next = read_file;
        lk_arena_init(&x->lanes[i].notes, 0);
    }
    q->lanes = x;
    return LK_OK;
}

void lk_lanes_close(lk_lanes *x)
{
    if (!x)
        return;
    lk_crew_close(x->crew);
    for (size_t i = 0; i < x->max; i++) {
        lk_arena_release(&x->lanes[i].notes);
        if (x->lanes[i].names)
            lk_lane_names_release(x->lanes[i].names);
        free(x->lanes[i].names);
    }
    free(x->lanes);
    x->queue->lanes = NULL;
    free(x);
}

static bool has_names(lane *l, const lk_lane_tables *all)
{
    lk_err ignored = { 0 };

    if (l->names)
        return true;
    l->names = malloc(sizeof(*l->names));
    if (l->names && lk_lane_names_init(l->names, all, &ignored) == LK_OK)
        return true;
    if (l->names)
        lk_lane_names_release(l->names);
    free(l->names);
    l->names = NULL;
    return false;
}

static bool give_lane(lk_lanes *x, lk_waiting *w)
{
    const size_t i = lk_crew_find_lane(x->crew);
    lane *l;

    if (i == LK_CREW_NO_LANE || !has_names(&x->lanes[i], &x->tables))
        return false;
    l = &x->lanes[i];
    l->file = w;
    w->lane = (uint16_t)(i + 1);
    if (w->file) {
        w->file->symbols = &l->names->own;
        w->file->arena = &l->notes;
    }
    lk_crew_take_on(x->crew, i, &l->source);
    return true;
}

void lk_lanes_reach(lk_waiting *w)
{
    lk_lanes *x = w->queue->lanes;
    size_t at;

    if (!x)
        return;
    at = (size_t)(w - x->queue->items);
    for (; x->next < x->counting && x->next <= at + AHEAD; x->next++)
        if (!give_lane(x, &x->queue->items[x->next]) && x->next > at)
            return; /* there may be a lane when its own turn comes */
}

lk_step lk_lanes_next(lk_waiting *w, lk_attempt *out, lk_err *e)
{
    return lk_crew_next(w->queue->lanes->crew, w->lane - 1u, out, e);
}

void lk_lanes_leave(lk_waiting *w)
{
    lk_lanes *x = w->queue->lanes;
    lk_logfile *f;
    lane *l;

    if (!w->lane)
        return;
    l = &x->lanes[w->lane - 1];
    lk_crew_let_go(x->crew, w->lane - 1u);
    f = w->file;
    if (f && f->arena == &l->notes)
        lk_logfile_move(f, x->queue->arena);
    if (f)
        f->symbols = x->queue->symbols;
    x->queue->arena->failed |= l->notes.failed;
    lk_arena_release(&l->notes);
    lk_arena_init(&l->notes, 0);
    l->file = NULL;
    w->lane = 0;
}

lk_symbols *lk_lanes_symbols(const lk_waiting *w)
{
    return w->lane ? &w->queue->lanes->lanes[w->lane - 1].names->own : w->queue->symbols;
}

lk_buf *lk_lanes_beside(const lk_waiting *w)
{
    return w->lane ? lk_lane_names_beside(w->queue->lanes->lanes[w->lane - 1].names) : NULL;
}
