#include "cli/cmd.h"
#include "cli/sandbox.h"
#include "cli/state_file.h"

#include <lockstep/scale.h>

#include <stdbool.h>
#include <unistd.h>

typedef struct options {
    const char *output;
    bool no_sandbox, help;
} options;

/* clang-format off */
static const lk_opt OPTS[] = {
    { "output", NULL, 'o', LK_OPT_TEXT, offsetof(options, output), "FILE",
      "write the state to FILE instead of standard output, once it is whole" },
    LK_SANDBOX_OPT(options, no_sandbox),
    { "help", NULL, 'h', LK_OPT_FLAG, offsetof(options, help), NULL, "show this help" },
    { .kind = LK_OPT_END },
};
/* clang-format on */

static void give_up_rights(const options *o, const char *path)
{
    lk_sandbox s;

    lk_sandbox_begin(&s, o->no_sandbox);
    lk_sandbox_input(&s, path);
    lk_sandbox_output(&s, o->output);
    lk_sandbox_enter(&s);
}

static int make(void *ctx, lockstep_write *write, void *to, lockstep_error *error)
{
    return lockstep_reduce(ctx, write, to, error);
}

static int run(int argc, char **argv, lk_buf *out)
{
    char standard_input[] = "-", *path;
    options o = { .help = false };
    lk_err e = { 0 };
    int first;

    if (lk_opt_parse(OPTS, argc, argv, &o, &first, &e) != LK_OK)
        return lk_complain_of(&e);
    if (o.help) {
        lk_help_command(&LK_CMD_REDUCE, out);
        return 0;
    }
    if (argc - first > 1)
        return lk_complain(2, "reduce takes one FILE of records, or standard input");
    if (argc == first && isatty(STDIN_FILENO))
        return lk_complain(2, "no records given: name a FILE, or '-' for standard input");
    if (!o.output && isatty(STDOUT_FILENO))
        return lk_complain(2, "a state is not for a terminal: --output FILE");
    path = argc > first ? argv[first] : standard_input;
    give_up_rights(&o, path);
    return lk_state_file_make(o.output, make, path);
}

const lk_cmd LK_CMD_REDUCE = {
    .name = "reduce",
    .operands = "[FILE]",
    .help = "Turns records of map into a state",
    .examples = "  LC_ALL=C sort records.* | lockstep reduce -o part-0.state\n",
    .options = OPTS,
    .run = run,
    .is_unlisted = true,
};
