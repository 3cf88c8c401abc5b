/* format/attempt — the fields of a line as an attempt: strings become numbers and hashes.
 *
 * start and end follow from the stamp, its moment and the duration: stamp - duration .. stamp where
 * the stamp denotes the end, stamp .. stamp + duration where it denotes the start; both are the stamp
 * where no duration is logged.
 * Errors: EOOM.  */
#ifndef LK_FORMAT_ATTEMPT_H
#define LK_FORMAT_ATTEMPT_H

#include "format/layout.h"

LK_MUST_CHECK lk_code lk_attempt_from(const lk_fields *f, const lk_layout *layout,
                                      lk_symbols *symbols, lk_attempt *out, lk_err *e);

#endif
