/* peers — what others would do with the same trace; each gives a score (larger = surer) and a period.
 *
 * fisher      the highest ordinate of the plain periodogram, by Fisher's g
 * autoperiod  hints of the periodogram above what permutations give, confirmed by a hill of the
 *             autocorrelation (Vlachos, Yu & Castelli 2005)
 * gap_peak    the fullest cell among the gaps from a failure to the same caller's next request
 *
 * Source: Fisher 1929; Vlachos, Yu & Castelli, SDM 2005; the histogram everybody draws first.  */
#ifndef LK_BENCH_PEERS_H
#define LK_BENCH_PEERS_H

#include "base/arena.h"
#include "model/evidence.h"

#include <stdint.h>

typedef struct peer_answer {
    double score, period_s;
} peer_answer;

typedef struct peer {
    const char *name;
    peer_answer (*ask)(const lk_evidence *ev, uint64_t seed, lk_arena *scratch);
} peer;

extern const peer PEERS[]; /* ends with name == NULL */
enum { PEERS_MAX = 3 };

#endif
