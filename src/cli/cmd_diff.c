#include "cli/cmd.h"
#include "cli/printing.h"

#include <lockstep/lockstep.h>

#include <stdbool.h>

typedef struct options {
    lk_printing printing;
    bool help;
} options;

/* clang-format off */
static const lk_opt OPTS[] = {
    { "format", NULL, 'f', LK_OPT_TEXT, offsetof(options, printing.format), "NAME",
      "text (default), json" },
    { "output", NULL, 'o', LK_OPT_TEXT, offsetof(options, printing.output), "FILE",
      "write the comparison to FILE instead of standard output" },
    LK_PRINTING_LOOKS(options, printing),
    { "help", NULL, 'h', LK_OPT_FLAG, offsetof(options, help), NULL, "show this help" },
    { .kind = LK_OPT_END },
};
/* clang-format on */

static int compare(options *o, const lockstep_report *before, const lockstep_report *after,
                   lk_buf *out)
{
    const lockstep_style style = lk_printing_style(&o->printing);
    lockstep_error error = { 0 };
    char *text = NULL;
    size_t len = 0;
    int status = lockstep_diff(before, after, o->printing.format, &style, &text, &len, &error);

    if (status != 0)
        return lk_complain(status, "%s", error.message);
    status = lk_printing_deliver(&o->printing, text, len, out);
    lockstep_text_free(text);
    return status;
}

static void give_up_rights(options *o, char *const paths[2])
{
    lk_sandbox s;

    lk_printing_open(&o->printing, &s);
    lk_sandbox_inputs(&s, (const char *const *)paths, 2);
    lk_sandbox_enter(&s);
}

static int diff(options *o, char *const paths[2], lk_buf *out)
{
    lockstep_report *reports[2] = { NULL, NULL };
    lockstep_error error = { 0 };
    int status = 0;

    give_up_rights(o, paths);
    for (size_t i = 0; i < 2 && status == 0; i++)
        status = lockstep_read(paths[i], &reports[i], &error);
    status = status != 0 ? lk_complain(status, "%s", error.message)
                         : compare(o, reports[0], reports[1], out);
    lk_printing_close(&o->printing);
    lockstep_report_free(reports[0]);
    lockstep_report_free(reports[1]);
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
        lk_help_command(&LK_CMD_DIFF, out);
        return 0;
    }
    if (lk_printing_check_colour(&o.printing, &e) != LK_OK)
        return lk_complain_of(&e);
    if (argc - first != 2)
        return lk_complain(2, "diff takes two reports: the one before and the one after");
    return diff(&o, argv + first, out);
}

const lk_cmd LK_CMD_DIFF = {
    .name = "diff",
    .operands = "BEFORE AFTER",
    .help = "Compares two saved reports, before and after",
    .options = OPTS,
    .run = run,
};
