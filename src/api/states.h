/* api/states — saved states in place of log files: their attempts, and the account of the inputs that
 * they came from.
 *
 * Owner:  lk_states_open/lk_states_close; the account lives in the arena.
 * Errors: as scale/state and scale/dictionary.  */
#ifndef LK_API_STATES_H
#define LK_API_STATES_H

#include "api/logfile.h"
#include "scale/dictionary.h"
#include "scale/gather.h"

typedef struct lk_states {
    lk_source source; /* first: its attempts, as lk_states_next gives them, for a thread beside */
    const char *const *paths;
    size_t count;
    bool once; /* what is there twice counts once */
    lk_state *states; /* [count] */
    lk_dictionary dictionary;
    lk_gather *gather;
    int64_t *floor_ns; /* of each source, see lk_gather_options */
    uint64_t *seen; /* attempts of each source that came */
    int64_t last_ns; /* the latest start of those */
    uint64_t late;  /* those that began before one that came earlier */
} lk_states;

/* Reads the indexes, into *s, which stays where it is; `missing_ok`: not all states of the run are there, so
 * that none of its inputs is left out. */
LK_MUST_CHECK lk_code lk_states_open(lk_states *s, const char *const *paths, size_t count, bool once,
                                     bool missing_ok, lk_arena *arena, lk_err *e);
void lk_states_close(lk_states *s);

/* How their inputs were read; "" where there is none. */
const char *lk_states_reading(const lk_states *s);

/* Numbers the strings; before the first attempt. */
LK_MUST_CHECK lk_code lk_states_begin(lk_states *s, lk_symbols *symbols, lk_err *e);
lk_step lk_states_next(lk_states *s, lk_attempt *out, lk_err *e);
/* The entries as they stand in the states. */
lk_step lk_states_next_entry(lk_states *s, lk_state_entry *out, lk_err *e);

/* The inputs as files that were read to their ends, parts of one file together. */
LK_MUST_CHECK lk_code lk_states_files(const lk_states *s, lk_heavy *addresses, lk_arena *arena,
                                      lk_logfile ***files, size_t *count, lk_err *e);


/* All states in one. */
LK_MUST_CHECK lk_code lk_states_merge(lk_states *s, lk_state_sink *sink, void *ctx, lk_err *e);

#endif
