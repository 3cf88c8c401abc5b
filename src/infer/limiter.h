/* infer/limiter — what kind of limit refuses: read off the order of admitted and refused attempts.
 *
 * A fixed window admits until its count is used up, refuses all the rest of it, and admits again at its
 * end; a token bucket goes on admitting at its rate between refusals, more evenly than chance would.
 * What tells them apart is therefore only there where attempts come after a limit is reached: a wave
 * that is over at once fits both.
 *
 * Units:  ns; rates per second.
 * Errors: EOOM.
 * Cost:   one pass over the steps for each width tried.
 * Source: ours; the variance of counts against that of a binomial.  */
#ifndef LK_INFER_LIMITER_H
#define LK_INFER_LIMITER_H

#include "base/arena.h"
#include "model/evidence.h"
#include "model/report.h"

/* Whose attempts are looked at, and when. */
typedef struct lk_limited {
    bool all;            /* those of every population that was ever rejected */
    uint32_t population; /* else of this one */
    int64_t from_ns, to_ns;
} lk_limited;

typedef struct lk_limiter {
    const char *kind; /* "token-bucket", "fixed-window"; NULL = not told */
    double window_s;  /* NAN = no fixed window       */
    double rate_per_s; /* admitted by a bucket that stays empty, by windows that are used up; NAN = none */
    double rate_low, rate_high; /* half of the time between these */
} lk_limiter;

LK_MUST_CHECK lk_code lk_limiter_find(const lk_evidence *ev, const lk_limited *of,
                                      lk_arena *scratch, lk_limiter *out, lk_err *e);

/* How long the waves of a clock took to be refused, and what was admitted until then: medians; NAN =
 * no wave shows it. */
LK_MUST_CHECK lk_code lk_limiter_emptied(const lk_evidence *ev, const lk_limited *of,
                                         const lk_report_clock *clock, lk_arena *scratch,
                                         double *emptied_s, double *admitted, lk_err *e);

#endif
