/* sim/saturation — callers that retry in layers before a server that does not admit them all.
 *
 * A task is one unit of work: it makes a call; a call is one or more attempts, spaced by a policy and
 * bounded by its attempt cap and its deadline; a failed call is made again after requeue_s, as a job
 * queue does, until queue_attempts calls have failed.  Every attempt is one request.
 *
 *     lk_saturation_options o = LK_SATURATION_INIT;
 *     lk_population batch = LK_POPULATION_INIT;
 *     batch.at_s = instants; batch.count = n; batch.policy = &sampler; ...
 *     o.populations = &batch; o.population_count = 1; o.server.quota = LK_QUOTA_BUCKET; ...
 *     LK_TRY(lk_saturation_run(&o, seed, run, &result, e)); ... lk_saturation_release(&result);
 *
 * Caller-side means, each off unless set: a concurrency limit (fixed, or adaptive: a tenth less on a
 * refusal, 1/limit more on a success) whose slot a task holds through its call's waits; pacing; a
 * retry budget (denied retries are parked: they draw another delay and ask again); a circuit breaker
 * (after so many failures in a row the caller waits breaker_open_s, then tries once); jitter before
 * the first attempt; a bound on Retry-After.
 *
 * Shapes: result.populations[population_count]; requests[bins], retries[bins].
 * Units:  seconds from 0; tokens as in sim/quota.
 * Owner:  options, instants and samplers are the caller's and are only read; the result is released.
 * Errors: EOOM; EUSAGE options that make no run, or more than requests_max requests, those
 * that a retry budget put off among them.
 * Thread: none shared; the same (options, seed, stream) gives the same result.
 * Cost:   90 bytes a task.
 * Source: S1's incident, and the outage of S3, the fleet of S4 and the lab of S5 as other settings.  */
#ifndef LK_SIM_SATURATION_H
#define LK_SIM_SATURATION_H

#include "sim/quota.h"
#include "sim/sampler.h"

#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { LK_SATURATION_ROUNDS = 64 };

typedef struct lk_population {
    const char *name;
    const double *at_s; /* [count] first attempts wanted, in any order */
    size_t count;
    double rate_per_s;  /* in place of at_s: Poisson arrivals while the run lasts (bystanders) */
    double cost;        /* tokens a request */
    double first_jitter_s; /* first attempts wait uniform(0, this) */
    double pace_s;      /* ... and are released at least this far apart */

    const lk_sampler *policy;  /* of a call; NULL: no retry; its attempts cap counts */
    double deadline_s;         /* no attempt starts later than this after the call's first; 0 = none */
    double retry_after_most_s; /* a longer Retry-After is taken as this; 0 = as it is */
    unsigned breaker_trips;    /* failures in a row that open it; 0 = no breaker */
    double breaker_open_s, breaker_jitter_s; /* open for open + uniform(0, jitter) */

    double requeue_s;          /* after a failed call; negative: the task is lost */
    double requeue_jitter_s;   /* plus uniform(0, this) */
    unsigned queue_attempts;   /* calls of a task; 0 = no bound */
    double leave_share;        /* of failed calls: the task is dropped by its owner */

    unsigned concurrency;      /* tasks at work at once; 0 = no limit */
    bool adaptive;             /* `concurrency` is where it begins */
    double budget, budget_per_s, budget_per_success; /* retries: depth, refill; depth 0 = none */

    size_t pool;                 /* an allowance of its own, behind the server's: pools[pool - 1]; 0 = none */
    const double *refused_share; /* [refused_count] refused whatever anybody does, in bins from time 0; NULL = none */
    size_t refused_count;
    double refused_bin_s;
    double service_s, refusal_s; /* in place of the server's; negative = as the server's */
} lk_population;

#define LK_POPULATION_INIT                                                            \
    {                                                                                 \
        .name = "callers", .cost = 1, .requeue_s = -1, .service_s = -1, .refusal_s = -1 \
    }

/* One request, told as it starts: starts do not go back. */
typedef struct lk_sat_attempt {
    double start_s, end_s;
    double wanted_s;      /* when its task was first wanted */
    double retry_after_s; /* negative = none */
    size_t population;
    uint64_t caller;      /* task number in its population */
    uint64_t call;        /* distinct over the run */
    unsigned call_no;     /* of the task, 1-based */
    unsigned attempt_no;  /* of the call, 1-based */
    unsigned status;      /* 200, 429, 503 */
} lk_sat_attempt;

/* One call that is over. */
typedef struct lk_sat_call {
    double start_s, end_s;
    size_t population;
    uint64_t caller, call;
    unsigned attempts;
    bool ok;
} lk_sat_call;

typedef struct lk_sat_observer {
    void *context;
    void (*attempt)(void *context, const lk_sat_attempt *a); /* may be NULL */
    void (*call)(void *context, const lk_sat_call *c);       /* may be NULL */
} lk_sat_observer;

typedef struct lk_saturation_options {
    const lk_population *populations;
    size_t population_count;
    lk_server_options server;
    const lk_server_options *pools; /* [pool_count] */
    size_t pool_count;
    double span_s;        /* the run ends here, or when every counted task is over */
    double bin_s;         /* of the series */
    uint64_t requests_max;
    lk_sat_observer observer;
} lk_saturation_options;

#define LK_SATURATION_INIT                                                           \
    {                                                                                \
        .server = LK_SERVER_INIT, .span_s = 86400, .bin_s = 1, .requests_max = 200000000 \
    }

typedef struct lk_population_result {
    uint64_t tasks, calls, requests, refused; /* refused: 429 and 503 */
    uint64_t refused_in_outage;
    uint64_t failed_calls, recovered_calls;
    uint64_t done, lost, left, open; /* tasks: served; given up; dropped; under way at the end */
    double last_done_s;              /* 0: none */
    double *took_s;                  /* [done] from wanted to served, ascending */
    double *done_s;                  /* [done] instants, in order */
    double took_mean_s;
    uint64_t calls_by_no[LK_SATURATION_ROUNDS];    /* first attempts of call 1, 2, ...: the waves */
    uint64_t requests_by_no[LK_SATURATION_ROUNDS]; /* attempt 1, 2, ... of a call */
} lk_population_result;

typedef struct lk_saturation_result {
    lk_population_result *populations; /* [population_count] */
    size_t population_count;
    uint64_t requests, refused;
    double billed;   /* tokens */
    double ended_s;
    uint32_t *bins, *retry_bins; /* [bin_count] requests, and those that are not first attempts of a task */
    size_t bin_count;
    double bin_s;
} lk_saturation_result;

LK_MUST_CHECK lk_code lk_saturation_run(const lk_saturation_options *options, uint64_t seed,
                                        uint64_t stream, lk_saturation_result *out, lk_err *e);
void lk_saturation_release(lk_saturation_result *r);

/* Largest bin of `bins` (or `retry_bins`) whose start lies in [from_s, until_s), per second. */
double lk_saturation_peak_per_s(const lk_saturation_result *r, const uint32_t *bins, double from_s,
                                double until_s);
/* Of took_s; NAN: nobody was served. */
double lk_population_quantile_s(const lk_population_result *p, double q);

#endif
