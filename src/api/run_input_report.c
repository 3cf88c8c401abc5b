/* The account of what was read, and the warnings on it. */
#include "api/run.h"
#include "base/text.h"
#include "model/note.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static void warn_on_zone(lk_analysis *a, const lk_logfile *f)
{
    if (f->clock.repeated)
        lk_run_warn(
            a, f->path, 0,
            lk_arena_printf(&a->arena,
                            "%" PRIu64 " stamp%s of an hour that came twice, as clocks were set "
                            "back: %s",
                            f->clock.repeated, f->clock.repeated == 1 ? " is" : "s are",
                            f->clock.guessed ? "the first is taken, for the log begins in it and "
                                               "does not show which"
                                             : "the order of the lines tells which"));
    if (f->clock.skipped)
        lk_run_warn(
            a, f->path, 0,
            lk_arena_printf(&a->arena,
                            "%" PRIu64 " stamp%s of an hour that never was, as clocks were set "
                            "forward: read as if they had not been",
                            f->clock.skipped, f->clock.skipped == 1 ? " is" : "s are"));
}

/* Not read: what it holds counts where it stands first. */
static lk_code report_repeated(lk_run *x, const lk_logfile *f, lk_report_file *row, lk_err *e)
{
    const char *note = lk_logfile_repeat_note(f, &x->out->arena);

    if (f->trouble.code != LK_OK)
        lk_run_fail_input(x->out, f->path, &f->trouble);
    if (note)
        lk_run_warn(x->out, f->path, 0, note);
    return lk_logfile_report(f, &x->out->arena, row, e);
}

static int by_row(const void *pa, const void *pb)
{
    const lk_report_file *a = pa, *b = pb;

    if (a->first_ns != b->first_ns)
        return a->first_ns < b->first_ns ? -1 : 1;
    if (strcmp(a->path, b->path) != 0)
        return strcmp(a->path, b->path);
    return (b->lines > 0) - (a->lines > 0);
}

static void sort_rows(lk_report_file *rows, size_t count)
{
    if (count)
        qsort(rows, count, sizeof(*rows), by_row);
}

static void warn_on_order(lk_analysis *a, const lk_logfile *f)
{
    const char *note = lk_logfile_order_note(f, &a->arena);

    if (note)
        lk_run_warn(a, f->path, 0, note);
}

/* The first sample that is not of that reason; the first of all when there is none. */
static const lk_report_sample *first_sample_but(const lk_logfile *f, const char *reason)
{
    for (size_t i = 0; i < f->sample_count; i++)
        if (strcmp(f->samples[i].reason, reason) != 0)
            return &f->samples[i];
    return &f->samples[0];
}

/* Requests that no time is logged of are told apart: there is something to change. */
static void warn_on_rejects(lk_analysis *a, const lk_logfile *f)
{
    const char *no_time = lk_reject_name(LK_REJECT_NO_TIME);
    uint64_t timeless = f->rejected_by[LK_REJECT_NO_TIME], others = f->rejected - timeless;

    if (others > 0) {
        const lk_report_sample *s = first_sample_but(f, no_time);

        lk_run_warn(a, f->path, (uint64_t)s->line,
                    others == 1 ? lk_arena_printf(&a->arena, "%s: not read as a request", s->reason)
                                : lk_arena_printf(&a->arena,
                                                  "%s: the first of %" PRIu64
                                                  " lines that could not be read as a request",
                                                  s->reason, others));
    }
    if (f->timeless)
        lk_run_warn(
            a, f->path, 0,
            lk_arena_printf(&a->arena, "%s: %" PRIu64 " line%s of %s, which writes no time: %s",
                            no_time, timeless, timeless == 1 ? "" : "s", f->timeless->name,
                            f->timeless->remedy));
}

static void warn_on_file(lk_run *x, const lk_logfile *f, const lk_report_file *row)
{
    lk_analysis *a = x->out;

    if (f->trouble.code == LK_OK && row->problem)
        lk_run_warn(a, f->path, 0, row->problem);
    warn_on_rejects(a, f);
    warn_on_zone(a, f);
    warn_on_order(a, f);
    if (f->nameless)
        lk_run_warn(
            a, f->path, 0,
            lk_arena_printf(&a->arena,
                            "%" PRIu64 " of %" PRIu64
                            " requests have no field '%s': their address stands for the caller",
                            f->nameless, f->parsed, x->options->caller));
    if (!f->parsed && !f->filtered && !a->report.input.partial) {
        a->status = lk_code_status(LK_EDATA);
        if ((f->total || f->trouble.code == LK_OK) && !f->timeless)
            lk_run_warn(
                a, f->path, 0,
                f->total ? "no line is a request in a format that is known" : "the file is empty");
    }
}

/* Warnings have a bound, and so has what they take. */
static void warn_on_one_of_rest(lk_run *x, const lk_logfile *f)
{
    lk_analysis *a = x->out;
    const lk_mark before = lk_arena_mark(&a->arena);
    const size_t warnings = a->warning_count;
    lk_report_file row = { .path = f->path };
    lk_err ignored = { 0 };

    a->report.input.partial = x->reading.meter && atomic_load(&x->reading.meter->is_cut);
    if (lk_logfile_report(f, &a->arena, &row, &ignored) == LK_OK)
        warn_on_file(x, f, &row);
    if (a->warning_count == warnings)
        lk_arena_rewind(&a->arena, before);
}

void lk_run_add_to_rest(void *ctx, const lk_logfile *f)
{
    lk_run *x = ctx;

    if (x->is_told)
        return;
    warn_on_one_of_rest(x, f);
    if (!x->rest) {
        x->rest = LK_NEW(&x->out->arena, lk_logfile, 1);
        if (!x->rest) /* the arena has failed, which is told in the end */
            return;
        x->rest->path = "";
        x->rest->arena = &x->out->arena;
    }
    lk_logfile_absorb(x->rest, f);
}

/* A field of --match that no line has: a typing error, as a rule. */
void lk_run_warn_on_filter(lk_run *x)
{
    const lk_filter *filter = &x->reading.filter;
    uint32_t present = 0;
    const char *names = "", *missing;
    size_t at = 0;

    for (size_t i = 0; i < x->file_count; i++) {
        present |= x->files[i]->filtering.present;
        if (!names[0])
            names = x->files[i]->filtering.names;
    }
    while (names[0] && (missing = lk_filter_missing(filter, present, &at)))
        lk_run_warn(
            x->out, "", 0,
            x->redact.kinds
                ? lk_arena_printf(&x->out->arena, "--match: no line has a field '%s'", missing)
                : lk_arena_printf(&x->out->arena,
                                  "--match: no line has a field '%s'; there are: %s", missing,
                                  names));
}

enum { ADDRESS_LINES = 500 }; /* fewer say nothing about who sends most */

/* One address for most of the traffic may stand for many callers. */
lk_code lk_run_warn_on_address(lk_run *x, lk_err *e)
{
    uint64_t n;
    lk_slice top = lk_heavy_top(&x->addresses, &n);
    double share = x->addresses.lines ? (double)n / (double)x->addresses.lines : 0;
    const char *raw = top.len ? lk_arena_text(&x->out->arena, top) : NULL;
    const char *address;

    if (x->addresses.lines < ADDRESS_LINES || share <= 0.5 || !raw)
        return LK_OK;
    address = lk_redact_text(&x->redact, LK_REDACT_CALLER, raw);
    lk_run_warn(
        x->out, "", 0,
        lk_arena_printf(&x->out->arena,
                        "%s sends at least %.0f %% of the requests: one address may stand for many "
                        "callers (NAT, a proxy); --caller names a field that tells them apart",
                        address, 100 * share));
    return lk_report_note(
        &x->out->report, &x->out->arena,
        "Most requests come from one address: where it stands for many callers "
        "(NAT, a proxy), their steps cannot be told apart, and clocks are found by "
        "timing only.",
        e);
}

static int by_count(const void *pa, const void *pb)
{
    const lk_report_reason *a = pa, *b = pb;

    if (a->count != b->count)
        return a->count > b->count ? -1 : 1;
    return strcmp(a->name, b->name);
}

static lk_code report_reasons(const lk_run *x, lk_arena *arena, lk_report_input *in, lk_err *e)
{
    in->reasons = LK_NEW(arena, lk_report_reason, LK_REJECT_COUNT);
    if (!in->reasons)
        return lk_fail(e, LK_EOOM, "no memory for the account of lines");
    for (size_t why = 0; why < LK_REJECT_COUNT; why++) {
        lk_report_reason r = { lk_reject_name((lk_reject)why), 0 };

        for (size_t i = 0; i < x->file_count; i++)
            r.count += (int64_t)x->files[i]->rejected_by[why];
        if (r.count > 0)
            in->reasons[in->reason_count++] = r;
    }
    qsort(in->reasons, in->reason_count, sizeof(*in->reasons), by_count);
    return LK_OK;
}

static const char *zone_of(const lk_run *x, uint64_t zoneless)
{
    if (!x->tally.attempts)
        return NULL;
    if (!zoneless)
        return "logged";
    return x->options->zone ? "given" : "assumed-utc";
}

/* Files that were read, or whose turn did not come, without a row. */
static uint64_t listed_apart(const lk_run *x)
{
    return x->counting > x->file_count ? x->counting - x->file_count : 0;
}

lk_code lk_run_report_input(lk_run *x, lk_err *e)
{
    uint64_t zoneless = 0, nameless = 0;
    lk_arena *arena = &x->out->arena;
    lk_report_input *in = &x->out->report.input;
    size_t n = x->file_count + x->repeated_count + x->missing_count;

    in->unlisted_files = (int64_t)(x->unlisted + listed_apart(x));
    if (x->rest)
        x->files[x->file_count++] = x->rest;
    in->files = LK_NEW(arena, lk_report_file, n ? n : 1);
    in->samples = LK_NEW(arena, lk_report_sample, LK_SAMPLES_MAX);
    if (!in->files || !in->samples)
        return lk_fail(e, LK_EOOM, "no memory for the account of %zu files", n);
    in->lines_total = in->lines_parsed = in->lines_filtered = 0;
    in->lines_rejected = in->lines_ignored = 0;
    for (size_t i = 0; i < x->file_count; i++) {
        lk_logfile *f = x->files[i];

        if (f != x->rest) {
            LK_TRY(lk_logfile_report(f, arena, &in->files[in->file_count], e));
            warn_on_file(x, f, &in->files[in->file_count++]);
        }
        in->lines_total += (int64_t)f->total;
        in->lines_parsed += (int64_t)f->parsed;
        in->lines_filtered += (int64_t)f->filtered;
        in->lines_rejected += (int64_t)f->rejected;
        in->lines_ignored += (int64_t)f->ignored;
        zoneless += f->zoneless;
        nameless += f->nameless;
        for (size_t k = 0; k < f->sample_count && in->sample_count < LK_SAMPLES_MAX; k++)
            in->samples[in->sample_count++] = f->samples[k];
    }
    for (size_t i = 0; i < x->repeated_count; i++)
        LK_TRY(report_repeated(x, x->repeated[i], &in->files[in->file_count++], e));
    sort_rows(in->files, in->file_count);
    sort_rows(x->missing, x->missing_count);
    LK_TRY(report_reasons(x, arena, in, e));
    for (size_t i = 0; i < x->missing_count; i++)
        in->files[in->file_count++] = x->missing[i];
    in->rejection = x->options->rejected ? x->options->rejected : "429, 503, 529";
    in->zone = zone_of(x, zoneless);
    in->identity_caller = nameless < (uint64_t)in->lines_parsed && x->options->caller
                              ? x->options->caller
                              : "address";
    return LK_OK;
}
