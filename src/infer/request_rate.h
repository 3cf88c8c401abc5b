/* infer/request_rate — a request rate that everybody's requests draw on, the refused ones too: why callers
 * who do nothing wrong are refused while others come back in waves.
 *
 * The rate is a bucket that may owe: what is served takes one token, what is refused (by it, or by an
 * allowance behind it) a part of one, and nobody is served until the debt is paid.  It is taken for real
 * only where it has closed and opened again more than once, as the waves would have it: one stretch of
 * refusals is an outage as well.
 *
 * How long it stays closed after a wave tells the ratio of its rate and a refusal's cost better than either.
 *
 * Shapes: asked[n] and served[n] of bins of one width.
 * Units:  requests a second; tokens are requests.
 * Errors: EOOM.
 * Cost:   some three thousand passes over the bins, most of them given up early.
 * Source: fluid replay of a token bucket; the likelihood of each request's fate.  */
#ifndef LK_INFER_REQUEST_RATE_H
#define LK_INFER_REQUEST_RATE_H

#include "infer/admission.h"

#include <stdbool.h>

typedef struct lk_request_rate {
    double per_s, depth;
    double refused_cost; /* of a token */
    double debt;         /* it owes no more than that */
} lk_request_rate;

/* others: those whose refusals are to be explained; waves: everybody else.  Bins from `from` on are looked
 * at; *found is false where no rate explains the refusals.  refused[n]: the share of a bin's time in which
 * there were no tokens. */
LK_MUST_CHECK lk_code lk_request_rate_fit(const lk_asked_served *waves, const lk_asked_served *others,
                                          size_t from, lk_arena *scratch, bool *found,
                                          lk_request_rate *out, double *refused, lk_err *e);

#endif
