#include "cli/pager.h"

#include "cli/cmd.h"
#include "cli/terminal.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
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

/* The pager, or -1 with errno; *to takes the text.  `news` closes unread once it runs. */
static pid_t start(char **words, int *to)
{
    int text[2], news[2], failed = 0;
    pid_t child;

    if (!open_pair(text))
        return -1;
    if (!open_pair(news)) {
        close_pair(text);
        return -1;
    }
    child = fork();
    if (child == 0) {
        become(words, text[0]);
        failed = errno;
        (void)!write(news[1], &failed, sizeof(failed));
        _exit(127);
    }
    (void)close(text[0]);
    (void)close(news[1]);
    if (child > 0 && read(news[0], &failed, sizeof(failed)) == (ssize_t)sizeof(failed)) {
        (void)waitpid(child, NULL, 0);
        errno = failed;
        child = -1;
    }
    (void)close(news[0]);
    *to = text[1];
    if (child < 0)
        (void)close(text[1]);
    return child;
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
static bool page(char **words, const char *text, size_t len)
{
    struct sigaction ignore = { .sa_handler = SIG_IGN }, was_int, was_quit;
    pid_t child;
    int to = -1;

    (void)sigemptyset(&ignore.sa_mask);
    (void)sigaction(SIGINT, &ignore, &was_int);
    (void)sigaction(SIGQUIT, &ignore, &was_quit);
    child = start(words, &to);
    if (child > 0) {
        feed(to, text, len);
        while (waitpid(child, NULL, 0) < 0 && errno == EINTR)
            ;
    }
    (void)sigaction(SIGINT, &was_int, NULL);
    (void)sigaction(SIGQUIT, &was_quit, NULL);
    return child > 0;
}

bool lk_pager_show(const char *text, size_t len)
{
    const char *asked = asked_for();
    char room[LK_PAGER_TEXT_MAX], *words[LK_PAGER_WORDS_MAX + 1];

    if (!isatty(STDOUT_FILENO) || !is_long(text, len, lk_terminal_height()))
        return false;
    if (!asked && !lk_terminal_is_able())
        return false; /* less would warn of it, and wait */
    if (!lk_pager_split(asked ? asked : "less", room, words)) {
        if (asked && asked[strspn(asked, " \t\n")])
            (void)lk_complain(0, "'%s' is no pager: no closing quote, or too long", asked);
        return false;
    }
    if (strcmp(words[0], "cat") == 0 && !words[1])
        return false;
    if (page(words, text, len))
        return true;
    if (asked)
        (void)lk_complain(0, "cannot run the pager '%s': %s", words[0], strerror(errno));
    return false;
}
