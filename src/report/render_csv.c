/* One table of the report as comma-separated values. */
#include "report/csv.h"

#include "base/whole.h"
#include "report/rows.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

typedef struct csv {
    lk_arena *arena;
    lk_buf *out;
    const lk_report *report;
    bool begun; /* a cell stands in this record */
} csv;

/* ---- cells ---- */

static void part(csv *t)
{
    if (t->begun)
        lk_buf_text(t->out, ",");
    t->begun = true;
}

static void end_record(csv *t)
{
    lk_buf_text(t->out, "\r\n");
    t->begun = false;
}

static void add_text(csv *t, const char *raw)
{
    part(t);
    lk_csv_text(t->out, t->arena, raw);
}

static void add_count(csv *t, int64_t count)
{
    part(t);
    if (count >= 0)
        lk_buf_printf(t->out, "%" PRId64, count);
}

/* What is not known is empty; negative numbers are numbers, not formulas. */
static void add_real(csv *t, double x)
{
    part(t);
    if (isfinite(x))
        lk_buf_printf(t->out, "%.6g", x == 0.0 ? 0.0 : x);
}

static void add_time(csv *t, int64_t at_ns)
{
    char text[64];

    part(t);
    if (at_ns == LK_TIME_NONE)
        return;
    lk_time_format(at_ns, text);
    lk_buf_text(t->out, text);
}

static void add_known(csv *t, lk_known known)
{
    part(t);
    if (known != LK_NOT_KNOWN)
        lk_buf_text(t->out, known == LK_YES ? "true" : "false");
}

/* ---- tables ---- */

static void table_arrivals(csv *t)
{
    const lk_report_arrivals *a = &t->report->arrivals;

    for (size_t i = 0; a->all && i < a->n; i++) {
        add_time(t, lk_later(a->start_ns, lk_nearest((double)i * a->bin_s * 1e9)));
        add_real(t, a->bin_s);
        add_count(t, a->all[i]);
        add_count(t, a->rejected ? a->rejected[i] : LK_COUNT_NONE);
        add_count(t, a->retries ? a->retries[i] : LK_COUNT_NONE);
        end_record(t);
    }
}

static double chance(double ln)
{
    return isnan(ln) ? ln : fmin(fmax(exp(ln), 1e-300), 1.0);
}

static void table_clocks(csv *t)
{
    for (size_t i = 0; i < t->report->clock_count; i++) {
        const lk_report_clock *c = &t->report->clocks[i];

        add_count(t, (int64_t)i + 1);
        add_text(t, c->kind);
        add_real(t, c->period_s);
        add_real(t, c->period_error_s);
        add_real(t, c->delay_s);
        add_real(t, chance(c->ln_false_alarm));
        add_time(t, c->start_ns);
        add_time(t, c->end_ns);
        add_count(t, c->waves);
        add_real(t, c->width_s);
        add_real(t, c->share);
        add_real(t, c->survival_ratio);
        add_count(t, c->callers);
        add_text(t, c->population);
        add_text(t, c->target_count ? c->targets[0] : NULL);
        add_text(t, c->candidate_count ? c->candidates[0].what : NULL);
        end_record(t);
    }
}

static void table_waves(csv *t)
{
    for (size_t i = 0; i < t->report->clock_count; i++) {
        const lk_report_clock *c = &t->report->clocks[i];

        for (size_t k = 0; k < c->wave_count; k++) {
            add_count(t, (int64_t)i + 1);
            add_real(t, c->period_s);
            add_count(t, (int64_t)k + 1);
            add_time(t, c->wave_list[k].start_ns);
            add_count(t, c->wave_list[k].arrivals);
            add_count(t, c->wave_list[k].rejected);
            add_real(t, c->wave_list[k].width_s);
            add_real(t, c->wave_list[k].peak_per_s);
            end_record(t);
        }
    }
}

static void table_layers(csv *t)
{
    for (size_t i = 0; i < t->report->layer_count; i++) {
        const lk_report_layer *l = &t->report->layers[i];

        add_text(t, l->population);
        add_text(t, l->name);
        add_text(t, l->identity);
        add_count(t, l->units);
        add_count(t, l->attempts);
        add_real(t, l->amplification);
        add_count(t, l->amplification_max);
        add_count(t, l->cap);
        add_known(t, l->bounded);
        add_real(t, l->delay_s);
        end_record(t);
    }
}

static void table_policies(csv *t)
{
    for (size_t i = 0; i < t->report->policy_count; i++) {
        const lk_report_policy *p = &t->report->policies[i];

        add_text(t, p->population);
        add_text(t, p->layer);
        add_count(t, p->callers);
        add_count(t, p->calls);
        add_count(t, p->comebacks);
        add_text(t, p->policy);
        add_real(t, p->base_s);
        add_real(t, p->factor);
        add_real(t, p->cap_s);
        add_real(t, p->jitter);
        add_count(t, p->max_attempts);
        add_real(t, p->support);
        add_text(t, p->runner_up);
        add_text(t, p->looks_like_count ? p->looks_like[0] : NULL);
        end_record(t);
    }
}

/* The account: every attempt by what became of it and of its call. */
static void table_attempts(csv *t)
{
    const lk_report *r = t->report;
    const lk_report_reconciliation *k = &r->reconciliation;
    const struct {
        const char *unit, *became;
        int64_t count, of;
    } rows[] = {
        { "call", "succeeded at once", r->calls.succeeded_first, r->calls.total },
        { "call", "recovered", r->calls.recovered, r->calls.total },
        { "call", "failed", r->calls.failed, r->calls.total },
        { "call", "open", r->calls.open, r->calls.total },
        { "attempt", "rejected in recovered calls", k->in_recovered_calls, r->http.attempts },
        { "attempt", "rejected in failed calls", k->in_failed_calls, r->http.attempts },
        { "attempt", "rejected in open calls", k->in_open_calls, r->http.attempts },
        { "attempt", "rejected and not attributable", k->unattributed, r->http.attempts },
        { "attempt", "rejected", r->http.rejected, r->http.attempts },
        { "attempt", "retry", r->http.retries, r->http.attempts },
    };

    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        add_text(t, rows[i].unit);
        add_text(t, rows[i].became);
        add_count(t, rows[i].count);
        add_count(t, rows[i].of);
        end_record(t);
    }
}

static void add_value(csv *t, const lk_report_value *v, const char *name)
{
    const lk_report_layers *retries = &v->retries;

    add_text(t, t->report->by->field);
    add_text(t, name);
    add_count(t, v->http.attempts);
    add_count(t, v->http.rejected);
    add_real(t, v->http.rejected_share);
    add_count(t, v->calls.total);
    add_count(t, v->calls.failed);
    add_real(t, v->calls.failed_share);
    add_count(t, v->http.retries);
    add_real(t, retries->amplification_count ? retries->amplification[0].mean : (double)NAN);
    end_record(t);
}

static void table_by(csv *t)
{
    const lk_report_by *by = t->report->by;

    for (size_t i = 0; by && i < by->value_count; i++)
        add_value(t, &by->values[i], by->values[i].value);
    if (by && by->other)
        add_value(t, by->other, "(others, in sum)");
}

/* clang-format off */
static const struct {
    const char *name, *titles;
    void (*fill)(csv *t);
} TABLES[] = {
    { "arrivals", "start,bin_s,all,rejected,retries", table_arrivals },
    { "clocks",
      "clock,kind,period_s,period_error_s,delay_s,false_alarm_probability,start,end,waves,width_s,"
      "share,survival_ratio,callers,population,target,candidate", table_clocks },
    { "waves", "clock,period_s,wave,start,arrivals,rejected,width_s,peak_per_s", table_waves },
    { "layers",
      "population,name,identity,units,attempts,amplification,amplification_max,cap,bounded,delay_s",
      table_layers },
    { "policies",
      "population,layer,callers,calls,comebacks,policy,base_s,factor,cap_s,jitter,max_attempts,support,"
      "runner_up,looks_like", table_policies },
    { "attempts", "unit,became,count,of", table_attempts },
    { "by",
      "by,value,attempts,rejected,rejected_share,calls,failed,failed_share,retries,amplification",
      table_by },
};
/* clang-format on */

static lk_code render_csv(const lk_report *r, const lk_style *style, lk_buf *out, lk_err *e)
{
    const char *name = style->table ? style->table : TABLES[0].name;
    size_t i = 0;
    lk_arena arena;
    csv t = { &arena, out, r, false };

    while (i < sizeof(TABLES) / sizeof(TABLES[0]) && strcmp(TABLES[i].name, name) != 0)
        i++;
    if (i == sizeof(TABLES) / sizeof(TABLES[0]))
        return lk_fail(e, LK_EUSAGE,
                       "unknown table '%s': arrivals, clocks, waves, layers, policies, attempts, by",
                       name);
    lk_arena_init(&arena, 0);
    lk_buf_text(out, TABLES[i].titles);
    end_record(&t);
    TABLES[i].fill(&t);
    out->failed |= arena.failed;
    lk_arena_release(&arena);
    return out->failed ? lk_fail(e, LK_EOOM, "no memory for a table") : LK_OK;
}

const char *lk_csv_table_name(size_t i)
{
    return i < sizeof(TABLES) / sizeof(TABLES[0]) ? TABLES[i].name : NULL;
}

const lk_renderer LK_RENDER_CSV = {
    .name = "csv",
    .help = "one table for a spreadsheet, see --table",
    .render = render_csv,
};
