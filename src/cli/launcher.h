/* cli/launcher — a process that starts the program of --exec, for one that can start none any more.
 *
 * It is forked before rights are given up and knows one command only, the one it was made with: what
 * reaches it through the pipe is the program's input and variables.  It complains of programs that
 * cannot be started or end badly, and ends when the pipe does, a moment after the last of them.
 *
 * Errors: EIO lk_launcher_open: no pipe, no process; lk_launcher_start: it is gone.
 * Thread: lk_launcher_open comes before any other thread.  */
#ifndef LK_CLI_LAUNCHER_H
#define LK_CLI_LAUNCHER_H

#include "base/err.h"

#include <sys/types.h>

typedef struct lk_launcher {
    int to; /* -1 = there is none */
    pid_t pid;
} lk_launcher;

#define LK_LAUNCHER_INIT { -1, 0 }

LK_MUST_CHECK lk_code lk_launcher_open(lk_launcher *l, char *const *argv, lk_err *e);
/* Whether the program starts is not waited for. */
LK_MUST_CHECK lk_code lk_launcher_start(lk_launcher *l, const char *input,
                                        const char *const *variables, lk_err *e);
/* Waits a little for programs that were just started, unless there was an interrupt. */
void lk_launcher_close(lk_launcher *l);

#endif
