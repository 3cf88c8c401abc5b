#include "cli/cmd.h"
#include "base/near.h"

#include <lockstep/lockstep.h>

#include <stdbool.h>
#include <string.h>

/* Every script is written from the rows of commands and options, so that it knows what --help knows. */

/* ---- what a value may be ---- */

typedef const char *(*names_fn)(size_t i);

/* Option names whose values the library lists, whatever the command. */
static const struct {
    const char *option;
    names_fn names;
} LISTED[] = {
    { "format", lockstep_format_name },
    { "log-format", lockstep_log_format_name },
};

static names_fn names_of(const lk_opt *o)
{
    for (size_t i = 0; i < sizeof(LISTED) / sizeof(LISTED[0]); i++)
        if (strcmp(o->name, LISTED[i].option) == 0)
            return LISTED[i].names;
    return NULL;
}

/* The words of "auto|always|never". */
static void put_choices(const char *value, lk_buf *out)
{
    for (; *value; value++)
        lk_buf_add(out, *value == '|' ? " " : value, 1);
}

static bool is_file(const lk_opt *o)
{
    return o->value && strcmp(o->value, "FILE") == 0;
}

static void put_names(names_fn names, lk_buf *out)
{
    const char *name;

    for (size_t i = 0; (name = names(i)) != NULL; i++)
        lk_buf_printf(out, "%s%s", i ? " " : "", name);
}

/* All that may stand as the value, between `open` and `close`; false when that is not known. */
static bool put_values(const lk_opt *o, const char *open, const char *close, lk_buf *out)
{
    bool chosen = o->value && strchr(o->value, '|');
    names_fn names = chosen ? NULL : names_of(o);

    if (!names && !chosen)
        return false;
    lk_buf_text(out, open);
    if (names)
        put_names(names, out);
    else
        put_choices(o->value, out);
    lk_buf_text(out, close);
    return true;
}

/* A help text between single quotes, without what a shell's completion would read in it. */
static void put_help(const char *text, lk_buf *out)
{
    for (; *text; text++)
        if (!strchr("'[]:\\$`", *text))
            lk_buf_add(out, text, 1);
}

static void put_commands(lk_buf *out)
{
    for (const lk_cmd *const *cmd = LK_CMDS; *cmd; cmd++)
        lk_buf_printf(out, "%s%s", cmd == LK_CMDS ? "" : " ", (*cmd)->name);
}

static bool takes_files(const lk_cmd *cmd)
{
    return strstr(cmd->operands, "FILE") || strstr(cmd->operands, "REPORT");
}

/* ---- bash ---- */

static void bash_options(const lk_opt *o, lk_buf *out)
{
    for (const char *gap = ""; lk_opt_is_own(o); o++, gap = " ") {
        lk_buf_printf(out, "%s--%s", gap, o->name);
        if (o->alias)
            lk_buf_printf(out, " --%s", o->alias);
    }
}

static void bash_values(const lk_opt *o, lk_buf *out)
{
    for (; lk_opt_is_own(o); o++) {
        if (o->kind == LK_OPT_FLAG)
            continue;
        lk_buf_printf(out, "            --%s) ", o->name);
        if (!put_values(o, "words='", "' ;;\n", out))
            lk_buf_printf(out, "kind=%s ;;\n", is_file(o) ? "file" : "free");
    }
}

static void bash_command(const lk_cmd *cmd, lk_buf *out)
{
    lk_buf_printf(out, "    %s)\n        options='", cmd->name);
    bash_options(cmd->options, out);
    lk_buf_text(out, "'\n        ");
    if (strchr(cmd->operands, '|')) {
        lk_buf_text(out, "choices='");
        put_choices(cmd->operands, out);
        lk_buf_text(out, "'\n");
    } else {
        lk_buf_printf(out, "rest=%s\n",
                      takes_files(cmd)                 ? "file"
                      : strcmp(cmd->name, "help") == 0 ? "command"
                                                       : "none");
    }
    lk_buf_text(out, "        case $before in\n");
    bash_values(cmd->options, out);
    lk_buf_text(out, "        esac\n        ;;\n");
}

static void bash(lk_buf *out)
{
    lk_buf_text(out, "# lockstep: completion for bash\n"
                     "_lockstep()\n{\n"
                     "    local here=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]}\n"
                     "    local options='' words='' choices='' kind='' rest='' commands='");
    put_commands(out);
    lk_buf_text(out,
                "'\n    COMPREPLY=()\n"
                "    if [ \"$COMP_CWORD\" -eq 1 ]; then\n"
                "        COMPREPLY=($(compgen -W \"$commands --help --version\" -- \"$here\"))\n"
                "        return\n    fi\n"
                "    case ${COMP_WORDS[1]} in\n");
    for (const lk_cmd *const *cmd = LK_CMDS; *cmd; cmd++)
        bash_command(*cmd, out);
    lk_buf_text(out, "    *) return ;;\n    esac\n"
                     "    if [ -z \"$kind$words\" ]; then\n"
                     "        case $here in\n"
                     "        -*) words=$options ;;\n"
                     "        *) kind=$rest words=$choices ;;\n        esac\n    fi\n"
                     "    [ \"$kind\" != command ] || words=$commands\n"
                     "    if [ \"$kind\" = file ]; then\n"
                     "        compopt -o filenames 2>/dev/null\n"
                     "        local IFS=$'\\n'\n"
                     "        COMPREPLY=($(compgen -f -- \"$here\"))\n"
                     "    elif [ -n \"$words\" ]; then\n"
                     "        COMPREPLY=($(compgen -W \"$words\" -- \"$here\"))\n"
                     "    fi\n}\n"
                     "complete -F _lockstep lockstep\n");
}

/* ---- zsh ---- */

static void zsh_option(const lk_opt *o, const char *name, lk_buf *out)
{
    lk_buf_printf(out, "            '*--%s%s[", name, o->kind == LK_OPT_FLAG ? "" : "=");
    put_help(o->help, out);
    lk_buf_text(out, "]");
    if (o->kind != LK_OPT_FLAG) {
        lk_buf_text(out, ":");
        put_help(o->value ? o->value : "value", out);
        lk_buf_text(out, ":");
        if (!put_values(o, "(", ")", out) && is_file(o))
            lk_buf_text(out, "_files");
    }
    lk_buf_text(out, "' \\\n");
}

static void zsh_command(const lk_cmd *cmd, lk_buf *out)
{
    lk_buf_printf(out, "    %s)\n        _arguments -s \\\n", cmd->name);
    for (const lk_opt *o = cmd->options; lk_opt_is_own(o); o++) {
        zsh_option(o, o->name, out);
        if (o->alias)
            zsh_option(o, o->alias, out);
    }
    if (takes_files(cmd)) {
        lk_buf_text(out, "            '*:file:_files'\n");
    } else if (strcmp(cmd->name, "help") == 0) {
        lk_buf_text(out, "            '1:command:($names)'\n");
    } else if (strchr(cmd->operands, '|')) {
        lk_buf_text(out, "            '1:which:(");
        put_choices(cmd->operands, out);
        lk_buf_text(out, ")'\n");
    } else {
        lk_buf_text(out, "            '*: :'\n");
    }
    lk_buf_text(out, "        ;;\n");
}

static void zsh(lk_buf *out)
{
    lk_buf_text(out, "#compdef lockstep\n"
                     "# lockstep: completion for zsh\n"
                     "_lockstep()\n{\n"
                     "    local -a commands names\n    commands=(\n");
    for (const lk_cmd *const *cmd = LK_CMDS; *cmd; cmd++) {
        lk_buf_printf(out, "        '%s:", (*cmd)->name);
        put_help((*cmd)->help, out);
        lk_buf_text(out, "'\n");
    }
    lk_buf_text(out, "    )\n    names=(${commands%%:*})\n"
                     "    if (( CURRENT == 2 )); then\n"
                     "        _describe 'command' commands\n"
                     "        return\n    fi\n"
                     "    local command=${words[2]}\n"
                     "    shift words\n    (( CURRENT-- ))\n"
                     "    case $command in\n");
    for (const lk_cmd *const *cmd = LK_CMDS; *cmd; cmd++)
        zsh_command(*cmd, out);
    lk_buf_text(out, "    esac\n}\n"
                     "if [ \"$funcstack[1]\" = _lockstep ]; then\n    _lockstep \"$@\"\n"
                     "else\n    compdef _lockstep lockstep\nfi\n");
}

/* ---- fish ---- */

static void fish_option(const lk_cmd *cmd, const lk_opt *o, lk_buf *out)
{
    lk_buf_printf(out, "complete -c lockstep -n '__fish_seen_subcommand_from %s' -l %s", cmd->name,
                  o->name);
    if (o->letter)
        lk_buf_printf(out, " -s %c", o->letter);
    if (o->kind != LK_OPT_FLAG)
        lk_buf_text(out, is_file(o) ? " -r -F" : " -x");
    (void)put_values(o, " -a '", "'", out);
    lk_buf_text(out, " -d '");
    put_help(o->help, out);
    lk_buf_text(out, "'\n");
}

static void fish_command(const lk_cmd *cmd, lk_buf *out)
{
    lk_buf_printf(out, "complete -c lockstep -f -n __fish_use_subcommand -a %s -d '", cmd->name);
    put_help(cmd->help, out);
    lk_buf_text(out, "'\n");
    for (const lk_opt *o = cmd->options; lk_opt_is_own(o); o++)
        fish_option(cmd, o, out);
    if (takes_files(cmd))
        lk_buf_printf(out, "complete -c lockstep -F -n '__fish_seen_subcommand_from %s'\n",
                      cmd->name);
}

static void fish(lk_buf *out)
{
    lk_buf_text(out, "# lockstep: completion for fish\n");
    for (const lk_cmd *const *cmd = LK_CMDS; *cmd; cmd++)
        fish_command(*cmd, out);
    lk_buf_text(out, "complete -c lockstep -f -n '__fish_seen_subcommand_from help' -a '");
    put_commands(out);
    lk_buf_text(out, "'\n");
}

/* ---- the command ---- */

static const struct {
    const char *name;
    void (*write)(lk_buf *out);
} SHELLS[] = {
    { "bash", bash },
    { "zsh", zsh },
    { "fish", fish },
};

typedef struct options {
    bool help;
} options;

static const lk_opt OPTS[] = {
    { "help", NULL, 'h', LK_OPT_FLAG, offsetof(options, help), NULL, "show this help" },
    { .kind = LK_OPT_END },
};

static int write_for(const char *shell, lk_buf *out)
{
    size_t n = sizeof(SHELLS) / sizeof(SHELLS[0]);

    for (size_t i = 0; i < n; i++)
        if (strcmp(shell, SHELLS[i].name) == 0) {
            SHELLS[i].write(out);
            return 0;
        }
    for (size_t i = 0; i < n; i++)
        if (lk_near(shell, SHELLS[i].name))
            return lk_complain(2, "no completion for '%s'; did you mean '%s'?", shell,
                               SHELLS[i].name);
    return lk_complain(2, "no completion for '%s'; there is bash, zsh and fish", shell);
}

static int run(int argc, char **argv, lk_buf *out)
{
    options o = { false };
    lk_err e = { 0 };
    int first;

    if (lk_opt_parse(OPTS, argc, argv, &o, &first, &e) != LK_OK)
        return lk_complain_of(&e);
    if (o.help) {
        lk_help_command(&LK_CMD_COMPLETION, out);
        return 0;
    }
    if (argc - first != 1)
        return lk_complain(2, "completion takes one shell: bash, zsh or fish");
    return write_for(argv[first], out);
}

static void help_more(lk_buf *out)
{
    lk_buf_text(
        out,
        "\nFor this shell:   source <(lockstep completion bash)\n"
        "For every shell:  lockstep completion zsh >~/.zfunc/_lockstep\n"
        "                  lockstep completion fish >~/.config/fish/completions/lockstep.fish\n");
}

const lk_cmd LK_CMD_COMPLETION = {
    .name = "completion",
    .operands = "bash|zsh|fish",
    .help = "Prints a script that completes commands",
    .options = OPTS,
    .run = run,
    .help_more = help_more,
};
