/* base/outfile — a file that is written beside its name and takes it when it is whole.
 *
 * Until lk_outfile_finish whatever had the name keeps it, whatever happens.  Through a symbolic link the
 * file that it names is replaced, not the link; the mode of a file that is replaced stays.  What is no
 * regular file (a terminal, a named pipe, /dev/null) is written to as it is.  So is what was opened for
 * the program: standard output and standard error by whatever name, and /dev/fd/N.  A file that may be
 * written, in a folder where none may be made, is emptied and written to.
 *
 * Owner:  open, then finish or abandon; the path belongs to the caller, and the struct stays where it is.
 * Signal: lk_outfile_remove_all is for a handler that ends the program; it finds what is open in a list.
 * Thread: each file one; the list is guarded.
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
    struct lk_outfile *before, *after; /* of those written beside */
} lk_outfile;

/* What is replaced: behind the links, also where the last of them leads nowhere yet.  0, or errno. */
LK_MUST_CHECK int lk_outfile_target(const char *path, char out[PATH_MAX]);

LK_MUST_CHECK lk_code lk_outfile_open(lk_outfile *o, const char *what, const char *path, lk_err *e);
LK_MUST_CHECK lk_code lk_outfile_add(lk_outfile *o, const char *p, size_t len, lk_err *e);
LK_MUST_CHECK lk_code lk_outfile_finish(lk_outfile *o, lk_err *e); /* nothing is left where it fails */
void lk_outfile_abandon(lk_outfile *o); /* unless finished; nothing is left of it */

/* Removes what is written beside names and keeps any more from being opened or finished: the program
 * ends now.  Safe in a signal handler. */
void lk_outfile_remove_all(void);

#endif
