/* infer/herd — the callers that come back on one constant: do they come together, and how often?
 *
 * A member is a failed attempt whose caller returned after the constant.  Links join a member to the
 * next of the same caller through failures only, so a link is one turn of the retry loop: at once
 * (the delay repeats: its own period) or over other delays (12 + 12 + 36: an outer cycle of 60).
 *
 * Shapes: member[count], by time of return; link[i] = the member that follows member i, or
 *         LK_NO_MEMBER.
 * Units:  seconds after the first arrival.
 * Owner:  the arena given.
 * Errors: EOOM.
 * Source: H-test on one phase a caller (callers, not requests, are independent).  */
#ifndef LK_INFER_HERD_H
#define LK_INFER_HERD_H

#include "base/arena.h"
#include "base/err.h"
#include "infer/peel.h"
#include "infer/strides.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define LK_NO_MEMBER SIZE_MAX

typedef struct lk_member {
    size_t stride; /* the failed attempt */
    double back_s; /* when it came back  */
    size_t link;
} lk_member;

typedef struct lk_herd {
    lk_constant constant;
    lk_member *member; /* all of them                           */
    size_t count;
    size_t from, to;               /* the largest episode, members [from, to) */
    size_t callers;                /* distinct, in the episode               */
    double delay_s, delay_error_s; /* end to start (start to start where no duration is logged) */
    double gap_s;                  /* start to start                         */
    double ln_sync;                /* that they come together                */
    double resultant;              /* 0 = evenly spread, 1 = at one moment   */
    double period_s;               /* of the recurrence; NAN = seen once only */
    bool is_cycle;                 /* the period spans other delays          */
    size_t links;                  /* that the period is the mean of         */
    size_t chances;                /* returns that failed and came again: could repeat the delay */
    double linked;                 /* share of the members that could repeat the delay and did */
} lk_herd;

/* A repeating herd's callers with all their comebacks within a fifth of the period: the sizes of its
 * waves, when its jitter reaches beyond the constant's own range. */
LK_MUST_CHECK lk_code lk_herd_widen(const lk_strides *s, const lk_herd *h, lk_arena *a,
                                    lk_arena *scratch, lk_herd *out, lk_err *e);

LK_MUST_CHECK lk_code lk_herd_gather(const lk_strides *s, const lk_constant *c, lk_arena *a,
                                     lk_arena *scratch, lk_herd *out, lk_err *e);

/* Do most comebacks of `inner` come from callers of `outer`? */
LK_MUST_CHECK lk_code lk_herd_is_of(const lk_strides *s, const lk_herd *inner, const lk_herd *outer,
                                    lk_arena *scratch, bool *out, lk_err *e);

#endif
