/* infer/policy_model — how well a policy with its parameters explains comeback delays.
 *
 * A model is a row of model/policy with parameters, the errors on top, and what real callers add to
 * the rows: a first retry that keeps a delay of its own, from which the growth may count on or start
 * anew.  Three comebacks in a hundred may be explained by nothing (lost lines, other callers).
 *
 * Units:  seconds; log-likelihood natural.
 * Owner:  plain data.
 * Source: a mixture with an even spread over all delays seen for what no policy explains.  */
#ifndef LK_INFER_POLICY_MODEL_H
#define LK_INFER_POLICY_MODEL_H

#include "infer/policy_noise.h"
#include "model/policy.h"

#include <stdbool.h>
#include <stdint.h>

enum { LK_RETRIES_MAX = 64 };

/* Delays as arrays, one place a comeback. */
typedef struct lk_delay_set {
    size_t n;
    const double *delay_s;
    const unsigned *retry;     /* < LK_RETRIES_MAX */
    const double *previous_s;  /* NAN = not known  */
    const double *asked_s;     /* NAN = none       */
    const uint64_t *caller;    /* those of one caller together; NULL = not known */
    double grain_s;            /* of the stamps    */
    double longest_s;          /* of what is unexplained */
    bool asked_is_logged;      /* no asked_s means that nobody was told */
    bool is_linked;            /* by inference: first attempts of calls may be missing */
    const double *weight;      /* how many delays each stands for; NULL = one     */
} lk_delay_set;

typedef struct lk_policy_model {
    const lk_policy *policy;
    lk_policy_params params;
    double first_s; /* of the first retry, where it has its own; NAN = it has not */
    bool starts_after_first; /* the second retry is the first of the growth */
    double missed; /* share of the calls whose first attempt was not linked: they are one retry on */
} lk_policy_model;

typedef struct lk_policy_match {
    double log_likelihood;
    double support;  /* share of comebacks that the policy explains */
    double distance; /* Kolmogorov's, between the distributions seen and meant, in units of what chance
                        allows, of all comebacks and of those of each retry: the largest */
    double callers;  /* how much more callers differ than one policy lets them, in standard deviations */
} lk_policy_match;

/* A policy shrunk to another one is not that policy. */
bool lk_policy_model_is_sound(const lk_policy_model *m, unsigned retries);

/* Where the model puts comeback i. */
lk_spread lk_policy_model_spread(const lk_policy_model *m, const lk_delay_set *d, size_t i);

double lk_policy_log_likelihood(const lk_policy_model *m, const lk_delay_set *d,
                                const lk_noise *noise);

/* All of it; scratch holds 6 * d->n doubles. */
lk_policy_match lk_policy_match_of(const lk_policy_model *m, const lk_delay_set *d,
                                   const lk_noise *noise, double *scratch);

#endif
