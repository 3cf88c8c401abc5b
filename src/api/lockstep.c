#include "lockstep/lockstep.h"
#include "api/analysis.h"
#include "api/explain.h"
#include "api/gate.h"
#include "api/saved.h"
#include "api/scale.h"
#include "api/tell.h"
#include "format/layout.h"
#include "input/codec.h"
#include "model/json.h"
#include "report/diff.h"
#include "report/read.h"
#include "report/render.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct lockstep_report {
    lk_analysis analysis;
    lk_verdicts verdicts;
};

const lk_report *lk_report_within(const lockstep_report *r)
{
    return &r->analysis.report;
}

/* A report of damaged input keeps its status: less was seen than there was. */
static lk_code judge(lockstep_report *r, const lk_gate *gate, lk_err *e)
{
    lk_analysis *a = &r->analysis;

    LK_TRY(lk_gate_judge(gate, &a->report, &a->arena, &r->verdicts, e));
    if (a->status == 0 && r->verdicts.broken_count > 0)
        a->status = a->report.exit_status = 1;
    return LK_OK;
}

static lk_code analyze_and_judge(lockstep_report *r, const lockstep_options *options, lk_err *e)
{
    lk_gate gate = { .count = 0 };

    if (options->fail_on)
        LK_TRY(lk_gate_parse(options->fail_on, &gate, e));
    LK_TRY(lk_analysis_run(&r->analysis, options, e));
    LK_TRY(lk_report_settle(&r->analysis.report, &r->analysis.arena, e));
    return judge(r, &gate, e);
}

/* An empty report; NULL, with *error filled, when there is no memory. */
static lockstep_report *open_report(lockstep_error *error)
{
    lockstep_report *r = calloc(1, sizeof(*r));
    lk_err e = { 0 };

    *error = (lockstep_error){ 0 };
    if (r) {
        lk_analysis_init(&r->analysis);
        return r;
    }
    (void)lk_fail(&e, LK_EOOM, "no memory for a report");
    (void)lk_tell(&e, error);
    return NULL;
}

/* What was filled, or what went wrong with it. */
static int give(lockstep_report *r, lk_code code, const lk_err *e, lockstep_report **out,
                lockstep_error *error)
{
    if (code == LK_OK) {
        *out = r;
        return 0;
    }
    lockstep_report_free(r);
    return lk_tell(e, error);
}

/* The status of a report that was made, with the first thing that went wrong. */
static int status_of(const lockstep_report *r, lockstep_error *error)
{
    const lk_analysis *a = &r->analysis;

    if (!a->status)
        return 0;
    error->status = a->status;
    (void)snprintf(error->message, sizeof(error->message), "%s",
                   a->status == 1            ? r->verdicts.broken[0]
                   : a->report.input.partial ? "interrupted"
                   : a->warning_count        ? a->warnings[0]
                                             : "damaged input");
    return a->status;
}

int lockstep_analyze(const lockstep_options *options, lockstep_report **out, lockstep_error *error)
{
    lockstep_report *r = open_report(error);
    lk_err e = { 0 };
    int status;

    *out = NULL;
    if (!r)
        return error->status;
    status = give(r, analyze_and_judge(r, options, &e), &e, out, error);
    return *out ? status_of(*out, error) : status;
}

int lockstep_attempts(const lockstep_options *options, const char *format, lockstep_write *write,
                      void *ctx, lockstep_report **out, lockstep_error *error)
{
    lockstep_report *r = open_report(error);
    lk_attempt_stream_options printing = {
        .format = format, .held_max = LK_ATTEMPTS_HELD_MAX, .write = write, .ctx = ctx
    };
    lk_err e = { 0 };
    int status;

    *out = NULL;
    if (!r)
        return error->status;
    status = give(r, lk_analysis_attempts(&r->analysis, options, &printing, &e), &e, out, error);
    return *out ? status_of(*out, error) : status;
}

const char *lockstep_attempt_format_name(size_t i)
{
    return lk_attempt_format_name(i);
}

int lockstep_map(const lockstep_options *options, const lockstep_map_options *how,
                 lockstep_map_write *write, void *ctx, lockstep_report **out, lockstep_error *error)
{
    lockstep_report *r = open_report(error);
    lk_err e = { 0 };
    int status;

    *out = NULL;
    if (!r)
        return error->status;
    status = give(r, lk_scale_map(&r->analysis, options, how, write, ctx, &e), &e, out, error);
    return *out ? status_of(*out, error) : status;
}

static lk_code merge_and_judge(lockstep_report *r, const char *const *states, size_t count, bool once,
                               const lockstep_options *options, lk_err *e)
{
    lk_gate gate = { .count = 0 };

    if (options->fail_on)
        LK_TRY(lk_gate_parse(options->fail_on, &gate, e));
    LK_TRY(lk_scale_merge(&r->analysis, states, count, once, options, e));
    LK_TRY(lk_report_settle(&r->analysis.report, &r->analysis.arena, e));
    return judge(r, &gate, e);
}

int lockstep_merge(const char *const *states, size_t count, bool once, const lockstep_options *options,
                   lockstep_report **out, lockstep_error *error)
{
    lockstep_report *r = open_report(error);
    lk_err e = { 0 };
    int status;

    *out = NULL;
    if (!r)
        return error->status;
    status = give(r, merge_and_judge(r, states, count, once, options, &e), &e, out, error);
    return *out ? status_of(*out, error) : status;
}

int lockstep_read(const char *path, lockstep_report **out, lockstep_error *error)
{
    lockstep_report *r = open_report(error);
    lk_err e = { 0 };

    *out = NULL;
    return r ? give(r, lk_saved_read(path, &r->analysis.arena, &r->analysis.report, &e), &e, out,
                    error)
             : error->status;
}

void lockstep_report_free(lockstep_report *report)
{
    if (!report)
        return;
    lk_analysis_release(&report->analysis);
    free(report);
}

size_t lockstep_warning_count(const lockstep_report *report)
{
    return report->analysis.warning_count;
}

const char *lockstep_warning(const lockstep_report *report, size_t i)
{
    return i < report->analysis.warning_count ? report->analysis.warnings[i] : NULL;
}

const char *lockstep_finding(const lockstep_report *report, size_t i)
{
    const lk_verdicts *v = &report->verdicts;

    if (i < v->broken_count)
        return v->broken[i];
    i -= v->broken_count;
    return i < v->unknown_count ? v->unknown[i] : NULL;
}

int lockstep_report_status(const lockstep_report *report)
{
    return report->analysis.status;
}

const char *lockstep_clock_steps(const lockstep_report *report)
{
    return report->analysis.steps.p;
}

double lockstep_stage_seconds(const lockstep_report *report, size_t i, const char **name)
{
    static const char *const NAMES[LK_STAGES] = {
        [LK_STAGE_READ] = "read, order and link",
        [LK_STAGE_INFER] = "infer",
    };

    if (i >= LK_STAGES)
        return -1.0;
    *name = NAMES[i];
    return report->analysis.stage_s[i];
}

int lockstep_bound_of(const lockstep_report *report, size_t i, lockstep_bound *out)
{
    const lk_bounds *b = &report->analysis.bounds;

    if (i >= LK_BOUNDS)
        return -1;
    *out = (lockstep_bound){ LK_BOUNDS_TABLE[i].name, LK_BOUNDS_TABLE[i].past, b->max[i],
                             b->max[i] * LK_BOUNDS_TABLE[i].bytes };
    return 0;
}

static lk_style style_of(const lockstep_style *style)
{
    return (lk_style){ style->width ? style->width : 80, style->ascii, style->colour,
                       style->table };
}

int lockstep_diff(const lockstep_report *before, const lockstep_report *after, const char *format,
                  const lockstep_style *style, char **text, size_t *len, lockstep_error *error)
{
    const lk_style s = style_of(style);
    lk_err e = { 0 };
    lk_buf buf;

    lk_buf_init(&buf);
    if (lk_diff(&before->analysis.report, &after->analysis.report, format, &s, &buf, &e) != LK_OK) {
        lk_buf_release(&buf);
        return lk_tell(&e, error);
    }
    *text = buf.p;
    *len = buf.len;
    return 0;
}

int lockstep_render(const lockstep_report *report, const char *format, const lockstep_style *style,
                    char **text, size_t *len, lockstep_error *error)
{
    const lk_style s = style_of(style);
    lk_err e = { 0 };
    lk_buf buf;

    lk_buf_init(&buf);
    if (lk_render(&report->analysis.report, format, &s, &buf, &e) != LK_OK) {
        lk_buf_release(&buf);
        return lk_tell(&e, error);
    }
    *text = buf.p;
    *len = buf.len;
    return 0;
}

void lockstep_text_free(char *text)
{
    free(text);
}

const char *lockstep_format_name(size_t i)
{
    for (size_t k = 0; LK_RENDERERS[k]; k++)
        if (k == i)
            return LK_RENDERERS[k]->name;
    return NULL;
}

const char *lockstep_format_help(size_t i)
{
    return lockstep_format_name(i) ? LK_RENDERERS[i]->help : NULL;
}

const char *lockstep_table_name(size_t i)
{
    return lk_csv_table_name(i);
}

const char *lockstep_log_format_name(size_t i)
{
    for (size_t k = 0; LK_FORMATS[k]; k++)
        if (k == i)
            return LK_FORMATS[k]->name;
    return NULL;
}

const char *lockstep_log_format_help(size_t i)
{
    return lockstep_log_format_name(i) ? LK_FORMATS[i]->help : NULL;
}

const char *lockstep_log_format_moment(size_t i)
{
    return lockstep_log_format_name(i) ? LK_FORMATS[i]->moment : NULL;
}

const char *lockstep_log_format_resolution(size_t i)
{
    return lockstep_log_format_name(i) ? LK_FORMATS[i]->resolution : NULL;
}

int lockstep_explain(const char *path, const lockstep_options *options, char **text, size_t *len,
                     lockstep_error *error)
{
    lk_err e = { 0 };
    lk_buf buf;

    lk_buf_init(&buf);
    if (lk_explain(path, options, &buf, &e) != LK_OK) {
        lk_buf_release(&buf);
        return lk_tell(&e, error);
    }
    *text = buf.p;
    *len = buf.len;
    return 0;
}

const char *lockstep_schema(void)
{
    return lk_schema_text();
}

const char *lockstep_diff_schema(void)
{
    return lk_schema_diff_text();
}

static void fft_library(char *out)
{
    (void)snprintf(out, 32, "kissfft"); /* it tells no version */
}

bool lockstep_library(size_t i, char *out)
{
    static void (*const NAMES[])(char *out) = { lk_json_library, fft_library };
    size_t codecs = 0;

    if (lk_codec_library(i, out))
        return true;
    while (lk_codec_library(codecs, out))
        codecs++;
    if (i - codecs >= sizeof(NAMES) / sizeof(NAMES[0]))
        return false;
    NAMES[i - codecs](out);
    return true;
}
