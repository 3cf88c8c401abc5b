#include "cli/cmd.h"

#include <lockstep/lockstep.h>

#include <stdbool.h>
#include <string.h>

typedef struct options {
    bool help;
} options;

static const lk_opt OPTS[] = {
    { "help", NULL, 'h', LK_OPT_FLAG, offsetof(options, help), NULL, "show this help" },
    { .kind = LK_OPT_END },
};

static const struct {
    const char *name;
    const char *(*text)(void);
} SCHEMAS[] = {
    { "report", lockstep_schema },
    { "diff", lockstep_diff_schema },
};

static int print(const char *name, lk_buf *out)
{
    for (size_t i = 0; i < sizeof(SCHEMAS) / sizeof(SCHEMAS[0]); i++)
        if (strcmp(SCHEMAS[i].name, name) == 0) {
            lk_buf_text(out, SCHEMAS[i].text());
            return 0;
        }
    return lk_complain(2, "no schema of '%s'; there is report and diff", name);
}

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
    if (argc - first > 1)
        return lk_complain(2, "schema takes one name, but was given '%s' as well", argv[first + 1]);
    return print(first < argc ? argv[first] : SCHEMAS[0].name, out);
}

const lk_cmd LK_CMD_SCHEMA = {
    .name = "schema",
    .operands = "[report|diff]",
    .help = "Prints the JSON Schema of a JSON report, or of diff",
    .options = OPTS,
    .run = run,
};
