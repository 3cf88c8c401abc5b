/* infer/series — a count series made fit for coherent sums: holes masked, variance stabilised.
 *
 * Shapes: x, y, hole [n]; bin i covers [i * bin_s, (i + 1) * bin_s) after the start.
 * Units:  x in attempts per bin, y = 2 sqrt(x + 3/8) (variance 1 for Poisson counts), `scale` the
 *         spread of y; holes hold the median of y.
 * Owner:  the arena given to lk_line_init.
 * Errors: EOOM.
 * Source: Anscombe 1948 for the transform; the rest ours.  */
#ifndef LK_INFER_SERIES_H
#define LK_INFER_SERIES_H

#include "base/arena.h"
#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct lk_line {
    const double *x;  /* counts                    */
    const double *y;  /* stabilised                */
    const double *up; /* [n + 1] sums of y before  */
    const bool *hole; /* no data were written here */
    size_t n;
    double bin_s, scale;
} lk_line;

/* Takes x as it is (it must live as long as the line) and fills the rest. */
LK_MUST_CHECK lk_code lk_line_init(lk_line *line, const double *x, size_t n, double bin_s,
                                   lk_arena *a, lk_err *e);

/* The line in bins `merge` times as wide; the bins that do not fill one are left out.  1 = as it is. */
LK_MUST_CHECK lk_code lk_line_widen(const lk_line *line, size_t merge, lk_arena *a, lk_line *out,
                                    lk_err *e);

/* out = y minus its centred running mean over `len` bins, 2 at least (at the ends the window stops
 * moving): nulls nothing at multiples of 1/len, so waves of that period stay whole. */
void lk_box(const double *y, size_t n, size_t len, double *out);

/* out[n] = the median of x over +-half bins, exact every half/3 bins and linear between.  `work` holds
 * 2 * half + 1 values. */
void lk_local_median(const double *x, size_t n, size_t half, double *out, double *work);

/* The clipped series that coherent sums use: (y - running mean over len) / scale in -3 .. 8. */
void lk_line_clipped(const lk_line *line, size_t len, float *out);

/* The bin of an instant after the start, 0 .. n. */
size_t lk_line_bin(const lk_line *line, double at_s);

/* The same line from bin `from` on, n bins; scale and holes are those of the whole. */
lk_line lk_line_part(const lk_line *line, size_t from, size_t n);

#endif
