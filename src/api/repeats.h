/* api/repeats — files that were given twice: under another name, copied, compressed, or as the start
 * of a longer one (a log and its copy made before it went on).
 *
 * Files that are one file by device and number are not read to tell.  Others are compared byte by
 * byte, decompressed, where their first bytes agree, until they differ or one ends: only when all
 * of one stands at the start of the other is it a repeat, and the longer one counts.  Of equal ones
 * the undamaged counts, then the first in order.  Pipes cannot be read twice and are not compared.
 *
 * Errors: EOOM.
 * Cost:   a repeat is read once more, with what it repeats; other pairs until they differ.  */
#ifndef LK_API_REPEATS_H
#define LK_API_REPEATS_H

#include "api/logfile.h"

/* Sets `repeats` of those files that are not to be read; files in a defined order. */
LK_MUST_CHECK lk_code lk_repeats_find(lk_logfile **files, size_t count, lk_err *e);

#endif
