#include "cli/cmd.h"
#include "cli/reading.h"
#include "cli/sandbox.h"

#include <lockstep/lockstep.h>

#include <stdbool.h>

typedef struct options {
    lockstep_options input;
    const char *explain;
    bool no_sandbox, help;
} options;

/* clang-format off */
static const lk_opt OPTS[] = {
    { "explain", NULL, 'e', LK_OPT_TEXT, offsetof(options, explain), "FILE",
      "how FILE is read, field by field; '-' is standard input" },
    LK_READING_OPTS(options, input),
    LK_SANDBOX_OPT(options, no_sandbox),
    { "help", NULL, 'h', LK_OPT_FLAG, offsetof(options, help), NULL, "show this help" },
    { .kind = LK_OPT_END },
};
/* clang-format on */

static void list(lk_buf *out)
{
    lk_buf_text(out, "Log formats, each recognised by itself: what a stamp denotes, its resolution\n\n");
    for (size_t i = 0; lockstep_log_format_name(i); i++) {
        lk_buf text;

        lk_buf_init(&text);
        lk_buf_printf(&text, "%s, %s: %s", lockstep_log_format_moment(i),
                      lockstep_log_format_resolution(i), lockstep_log_format_help(i));
        if (text.p)
            lk_opt_help_row(lockstep_log_format_name(i), text.p, out);
        lk_buf_release(&text);
    }
    lk_buf_text(out, "\nstart, end: the stamp is that of the request's start or end; by order: the\n"
                     "order of the lines tells which.  Other logs: --log-format and --json-keys,\n"
                     "see lockstep-formats(5).\n");
}

static void give_up_rights(const options *o)
{
    lk_sandbox s;

    lk_sandbox_begin(&s, o->no_sandbox);
    lk_sandbox_input(&s, o->explain);
    lk_sandbox_enter(&s);
}

static int explain(const options *o, lk_buf *out)
{
    lockstep_error error = { 0 };
    char *text = NULL;
    size_t len = 0;
    int status;

    give_up_rights(o);
    status = lockstep_explain(o->explain, &o->input, &text, &len, &error);
    if (status != 0)
        return lk_complain(status, "%s", error.message);
    lk_buf_add(out, text, len);
    lockstep_text_free(text);
    return 0;
}

static int run(int argc, char **argv, lk_buf *out)
{
    options o = { .input = LOCKSTEP_OPTIONS_INIT };
    lk_err e = { 0 };
    int first;

    if (lk_opt_parse(OPTS, argc, argv, &o, &first, &e) != LK_OK)
        return lk_complain_of(&e);
    if (o.help) {
        lk_help_command(&LK_CMD_FORMATS, out);
        return 0;
    }
    if (first < argc)
        return lk_complain(2, "formats takes no argument, but was given '%s'; did you mean: "
                              "lockstep formats --explain %s",
                           argv[first], argv[first]);
    if (o.explain)
        return explain(&o, out);
    if (o.input.log_format || o.input.json_keys || o.input.zone || o.input.max_line)
        return lk_complain(2, "--log-format, --json-keys, --tz and --max-line go with --explain FILE");
    list(out);
    return 0;
}

const lk_cmd LK_CMD_FORMATS = {
    .name = "formats",
    .operands = "",
    .help = "Lists the log formats, or shows how a file is read",
    .options = OPTS,
    .run = run,
};
