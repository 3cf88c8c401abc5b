#include "api/analysis.h"
#include "api/breakdown.h"
#include "api/chosen.h"
#include "api/expected.h"
#include "api/inputs.h"
#include "api/logfile.h"
#include "api/map.h"
#include "api/repeats.h"
#include "api/states.h"
#include "base/distinct.h"
#include "base/quantity.h"
#include "base/random.h"
#include "base/text.h"
#include "infer/asked.h"
#include "infer/clocks.h"
#include "infer/incident.h"
#include "model/bounds.h"
#include "model/note.h"
#include "infer/owners.h"
#include "infer/policies.h"
#include "infer/capacity.h"
#include "infer/advice.h"
#include "infer/overload.h"
#include "infer/verdict.h"
#include "infer/workload.h"
#include "link/linker.h"
#include "link/sdk.h"
#include "link/sdk_lines.h"
#include "measure/arrivals.h"
#include "measure/asked.h"
#include "measure/comeback_log.h"
#include "measure/hops.h"
#include "measure/periods.h"
#include "measure/tally.h"
#include "measure/workload.h"
#include "model/redact.h"
#include "order/ahead.h"
#include "order/merge.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static const int64_t BIN_NS = LK_NS_PER_S / 4;
enum { ADDRESS_LINES = 500 }; /* fewer say nothing about who sends most */

/* One run: everything that streams. */
struct run {
    lk_analysis *out;
    const lockstep_options *options;
    lk_reading reading;
    lk_bounds bounds;
    lk_distinct callers;
    lk_redact redact;
    lk_symbols symbols;
    lk_logfile **files; /* those that opened, by first instant, then path */
    size_t file_count;
    size_t descriptors;    /* that those hold */
    lk_logfile **repeated; /* those that only repeat others */
    size_t repeated_count;
    lk_report_file *missing; /* those that did not */
    size_t missing_count;
    lk_states *states; /* NULL = files are read */
    lk_merge merge;
    lk_tally tally;
    lk_arrivals arrivals, comebacks;
    lk_periods periods;
    lk_workload workload;
    uint32_t crowds[LK_WORKLOAD_CROWDS]; /* symbols of its populations */
    lk_never_back never_back[LK_GROUPS_MAX];
    size_t never_back_count;
    lk_chosen chosen; /* whom clocks are searched among */
    lk_asked asked;
    lk_hops hops;
    lk_comeback_log pauses;
    lk_given_capacity capacity;
    lk_heavy addresses;
    lk_breakdown *breakdown; /* NULL = not asked for */
    lk_above above;
    lk_named_layers layers;
    lk_rejects *rejects; /* NULL = not asked for */
    const char *const *like; /* [like_count] files that show how lines are read; 0 = each does */
    size_t like_count;
    const lk_attempt_stream_options *printing; /* NULL = a report is made */
    lk_attempt_stream *attempts; /* ... else they are printed */
    lk_linker *linker;
    lk_sdk sdk;
};

void lk_analysis_init(lk_analysis *a)
{
    *a = (lk_analysis){ .status = 0 };
    lk_arena_init(&a->arena, 0);
    lk_buf_init(&a->steps);
    lk_report_init(&a->report);
}

void lk_analysis_release(lk_analysis *a)
{
    lk_buf_release(&a->steps);
    lk_arena_release(&a->arena);
}

/* "path:line: message", made safe to print. */
static void warn(lk_analysis *a, const char *path, uint64_t line, const char *msg)
{
    char *raw, *safe;

    if (strcmp(path, "-") == 0)
        path = "standard input";
    if (a->warning_count == LK_WARNINGS_MAX) {
        a->warnings_dropped++;
        return;
    }
    raw = line ? lk_arena_printf(&a->arena, "%s:%" PRIu64 ": %s", path, line, msg)
               : lk_arena_printf(&a->arena, "%s%s%s", path, *path ? ": " : "", msg);
    safe = raw ? lk_text_safe(&a->arena, lk_slice_from(raw), 600) : NULL;
    if (safe)
        a->warnings[a->warning_count++] = safe;
}

static void fail_input(lk_analysis *a, const char *path, const lk_err *e)
{
    a->status = lk_code_status(e->code);
    warn(a, strstr(e->msg, path) ? "" : path, e->line, e->msg);
}

/* The key is read as it is, up to a bound that no key reaches. */
static lk_code read_key(lk_redact *r, const char *path, lk_err *e)
{
    char key[4096];
    FILE *file = fopen(path, "rb");
    size_t len;
    bool failed;

    if (!file)
        return lk_fail(e, LK_EIO, "cannot open '%s': %s", path, strerror(errno));
    len = fread(key, 1, sizeof(key), file);
    failed = ferror(file) != 0;
    (void)fclose(file);
    if (failed)
        return lk_fail(e, LK_EIO, "cannot read '%s': %s", path, strerror(errno));
    return lk_redact_use_key(r, (lk_slice){ key, len }, e);
}

static lk_code choose_names(struct run *x, lk_err *e)
{
    const lockstep_options *o = x->options;

    LK_TRY(lk_redact_init(&x->redact, o->redact, &x->out->arena, e));
    if (o->redact_key && !o->redact)
        return lk_fail(e, LK_EUSAGE, "--redact-key says how, --redact must say what");
    if (o->rejects && o->redact)
        return lk_fail(e, LK_EUSAGE,
                       "--rejects writes lines as they are, --redact hides what is in them: "
                       "give one of the two");
    return o->redact_key ? read_key(&x->redact, o->redact_key, e) : LK_OK;
}

/* The allowance as given, in requests. */
static lk_code read_capacity(struct run *x, lk_err *e)
{
    const lockstep_options *o = x->options;
    double cost = 1;

    x->capacity = (lk_given_capacity){ (double)NAN, (double)NAN };
    if (o->cost && (!lk_quantity_number(lk_slice_from(o->cost), &cost) || cost <= 0))
        return lk_fail(e, LK_EUSAGE, "--cost: '%.40s' is not a number above 0", o->cost);
    if (o->allowance && o->refill)
        return lk_fail(e, LK_EUSAGE, "--allowance and --refill say the same: give one of them");
    if (o->allowance &&
        !lk_quantity_per_second(lk_slice_from(o->allowance), &x->capacity.allowance_per_s))
        return lk_fail(e, LK_EUSAGE, "--allowance: '%.40s' is not a rate such as 4000/min",
                       o->allowance);
    if (o->refill && !lk_quantity_per_second(lk_slice_from(o->refill), &x->capacity.allowance_per_s))
        return lk_fail(e, LK_EUSAGE, "--refill: '%.40s' is not a rate such as 2000000/min", o->refill);
    if (o->bucket && !lk_quantity_number(lk_slice_from(o->bucket), &x->capacity.bucket))
        return lk_fail(e, LK_EUSAGE, "--bucket: '%.40s' is not a number", o->bucket);
    if (o->refill)
        x->capacity.allowance_per_s /= cost;
    return LK_OK;
}

static lk_code check_options(struct run *x, lk_err *e)
{
    const lockstep_options *o = x->options;

    LK_TRY(lk_bounds_init(&x->bounds, o->memory, e));
    x->out->bounds = x->bounds;
    LK_TRY(read_capacity(x, e));
    LK_TRY(lk_reading_init(&x->reading, o, &x->out->arena, e));
    if (!o->max_line)
        x->reading.max_line = x->bounds.max[LK_BOUND_LINE];
    LK_TRY(choose_names(x, e));
    if (!(o->attempts_max >= 0) || o->attempts_max > 1e6)
        return lk_fail(e, LK_EUSAGE, "%g attempts at most are not possible", o->attempts_max);
    if (!(o->bin_s >= 0) || o->bin_s > 1e7)
        return lk_fail(e, LK_EUSAGE, "a bin of %g s is not possible", o->bin_s);
    if (!(o->clock_alpha >= 0 && o->clock_alpha < 1))
        return lk_fail(e, LK_EUSAGE, "a false-alarm probability of %g is not possible",
                       o->clock_alpha);
    if (!(o->period_min_s >= 0 && o->period_max_s >= 0) ||
        (o->period_max_s > 0 && o->period_min_s >= o->period_max_s))
        return lk_fail(e, LK_EUSAGE, "periods from %g to %g s are none", o->period_min_s,
                       o->period_max_s);
    return LK_OK;
}

static lk_code open_file(struct run *x, const lk_input *in, lk_err *e)
{
    lk_logfile *f = LK_NEW(&x->out->arena, lk_logfile, 1);
    const char *path = in->path;
    lk_err trouble = in->trouble;

    if (!f)
        return lk_fail(e, LK_EOOM, "no memory to open '%s'", path);
    if (trouble.code == LK_OK &&
        lk_logfile_open(f, path, &x->symbols, &x->reading, &x->out->arena, &trouble) == LK_OK) {
        f->addresses = &x->addresses;
        f->breakdown = x->breakdown;
        f->above = &x->above;
        f->descriptors = &x->descriptors;
        f->rejects = x->rejects;
        f->details = x->attempts ? lk_attempt_stream_details(x->attempts) : NULL;
        x->files[x->file_count++] = f;
        return LK_OK;
    }
    if (trouble.code == LK_EOOM)
        return lk_fail(e, LK_EOOM, "%s", trouble.msg);
    fail_input(x->out, path, &trouble);
    x->missing[x->missing_count++] = (lk_report_file){
        .path = path,
        .compression = "none",
        .problem = lk_arena_text(&x->out->arena, lk_slice_from(trouble.msg)),
        .first_ns = LK_TIME_NONE,
    };
    return LK_OK;
}

static int by_first_instant(const void *pa, const void *pb)
{
    const lk_logfile *a = *(lk_logfile *const *)pa, *b = *(lk_logfile *const *)pb;

    if (a->source.first_ns != b->source.first_ns)
        return a->source.first_ns < b->source.first_ns ? -1 : 1;
    return strcmp(a->path, b->path);
}

/* The layout that file i and the later files like it show together, for all of them. */
static void settle_alike(struct run *x, size_t i, lk_sniffer *pooled)
{
    const lk_sniffer *own = x->files[i]->sniffer;
    lk_layout layout;

    *pooled = *own;
    for (size_t k = i + 1; k < x->file_count; k++)
        if (x->files[k]->sniffer && lk_sniffer_is_alike(own, x->files[k]->sniffer))
            lk_sniffer_merge(pooled, x->files[k]->sniffer);
    lk_reading_decide(&x->reading, pooled, &layout);
    for (size_t k = i + 1; k < x->file_count; k++)
        if (x->files[k]->sniffer && lk_sniffer_is_alike(own, x->files[k]->sniffer))
            lk_logfile_settle(x->files[k], &layout);
    lk_logfile_settle(x->files[i], &layout);
}

/* All files are read as those that the caller names are. */
static lk_code settle_like(struct run *x, lk_sniffer *pooled, lk_err *e)
{
    lk_layout layout;

    for (size_t i = 0; i < x->like_count; i++) {
        lk_logfile like;

        LK_TRY(lk_logfile_open(&like, x->like[i], &x->symbols, &x->reading, &x->out->arena, e));
        if (i == 0)
            *pooled = *like.sniffer;
        else
            lk_sniffer_merge(pooled, like.sniffer);
        lk_logfile_close(&like);
    }
    lk_reading_decide(&x->reading, pooled, &layout);
    for (size_t i = 0; i < x->file_count; i++)
        if (x->files[i]->sniffer)
            lk_logfile_settle(x->files[i], &layout);
    return LK_OK;
}

/* Files of one shape are read by what all of them show. */
static lk_code settle_layouts(struct run *x, lk_err *e)
{
    lk_sniffer *pooled = malloc(sizeof(*pooled));
    lk_code code;

    if (!pooled)
        return lk_fail(e, LK_EOOM, "no memory to recognise formats");
    if (x->like_count) {
        code = settle_like(x, pooled, e);
        free(pooled);
        return code;
    }
    for (size_t i = 0; i < x->file_count; i++)
        if (x->files[i]->sniffer)
            settle_alike(x, i, pooled);
    free(pooled);
    return LK_OK;
}

/* Puts the files that only repeat others aside. */
static lk_code set_repeats_aside(struct run *x, lk_err *e)
{
    size_t kept = 0;

    LK_TRY(lk_repeats_find(x->files, x->file_count, e));
    x->repeated = LK_NEW(&x->out->arena, lk_logfile *, x->file_count + 1);
    if (!x->repeated)
        return lk_fail(e, LK_EOOM, "no memory for %zu files", x->file_count);
    for (size_t i = 0; i < x->file_count; i++) {
        if (x->files[i]->repeats) {
            lk_logfile_close(x->files[i]);
            x->repeated[x->repeated_count++] = x->files[i];
        } else {
            x->files[kept++] = x->files[i];
        }
    }
    x->file_count = kept;
    return LK_OK;
}

static lk_code open_files(struct run *x, lk_err *e)
{
    static const char *const STDIN_ONLY[] = { "-" };
    const bool is_given = x->options->file_count > 0;
    lk_inputs in;

    LK_TRY(lk_inputs_list(is_given ? x->options->files : STDIN_ONLY,
                          is_given ? x->options->file_count : 1, &x->out->arena, &in, e));
    if (x->options->rejects) /* once folders are listed: it is written in a file beside */
        LK_TRY(lk_rejects_open(x->options->rejects, &x->rejects, e));
    x->files = LK_NEW(&x->out->arena, lk_logfile *, in.count + 1);
    x->missing = LK_NEW(&x->out->arena, lk_report_file, in.count + 1);
    if (!x->files || !x->missing)
        return lk_fail(e, LK_EOOM, "no memory for %zu files", in.count);
    lk_reading_share_peek(&x->reading, in.count);
    for (size_t i = 0; i < in.count; i++)
        LK_TRY(open_file(x, &in.list[i], e));
    if (x->file_count)
        qsort(x->files, x->file_count, sizeof(*x->files), by_first_instant);
    LK_TRY(set_repeats_aside(x, e));
    return settle_layouts(x, e);
}

static lk_code take_hop(void *ctx, const lk_hop *hop, bool has_failed, lk_err *e)
{
    struct run *x = ctx;
    bool is_chosen;

    LK_TRY(lk_chosen_ask(&x->chosen, hop->population, &is_chosen, e));
    return is_chosen ? lk_hops_add(&x->hops, hop, has_failed, e) : LK_OK;
}

static lk_code take_comeback(void *ctx, int64_t at_ns, uint32_t population, lk_err *e)
{
    struct run *x = ctx;

    LK_TRY(lk_arrivals_add(&x->comebacks, at_ns, false, e));
    return lk_periods_comeback(&x->periods, at_ns, population, e);
}

static lk_code take_call(void *ctx, const lk_call *call, uint32_t population, lk_err *e)
{
    struct run *x = ctx;

    if (x->sdk.calls)
        LK_TRY(lk_sdk_linked(&x->sdk, population, call->first_ns, e));
    if (x->breakdown)
        LK_TRY(lk_breakdown_call(x->breakdown, call, e));
    LK_TRY(lk_workload_call(&x->workload, call, e));
    lk_above_call(&x->above, call);
    return lk_periods_call(&x->periods, call, e);
}

static lk_code take_task(void *ctx, const lk_task *task, lk_err *e)
{
    struct run *x = ctx;

    lk_above_task(&x->above, task);
    return x->breakdown ? lk_breakdown_task(x->breakdown, task, e) : LK_OK;
}

static void take_pause(void *ctx, const lk_comeback *comeback)
{
    struct run *x = ctx;

    lk_comeback_log_add(&x->pauses, comeback);
    if (comeback->layer == LK_COMEBACK_TASK)
        lk_workload_requeue(&x->workload, lk_linker_group(x->linker, comeback->population),
                            comeback->at_ns + comeback->pause_ns);
}

/* What there is to read, where all of it is files. */
static void tell_total(struct run *x)
{
    uint64_t total = 0;

    for (size_t i = 0; i < x->file_count; i++) {
        if (!x->files[i]->is_regular)
            return;
        total += x->files[i]->size;
    }
    if (x->reading.meter)
        atomic_store(&x->reading.meter->total, total);
}

static bool is_cut(const struct run *x)
{
    return x->reading.meter && atomic_load(&x->reading.meter->is_cut);
}

static void source_failed(void *ctx, size_t source, const lk_err *e)
{
    struct run *x = ctx;

    fail_input(x->out, x->files[source]->path, e);
}

static lk_code take(struct run *x, const lk_attempt *a, lk_err *e)
{
    lk_tally_add(&x->tally, a);
    lk_distinct_add(&x->callers, a->caller);
    lk_asked_add(&x->asked, a);
    if (x->breakdown)
        lk_breakdown_attempt(x->breakdown, a);
    LK_TRY(lk_arrivals_add(&x->arrivals, a->start_ns, a->rejected, e));
    LK_TRY(lk_periods_attempt(&x->periods, a, e));
    LK_TRY(lk_chosen_add(&x->chosen, a, e));
    if (x->sdk.calls)
        LK_TRY(lk_sdk_attempt(&x->sdk, a, e));
    LK_TRY(lk_linker_take(x->linker, a, e));
    if (x->attempts)
        return lk_attempt_stream_take(x->attempts, x->linker, a, e);
    return lk_workload_attempt(&x->workload, lk_linker_group(x->linker, a->population), a, e);
}

enum { SDK_LINE_MAX = 8 << 20, SDK_WARNINGS = 3 }; /* a line of OTLP holds a batch of spans */

/* A line that is no call is told with its place, the first few of them. */
static lk_code take_sdk_line(struct run *x, lk_sdk_lines *reader, const lk_line *line, lk_err *e)
{
    lk_err trouble = { 0 };
    lk_code code = LK_OK;

    if (line->overlong) {
        reader->lines++;
        reader->rejected++;
        code = lk_fail(&trouble, LK_EDATA, "no call: longer than %d bytes", SDK_LINE_MAX);
    } else if (line->text.len && !line->cut) {
        code = lk_sdk_lines_take(reader, line->text, &trouble);
    }
    if (code != LK_OK && code != LK_EDATA)
        return lk_fail(e, code, "%s", trouble.msg);
    if (code == LK_EDATA && reader->rejected <= SDK_WARNINGS)
        warn(x->out, x->options->sdk_log, line->number, trouble.msg);
    return LK_OK;
}

static void warn_on_sdk(struct run *x, const lk_sdk_lines *reader)
{
    const char *path = x->options->sdk_log;
    lk_arena *arena = &x->out->arena;

    if (reader->rejected > SDK_WARNINGS)
        warn(x->out, path, 0,
             lk_arena_printf(arena, "%" PRIu64 " of %" PRIu64 " lines in all are no calls",
                             reader->rejected, reader->lines));
    if (reader->spans.pieces)
        warn(x->out, path, 0,
             lk_arena_printf(arena,
                             "more than %d spans: a call that lies across one of %" PRIu64
                             " places counts twice",
                             LK_SDK_SPANS_MAX, reader->spans.pieces));
    if (x->sdk.lost_ids)
        warn(x->out, path, 0,
             lk_arena_printf(arena,
                             "more than %d calls have an id: which of them the access log does "
                             "not show is not told",
                             LK_SDK_IDS_MAX));
    if (!x->sdk.calls)
        warn(x->out, path, 0, "no call was found in the SDK log: calls come from the access log");
}

static lk_code read_sdk_lines(struct run *x, lk_lines *lines, lk_sdk_lines *reader, lk_err *e)
{
    lk_err trouble = { 0 };
    lk_line line;
    lk_step got;

    while ((got = lk_lines_next(lines, &line, &trouble)) == LK_STEP_ITEM)
        LK_TRY(take_sdk_line(x, reader, &line, e));
    if (got == LK_STEP_FAIL && trouble.code == LK_EOOM)
        return lk_fail(e, LK_EOOM, "%s", trouble.msg);
    if (got == LK_STEP_FAIL)
        fail_input(x->out, x->options->sdk_log, &trouble);
    LK_TRY(lk_sdk_lines_end(reader, e));
    warn_on_sdk(x, reader);
    return LK_OK;
}

static lk_code read_sdk_log(struct run *x, lk_err *e)
{
    const char *path = x->options->sdk_log;
    lk_err trouble = { 0 };
    lk_sdk_lines *reader;
    lk_lines *lines;
    lk_code code;

    if (!path)
        return x->options->sdk_keys
                   ? lk_fail(e, LK_EUSAGE, "--sdk-keys says how, --sdk-log must say what")
                   : LK_OK;
    reader = LK_NEW(&x->out->arena, lk_sdk_lines, 1);
    if (!reader)
        return lk_fail(e, LK_EOOM, "no memory for the SDK log");
    LK_TRY(lk_sdk_lines_init(reader, x->options->sdk_keys, x->reading.since_ns,
                             x->reading.until_ns, &x->sdk, &x->out->arena, e));
    if (lk_lines_open(path, SDK_LINE_MAX, &lines, &trouble) != LK_OK) {
        if (trouble.code == LK_EOOM)
            return lk_fail(e, LK_EOOM, "%s", trouble.msg);
        fail_input(x->out, path, &trouble);
        return LK_OK;
    }
    code = x->reading.is_strict ? lk_lines_strict(lines, e) : LK_OK;
    lk_lines_meter(lines, x->reading.meter, false);
    if (code == LK_OK)
        code = read_sdk_lines(x, lines, reader, e);
    lk_lines_close(lines);
    lk_sdk_lines_release(reader);
    return code;
}

/* Nobody reads what is printed. */
static bool is_over(const struct run *x)
{
    return x->attempts && lk_attempt_stream_is_over(x->attempts);
}

static lk_code finish_links(struct run *x, lk_err *e)
{
    if (x->tally.attempts)
        LK_TRY(lk_linker_finish(x->linker, x->tally.end_ns, e));
    return x->attempts ? lk_attempt_stream_finish(x->attempts, x->linker, e) : LK_OK;
}

enum { BATCH = 32 };

static lk_step next_attempt(struct run *x, lk_attempt *out, lk_err *e)
{
    return x->states ? lk_states_next(x->states, out, e) : lk_merge_next(&x->merge, out, e);
}

/* Up to `max` attempts into batch[]; what the linker will look at is on its way meanwhile. */
static lk_step fetch(struct run *x, size_t max, lk_attempt *batch, size_t *count, lk_err *e)
{
    lk_step got = LK_STEP_ITEM;

    *count = 0;
    while (*count < max && (got = next_attempt(x, &batch[*count], e)) == LK_STEP_ITEM)
        lk_linker_foresee(x->linker, &batch[(*count)++]);
    for (size_t i = 0; i < *count; i++)
        lk_linker_foresee_entries(x->linker, &batch[i]);
    lk_linker_foresee_forgotten(x->linker, *count);
    return got;
}

static lk_code take_all(struct run *x, lk_err *e)
{
    /* Values are numbered as they are read, and forgotten as they are counted: one by one. */
    const size_t max = x->breakdown || x->attempts ? 1 : BATCH;
    lk_attempt batch[BATCH];
    lk_step got = LK_STEP_ITEM;
    size_t count;

    while (got == LK_STEP_ITEM && !is_over(x)) {
        got = fetch(x, max, batch, &count, e);
        for (size_t i = 0; i < count && got != LK_STEP_FAIL; i++)
            LK_TRY(take(x, &batch[i], e));
    }
    return got == LK_STEP_FAIL ? e->code : LK_OK;
}

/* How many threads a run has; as given, or one a processor. */
static size_t thread_count(const lockstep_options *o)
{
    long n = o->threads ? (long)o->threads : sysconf(_SC_NPROCESSORS_ONLN);

    return n > 1 ? (size_t)n : 1;
}

/* One input is read by a thread beside the one that counts.  Of several, which line is read when
 * decides whose names are kept where there are too many, so they are read in turns; values to break
 * the report down by are numbered and forgotten in step. */
static bool is_read_ahead(const struct run *x)
{
    enum { SMALL = 64 << 10 };
    const lk_logfile *f = x->files[0];

    if (x->file_count != 1 || thread_count(x->options) < 2 || x->breakdown || x->attempts ||
        x->layers.count)
        return false;
    return x->options->threads || !f->is_regular || f->size >= SMALL;
}

/* Small parts of a log do not show all of how its lines are read. */
static void warn_on_unlike(struct run *x)
{
    const lk_source_account *a, *b;

    if (lk_dictionary_find_unlike(&x->states->dictionary, &a, &b))
        warn(x->out, "", 0,
             lk_arena_printf(&x->out->arena,
                             "'%s' and '%s' are both %s, and their lines were read in different ways: "
                             "if they are parts of one log, map --like LOG reads them as the whole is",
                             a->name, b->name, a->format));
}

/* States in place of files: the account of the files that they came from. */
static lk_code begin_states(struct run *x, lk_err *e)
{
    LK_TRY(lk_states_begin(x->states, &x->symbols, e));
    x->missing = LK_NEW(&x->out->arena, lk_report_file, 1);
    if (!x->missing)
        return lk_fail(e, LK_EOOM, "no memory for states");
    LK_TRY(lk_states_files(x->states, &x->addresses, &x->out->arena, &x->files, &x->file_count, e));
    for (size_t i = 0; i < x->file_count; i++)
        if (x->files[i]->trouble.code != LK_OK)
            fail_input(x->out, x->files[i]->path, &x->files[i]->trouble);
    warn_on_unlike(x);
    return LK_OK;
}

static lk_code stream_files(struct run *x, lk_err *e)
{
    lk_merge_options options = LK_MERGE_OPTIONS_INIT;
    lk_source **sources = LK_NEW(&x->out->arena, lk_source *, x->file_count + 1);

    if (!sources)
        return lk_fail(e, LK_EOOM, "no memory for %zu sources", x->file_count);
    for (size_t i = 0; i < x->file_count; i++)
        sources[i] = &x->files[i]->source;
    options.max_held = x->bounds.max[LK_BOUND_WINDOW];
    if (is_read_ahead(x))
        LK_TRY(lk_ahead_open(sources[0], &x->out->arena, &sources[0], e));
    LK_TRY(lk_merge_init(&x->merge, sources, x->file_count, &options, e));
    x->merge.failed = source_failed;
    x->merge.ctx = x;
    LK_TRY(take_all(x, e));
    x->out->report.input.late_lines = (int64_t)x->merge.late;
    x->out->report.input.partial = is_cut(x);
    return finish_links(x, e);
}

static lk_code stream(struct run *x, lk_err *e)
{
    if (!x->states)
        return stream_files(x, e);
    x->out->report.input.late_lines = (int64_t)lk_states_late(x->states);
    LK_TRY(take_all(x, e));
    return finish_links(x, e);
}

static void warn_on_zone(lk_analysis *a, const lk_logfile *f)
{
    if (f->clock.repeated)
        warn(a, f->path, 0,
             lk_arena_printf(&a->arena,
                             "%" PRIu64 " stamp%s of an hour that came twice, as clocks were set "
                             "back: %s",
                             f->clock.repeated, f->clock.repeated == 1 ? " is" : "s are",
                             f->clock.guessed ? "the first is taken, for the log begins in it and "
                                                "does not show which"
                                              : "the order of the lines tells which"));
    if (f->clock.skipped)
        warn(a, f->path, 0,
             lk_arena_printf(&a->arena,
                             "%" PRIu64 " stamp%s of an hour that never was, as clocks were set "
                             "forward: read as if they had not been",
                             f->clock.skipped, f->clock.skipped == 1 ? " is" : "s are"));
}

/* Not read: what it holds counts where it stands first. */
static lk_code report_repeated(struct run *x, const lk_logfile *f, lk_report_file *row, lk_err *e)
{
    const char *note = lk_logfile_repeat_note(f, &x->out->arena);

    if (f->trouble.code != LK_OK)
        fail_input(x->out, f->path, &f->trouble);
    if (note)
        warn(x->out, f->path, 0, note);
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
        warn(a, f->path, 0, note);
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

        warn(a, f->path, (uint64_t)s->line,
             others == 1 ? lk_arena_printf(&a->arena, "%s: not read as a request", s->reason)
                         : lk_arena_printf(&a->arena,
                                           "%s: the first of %" PRIu64
                                           " lines that could not be read as a request",
                                           s->reason, others));
    }
    if (f->timeless)
        warn(a, f->path, 0,
             lk_arena_printf(&a->arena, "%s: %" PRIu64 " line%s of %s, which writes no time: %s",
                             no_time, timeless, timeless == 1 ? "" : "s", f->timeless->name,
                             f->timeless->remedy));
}

static void warn_on_file(struct run *x, const lk_logfile *f, const lk_report_file *row)
{
    lk_analysis *a = x->out;

    if (f->trouble.code == LK_OK && row->problem)
        warn(a, f->path, 0, row->problem);
    warn_on_rejects(a, f);
    warn_on_zone(a, f);
    warn_on_order(a, f);
    if (f->nameless)
        warn(a, f->path, 0,
             lk_arena_printf(&a->arena,
                             "%" PRIu64 " of %" PRIu64
                             " requests have no field '%s': their address stands for the caller",
                             f->nameless, f->parsed, x->options->caller));
    if (!f->parsed && !f->filtered && !a->report.input.partial) {
        a->status = lk_code_status(LK_EDATA);
        if ((f->total || f->trouble.code == LK_OK) && !f->timeless)
            warn(a, f->path, 0,
                 f->total ? "no line is a request in a format that is known" : "the file is empty");
    }
}

/* A field of --match that no line has: a typing error, as a rule. */
static void warn_on_filter(struct run *x)
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
        warn(x->out, "", 0,
             x->redact.kinds
                 ? lk_arena_printf(&x->out->arena, "--match: no line has a field '%s'", missing)
                 : lk_arena_printf(&x->out->arena,
                                   "--match: no line has a field '%s'; there are: %s", missing,
                                   names));
}

static int by_count(const void *pa, const void *pb)
{
    const lk_report_reason *a = pa, *b = pb;

    if (a->count != b->count)
        return a->count > b->count ? -1 : 1;
    return strcmp(a->name, b->name);
}

static lk_code report_reasons(const struct run *x, lk_arena *arena, lk_report_input *in, lk_err *e)
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

static const char *zone_of(const struct run *x, uint64_t zoneless)
{
    if (!x->tally.attempts)
        return NULL;
    if (!zoneless)
        return "logged";
    return x->options->zone ? "given" : "assumed-utc";
}

static lk_code report_input(struct run *x, lk_err *e)
{
    uint64_t zoneless = 0, nameless = 0;
    lk_arena *arena = &x->out->arena;
    lk_report_input *in = &x->out->report.input;
    size_t n = x->file_count + x->repeated_count + x->missing_count;

    in->files = LK_NEW(arena, lk_report_file, n ? n : 1);
    in->samples = LK_NEW(arena, lk_report_sample, LK_SAMPLES_MAX);
    if (!in->files || !in->samples)
        return lk_fail(e, LK_EOOM, "no memory for the account of %zu files", n);
    in->lines_total = in->lines_parsed = in->lines_filtered = 0;
    in->lines_rejected = in->lines_ignored = 0;
    for (size_t i = 0; i < x->file_count; i++) {
        lk_logfile *f = x->files[i];

        LK_TRY(lk_logfile_report(f, arena, &in->files[in->file_count], e));
        warn_on_file(x, f, &in->files[in->file_count++]);
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

/* The names of the id columns of the first layout that has any. */
static void id_names(const struct run *x, const char *names[LK_IDS])
{
    for (size_t k = 0; k < LK_IDS; k++)
        names[k] = NULL;
    for (size_t i = 0; i < x->file_count; i++) {
        const lk_layout *l = &x->files[i]->layout;

        if (!l->id_count)
            continue;
        for (size_t k = 0; k < LK_IDS; k++)
            names[k] = l->id_name[k][0] ? l->id_name[k] : NULL;
        return;
    }
}

static void release_linker(struct run *x)
{
    lk_linker_close(x->linker);
    x->linker = NULL;
}

/* The level, periods and callers that clocks are searched at. */
static lk_clock_search search_of(struct run *x)
{
    const lockstep_options *o = x->options;
    lk_clock_search how = LK_CLOCK_SEARCH_INIT;

    if (o->clock_alpha > 0)
        how.alpha = o->clock_alpha;
    how.period_min_s = o->period_min_s;
    how.period_max_s = o->period_max_s;
    how.steps = o->explain_clock ? &x->out->steps : NULL;
    return how;
}

/* The same evidence, or that of the chosen callers. */
static lk_code infer_clocks(struct run *x, const lk_evidence *all, int64_t bin_ns,
                            lk_arena *scratch, lk_err *e)
{
    lk_clock_search how = search_of(x);
    lk_evidence some = *all;

    lk_chosen_evidence(&x->chosen, &some);
    if (x->chosen.pattern.len)
        LK_TRY(lk_arrivals_series(&x->chosen.arrivals, bin_ns, &x->out->arena, &some.series, e));
    return lk_infer_clocks(&some, &x->symbols, &how, &x->out->arena, scratch, &x->out->report, e);
}

static lk_code infer_workload(struct run *x, const lk_evidence *ev, lk_arena *scratch, lk_err *e)
{
    lk_report *r = &x->out->report;
    lk_workload_window window;
    int64_t from_ns, to_ns;

    if (!lk_workload_span(ev, r, &from_ns, &to_ns))
        return LK_OK;
    LK_TRY(lk_workload_evidence(&x->workload, from_ns, to_ns, ev->resolution_ns, scratch,
                                &window, e));
    return lk_infer_workload(&window, x->crowds, &x->symbols, &x->out->arena, scratch, r, e);
}

static lk_code infer(struct run *x, lk_err *e)
{
    lk_arena *arena = &x->out->arena, scratch;
    lk_report *r = &x->out->report;
    lk_evidence evidence = {
        .resolution_ns = lk_tally_resolution_ns(&x->tally),
        .asked_is_logged = lk_asked_is_logged(&x->asked),
        .first_ns = x->tally.first_ns,
        .last_ns = x->tally.last_ns,
        .attempts = x->tally.attempts,
        .rejected = (uint64_t)r->http.rejected,
    };
    int64_t bin_ns = evidence.resolution_ns > BIN_NS ? evidence.resolution_ns : BIN_NS;
    lk_code code;

    LK_TRY(lk_arrivals_series(&x->arrivals, bin_ns, arena, &evidence.series, e));
    LK_TRY(lk_hops_evidence(&x->hops, arena, &evidence, e));
    lk_periods_evidence(&x->periods, &evidence);
    LK_TRY(lk_comeback_log_evidence(&x->pauses, arena, &evidence, e));
    evidence.never_back = x->never_back;
    evidence.never_back_count = x->never_back_count;
    lk_hops_release(&x->hops);
    lk_arena_init(&scratch, 0);
    code = infer_clocks(x, &evidence, bin_ns, &scratch, e);
    if (code == LK_OK)
        code = lk_infer_incident(&evidence, x->reading.since_ns, x->reading.until_ns, arena,
                                 &scratch, r, e);
    if (r->calls.source)
        lk_infer_budgets(&evidence, r);
    if (code == LK_OK)
        code = lk_infer_policies(&evidence, &x->symbols, arena, &scratch, r, e);
    if (code == LK_OK)
        code = lk_infer_asked(&evidence, arena, r, e);
    if (code == LK_OK)
        code = lk_infer_capacity(&evidence, &x->symbols, &x->capacity, arena, &scratch, r, e);
    if (code == LK_OK)
        code = infer_workload(x, &evidence, &scratch, e);
    if (code == LK_OK)
        lk_infer_overload(r);
    if (code == LK_OK)
        code = lk_infer_advice(arena, r, e);
    if (code == LK_OK)
        code = lk_expect(r, arena, e);
    return lk_arena_close(&scratch, code, e);
}

/* One address for most of the traffic may stand for many callers. */
static lk_code warn_on_address(struct run *x, lk_err *e)
{
    uint64_t n;
    lk_slice top = lk_heavy_top(&x->addresses, &n);
    double share = x->addresses.lines ? (double)n / (double)x->addresses.lines : 0;
    const char *raw = top.len ? lk_arena_text(&x->out->arena, top) : NULL;
    const char *address;

    if (x->addresses.lines < ADDRESS_LINES || share <= 0.5 || !raw)
        return LK_OK;
    address = lk_redact_text(&x->redact, LK_REDACT_CALLER, raw);
    warn(
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

/* Of the process: a reader thread's time counts as well. */
static double cpu_s(void)
{
    struct timespec now;

    if (clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now) != 0)
        return 0.0;
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static lk_code infer_timed(struct run *x, lk_err *e)
{
    double before = cpu_s();
    lk_code code = infer(x, e);

    x->out->stage_s[LK_STAGE_INFER] = cpu_s() - before;
    return code;
}

static uint64_t lines_with(const struct run *x, lk_naming_what what)
{
    uint64_t n = 0;

    for (size_t i = 0; i < x->file_count; i++)
        n += x->files[i]->named[what];
    return n;
}

static void warn_on_named(struct run *x, const char *option, const char *field, bool is_there,
                          const char *why)
{
    warn(x->out, "", 0,
         lk_arena_printf(&x->out->arena, "--%s: the field '%s' joins nothing: %s", option, field,
                         is_there ? why : "no line has it"));
}

static bool has_layer(const lk_report *r, const char *name)
{
    for (size_t i = 0; i < r->layer_count; i++)
        if (strcmp(r->layers[i].name, name) == 0)
            return true;
    return false;
}

static const char NOT_AGAIN[] = "its values never come again after a failure";

/* Calls, or tasks, were told apart by the field that was chosen. */
static bool joins(const char *chosen, const char *used)
{
    return used && strcmp(chosen, used) == 0;
}

/* A field that was asked for and said nothing: a typing error, as a rule. */
static void warn_on_identity(struct run *x)
{
    const lk_report *r = &x->out->report;
    const lockstep_options *o = x->options;

    if (o->attempt_no && !lines_with(x, LK_NAMING_ATTEMPT))
        warn(x->out, "", 0,
             lk_arena_printf(&x->out->arena, "--attempt-no: no line gave a number in a field '%s'",
                             o->attempt_no));
    if (o->call_id && r->http.rejected > 0 && !joins(o->call_id, r->input.identity_call))
        warn_on_named(x, "call-id", o->call_id, lines_with(x, LK_NAMING_CALL), NOT_AGAIN);
    if (o->task_id && !joins(o->task_id, r->input.identity_task))
        warn_on_named(x, "task-id", o->task_id, lines_with(x, LK_NAMING_TASK), NOT_AGAIN);
    for (size_t i = 0; i < x->layers.count; i++)
        if (!has_layer(r, x->layers.name[i]))
            warn_on_named(x, "layer", x->layers.field[i], x->above.seen[i],
                          "no two attempts share a value of it");
    if (x->above.folded)
        warn(x->out, "", 0,
             lk_arena_printf(&x->out->arena,
                             "--layer: more than %zu units: %" PRIu64
                             " attempts of later ones are in none",
                             x->bounds.max[LK_BOUND_UNITS], x->above.folded));
}

/* Clocks searched among nobody's attempts: a typing error, and no finding about the traffic. */
static void tell_of_none_chosen(struct run *x)
{
    lk_report *r = &x->out->report;
    const char *pattern = x->options->population;

    if (!x->chosen.pattern.len || x->chosen.attempts > 0 || r->http.attempts <= 0)
        return;
    r->headline = "No user agent fits --population: clocks were searched for among nobody";
    warn(x->out, "", 0,
         lk_arena_printf(&x->out->arena, "--population: no user agent fits '%s'", pattern));
}

static lk_code report_by(struct run *x, const char *const id_names[LK_IDS], lk_err *e)
{
    lk_report *r = &x->out->report;

    if (!x->breakdown)
        return LK_OK;
    return lk_breakdown_finish(x->breakdown, lk_by_name(x->reading.by), x->linker, id_names,
                               &x->out->arena, r, e);
}

/* What is concluded from when attempts came. */
static lk_code conclude_arrivals(struct run *x, lk_err *e)
{
    lk_report *r = &x->out->report;

    LK_TRY(lk_arrivals_report(&x->arrivals, r->calls.source ? &x->comebacks : NULL,
                              x->options->bin_s, r->input.resolution_s, &x->out->arena, r, e));
    return infer_timed(x, e);
}

/* How many there were, and what the bounds of names made of them. */
static void report_distinct(struct run *x)
{
    lk_report_input *in = &x->out->report.input;
    bool exact[3] = { lk_distinct_is_exact(&x->callers) };

    in->callers = (int64_t)lk_distinct_count(&x->callers);
    in->targets = (int64_t)lk_intern_distinct(&x->symbols.targets, &exact[1]);
    in->user_agents = (int64_t)lk_intern_distinct(&x->symbols.populations, &exact[2]);
    in->callers_error = exact[0] ? 0 : LK_DISTINCT_ERROR;
    in->targets_error = exact[1] ? 0 : LK_DISTINCT_ERROR;
    in->user_agents_error = exact[2] ? 0 : LK_DISTINCT_ERROR;
    in->folded_targets = (int64_t)x->symbols.targets.folded;
    in->folded_user_agents = (int64_t)x->symbols.populations.folded;
}

static lk_code conclude(struct run *x, lk_err *e)
{
    lk_arena *arena = &x->out->arena;
    lk_report *r = &x->out->report;
    const char *names[LK_IDS];

    LK_TRY(report_input(x, e));
    report_distinct(x);
    warn_on_filter(x);
    LK_TRY(warn_on_address(x, e));
    lk_tally_report(&x->tally, r);
    if (x->tally.attempts) {
        id_names(x, names);
        LK_TRY(lk_asked_report(&x->asked, arena, r, e));
        lk_above_sum(&x->above, &x->layers);
        LK_TRY(lk_linker_report(x->linker, names, arena, r, e));
        warn_on_identity(x);
        LK_TRY(report_by(x, names, e));
        x->never_back_count = lk_linker_never_back(x->linker, x->never_back);
        for (size_t i = 0; i < LK_WORKLOAD_CROWDS; i++)
            x->crowds[i] = lk_linker_population(x->linker, i);
        release_linker(x);
        lk_sdk_report(&x->sdk, &x->symbols, r);
        if (!x->attempts)
            LK_TRY(conclude_arrivals(x, e));
    }
    if (!x->attempts)
        LK_TRY(lk_infer_verdict(arena, r, e));
    tell_of_none_chosen(x);
    if (r->input.partial)
        x->out->status = LK_STATUS_INTERRUPTED;
    r->exit_status = x->out->status;
    lk_redact_report(&x->redact, r);
    return lk_owners_name(r, arena, e); /* by pseudonyms, where there are any */
}

static lk_code break_down(struct run *x, uint64_t seed, lk_err *e)
{
    if (x->reading.by == LK_BY_NONE)
        return LK_OK;
    x->breakdown = LK_NEW(&x->out->arena, lk_breakdown, 1);
    if (!x->breakdown)
        return lk_fail(e, LK_EOOM, "no memory for the report by a field");
    return lk_breakdown_init(x->breakdown, seed, e);
}

static lk_code take_unit(void *ctx, const lk_unit_fate *fate, lk_err *e)
{
    struct run *x = ctx;

    return lk_attempt_stream_unit(x->attempts, fate, e);
}

/* Attempts are printed: how callers come back is not collected. */
static lk_code open_attempts(struct run *x, lk_linker_options *options, lk_err *e)
{
    lk_attempt_stream_options printing = *x->printing;

    printing.symbols = &x->symbols;
    printing.held_max = x->bounds.max[LK_BOUND_HELD];
    printing.redact = &x->redact;
    options->on_unit = take_unit;
    options->on_hop = NULL;
    options->on_pause = NULL;
    return lk_attempt_stream_open(&printing, &x->attempts, e);
}

static lk_code name_layers(struct run *x, uint64_t seed, lk_err *e)
{
    const lk_naming *n = &x->reading.naming;

    x->layers.count = n->layer_count;
    for (size_t i = 0; i < n->layer_count; i++) {
        x->layers.name[i] = n->layer[i];
        x->layers.field[i] = n->layer_field[i];
    }
    return lk_above_init(&x->above, n->layer_count, x->bounds.max[LK_BOUND_UNITS], seed, e);
}

static void limit_measures(struct run *x)
{
    const size_t bins = x->bounds.max[LK_BOUND_BINS], blocks = x->bounds.max[LK_BOUND_FINE];

    lk_arrivals_limit(&x->arrivals, bins, blocks);
    lk_arrivals_limit(&x->comebacks, bins, blocks);
    lk_hops_limit(&x->hops, x->bounds.max[LK_BOUND_STEPS]);
}

/* The rejected lines are kept also where there was nothing else. */
static lk_code finish(struct run *x, lk_code code, lk_err *e)
{
    lk_err trouble = { 0 };

    if (lk_meter_is_cancelled(x->reading.meter))
        return lk_fail(e, LK_ECANCEL, "cancelled");
    if (x->rejects && lk_rejects_finish(x->rejects, &trouble) != LK_OK && code == LK_OK) {
        *e = trouble;
        return e->code;
    }
    return code;
}

static lk_code run(struct run *x, lk_err *e)
{
    uint64_t seed = lk_random_process_key();
    lk_linker_options options = LK_LINKER_OPTIONS_INIT;
    double before;

    options.seed = seed;
    options.on_hop = take_hop;
    options.on_comeback = take_comeback;
    options.on_call = take_call;
    options.on_pause = take_pause;
    options.ctx = x;
    LK_TRY(check_options(x, e));
    options.units_max = x->bounds.max[LK_BOUND_CALLS];
    options.keys_max = x->bounds.max[LK_BOUND_CALLERS];
    options.ids_max = x->bounds.max[LK_BOUND_IDS];
    lk_distinct_init(&x->callers, seed);
    LK_TRY(break_down(x, seed, e));
    LK_TRY(name_layers(x, seed, e));
    options.on_task = x->breakdown || x->layers.count ? take_task : NULL;
    options.named = x->layers.count ? &x->layers : NULL;
    options.attempts_max = (uint32_t)x->options->attempts_max;
    LK_TRY(lk_symbols_init_within(&x->symbols, x->bounds.max[LK_BOUND_AGENTS],
                                  x->bounds.max[LK_BOUND_TARGETS], seed, e));
    LK_TRY(lk_arrivals_init(&x->arrivals, BIN_NS, e));
    lk_arrivals_keep_fine(&x->arrivals);
    LK_TRY(lk_arrivals_init(&x->comebacks, BIN_NS, e));
    limit_measures(x);
    LK_TRY(lk_periods_init(&x->periods, LK_NS_PER_S, e));
    LK_TRY(lk_workload_init(&x->workload, BIN_NS, e));
    lk_workload_limit(&x->workload, x->bounds.max[LK_BOUND_PAGES]);
    LK_TRY(lk_chosen_init(&x->chosen, x->options->population, BIN_NS, &x->symbols, e));
    if (x->printing)
        LK_TRY(open_attempts(x, &options, e));
    LK_TRY(lk_linker_open(&options, &x->symbols, &x->linker, e));
    LK_TRY(read_sdk_log(x, e));
    LK_TRY(x->states ? begin_states(x, e) : open_files(x, e));
    tell_total(x);
    before = cpu_s();
    LK_TRY(stream(x, e));
    x->out->stage_s[LK_STAGE_READ] = cpu_s() - before;
    if (x->attempts && lk_attempt_stream_undecided(x->attempts))
        warn(x->out, "", 0,
             lk_arena_printf(&x->out->arena,
                             "%" PRIu64 " attempts were printed before their calls were decided: more "
                             "than %zu waited",
                             lk_attempt_stream_undecided(x->attempts),
                             x->bounds.max[LK_BOUND_HELD]));
    return finish(x, conclude(x, e), e);
}

static void close_run(struct run *x)
{
    for (size_t i = 0; i < x->file_count; i++)
        lk_logfile_close(x->files[i]);
    lk_merge_release(&x->merge);
    lk_rejects_close(x->rejects);
    lk_linker_close(x->linker);
    lk_attempt_stream_close(x->attempts);
    lk_sdk_release(&x->sdk);
    lk_hops_release(&x->hops);
    lk_comeback_log_release(&x->pauses);
    lk_arrivals_release(&x->arrivals);
    lk_arrivals_release(&x->comebacks);
    lk_periods_release(&x->periods);
    lk_workload_release(&x->workload);
    lk_above_release(&x->above);
    lk_chosen_release(&x->chosen);
    if (x->breakdown)
        lk_breakdown_release(x->breakdown);
    lk_symbols_release(&x->symbols);
    lk_distinct_release(&x->callers);
}

static lk_code run_and_close(lk_analysis *a, const lockstep_options *options,
                             const lk_attempt_stream_options *printing, lk_states *states,
                             lk_err *e)
{
    struct run *x = LK_NEW(&a->arena, struct run, 1);
    lk_code code;

    if (!x)
        return lk_fail(e, LK_EOOM, "no memory for an analysis");
    x->out = a;
    x->options = options;
    x->printing = printing;
    x->states = states;
    lk_tally_init(&x->tally);
    lk_asked_init(&x->asked);
    lk_hops_init(&x->hops);
    lk_comeback_log_init(&x->pauses);
    lk_heavy_init(&x->addresses);
    lk_sdk_init(&x->sdk);
    code = run(x, e);
    close_run(x);
    if (code == LK_OK && a->arena.failed) /* a note that was done without would be one not given */
        return lk_fail(e, LK_EOOM, "no memory for a report");
    return code;
}

lk_code lk_analysis_run(lk_analysis *a, const lockstep_options *options, lk_err *e)
{
    return run_and_close(a, options, NULL, NULL, e);
}

lk_code lk_analysis_states(lk_analysis *a, const lockstep_options *options, lk_states *states,
                           lk_err *e)
{
    return run_and_close(a, options, NULL, states, e);
}

/* The account of the input is all that is reported of it. */
static lk_code map(struct run *x, lk_map_how *how, lk_err *e)
{
    LK_TRY(check_options(x, e));
    LK_TRY(lk_symbols_init(&x->symbols, how->seed, e));
    LK_TRY(open_files(x, e));
    if ((how->options.name || how->options.at != UINT64_MAX) && x->file_count > 1)
        return lk_fail(e, LK_EUSAGE, "a name is of one input, and these are %zu", x->file_count);
    LK_TRY(lk_reading_text(x->options, &x->out->arena, &how->reading, e));
    for (size_t i = 0; i < x->file_count; i++) {
        LK_TRY(lk_map_file(x->files[i], how, &x->out->arena, e));
        if (x->files[i]->trouble.code != LK_OK)
            fail_input(x->out, x->files[i]->path, &x->files[i]->trouble);
    }
    LK_TRY(report_input(x, e));
    warn_on_filter(x);
    return LK_OK;
}

lk_code lk_analysis_map(lk_analysis *a, const lockstep_options *options, lk_map_how *how, lk_err *e)
{
    struct run *x = LK_NEW(&a->arena, struct run, 1);
    lk_code code;

    if (!x)
        return lk_fail(e, LK_EOOM, "no memory to map logs");
    x->out = a;
    x->options = options;
    x->like = how->options.like;
    x->like_count = how->options.like_count;
    code = map(x, how, e);
    close_run(x);
    return code;
}

lk_code lk_analysis_attempts(lk_analysis *a, const lockstep_options *options,
                             const lk_attempt_stream_options *printing, lk_err *e)
{
    return run_and_close(a, options, printing, NULL, e);
}
