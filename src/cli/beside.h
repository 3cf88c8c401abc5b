/* cli/beside — what is written bit by bit: to a file that takes its name when it is whole, or to standard
 * output.
 *
 * Owner:  lk_beside_open/lk_beside_drop; the path is the caller's.
 * Errors: EOUT, with the system's reason.  A reader of standard output that has gone away is none: `gone`
 *         tells.  */
#ifndef LK_CLI_BESIDE_H
#define LK_CLI_BESIDE_H

#include "base/err.h"
#include "base/outfile.h"

#include <stdbool.h>
#include <stddef.h>

typedef struct lk_beside {
    bool is_file, is_open;
    bool gone;
    lk_outfile file;
} lk_beside;

/* path NULL: standard output */
LK_MUST_CHECK lk_code lk_beside_open(lk_beside *b, const char *path, lk_err *e);
LK_MUST_CHECK lk_code lk_beside_write(lk_beside *b, const char *bytes, size_t len, lk_err *e);
/* Whole: into its place. */
LK_MUST_CHECK lk_code lk_beside_keep(lk_beside *b, lk_err *e);
void lk_beside_drop(lk_beside *b); /* what was kept stays */

#endif
