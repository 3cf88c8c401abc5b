/* sim/occ — optimistic writes to one versioned row over a noisy network.
 *
 * A client reads the version, then writes with it; each hop takes |Normal(mean, deviation)|; the
 * server's own work takes no time; a write succeeds when the version is unchanged.  After a failure
 * the client waits for the answer (a hop) and then as its policy says, and reads anew.
 *
 * Units:  seconds.
 * Errors: EOOM; EUSAGE nobody writes.
 * Source: the setting of "Exponential Backoff And Jitter" (M. Brooker, AWS Architecture Blog, 2015),
 *         from its description; windows there begin at twice the base.  */
#ifndef LK_SIM_OCC_H
#define LK_SIM_OCC_H

#include "sim/lab.h"
#include "sim/sampler.h"

typedef struct lk_occ {
    unsigned clients;
    double hop_s, deviation_s;
    const lk_sampler *policy;
} lk_occ;

enum { LK_OCC_COMPLETION, LK_OCC_WRITES, LK_OCC_PER_CLIENT, LK_OCC_MEASURES };

/* out[LK_OCC_MEASURES] */
LK_MUST_CHECK lk_code lk_occ_measure(lk_lab *lab, unsigned runs, const lk_occ *o, lk_estimate *out,
                                     lk_err *e);

#endif
