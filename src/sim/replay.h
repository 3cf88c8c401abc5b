/* sim/replay — an incident simulated anew from its report: as it was, and under another policy.
 *
 * A world is built of the report's workload: each population wants its first attempts when it wanted
 * them, comes back by the policy that was fitted to it (or, where none fits, by the delays that were
 * seen), is requeued as it was, and meets the admission that explains what it was refused.  A change
 * is made to some of the callers; the others stay as they are and meet the same server.
 *
 *     lk_replay world;
 *     LK_TRY(lk_replay_init(&world, report, &change, e));        (what is missing, in *e)
 *     LK_TRY(lk_replay_run(&world, NULL, runs, &lab, before, e));
 *     LK_TRY(lk_replay_run(&world, &change, runs, &lab, after, e));
 *
 * Shapes: estimates[LK_REPLAY_MEASURES].
 * Units:  seconds; requests and tasks are counts; shares 0..1.
 * Owner:  plain data that borrows the report.
 * Errors: EDATA the report does not hold what is needed; EUSAGE no such population; EOOM.
 * Cost:   a run makes every request of the incident: some 10 million a second.  `tasks_most` thins larger
 *         ones evenly, allowances with them.  */
#ifndef LK_SIM_REPLAY_H
#define LK_SIM_REPLAY_H

#include "model/policy.h"
#include "model/report.h"
#include "sim/lab.h"
#include "sim/sampler.h"
#include "sim/saturation.h"

/* What changes.  0, NULL, NAN: as it was. */
typedef struct lk_change {
    const char *population; /* NULL: those that come back in waves, or all that retry; "all": all that retry */
    double share;           /* of their callers; NAN = all */
    lk_policy_choice policy; /* of a call; row NULL: as it was */
    unsigned attempts;      /* of a call */
    unsigned concurrency;   /* tasks of the population at work at once */
    double deadline_s;      /* no attempt starts later after the call's first */
    double first_jitter_s;  /* first attempts wait uniform(0, this) */
    double pace_s;          /* first attempts are this far apart at least */
    double requeue_jitter_s; /* a requeue waits uniform(0, this) longer */
    unsigned queue_attempts; /* calls of a task */
    double budget;          /* retries for each first attempt, a share */
    unsigned breaker_trips; /* failures in a row that open a breaker ... */
    double breaker_open_s;  /* ... for this and uniform(0, this) */
    double allowance_per_s, bucket; /* what the server admits of them, in both worlds */
} lk_change;

#define LK_CHANGE_INIT                                                                        \
    {                                                                                         \
        .share = (double)NAN, .policy = { NULL, LK_POLICY_PARAMS_INIT },                      \
        .deadline_s = (double)NAN, .first_jitter_s = (double)NAN, .pace_s = (double)NAN,      \
        .requeue_jitter_s = (double)NAN, .budget = (double)NAN, .breaker_open_s = (double)NAN, \
        .allowance_per_s = (double)NAN, .bucket = (double)NAN                                 \
    }

enum {
    /* of those that change */
    LK_REPLAY_REQUESTS,
    LK_REPLAY_REJECTED, /* share of these */
    LK_REPLAY_CALLS,
    LK_REPLAY_FAILED_CALLS,
    LK_REPLAY_LOST, /* tasks given up */
    LK_REPLAY_OPEN, /* tasks under way when the run was ended */
    LK_REPLAY_DONE,
    LK_REPLAY_DRAIN, /* first failure in the log until nobody fails, waits or queues any more */
    LK_REPLAY_CALL_MEAN,
    LK_REPLAY_CALL_P99,
    LK_REPLAY_TASK_MEAN, /* from when it was wanted */
    LK_REPLAY_TASK_P99,
    LK_REPLAY_PEAK, /* requests of everybody in the fullest second */
    /* of the others, from when the waves were set off */
    LK_REPLAY_BYSTANDER_REQUESTS,
    LK_REPLAY_BYSTANDERS, /* share rejected */
    LK_REPLAY_MEASURES
};

enum { LK_REPLAY_ROWS = LK_CROWDS_SHOWN };

/* How a population was taken to come back. */
typedef struct lk_replay_row {
    const lk_report_crowd *crowd;
    const lk_report_policy *call, *job; /* NULL = none */
    lk_sampler sampler;
    bool retries, is_changed;
    bool by_delays; /* no policy fits: drawn from the delays that were seen */
    double requeue_s, requeue_spread_s; /* negative: not requeued */
} lk_replay_row;

typedef struct lk_replay {
    const lk_report *report;
    lk_replay_row rows[LK_REPLAY_ROWS];
    size_t count, changed;
    double zero_s;   /* instant 0 of a run, from the workload's start; at a whole minute */
    double retry_after_s;
    double allowance_per_s, bucket; /* given */
    double tasks_most; /* a run is thinned above this; INFINITY */
    double requests_most; /* a run that makes more fails with EUSAGE */
    bool alone;        /* those who change (and who share an allowance with them) only */
} lk_replay;

LK_MUST_CHECK lk_code lk_replay_init(lk_replay *w, const lk_report *r, const lk_change *change,
                                     lk_err *e);

/* change NULL: the world as it was. */
LK_MUST_CHECK lk_code lk_replay_run(const lk_replay *w, const lk_change *change, unsigned runs,
                                    lk_lab *lab, lk_estimate *out, lk_err *e);

/* The same measures as the log shows them; NAN where it does not. */
void lk_replay_observed(const lk_replay *w, double *out);

#endif
