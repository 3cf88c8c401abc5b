/* order/ahead — a source that is read by a thread of its own, some batches ahead of who takes from it.
 *
 * It gives what the inner source gives, in the same order, and its end or failure at the same place.
 *
 * Owner:  it lives in the arena; its close waits for the read that is under way, ends the
 *         thread and closes the inner source.
 * Errors: EOOM, EIO (no lock).  Where no thread can be had, or no memory for its batches, who takes reads.
 * Thread: between open and close the inner source and all that it writes to belong to order/crew; what
 *         it wrote before an attempt came out may be read.
 * Cost:   4 batches of 512 attempts, 0.3 MB.  */
#ifndef LK_ORDER_AHEAD_H
#define LK_ORDER_AHEAD_H

#include "base/arena.h"
#include "model/attempt.h"

LK_MUST_CHECK lk_code lk_ahead_open(lk_source *inner, lk_arena *arena, lk_source **out,
                                    lk_err *e);

#endif
