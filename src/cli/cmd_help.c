#include "cli/cmd.h"

#include "base/near.h"

#include <lockstep/lockstep.h>

#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

const lk_cmd *const LK_CMDS[] = {
    &LK_CMD_ANALYZE,
    &LK_CMD_ATTEMPTS,
    &LK_CMD_WATCH,
    &LK_CMD_SIMULATE,
    &LK_CMD_FORMATS,
    &LK_CMD_PLAN,
    &LK_CMD_WHATIF,
    &LK_CMD_RENDER,
    &LK_CMD_DIFF,
    &LK_CMD_SCHEMA,
    &LK_CMD_COMPLETION,
    &LK_CMD_HELP,
    NULL,
};

const lk_cmd *lk_cmd_find(const char *name)
{
    for (const lk_cmd *const *cmd = LK_CMDS; *cmd; cmd++)
        if (strcmp((*cmd)->name, name) == 0)
            return *cmd;
    return NULL;
}

int lk_cmd_unknown(const char *name)
{
    for (const lk_cmd *const *cmd = LK_CMDS; *cmd; cmd++)
        if (lk_near(name, (*cmd)->name))
            return lk_complain(2, "unknown command '%s'; did you mean '%s'?", name, (*cmd)->name);
    if (strcmp(name, "-") == 0 || access(name, F_OK) == 0)
        return lk_complain(2, "no command given; did you mean: lockstep analyze %s", name);
    return lk_complain(2, "unknown command '%s'; 'lockstep help' lists the commands", name);
}

void lk_help_version(lk_buf *out)
{
    char library[32];

    lk_buf_printf(out, "lockstep %s", LOCKSTEP_VERSION);
    for (size_t i = 0; lockstep_library(i, library); i++)
        lk_buf_printf(out, "%s%s", i ? ", " : " (", library);
    lk_buf_text(out, ")\n");
}

void lk_help_general(lk_buf *out)
{
    lk_buf_text(out, "Usage: lockstep COMMAND [OPTION]... [FILE]...\n\n"
                     "Reads HTTP access logs after an incident and says whether callers came back\n"
                     "in step: which delay in a retry path did it, how much it multiplied the\n"
                     "load, and how many calls really failed.\n\n"
                     "Commands:\n");
    for (const lk_cmd *const *cmd = LK_CMDS; *cmd; cmd++)
        lk_opt_help_row((*cmd)->name, (*cmd)->help, out);
    lk_buf_text(out, "\nOptions:\n");
    lk_opt_help(LK_GLOBAL_OPTS, out);
    lk_buf_text(out, "\n'lockstep help COMMAND' tells more, and so does man lockstep.\n");
}

void lk_help_command(const lk_cmd *cmd, lk_buf *out)
{
    lk_buf_printf(out, "Usage: lockstep %s [OPTION]...%s%s\n\n%s\n\nOptions:\n", cmd->name,
                  cmd->operands[0] ? " " : "", cmd->operands, cmd->help);
    lk_opt_help(cmd->options, out);
    if (cmd->help_more)
        cmd->help_more(out);
}

/* ---- the command ---- */

typedef struct options {
    bool help;
} options;

static const lk_opt OPTS[] = {
    { "help", NULL, 'h', LK_OPT_FLAG, offsetof(options, help), NULL, "show this help" },
    { .kind = LK_OPT_END },
};

static int run(int argc, char **argv, lk_buf *out)
{
    options o = { false };
    lk_err e = { 0 };
    const lk_cmd *cmd;
    int first;

    if (lk_opt_parse(OPTS, argc, argv, &o, &first, &e) != LK_OK)
        return lk_complain_of(&e);
    if (argc - first > 1)
        return lk_complain(2, "help takes one command, not %d", argc - first);
    if (!o.help && first == argc) {
        lk_help_general(out);
        return 0;
    }
    cmd = o.help ? &LK_CMD_HELP : lk_cmd_find(argv[first]);
    if (!cmd)
        return lk_cmd_unknown(argv[first]);
    lk_help_command(cmd, out);
    return 0;
}

const lk_cmd LK_CMD_HELP = {
    .name = "help",
    .operands = "[COMMAND]",
    .help = "Shows what a command does and its options",
    .options = OPTS,
    .run = run,
};
