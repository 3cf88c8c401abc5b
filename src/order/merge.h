/* order/merge — attempts of several nearly ordered sources, in order of their start.
 *
 * Sources stand in order of their first instant; one is asked for its first attempt only when the
 * merge reaches it.  An attempt leaves once every open source has passed its start by `window_ns`,
 * or when `max_held` attempts are held; one that comes later than that is let through at once and
 * counted as late.  Equal starts leave in order of source, then of line, so that a log cut in
 * pieces merges to what the whole would give.
 *
 * Where there is no room to read all that are due side by side (`max_room`), the first of those that are
 * read is read on to its end, as far as half of what may be held; when that does not suffice the others
 * wait until one has ended (`kept_waiting`), and what they hold may come late.
 *
 * Owner:  lk_merge_init/lk_merge_release; sources belong to the caller, the merge closes each.
 * Errors: EOOM, of a source as well.  A source that fails otherwise is closed; the merge goes on with the
 *         others and reports the failure through `failed` (called once for that source).
 * Cost:   of a source that waits its pointer, of one that is read 32 bytes.  An attempt and about 80 bytes each held.  Attempts wait in a line, where one that is not far
 *         behind those before it finds its place in a few steps; those that are wait in a heap, log2 of
 *         them a step.  */
#ifndef LK_ORDER_MERGE_H
#define LK_ORDER_MERGE_H

#include "model/attempt.h"

typedef struct lk_merge_options {
    int64_t window_ns;
    size_t max_held;
    /* NULL = no bound, or what the source would take while it is read; one is read however much that is. */
    size_t (*room_of)(void *ctx, size_t source);
    void *ctx;
    size_t max_room;
} lk_merge_options;

#define LK_MERGE_OPTIONS_INIT { 60 * INT64_C(1000000000), 65536, NULL, NULL, 0 }

struct lk_held;

typedef struct lk_merge {
    lk_merge_options options;
    lk_source **sources; /* [source_count], by first_ns */
    size_t source_count, opened;
    struct lk_reader *readers; /* [open] of room for reader_cap, in order of their sources */
    size_t open, reader_cap;
    size_t room; /* that those take */
    bool is_crowded;       /* making room for those that are due would take half of what may be held */
    size_t kept_waiting;   /* sources that were due and had to wait: what they hold may come late    */
    size_t told;           /* the last of them, + 1 */
    struct lk_held *heap; /* [in_heap] of room for cap: those far behind                */
    struct lk_held *line; /* [line_at .. line_end) of room for 2 * cap: the others, in order */
    lk_attempt *attempts; /* [cap]; heap and line name their places                     */
    uint32_t *free;       /* [cap - held] places that hold nothing                      */
    size_t held, cap, in_heap, line_at, line_end;
    int64_t last_ns; /* start of the last attempt that left, of those that were not late */
    uint64_t last_line; /* how many of its source were read before the one that left last */
    int64_t free_ns; /* what starts before it may leave: no source has anything as early any more */
    uint64_t late;
    void (*failed)(void *ctx, size_t source, const lk_err *e);
    void *ctx;
} lk_merge;

LK_MUST_CHECK lk_code lk_merge_init(lk_merge *m, lk_source **sources, size_t count,
                                    const lk_merge_options *options, lk_err *e);
void lk_merge_release(lk_merge *m);
lk_step lk_merge_next(lk_merge *m, lk_attempt *out, lk_err *e);

#endif
