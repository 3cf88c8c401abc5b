#include "base/quantity.h"
#include "cli/cmd.h"
#include "cli/output.h"
#include "cli/reading.h"
#include "cli/terminal.h"

#include <lockstep/lockstep.h>

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

typedef struct options {
    lockstep_options input;
    lk_opt_list matches;
    const char *format;
    const char *output;
    const char *colour;
    const char *table;
    const char *alpha, *range, *explain;
    bool ascii, timing, quiet, help, version;
} options;

/* clang-format off */
static const lk_opt OPTS[] = {
    { "format", NULL, 'f', LK_OPT_TEXT, offsetof(options, format), "NAME",
      "how the report is printed: text (default), json, html, markdown, csv" },
    { "table", NULL, 0, LK_OPT_TEXT, offsetof(options, table), "NAME",
      "of csv: arrivals (default), clocks, waves, layers, policies, attempts" },
    { "output", NULL, 'o', LK_OPT_TEXT, offsetof(options, output), "FILE",
      "write the report to FILE instead of standard output" },
    { "sdk-log", NULL, 0, LK_OPT_TEXT, offsetof(options, input.sdk_log), "FILE",
      "the callers' own record of their calls: JSON lines, CSV, OTLP/JSON" },
    { "sdk-keys", NULL, 0, LK_OPT_TEXT, offsetof(options, input.sdk_keys), "FIELD=KEY,...",
      "keys or columns of the SDK log: ts, call_id, duration_s, outcome, ..." },
    LK_READING_OPTS(options, input),
    { "since", NULL, 0, LK_OPT_TEXT, offsetof(options, input.since), "TIME",
      "leave out what came before, 2025-07-15T12:00:00Z" },
    { "until", NULL, 0, LK_OPT_TEXT, offsetof(options, input.until), "TIME",
      "leave out what came then or later" },
    { "match", NULL, 0, LK_OPT_LIST, offsetof(options, matches), "FIELD=GLOB",
      "count these lines only, or with FIELD!=GLOB all others: status=5xx,429, host=*.example" },
    { "keep-query", NULL, 0, LK_OPT_FLAG, offsetof(options, input.keep_query), NULL,
      "tell targets apart by their query strings too" },
    { "redact", NULL, 0, LK_OPT_TEXT, offsetof(options, input.redact), "WHAT,...",
      "pseudonyms for callers, targets, user-agents, or all" },
    { "redact-key", NULL, 0, LK_OPT_TEXT, offsetof(options, input.redact_key), "FILE",
      "pseudonyms by this secret key, the same in every report" },
    { "rejected", NULL, 0, LK_OPT_TEXT, offsetof(options, input.rejected), "LIST",
      "what a rejection is (default 429,503,529): statuses, FIELD=GLOB" },
    { "call-id", NULL, 0, LK_OPT_TEXT, offsetof(options, input.call_id), "FIELD",
      "what all attempts of a call share: a key, 'column 12'" },
    { "task-id", NULL, 0, LK_OPT_TEXT, offsetof(options, input.task_id), "FIELD",
      "what all calls of a job share" },
    { "attempt-no", NULL, 0, LK_OPT_TEXT, offsetof(options, input.attempt_no), "FIELD",
      "what counts the attempts of a call" },
    { "max-attempts", NULL, 0, LK_OPT_SECONDS, offsetof(options, input.attempts_max), "N",
      "attempts after which callers give up (default: as seen)" },
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
    { "clock-alpha", NULL, 0, LK_OPT_TEXT, offsetof(options, alpha), "P",
      "false-alarm probability of a clock (default: 2e-4)" },
    { "period-range", NULL, 0, LK_OPT_TEXT, offsetof(options, range), "LOW:HIGH",
      "search for clocks of these periods only, in seconds" },
    { "population", NULL, 0, LK_OPT_TEXT, offsetof(options, input.population), "GLOB",
      "search for clocks among these user agents only" },
    { "explain", NULL, 0, LK_OPT_TEXT, offsetof(options, explain), "WHAT",
      "clock: the search for clocks, step by step, instead of the report" },
    { "timing", NULL, 0, LK_OPT_FLAG, offsetof(options, timing), NULL,
      "CPU time of each stage, on standard error" },
    { "ascii", NULL, 0, LK_OPT_FLAG, offsetof(options, ascii), NULL,
      "draw with ASCII characters only" },
    { "color", "colour", 0, LK_OPT_TEXT, offsetof(options, colour), "auto|always|never",
      "whether to colour; auto by default" },
    { "quiet", NULL, 'q', LK_OPT_FLAG, offsetof(options, quiet), NULL,
      "no warnings on standard error" },
    { "help", NULL, 'h', LK_OPT_FLAG, offsetof(options, help), NULL, "show this help" },
    { "version", NULL, 'V', LK_OPT_FLAG, offsetof(options, version), NULL, "show the version" },
    { .kind = LK_OPT_END },
};
/* clang-format on */

/* ---- checks that need no input ---- */

static lk_code check_format(const char *format, lk_err *e)
{
    for (size_t i = 0; lockstep_format_name(i); i++)
        if (strcmp(lockstep_format_name(i), format) == 0)
            return LK_OK;
    return lk_fail(e, LK_EUSAGE,
                   "--format: unknown report format '%s'; 'lockstep help analyze' lists them",
                   format);
}

static lk_code check_colour(const char *when, lk_err *e)
{
    if (strcmp(when, "auto") == 0 || strcmp(when, "always") == 0 || strcmp(when, "never") == 0)
        return LK_OK;
    return lk_fail(e, LK_EUSAGE, "--color: '%s' is not auto, always or never", when);
}

static lk_code check_table(const options *o, lk_err *e)
{
    if (!o->table)
        return LK_OK;
    if (strcmp(o->format, "csv") != 0)
        return lk_fail(e, LK_EUSAGE, "--table goes with --format csv only");
    for (size_t i = 0; lockstep_table_name(i); i++)
        if (strcmp(lockstep_table_name(i), o->table) == 0)
            return LK_OK;
    return lk_fail(e, LK_EUSAGE, "--table: unknown table '%s'; 'lockstep help analyze' lists them",
                   o->table);
}

static lk_code take_alpha(options *o, lk_err *e)
{
    if (o->alpha && (!lk_quantity_number(lk_slice_from(o->alpha), &o->input.clock_alpha) ||
                     o->input.clock_alpha <= 0 || o->input.clock_alpha >= 1))
        return lk_fail(e, LK_EUSAGE, "--clock-alpha: '%s' is not a probability between 0 and 1",
                       o->alpha);
    return LK_OK;
}

/* "3:600", "20s:2h"; either may be left out. */
static lk_code take_range(options *o, lk_err *e)
{
    lk_slice low, high;
    const char *colon = o->range ? strchr(o->range, ':') : NULL;
    double min_s = 0, max_s = 0;

    if (!o->range)
        return LK_OK;
    low = (lk_slice){ o->range, colon ? (size_t)(colon - o->range) : 0 };
    high = lk_slice_from(colon ? colon + 1 : "");
    if (!colon || (low.len && !lk_quantity_seconds(low, &min_s)) ||
        (high.len && !lk_quantity_seconds(high, &max_s)) || !isfinite(min_s) ||
        (max_s > 0 && min_s >= max_s) || (high.len && max_s <= 0))
        return lk_fail(e, LK_EUSAGE, "--period-range: '%s' is not LOW:HIGH in seconds", o->range);
    o->input.period_min_s = min_s;
    o->input.period_max_s = isfinite(max_s) ? max_s : 0;
    return LK_OK;
}

static lk_code take_explain(options *o, lk_err *e)
{
    if (o->explain && strcmp(o->explain, "clock") != 0)
        return lk_fail(e, LK_EUSAGE, "--explain: '%s' is not clock", o->explain);
    o->input.explain_clock = o->explain != NULL;
    return LK_OK;
}

static lk_code check(options *o, lk_err *e)
{
    LK_TRY(take_alpha(o, e));
    LK_TRY(take_range(o, e));
    LK_TRY(take_explain(o, e));
    LK_TRY(check_format(o->format, e));
    LK_TRY(check_table(o, e));
    LK_TRY(check_colour(o->colour, e));
    if (o->input.file_count == 0 && isatty(STDIN_FILENO))
        return lk_fail(e, LK_EUSAGE, "no log given: name a FILE, or '-' for standard input");
    return LK_OK;
}

/* ---- the report ---- */

/* A file is as a pipe: 80 columns, no colour unless it is asked for. */
static lockstep_style style_of(const options *o)
{
    lockstep_style style = LOCKSTEP_STYLE_INIT;

    style.width = o->output ? LK_WIDTH_DEFAULT : lk_terminal_width();
    style.table = o->table;
    style.ascii = o->ascii || !lk_terminal_has_utf8();
    style.colour = strcmp(o->colour, "always") == 0 ||
                   (strcmp(o->colour, "auto") == 0 && !o->output && lk_terminal_has_colour());
    return style;
}

static void warn(const lockstep_report *report)
{
    for (size_t i = 0; i < lockstep_warning_count(report); i++)
        (void)lk_complain(0, "%s", lockstep_warning(report, i));
}

static int deliver(const options *o, const char *text, size_t len, lk_buf *out)
{
    lk_err e = { 0 };

    if (!o->output)
        lk_buf_add(out, text, len);
    else if (lk_output_file(o->output, text, len, &e) != LK_OK)
        return lk_complain_of(&e);
    return 0;
}

/* 0 when the report was delivered. */
static int print(const options *o, const lockstep_report *report, lk_buf *out)
{
    lockstep_style style = style_of(o);
    lockstep_error error = { 0 };
    char *text = NULL;
    size_t len = 0;
    int status = lockstep_render(report, o->format, &style, &text, &len, &error);

    if (status != 0)
        return lk_complain(status, "%s", error.message);
    status = deliver(o, text, len, out);
    lockstep_text_free(text);
    return status;
}

static void tell_times(const lockstep_report *report)
{
    const char *name = NULL;
    double seconds;

    for (size_t i = 0; (seconds = lockstep_stage_seconds(report, i, &name)) >= 0; i++)
        (void)fprintf(stderr, "%-22s %8.3f s of CPU\n", name, seconds);
}

/* The steps take the report's place. */
static int explain(const options *o, const lockstep_report *report, lk_buf *out)
{
    const char *steps = lockstep_clock_steps(report);

    if (!steps)
        steps = "Too few attempts, or too short a span, to look for clocks.\n";
    return deliver(o, steps, strlen(steps), out);
}

static int analyze(const options *o, lk_buf *out)
{
    lockstep_report *report = NULL;
    lockstep_error error = { 0 };
    int status = lockstep_analyze(&o->input, &report, &error), failed;
    const char *finding;

    if (!report)
        return lk_complain(status, "%s", error.message);
    if (!o->quiet)
        warn(report);
    for (size_t i = 0; (finding = lockstep_finding(report, i)) != NULL; i++)
        (void)lk_complain(0, "%s", finding);
    failed = o->explain ? explain(o, report, out) : print(o, report, out);
    if (o->timing)
        tell_times(report);
    status = lockstep_report_status(report);
    lockstep_report_free(report);
    return failed ? failed : status;
}

static int run(int argc, char **argv, lk_buf *out)
{
    options o = {
        .input = LOCKSTEP_OPTIONS_INIT, .format = lockstep_format_name(0), .colour = "auto"
    };
    lk_err e = { 0 };
    int first;

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
    if (check(&o, &e) != LK_OK)
        return lk_complain_of(&e);
    return analyze(&o, out);
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
    .options = OPTS,
    .run = run,
    .help_more = help_formats,
};
