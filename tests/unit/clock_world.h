/* clock_world — one made-up world at a time, and the clocks that are inferred from it.  */
#ifndef LK_TESTS_CLOCK_WORLD_H
#define LK_TESTS_CLOCK_WORLD_H

#include "infer_world.h"

#include "infer/clocks.h"

static lk_err e;
static lk_arena a, scratch;
static world w;
static lk_evidence ev;
static lk_report report;

static inline void open_world(uint64_t seed, double resolution_s)
{
    world_open(&w, seed, resolution_s);
    lk_arena_init(&a, 0);
    lk_arena_init(&scratch, 0);
    lk_report_init(&report);
}

/* `ev` is filled. */
static inline void infer_clocks(void)
{
    check_ok(lk_infer_clocks(&ev, &w.symbols, &(lk_clock_search)LK_CLOCK_SEARCH_INIT, &a, &scratch,
                             &report, &e),
             e);
    check(scratch.used == 0, "%zu bytes of scratch are left", scratch.used);
}

static inline void infer(void)
{
    ev = world_evidence(&w);
    infer_clocks();
}

static inline void drop(void)
{
    world_close(&w);
    lk_arena_release(&a);
    lk_arena_release(&scratch);
}

#endif
