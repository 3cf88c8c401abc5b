#include "cli/cmd.h"
#include "cli/interrupt.h"
#include "cli/printing.h"
#include "cli/progress.h"
#include "cli/reading.h"
#include "cli/search.h"

#include <lockstep/lockstep.h>

#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

typedef struct options {
    lockstep_options input;
    lk_opt_list matches, layers;
    lk_printing printing;
    lk_search_texts search;
    const char *explain, *progress;
    bool timing, verbose, quiet, help, version;
} options;

/* clang-format off */
static const lk_opt OPTS[] = {
    LK_PRINTING_OPTS(options, printing),
    { "sdk-log", NULL, 0, LK_OPT_TEXT, offsetof(options, input.sdk_log), "FILE",
      "the callers' own record of their calls: JSON lines, CSV, OTLP/JSON" },
    { "sdk-keys", NULL, 0, LK_OPT_TEXT, offsetof(options, input.sdk_keys), "FIELD=KEY,...",
      "keys or columns of the SDK log: ts, call_id, duration_s, outcome, ..." },
    LK_READING_OPTS(options, input),
    LK_SPAN_OPTS(options, input),
    { "match", NULL, 0, LK_OPT_LIST, offsetof(options, matches), "FIELD=GLOB",
      "count these lines only, or with FIELD!=GLOB all others: status=5xx,429, host=*.example" },
    { "keep-query", NULL, 0, LK_OPT_FLAG, offsetof(options, input.keep_query), NULL,
      "tell targets apart by their query strings too" },
    { "by", NULL, 0, LK_OPT_TEXT, offsetof(options, input.by), "host|target|caller",
      "both rates, layers and amplification for each of these too, worst first" },
    { "redact", NULL, 0, LK_OPT_TEXT, offsetof(options, input.redact), "WHAT,...",
      "pseudonyms for callers, targets, user-agents, hosts, or all" },
    { "redact-key", NULL, 0, LK_OPT_TEXT, offsetof(options, input.redact_key), "FILE",
      "pseudonyms by this secret key, the same in every report" },
    LK_LINKING_OPTS(options, input),
    LK_ATTEMPT_NO_OPT(options, input),
    { "layer", NULL, 0, LK_OPT_LIST, offsetof(options, layers), "NAME=FIELD",
      "one more layer that retries: its units share the value of FIELD" },
    { "max-attempts", NULL, 0, LK_OPT_SECONDS, offsetof(options, input.attempts_max), "N",
      "attempts after which callers give up (default: as seen)" },
    { "strict", NULL, 0, LK_OPT_FLAG, offsetof(options, input.strict), NULL,
      "use nothing of a damaged member of a compressed file; reads files twice" },
    { "rejects", NULL, 0, LK_OPT_TEXT, offsetof(options, input.rejects), "FILE",
      "keep the lines that cannot be read in FILE, as they are" },
    { "fail-on", NULL, 0, LK_OPT_TEXT, offsetof(options, input.fail_on), "WHAT,...",
      "status 1 for synchronised, overload, amplification=5, error-share=0.05, "
      "rejected-share=N, failed-share=N" },
    { "allowance", NULL, 0, LK_OPT_TEXT, offsetof(options, input.allowance), "RATE",
      "requests that the server admits: 67, 4000/min" },
    { "bucket", NULL, 0, LK_OPT_TEXT, offsetof(options, input.bucket), "NUMBER",
      "requests that it admits at once" },
    { "cost", NULL, 0, LK_OPT_TEXT, offsetof(options, input.cost), "TOKENS",
      "of a request, with --refill in place of --allowance" },
    { "refill", NULL, 0, LK_OPT_TEXT, offsetof(options, input.refill), "RATE",
      "tokens that come: 2000000/min" },
    { "bin", NULL, 0, LK_OPT_SECONDS, offsetof(options, input.bin_s), "SECONDS",
      "width of the histogram's bins (default: by span)" },
    LK_SEARCH_OPTS(options, search, input),
    { "explain", NULL, 0, LK_OPT_TEXT, offsetof(options, explain), "WHAT",
      "clock: the search for clocks, step by step, instead of the report" },
    { "jobs", NULL, 'j', LK_OPT_SIZE, offsetof(options, input.threads), "N",
      "threads that work on it (default: one a processor); the report is the same whatever N" },
    LK_MEMORY_OPT(options, input),
    { "verbose", NULL, 'v', LK_OPT_FLAG, offsetof(options, verbose), NULL,
      "what the memory is used for, on standard error" },
    { "timing", NULL, 0, LK_OPT_FLAG, offsetof(options, timing), NULL,
      "CPU time of each stage, on standard error" },
    LK_PRINTING_LOOKS(options, printing),
    LK_PROGRESS_OPT(options, progress),
    { "quiet", NULL, 'q', LK_OPT_FLAG, offsetof(options, quiet), NULL,
      "no warnings and no progress on standard error" },
    { "help", NULL, 'h', LK_OPT_FLAG, offsetof(options, help), NULL, "show this help" },
    { "version", NULL, 'V', LK_OPT_FLAG, offsetof(options, version), NULL, "show the version" },
    { .kind = LK_OPT_END },
};
/* clang-format on */

/* ---- checks that need no input ---- */

static lk_code take_explain(options *o, lk_err *e)
{
    if (o->explain && strcmp(o->explain, "clock") != 0)
        return lk_fail(e, LK_EUSAGE, "--explain: '%s' is not clock", o->explain);
    o->input.explain_clock = o->explain != NULL;
    return LK_OK;
}

static lk_code check(options *o, lk_err *e)
{
    LK_TRY(lk_search_take(&o->search, &o->input, e));
    LK_TRY(take_explain(o, e));
    LK_TRY(lk_printing_check(&o->printing, e));
    LK_TRY(lk_progress_check(o->progress, e));
    return lk_reading_check(&o->input, e);
}

/* ---- the report ---- */

static void tell_times(const lockstep_report *report)
{
    const char *name = NULL;
    double seconds;

    for (size_t i = 0; (seconds = lockstep_stage_seconds(report, i, &name)) >= 0; i++)
        (void)fprintf(stderr, "%-22s %8.3f s of CPU\n", name, seconds);
}

/* What --memory is shared out to. */
static void tell_bounds(const lockstep_report *report)
{
    lockstep_bound b;

    (void)fprintf(stderr, "%10s  %8s  %s\n", "at most", "MiB", "of");
    for (size_t i = 0; lockstep_bound_of(report, i, &b) == 0; i++)
        (void)fprintf(stderr, "%10zu  %8.1f  %s: %s\n", b.most, (double)b.bytes / 1048576.0, b.name,
                      b.past);
}

/* The steps take the report's place. */
static int explain(options *o, const lockstep_report *report, lk_buf *out)
{
    const char *steps = lockstep_clock_steps(report);

    if (!steps)
        steps = "Too few attempts, or too short a span, to look for clocks.\n";
    return lk_printing_deliver(&o->printing, steps, strlen(steps), out);
}

static lockstep_report *read_all(options *o, int *status, lockstep_error *error)
{
    lockstep_meter *meter = lockstep_meter_new();
    lockstep_report *report = NULL;
    lk_progress progress;

    lk_interrupt_catch();
    o->input.meter = meter;
    lk_progress_start(&progress, o->progress, o->quiet, meter);
    *status = lockstep_analyze(&o->input, &report, error);
    lk_progress_stop(&progress);
    lockstep_meter_free(meter);
    return report;
}

static int analyze(options *o, lk_buf *out)
{
    lockstep_error error = { 0 };
    int status, failed;
    lockstep_report *report = read_all(o, &status, &error);
    const char *finding;

    if (!report && status == 128 + SIGTERM)
        return lk_complain(status, "terminated: nothing is reported");
    if (!report)
        return lk_complain(status, "%s", error.message);
    if (lockstep_report_status(report) == 128 + SIGINT && !o->quiet)
        (void)lk_complain(0, "interrupted: the report covers what was read so far");
    if (!o->quiet)
        lk_reading_warn(report);
    for (size_t i = 0; (finding = lockstep_finding(report, i)) != NULL; i++)
        (void)lk_complain(0, "%s", finding);
    failed = o->explain ? explain(o, report, out) : lk_printing_print(&o->printing, report, out);
    if (o->verbose)
        tell_bounds(report);
    if (o->timing)
        tell_times(report);
    status = lockstep_report_status(report);
    lockstep_report_free(report);
    return failed ? failed : status;
}

static void give_up_rights(options *o)
{
    lk_sandbox s;

    lk_printing_open(&o->printing, &s);
    lk_sandbox_inputs(&s, o->input.files, o->input.file_count);
    lk_sandbox_input(&s, o->input.sdk_log);
    lk_sandbox_input(&s, o->input.redact_key);
    lk_sandbox_output(&s, o->input.rejects);
    lk_sandbox_enter(&s);
}

static int run(int argc, char **argv, lk_buf *out)
{
    options o = { .input = LOCKSTEP_OPTIONS_INIT };
    lk_err e = { 0 };
    int first, status;

    lk_printing_init(&o.printing);
    if (lk_opt_parse(OPTS, argc, argv, &o, &first, &e) != LK_OK)
        return lk_complain_of(&e);
    if (o.help)
        lk_help_command(&LK_CMD_ANALYZE, out);
    else if (o.version)
        lk_help_version(out);
    if (o.help || o.version)
        return 0;
    o.input.files = (const char *const *)(argv + first);
    o.input.file_count = (size_t)(argc - first);
    o.input.matches = o.matches.items;
    o.input.match_count = o.matches.count;
    o.input.layers = o.layers.items;
    o.input.layer_count = o.layers.count;
    if (check(&o, &e) != LK_OK)
        return lk_complain_of(&e);
    give_up_rights(&o);
    status = analyze(&o, out);
    lk_printing_close(&o.printing);
    return status;
}

/* ---- help ---- */

static void help_formats(lk_buf *out)
{
    lk_buf_text(out,
                "\nWithout FILE, or where FILE is -, standard input is read.  A directory stands\n"
                "for the files in it, hidden ones and those in directories within left out.\n"
                "gzip, zstd, xz and bzip2 are told by content.  A file given twice counts once.\n"
                "\nReport formats:\n");
    for (size_t i = 0; lockstep_format_name(i); i++)
        lk_opt_help_row(lockstep_format_name(i), lockstep_format_help(i), out);
    lk_buf_text(out,
                "\nLog formats are recognised by themselves; 'lockstep formats' lists them.\n");
}

const lk_cmd LK_CMD_ANALYZE = {
    .name = "analyze",
    .operands = "[FILE]...",
    .help = "Finds synchronised retries in HTTP access logs",
    .examples = "  lockstep analyze access.log*                 all rotated files at once\n"
                "  lockstep analyze --by target access.log      who is hit worst\n"
                "  lockstep analyze -f html -o r.html access.log   a page to hand on\n"
                "  lockstep analyze --fail-on synchronised access.log   status 1 if so\n",
    .options = OPTS,
    .run = run,
    .help_more = help_formats,
};
