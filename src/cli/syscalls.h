/* cli/syscalls — system calls that this process needs no more: what speaks to other machines and
 * processes, what runs programs, what gets around the rules on files.
 *
 * A filter of the kernel's (seccomp), written here: it takes no memory and no library, and there are few
 * things in it.  Linux on the architectures that syscalls.c names; elsewhere nothing is given up.
 * Errors: a call that is given up fails with EPERM; nobody is killed.
 * Thread: it holds for the thread that gives up and those that it starts later.
 * Source: Documentation/userspace-api/seccomp_filter.rst of the kernel; seccomp(2).  */
#ifndef LK_CLI_SYSCALLS_H
#define LK_CLI_SYSCALLS_H

#include <stdbool.h>

bool lk_syscalls_can(void); /* this build and this kernel */

/* True: they are given up now. */
bool lk_syscalls_give_up(void);

#endif
