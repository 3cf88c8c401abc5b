#include "cli/cmd.h"

#include <lockstep/lockstep.h>

#include <stdbool.h>

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
    int first;

    if (lk_opt_parse(OPTS, argc, argv, &o, &first, &e) != LK_OK)
        return lk_complain_of(&e);
    if (o.help) {
        lk_help_command(&LK_CMD_SCHEMA, out);
        return 0;
    }
    if (first < argc)
        return lk_complain(2, "schema takes no argument, but was given '%s'", argv[first]);
    lk_buf_text(out, lockstep_schema());
    return 0;
}

const lk_cmd LK_CMD_SCHEMA = {
    .name = "schema",
    .operands = "",
    .help = "Prints the JSON Schema of the JSON report",
    .options = OPTS,
    .run = run,
};
