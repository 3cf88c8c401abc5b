/* cli/output — where text goes in the end; whole or not at all.
 *
 * Errors: EOUT, with the system's reason.  */
#ifndef LK_CLI_OUTPUT_H
#define LK_CLI_OUTPUT_H

#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>

/* Writes and closes standard output.  A reader that has gone away is no error. */
LK_MUST_CHECK lk_code lk_output_stdout(const char *text, size_t len, lk_err *e);

/* Writes to standard output and leaves it open; *gone: its reader has gone away, which is no error. */
LK_MUST_CHECK lk_code lk_output_now(const char *text, size_t len, bool *gone, lk_err *e);

/* A regular file is written beside and renamed; anything else is written to as it is. */
LK_MUST_CHECK lk_code lk_output_file(const char *path, const char *text, size_t len, lk_err *e);

#endif
