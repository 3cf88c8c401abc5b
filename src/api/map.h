/* api/map — one log file to records: scale/record takes what api/logfile gives.
 *
 * Errors: EOOM; EOUT as the sink has it.  Damage of the file is in its `trouble`, and in the account
 *         that ends its records.  */
#ifndef LK_API_MAP_H
#define LK_API_MAP_H

#include "api/logfile.h"
#include "lockstep/scale.h"
#include "scale/record.h"

typedef struct lk_map_how {
    lockstep_map_options options;
    lk_record_sink *sink;
    void *ctx;
    const char *reading; /* lk_reading_text */
    size_t held_max; /* attempts in the reorder window */
    uint64_t seed;
} lk_map_how;

/* The options on how lines are read, an option a line, always in one order; and back. */
LK_MUST_CHECK lk_code lk_reading_text(const lockstep_options *options, lk_arena *arena,
                                      const char **out, lk_err *e);
LK_MUST_CHECK lk_code lk_reading_options(const char *text, lk_arena *arena, lockstep_options *out,
                                         lk_err *e);

/* An opened and settled file, to its end. */
LK_MUST_CHECK lk_code lk_map_file(lk_logfile *f, const lk_map_how *how, lk_err *e);

/* Adds the addresses that an account has (lk_source_account.addresses). */
LK_MUST_CHECK lk_code lk_map_heavy_read(const char *text, lk_heavy *addresses, lk_err *e);

#endif
