/* scale/collect — what a reduce does: records in, in whatever order, a state out.
 *
 * Attempts gather until LK_COLLECT_MAX of them are there, or LK_COLLECT_BYTES of their texts; then
 * they are sorted by time and leave as a run.  Dictionary lines gather until the end.
 *
 * Owner:  lk_collector_open/lk_collector_close.
 * Errors: EDATA a line that is no record; EOOM; EOUT as the sink has it.
 * Cost:   at most about 130 MB for attempts, and the dictionary.  n log n over a run.  */
#ifndef LK_SCALE_COLLECT_H
#define LK_SCALE_COLLECT_H

#include "base/slice.h"
#include "scale/state.h"

enum { LK_COLLECT_MAX = 1 << 20, LK_COLLECT_BYTES = 48 << 20 };

typedef struct lk_collector lk_collector;

LK_MUST_CHECK lk_code lk_collector_open(lk_state_sink *sink, void *ctx, lk_collector **out,
                                        lk_err *e);
void lk_collector_close(lk_collector *c);
/* One line without its newline. */
LK_MUST_CHECK lk_code lk_collector_take(lk_collector *c, lk_slice line, lk_err *e);
LK_MUST_CHECK lk_code lk_collector_finish(lk_collector *c, lk_err *e);

/* Lines that each end in a newline: sorted by their bytes, each once. */
LK_MUST_CHECK lk_code lk_lines_sort(lk_buf *lines, lk_err *e);

#endif
