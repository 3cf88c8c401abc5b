#include "cli/child.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

lk_code lk_child_find(const char *program, lk_err *e)
{
    const char *path = getenv("PATH");
    char full[PATH_MAX];

    if (strchr(program, '/')) {
        if (access(program, X_OK) == 0)
            return LK_OK;
        return lk_fail(e, LK_EUSAGE, "--exec: cannot start '%s': %s", program, strerror(errno));
    }
    for (const char *p = path ? path : "/usr/bin:/bin"; *p;) {
        size_t len = strcspn(p, ":");

        if ((size_t)snprintf(full, sizeof(full), "%.*s/%s", len ? (int)len : 1, len ? p : ".",
                             program) < sizeof(full) &&
            access(full, X_OK) == 0)
            return LK_OK;
        p += len + (p[len] == ':');
    }
    return lk_fail(e, LK_EUSAGE, "--exec: there is no program '%s' in PATH", program);
}

/* A pipe that holds `input` already; the descriptor to read it from, or -1. */
static int filled_pipe(const char *input)
{
    size_t len = strlen(input);
    int ends[2];
    ssize_t wrote;

    if (pipe(ends) != 0)
        return -1;
    (void)fcntl(ends[1], F_SETFL, O_NONBLOCK);
    wrote = write(ends[1], input, len);
    (void)close(ends[1]);
    if (wrote == (ssize_t)len)
        return ends[0];
    (void)close(ends[0]);
    return -1;
}

/* LOCKSTEP_[A-Z_]+=..., and no other: PATH or LD_PRELOAD would choose what is run. */
static bool is_ours(const char *variable)
{
    static const char FRONT[] = "LOCKSTEP_";
    const size_t front = sizeof(FRONT) - 1;
    size_t len;

    if (strncmp(variable, FRONT, front) != 0)
        return false;
    len = strspn(variable + front, "ABCDEFGHIJKLMNOPQRSTUVWXYZ_");
    return len > 0 && variable[front + len] == '=';
}

static void become(char *const *argv, int input, const char *const *variables)
{
    (void)signal(SIGPIPE, SIG_DFL);
    (void)signal(SIGINT, SIG_DFL);
    (void)signal(SIGTERM, SIG_DFL);
    (void)dup2(input, STDIN_FILENO);
    (void)close(input);
    (void)dup2(STDERR_FILENO, STDOUT_FILENO);
    for (; *variables; variables++) {
        const char *value;
        char name[64];

        if (!is_ours(*variables))
            continue;
        value = strchr(*variables, '=') + 1;
        (void)snprintf(name, sizeof(name), "%.*s", (int)(value - 1 - *variables), *variables);
        (void)setenv(name, value, 1);
    }
    (void)execvp(argv[0], argv);
    _exit(127);
}

lk_code lk_child_start(lk_children *c, char *const *argv, const char *input,
                       const char *const *variables, lk_err *e)
{
    int from;
    pid_t pid;

    if (c->count == LK_CHILDREN_MAX)
        return lk_fail(e, LK_EIO, "--exec: %d of '%s' have not ended yet: not started again",
                       LK_CHILDREN_MAX, argv[0]);
    from = filled_pipe(input);
    if (from < 0)
        return lk_fail(e, LK_EIO, "--exec: cannot hand the alert to '%s': %s", argv[0],
                       strerror(errno));
    pid = fork(); /* of a program with one thread */
    if (pid == 0)
        become(argv, from, variables);
    (void)close(from);
    if (pid < 0)
        return lk_fail(e, LK_EIO, "--exec: cannot start '%s': %s", argv[0], strerror(errno));
    c->pids[c->count++] = pid;
    return LK_OK;
}

void lk_children_reap(lk_children *c, int *failed)
{
    *failed = 0;
    for (size_t i = 0; i < c->count;) {
        int status = 0;
        pid_t got = waitpid(c->pids[i], &status, WNOHANG);

        if (got == 0) {
            i++;
            continue;
        }
        c->pids[i] = c->pids[--c->count];
        if (got < 0) /* whoever started us has SIGCHLD ignored: how it ended is not told */
            continue;
        if (WIFEXITED(status) && WEXITSTATUS(status) != 0)
            *failed = WEXITSTATUS(status);
        else if (WIFSIGNALED(status))
            *failed = 128 + WTERMSIG(status);
    }
}
