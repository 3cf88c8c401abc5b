#include "order/ahead.h"

#include "order/crew.h"

enum { SLOTS = 4, BATCH = 512 };

typedef struct ahead {
    lk_source source; /* first: it is what the caller holds */
    lk_source *inner;
    lk_crew *crew; /* NULL once closed */
    size_t lane;
} ahead;

static lk_step next(lk_source *self, lk_attempt *out, lk_err *e)
{
    ahead *x = (ahead *)self;

    if (x->lane == LK_CREW_NO_LANE)
        return x->inner->next(x->inner, out, e);
    return lk_crew_next(x->crew, x->lane, out, e);
}

static void close_ahead(lk_source *self)
{
    ahead *x = (ahead *)self;

    if (!x->crew)
        return;
    if (x->lane != LK_CREW_NO_LANE)
        lk_crew_let_go(x->crew, x->lane);
    lk_crew_close(x->crew);
    x->crew = NULL;
    x->inner->close(x->inner);
}

lk_code lk_ahead_open(lk_source *inner, lk_arena *arena, lk_source **out, lk_err *e)
{
    const lk_crew_options options = { .threads = 1, .lanes = 1, .slots = SLOTS, .batch = BATCH };
    ahead *x = LK_NEW(arena, ahead, 1);

    if (!x)
        return lk_fail(e, LK_EOOM, "no memory to read ahead");
    *x = (ahead){ .source = { inner->first_ns, next, close_ahead }, .inner = inner };
    LK_TRY(lk_crew_open(&options, &x->crew, e));
    x->lane = lk_crew_find_lane(x->crew);
    if (x->lane != LK_CREW_NO_LANE)
        lk_crew_take_on(x->crew, x->lane, inner);
    *out = &x->source;
    return LK_OK;
}
