/* api/rejects — the lines that could not be read, as they were, in a file (--rejects).
 *
 * One line each, raw bytes and '\n'.  A regular file is replaced at the end, when all of them are there;
 * until then they are in a file beside it, whose name begins with that of the file.  Other files
 * (/dev/stderr, a named pipe) are written to as lines come.
 *
 * Owner:  lk_rejects_open/lk_rejects_close.
 * Errors: EOUT, with the path and the system's reason.  A write that fails is told by lk_rejects_finish.
 * Cost:   one buffer of 64 KiB.  */
#ifndef LK_API_REJECTS_H
#define LK_API_REJECTS_H

#include "base/err.h"
#include "base/slice.h"

typedef struct lk_rejects lk_rejects;

LK_MUST_CHECK lk_code lk_rejects_open(const char *path, lk_rejects **out, lk_err *e);
void lk_rejects_line(lk_rejects *r, lk_slice raw); /* without its '\n' */
/* For lines that come in pieces: no '\n' behind the piece. */
void lk_rejects_piece(lk_rejects *r, lk_slice piece);
/* Everything is written and the file in its place. */
LK_MUST_CHECK lk_code lk_rejects_finish(lk_rejects *r, lk_err *e);
void lk_rejects_close(lk_rejects *r); /* NULL is fine; unfinished: nothing is left behind */

#endif
