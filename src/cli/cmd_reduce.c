#include "cli/beside.h"
#include "cli/cmd.h"
#include "cli/sandbox.h"

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

typedef struct writer {
    lk_beside file;
    lk_err trouble;
} writer;

static int write_state(void *ctx, const char *bytes, size_t len)
{
    writer *w = ctx;

    return lk_beside_write(&w->file, bytes, len, &w->trouble) != LK_OK || w->file.gone;
}

static void give_up_rights(const options *o, const char *path)
{
    lk_sandbox s;

    lk_sandbox_begin(&s, o->no_sandbox);
    lk_sandbox_input(&s, path);
    lk_sandbox_output(&s, o->output);
    lk_sandbox_enter(&s);
}

static int reduce(const options *o, const char *path)
{
    lockstep_error error = { 0 };
    writer w = { .trouble = { .code = LK_OK } };
    lk_err e = { 0 };
    int status;

    give_up_rights(o, path);
    if (lk_beside_open(&w.file, o->output, &e) != LK_OK)
        return lk_complain_of(&e);
    status = lockstep_reduce(path, write_state, &w, &error);
    if (w.trouble.code != LK_OK)
        status = lk_complain_of(&w.trouble);
    else if (w.file.gone)
        status = 0;
    else if (status != 0)
        status = lk_complain(status, "%s", error.message);
    else if (lk_beside_keep(&w.file, &e) != LK_OK)
        status = lk_complain_of(&e);
    lk_beside_drop(&w.file);
    return status;
}

static int run(int argc, char **argv, lk_buf *out)
{
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
    return reduce(&o, argc > first ? argv[first] : "-");
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
