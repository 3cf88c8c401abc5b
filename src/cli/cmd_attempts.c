#include "cli/cmd.h"
#include "cli/output.h"
#include "cli/reading.h"
#include "cli/sandbox.h"

#include <lockstep/lockstep.h>

#include <stdbool.h>
#include <string.h>

typedef struct options {
    lockstep_options input;
    lk_opt_list matches;
    const char *format;
    bool quiet, no_sandbox, help;
} options;

/* clang-format off */
static const lk_opt OPTS[] = {
    { "format", NULL, 'f', LK_OPT_TEXT, offsetof(options, format), "jsonl|csv",
      "lines of JSON (default), or comma-separated values with a header" },
    LK_READING_OPTS(options, input),
    LK_SPAN_OPTS(options, input),
    { "match", NULL, 0, LK_OPT_LIST, offsetof(options, matches), "FIELD=GLOB",
      "these lines only, or with FIELD!=GLOB all others: status=5xx,429, host=*.example" },
    { "keep-query", NULL, 0, LK_OPT_FLAG, offsetof(options, input.keep_query), NULL,
      "targets with their query strings" },
    { "redact", NULL, 0, LK_OPT_TEXT, offsetof(options, input.redact), "WHAT,...",
      "pseudonyms for callers, targets, user-agents, hosts, or all; needs --redact-key" },
    { "redact-key", NULL, 0, LK_OPT_TEXT, offsetof(options, input.redact_key), "FILE",
      "pseudonyms by this secret key, the same in every output" },
    LK_LINKING_OPTS(options, input),
    LK_ATTEMPT_NO_OPT(options, input),
    { "max-attempts", NULL, 0, LK_OPT_SECONDS, offsetof(options, input.attempts_max), "N",
      "attempts after which callers give up (default: as seen)" },
    { "strict", NULL, 0, LK_OPT_FLAG, offsetof(options, input.strict), NULL,
      "use nothing of a damaged member of a compressed file; reads files twice" },
    { "rejects", NULL, 0, LK_OPT_TEXT, offsetof(options, input.rejects), "FILE",
      "keep the lines that cannot be read in FILE, as they are" },
    LK_MEMORY_OPT(options, input),
    { "quiet", NULL, 'q', LK_OPT_FLAG, offsetof(options, quiet), NULL,
      "no warnings on standard error" },
    LK_SANDBOX_OPT(options, no_sandbox),
    { "help", NULL, 'h', LK_OPT_FLAG, offsetof(options, help), NULL, "show this help" },
    { .kind = LK_OPT_END },
};
/* clang-format on */

/* Where lines go, and why no more of them can. */
typedef struct writer {
    lk_err trouble; /* code LK_OK: none                 */
    bool is_gone;   /* whoever read the lines has left  */
} writer;

static int write_lines(void *ctx, const char *text, size_t len)
{
    writer *w = ctx;

    return lk_output_now(text, len, &w->is_gone, &w->trouble) != LK_OK || w->is_gone;
}

static lk_code check(const options *o, lk_err *e)
{
    for (size_t i = 0; lockstep_attempt_format_name(i); i++)
        if (strcmp(lockstep_attempt_format_name(i), o->format) == 0)
            return lk_reading_check(&o->input, e);
    return lk_fail(e, LK_EUSAGE, "--format: attempts are printed as jsonl or csv, not as '%s'",
                   o->format);
}

static int stream(const options *o)
{
    lockstep_report *report = NULL;
    lockstep_error error = { 0 };
    writer w = { .is_gone = false };
    int status = lockstep_attempts(&o->input, o->format, write_lines, &w, &report, &error);

    if (w.trouble.code != LK_OK)
        status = lk_complain_of(&w.trouble);
    else if (w.is_gone)
        status = 0;
    else if (!report)
        status = lk_complain(status, "%s", error.message);
    else if (!o->quiet)
        lk_reading_warn(report);
    lockstep_report_free(report);
    return status;
}

static void give_up_rights(const options *o)
{
    lk_sandbox s;

    lk_sandbox_begin(&s, o->no_sandbox);
    lk_sandbox_inputs(&s, o->input.files, o->input.file_count);
    lk_sandbox_input(&s, o->input.sdk_log);
    lk_sandbox_input(&s, o->input.redact_key);
    lk_sandbox_output(&s, o->input.rejects);
    lk_sandbox_enter(&s);
}

static int run(int argc, char **argv, lk_buf *out)
{
    options o = { .input = LOCKSTEP_OPTIONS_INIT, .format = lockstep_attempt_format_name(0) };
    lk_err e = { 0 };
    int first;

    if (lk_opt_parse(OPTS, argc, argv, &o, &first, &e) != LK_OK)
        return lk_complain_of(&e);
    if (o.help) {
        lk_help_command(&LK_CMD_ATTEMPTS, out);
        return 0;
    }
    o.input.files = (const char *const *)(argv + first);
    o.input.file_count = (size_t)(argc - first);
    o.input.matches = o.matches.items;
    o.input.match_count = o.matches.count;
    if (check(&o, &e) != LK_OK)
        return lk_complain_of(&e);
    give_up_rights(&o);
    return stream(&o);
}

static void help_fields(lk_buf *out)
{
    lk_buf_text(out,
                "\nOne line an attempt: start, caller, user_agent, method, host, target, status,\n"
                "failed, rejected, duration_s, retry_after_s, task, call, attempt, layer,\n"
                "comeback_s, outcome; see lockstep-attempts(1).  Calls are those that 'lockstep\n"
                "analyze' counts.\n");
}

const lk_cmd LK_CMD_ATTEMPTS = {
    .name = "attempts",
    .operands = "[FILE]...",
    .help = "Prints every attempt with its call, a line each",
    .options = OPTS,
    .run = run,
    .help_more = help_fields,
};
