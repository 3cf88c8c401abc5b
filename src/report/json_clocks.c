#include "report/json_part.h"

#include <math.h>

#define CHANCE_FLOOR 1e-300 /* what "%.6g" still prints as more than nothing */

/* ---- arrivals and spectrum ---- */

static void add_bins(lk_json *parent, const char *key, const uint32_t *bins, size_t n)
{
    lk_json *array = lk_json_array(parent, key);
    size_t i;

    for (i = 0; bins && i < n; i++)
        lk_json_add_count(array, NULL, bins[i]);
}

static void add_reals(lk_json *parent, const char *key, const double *x, size_t n)
{
    lk_json *array = lk_json_array(parent, key);
    size_t i;

    for (i = 0; x && i < n; i++)
        lk_json_add_real(array, NULL, x[i]);
}

void lk_json_part_arrivals(lk_json_part *p, lk_json *root)
{
    const lk_report_arrivals *a = &p->report->arrivals;
    lk_json *o = lk_json_object(root, "arrivals");

    lk_json_add_real(o, "bin_s", a->bin_s);
    lk_json_add_time(o, "start", a->start_ns);
    add_bins(o, "all", a->all, a->n);
    add_bins(o, "rejected", a->rejected, a->n);
    if (a->retries)
        add_bins(o, "retries", a->retries, a->n);
    else
        lk_json_add_null(o, "retries");
}

void lk_json_part_spectrum(lk_json_part *p, lk_json *root)
{
    const lk_report_spectrum *s = &p->report->spectrum;
    lk_json *o = lk_json_object(root, "spectrum");

    lk_json_add_real(o, "bin_s", s->bin_s);
    add_reals(o, "period_s", s->period_s, s->n);
    add_reals(o, "power", s->power, s->n);
    lk_json_add_real(o, "threshold", s->threshold);
}

/* ---- clocks ---- */

static double chance(double ln)
{
    return isnan(ln) ? ln : fmin(fmax(exp(ln), CHANCE_FLOOR), 1.0);
}

static void add_targets(lk_json_part *p, lk_json *clock, const lk_report_clock *c)
{
    lk_json *array = lk_json_array(clock, "targets");
    size_t i;

    for (i = 0; i < c->target_count; i++)
        lk_json_part_text(p, array, NULL, c->targets[i]);
}

static void add_cause(lk_json *clock, const lk_report_clock *c)
{
    lk_json *o;

    if (c->cause_rejections == LK_COUNT_NONE) {
        lk_json_add_null(clock, "cause");
        return;
    }
    o = lk_json_object(clock, "cause");
    lk_json_add_count_or_null(o, "rejections", c->cause_rejections);
    lk_json_add_time(o, "start", c->cause_start_ns);
    lk_json_add_time(o, "end", c->cause_end_ns);
}

static void add_interval(lk_json *clock, const lk_report_clock *c)
{
    const double bounds[2] = { c->survival_low, c->survival_high };

    if (isfinite(bounds[0]) && isfinite(bounds[1]))
        add_reals(clock, "survival_ratio_interval", bounds, 2);
    else
        lk_json_add_null(clock, "survival_ratio_interval");
}

static void add_evidence(lk_json_part *p, lk_json *clock, const lk_report_clock *c)
{
    lk_json *o = lk_json_object(clock, "evidence");

    lk_json_add_count_or_null(o, "comebacks", c->comebacks);
    lk_json_add_real(o, "comebacks_on_delay", c->comebacks_on_delay);
    lk_json_add_real(o, "preceded_by_rejection", c->preceded_by_rejection);
    lk_json_add_real(o, "rejected_share", c->rejected_share);
    lk_json_add_count_or_null(o, "callers", c->callers);
    lk_json_add_bool(o, "at_whole_minutes", c->at_whole_minutes);
    lk_json_part_text(p, o, "from", c->from);
}

static void add_candidates(lk_json_part *p, lk_json *clock, const lk_report_clock *c)
{
    lk_json *array = lk_json_array(clock, "candidates");
    size_t i;

    for (i = 0; i < c->candidate_count; i++) {
        lk_json *o = lk_json_part_item(array);

        lk_json_add_real(o, "constant_s", c->candidates[i].constant_s);
        lk_json_part_text(p, o, "what", c->candidates[i].what);
    }
}

static void add_wave(lk_json *array, const lk_report_wave *w)
{
    lk_json *o = lk_json_part_item(array);

    lk_json_add_time(o, "start", w->start_ns);
    lk_json_add_count_or_null(o, "arrivals", w->arrivals);
    lk_json_add_count_or_null(o, "rejected", w->rejected);
    lk_json_add_real(o, "width_s", w->width_s);
    lk_json_add_real(o, "peak_per_s", w->peak_per_s);
}

static void add_wave_list(lk_json *clock, const lk_report_clock *c)
{
    lk_json *array = lk_json_array(clock, "wave_list");
    size_t i;

    for (i = 0; i < c->wave_count; i++)
        add_wave(array, &c->wave_list[i]);
}

static void add_phase(lk_json *clock, const lk_report_clock *c)
{
    lk_json *o;

    if (c->phase_count == 0) {
        lk_json_add_null(clock, "phase");
        return;
    }
    o = lk_json_object(clock, "phase");
    lk_json_add_real(o, "bin_s", c->period_s / (double)c->phase_count);
    add_bins(o, "all", c->phase_all, c->phase_count);
    add_bins(o, "rejected", c->phase_rejected, c->phase_count);
}

static void add_clock(lk_json_part *p, lk_json *array, const lk_report_clock *c)
{
    lk_json *o = lk_json_part_item(array);

    lk_json_part_text(p, o, "kind", c->kind);
    lk_json_add_real(o, "period_s", c->period_s);
    lk_json_add_real(o, "period_error_s", c->period_error_s);
    lk_json_add_real(o, "delay_s", c->delay_s);
    lk_json_add_real(o, "false_alarm_probability", chance(c->ln_false_alarm));
    lk_json_add_time(o, "start", c->start_ns);
    lk_json_add_time(o, "end", c->end_ns);
    lk_json_add_count_or_null(o, "waves", c->waves);
    lk_json_add_real(o, "width_s", c->width_s);
    lk_json_add_real(o, "duty", c->duty);
    lk_json_add_real(o, "phase_s", c->phase_s);
    lk_json_add_real(o, "drift_s", c->drift_s);
    lk_json_part_text(p, o, "population", c->population);
    add_targets(p, o, c);
    add_cause(o, c);
    lk_json_add_real(o, "share", c->share);
    lk_json_add_real(o, "survival_ratio", c->survival_ratio);
    add_interval(o, c);
    add_evidence(p, o, c);
    add_candidates(p, o, c);
    add_wave_list(o, c);
    lk_json_part_text(p, o, "owner", c->owner);
    add_phase(o, c);
}

void lk_json_part_clocks(lk_json_part *p, lk_json *root)
{
    lk_json *array = lk_json_array(root, "clocks");
    size_t i;

    for (i = 0; i < p->report->clock_count; i++)
        add_clock(p, array, &p->report->clocks[i]);
}

void lk_json_part_fixed_delays(lk_json_part *p, lk_json *root)
{
    lk_json *array = lk_json_array(root, "fixed_delays");
    size_t i;

    for (i = 0; i < p->report->fixed_delay_count; i++) {
        const lk_report_fixed_delay *d = &p->report->fixed_delays[i];
        lk_json *o = lk_json_part_item(array);

        lk_json_add_real(o, "delay_s", d->delay_s);
        lk_json_part_text(p, o, "population", d->population);
        lk_json_add_count_or_null(o, "comebacks", d->comebacks);
        lk_json_add_bool(o, "synchronised", d->synchronised);
    }
}
