#include "cli/pager.h"

#include "cli/cmd.h"
#include "cli/terminal.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

/* ---- the command ---- */

size_t lk_pager_split(const char *command, char room[LK_PAGER_TEXT_MAX],
                      char *words[LK_PAGER_WORDS_MAX + 1])
{
    size_t count = 0, used = 0;
    bool in_word = false;
    char quote = '\0';

    words[0] = NULL;
    if (strlen(command) >= LK_PAGER_TEXT_MAX / 2)
        return 0;
    for (; *command; command++) {
        bool is_blank = *command == ' ' || *command == '\t' || *command == '\n';

        if (!quote && is_blank) {
            if (in_word)
                room[used++] = '\0';
            in_word = false;
            continue;
        }
        if (!in_word && count == LK_PAGER_WORDS_MAX)
            return 0;
        if (!in_word)
            words[count++] = &room[used];
        in_word = true;
        if (*command == quote)
            quote = '\0';
        else if (!quote && (*command == '"' || *command == '\''))
            quote = *command;
        else
            room[used++] = *command;
    }
    room[used] = '\0';
    words[count] = NULL;
    return quote ? 0 : count;
}

/* What was asked for; NULL: nobody asked. */
static const char *asked_for(void)
{
    const char *own = getenv("LOCKSTEP_PAGER");

    return own ? own : getenv("PAGER");
}

static bool is_long(const char *text, size_t len, size_t rows)
{
    size_t lines = 0;

    for (size_t i = 0; i < len && lines < rows; i++)
        lines += text[i] == '\n';
    return lines >= rows; /* the prompt takes one */
}

/* ---- the process ---- */

/* Runs the words with `from` as standard input; only comes back, with errno, where it cannot. */
static void become(char **words, int from)
{
    if (dup2(from, STDIN_FILENO) < 0)
        return;
    (void)signal(SIGPIPE, SIG_DFL);
    (void)signal(SIGINT, SIG_DFL);
    (void)signal(SIGQUIT, SIG_DFL);
    (void)setenv("LESS", "FRX", 0);
    (void)setenv("LV", "-c", 0);
    (void)execvp(words[0], words);
}

static void close_pair(const int fds[2])
{
    (void)close(fds[0]);
    (void)close(fds[1]);
}

/* A pipe that a program which is run does not inherit. */
static bool open_pair(int fds[2])
{
    if (pipe(fds) != 0)
        return false;
    if (fcntl(fds[0], F_SETFD, FD_CLOEXEC) == 0 && fcntl(fds[1], F_SETFD, FD_CLOEXEC) == 0)
        return true;
    close_pair(fds);
    return false;
}

/* Until it is told to run.  An interrupt meanwhile is for those who read the log. */
static void wait_for_go(int go)
{
    char byte;
    ssize_t got;

    (void)signal(SIGINT, SIG_IGN);
    (void)signal(SIGQUIT, SIG_IGN);
    (void)signal(SIGTERM, SIG_IGN);
    while ((got = read(go, &byte, 1)) < 0 && errno == EINTR)
        ;
    if (got != 1)
        _exit(0);
    (void)signal(SIGTERM, SIG_DFL);
}

static void wait_and_become(char **words, int text, int go, int news)
{
    int failed;

    wait_for_go(go);
    become(words, text);
    failed = errno;
    (void)!write(news, &failed, sizeof(failed));
    _exit(127);
}

/* pairs[3]: text, go, news; false: none is open. */
static bool open_pairs(int pairs[3][2])
{
    for (int i = 0; i < 3; i++) {
        if (open_pair(pairs[i]))
            continue;
        while (i > 0)
            close_pair(pairs[--i]);
        return false;
    }
    return true;
}

static void start(lk_pager *p, char **words)
{
    int pairs[3][2];
    pid_t child;

    if (!open_pairs(pairs))
        return;
    child = fork();
    if (child == 0) {
        (void)close(pairs[0][1]);
        (void)close(pairs[1][1]);
        (void)close(pairs[2][0]);
        wait_and_become(words, pairs[0][0], pairs[1][0], pairs[2][1]);
    }
    if (child < 0) {
        for (int i = 0; i < 3; i++)
            close_pair(pairs[i]);
        return;
    }
    (void)close(pairs[0][0]);
    (void)close(pairs[1][0]);
    (void)close(pairs[2][1]);
    p->child = child;
    p->text = pairs[0][1];
    p->go = pairs[1][1];
    p->news = pairs[2][0];
}

void lk_pager_prepare(lk_pager *p)
{
    const char *asked = asked_for();
    char room[LK_PAGER_TEXT_MAX], *words[LK_PAGER_WORDS_MAX + 1];

    if (!isatty(STDOUT_FILENO) || (!asked && !lk_terminal_is_able()))
        return; /* less would warn of a terminal that is not able, and wait */
    if (!lk_pager_split(asked ? asked : "less", room, words)) {
        p->is_bad = asked && asked[strspn(asked, " \t\n")];
        if (p->is_bad)
            (void)snprintf(p->name, sizeof(p->name), "%s", asked);
        return;
    }
    if (strcmp(words[0], "cat") == 0 && !words[1])
        return;
    if (asked)
        (void)snprintf(p->name, sizeof(p->name), "%s", words[0]);
    start(p, words);
}

static void close_one(int *fd)
{
    if (*fd >= 0)
        (void)close(*fd);
    *fd = -1;
}

static void await(lk_pager *p)
{
    while (waitpid(p->child, NULL, 0) < 0 && errno == EINTR)
        ;
    p->child = 0;
}

void lk_pager_release(lk_pager *p)
{
    close_one(&p->go);
    close_one(&p->text);
    close_one(&p->news);
    if (p->child)
        await(p);
}

/* Whether it runs now; if not, why. */
static bool run(lk_pager *p, int *failed)
{
    ssize_t got;

    if (write(p->go, "", 1) != 1) {
        *failed = errno;
        return false;
    }
    while ((got = read(p->news, failed, sizeof(*failed))) < 0 && errno == EINTR)
        ;
    return got != (ssize_t)sizeof(*failed);
}

/* To a pager that is left early as much as it takes. */
static void feed(int to, const char *text, size_t len)
{
    while (len > 0) {
        ssize_t wrote = write(to, text, len);

        if (wrote < 0 && errno == EINTR)
            continue;
        if (wrote < 0)
            break;
        text += wrote;
        len -= (size_t)wrote;
    }
    (void)close(to);
}

/* An interrupt at the keyboard is the pager's to answer. */
static bool page(lk_pager *p, const char *text, size_t len, int *failed)
{
    struct sigaction ignore = { .sa_handler = SIG_IGN }, was_int, was_quit;
    bool is_running;

    (void)sigemptyset(&ignore.sa_mask);
    (void)sigaction(SIGINT, &ignore, &was_int);
    (void)sigaction(SIGQUIT, &ignore, &was_quit);
    is_running = run(p, failed);
    if (is_running)
        feed(p->text, text, len);
    p->text = is_running ? -1 : p->text; /* closed: the pager sees the end */
    lk_pager_release(p);
    (void)sigaction(SIGINT, &was_int, NULL);
    (void)sigaction(SIGQUIT, &was_quit, NULL);
    return is_running;
}

bool lk_pager_show(lk_pager *p, const char *text, size_t len)
{
    int failed = 0;

    if ((!p->child && !p->is_bad) || !is_long(text, len, lk_terminal_height()))
        return false;
    if (p->is_bad) {
        (void)lk_complain(0, "'%s' is no pager: no closing quote, or too long", p->name);
        return false;
    }
    if (page(p, text, len, &failed))
        return true;
    if (p->name[0])
        (void)lk_complain(0, "cannot run the pager '%s': %s", p->name, strerror(failed));
    return false;
}
