/* measure/hops — a bounded sample of the steps that callers make from one attempt to their next.
 *
 * Callers are sampled, never single steps: a caller is in or out as a whole, by the published hash
 * of its address, so that threads, shards and the order of files do not matter.  Two pools: steps of
 * callers that failed before (or fail now), and steps of the others.
 *
 * Owner:  lk_hops_init/lk_hops_release.
 * Errors: EOOM.
 * Cost:   at most 98,304 steps of 80 bytes; past a pool's bound every second of its callers is let
 *         go (lk_evidence.hop_share_log2 says how often that happened to the first pool, calm_share_log2 to
 *         the second).  */
#ifndef LK_MEASURE_HOPS_H
#define LK_MEASURE_HOPS_H

#include "base/arena.h"
#include "model/evidence.h"
#include "base/err.h"

typedef struct lk_hop_pool {
    lk_hop *items;
    size_t count, cap, max;
    uint32_t share_log2;
} lk_hop_pool;

typedef struct lk_hops {
    lk_hop_pool failing, calm;
} lk_hops;

void lk_hops_init(lk_hops *h);
/* At most so many steps of both pools; before anything is added. */
void lk_hops_limit(lk_hops *h, size_t max);
void lk_hops_release(lk_hops *h);

/* has_failed: the caller failed with this attempt or before. */
LK_MUST_CHECK lk_code lk_hops_add(lk_hops *h, const lk_hop *hop, bool has_failed, lk_err *e);

/* False: a step of that caller would be let go. */
bool lk_hops_want(const lk_hops *h, uint64_t caller, bool has_failed);

/* Both pools by from_ns, then caller, gap and the rest; the result borrows h. */
LK_MUST_CHECK lk_code lk_hops_evidence(lk_hops *h, lk_arena *arena, lk_evidence *out, lk_err *e);

#endif
