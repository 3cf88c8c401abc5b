/* base/outfile — a file that is written beside its name and takes it when it is whole.
 *
 * Until lk_outfile_finish whatever had the name keeps it, whatever happens.  Through a symbolic link the
 * file that it names is replaced, not the link; the mode of a file that is replaced stays.  What is no
 * regular file (a terminal, a named pipe, /dev/null) is written to as it is.  So is what was opened for
 * the program: standard output and standard error by whatever name, and /dev/fd/N.  A file that may be
 * written, in a folder where none may be made, is emptied and written to.
 *
 * Owner:  open, then finish or abandon; the path belongs to the caller.
 * Errors: EOUT "cannot write WHAT'path': reason", WHAT being "" or "something to "; a directory is EISDIR.  A pipe whose reader has gone
 *         is none: the rest is dropped.  */
#ifndef LK_BASE_OUTFILE_H
#define LK_BASE_OUTFILE_H

#include "base/err.h"

#include <limits.h>
#include <stddef.h>

typedef struct lk_outfile {
    const char *what, *path;
    int fd;                /* -1 = closed                       */
    int failed;            /* errno of the first write that did */
    char target[PATH_MAX]; /* what is replaced                  */
    char beside[PATH_MAX]; /* "" = written to as it is          */
} lk_outfile;

LK_MUST_CHECK lk_code lk_outfile_open(lk_outfile *o, const char *what, const char *path, lk_err *e);
LK_MUST_CHECK lk_code lk_outfile_add(lk_outfile *o, const char *p, size_t len, lk_err *e);
LK_MUST_CHECK lk_code lk_outfile_finish(lk_outfile *o, lk_err *e); /* nothing is left where it fails */
void lk_outfile_abandon(lk_outfile *o); /* unless finished; nothing is left of it */

#endif
