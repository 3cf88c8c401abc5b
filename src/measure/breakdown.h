/* measure/breakdown — attempts, calls and tasks by the value that a field of theirs has.
 *
 * A value has an account of its own until there are more than LK_VALUES_MAX of them (or more than
 * LK_VALUE_ROWS_MAX pairs of value and population); then the half that is worst by rejected and all
 * attempts so far keeps them, and the others are folded into one: what is common or often refused is
 * never folded for long, and the sums stay whole.  Below the bounds the accounts are a commutative
 * monoid of what is added.
 *
 * Shapes: values are told by a number, lk_attempt.value, which a folded value loses.
 * Owner:  lk_breakdown_init/lk_breakdown_release.
 * Errors: EOOM.
 * Cost:   about 7 MB at most; O(1) an attempt.
 * Source: the folding is that of lossy counting, G. S. Manku, R. Motwani, "Approximate frequency
 *         counts over data streams" (2002), with a bound of entries in place of one of error.
 * Thread: one.  */
#ifndef LK_MEASURE_BREAKDOWN_H
#define LK_MEASURE_BREAKDOWN_H

#include "base/lru.h"
#include "base/slice.h"
#include "model/attempt.h"
#include "model/call_counts.h"
#include "model/report.h"

enum {
    LK_VALUES_MAX = 4096,
    LK_VALUE_ROWS_MAX = 16384,
    LK_VALUE_TEXT = 200,     /* bytes of a value that are shown */
    LK_VALUE_STATUSES = 64,  /* different statuses of a log; further ones are counted, not listed */
    LK_VALUES_SHOWN = 200    /* rows of a report */
};

/* The calls of one value that one population made. */
typedef struct lk_value_row {
    lk_call_counts counts;
    uint32_t next; /* row of the same value + 1; 0 = last */
    uint16_t group;
} lk_value_row;

typedef struct lk_value_account {
    uint64_t seen, seen_rejected; /* requests as they are read, before they are put in order */
    uint64_t requests, attempts, errors, client_errors, gave_up, rejected;
    uint64_t by_status[LK_VALUE_STATUSES];
    uint64_t lengths[LK_PERIOD_LENGTHS]; /* calls by attempts */
    uint64_t timed;
    int64_t span_ns, waited_ns, span_max_ns; /* of the timed successes */
    uint32_t rows; /* the first row + 1 */
    uint32_t number; /* lk_attempt.value; 0 = folded */
    uint64_t hash;
    uint16_t text_len;
    bool cut, absent; /* the text is not all of it; there is none */
    char text[LK_VALUE_TEXT];
} lk_value_account;

typedef struct lk_breakdown {
    lk_lru accounts; /* lk_value_account by hash of the value */
    lk_value_account other;
    uint32_t generation; /* makes numbers that come once */
    uint64_t folded;
    lk_value_row *rows; /* [row_cap] */
    size_t row_count, row_cap; /* row_count: ever used */
    size_t rows_free;          /* of them: in the free list */
    uint32_t free_row;         /* the first of that list + 1 */
    uint16_t statuses[LK_VALUE_STATUSES];
    size_t status_count;
    uint8_t status_slot[1000]; /* + 1 */
} lk_breakdown;

LK_MUST_CHECK lk_code lk_breakdown_init(lk_breakdown *b, uint64_t seed, lk_err *e);
void lk_breakdown_release(lk_breakdown *b);

/* The number of the value of a request that was read; an empty text: the log has none. */
LK_MUST_CHECK lk_code lk_breakdown_number(lk_breakdown *b, lk_slice value, bool rejected,
                                          uint32_t *number, lk_err *e);

/* Each counts where its value has an account still. */
void lk_breakdown_attempt(lk_breakdown *b, const lk_attempt *a);
LK_MUST_CHECK lk_code lk_breakdown_call(lk_breakdown *b, const lk_call *call, lk_err *e);
LK_MUST_CHECK lk_code lk_breakdown_task(lk_breakdown *b, const lk_task *task, lk_err *e);

/* The accounts, worst first: most rejected attempts, then most failed calls, then most attempts, then
 * by text.  All but the first LK_VALUES_SHOWN are folded. */
LK_MUST_CHECK lk_code lk_breakdown_sort(lk_breakdown *b, lk_arena *arena,
                                        const lk_value_account ***out, size_t *count, lk_err *e);

/* The calls of an account by population, counts[count]. */
void lk_breakdown_counts(const lk_breakdown *b, const lk_value_account *account,
                         lk_call_counts *counts, size_t count);

/* Both rates of an account; calls where `source` says how they are known, else none. */
LK_MUST_CHECK lk_code lk_breakdown_report(const lk_breakdown *b, const lk_value_account *account,
                                          const char *source, lk_arena *arena,
                                          lk_report_value *out, lk_err *e);

#endif
