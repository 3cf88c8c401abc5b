#include "cli/interrupt.h"

#include <signal.h>
#include <stddef.h>

static volatile sig_atomic_t seen; /* see the header for why it stands here */

static void note(int number)
{
    seen = number;
}

static void catch(int number)
{
    struct sigaction act = { .sa_handler = note, .sa_flags = (int)SA_RESETHAND };

    (void)sigemptyset(&act.sa_mask);
    (void)sigaction(number, &act, NULL);
}

void lk_interrupt_catch(void)
{
    catch(SIGINT);
    catch(SIGTERM);
}

int lk_interrupt_seen(void)
{
    return seen;
}
