/* cli/cmd — subcommands are rows; main and help know none by name.
 *
 * A command appends what it prints to `out`; main writes that to standard output at the end and
 * turns a failure to write into status 4.  Complaints go to standard error at once, a line each.
 * Errors: commands return the program's exit status, as in lockstep(1).  */
#ifndef LK_CLI_CMD_H
#define LK_CLI_CMD_H

#include "base/buf.h"
#include "base/err.h"
#include "cli/option.h"

#include <stdbool.h>

typedef struct lk_cmd {
    const char *name;
    const char *operands; /* "[FILE]...", or "" */
    const char *help;     /* one line           */
    const char *examples; /* lines, or NULL     */
    const lk_opt *options;
    int (*run)(int argc, char **argv, lk_buf *out);
    void (*help_more)(lk_buf *out); /* after the options; may be NULL */
    bool is_unlisted; /* another command's line in the general help tells of it */
} lk_cmd;

extern const lk_cmd LK_CMD_ANALYZE; /* cmd_analyze.c */
extern const lk_cmd LK_CMD_ATTEMPTS; /* cmd_attempts.c */
extern const lk_cmd LK_CMD_MAP;    /* cmd_map.c    */
extern const lk_cmd LK_CMD_REDUCE; /* cmd_reduce.c */
extern const lk_cmd LK_CMD_MERGE;  /* cmd_merge.c  */
extern const lk_cmd LK_CMD_WATCH; /* cmd_watch.c */
extern const lk_cmd LK_CMD_SIMULATE; /* cmd_simulate.c */
extern const lk_cmd LK_CMD_FORMATS; /* cmd_formats.c */
extern const lk_cmd LK_CMD_PLAN;    /* cmd_plan.c    */
extern const lk_cmd LK_CMD_WHATIF;  /* cmd_whatif.c  */
extern const lk_cmd LK_CMD_DIFF;    /* cmd_diff.c    */
extern const lk_cmd LK_CMD_RENDER;  /* cmd_render.c  */
extern const lk_cmd LK_CMD_SCHEMA;  /* cmd_schema.c  */
extern const lk_cmd LK_CMD_HELP;    /* cmd_help.c    */
extern const lk_cmd LK_CMD_COMPLETION; /* cmd_completion.c */

extern const lk_cmd *const LK_CMDS[]; /* NULL-terminated */
extern const lk_opt LK_GLOBAL_OPTS[]; /* before any command */

const lk_cmd *lk_cmd_find(const char *name); /* NULL when there is none */

/* Status 2 and one line, with what may have been meant. */
int lk_cmd_unknown(const char *name);

void lk_help_general(lk_buf *out);
void lk_help_command(const lk_cmd *cmd, lk_buf *out);
void lk_help_version(lk_buf *out);

/* "lockstep: " and one safe line on standard error; gives back `status`. */
int lk_complain(int status, const char *fmt, ...) LK_PRINTF(2, 3);
int lk_complain_of(const lk_err *e);

#endif
