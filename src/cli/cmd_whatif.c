#include "cli/cmd.h"
#include "cli/sandbox.h"
#include "cli/terminal.h"

#include <lockstep/whatif.h>

#include <stdbool.h>

typedef struct options {
    lockstep_whatif_options whatif;
    const char *format;
    bool ascii, no_sandbox, help;
} options;

/* clang-format off */
static const lk_opt OPTS[] = {
    { "policy", NULL, 0, LK_OPT_TEXT, offsetof(options, whatif.policy), "POLICY",
      "of their calls: full-jitter, or full-jitter:base=8,cap=60 (default: as it was)" },
    { "base", NULL, 0, LK_OPT_TEXT, offsetof(options, whatif.base), "TIME", "first window (1 s)" },
    { "factor", NULL, 0, LK_OPT_TEXT, offsetof(options, whatif.factor), "NUMBER", "growth of the window (2)" },
    { "cap", NULL, 0, LK_OPT_TEXT, offsetof(options, whatif.cap), "TIME", "largest window (60 s)" },
    { "attempts", NULL, 0, LK_OPT_TEXT, offsetof(options, whatif.attempts), "N", "attempts of a call" },
    { "concurrency", NULL, 0, LK_OPT_TEXT, offsetof(options, whatif.concurrency), "N",
      "tasks of a population at work at once; the others queue" },
    { "deadline", NULL, 0, LK_OPT_TEXT, offsetof(options, whatif.deadline), "TIME",
      "no attempt starts later than this after its call's first" },
    { "first-jitter", NULL, 0, LK_OPT_TEXT, offsetof(options, whatif.first_jitter), "TIME",
      "first attempts wait a random part of TIME" },
    { "pace", NULL, 0, LK_OPT_TEXT, offsetof(options, whatif.pace), "TIME",
      "first attempts are at least TIME apart" },
    { "requeue-jitter", NULL, 0, LK_OPT_TEXT, offsetof(options, whatif.requeue_jitter), "TIME",
      "a job runner waits a random part of TIME longer" },
    { "queue-attempts", NULL, 0, LK_OPT_TEXT, offsetof(options, whatif.queue_attempts), "N",
      "calls that a job runner makes of a task" },
    { "budget", NULL, 0, LK_OPT_TEXT, offsetof(options, whatif.budget), "SHARE",
      "retries for each first attempt: 0.1" },
    { "breaker", NULL, 0, LK_OPT_TEXT, offsetof(options, whatif.breaker), "N",
      "failures in a row that open a breaker, for 30 s to 60 s" },
    { "population", NULL, 0, LK_OPT_TEXT, offsetof(options, whatif.population), "NAME",
      "who changes: a user agent or a part of one; all: all that retry (default: who comes back in waves)" },
    { "share", NULL, 0, LK_OPT_TEXT, offsetof(options, whatif.share), "P", "share of their callers that changes: 0.3, 30%" },
    { "allowance", NULL, 0, LK_OPT_TEXT, offsetof(options, whatif.allowance), "RATE",
      "what the server admits of them, in place of what was inferred: 61/min" },
    { "bucket", NULL, 0, LK_OPT_TEXT, offsetof(options, whatif.bucket), "N", "requests that it lets through at once" },
    { "runs", NULL, 0, LK_OPT_TEXT, offsetof(options, whatif.runs), "N", "runs of each world (20)" },
    { "seed", NULL, 0, LK_OPT_TEXT, offsetof(options, whatif.seed), "N", "another seed, other last digits (1)" },
    { "threads", NULL, 0, LK_OPT_TEXT, offsetof(options, whatif.threads), "N",
      "threads (default: one a processor); the result does not depend on it" },
    { "format", NULL, 'f', LK_OPT_TEXT, offsetof(options, format), "NAME", "text (default) or json" },
    { "ascii", NULL, 0, LK_OPT_FLAG, offsetof(options, ascii), NULL, "ASCII characters only" },
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
    lk_sandbox_enter(&s);
}

static int simulate(const options *o, const char *path, lk_buf *out)
{
    lockstep_style style = LOCKSTEP_STYLE_INIT;
    lockstep_error error = { 0 };
    lockstep_report *report = NULL;
    char *text = NULL;
    size_t len = 0;
    int status;

    give_up_rights(o, path);
    status = lockstep_read(path, &report, &error);
    style.width = lk_terminal_width();
    style.ascii = o->ascii || !lk_terminal_has_utf8();
    style.colour = lk_terminal_has_colour();
    if (status == 0)
        status = lockstep_whatif(report, &o->whatif, o->format, &style, &text, &len, &error);
    lockstep_report_free(report);
    if (status != 0)
        return lk_complain(status, "%s", error.message);
    lk_buf_add(out, text, len);
    lockstep_text_free(text);
    return 0;
}

static int run(int argc, char **argv, lk_buf *out)
{
    options o = { LOCKSTEP_WHATIF_OPTIONS_INIT, "text", false, false, false };
    lk_err e = { 0 };
    int first;

    if (lk_opt_parse(OPTS, argc, argv, &o, &first, &e) != LK_OK)
        return lk_complain_of(&e);
    if (o.help) {
        lk_help_command(&LK_CMD_WHATIF, out);
        return 0;
    }
    if (argc - first != 1)
        return lk_complain(2, "whatif takes one report, as 'lockstep analyze --format json' prints it");
    return simulate(&o, argv[first], out);
}

const lk_cmd LK_CMD_WHATIF = {
    .name = "whatif",
    .operands = "REPORT",
    .help = "Simulates a saved incident under another policy",
    .options = OPTS,
    .run = run,
};
