/* api/whatif — a question about an incident, its answer, and how that is shown.
 *
 * Units:  as sim/replay.
 * Owner:  plain data; texts are borrowed.  */
#ifndef LK_API_WHATIF_H
#define LK_API_WHATIF_H

#include "base/arena.h"
#include "base/buf.h"
#include "report/render.h"
#include "sim/replay.h"

typedef struct lk_whatif {
    const lk_report *report;
    lk_change change;
    unsigned runs;
    uint64_t seed;
    lk_replay replay;
    double observed[LK_REPLAY_MEASURES];
    lk_estimate before[LK_REPLAY_MEASURES], after[LK_REPLAY_MEASURES];
} lk_whatif;

/* The change as options of lockstep whatif, in the arena; NULL: no memory. */
const char *lk_whatif_words(const lk_change *c, lk_arena *arena);

/* A measure whose simulation is further from the log than it should be. */
typedef struct lk_whatif_doubt {
    const char *what; /* NULL = none */
    double observed, simulated;
    bool is_share;
} lk_whatif_doubt;

/* Does the simulated world as it was resemble the log?  The first measure of which it does not. */
lk_whatif_doubt lk_whatif_doubt_of(const lk_whatif *x);

LK_MUST_CHECK lk_code lk_whatif_text(const lk_whatif *x, const lk_style *style, lk_buf *out,
                                     lk_err *e);
LK_MUST_CHECK lk_code lk_whatif_json(const lk_whatif *x, lk_buf *out, lk_err *e);

#endif
