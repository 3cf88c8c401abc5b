#include "report/basis.h"
#include "report/limits.h"
#include "report/markdown.h"
#include "report/rows.h"
#include "report/words.h"

#include <math.h>
#include <string.h>

enum {
    CLOCKS_SHOWN = 8,
    WAVES_SHOWN = 12,
    ROWS_SHOWN = 16,
    TARGETS_SHOWN = 3,
    FILES_SHOWN = 20,
    NAME_CUT = 120
};

static const char *who(lk_markdown *m, const char *population)
{
    return lk_markdown_code(m, population, NAME_CUT, LK_WORDS_NO_AGENT);
}

static void say_more(lk_markdown *m, size_t count, size_t shown, const char *what)
{
    if (count > shown)
        lk_markdown_para(m, "\nAnd %s.", lk_word_counted((int64_t)(count - shown), what).text);
    else
        lk_markdown_blank(m);
}

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* ---- verdict ---- */

static const char *verdict_of(const lk_report *r)
{
    if (r->headline)
        return r->headline;
    return r->synchronised == LK_NOT_KNOWN
               ? "Nothing can be said: no line of the input is a request"
               : "See the findings below";
}

static void add_verdict(lk_markdown *m, const lk_report *r)
{
    const lk_report_input *in = &r->input;

    lk_markdown_heading(m, 1, "%s", lk_markdown_words(m, verdict_of(r)));
    if (in->span_start_ns != LK_TIME_NONE)
        lk_markdown_para(m, "The log covers %s UTC (%s). Retries synchronised: **%s**.",
                         lk_word_range(in->span_start_ns, in->span_end_ns).text,
                         lk_word_span(in->span_s).text,
                         r->synchronised == LK_YES  ? "yes"
                         : r->synchronised == LK_NO ? "no"
                                                    : "not known");
    if (in->partial)
        lk_markdown_para(m, "The run was interrupted: this covers only what was read until then.");
}

/* ---- rates ---- */

static void add_account(lk_markdown *m, const lk_report *r)
{
    const lk_report_reconciliation *k = &r->reconciliation;
    static const char *const WHERE[] = { "in calls that recovered", "in calls that failed",
                                         "in calls still open when the log ends", "not attributable to a call" };
    enum { N = sizeof(WHERE) / sizeof(WHERE[0]) };
    const int64_t count[N] = { k->in_recovered_calls, k->in_failed_calls, k->in_open_calls, k->unattributed };
    lk_word share[N];

    if (k->rejected <= 0)
        return;
    lk_markdown_table(m, "Rejected attempts|Count>|Share>");
    lk_word_parts(count, N, k->rejected, share);
    for (size_t i = 0; i < N; i++)
        lk_markdown_row(m, "%s | %s | %s", WHERE[i], lk_word_count(count[i]).text, share[i].text);
    lk_markdown_row(m, "in total | %s | 100.0 %%", lk_word_count(k->rejected).text);
    lk_markdown_blank(m);
}

static void add_rates(lk_markdown *m, const lk_report *r)
{
    const lk_report_calls *c = &r->calls;

    if (r->http.attempts <= 0)
        return;
    lk_markdown_heading(m, 2, "Error rates");
    lk_markdown_table(m, "Population|Count>|Went wrong>|Rate>");
    lk_markdown_row(m, "HTTP attempts, rejected (%s) | %s | %s | %s",
                    lk_markdown_code(m, r->input.rejection, 60, "429, 503, 529"),
                    lk_word_count(r->http.attempts).text, lk_word_count(r->http.rejected).text,
                    lk_word_share(r->http.rejected_share).text);
    lk_markdown_row(m, "calls, failed after all their attempts | %s | %s | %s",
                    lk_word_count(c->total).text, lk_word_count(c->failed).text,
                    lk_word_share(c->failed_share).text);
    lk_markdown_blank(m);
    add_account(m, r);
    lk_markdown_item(m, "%s succeeded at once, %s recovered by retrying, %s failed, %s still open",
                     lk_word_count(c->succeeded_first).text, lk_word_count(c->recovered).text,
                     lk_word_count(c->failed).text, lk_word_count(c->open).text);
    lk_markdown_item(m, "attempts per call: mean %s, 99 %% at most %s, the worst %s",
                     lk_word_real(c->attempts_mean).text, lk_word_count(c->attempts_p99).text,
                     lk_word_count(c->attempts_max).text);
    lk_markdown_item(m, "time to success: mean %s, 99 %% within %s, the worst after %s",
                     lk_word_seconds(c->success_mean_s).text,
                     lk_word_seconds(c->success_p99_s).text,
                     lk_word_seconds(c->success_max_s).text);
    lk_markdown_item(m, "retries among the attempts: %s",
                     lk_word_share(r->wasted.retry_share).text);
    lk_markdown_item(m, "how sure: attempts are counted; %s",
                     c->source && strcmp(c->source, "inferred") == 0
                         ? "calls are estimates, joined by caller, target and time; an id in the "
                           "log would make them certain"
                     : c->source ? "calls are told apart by an id or by the callers' own log"
                                 : "calls cannot be told apart in this log");
}

/* ---- incident ---- */

static const char *instant(lk_markdown *m, int64_t at_ns, const char *absent)
{
    const char *text = at_ns == LK_TIME_NONE
                           ? absent
                           : lk_arena_printf(m->arena, "%s UTC", lk_word_instant(at_ns).text);

    return text ? text : "";
}

static void add_incident(lk_markdown *m, const lk_report *r)
{
    const lk_report_incident *in = r->incident;

    if (!in || in->http.attempts <= 0)
        return;
    lk_markdown_heading(m, 2, "The incident");
    if (in->whole)
        lk_markdown_item(m, "the log holds nothing else: all of it is bad");
    lk_markdown_item(m, "began: %s", instant(m, in->start_ns, "not known"));
    lk_markdown_item(m, "demand was back: %s", instant(m, in->demand_back_ns, "not known"));
    lk_markdown_item(m, "over: %s", instant(m, in->recovered_ns, "not before the log ends"));
    if (isfinite(in->tail_s))
        lk_markdown_item(m, "it stayed bad without that load for: %s",
                         lk_word_span(in->tail_s).text);
    if (isfinite(in->calls.success_mean_s) && isfinite(in->calls.success_p50_s))
        lk_markdown_item(m, "time to success inside it: mean %s, half within %s, 99 %% within %s",
                         lk_word_seconds(in->calls.success_mean_s).text,
                         lk_word_seconds(in->calls.success_p50_s).text,
                         lk_word_seconds(in->calls.success_p99_s).text);
    lk_markdown_item(
        m, "inside it, %s of %s were rejected and %s of %s failed",
        lk_word_share(in->http.rejected_share).text,
        lk_word_counted(in->http.attempts, "attempt").text,
        lk_word_share(in->calls.failed_share).text,
        in->calls.total >= 0 ? lk_word_counted(in->calls.total, "call").text : "the calls");
}

/* ---- clocks ---- */

static const char *title_of(const lk_report_clock *c)
{
    static const struct {
        const char *kind, *title;
    } TITLES[] = { { "retry", "Retry clock" },
                   { "scheduled", "Schedule (no retry)" },
                   { "unexplained", "Clock of unknown cause" } };

    for (size_t i = 0; c->kind && i < sizeof(TITLES) / sizeof(TITLES[0]); i++)
        if (strcmp(TITLES[i].kind, c->kind) == 0)
            return TITLES[i].title;
    return "Clock";
}

static void add_waves(lk_markdown *m, const lk_report_clock *c)
{
    size_t shown = least(c->wave_count, WAVES_SHOWN);

    if (shown == 0 || (c->kind && strcmp(c->kind, "scheduled") == 0))
        return;
    lk_markdown_blank(m);
    lk_markdown_table(m, "Wave from (UTC)|Attempts>|Rejected>|Width>");
    for (size_t i = 0; i < shown; i++)
        lk_markdown_row(m, "%s | %s | %s | %s", lk_word_instant(c->wave_list[i].start_ns).text,
                        lk_word_count(c->wave_list[i].arrivals).text,
                        lk_word_count(c->wave_list[i].rejected).text,
                        lk_word_seconds(c->wave_list[i].width_s).text);
    say_more(m, c->wave_count, shown, "more wave");
}

static void add_evidence(lk_markdown *m, const lk_report_clock *c)
{
    if (isfinite(c->comebacks_on_delay) && c->comebacks > 0)
        lk_markdown_item(m, "evidence: %s on this delay, %s of all comebacks of these callers",
                         lk_word_counted(c->comebacks, "comeback").text,
                         lk_word_share(c->comebacks_on_delay).text);
    if (isfinite(c->preceded_by_rejection))
        lk_markdown_item(m, "evidence: %s of the attempts in waves follow a rejection",
                         lk_word_share(c->preceded_by_rejection).text);
    lk_markdown_item(m, "seen in: %s", c->from ? lk_markdown_words(m, c->from) : "not known");
    lk_markdown_item(m, "chance that random traffic looks so: %s",
                     lk_word_chance(c->ln_false_alarm).text);
}

static void add_clock(lk_markdown *m, const lk_report_clock *c, size_t number)
{
    lk_markdown_heading(m, 3, "%zu. %s: every %s s", number, title_of(c),
                        lk_word_within(c->period_s, c->period_error_s).text);
    if (isfinite(c->delay_s))
        lk_markdown_item(m, "the constant: %s", lk_word_seconds(c->delay_s).text);
    for (size_t i = 0; i < least(c->candidate_count, 4); i++)
        lk_markdown_item(m, "look for a constant of %s: %s",
                         lk_word_setting(c->candidates[i].constant_s).text,
                         lk_markdown_words(m, c->candidates[i].what ? c->candidates[i].what : ""));
    lk_markdown_item(
        m, "who: %s, %s",
        c->callers >= 0 ? lk_word_counted(c->callers, "caller").text : "callers not told apart",
        lk_markdown_code(m, c->population, NAME_CUT, "more than one user agent, or none"));
    for (size_t i = 0; i < least(c->target_count, TARGETS_SHOWN); i++)
        lk_markdown_item(m, "where: %s",
                         lk_markdown_code(m, c->targets[i], NAME_CUT, "(no target)"));
    lk_markdown_item(m, "when: %s UTC, %s", lk_word_range(c->start_ns, c->end_ns).text,
                     c->waves >= 0 ? lk_word_counted(c->waves, "wave").text : "waves not counted");
    if (isfinite(c->share))
        lk_markdown_item(m, "share: %s of all HTTP attempts of that time",
                         lk_word_share(c->share).text);
    if (isfinite(c->survival_ratio))
        lk_markdown_item(m, "decay: each wave is %.2f of the one before", c->survival_ratio);
    add_evidence(m, c);
    add_waves(m, c);
}

static void add_clocks(lk_markdown *m, const lk_report *r)
{
    size_t shown = least(r->clock_count, CLOCKS_SHOWN);

    if (r->http.attempts <= 0)
        return;
    lk_markdown_heading(m, 2, "Clocks");
    if (shown == 0)
        lk_markdown_para(m, "No period at which attempts arrive together was found.");
    for (size_t i = 0; i < shown; i++)
        add_clock(m, &r->clocks[i], i + 1);
    if (r->clock_count > shown)
        say_more(m, r->clock_count, shown, "more clock");
}

/* ---- retries ---- */

static void add_layers(lk_markdown *m, const lk_report *r)
{
    size_t shown = least(r->amplification_count, ROWS_SHOWN);

    if (shown == 0)
        return;
    lk_markdown_heading(m, 2, "Amplification");
    lk_markdown_para(m, "HTTP attempts for each unit of work; layers of retry multiply.");
    lk_markdown_table(m, "Population|Units>|Attempts>|Mean>|Most>|Bounded");
    for (size_t i = 0; i < shown; i++) {
        const lk_report_amplification *a = &r->amplification[i];

        lk_markdown_row(m, "%s | %s | %s | %s | %s | %s", who(m, a->population),
                        lk_word_count(a->units).text, lk_word_count(a->attempts).text,
                        lk_word_real(a->mean).text, lk_word_count(a->max).text,
                        a->bounded == LK_YES  ? "yes"
                        : a->bounded == LK_NO ? "**no**"
                                              : "not known");
    }
    say_more(m, r->amplification_count, shown, "more population");
    lk_markdown_table(m, "Layer|Population|Amplification>|Cap>|Waits>");
    for (size_t i = 0; i < least(r->layer_count, ROWS_SHOWN); i++) {
        const lk_report_layer *l = &r->layers[i];

        lk_markdown_row(m, "%s | %s | %s | %s | %s", lk_markdown_code(m, l->name, 20, "not known"),
                        who(m, l->population), lk_word_real(l->amplification).text,
                        l->cap >= 0 ? lk_word_count(l->cap).text : "none seen",
                        isfinite(l->delay_s) ? lk_word_seconds(l->delay_s).text : "no constant");
    }
    lk_markdown_blank(m);
}

static void add_delays(lk_markdown *m, const lk_report *r)
{
    size_t shown = least(r->fixed_delay_count, ROWS_SHOWN);

    if (shown == 0)
        return;
    lk_markdown_heading(m, 2, "Fixed delays");
    lk_markdown_table(m, "Delay>|Comebacks>|In waves|Population");
    for (size_t i = 0; i < shown; i++)
        lk_markdown_row(
            m, "%s | %s | %s | %s", lk_word_seconds(r->fixed_delays[i].delay_s).text,
            lk_word_count(r->fixed_delays[i].comebacks).text,
            r->fixed_delays[i].synchronised ? "yes" : "no",
            lk_markdown_code(m, r->fixed_delays[i].population, NAME_CUT, LK_WORDS_NOT_ONE_AGENT));
    say_more(m, r->fixed_delay_count, shown, "more fixed delay");
}

static void add_retry_after(lk_markdown *m, const lk_report *r)
{
    const lk_report_retry_after *a = &r->retry_after;

    if (a->with_header <= 0 && a->finding_count == 0)
        return;
    lk_markdown_heading(m, 2, "Retry-After");
    if (a->with_header <= 0) {
        lk_markdown_item(m, "%s", lk_markdown_words(m, a->findings[0]));
        return;
    }
    lk_markdown_item(m, "%s of %s rejected attempts carried it", lk_word_count(a->with_header).text,
                     lk_word_count(a->rejections).text);
    for (size_t i = 0; i < least(a->value_count, 6); i++)
        lk_markdown_item(m, "%s, %s times", lk_word_seconds(a->values[i].value_s).text,
                         lk_word_count(a->values[i].count).text);
    lk_markdown_item(m, "afterwards: exactly then %s, too early %s, later %s",
                     lk_word_share(a->obedience.exact).text, lk_word_share(a->obedience.early).text,
                     lk_word_share(a->obedience.spread).text);
    for (size_t i = 0; i < a->finding_count; i++)
        lk_markdown_item(m, "%s", lk_markdown_words(m, a->findings[i]));
}

/* ---- policies, capacity, parts ---- */

static void add_policies(lk_markdown *m, const lk_report *r)
{
    size_t shown = least(r->policy_count, ROWS_SHOWN);

    if (shown == 0)
        return;
    lk_markdown_heading(m, 2, "How callers come back");
    lk_markdown_table(m, "Population|Layer|Comebacks>|Policy|First window>|Cap>|Explains>|As shipped by");
    for (size_t i = 0; i < shown; i++) {
        const lk_report_policy *p = &r->policies[i];

        lk_markdown_row(m, "%s | %s | %s | %s | %s | %s | %s | %s", who(m, p->population),
                        lk_markdown_words(m, p->layer ? p->layer : "not known"),
                        lk_word_count(p->comebacks).text,
                        lk_markdown_code(m, p->policy, 40, "not known"),
                        isfinite(p->base_s) ? lk_word_seconds(p->base_s).text : "-",
                        isfinite(p->cap_s) ? lk_word_seconds(p->cap_s).text : "-",
                        isfinite(p->support) ? lk_word_share(p->support).text : "not known",
                        p->looks_like_count ? lk_markdown_words(m, p->looks_like[0]) : "-");
    }
    say_more(m, r->policy_count, shown, "more population");
}

static void add_capacity(lk_markdown *m, const lk_report *r)
{
    const lk_report_capacity *c = &r->capacity;

    if (!isfinite(c->allowance_per_s))
        return;
    lk_markdown_heading(m, 2, "Capacity");
    lk_markdown_item(m, "admitted: about %s requests/s (%s)", lk_word_real(c->allowance_per_s).text,
                     lk_markdown_words(m, c->source ? c->source : "source not known"));
    if (isfinite(c->demand_per_s))
        lk_markdown_item(m, "first attempts ask for %s/s", lk_word_real(c->demand_per_s).text);
    if (isfinite(c->backlog) && isfinite(c->drain_s))
        lk_markdown_item(m, "a backlog of %s requests drains in %s at best",
                         lk_word_rounded(c->backlog).text,
                         lk_word_span(c->drain_s).text);
    if (r->outlook.waves_left >= 0)
        lk_markdown_item(m, "%s to come before one fits what is admitted in a period",
                         lk_word_counted(r->outlook.waves_left, "wave").text);
}

static void add_value(lk_markdown *m, const lk_report_value *v, const char *name)
{
    const lk_report_layers *l = &v->retries;
    bool is_amplified = l->amplification_count > 0 && isfinite(l->amplification[0].mean);

    lk_markdown_row(m, "%s | %s | %s | %s | %s | %s", name, lk_word_count(v->http.attempts).text,
                    isfinite(v->http.rejected_share) ? lk_word_share(v->http.rejected_share).text
                                                     : "not known",
                    lk_word_count(v->calls.total).text,
                    isfinite(v->calls.failed_share) ? lk_word_share(v->calls.failed_share).text
                                                    : "not known",
                    is_amplified ? lk_word_real(l->amplification[0].mean).text : "none");
}

static void add_by(lk_markdown *m, const lk_report *r)
{
    const lk_report_by *by = r->by;
    size_t shown = by ? least(by->value_count, ROWS_SHOWN) : 0;

    if (!by)
        return;
    lk_markdown_heading(m, 2, "By %s, worst first", lk_markdown_words(m, by->field));
    lk_markdown_table(m, "Which|Attempts>|Rejected>|Calls>|Failed>|Amplified>");
    for (size_t i = 0; i < shown; i++)
        add_value(m, &by->values[i],
                  lk_markdown_code(m, by->values[i].value, NAME_CUT, "(not in the log)"));
    if (by->other)
        add_value(m, by->other, "(others, in sum)");
    say_more(m, by->value_count, shown, "more value");
}

/* ---- advice ---- */

static const char *amount(lk_markdown *m, const lk_report_advice *a)
{
    if (!isfinite(a->value))
        return "";
    return lk_markdown_words(m, lk_arena_printf(m->arena, " (%s %s)", lk_word_real(a->value).text,
                                                a->unit ? a->unit : ""));
}

/* What the simulator makes of it, in the same item. */
static const char *expected(lk_markdown *m, const lk_report_expected *x)
{
    if (x->what)
        return lk_markdown_words(m, lk_arena_printf(m->arena, " Simulated (%s): %s.", x->what,
                                                    lk_word_expected(x).text));
    return x->why_not
               ? lk_markdown_words(m, lk_arena_printf(m->arena, " Not simulated: %s.", x->why_not))
               : "";
}

static void add_advice(lk_markdown *m, const lk_report *r)
{
    if (r->advice_count == 0 && r->http.errors <= 0)
        return;
    lk_markdown_heading(m, 2, "What to change, first things first");
    if (r->advice_count == 0)
        lk_markdown_item(m, "%s", LK_WORDS_NO_ADVICE);
    for (size_t i = 0; i < r->advice_count; i++) {
        const lk_report_advice *a = &r->advice[i];

        lk_markdown_item(m, "%s%s: %s.%s", lk_markdown_code(m, a->action, 60, "not known"),
                         amount(m, a), lk_markdown_words(m, a->why ? a->why : "no reason known"),
                         expected(m, &a->expected));
    }
}

/* ---- what could not be known, and what was read ---- */

static void add_notes(lk_markdown *m, const lk_report *r)
{
    if (r->note_count == 0)
        return;
    lk_markdown_heading(m, 2, "What could not be known");
    for (size_t i = 0; i < r->note_count; i++)
        lk_markdown_item(m, "%s", lk_markdown_words(m, r->notes[i]));
}

static void add_basis(lk_markdown *m, const lk_report *r)
{
    lk_basis b;

    if (!lk_basis_of(r, 0, &b))
        return;
    lk_markdown_heading(m, 2, "How each finding was made");
    lk_markdown_table(m, "Finding|Measured|On|How sure|What would change it");
    for (size_t i = 0; lk_basis_of(r, i, &b); i++)
        lk_markdown_row(m, "%s | %s | %s | %s | %s", b.finding, b.measured, b.population, b.sure,
                        lk_markdown_words(m, b.change));
    lk_markdown_blank(m);
}

static void add_inputs(lk_markdown *m, const lk_report *r)
{
    const lk_report_input *in = &r->input;
    size_t shown = least(in->file_count, FILES_SHOWN);

    lk_markdown_heading(m, 2, "What was read");
    if (shown > 0)
        lk_markdown_table(m, "File|Lines>|Not read>|Format|Trouble");
    for (size_t i = 0; i < shown; i++) {
        const lk_report_file *f = &in->files[i];

        lk_markdown_row(m, "%s | %s | %s | %s | %s", lk_markdown_code(m, f->path, NAME_CUT, ""),
                        lk_word_count(f->lines).text, lk_word_count(f->rejected).text,
                        lk_markdown_code(m, f->format, 40, "not known"),
                        lk_markdown_code(m, f->problem, 120, f->truncated ? "ends early" : "none"));
    }
    say_more(m, in->file_count, shown, "more file");
}

static void add_limits(lk_markdown *m, const lk_report *r)
{
    lk_limit limit;

    for (size_t i = 0; lk_limit_sentence(&r->input, i, &limit); i++)
        lk_markdown_item(m, "%s", limit.text);
}

static void (*const PARTS[])(lk_markdown *m, const lk_report *r) = {
    add_verdict, add_rates,       add_incident, add_clocks, add_layers, add_by,    add_policies,
    add_delays,  add_retry_after, add_capacity, add_advice, add_notes,  add_basis, add_inputs,
    add_limits,
};

static lk_code render_markdown(const lk_report *r, const lk_style *style, lk_buf *out, lk_err *e)
{
    lk_arena arena;
    lk_markdown m = { &arena, out };

    (void)style;
    lk_arena_init(&arena, 0);
    for (size_t i = 0; i < sizeof(PARTS) / sizeof(PARTS[0]); i++)
        PARTS[i](&m, r);
    out->failed |= arena.failed;
    lk_arena_release(&arena);
    return out->failed ? lk_fail(e, LK_EOOM, "no memory for a Markdown report") : LK_OK;
}

const lk_renderer LK_RENDER_MARKDOWN = {
    .name = "markdown",
    .help = "for a ticket or a review document",
    .render = render_markdown,
};
