/* sim/lab — runs of an experiment spread over threads, and what they say together.
 *
 * Run i draws from stream i of the seed, its measures stand in row i, and rows are summed in order:
 * the estimates do not depend on how many threads made them.
 *
 * Shapes: measures[runs][count] -> estimates[count]; NAN measures are left out of their column.
 * Owner:  plain data; the worker's state belongs to its functions.
 * Errors: EOOM, and the first (by run) error of a run.
 * Thread: lk_lab_run makes its own; `progress` is called from the caller's thread only.  */
#ifndef LK_SIM_LAB_H
#define LK_SIM_LAB_H

#include "base/err.h"

#include <stddef.h>
#include <stdint.h>

enum { LK_LAB_MEASURES = 96, LK_LAB_THREADS = 64 };

typedef struct lk_lab {
    uint64_t seed;
    unsigned threads;
    double scale; /* of the studies' numbers of runs: 1 = full size */
    void (*progress)(void *context, double share); /* of the whole; may be NULL */
    void *context;
    double done, step; /* shares of the whole: what came before, what the next experiment takes */
} lk_lab;

#define LK_LAB_INIT { .seed = 1, .threads = 1, .scale = 1, .step = 1 }

/* Mean over the runs, its standard error, and the standard deviation of one run. */
typedef struct lk_estimate {
    double mean, error, deviation; /* error NAN: one run only */
    uint64_t runs;                 /* that gave a number      */
} lk_estimate;

typedef struct lk_experiment {
    size_t count; /* measures of a run, at most LK_LAB_MEASURES */
    unsigned runs;
    const void *context;
    lk_code (*open)(const void *context, void **worker, lk_err *e); /* may be NULL */
    void (*close)(void *worker);
    lk_code (*run)(const void *context, void *worker, uint64_t seed, uint64_t stream,
                   double *measures, lk_err *e);
} lk_experiment;

LK_MUST_CHECK lk_code lk_lab_run(lk_lab *lab, const lk_experiment *x, lk_estimate *out, lk_err *e);

/* full scaled down, but at least `least`. */
unsigned lk_lab_runs(const lk_lab *lab, unsigned full, unsigned least);

#endif
