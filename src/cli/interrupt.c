#include "cli/interrupt.h"

#include "base/outfile.h"

#include <signal.h>
#include <stddef.h>
#include <unistd.h>

static volatile sig_atomic_t seen; /* see the header for why it stands here */

/* The first process of a container outlives the system's own action, so it leaves by itself. */
static void end(int number)
{
    sigset_t this;

    lk_outfile_remove_all();
    (void)signal(number, SIG_DFL);
    (void)sigemptyset(&this);
    (void)sigaddset(&this, number);
    (void)pthread_sigmask(SIG_UNBLOCK, &this, NULL);
    (void)raise(number);
    _exit(128 + number);
}

/* None of them comes while the handler of another runs. */
static void handle(int number, void (*handler)(int))
{
    struct sigaction act = { .sa_handler = handler };

    (void)sigfillset(&act.sa_mask);
    (void)sigaction(number, &act, NULL);
}

static void note(int number)
{
    seen = number;
    handle(number, end);
}

void lk_interrupt_tidy(void)
{
    static const int ENDING[] = { SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGXCPU, SIGXFSZ };
    struct sigaction was;

    for (size_t i = 0; i < sizeof(ENDING) / sizeof(ENDING[0]); i++)
        if (sigaction(ENDING[i], NULL, &was) == 0 && was.sa_handler != SIG_IGN)
            handle(ENDING[i], end);
}

void lk_interrupt_catch(void)
{
    handle(SIGINT, note);
    handle(SIGTERM, note);
}

int lk_interrupt_seen(void)
{
    return seen;
}
