/* The report of a run, once the last attempt was taken. */
#include "api/run.h"
#include "infer/owners.h"
#include "infer/verdict.h"

#include <inttypes.h>
#include <string.h>

/* The names of the id columns of the first layout that has any. */
static void id_names(const lk_run *x, const char *names[LK_IDS])
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

static void release_linker(lk_run *x)
{
    lk_linker_close(x->linker);
    x->linker = NULL;
}

static uint64_t lines_with(const lk_run *x, lk_naming_what what)
{
    uint64_t n = 0;

    for (size_t i = 0; i < x->file_count; i++)
        n += x->files[i]->named[what];
    return n;
}

static void warn_on_named(lk_run *x, const char *option, const char *field, bool is_there,
                          const char *why)
{
    lk_run_warn(x->out, "", 0,
                lk_arena_printf(&x->out->arena, "--%s: the field '%s' joins nothing: %s", option,
                                field, is_there ? why : "no line has it"));
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
static void warn_on_identity(lk_run *x)
{
    const lk_report *r = &x->out->report;
    const lockstep_options *o = x->options;

    if (o->attempt_no && !lines_with(x, LK_NAMING_ATTEMPT))
        lk_run_warn(
            x->out, "", 0,
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
        lk_run_warn(x->out, "", 0,
                    lk_arena_printf(&x->out->arena,
                                    "--layer: more than %zu units: %" PRIu64
                                    " attempts of later ones are in none",
                                    x->bounds.max[LK_BOUND_UNITS], x->above.folded));
}

/* Clocks searched among nobody's attempts: a typing error, and no finding about the traffic. */
static void tell_of_none_chosen(lk_run *x)
{
    lk_report *r = &x->out->report;
    const char *pattern = x->options->population;

    if (!x->chosen.pattern.len || x->chosen.attempts > 0 || r->http.attempts <= 0)
        return;
    r->headline = "No user agent fits --population: clocks were searched for among nobody";
    lk_run_warn(x->out, "", 0,
                lk_arena_printf(&x->out->arena, "--population: no user agent fits '%s'", pattern));
}

static lk_code report_by(lk_run *x, const char *const id_names[LK_IDS], lk_err *e)
{
    lk_report *r = &x->out->report;

    if (!x->breakdown)
        return LK_OK;
    return lk_breakdown_finish(x->breakdown, lk_by_name(x->reading.by), x->linker, id_names,
                               &x->out->arena, r, e);
}

/* What is concluded from when attempts came. */
static lk_code conclude_arrivals(lk_run *x, lk_err *e)
{
    lk_report *r = &x->out->report;

    LK_TRY(lk_arrivals_report(&x->arrivals, r->calls.source ? &x->comebacks : NULL,
                              x->options->bin_s, r->input.resolution_s, &x->out->arena, r, e));
    return lk_run_infer(x, e);
}

/* How many there were, and what the bounds of names made of them. */
static void report_distinct(lk_run *x)
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

lk_code lk_run_conclude(lk_run *x, lk_err *e)
{
    lk_arena *arena = &x->out->arena;
    lk_report *r = &x->out->report;
    const char *names[LK_IDS];

    LK_TRY(lk_run_report_input(x, e));
    report_distinct(x);
    lk_run_warn_on_filter(x);
    LK_TRY(lk_run_warn_on_address(x, e));
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
