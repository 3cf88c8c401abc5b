/* sim/quota — what a server admits: an outage, an allowance of tokens, a request rate, a concurrency
 * limit.
 *
 * A request is looked at in this order: the server is down (503); its request-rate bucket is empty
 * (429; requests refused further on have drawn on it); too many are in service (503); its tokens are
 * not there (429).
 *
 * Units:  seconds; tokens are whatever the allowance counts (requests where every cost is 1).
 * Owner:  plain data.  */
#ifndef LK_SIM_QUOTA_H
#define LK_SIM_QUOTA_H

#include <stdbool.h>

typedef enum lk_quota_kind {
    LK_QUOTA_NONE = 0, /* everything is admitted            */
    LK_QUOTA_BUCKET,   /* token bucket                      */
    LK_QUOTA_WINDOW,   /* so many tokens in each fixed window, counted from time 0 */
    LK_QUOTA_ZERO      /* nothing is admitted */
} lk_quota_kind;

typedef struct lk_server_options {
    lk_quota_kind quota;
    double allowance_per_s;           /* tokens */
    double depth;                     /* of the bucket; tokens */
    double initial;                   /* in the bucket at time 0; negative = full */
    double window_s;                  /* of the fixed window */
    double requests_per_s, requests_depth; /* the second bucket; rate 0 = none */
    double requests_from_s;                /* it is drawn on from then on */
    double requests_refused_cost;          /* what it takes for a request that it refuses */
    double requests_refund;                /* what it gets back for one that is refused further on */
    double requests_debt;                  /* it owes no more than that */
    unsigned in_service_max;          /* 0 = no limit */
    double down_from_s, down_until_s; /* nothing is served in [from, until) */
    double service_s, refusal_s;      /* how long an answer takes, a success or a refusal ... */
    double answer_spread_s;           /* ... plus uniform(0, this) */
    double retry_after_s;             /* on refusals; negative = none */
    double retry_after_spread_s;      /* the server itself adds uniform(0, this) */
} lk_server_options;

#define LK_SERVER_INIT                                                          \
    {                                                                           \
        .quota = LK_QUOTA_NONE, .initial = -1, .window_s = 60, .retry_after_s = -1 \
    }

typedef struct lk_server {
    lk_server_options o;
    double tokens, filled_s;
    double used, window; /* of the fixed window: tokens spent, its number */
    double requests, requests_filled_s;
    unsigned in_service;
    double billed; /* tokens of admitted requests */
} lk_server;

void lk_server_init(lk_server *s, const lk_server_options *options);

/* The status of a request that comes at at_s and costs so many tokens: 200, 429 or 503.  Instants
 * must not go back.  What is admitted is in service until lk_server_done. */
unsigned lk_server_take(lk_server *s, double at_s, double cost);
void lk_server_done(lk_server *s);

/* In place of lk_server_done: something that stands behind this server refused what it admitted. */
void lk_server_refused(lk_server *s);

#endif
