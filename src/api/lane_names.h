/* api/lane_names — the strings of attempts that are read ahead of their turn, under numbers of their own until it comes.
 *
 * The numbers that a run gives its user agents and targets, and which of them find room, follow the order in which
 * lines are read.  A reader that runs ahead numbers them for itself, in two small tables; when the turn of an
 * attempt comes they become those of the run, as if the line had been read then.  A string that finds no room in
 * the small tables travels beside its attempt.
 *
 * Owner:  lk_lane_names_init/lk_lane_names_release.
 * Errors: EOOM.
 * Thread: `own` and lk_lane_names_pack belong to who reads, the rest to who takes; own strings whose numbers were
 *         handed over stay where they are.
 * Cost:   150 KiB, and at most 0.7 MB of strings.  */
#ifndef LK_API_LANE_NAMES_H
#define LK_API_LANE_NAMES_H

#include "base/buf.h"
#include "model/attempt.h"

enum { LK_LANE_AGENTS = 256, LK_LANE_TARGETS = 1024 };

typedef struct lk_lane_names {
    lk_symbols own;
    lk_symbols *all; /* the run's */
    uint32_t agents[LK_LANE_AGENTS], targets[LK_LANE_TARGETS]; /* the run's number, + 1, of each; 0 = not asked yet */
} lk_lane_names;

LK_MUST_CHECK lk_code lk_lane_names_init(lk_lane_names *n, lk_symbols *all, lk_err *e);
void lk_lane_names_release(lk_lane_names *n);

/* Of an attempt made with `own`, before the next one is. */
LK_MUST_CHECK lk_code lk_lane_names_pack(lk_lane_names *n, lk_attempt *a, lk_buf *side, lk_err *e);
/* ... when its turn has come, with what was packed beside it. */
LK_MUST_CHECK lk_code lk_lane_names_unpack(lk_lane_names *n, lk_attempt *a, lk_slice side, lk_err *e);

#endif
