#include "report/json_part.h"

static void add_layer(lk_json_part *p, lk_json *array, const lk_report_layer *l)
{
    lk_json *o = lk_json_part_item(array);

    lk_json_part_text(p, o, "population", l->population);
    lk_json_part_text(p, o, "name", l->name);
    lk_json_part_text(p, o, "identity", l->identity);
    lk_json_add_count_or_null(o, "units", l->units);
    lk_json_add_count_or_null(o, "attempts", l->attempts);
    lk_json_add_real(o, "amplification", l->amplification);
    lk_json_add_count_or_null(o, "amplification_max", l->amplification_max);
    lk_json_add_count_or_null(o, "cap", l->cap);
    lk_json_part_known(o, "bounded", l->bounded);
    lk_json_add_real(o, "delay_s", l->delay_s);
    lk_json_add_real(o, "expected_amplification", l->expected);
}

static void add_layers(lk_json_part *p, lk_json *parent, const lk_report_layer *layers,
                       size_t count)
{
    lk_json *array = lk_json_array(parent, "layers");

    for (size_t i = 0; i < count; i++)
        add_layer(p, array, &layers[i]);
}

void lk_json_part_layers(lk_json_part *p, lk_json *root)
{
    add_layers(p, root, p->report->layers, p->report->layer_count);
}

static void add_amplified(lk_json_part *p, lk_json *array, const lk_report_amplification *a)
{
    lk_json *o = lk_json_part_item(array);

    lk_json_part_text(p, o, "population", a->population);
    lk_json_add_count_or_null(o, "units", a->units);
    lk_json_add_count_or_null(o, "attempts", a->attempts);
    lk_json_add_real(o, "mean", a->mean);
    lk_json_add_count_or_null(o, "max", a->max);
    lk_json_part_known(o, "bounded", a->bounded);
    lk_json_add_count_or_null(o, "cycle_units", a->cycle_units);
    lk_json_add_count_or_null(o, "cycle_attempts", a->cycle_attempts);
    lk_json_add_real(o, "cycle_s", a->cycle_s);
}

static void add_amplification(lk_json_part *p, lk_json *parent,
                              const lk_report_amplification *amplification, size_t count)
{
    lk_json *array = lk_json_array(parent, "amplification");

    for (size_t i = 0; i < count; i++)
        add_amplified(p, array, &amplification[i]);
}

void lk_json_part_amplification(lk_json_part *p, lk_json *root)
{
    add_amplification(p, root, p->report->amplification, p->report->amplification_count);
}

void lk_json_retries(lk_json_part *p, lk_json *parent, const lk_report_layers *retries)
{
    add_layers(p, parent, retries->layers, retries->layer_count);
    add_amplification(p, parent, retries->amplification, retries->amplification_count);
}

static void add_asked(lk_json *retry_after, const lk_report_retry_after *a)
{
    lk_json *array = lk_json_array(retry_after, "values");
    size_t i;

    for (i = 0; i < a->value_count; i++) {
        lk_json *o = lk_json_part_item(array);

        lk_json_add_real(o, "value_s", a->values[i].value_s);
        lk_json_add_count_or_null(o, "count", a->values[i].count);
    }
}

static void add_forms(lk_json *o, const lk_report_retry_after *a)
{
    lk_json *forms = lk_json_object(o, "forms");

    lk_json_add_count_or_null(forms, "seconds", a->seconds);
    lk_json_add_count_or_null(forms, "fraction", a->fraction);
    lk_json_add_count_or_null(forms, "milliseconds", a->milliseconds);
    lk_json_add_count_or_null(forms, "date", a->date);
    lk_json_add_count_or_null(o, "malformed", a->malformed);
    lk_json_add_count_or_null(o, "negative", a->negative);
    lk_json_add_count_or_null(o, "past", a->past);
    lk_json_add_count_or_null(o, "zero", a->zero);
}

void lk_json_obedience(lk_json *o, const lk_report_obedience *b)
{
    lk_json_add_count_or_null(o, "told", b->told);
    lk_json_add_real(o, "exact", b->exact);
    lk_json_add_real(o, "early", b->early);
    lk_json_add_real(o, "spread", b->spread);
    lk_json_add_real(o, "unit_factor", b->unit_factor);
}

static void add_shares(lk_json *o, const lk_report_retry_after *a)
{
    lk_json *shares = lk_json_array(o, "share_over_time");

    for (size_t i = 0; i < a->share_count; i++)
        lk_json_add_real(shares, NULL, a->shares[i]);
    lk_json_add_time(o, "share_from", a->share_from_ns);
    lk_json_add_real(o, "share_bin_s", a->share_bin_s);
}

void lk_json_part_retry_after(lk_json_part *p, lk_json *root)
{
    const lk_report_retry_after *a = &p->report->retry_after;
    lk_json *o = lk_json_object(root, "retry_after"), *findings;

    lk_json_add_count_or_null(o, "rejections", a->rejections);
    lk_json_add_count_or_null(o, "with_header", a->with_header);
    add_asked(o, a);
    add_forms(o, a);
    lk_json_obedience(o, &a->obedience);
    add_shares(o, a);
    findings = lk_json_array(o, "findings");
    for (size_t i = 0; i < a->finding_count; i++)
        lk_json_add_text(findings, NULL, a->findings[i]);
}

void lk_json_part_capacity(lk_json_part *p, lk_json *root)
{
    const lk_report_capacity *c = &p->report->capacity;
    lk_json *o = lk_json_object(root, "capacity"), *bystanders;

    lk_json_add_real(o, "allowance_per_s", c->allowance_per_s);
    lk_json_add_real(o, "allowance_low_per_s", c->allowance_low);
    lk_json_add_real(o, "allowance_high_per_s", c->allowance_high);
    lk_json_add_text(o, "source", c->source);
    lk_json_part_text(p, o, "population", c->population);
    lk_json_add_real(o, "demand_per_s", c->demand_per_s);
    lk_json_add_real(o, "spare_per_s", c->spare_per_s);
    lk_json_add_real(o, "backlog", c->backlog);
    lk_json_add_real(o, "drain_s", c->drain_s);
    lk_json_add_real(o, "deficit_per_s", c->deficit_per_s);
    lk_json_add_real(o, "bucket", c->bucket);
    lk_json_add_real(o, "bucket_emptied_in_s", c->bucket_emptied_in_s);
    lk_json_add_text(o, "kind", c->kind);
    lk_json_add_real(o, "window_s", c->window_s);
    lk_json_add_real(o, "failed_attempt_cost", c->failed_attempt_cost);
    bystanders = lk_json_object(o, "bystanders");
    lk_json_add_real(bystanders, "rejected_in_waves", c->bystanders_in_waves);
    lk_json_add_real(bystanders, "rejected_outside", c->bystanders_outside);
}

void lk_json_part_outlook(lk_json_part *p, lk_json *root)
{
    const lk_report_outlook *l = &p->report->outlook;
    lk_json *o = lk_json_object(root, "outlook");

    lk_json_add_count_or_null(o, "waves_left", l->waves_left);
    lk_json_add_time(o, "below_allowance_at", l->below_allowance_ns);
    lk_json_add_real(o, "backlog", l->backlog);
}

static void add_expected(lk_json *advice, const lk_report_expected *x)
{
    lk_json *o;

    if (!x->what && !x->why_not) {
        lk_json_add_null(advice, "expected");
        return;
    }
    o = lk_json_object(advice, "expected");
    lk_json_add_text(o, "simulated", x->what);
    lk_json_add_real(o, "requests_before", x->requests_before);
    lk_json_add_real(o, "requests_after", x->requests_after);
    lk_json_add_real(o, "rejected_share_before", x->rejected_before);
    lk_json_add_real(o, "rejected_share_after", x->rejected_after);
    lk_json_add_real(o, "drain_before_s", x->drain_before_s);
    lk_json_add_real(o, "drain_after_s", x->drain_after_s);
    lk_json_add_real(o, "lost_before", x->lost_before);
    lk_json_add_real(o, "lost_after", x->lost_after);
    lk_json_add_text(o, "why_not", x->why_not);
}

void lk_json_part_advice(lk_json_part *p, lk_json *root)
{
    lk_json *array = lk_json_array(root, "advice");

    for (size_t i = 0; i < p->report->advice_count; i++) {
        const lk_report_advice *a = &p->report->advice[i];
        lk_json *o = lk_json_part_item(array);

        lk_json_add_text(o, "action", a->action);
        lk_json_add_real(o, "value", a->value);
        lk_json_add_text(o, "unit", a->unit);
        lk_json_add_text(o, "why", a->why);
        add_expected(o, &a->expected);
    }
}
