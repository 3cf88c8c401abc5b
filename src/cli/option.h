/* cli/option — options are rows: parsed by getopt_long, printed by --help.
 *
 * Errors: EUSAGE unknown or ambiguous option, one of another command, missing or unwanted value, bad number.  */
#ifndef LK_CLI_OPTION_H
#define LK_CLI_OPTION_H

#include "base/buf.h"
#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>

enum { LK_OPTS_MAX = 64 };

typedef enum lk_opt_kind {
    LK_OPT_END = 0,
    LK_OPT_FLAG,   /* bool                                */
    LK_OPT_TEXT,   /* const char *                        */
    LK_OPT_SECONDS, /* double, above 0                    */
    LK_OPT_SIZE,   /* size_t, bytes, above 0: 64K, 2M, 1G */
    LK_OPT_LIST,   /* lk_opt_list: may be given more than once */
    LK_OPT_ELSEWHERE /* refused, `help` says where it belongs; such rows are the last ones */
} lk_opt_kind;

enum { LK_OPT_LIST_MAX = 64 };

typedef struct lk_opt_list {
    const char *items[LK_OPT_LIST_MAX];
    size_t count;
} lk_opt_list;

typedef struct lk_opt {
    const char *name;  /* without its dashes              */
    const char *alias; /* another spelling, or NULL       */
    char letter;       /* '\0' = none                     */
    lk_opt_kind kind;
    size_t offset;     /* of the value in `values`        */
    const char *value; /* what --help calls it, or NULL   */
    const char *help;
} lk_opt;

/* An option of this command: neither the end of the rows nor one that belongs elsewhere. */
static inline bool lk_opt_is_own(const lk_opt *o)
{
    return o->kind != LK_OPT_END && o->kind != LK_OPT_ELSEWHERE;
}

/* Fills the struct at `values`; *operands is the index of the first argument that is no option. */
LK_MUST_CHECK lk_code lk_opt_parse(const lk_opt *opts, int argc, char **argv, void *values,
                                   int *operands, lk_err *e);

/* "  -h, --help        show this help" for each row. */
void lk_opt_help(const lk_opt *opts, lk_buf *out);
/* One such row: `head` at two columns, the words of `text` beside it, wrapped before column 80. */
void lk_opt_help_row(const char *head, const char *text, lk_buf *out);

#endif
