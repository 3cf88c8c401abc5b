/* infer/timetable — callers that step by a constant whether they are answered or not: cron lines, health
 * checks, scrapes, pollers.
 *
 * Two witnesses: one caller whose bursts begin at equal intervals, many times; and many callers that
 * share a constant after good answers.
 *
 * Shapes: at most LK_SCHEDULES_MAX, strongest first; beat[count] ascending.
 * Units:  seconds after the first arrival.
 * Owner:  the arena given; it must not be the scratch.
 * Errors: EOOM.
 * Source: ours.  */
#ifndef LK_INFER_TIMETABLE_H
#define LK_INFER_TIMETABLE_H

#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"
#include "infer/strides.h"
#include "infer/timing.h"
#include "infer/waves.h"

#include <stdbool.h>
#include <stddef.h>

enum { LK_SCHEDULES_MAX = 16 };

typedef struct lk_schedule {
    double period_s, period_error_s, ln_p;
    size_t callers;
    lk_beat *beat; /* the callers' arrivals, one a burst, numbered by round */
    size_t count;
    size_t *stride;   /* [callers] one of each, to name it by  */
    double strict;    /* share of the callers' intervals that are one period */
    double resultant; /* of the callers' phases               */
    bool together;    /* one caller, or many at one phase     */
    size_t failed;    /* of the beats                         */
    bool *member;     /* [unit_count] */
} lk_schedule;

typedef struct lk_schedules {
    lk_schedule item[LK_SCHEDULES_MAX];
    size_t count;
} lk_schedules;

typedef struct lk_schedule_search {
    double span_s, ln_trials, ln_threshold;
    lk_period_range range; /* 0 = as the stamps and the span allow */
    lk_buf *steps;         /* NULL = nobody asks */
} lk_schedule_search;

LK_MUST_CHECK lk_code lk_schedules_find(const lk_strides *s, const lk_schedule_search *how,
                                        lk_arena *a, lk_arena *scratch, lk_schedules *out,
                                        lk_err *e);

#endif
