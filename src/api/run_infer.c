/* From what was counted to what follows from it. */
#include "api/expected.h"
#include "api/run.h"
#include "infer/advice.h"
#include "infer/asked.h"
#include "infer/capacity.h"
#include "infer/clocks.h"
#include "infer/incident.h"
#include "infer/overload.h"
#include "infer/policies.h"
#include "infer/workload.h"
#include "model/note.h"

/* The level, periods and callers that clocks are searched at. */
static lk_clock_search search_of(lk_run *x)
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
static lk_code infer_clocks(lk_run *x, const lk_evidence *all, int64_t bin_ns, lk_arena *scratch,
                            lk_err *e)
{
    lk_clock_search how = search_of(x);
    lk_evidence some = *all;

    lk_chosen_evidence(&x->chosen, &some);
    if (x->chosen.pattern.len)
        LK_TRY(lk_arrivals_series(&x->chosen.arrivals, bin_ns, &x->out->arena, &some.series, e));
    return lk_infer_clocks(&some, &x->symbols, &how, &x->out->arena, scratch, &x->out->report, e);
}

/* Bins have a bound, those that are counted and those that are kept: they grow with what they cover. */
static lk_code note_on_wide_bins(lk_run *x, const lk_workload_window *window, int64_t resolution_ns,
                                 lk_err *e)
{
    const char *text;

    if (window->bin_ns <= LK_NS_PER_S || window->bin_ns <= resolution_ns)
        return LK_OK;
    text = lk_arena_printf(&x->out->arena,
                           "What whatif simulates is known in bins of %g s only, to keep memory bounded: "
                           "what followed the first failure is long, or --memory is small.  --since and "
                           "--until make it shorter.",
                           (double)window->bin_ns / (double)LK_NS_PER_S);
    if (!text)
        return lk_fail(e, LK_EOOM, "no memory for a note");
    return lk_report_note(&x->out->report, &x->out->arena, text, e);
}

static lk_code infer_workload(lk_run *x, const lk_evidence *ev, lk_arena *scratch, lk_err *e)
{
    lk_report *r = &x->out->report;
    lk_workload_window window;
    int64_t from_ns, to_ns;

    if (!lk_workload_span(ev, r, &from_ns, &to_ns))
        return LK_OK;
    LK_TRY(
        lk_workload_evidence(&x->workload, from_ns, to_ns, ev->resolution_ns, scratch, &window, e));
    LK_TRY(note_on_wide_bins(x, &window, ev->resolution_ns, e));
    return lk_infer_workload(&window, x->crowds, &x->symbols, &x->out->arena, scratch, r, e);
}

static lk_code infer(lk_run *x, lk_err *e)
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
    int64_t bin_ns =
        evidence.resolution_ns > LK_RUN_BIN_NS ? evidence.resolution_ns : LK_RUN_BIN_NS;
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

lk_code lk_run_infer(lk_run *x, lk_err *e)
{
    double before = lk_run_cpu_s();
    lk_code code = infer(x, e);

    x->out->stage_s[LK_STAGE_INFER] = lk_run_cpu_s() - before;
    return code;
}
