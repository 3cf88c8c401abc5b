#include "cli/cmd.h"
#include "cli/sandbox.h"
#include "cli/topic.h"

#include "base/near.h"

#include <lockstep/lockstep.h>

#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

const lk_cmd *const LK_CMDS[] = {
    &LK_CMD_ANALYZE,
    &LK_CMD_ATTEMPTS,
    &LK_CMD_MAP,
    &LK_CMD_REDUCE,
    &LK_CMD_MERGE,
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
    for (const lk_topic *t = LK_TOPICS; t->name; t++)
        if (strcmp(name, t->name) == 0)
            return lk_complain(2, "'%s' is a topic, not a command: lockstep help %s", name, name);
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
    lk_buf_text(out, "; sandbox: ");
    lk_sandbox_tell(out);
    lk_buf_text(out, ")\n");
}

void lk_help_general(lk_buf *out)
{
    lk_buf_text(out, "Usage: lockstep COMMAND [OPTION]... [FILE]...\n"
                     "Did callers that failed come back in step?  From HTTP access logs:\n"
                     "  lockstep analyze access.log*      was it the retries? the whole report\n"
                     "  lockstep watch access.log         an alert when a clock appears\n"
                     "  lockstep formats --explain FILE   is this log understood?\n\n"
                     "Commands:\n");
    for (const lk_cmd *const *cmd = LK_CMDS; *cmd; cmd++)
        if (!(*cmd)->is_unlisted)
            lk_opt_help_row((*cmd)->name, (*cmd)->help, out);
    lk_opt_help(LK_GLOBAL_OPTS, out);
    lk_buf_text(out, "\n'lockstep help COMMAND' tells more, 'lockstep help help' lists topics.\n");
}

void lk_help_command(const lk_cmd *cmd, lk_buf *out)
{
    lk_buf_printf(out, "Usage: lockstep %s [OPTION]...%s%s\n\n%s\n", cmd->name,
                  cmd->operands[0] ? " " : "", cmd->operands, cmd->help);
    if (cmd->examples)
        lk_buf_printf(out, "\n%s", cmd->examples);
    lk_buf_text(out, "\nOptions:\n");
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

static int unknown(const char *name)
{
    for (const lk_topic *t = LK_TOPICS; t->name; t++)
        if (lk_near(name, t->name))
            return lk_complain(2, "no command or topic '%s'; did you mean '%s'?", name, t->name);
    return lk_cmd_unknown(name);
}

/* "quick start" for "quick-start". */
static bool help_of_two(char *const *words, lk_buf *out)
{
    const lk_topic *topic;
    char name[64];

    (void)snprintf(name, sizeof(name), "%s-%s", words[0], words[1]);
    topic = lk_topic_find(name);
    if (topic)
        lk_buf_text(out, topic->text);
    return topic != NULL;
}

static void help_more(lk_buf *out)
{
    lk_buf_text(out, "\n");
    lk_topic_list(out);
}

static int run(int argc, char **argv, lk_buf *out)
{
    options o = { false };
    lk_err e = { 0 };
    const lk_topic *topic;
    const lk_cmd *cmd;
    int first;

    if (lk_opt_parse(OPTS, argc, argv, &o, &first, &e) != LK_OK)
        return lk_complain_of(&e);
    if (argc - first == 2 && help_of_two(argv + first, out))
        return 0;
    if (argc - first > 1)
        return lk_complain(2, "help takes one command or topic, not %d", argc - first);
    if (!o.help && first == argc) {
        lk_help_general(out);
        return 0;
    }
    cmd = o.help ? &LK_CMD_HELP : lk_cmd_find(argv[first]);
    topic = cmd ? NULL : lk_topic_find(argv[first]);
    if (cmd)
        lk_help_command(cmd, out);
    else if (topic)
        lk_buf_text(out, topic->text);
    else
        return unknown(argv[first]);
    return 0;
}

const lk_cmd LK_CMD_HELP = {
    .name = "help",
    .operands = "[COMMAND or TOPIC]",
    .help = "Shows what a command does, or tells of a topic",
    .options = OPTS,
    .run = run,
    .help_more = help_more,
};
