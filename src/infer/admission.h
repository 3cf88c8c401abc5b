/* infer/admission — what decides which of a population's requests the server serves: an allowance that
 * refills, a quota of each minute, or a share that the population has no hand in.
 *
 * The arrivals as logged are sent through each of them again; what it would have served is compared
 * with what was.  The difference matters for what another policy would do: spread arrivals help
 * against an allowance and not against an outage.
 *
 * Shapes: asked[n], served[n] of bins of bin_s each; share[n].
 * Units:  requests a second; bucket in requests.
 * Cost:   a few hundred passes over the bins that have arrivals.
 * Source: replay of a token bucket and of a fixed window; penalised likelihood (BIC).  */
#ifndef LK_INFER_ADMISSION_H
#define LK_INFER_ADMISSION_H

#include "base/arena.h"
#include "base/err.h"

#include <stddef.h>
#include <stdint.h>

typedef enum lk_admission_kind {
    LK_ADMISSION_OPEN = 0, /* nothing was refused */
    LK_ADMISSION_BUCKET,
    LK_ADMISSION_WINDOW, /* so many in each whole minute */
    LK_ADMISSION_SHARE   /* whoever asks, and however much */
} lk_admission_kind;

typedef struct lk_admission {
    lk_admission_kind kind;
    double per_s, bucket; /* NAN where the kind has none */
    double ln_likelihood; /* less its penalty */
} lk_admission;

typedef struct lk_asked_served {
    size_t n;
    double bin_s;
    double phase_s;              /* of bin 0 in its minute */
    const double *asked, *served; /* [n] */
} lk_asked_served;

/* A log-likelihood is worth so much less for each parameter more: half the logarithm of the bins in use. */
double lk_admission_penalty(const lk_asked_served *a);

/* Refused shares that are constant over stretches, no more of them than the requests' fates bear out. */
typedef struct lk_shares {
    size_t count;
    double ln_likelihood; /* of each request's fate; no penalty taken off */
} lk_shares;

/* The log-likelihood of so many requests' fates at the share that they have. */
double lk_share_likelihood(double asked, double served);

/* refused[n]. */
LK_MUST_CHECK lk_code lk_admission_shares(const lk_asked_served *a, lk_arena *scratch, lk_shares *out,
                                          double *refused, lk_err *e);

/* The best of them.  share[n] is filled with the refused share around each bin, whatever is best. */
LK_MUST_CHECK lk_code lk_admission_fit(const lk_asked_served *a, lk_arena *scratch,
                                       lk_admission *out, double *share, lk_err *e);

/* How well one allowance for all of them explains what each got, to be compared with the sum of their
 * own likelihoods; *out is of them together. */
LK_MUST_CHECK lk_code lk_admission_fit_shared(const lk_asked_served *each, size_t count,
                                              lk_arena *scratch, lk_admission *out, lk_err *e);

#endif
