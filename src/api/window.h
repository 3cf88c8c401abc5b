/* api/window — the last stretch of a log that goes on for ever, in memory that does not grow, and the
 * search for clocks in it.
 *
 * All arrivals are counted in a ring of bins; the attempts themselves are kept in a ring as well, of
 * whole callers: when it is full before the stretch is over, every second caller is let go, as in
 * measure/hops.  What is older than the stretch leaves both.  A look orders the attempts kept, links
 * them and searches, as for a log of that stretch alone: so it finds what `lockstep analyze` would.
 *
 * A look costs as much as thousands of lines, so one is due (lk_window_is_due) only when there is more
 * to see: comebacks of about the same delay, or rejections, have grown by an eighth since the last.
 *
 * Units:  ns.
 * Owner:  lk_window_init/lk_window_release.
 * Errors: EOOM.
 * Cost:   LK_WINDOW_ATTEMPTS attempts and 16 bytes each, 8 bytes a bin, 1 MiB of caller slots: all of
 *         it taken at once.  A look takes the linker's memory besides, and gives it back.  */
#ifndef LK_API_WINDOW_H
#define LK_API_WINDOW_H

#include "base/arena.h"
#include "infer/clocks.h"
#include "model/attempt.h"
#include "model/report.h"

enum {
    LK_WINDOW_ATTEMPTS = 1 << 16,
    LK_WINDOW_CELLS = 160, /* of delays, 5 % wide */
    LK_WINDOW_SLABS = 32   /* of the stretch, in which comebacks are counted */
};

typedef struct lk_window {
    int64_t span_ns;
    lk_symbols *symbols;
    lk_attempt *ring; /* [LK_WINDOW_ATTEMPTS] from head on, count of them */
    size_t head, count;
    uint32_t share_log2; /* one caller in 2^this is kept */
    uint32_t *all, *rejected; /* [bins] bin of instant t: t / bin mod bins */
    size_t bins;
    int64_t last_bin;
    int64_t first_ns, newest_ns; /* LK_TIME_NONE: nothing yet */
    uint64_t late;               /* older than the stretch: not counted */
    struct lk_window_slot *slots;
    uint32_t slab[LK_WINDOW_SLABS][LK_WINDOW_CELLS + 1]; /* the last cell: rejections */
    uint32_t held[LK_WINDOW_CELLS + 1], gain[LK_WINDOW_CELLS + 1]; /* in the stretch; since the look */
    int64_t last_slab;
    bool is_ripe;
    int64_t looked_ns;
    struct lk_window_turn *turns; /* [LK_WINDOW_ATTEMPTS] */
    uint64_t looks;
    size_t since_names; /* attempts since the names were looked through */
} lk_window;

LK_MUST_CHECK lk_code lk_window_init(lk_window *w, int64_t span_ns, lk_symbols *symbols, lk_err *e);
void lk_window_release(lk_window *w);

void lk_window_add(lk_window *w, const lk_attempt *a);

/* Makes room for names, by new numbers: no attempt may be held outside of the window. */
LK_MUST_CHECK lk_code lk_window_tidy(lk_window *w, lk_err *e);

/* Is there more to see than at the last look?  At most one look in two seconds of the log. */
bool lk_window_is_due(const lk_window *w);

/* Fills *r's clocks; they live in `arena`. */
LK_MUST_CHECK lk_code lk_window_look(lk_window *w, const lk_clock_search *how, lk_arena *arena,
                                     lk_report *r, lk_err *e);

#endif
