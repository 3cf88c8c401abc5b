/* sim/contention_lab — contention runs measured: means over runs, the frontier of base and cap, and
 * the sleeps by retry.  */
#ifndef LK_SIM_CONTENTION_LAB_H
#define LK_SIM_CONTENTION_LAB_H

#include "sim/contention.h"
#include "sim/lab.h"

typedef enum lk_measure {
    LK_MEASURE_ATTEMPTS,   /* a client                                     */
    LK_MEASURE_MAKESPAN,
    LK_MEASURE_LATENCY,    /* of the served; over runs that did not collapse */
    LK_MEASURE_GOODPUT,    /* successes per unit of time                   */
    LK_MEASURE_SERVED,     /* share of the clients                         */
    LK_MEASURE_COLLAPSED,  /* share of the runs                            */
    LK_MEASURE_DRAINED,    /* share of the runs                            */
    LK_MEASURE_DRAIN_TIME, /* of those that drained                        */
    LK_MEASURES
} lk_measure;

/* out[LK_MEASURES] */
LK_MUST_CHECK lk_code lk_contention_measure(lk_lab *lab, unsigned runs,
                                            const lk_contention_options *options, lk_estimate *out,
                                            lk_err *e);

typedef struct lk_frontier {
    const char *policy; /* "fixed window" first, then the policies with jitter */
    double base, cap;   /* NAN: none */
    lk_estimate latency;
} lk_frontier;

enum { LK_FRONTIER_ROWS = 4 };

/* The least mean latency of a burst over bases .25 ... 64 and caps 100, 1000, none; and over windows. */
LK_MUST_CHECK lk_code lk_contention_frontier(lk_lab *lab, unsigned runs, lk_conflict conflict,
                                             unsigned burst, lk_frontier *out, lk_err *e);

enum { LK_SLEEPS_P10, LK_SLEEPS_P50, LK_SLEEPS_P90, LK_SLEEPS_AT_CAP, LK_SLEEPS };

/* out[LK_SLEEPS]: quantiles of retry `retry` (from 1) over runs of 1,000 chains. */
LK_MUST_CHECK lk_code lk_sleeps_measure(lk_lab *lab, unsigned runs, const lk_sampler *policy,
                                        unsigned retry, lk_estimate *out, lk_err *e);

#endif
