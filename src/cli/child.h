/* cli/child — programs started on an alert, never by a shell, never waited for.
 *
 * The alert stands on the program's standard input: it is put into a pipe that holds it whole, so that
 * a program that does not read blocks nobody.  Its standard output is our standard error.
 *
 * Errors: EUSAGE lk_child_find: there is no such program; EIO lk_child_start.  */
#ifndef LK_CLI_CHILD_H
#define LK_CLI_CHILD_H

#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

enum { LK_CHILDREN_MAX = 8 };

typedef struct lk_children {
    pid_t pids[LK_CHILDREN_MAX]; /* [count] that have not ended */
    size_t count;
} lk_children;

/* Can argv[0] be started: a path, or a name found in PATH? */
LK_MUST_CHECK lk_code lk_child_find(const char *program, lk_err *e);

/* input: what its standard input gives; variables: added to the environment. */
LK_MUST_CHECK lk_code lk_child_start(lk_children *c, char *const *argv, const char *input,
                                     const char *const *variables, lk_err *e);

/* Takes note of those that have ended; *failed: the status of one that did not end well, else 0. */
void lk_children_reap(lk_children *c, int *failed);

#endif
