/* input/gzip_writer — a file of text written as it comes, compressed when its name ends in ".gz"; "-"
 * is standard output.  It stands in gzip.c, which alone knows zlib.  The file takes its name when it is
 * whole, see base/outfile.
 *
 * Owner:  open, then close or abandon.
 * Errors: EOUT, with the system's reason.  */
#ifndef LK_INPUT_GZIP_WRITER_H
#define LK_INPUT_GZIP_WRITER_H

#include "base/err.h"
#include "base/outfile.h"

#include <stddef.h>

typedef struct lk_gzip_writer {
    void *file; /* zlib's; NULL = closed */
    const char *path;
    lk_outfile out; /* unless the path is "-" */
} lk_gzip_writer;

LK_MUST_CHECK lk_code lk_gzip_writer_open(const char *path, lk_gzip_writer *out, lk_err *e);
LK_MUST_CHECK lk_code lk_gzip_writer_add(lk_gzip_writer *w, const char *p, size_t len, lk_err *e);
LK_MUST_CHECK lk_code lk_gzip_writer_close(lk_gzip_writer *w, lk_err *e);
void lk_gzip_writer_abandon(lk_gzip_writer *w); /* after a failure */

#endif
