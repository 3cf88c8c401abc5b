/* Every attempt, in order of its start, to all that count it. */
#include "api/lanes.h"
#include "api/run.h"
#include "order/ahead.h"

#include <unistd.h>

static lk_code take_hop(void *ctx, const lk_hop *hop, bool has_failed, lk_err *e)
{
    lk_run *x = ctx;
    bool is_chosen;

    LK_TRY(lk_chosen_ask(&x->chosen, hop->population, &is_chosen, e));
    return is_chosen ? lk_hops_add(&x->hops, hop, has_failed, e) : LK_OK;
}

static bool wants_hop(void *ctx, uint64_t caller, bool has_failed)
{
    const lk_run *x = ctx;

    return lk_hops_want(&x->hops, caller, has_failed);
}

static lk_code take_comeback(void *ctx, int64_t at_ns, uint32_t population, lk_err *e)
{
    lk_run *x = ctx;

    LK_TRY(lk_arrivals_add(&x->comebacks, at_ns, false, e));
    return lk_periods_comeback(&x->periods, at_ns, population, e);
}

static lk_code take_call(void *ctx, const lk_call *call, uint32_t population, lk_err *e)
{
    lk_run *x = ctx;

    if (x->sdk.calls)
        LK_TRY(lk_sdk_linked(&x->sdk, population, call->first_ns, e));
    if (x->breakdown)
        LK_TRY(lk_breakdown_call(x->breakdown, call, e));
    LK_TRY(lk_workload_call(&x->workload, call, e));
    lk_above_call(&x->above, call);
    return lk_periods_call(&x->periods, call, e);
}

static lk_code take_first(void *ctx, const lk_attempt *a, uint16_t group, int64_t span_ns, lk_err *e)
{
    lk_run *x = ctx;

    LK_TRY(lk_workload_first(&x->workload, group, a->start_ns, span_ns, e));
    return lk_periods_first(&x->periods, a->start_ns, span_ns, e);
}

static lk_code take_task(void *ctx, const lk_task *task, lk_err *e)
{
    lk_run *x = ctx;

    lk_above_task(&x->above, task);
    return x->breakdown ? lk_breakdown_task(x->breakdown, task, e) : LK_OK;
}

static lk_code take_pause(void *ctx, const lk_comeback *comeback, lk_err *e)
{
    lk_run *x = ctx;

    lk_comeback_log_add(&x->pauses, comeback);
    if (comeback->layer != LK_COMEBACK_TASK)
        return LK_OK;
    return lk_workload_requeue(&x->workload, lk_linker_group(x->linker, comeback->population),
                               comeback->at_ns + comeback->pause_ns, e);
}

static lk_code take_unit(void *ctx, const lk_unit_fate *fate, lk_err *e)
{
    lk_run *x = ctx;

    return lk_attempt_stream_unit(x->attempts, fate, e);
}

void lk_run_listen(lk_run *x, lk_linker_options *options)
{
    const bool is_plain = !x->breakdown && !x->layers.count && !x->options->sdk_log;

    options->ctx = x;
    options->on_hop = x->printing ? NULL : take_hop;
    options->wants_hop = wants_hop;
    options->on_first = is_plain ? take_first : NULL;
    options->on_comeback = take_comeback;
    options->on_call = take_call;
    options->on_pause = x->printing ? NULL : take_pause;
    options->on_task = x->breakdown || x->layers.count ? take_task : NULL;
    options->on_unit = x->printing ? take_unit : NULL;
}

static bool is_cut(const lk_run *x)
{
    return x->reading.meter && atomic_load(&x->reading.meter->is_cut);
}

static void source_failed(void *ctx, size_t source, const lk_err *e)
{
    lk_run *x = ctx;

    lk_run_fail_input(x->out, x->queue.items[source].path, e);
}

static lk_code take(lk_run *x, const lk_attempt *a, lk_err *e)
{
    lk_tally_add(&x->tally, a);
    lk_asked_add(&x->asked, a);
    if (x->breakdown)
        lk_breakdown_attempt(x->breakdown, a);
    LK_TRY(lk_arrivals_add(&x->arrivals, a->start_ns, a->rejected, e));
    LK_TRY(lk_periods_attempt(&x->periods, a, e));
    LK_TRY(lk_chosen_add(&x->chosen, a, e));
    if (x->sdk.calls)
        LK_TRY(lk_sdk_attempt(&x->sdk, a, e));
    LK_TRY(lk_linker_take(x->linker, a, e));
    if (lk_linker_is_new(x->linker)) /* else it was counted with the key */
        lk_distinct_add(&x->callers, a->caller);
    if (x->attempts)
        return lk_attempt_stream_take(x->attempts, x->linker, a, e);
    return lk_workload_attempt(&x->workload, lk_linker_group(x->linker, a->population), a, e);
}

/* Nobody reads what is printed. */
static bool is_over(const lk_run *x)
{
    return x->attempts && lk_attempt_stream_is_over(x->attempts);
}

static lk_code finish_links(lk_run *x, lk_err *e)
{
    if (x->tally.attempts)
        LK_TRY(lk_linker_finish(x->linker, x->tally.end_ns, e));
    return x->attempts ? lk_attempt_stream_finish(x->attempts, x->linker, e) : LK_OK;
}

enum { BATCH = 32 };

static lk_step next_attempt(lk_run *x, lk_attempt *out, lk_err *e)
{
    return x->states ? x->ahead->next(x->ahead, out, e) : lk_merge_next(&x->merge, out, e);
}

/* Up to `max` attempts into batch[]; what the linker will look at is on its way meanwhile. */
static lk_step fetch(lk_run *x, size_t max, lk_attempt *batch, size_t *count, lk_err *e)
{
    enum { LATER = 4 }; /* where an entry lies is known some attempts after it was asked for */
    lk_step got = LK_STEP_ITEM;
    size_t n = 0;

    for (; n < max && (got = next_attempt(x, &batch[n], e)) == LK_STEP_ITEM; n++) {
        lk_linker_foresee(x->linker, &batch[n]);
        lk_distinct_foresee(&x->callers, batch[n].caller);
        if (n >= LATER)
            lk_linker_foresee_entries(x->linker, &batch[n - LATER]);
    }
    for (size_t i = n > LATER ? n - LATER : 0; i < n; i++)
        lk_linker_foresee_entries(x->linker, &batch[i]);
    *count = n;
    return got;
}

static lk_code take_all(lk_run *x, lk_err *e)
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

/* What is smaller is read before a thread has begun; whoever asks for threads gets them. */
static bool is_worth_threads(const lk_run *x)
{
    enum { SMALL = 64 << 10 };
    uint64_t size = 0;

    for (size_t i = 0; i < x->counting && size < SMALL; i++)
        size += x->queue.items[i].is_regular ? x->queue.items[i].size : SMALL;
    return thread_count(x->options) > 1 && (x->options->threads || size >= SMALL);
}

/* Several inputs are read through lanes, and one whose texts are numbered in step with what is counted of it.  Attempts
 * are printed as they come; rejected lines are written as they are met, file by file in turns. */
static bool has_lanes(const lk_run *x)
{
    const bool is_numbered_in_step = x->breakdown || x->layers.count;

    return (x->counting > 1 ? !x->rejects : is_numbered_in_step) && !x->attempts && is_worth_threads(x);
}

/* One input is read by a thread beside the one that counts. */
static bool is_read_ahead(const lk_run *x)
{
    return x->counting == 1 && x->file_count == 1 && !x->attempts && !has_lanes(x) && is_worth_threads(x);
}

static lk_code open_lanes(lk_run *x, lk_err *e)
{
    enum { MEMORY_SHARE = 32 };
    const lk_lane_tables tables = { &x->symbols, x->layers.count ? &x->above : NULL, x->breakdown };
    lk_lanes_options options = LK_LANES_OPTIONS_INIT;
    const size_t most = x->bounds.memory / MEMORY_SHARE / LK_LANE_BYTES;

    options.max = most < 1 ? 1 : most < options.max ? most : options.max;
    if (options.max > x->counting)
        options.max = x->counting;
    options.threads = thread_count(x->options) - 1;
    if (options.threads > options.max)
        options.threads = options.max;
    return lk_lanes_open(&x->queue, x->counting, &options, &tables, e);
}

/* What there is to read, where all of it is files. */
static void tell_total(lk_run *x)
{
    uint64_t total = 0;

    for (size_t i = 0; i < x->counting; i++) {
        if (!x->queue.items[i].is_regular)
            return;
        total += x->queue.items[i].size;
    }
    if (x->reading.meter)
        atomic_store(&x->reading.meter->total, total);
}

/* About what a file takes while it is read. */
static size_t room_of(void *ctx, size_t source)
{
    enum { PARSER = 64 << 10, BUFFER = LK_BYTES_CAP, UNPACKED = 1280 << 10 };
    const lk_run *x = ctx;
    const lk_waiting *w = &x->queue.items[source];

    if (w->is_packed || !w->is_regular)
        return PARSER + BUFFER + UNPACKED;
    return PARSER + (w->size < BUFFER ? (size_t)w->size : BUFFER);
}

static void warn_on_waiting(lk_run *x)
{
    if (x->merge.kept_waiting)
        lk_run_warn(x->out, "", 0,
                    lk_arena_printf(&x->out->arena,
                                    "%zu files had to wait until others were read, for there was no memory "
                                    "to read all beside each other: their lines may count out of order",
                                    x->merge.kept_waiting));
}

static lk_code stream_files(lk_run *x, lk_err *e)
{
    lk_merge_options options = LK_MERGE_OPTIONS_INIT;
    lk_source **sources = LK_NEW(&x->out->arena, lk_source *, x->counting + 1);

    if (!sources)
        return lk_fail(e, LK_EOOM, "no memory for %zu sources", x->counting);
    for (size_t i = 0; i < x->counting; i++)
        sources[i] = &x->queue.items[i].source;
    options.max_held = x->bounds.max[LK_BOUND_WINDOW];
    options.room_of = room_of;
    options.ctx = x;
    options.max_room = x->bounds.side_room;
    if (is_read_ahead(x))
        LK_TRY(lk_ahead_open(sources[0], &x->out->arena, &sources[0], e));
    if (has_lanes(x))
        LK_TRY(open_lanes(x, e));
    LK_TRY(lk_merge_init(&x->merge, sources, x->counting, &options, e));
    x->merge.failed = source_failed;
    x->merge.ctx = x;
    LK_TRY(take_all(x, e));
    lk_lanes_close(x->queue.lanes); /* all files have been closed */
    x->out->report.input.late_lines = (int64_t)x->merge.late;
    x->out->report.input.partial = is_cut(x);
    warn_on_waiting(x);
    return finish_links(x, e);
}

/* States are read by a thread beside the one that counts. */
static lk_code take_states(lk_run *x, lk_err *e)
{
    lk_code code;

    x->ahead = &x->states->source;
    if (thread_count(x->options) > 1)
        LK_TRY(lk_ahead_open(x->ahead, &x->out->arena, &x->ahead, e));
    code = take_all(x, e);
    x->ahead->close(x->ahead);
    return code;
}

static lk_code stream(lk_run *x, lk_err *e)
{
    if (!x->states)
        return stream_files(x, e);
    LK_TRY(take_states(x, e));
    x->out->report.input.late_lines = (int64_t)x->states->late;
    return finish_links(x, e);
}

lk_code lk_run_stream(lk_run *x, lk_err *e)
{
    double before;

    tell_total(x);
    before = lk_run_cpu_s();
    LK_TRY(stream(x, e));
    x->out->stage_s[LK_STAGE_READ] = lk_run_cpu_s() - before;
    return LK_OK;
}
