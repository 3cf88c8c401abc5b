#include "api/analysis.h"
#include "api/map.h"
#include "api/run.h"
#include "base/random.h"
#include "base/text.h"
#include "base/whole.h"

#include <inttypes.h>
#include <string.h>
#include <time.h>

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
void lk_run_warn(lk_analysis *a, const char *path, uint64_t line, const char *msg)
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

void lk_run_fail_input(lk_analysis *a, const char *path, const lk_err *e)
{
    a->status = lk_code_status(e->code);
    lk_run_warn(a, strstr(e->msg, path) ? "" : path, e->line, e->msg);
}

double lk_run_cpu_s(void)
{
    struct timespec now;

    if (clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now) != 0)
        return 0.0;
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static lk_code break_down(lk_run *x, uint64_t seed, lk_err *e)
{
    if (x->reading.by == LK_BY_NONE)
        return LK_OK;
    x->breakdown = LK_NEW(&x->out->arena, lk_breakdown, 1);
    if (!x->breakdown)
        return lk_fail(e, LK_EOOM, "no memory for the report by a field");
    return lk_breakdown_init(x->breakdown, seed, e);
}

static lk_code open_attempts(lk_run *x, lk_err *e)
{
    lk_attempt_stream_options printing = *x->printing;

    printing.symbols = &x->symbols;
    printing.held_max = x->bounds.max[LK_BOUND_HELD];
    printing.redact = &x->redact;
    return lk_attempt_stream_open(&printing, &x->attempts, e);
}

static lk_code name_layers(lk_run *x, uint64_t seed, lk_err *e)
{
    const lk_naming *n = &x->reading.naming;

    x->layers.count = n->layer_count;
    for (size_t i = 0; i < n->layer_count; i++) {
        x->layers.name[i] = n->layer[i];
        x->layers.field[i] = n->layer_field[i];
    }
    return lk_above_init(&x->above, n->layer_count, x->bounds.max[LK_BOUND_UNITS], seed, e);
}

static void limit_measures(lk_run *x)
{
    const size_t bins = x->bounds.max[LK_BOUND_BINS], blocks = x->bounds.max[LK_BOUND_FINE];

    lk_arrivals_limit(&x->arrivals, bins, blocks);
    lk_arrivals_limit(&x->comebacks, bins, blocks);
    lk_hops_limit(&x->hops, x->bounds.max[LK_BOUND_STEPS]);
}

/* The rejected lines are kept also where there was nothing else. */
static lk_code finish(lk_run *x, lk_code code, lk_err *e)
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

static lk_code run(lk_run *x, lk_err *e)
{
    uint64_t seed = lk_random_process_key();
    lk_linker_options options = LK_LINKER_OPTIONS_INIT;

    options.seed = seed;
    LK_TRY(lk_run_check_options(x, e));
    if (!x->states)
        LK_TRY(lk_run_list_inputs(x, 0, e));
    options.units_max = x->bounds.max[LK_BOUND_CALLS];
    options.keys_max = x->bounds.max[LK_BOUND_CALLERS];
    options.ids_max = x->bounds.max[LK_BOUND_IDS];
    lk_distinct_init(&x->callers, seed);
    LK_TRY(break_down(x, seed, e));
    LK_TRY(name_layers(x, seed, e));
    lk_run_listen(x, &options);
    options.named = x->layers.count ? &x->layers : NULL;
    options.attempts_max = lk_whole_u32(x->options->attempts_max);
    LK_TRY(lk_symbols_init_within(&x->symbols, x->bounds.max[LK_BOUND_AGENTS],
                                  x->bounds.max[LK_BOUND_TARGETS], seed, e));
    LK_TRY(lk_arrivals_init(&x->arrivals, LK_RUN_BIN_NS, e));
    lk_arrivals_keep_fine(&x->arrivals);
    LK_TRY(lk_arrivals_init(&x->comebacks, LK_RUN_BIN_NS, e));
    limit_measures(x);
    LK_TRY(lk_periods_init(&x->periods, LK_NS_PER_S, e));
    LK_TRY(lk_workload_init(&x->workload, LK_RUN_BIN_NS, e));
    lk_workload_limit(&x->workload, x->bounds.max[LK_BOUND_PAGES]);
    LK_TRY(lk_chosen_init(&x->chosen, x->options->population, LK_RUN_BIN_NS, &x->symbols, e));
    if (x->printing)
        LK_TRY(open_attempts(x, e));
    LK_TRY(lk_linker_open(&options, &x->symbols, &x->linker, e));
    LK_TRY(lk_run_read_sdk_log(x, e));
    LK_TRY(x->states ? lk_run_begin_states(x, e) : lk_run_open_files(x, x->bounds.max[LK_BOUND_FILES], e));
    LK_TRY(lk_run_stream(x, e));
    if (x->attempts && lk_attempt_stream_undecided(x->attempts))
        lk_run_warn(x->out, "", 0,
                    lk_arena_printf(
                        &x->out->arena,
                        "%" PRIu64 " attempts were printed before their calls were decided: more "
                        "than %zu waited",
                        lk_attempt_stream_undecided(x->attempts), x->bounds.max[LK_BOUND_HELD]));
    return finish(x, lk_run_conclude(x, e), e);
}

static void close_run(lk_run *x)
{
    x->is_told = true;
    lk_merge_release(&x->merge);
    lk_queue_release(&x->queue);
    lk_inputs_release(&x->inputs);
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
    lk_run *x = LK_NEW(&a->arena, lk_run, 1);
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
static lk_code map(lk_run *x, lk_map_how *how, lk_err *e)
{
    enum { INPUT_BYTES = 36 << 10 }; /* what its first lines showed, and its account: as measured */

    LK_TRY(lk_run_check_options(x, e));
    LK_TRY(lk_symbols_init(&x->symbols, how->seed, e));
    LK_TRY(lk_run_list_inputs(x, INPUT_BYTES, e));
    LK_TRY(lk_run_open_files(x, x->inputs.count, e)); /* each is a source of its own */
    if ((how->options.name || how->options.at != UINT64_MAX) && x->file_count > 1)
        return lk_fail(e, LK_EUSAGE, "a name is of one input, and these are %zu", x->file_count);
    LK_TRY(lk_reading_text(x->options, &x->out->arena, &how->reading, e));
    how->held_max = x->bounds.max[LK_BOUND_WINDOW];
    for (size_t i = 0; i < x->file_count; i++) {
        LK_TRY(lk_map_file(x->files[i], how, e));
        if (x->files[i]->trouble.code != LK_OK)
            lk_run_fail_input(x->out, x->files[i]->path, &x->files[i]->trouble);
    }
    LK_TRY(lk_run_report_input(x, e));
    lk_run_warn_on_filter(x);
    return finish(x, LK_OK, e);
}

lk_code lk_analysis_map(lk_analysis *a, const lockstep_options *options, lk_map_how *how, lk_err *e)
{
    lk_run *x = LK_NEW(&a->arena, lk_run, 1);
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
