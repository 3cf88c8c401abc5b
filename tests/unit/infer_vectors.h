/* infer_vectors — known answers of the Python reference for the pieces of infer/ (see
 * testdata/README.md, infer).  */
#ifndef LK_TESTS_INFER_VECTORS_H
#define LK_TESTS_INFER_VECTORS_H

#include "unit.h"

#include <math.h>
#include <stdlib.h>

/* clang-format off */
static const double VECTOR_COUNTS[48] = {
    1, 2, 0, 1, 1, 21, 1, 1, 1, 2, 0, 1, 0, 2, 2, 1, 2, 15, 2, 2, 2, 2, 1, 1,
    0, 0, 1, 1, 2, 10, 2, 2, 0, 1, 1, 2, 1, 1, 1, 2, 0, 9, 1, 1, 1, 0, 1, 2,
};
/* clang-format on */

static inline bool is_close(double have, double want, double share)
{
    return fabs(have - want) <= share * fabs(want);
}

/* A file of "instant TAB status TAB caller" lines: testdata/infer/herd-12s.tsv. */
typedef struct vector_trace {
    double at_s[2000];
    int status[2000];
    uint32_t caller[2000];
    size_t n;
} vector_trace;

static inline void vector_trace_read(vector_trace *t)
{
    FILE *f = fopen("testdata/infer/herd-12s.tsv", "r");

    assert_non_null(f);
    while (t->n < ROWS(t->at_s) &&
           fscanf(f, "%lf %d %u", &t->at_s[t->n], &t->status[t->n], &t->caller[t->n]) == 3)
        t->n++;
    (void)fclose(f);
    assert_int_equal(t->n, 1331);
}

static inline bool vector_is_rejected(int status)
{
    return status == 429 || status == 502 || status == 503 || status == 504 || status == 529;
}

/* Counts in bins of `bin_s` over `n` bins; stamps cut to `resolution_s`. */
static inline void vector_trace_bins(const vector_trace *t, bool only_rejected, double resolution_s,
                                     double bin_s, double *x, size_t n)
{
    memset(x, 0, n * sizeof(*x));
    for (size_t i = 0; i < t->n; i++) {
        double at = floor(t->at_s[i] / resolution_s + 1e-6) * resolution_s;
        size_t bin = (size_t)(at / bin_s + 1e-6);

        if (!only_rejected || vector_is_rejected(t->status[i]))
            x[bin < n ? bin : n - 1] += 1.0;
    }
}

#endif
