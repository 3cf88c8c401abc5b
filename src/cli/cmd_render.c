#include "cli/cmd.h"
#include "cli/printing.h"

#include <lockstep/lockstep.h>

#include <stdbool.h>
#include <unistd.h>

typedef struct options {
    lk_printing printing;
    bool help;
} options;

static const lk_opt OPTS[] = {
    LK_PRINTING_OPTS(options, printing),
    LK_PRINTING_LOOKS(options, printing),
    { "help", NULL, 'h', LK_OPT_FLAG, offsetof(options, help), NULL, "show this help" },
    { .kind = LK_OPT_END },
};

static void give_up_rights(options *o, const char *path)
{
    lk_sandbox s;

    lk_printing_open(&o->printing, &s);
    lk_sandbox_input(&s, path);
    lk_sandbox_enter(&s);
}

static int render(options *o, const char *path, lk_buf *out)
{
    lockstep_report *report = NULL;
    lockstep_error error = { 0 };
    int status;

    give_up_rights(o, path);
    status = lockstep_read(path, &report, &error);
    if (status != 0)
        return lk_complain(status, "%s", error.message);
    status = lk_printing_print(&o->printing, report, out);
    lk_printing_close(&o->printing);
    lockstep_report_free(report);
    return status;
}

static int run(int argc, char **argv, lk_buf *out)
{
    options o = { .help = false };
    lk_err e = { 0 };
    int first;

    lk_printing_init(&o.printing);
    if (lk_opt_parse(OPTS, argc, argv, &o, &first, &e) != LK_OK)
        return lk_complain_of(&e);
    if (o.help) {
        lk_help_command(&LK_CMD_RENDER, out);
        return 0;
    }
    if (lk_printing_check(&o.printing, &e) != LK_OK)
        return lk_complain_of(&e);
    if (argc - first > 1)
        return lk_complain(2, "render takes one report, but was given '%s' as well",
                           argv[first + 1]);
    if (argc == first && isatty(STDIN_FILENO))
        return lk_complain(2, "no report given: name a FILE, or '-' for standard input");
    return render(&o, argc == first ? "-" : argv[first], out);
}

const lk_cmd LK_CMD_RENDER = {
    .name = "render",
    .operands = "[REPORT]",
    .help = "Prints a saved JSON report in another format",
    .options = OPTS,
    .run = run,
};
