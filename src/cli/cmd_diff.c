#include "cli/cmd.h"
#include "cli/terminal.h"

#include <lockstep/lockstep.h>

#include <stdbool.h>

typedef struct options {
    const char *format;
    bool help;
} options;

/* clang-format off */
static const lk_opt OPTS[] = {
    { "format", NULL, 'f', LK_OPT_TEXT, offsetof(options, format), "NAME", "text (default), json" },
    { "help", NULL, 'h', LK_OPT_FLAG, offsetof(options, help), NULL, "show this help" },
    { .kind = LK_OPT_END },
};
/* clang-format on */

static int compare(const options *o, const lockstep_report *before, const lockstep_report *after,
                   lk_buf *out)
{
    lockstep_style style = LOCKSTEP_STYLE_INIT;
    lockstep_error error = { 0 };
    char *text = NULL;
    size_t len = 0;
    int status;

    style.width = lk_terminal_width();
    style.ascii = !lk_terminal_has_utf8();
    style.colour = lk_terminal_has_colour();
    status = lockstep_diff(before, after, o->format, &style, &text, &len, &error);
    if (status != 0)
        return lk_complain(status, "%s", error.message);
    lk_buf_add(out, text, len);
    lockstep_text_free(text);
    return 0;
}

static int diff(const options *o, char *const paths[2], lk_buf *out)
{
    lockstep_report *reports[2] = { NULL, NULL };
    lockstep_error error = { 0 };
    int status = 0;

    for (size_t i = 0; i < 2 && status == 0; i++)
        status = lockstep_read(paths[i], &reports[i], &error);
    status = status != 0 ? lk_complain(status, "%s", error.message)
                         : compare(o, reports[0], reports[1], out);
    lockstep_report_free(reports[0]);
    lockstep_report_free(reports[1]);
    return status;
}

static int run(int argc, char **argv, lk_buf *out)
{
    options o = { "text", false };
    lk_err e = { 0 };
    int first;

    if (lk_opt_parse(OPTS, argc, argv, &o, &first, &e) != LK_OK)
        return lk_complain_of(&e);
    if (o.help) {
        lk_help_command(&LK_CMD_DIFF, out);
        return 0;
    }
    if (argc - first != 2)
        return lk_complain(2, "diff takes two reports: the one before and the one after");
    return diff(&o, argv + first, out);
}

const lk_cmd LK_CMD_DIFF = {
    .name = "diff",
    .operands = "BEFORE AFTER",
    .help = "Compares two saved JSON reports, before and after a change",
    .options = OPTS,
    .run = run,
};
