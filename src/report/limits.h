/* report/limits — what a bound made coarser, a sentence each: of every renderer the same.
 *
 * Sentences begin with a number, or in lower case, and have no full stop.  */
#ifndef LK_REPORT_LIMITS_H
#define LK_REPORT_LIMITS_H

#include "model/report.h"

typedef struct lk_limit {
    char text[240];
} lk_limit;

/* The i-th that was reached; false past the last. */
bool lk_limit_of(const lk_report_input *in, size_t i, lk_limit *out);
/* The same with a capital and a full stop. */
bool lk_limit_sentence(const lk_report_input *in, size_t i, lk_limit *out);

#endif
