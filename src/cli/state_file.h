/* cli/state_file — a state that a command makes: to a file that takes its name when it is whole, or to standard
 * output.
 *
 * Errors: what goes wrong is complained of, in a line.  A reader of standard output that has gone away is none. */
#ifndef LK_CLI_STATE_FILE_H
#define LK_CLI_STATE_FILE_H

#include <lockstep/lockstep.h>

/* Makes the state with write(to, ...); an exit status, with *error where it is not 0. */
typedef int lk_state_make(void *ctx, lockstep_write *write, void *to, lockstep_error *error);

/* path NULL: standard output.  An exit status. */
int lk_state_file_make(const char *path, lk_state_make *make, void *ctx);

#endif
