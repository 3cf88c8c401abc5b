/* format/attempt — the fields of a line as an attempt: strings become numbers and hashes.
 *
 * start and end follow from the stamp, its moment and the duration: stamp - duration .. stamp where
 * the stamp denotes the end, stamp .. stamp + duration where it denotes the start; both are the stamp
 * where no duration is logged.
 * A line that hides tries gives one attempt each (an internal redirect goes on with the try before it):
 * their times are those that the line has, in turn from its start; tries without a status failed.
 * Errors: EOOM.  */
#ifndef LK_FORMAT_ATTEMPT_H
#define LK_FORMAT_ATTEMPT_H

#include "format/layout.h"

LK_MUST_CHECK lk_code lk_attempt_from(const lk_fields *f, const lk_layout *layout,
                                      lk_symbols *symbols, lk_attempt *out, lk_err *e);

/* When the attempt of these fields starts. */
int64_t lk_attempt_start_ns(const lk_fields *f);

/* The tries of the line as attempts, at least one and at most LK_TRIES_MAX, made from the line's
 * own attempt `whole`; `request` is a hash that no other line of the run has. */
size_t lk_attempts_of_tries(const lk_fields *f, const lk_attempt *whole, uint64_t request,
                            lk_attempt *out);

#endif
