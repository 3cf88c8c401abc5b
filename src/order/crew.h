/* order/crew — threads that read sources some batches ahead of who takes from them.
 *
 * Each source that is read so has a lane: a ring of batches, which one reader at a time fills and the taker
 * empties.  Readers look after the lane that is waited for, else after the emptiest; where a lane has nothing and
 * nobody reads it, the taker reads its next batch itself.  What comes out of a lane is what the source gives, in
 * its order, with its end or failure at the same place, however many threads there are and whenever they run.
 *
 * What an attempt needs besides its numbers may travel with it: `pack` is called where it was read and may add to
 * the batch's `side`; `unpack` is called where it is taken, with the same bytes.
 *
 * Owner:  lk_crew_open/lk_crew_close; sources belong to the caller, who closes them once they were let go.
 * Errors: EOOM, EIO (no lock); of a lane those of its source, pack and unpack.  Threads that cannot be had are
 *         done without.
 * Thread: one takes.  From lk_crew_take_on to lk_crew_let_go a source and all that it writes to belong to the
 *         crew; what was written before an attempt came out may be read.
 * Cost:   of a lane, from its first use on, slots x batch attempts and what travels beside them.  */
#ifndef LK_ORDER_CREW_H
#define LK_ORDER_CREW_H

#include "base/buf.h"
#include "model/attempt.h"

#define LK_CREW_NO_LANE SIZE_MAX

typedef struct lk_crew lk_crew;

typedef struct lk_crew_options {
    size_t threads; /* 0 = the taker reads all */
    size_t lanes;
    size_t slots, batch; /* batches of a lane, attempts of a batch */
    /* Both NULL = attempts alone. */
    lk_code (*pack)(void *ctx, size_t lane, lk_attempt *a, lk_buf *side, lk_err *e);
    lk_code (*unpack)(void *ctx, size_t lane, lk_attempt *a, lk_slice side, lk_err *e);
    void *ctx;
} lk_crew_options;

LK_MUST_CHECK lk_code lk_crew_open(const lk_crew_options *options, lk_crew **out, lk_err *e);
void lk_crew_close(lk_crew *c); /* NULL is fine; what was not let go is not read any more */

/* One that is free; LK_CREW_NO_LANE: there is none, or no memory for it. */
size_t lk_crew_find_lane(lk_crew *c);
/* By that lane the source is read from now on. */
void lk_crew_take_on(lk_crew *c, size_t lane, lk_source *source);
LK_MUST_CHECK lk_step lk_crew_next(lk_crew *c, size_t lane, lk_attempt *out, lk_err *e);
/* Waits for the read that is under way; the lane is free for another. */
void lk_crew_let_go(lk_crew *c, size_t lane);

#endif
