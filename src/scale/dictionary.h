/* scale/dictionary — what the dictionary lines of some states say: the inputs that the attempts came
 * from, and what their records stand for.
 *
 * Sources are numbered from 0 in the order of their first instants, then names, then places in their
 * files: the order in which one process would read them.
 *
 * Owner:  lk_dictionary_open/lk_dictionary_close; accounts' texts live in the arena.
 * Errors: EDATA a line, or a record, that makes no sense; the same input twice; EOOM.
 * Cost:   what the lines take, and about as much again.  */
#ifndef LK_SCALE_DICTIONARY_H
#define LK_SCALE_DICTIONARY_H

#include "base/arena.h"
#include "model/attempt.h"
#include "scale/source.h"
#include "scale/state.h"

struct lk_record_source;

typedef struct lk_dictionary {
    struct lk_record_source *sources; /* [source_count], by their number in records */
    size_t source_count, source_cap;
    uint32_t *of_rank;    /* [source_count] */
    uint32_t *rank;       /* [source_count]; UINT32_MAX: repeats another input, and is left out */
    int64_t *before_ns;   /* [source_count]: the latest stamp of the parts of its file before it, or LK_TIME_NONE */
    uint32_t **of_state;  /* [states][their sources]: number among all */
    struct lk_symbol_hash *populations, *targets; /* by hash of the text; of the symbols' counts */
    size_t population_count, target_count;
    lk_symbols *symbols; /* the caller's, once strings have numbers */
    uint64_t folded[2];  /* populations and targets past the bound when that was done */
    lk_state_sources index; /* of numbers in records */
} lk_dictionary;

/* Inputs with the same content, or one input that was read twice. */
typedef enum lk_repeats {
    LK_REPEATS_REFUSED,  /* an error                                                        */
    LK_REPEATS_LEFT_OUT, /* count once                                                      */
    LK_REPEATS_KEPT      /* stay, for a later merge that has all attempts of each to decide */
} lk_repeats;

LK_MUST_CHECK lk_code lk_dictionary_open(lk_dictionary *d, const lk_state *states, size_t count,
                                         lk_repeats repeats, lk_arena *arena, lk_err *e);
void lk_dictionary_close(lk_dictionary *d);

/* NULL: no line has the account of that source. */
const lk_source_account *lk_dictionary_account(const lk_dictionary *d, size_t source);
uint64_t lk_dictionary_number(const lk_dictionary *d, size_t source);

/* The options of all inputs are the same, and what was decided of the lines of one file's parts. */
LK_MUST_CHECK lk_code lk_dictionary_check_reading(const lk_dictionary *d, lk_err *e);
/* Two inputs of one format whose lines were read in different ways; false: there are none. */
bool lk_dictionary_find_unlike(const lk_dictionary *d, const lk_source_account **a,
                               const lk_source_account **b);

/* As many attempts of every input as it had: seen[source].  more_only: some states are not there yet. */
LK_MUST_CHECK lk_code lk_dictionary_check_counts(const lk_dictionary *d, const uint64_t *seen,
                                                 bool more_only, lk_err *e);

/* Numbers all strings as one process would that read the sources in their order; once. */
LK_MUST_CHECK lk_code lk_dictionary_number_symbols(lk_dictionary *d, lk_symbols *symbols, lk_err *e);
/* After the last attempt: how often a string past the bound came by is what the attempts say. */
void lk_dictionary_end(lk_dictionary *d);

/* Whether the attempt comes before all that start when it is counted; see lk_turn. */
bool lk_dictionary_is_first(const lk_dictionary *d, uint32_t source, lk_slice rest);

/* After the strings are numbered. */
LK_MUST_CHECK lk_code lk_dictionary_attempt(const lk_dictionary *d, const lk_state_entry *entry,
                                            lk_attempt *out, lk_err *e);

#endif
