#include "cli/cmd.h"
#include "cli/output.h"
#include "cli/progress.h"
#include "cli/sandbox.h"
#include "cli/terminal.h"

#include "base/slice.h"

#include <lockstep/simulate.h>

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

enum { MODEL_OPTIONS = 40 };

typedef struct options {
    const char *study, *format, *output, *seed, *threads, *runs;
    const char *emit_log, *log_format, *emit_sdk_log, *stamps, *progress;
    bool quick, no_ids, ascii, quiet, no_sandbox, help;
    const char *model_text[MODEL_OPTIONS]; /* as given, by the model's index */
    bool model_flag[MODEL_OPTIONS];
} options;

/* clang-format off */
static const lk_opt OPTS[] = {
    { "study", NULL, 0, LK_OPT_TEXT, offsetof(options, study), "S1|S2|S3|S4|S5|all",
      "in place of a model: S1 ... S5 or all, each published figure recomputed" },
    { "quick", NULL, 0, LK_OPT_FLAG, offsetof(options, quick), NULL,
      "studies: a tenth of the runs, in seconds" },
    { "seed", NULL, 0, LK_OPT_TEXT, offsetof(options, seed), "N",
      "another seed, other last digits (default 1)" },
    { "runs", NULL, 0, LK_OPT_TEXT, offsetof(options, runs), "N",
      "runs a row (default: by model)" },
    { "threads", NULL, 0, LK_OPT_TEXT, offsetof(options, threads), "N",
      "threads (default: one a processor); the results do not depend on it" },
    { "format", NULL, 'f', LK_OPT_TEXT, offsetof(options, format), "text|json|csv",
      "how the tables are printed (default text)" },
    { "output", NULL, 'o', LK_OPT_TEXT, offsetof(options, output), "FILE",
      "write the tables to FILE instead of standard output" },
    { "emit-log", NULL, 0, LK_OPT_TEXT, offsetof(options, emit_log), "FILE",
      "write one run of the first policy as an access log instead; FILE.gz is compressed, - is standard output" },
    { "log-format", NULL, 0, LK_OPT_TEXT, offsetof(options, log_format), "NAME",
      "of --emit-log: combined (default), nginx-ext, json, alb, envoy" },
    { "emit-sdk-log", NULL, 0, LK_OPT_TEXT, offsetof(options, emit_sdk_log), "FILE",
      "write the callers' record of that run, JSON lines" },
    { "no-ids", NULL, 0, LK_OPT_FLAG, offsetof(options, no_ids), NULL,
      "... without call ids and attempt numbers" },
    { "stamps", NULL, 0, LK_OPT_TEXT, offsetof(options, stamps), "s|ms",
      "... with stamps of whole seconds (s) or as fine as the format has them (ms, default)" },
    { "ascii", NULL, 0, LK_OPT_FLAG, offsetof(options, ascii), NULL,
      "ASCII characters only" },
    LK_PROGRESS_OPT(options, progress),
    { "quiet", NULL, 'q', LK_OPT_FLAG, offsetof(options, quiet), NULL,
      "no progress bar" },
    LK_SANDBOX_OPT(options, no_sandbox),
    { "help", NULL, 'h', LK_OPT_FLAG, offsetof(options, help), NULL, "show this help" },
    { .kind = LK_OPT_END },
};
/* clang-format on */

enum { COMMON = sizeof(OPTS) / sizeof(OPTS[0]) - 1 };

/* The common rows and the model's; model NULL: the common ones. */
typedef struct rows {
    lk_opt opts[COMMON + MODEL_OPTIONS + 1];
    size_t count; /* of the model's */
} rows;

static lk_opt model_row(const char *name, const char *value, const char *help, size_t i)
{
    lk_opt o = { name, NULL, 0, value ? LK_OPT_TEXT : LK_OPT_FLAG, 0, value, help };

    o.offset = value ? offsetof(options, model_text) + i * sizeof(const char *)
                     : offsetof(options, model_flag) + i * sizeof(bool);
    return o;
}

static void fill_rows(rows *r, const char *model)
{
    const char *name, *value, *help;

    memcpy(r->opts, OPTS, COMMON * sizeof(OPTS[0]));
    r->count = 0;
    while (model && r->count < MODEL_OPTIONS &&
           (name = lockstep_model_option(model, r->count, &value, &help))) {
        r->opts[COMMON + r->count] = model_row(name, value, help, r->count);
        r->count++;
    }
    r->opts[COMMON + r->count] = (lk_opt){ .kind = LK_OPT_END };
}

/* ---- the simulation ---- */

static bool number(const char *text, uint64_t most, uint64_t *out)
{
    return lk_slice_u64(lk_slice_from(text), out) && *out <= most;
}

static lk_code read_numbers(const options *o, lockstep_runs *runs, lk_err *e)
{
    uint64_t n;

    if (o->seed && !number(o->seed, UINT64_MAX, &runs->seed))
        return lk_fail(e, LK_EUSAGE, "--seed: '%s' is not a whole number", o->seed);
    if (o->runs && (!number(o->runs, 10000000, &n) || !n))
        return lk_fail(e, LK_EUSAGE, "--runs: '%s' is not a number from 1 to 10000000", o->runs);
    runs->runs = o->runs ? (unsigned)n : 0;
    if (o->threads && (!number(o->threads, 64, &n) || !n))
        return lk_fail(e, LK_EUSAGE, "--threads: '%s' is not a number from 1 to 64", o->threads);
    runs->threads = o->threads ? (unsigned)n : 0;
    LK_TRY(lk_progress_check(o->progress, e));
    if (o->stamps && strcmp(o->stamps, "s") != 0 && strcmp(o->stamps, "ms") != 0)
        return lk_fail(e, LK_EUSAGE, "--stamps: '%s' is neither s nor ms", o->stamps);
    if ((o->log_format || o->no_ids || o->stamps) && !o->emit_log && !o->emit_sdk_log)
        return lk_fail(e, LK_EUSAGE, "--log-format, --no-ids and --stamps go with --emit-log");
    if (o->study && (o->emit_log || o->emit_sdk_log))
        return lk_fail(e, LK_EUSAGE, "--emit-log goes with a model, not with --study");
    return LK_OK;
}

static int set_all(lockstep_simulation *s, const options *o, const rows *r, lockstep_error *error)
{
    for (size_t i = 0; i < r->count; i++) {
        const lk_opt *row = &r->opts[COMMON + i];
        int status = 0;

        if (o->model_text[i] || o->model_flag[i])
            status = lockstep_simulation_set(s, row->name, o->model_text[i], error);
        if (status != 0)
            return status;
    }
    return 0;
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

static int show(const options *o, const lockstep_simulation *s, lk_buf *out)
{
    lockstep_style style = LOCKSTEP_STYLE_INIT;
    lockstep_error error = { 0 };
    char *text = NULL;
    size_t len = 0;
    int status;

    style.width = o->output ? LK_WIDTH_DEFAULT : lk_terminal_width();
    style.ascii = o->ascii || !lk_terminal_has_utf8();
    status = lockstep_simulation_render(s, o->format, &style, &text, &len, &error);
    if (status != 0)
        return lk_complain(status, "%s", error.message);
    status = deliver(o, text, len, out);
    lockstep_text_free(text);
    return status;
}

static int emit(const options *o, const lockstep_simulation *s, uint64_t seed)
{
    lockstep_log log = LOCKSTEP_LOG_INIT;
    lockstep_error error = { 0 };
    int status;

    log.path = o->emit_log;
    log.format = o->log_format;
    log.sdk_path = o->emit_sdk_log;
    log.no_ids = o->no_ids;
    log.whole_seconds = o->stamps && strcmp(o->stamps, "s") == 0;
    status = lockstep_simulation_log(s, &log, seed, &error);
    return status ? lk_complain(status, "%s", error.message) : 0;
}

static int simulate(lockstep_simulation *s, const options *o, lockstep_runs *runs, lk_buf *out)
{
    lockstep_error error = { 0 };
    lk_progress progress;
    int status;

    if (o->emit_log || o->emit_sdk_log)
        return emit(o, s, runs->seed);
    runs->quick = o->quick;
    runs->progress = lk_progress_share;
    runs->context = &progress;
    lk_progress_start(&progress, o->progress, o->quiet, NULL);
    status = lockstep_simulation_run(s, runs, &error);
    lk_progress_stop(&progress);
    if (status != 0)
        return lk_complain(status, "%s", error.message);
    return show(o, s, out);
}

static void give_up_rights(const options *o)
{
    lk_sandbox s;

    lk_sandbox_begin(&s, o->no_sandbox);
    lk_sandbox_output(&s, o->output);
    lk_sandbox_output(&s, o->emit_log);
    lk_sandbox_output(&s, o->emit_sdk_log);
    lk_sandbox_enter(&s);
}

static int start(const char *model, const options *o, const rows *r, lk_buf *out)
{
    lockstep_runs runs = LOCKSTEP_RUNS_INIT;
    lockstep_simulation *s = NULL;
    lockstep_error error = { 0 };
    lk_err e = { 0 };
    int status;

    if (read_numbers(o, &runs, &e) != LK_OK)
        return lk_complain_of(&e);
    give_up_rights(o);
    status = model ? lockstep_simulation_new(model, &s, &error)
                   : lockstep_study_new(o->study, &s, &error);
    if (status == 0)
        status = set_all(s, o, r, &error);
    if (status == 0)
        status = simulate(s, o, &runs, out);
    else
        (void)lk_complain(status, "%s", error.message);
    lockstep_simulation_free(s);
    return status;
}

/* ---- the command ---- */

static bool is_model(const char *name)
{
    for (size_t i = 0; lockstep_model_name(i); i++)
        if (strcmp(lockstep_model_name(i), name) == 0)
            return true;
    return false;
}

/* The first argument that names a model: options may stand before it. */
static const char *model_of(int argc, char **argv)
{
    for (int i = 1; i < argc; i++)
        if (is_model(argv[i]))
            return argv[i];
    return NULL;
}

static void help_model(const char *model, const rows *r, lk_buf *out)
{
    const char *help = "";

    for (size_t i = 0; lockstep_model_name(i); i++)
        if (strcmp(lockstep_model_name(i), model) == 0)
            help = lockstep_model_help(i);
    lk_buf_printf(out, "Usage: lockstep simulate %s [OPTION]...\n\n%s: %s\n\nIts options:\n", model,
                  model, help);
    lk_opt_help(r->opts + COMMON, out);
    lk_buf_text(out, "\nOf every model:\n");
    lk_opt_help(OPTS, out);
    lk_buf_text(out, "\nTimes: 0.2, 200ms, 5m.  Rates: 67, 4000/min.  Shares: 0.1, 10%.\n"
                     "Policies: full-jitter:base=1,cap=60,attempts=4 -- see lockstep-simulate(1).\n");
}

static int refuse(const char *model, const options *o, int count, char **operands)
{
    const char *other = count ? operands[0] : NULL;

    if (model && count == 1 && !o->study)
        return 0;
    if (!model && count == 0 && o->study)
        return 0;
    if (o->study && count)
        return lk_complain(2, "--study goes without a model, but '%s' was given", other);
    if (!count)
        return lk_complain(2, "no model given; 'lockstep help simulate' lists them");
    if (model)
        return lk_complain(2, "simulate takes one model, but was given '%s'",
                           strcmp(other, model) == 0 ? operands[1] : other);
    return lk_complain(2, "no model '%s'; 'lockstep help simulate' lists them", other);
}

static int run(int argc, char **argv, lk_buf *out)
{
    const char *model = model_of(argc, argv);
    options o = { .format = "text" };
    lk_err e = { 0 };
    rows r;
    int first, status;

    fill_rows(&r, model);
    if (lk_opt_parse(r.opts, argc, argv, &o, &first, &e) != LK_OK)
        return lk_complain_of(&e);
    if (o.help && model)
        help_model(model, &r, out);
    else if (o.help)
        lk_help_command(&LK_CMD_SIMULATE, out);
    if (o.help)
        return 0;
    status = refuse(model, &o, argc - first, argv + first);
    return status ? status : start(model, &o, &r, out);
}

static void help_models(lk_buf *out)
{
    lk_buf_text(out, "\nModels ('lockstep simulate MODEL --help' shows the options of each):\n");
    for (size_t i = 0; lockstep_model_name(i); i++)
        lk_opt_help_row(lockstep_model_name(i), lockstep_model_help(i), out);
    lk_buf_text(out, "\nStudies (--study):\n");
    for (size_t i = 0; lockstep_study_name(i); i++)
        lk_opt_help_row(lockstep_study_name(i), lockstep_study_title(i), out);
    lk_buf_text(out, "\nLog formats that can be written (--log-format):\n");
    for (size_t i = 0; lockstep_log_writer_name(i); i++)
        lk_opt_help_row(lockstep_log_writer_name(i), lockstep_log_writer_help(i), out);
}

const lk_cmd LK_CMD_SIMULATE = {
    .name = "simulate",
    .operands = "MODEL",
    .help = "Tries retry policies in simulated incidents",
    .options = OPTS,
    .run = run,
    .help_more = help_models,
};
