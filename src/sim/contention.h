/* sim/contention — clients that need one success each from a server that conflicts spoil.
 *
 * An attempt takes one unit of time alone on the server; a client whose attempt failed sleeps as its
 * policy draws, from the end of the attempt, and tries again.  First attempts start at arrival.
 *
 * collisions   an attempt occupies [t, t + 1) and succeeds when no other overlaps it; touching ends
 *              do not overlap.
 * free         failures free: the version read at the start is unchanged at t + 1; first commit wins,
 *              a loser runs to its own end.  (Hence the verdict is known at the start: it succeeds
 *              when no attempt that will succeed is in progress.)
 * shared       failures use capacity: the version rule under egalitarian processor sharing; n in
 *              flight each progress at rate 1/n, doomed ones to their ends.
 * no-conflict  processor sharing where every completion is a success.
 *
 * At equal times ends come before starts, sleepers before arrivals, each first in, first out.
 *
 * Units:  one attempt alone = 1; rates per unit.  Two events an attempt: its start and its end.
 * Errors: EOOM; EUSAGE options that never end.
 * Thread: a simulator is one thread's; the same (options, seed, stream) gives the same result.
 * Cost:   40 bytes a client in the system, the wheel's 260 KiB.
 * Source: "The Cap Is Doing the Work" (S2), with the exponents restored: window base * 2^(k-1) before
 *         retry k.  `collapsed` and `drained` are inferred rules: the study does not print them.  */
#ifndef LK_SIM_CONTENTION_H
#define LK_SIM_CONTENTION_H

#include "sim/sampler.h"

#include "base/err.h"

#include <stdbool.h>

typedef enum lk_conflict {
    LK_CONFLICT_COLLISIONS = 0,
    LK_CONFLICT_FREE,
    LK_CONFLICT_SHARED,
    LK_CONFLICT_NONE
} lk_conflict;

extern const char *const LK_CONFLICT_NAMES[]; /* ends with NULL */

typedef struct lk_contention_options {
    lk_conflict conflict;
    const lk_sampler *policy; /* a client leaves after params.attempts failures, if bounded */
    unsigned burst;         /* clients at time 0                                     */
    double rate;            /* of the Poisson arrivals                               */
    double horizon;         /* the run ends here at the latest; INFINITY = when empty */
    unsigned waiting_max;   /* collapsed: this many in the system; 0 = no rule       */
    double unfinished_max;  /* collapsed: more than this share of the arrivals unfinished at the
                               horizon; 1 = no rule                                  */
    double drained_every;   /* the run ends at the first multiple of this ...        */
    unsigned drained_most;  /* ... at which at most so many are in the system; every 0 = no rule */
    unsigned hopeless;      /* ends undrained when this many are in the system; 0 = no rule */
} lk_contention_options;

/* Of S2: 5 % unfinished or 3,000 waiting; 3 clients, looked at every 5 units. */
#define LK_CONTENTION_INIT                                                              \
    {                                                                                   \
        .conflict = LK_CONFLICT_COLLISIONS, .horizon = (double)INFINITY,                \
        .waiting_max = 0, .unfinished_max = 1, .drained_every = 0, .drained_most = 3    \
    }

typedef struct lk_contention_result {
    uint64_t arrivals, attempts, successes, failures, left; /* left: gave up */
    uint64_t in_system;   /* at the end                                     */
    uint64_t most;        /* in the system at once                          */
    double latency_sum;   /* of the successes: completion - arrival         */
    double makespan;      /* of the last success                            */
    double ended;         /* when the run ended                             */
    double drained;       /* when; negative = not                           */
    bool collapsed;
} lk_contention_result;

typedef struct lk_contention lk_contention;

LK_MUST_CHECK lk_code lk_contention_open(lk_contention **out, lk_err *e);
void lk_contention_close(lk_contention *c);

/* May be called again and again; memory is kept. */
LK_MUST_CHECK lk_code lk_contention_run(lk_contention *c, const lk_contention_options *options,
                                        uint64_t seed, uint64_t stream,
                                        lk_contention_result *out, lk_err *e);

#endif
