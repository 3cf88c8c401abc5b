/* format/aws_balancer — the columns that both load balancers of AWS log, from the stamp on.
 *
 *     stamp name client:port target:port t1 t2 t3 status target-status received sent "request"
 *     "user agent" and the rest.
 *
 * Units:  ns; timers are logged in seconds, -1 where the request reached no target.
 * Owner:  slices point into the line.
 * Errors: LK_REJECT_UNRECOGNISED no such line; TIMESTAMP, STATUS one whose stamp or status cannot be
 *         read (a TCP listener's has none); CUT the line ends before its request does.
 * Source: awsdocs, access logs of Application and Classic Load Balancers.  */
#ifndef LK_FORMAT_AWS_BALANCER_H
#define LK_FORMAT_AWS_BALANCER_H

#include "format/fields.h"

enum { LK_BALANCER_TIMERS = 3 };

typedef struct lk_balancer {
    lk_slice rest;    /* behind the user agent */
    int64_t timed_ns; /* sum of the timers; -1 = not all ran */
} lk_balancer;

/* Fills all of *out but moment, took_ns and ids; *out is initialised here. */
bool lk_balancer_read(lk_slice from_stamp, lk_balancer *b, lk_fields *out, lk_reject *why);

#endif
