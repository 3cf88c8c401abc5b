/* sim/fleet — the fleet of S4 measured: until it is drained, and its third retry.  */
#ifndef LK_SIM_FLEET_H
#define LK_SIM_FLEET_H

#include "sim/crowds.h"
#include "sim/lab.h"

typedef struct lk_fleet {
    unsigned workers;
    double allowance_per_s, depth; /* the bucket is empty at the failure */
    double skew_s;                 /* an answer takes uniform(0, this)   */
} lk_fleet;

#define LK_FLEET_INIT { 400, 4000.0 / 60, 67, 0.05 }

enum {
    LK_FLEET_DRAINED, /* instant of the last success      */
    LK_FLEET_RETRIES, /* a worker                         */
    LK_FLEET_MEAN,    /* time from the failure to success */
    LK_FLEET_P99,
    LK_FLEET_GAVE_UP,
    LK_FLEET_ROUNDS,  /* the last retry that anybody made */
    LK_FLEET_ADMITTED_1, /* in round 1                    */
    LK_FLEET_ROUND_1, /* workers that make retry 1 ... 8  */
    LK_FLEET_MEASURES = LK_FLEET_ROUND_1 + 8
};
enum {
    LK_FLEET_THIRD_MEAN,   /* per second, over the width of the draws          */
    LK_FLEET_THIRD_SECOND, /* in the fullest second                            */
    LK_FLEET_THIRD_SLOT,   /* per second, in the fullest slot as wide as the skew */
    LK_FLEET_THIRD_AT_CAP, /* share of draws at the cap                        */
    LK_FLEET_DRAWS
};

lk_crowds lk_fleet_crowds(const lk_fleet *f, const lk_sampler *policy);

/* out[LK_FLEET_MEASURES], out[LK_FLEET_DRAWS] */
LK_MUST_CHECK lk_code lk_fleet_measure(lk_lab *lab, unsigned runs, const lk_fleet *f,
                                       const lk_sampler *policy, lk_estimate *out, lk_err *e);
LK_MUST_CHECK lk_code lk_fleet_third(lk_lab *lab, unsigned runs, const lk_fleet *f,
                                     const lk_sampler *policy, lk_estimate *out, lk_err *e);

#endif
