/* input/follow — the lines of a file that is being written, through its rotation; or of a pipe.
 *
 * A file is read as it grows.  Renamed and made anew (logrotate's default): the old one is read on
 * until nothing came for half a minute, for its writer may not have heard of the rotation yet,
 * beside the new one.  Emptied in place (copytruncate), which its length or its last bytes show: what
 * was not read in time is read from the copy, a file of the same folder whose name begins with the
 * file's and which holds, where reading stood, the bytes that were read last.  A file that is not
 * there is waited for.
 *
 * The last bytes without a newline are kept until it comes, the file is given up for good, or a pipe
 * has ended.  NUL bytes before a line (a hole) are skipped, a CR at its end is dropped.
 *
 * Owner:  lk_follow_open/lk_follow_close; the path belongs to the caller; a line's text lives until
 *         the next call.
 * Errors: open: EIO (a directory, no permission); EDATA: it is compressed.  next: EIO, EOOM.
 * Cost:   64 KiB and a line a generation, LK_FOLLOW_GENERATIONS of them; a look at the folder's names
 *         at a copytruncate.
 * Thread: one.  */
#ifndef LK_INPUT_FOLLOW_H
#define LK_INPUT_FOLLOW_H

#include "base/err.h"
#include "input/lines.h"

#include <stdint.h>

enum { LK_FOLLOW_GENERATIONS = 4 };

typedef struct lk_follow lk_follow;

typedef struct lk_follow_stats {
    uint64_t renamed, truncated;
    uint64_t unfound; /* of the truncated: no copy was found, lines may be lost */
    uint64_t dropped; /* generations given up while they may still have grown  */
} lk_follow_stats;

/* path "-" is standard input.  tail: bytes before the end of a regular file to begin with, at the
 * start of a line; UINT64_MAX = all of it. */
LK_MUST_CHECK lk_code lk_follow_open(const char *path, uint64_t tail, size_t max_line,
                                     lk_follow **out, lk_err *e);
void lk_follow_close(lk_follow *f); /* NULL is fine */

/* ITEM: a line.  END: nothing for now; see lk_follow_is_over. */
LK_MUST_CHECK lk_step lk_follow_next(lk_follow *f, lk_line *out, lk_err *e);

bool lk_follow_is_over(const lk_follow *f); /* a pipe has ended: no line comes any more */
bool lk_follow_is_missing(const lk_follow *f); /* there is no such file now */
bool lk_follow_is_denied(const lk_follow *f);  /* of what is missing: there is one that may not be opened */
/* What poll() can wait for, or -1: a file always seems to have something. */
int lk_follow_descriptor(const lk_follow *f);
const lk_follow_stats *lk_follow_stats_of(const lk_follow *f);

#endif
