/* measure/comeback_log — the delays after which callers came back, by population and layer: counts of
 * all of them, and a bounded sample of whole calls.
 *
 * The sample keeps the comebacks whose callers, then calls, have the smallest published hashes: a
 * function of the set alone, whatever the order, the threads or the pieces it came in.
 *
 * Owner:  lk_comeback_log_init/lk_comeback_log_release.
 * Errors: EOOM is kept until lk_comeback_log_evidence, so that adding needs no check.
 * Cost:   at most LK_COMEBACK_GROUPS populations and layers of LK_COMEBACK_SAMPLE comebacks of 64
 *         bytes; O(log n) an addition, O(1) once the sample is full and the hash is large.  */
#ifndef LK_MEASURE_COMEBACK_LOG_H
#define LK_MEASURE_COMEBACK_LOG_H

#include "base/arena.h"
#include "base/err.h"
#include "model/evidence.h"

enum { LK_COMEBACK_GROUPS = 128, LK_COMEBACK_SAMPLE = 4096 };

typedef struct lk_comeback_group {
    lk_comeback_set set;
    lk_comeback *sample; /* a heap, largest first; by caller, call, retry in the end */
    size_t count, cap;
} lk_comeback_group;

typedef struct lk_comeback_log {
    lk_comeback_group *groups[LK_COMEBACK_GROUPS];
    size_t count;
    size_t last;     /* the group that was added to */
    uint64_t folded; /* comebacks of groups past the bound */
    bool failed;     /* memory ran out */
} lk_comeback_log;

void lk_comeback_log_init(lk_comeback_log *c);
void lk_comeback_log_release(lk_comeback_log *c);
void lk_comeback_log_add(lk_comeback_log *c, const lk_comeback *comeback);
void lk_comeback_log_merge(lk_comeback_log *c, const lk_comeback_log *other);

/* Sets by number of comebacks, most first; the result borrows c, to which nothing is added any more. */
LK_MUST_CHECK lk_code lk_comeback_log_evidence(lk_comeback_log *c, lk_arena *arena,
                                               lk_evidence *out, lk_err *e);

#endif
