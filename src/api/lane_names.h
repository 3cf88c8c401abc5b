/* api/lane_names — the strings of attempts that are read ahead of their turn, under numbers of their own until it comes.
 *
 * The numbers that a run gives its user agents and targets, and which of them find room, follow the order in which
 * lines are read.  A reader that runs ahead numbers them for itself, in two small tables; when the turn of an
 * attempt comes they become those of the run, as if the line had been read then.  A string that finds no room in
 * the small tables travels beside its attempt; so do the units of named layers and the value that a report is
 * broken down by, which are numbered at their turn.
 *
 * Owner:  lk_lane_names_init/lk_lane_names_release.
 * Errors: EOOM.
 * Thread: `own`, `beside` and lk_lane_names_pack belong to who reads, the rest to who takes; own strings whose numbers were
 *         handed over stay where they are.
 * Cost:   150 KiB, and at most 0.7 MB of strings.  */
#ifndef LK_API_LANE_NAMES_H
#define LK_API_LANE_NAMES_H

#include "base/buf.h"
#include "measure/above.h"
#include "measure/breakdown.h"
#include "model/attempt.h"

/* The run's. */
typedef struct lk_lane_tables {
    lk_symbols *symbols;
    lk_above *above;         /* NULL = no layers are named  */
    lk_breakdown *breakdown; /* NULL = no report by a field */
} lk_lane_tables;

enum { LK_LANE_AGENTS = 256, LK_LANE_TARGETS = 1024 };

typedef struct lk_lane_names {
    lk_symbols own;
    lk_buf beside; /* the reader's: of the line read last the units of each layer, then the value, then "r" where it was
                      rejected */
    lk_lane_tables all;
    uint32_t unit, value; /* of the line taken last, for all its tries */
    uint32_t agents[LK_LANE_AGENTS], targets[LK_LANE_TARGETS]; /* the run's number, + 1, of each; 0 = not asked yet */
} lk_lane_names;

LK_MUST_CHECK lk_code lk_lane_names_init(lk_lane_names *n, const lk_lane_tables *all, lk_err *e);
/* Where the texts of lines go that get their numbers later; NULL = there are none. */
lk_buf *lk_lane_names_beside(lk_lane_names *n);
void lk_lane_names_release(lk_lane_names *n);

/* Of an attempt made with `own`, before the next one is. */
LK_MUST_CHECK lk_code lk_lane_names_pack(lk_lane_names *n, lk_attempt *a, lk_buf *side, lk_err *e);
/* ... when its turn has come, with what was packed beside it. */
LK_MUST_CHECK lk_code lk_lane_names_unpack(lk_lane_names *n, lk_attempt *a, lk_slice side, lk_err *e);

#endif
