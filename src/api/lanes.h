/* api/lanes — the files of a queue read ahead of their turn, by as many threads as a run may have.
 *
 * A file gets a lane (order/crew) when the merge reaches it or one of those before it, while there are lanes; the
 * others are read by who takes from them.  What is read of each is the same either way, and so
 * are the numbers of its strings (api/lane_names).
 *
 * Owner:  lk_lanes_open/lk_lanes_close; lk_queue_release closes those of its queue.
 * Errors: EOOM, EIO (no lock).  Where there is no memory for one more lane the file has none.
 * Thread: the taker's, all of it.
 * Cost:   about 0.5 MB a lane, at most 1.2 MB; up to two files more are open than the merge has reached.  */
#ifndef LK_API_LANES_H
#define LK_API_LANES_H

#include "api/lane_names.h"
#include "api/queue.h"

typedef struct lk_lanes lk_lanes;

typedef struct lk_lanes_options {
    size_t threads;  /* beside the taker */
    size_t max;      /* lanes */
    size_t slots, batch; /* of a lane, see lk_crew_options */
} lk_lanes_options;

#define LK_LANES_OPTIONS_INIT { 1, 16, 4, 512 }

enum { LK_LANE_BYTES = 512 << 10 }; /* as a rule */

/* The first `counting` of the queue's files are read so. */
LK_MUST_CHECK lk_code lk_lanes_open(lk_queue *q, size_t counting, const lk_lanes_options *options,
                                    const lk_lane_tables *tables, lk_err *e);
void lk_lanes_close(lk_lanes *x); /* NULL is fine; once the files that have a lane are closed */

/* The turn of a file has come: it gets a lane, where it may have one, and so do the next ones. */
void lk_lanes_reach(lk_waiting *w);
/* Of one that has a lane. */
LK_MUST_CHECK lk_step lk_lanes_next(lk_waiting *w, lk_attempt *out, lk_err *e);
/* Nobody reads the file any more; without a lane: nothing. */
void lk_lanes_leave(lk_waiting *w);
/* What its strings are numbered by while it is read, and where those go that get their numbers later (NULL = no
 * such). */
lk_symbols *lk_lanes_symbols(const lk_waiting *w);
lk_buf *lk_lanes_beside(const lk_waiting *w);

#endif
