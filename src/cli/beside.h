/* cli/beside — files that are written bit by bit beside their place and put there when they are whole, or
 * standard output.
 *
 * A run that ends early leaves the file that was there before, or none.
 *
 * Owner:  lk_beside_open/lk_beside_drop.
 * Errors: EOUT, with the system's reason.  A reader of standard output that has gone away is no error
 *         until the end: `gone` tells.  */
#ifndef LK_CLI_BESIDE_H
#define LK_CLI_BESIDE_H

#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>

typedef struct lk_beside {
    const char *path; /* NULL: standard output */
    char *beside;     /* NULL: there is none   */
    int fd;
    bool gone;
} lk_beside;

LK_MUST_CHECK lk_code lk_beside_open(lk_beside *b, const char *path, lk_err *e);
LK_MUST_CHECK lk_code lk_beside_write(lk_beside *b, const char *bytes, size_t len, lk_err *e);
/* Whole: into its place. */
LK_MUST_CHECK lk_code lk_beside_keep(lk_beside *b, lk_err *e);
void lk_beside_drop(lk_beside *b); /* what was kept stays */

#endif
