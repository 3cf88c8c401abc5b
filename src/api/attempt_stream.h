/* api/attempt_stream — the attempts, each with its place in a call and in a task, as lines of JSON or
 * CSV.
 *
 * An attempt is printed once it is known what became of its unit (link/linker).  Lines come in order
 * of start as long as no more than `held_max` attempts wait; past that those that are decided go on
 * before those that are not.  When nearly all that wait are undecided, the older half of them is
 * printed without call and task, and counted.
 *
 * Owner:  lk_attempt_stream_open/lk_attempt_stream_close.
 * Errors: EOOM; EOUT when the writer says so.
 * Cost:   112 bytes an attempt that waits, and its texts; the fates of the units of one decision.
 * Thread: one.
 * Source: lockstep-attempts(1).  */
#ifndef LK_API_ATTEMPT_STREAM_H
#define LK_API_ATTEMPT_STREAM_H

#include "api/details.h"
#include "link/linker.h"
#include "model/attempt.h"
#include "model/redact.h"

typedef struct lk_attempt_stream lk_attempt_stream;

typedef struct lk_attempt_stream_options {
    const char *format; /* "jsonl", "csv" */
    size_t held_max;
    const lk_symbols *symbols;
    lk_redact *redact; /* keyed, or of no kind */
    /* Takes what is printed; other than 0: it takes no more, and nothing is wrong. */
    int (*write)(void *ctx, const char *text, size_t len);
    void *ctx;
} lk_attempt_stream_options;

enum { LK_ATTEMPTS_HELD_MAX = 262144 };

LK_MUST_CHECK lk_code lk_attempt_stream_open(const lk_attempt_stream_options *options,
                                             lk_attempt_stream **out, lk_err *e);
void lk_attempt_stream_close(lk_attempt_stream *s);

/* Where the texts of a line are kept. */
lk_details *lk_attempt_stream_details(lk_attempt_stream *s);

/* The attempt that the linker took last. */
LK_MUST_CHECK lk_code lk_attempt_stream_take(lk_attempt_stream *s, const lk_linker *l,
                                             const lk_attempt *a, lk_err *e);

/* lk_linker_options.on_unit, with the stream as its context. */
LK_MUST_CHECK lk_code lk_attempt_stream_unit(void *stream, const lk_unit_fate *fate, lk_err *e);

/* After the linker has finished. */
LK_MUST_CHECK lk_code lk_attempt_stream_finish(lk_attempt_stream *s, const lk_linker *l, lk_err *e);

/* The writer takes no more. */
bool lk_attempt_stream_is_over(const lk_attempt_stream *s);

uint64_t lk_attempt_stream_undecided(const lk_attempt_stream *s);

/* "jsonl", "csv"; NULL past the last. */
const char *lk_attempt_format_name(size_t i);

#endif
