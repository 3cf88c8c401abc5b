/* cli/sandbox — what the process may still do once its arguments are read.
 *
 * Between lk_sandbox_begin and lk_sandbox_enter a command names what it will read and write.  From then
 * on the kernel lets it open nothing else (Landlock), run no program and speak to nobody (seccomp), and
 * get no right back (no_new_privs).  What stays allowed besides: the zone files and /dev/urandom.
 * Programs that are run later (pager, --exec) belong to processes started before.
 *
 * Where the kernel or the build has one of the two only, that one holds; where it has none, nothing
 * does.  lk_sandbox_tell says which.
 * Thread: lk_sandbox_enter comes before any other thread.
 * Cost:   a rule an input; beyond LK_SANDBOX_FILES of them one for the folder of each.  */
#ifndef LK_CLI_SANDBOX_H
#define LK_CLI_SANDBOX_H

#include "base/buf.h"

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

enum { LK_SANDBOX_FILES = 4096 };

typedef struct lk_sandbox {
    bool is_off;
    int rules;
    size_t inputs;
    char folder[PATH_MAX]; /* that was allowed last for an input beyond the bound */
} lk_sandbox;

/* clang-format off */
#define LK_SANDBOX_OPT(type, member)                                                                 \
    { "no-sandbox", NULL, 0, LK_OPT_FLAG, offsetof(type, member), NULL,                              \
      "keep rights that are not needed, see lockstep(1)" }
/* clang-format on */

void lk_sandbox_begin(lk_sandbox *s, bool is_off);
/* A path that is NULL or "-" is passed over. */
void lk_sandbox_input(lk_sandbox *s, const char *path); /* a file, or a folder with all in it */
void lk_sandbox_inputs(lk_sandbox *s, const char *const *paths, size_t count);
void lk_sandbox_follow(lk_sandbox *s, const char *path); /* through its rotations: its folder */
void lk_sandbox_output(lk_sandbox *s, const char *path); /* written beside, then renamed */
void lk_sandbox_enter(lk_sandbox *s);

/* "landlock 7, seccomp", or "none". */
void lk_sandbox_tell(lk_buf *out);

#endif
