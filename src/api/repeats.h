/* api/repeats — files that were given twice: under another name, copied, compressed, or as the start
 * of a longer one (a log and its copy made before it went on).
 *
 * Files that are one file by device and number are not read to tell.  Others are compared byte by
 * byte, decompressed, where they begin alike, until they differ or one ends: only when all
 * of one stands at the start of the other is it a repeat, and the longer one counts.  Of equal ones
 * the undamaged counts, then the first in order.  Pipes cannot be read twice and are not compared.
 *
 * Files begin alike when their first lines, up to the first that is no comment, are the same.  A file
 * is compared with LK_REPEATS_TRIED others of those at most; where there are more and nothing else tells
 * them apart, q->untried counts it.
 *
 * Errors: EOOM.
 * Cost:   a repeat is read once more, with what it repeats; other pairs until they differ: for n files
 *         n * LK_REPEATS_TRIED pairs at most, and sorting them.  q->compared counts the pairs.  */
#ifndef LK_API_REPEATS_H
#define LK_API_REPEATS_H

#include "api/queue.h"

enum { LK_REPEATS_TRIED = 16 };

/* Sets `repeat` of those files that are not to be read; files in a defined order. */
LK_MUST_CHECK lk_code lk_repeats_find(lk_queue *q, lk_err *e);

#endif
