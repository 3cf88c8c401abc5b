/* cli/pager — long text on a terminal goes through a pager, as git's does.
 *
 * LOCKSTEP_PAGER, else PAGER, else less; empty or "cat" is none.  The value is split at blanks, quotes
 * keep them, and the words are run as they are: no shell reads them.  less gets LESS=FRX where LESS is
 * not set.
 * Its process is forked early, while programs may still be run, and waits to be told.
 *
 * Owner:  lk_pager_prepare/lk_pager_release.
 * Errors: a pager that cannot be run is complained of when it was asked for by name, and the text is
 *         printed plainly.  A pager that is left early is none.  */
#ifndef LK_CLI_PAGER_H
#define LK_CLI_PAGER_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

enum { LK_PAGER_WORDS_MAX = 32, LK_PAGER_TEXT_MAX = 1024, LK_PAGER_NAME_MAX = LK_PAGER_TEXT_MAX };

typedef struct lk_pager {
    pid_t child; /* 0 = there is none                        */
    int text;    /* what it shows                            */
    int go;      /* a byte: run; its end: do not             */
    int news;    /* closes unread once it runs, or its errno */
    char name[LK_PAGER_NAME_MAX]; /* to complain of where it was asked for by name, else "" */
    bool is_bad;                  /* what was asked for is no command                       */
} lk_pager;

#define LK_PAGER_INIT { .text = -1, .go = -1, .news = -1 }

/* Where standard output is a terminal and there is a pager; before any other thread. */
void lk_pager_prepare(lk_pager *p);
void lk_pager_release(lk_pager *p);

/* True: the text was shown, and waits for nobody any more.  False: standard output is no terminal, the
 * text fits it, or there is no pager. */
bool lk_pager_show(lk_pager *p, const char *text, size_t len);

/* The words of a command into words[LK_PAGER_WORDS_MAX + 1], NULL-terminated, in room; their number, 0
 * where there is none or they are too many. */
size_t lk_pager_split(const char *command, char room[LK_PAGER_TEXT_MAX],
                      char *words[LK_PAGER_WORDS_MAX + 1]);

#endif
