/* infer/policy_fit — every policy fitted to a set of comeback delays, the best first.
 *
 * Starting values come from quantiles of each retry, and round constants near them; the best few of a
 * thinned set are refined on the whole one, one parameter at a time.  The choice is by
 * log-likelihood less half a logarithm of n for each parameter (BIC).
 *
 * Units:  seconds.
 * Errors: EOOM.
 * Cost:   about 20 ms for a thousand delays.
 * Thread: pure; sums in a fixed order.
 * Source: Schwarz, "Estimating the Dimension of a Model" (1978).  */
#ifndef LK_INFER_POLICY_FIT_H
#define LK_INFER_POLICY_FIT_H

#include "infer/policy_model.h"

enum { LK_FITS_MAX = 10, LK_FIT_DELAYS_MAX = 1000, LK_LAGS_MAX = 4 };

typedef struct lk_policy_fitted {
    lk_policy_model model;
    double cost; /* -log-likelihood + penalty */
    double lag_s;
    lk_policy_match match;
} lk_policy_fitted;

/* At most one a policy, cheapest first; *count may be 0. */
LK_MUST_CHECK lk_code lk_policy_fit(const lk_delay_set *d, lk_arena *scratch,
                                    lk_policy_fitted fits[LK_FITS_MAX], size_t *count, lk_err *e);

/* The errors that a fit is judged with. */
LK_MUST_CHECK lk_code lk_policy_noises(const lk_delay_set *d, lk_arena *a,
                                       lk_noise *noises[LK_LAGS_MAX], size_t *count, lk_err *e);

/* The place of the i-th of `taken` <= `all`: one of each share, drawn, for calls of equal length would meet even
 * steps with one retry alone. */
size_t lk_thinned(size_t i, size_t all, size_t taken);

/* The factor itself, or the nearest one that people set, within that share of it. */
double lk_common_growth(double factor, double tolerance);

/* x itself, or a round constant so near that the delays do not tell them apart. */
double lk_round_constant(double x, double tolerance);

#endif
