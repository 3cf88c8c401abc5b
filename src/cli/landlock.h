/* cli/landlock — which files this process may open from now on, kept by the kernel.
 *
 * Linux 5.13 and later; elsewhere, and where the kernel does not have it, lk_landlock_version is 0 and
 * the others do nothing.  No header of the kernel's is needed.
 * Owner:  the descriptor of lk_landlock_new; lk_landlock_enter closes it.
 * Thread: it holds for the thread that enters and those that it starts later.
 * Source: Documentation/userspace-api/landlock.rst of the kernel; include/uapi/linux/landlock.h.  */
#ifndef LK_CLI_LANDLOCK_H
#define LK_CLI_LANDLOCK_H

#include <stdbool.h>

typedef enum lk_landlock_use {
    LK_LANDLOCK_READ, /* a file; or a folder: its names and all files beneath */
    LK_LANDLOCK_WRITE, /* a file that is there: a device, a pipe               */
    LK_LANDLOCK_MAKE  /* a folder: files are made, written, renamed and removed in it */
} lk_landlock_use;

int lk_landlock_version(void); /* of its interface; 0 = there is none */

/* Nothing may be opened, and no TCP be spoken, but what is allowed until lk_landlock_enter; -1: no. */
int lk_landlock_new(void);
/* What does not exist, or lies on no file system (a pipe's end), needs no permission. */
void lk_landlock_allow(int rules, const char *path, lk_landlock_use use);
/* True: it holds now. */
bool lk_landlock_enter(int rules);

#endif
