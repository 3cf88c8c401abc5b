/* cli/terminal — what the place where a report goes can show.  */
#ifndef LK_CLI_TERMINAL_H
#define LK_CLI_TERMINAL_H

#include <stdbool.h>
#include <stddef.h>

enum { LK_WIDTH_DEFAULT = 80 };

/* The name of the locale says UTF-8: LC_ALL, else LC_CTYPE, else LANG; nothing set: no. */
bool lk_terminal_has_utf8(void);
/* Standard output is a terminal, TERM is not dumb and NO_COLOR is unset or empty. */
bool lk_terminal_has_colour(void);
/* TERM is set and not dumb: it can move its cursor. */
bool lk_terminal_is_able(void);
/* Lines of the terminal at standard output; 24 where it does not say. */
size_t lk_terminal_height(void);
/* Columns of the terminal at standard output; LK_WIDTH_DEFAULT for anything else. */
size_t lk_terminal_width(void);
/* The same of another descriptor; COLUMNS is not asked. */
size_t lk_terminal_width_of(int fd);

#endif
