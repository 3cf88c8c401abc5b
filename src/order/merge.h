/* order/merge — attempts of several nearly ordered sources, in order of their start.
 *
 * Sources stand in order of their first instant; one is asked for its first attempt only when the
 * merge reaches it.  An attempt leaves once every open source has passed its start by `window_ns`,
 * or when `max_held` attempts are held; one that comes later than that is let through at once and
 * counted as late.  Equal starts leave in order of source, then of line, so that a log cut in
 * pieces merges to what the whole would give.
 *
 * Owner:  lk_merge_init/lk_merge_release; sources belong to the caller, the merge closes each.
 * Errors: EOOM.  A source that fails is closed; the merge goes on with the others and reports the
 *         failure through `failed` (called once for that source).
 * Cost:   an attempt and 32 bytes each held; log2(held) a step, which moves 24 bytes.  */
#ifndef LK_ORDER_MERGE_H
#define LK_ORDER_MERGE_H

#include "model/attempt.h"

typedef struct lk_merge_options {
    int64_t window_ns;
    size_t max_held;
} lk_merge_options;

#define LK_MERGE_OPTIONS_INIT { 60 * INT64_C(1000000000), 65536 }

struct lk_held;

typedef struct lk_merge {
    lk_merge_options options;
    lk_source **sources; /* [source_count], by first_ns */
    size_t source_count, opened;
    size_t ended; /* sources before this one have ended */
    struct lk_reader *readers; /* [source_count] */
    struct lk_held *heap; /* [held] of room for heap_cap                        */
    lk_attempt *attempts; /* [heap_cap]; heap entries name their place          */
    uint32_t *free;       /* [heap_cap - held] places that hold nothing         */
    size_t held, heap_cap;
    int64_t last_ns; /* start of the last attempt that left */
    uint64_t late;
    void (*failed)(void *ctx, size_t source, const lk_err *e);
    void *ctx;
} lk_merge;

LK_MUST_CHECK lk_code lk_merge_init(lk_merge *m, lk_source **sources, size_t count,
                                    const lk_merge_options *options, lk_err *e);
void lk_merge_release(lk_merge *m);
lk_step lk_merge_next(lk_merge *m, lk_attempt *out, lk_err *e);

#endif
