/* measure/asked — the Retry-After values that rejections carried, and their forms.
 *
 * A date counts as the seconds that were left, rounded up: both it and the stamps are cut.
 *
 * A commutative monoid while at most LK_ASKED_MAX different values were seen; further ones are
 * counted together.
 * Units: ns.
 * Owner: plain data.  */
#ifndef LK_MEASURE_ASKED_H
#define LK_MEASURE_ASKED_H

#include "base/arena.h"
#include "model/attempt.h"
#include "model/report.h"

enum { LK_ASKED_MAX = 256, LK_ASKED_SHOWN = 20 };

typedef struct lk_asked {
    int64_t value_ns[LK_ASKED_MAX];
    uint64_t count[LK_ASKED_MAX];
    size_t values;
    uint64_t rejections, with_header, zero;
    uint64_t shown; /* rejections of which the log would show a Retry-After */
    uint64_t form[LK_ASKED_FORMS]; /* of with_header */
} lk_asked;

void lk_asked_init(lk_asked *s);
void lk_asked_add(lk_asked *s, const lk_attempt *a);
void lk_asked_merge(lk_asked *s, const lk_asked *other);

/* The log would have shown a Retry-After on every rejection. */
bool lk_asked_is_logged(const lk_asked *s);

/* The most frequent values, at most LK_ASKED_SHOWN. */
LK_MUST_CHECK lk_code lk_asked_report(const lk_asked *s, lk_arena *arena, lk_report *r, lk_err *e);

#endif
