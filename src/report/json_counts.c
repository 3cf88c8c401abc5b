#include "report/json_part.h"

#include <stdio.h>

/* ---- input ---- */

static void add_wrappers(lk_json_part *p, lk_json *file, const char *const *names)
{
    lk_json *array = lk_json_array(file, "wrappers");

    for (; names && *names; names++)
        lk_json_part_text(p, array, NULL, *names);
}

static void add_file(lk_json_part *p, lk_json *array, const lk_report_file *f)
{
    lk_json *o = lk_json_part_item(array);

    lk_json_part_text(p, o, "path", f->path);
    lk_json_part_text(p, o, "compression", f->compression);
    lk_json_part_text(p, o, "format", f->format);
    lk_json_add_count_or_null(o, "bytes", f->bytes);
    lk_json_add_count_or_null(o, "bytes_decompressed", f->bytes_decompressed);
    lk_json_add_count_or_null(o, "lines", f->lines);
    lk_json_add_count_or_null(o, "rejected", f->rejected);
    lk_json_add_bool(o, "truncated", f->truncated);
    lk_json_part_text(p, o, "problem", f->problem);
    add_wrappers(p, o, f->wrappers);
}

static void add_files(lk_json_part *p, lk_json *input)
{
    lk_json *array = lk_json_array(input, "files");
    size_t i;

    for (i = 0; i < p->report->input.file_count; i++)
        add_file(p, array, &p->report->input.files[i]);
}

static void add_lines(const lk_report_input *in, lk_json *input)
{
    lk_json *o = lk_json_object(input, "lines");

    lk_json_add_count_or_null(o, "total", in->lines_total);
    lk_json_add_count_or_null(o, "parsed", in->lines_parsed);
    lk_json_add_count_or_null(o, "filtered", in->lines_filtered);
    lk_json_add_count_or_null(o, "rejected", in->lines_rejected);
    lk_json_add_count_or_null(o, "ignored", in->lines_ignored);
}

static void add_sample(lk_json_part *p, lk_json *array, const lk_report_sample *s)
{
    lk_json *o = lk_json_part_item(array);

    lk_json_part_text(p, o, "file", s->file);
    lk_json_add_count_or_null(o, "line", s->line);
    lk_json_part_text(p, o, "reason", s->reason);
    lk_json_part_text(p, o, "text", s->text);
    lk_json_add_count_or_null(o, "length", s->length);
}

static void add_reasons(const lk_report_input *in, lk_json *input)
{
    lk_json *o = lk_json_object(input, "rejected_reasons");

    for (size_t i = 0; i < in->reason_count; i++)
        lk_json_add_count(o, in->reasons[i].name, in->reasons[i].count);
}

static void add_samples(lk_json_part *p, lk_json *input)
{
    lk_json *array = lk_json_array(input, "rejected_samples");
    size_t i;

    for (i = 0; i < p->report->input.sample_count; i++)
        add_sample(p, array, &p->report->input.samples[i]);
}

static void add_span(const lk_report_input *in, lk_json *input)
{
    lk_json *o = lk_json_object(input, "span");

    lk_json_add_time(o, "start", in->span_start_ns);
    lk_json_add_time(o, "end", in->span_end_ns);
    lk_json_add_real(o, "seconds", in->span_s);
}

static void add_time(lk_json_part *p, lk_json *input)
{
    const lk_report_input *in = &p->report->input;
    lk_json *o = lk_json_object(input, "time");

    lk_json_add_real(o, "resolution_s", in->resolution_s);
    lk_json_part_text(p, o, "moment", in->moment);
    lk_json_add_bool(o, "corrected_to_start", in->corrected_to_start);
    lk_json_part_text(p, o, "zone", in->zone);
}

static void add_identity(lk_json_part *p, lk_json *input)
{
    const lk_report_input *in = &p->report->input;
    lk_json *o = lk_json_object(input, "identity");

    lk_json_part_text(p, o, "call", in->identity_call);
    lk_json_part_text(p, o, "attempt", in->identity_attempt);
    lk_json_part_text(p, o, "task", in->identity_task);
    lk_json_part_text(p, o, "caller", in->identity_caller);
}

static void add_distinct(const lk_report_input *in, lk_json *input)
{
    lk_json *o = lk_json_object(input, "distinct");

    lk_json_add_count_or_null(o, "callers", in->callers);
    lk_json_add_real(o, "callers_error", in->callers_error);
    lk_json_add_count_or_null(o, "targets", in->targets);
    lk_json_add_real(o, "targets_error", in->targets_error);
    lk_json_add_count_or_null(o, "user_agents", in->user_agents);
    lk_json_add_real(o, "user_agents_error", in->user_agents_error);
}

static void add_limits(const lk_report_input *in, lk_json *input)
{
    lk_json *o = lk_json_object(input, "limits");

    lk_json_add_count_or_null(o, "evicted_calls", in->evicted_calls);
    lk_json_add_count_or_null(o, "folded_callers", in->folded_callers);
    lk_json_add_count_or_null(o, "folded_targets", in->folded_targets);
    lk_json_add_count_or_null(o, "folded_user_agents", in->folded_user_agents);
    lk_json_add_count_or_null(o, "late_lines", in->late_lines);
    lk_json_add_count_or_null(o, "unlisted_files", in->unlisted_files);
}

void lk_json_part_input(lk_json_part *p, lk_json *root)
{
    const lk_report_input *in = &p->report->input;
    lk_json *input = lk_json_object(root, "input");

    lk_json_add_bool(input, "partial", in->partial);
    lk_json_part_text(p, input, "rejection", in->rejection);
    add_files(p, input);
    add_lines(in, input);
    add_reasons(&p->report->input, input);
    add_samples(p, input);
    add_span(in, input);
    add_time(p, input);
    add_identity(p, input);
    add_distinct(in, input);
    add_limits(in, input);
}

/* ---- http ---- */

static void add_by_status(const lk_report_http *h, lk_json *http)
{
    lk_json *o = lk_json_object(http, "by_status");
    char key[8];
    unsigned status;

    for (status = 0; status < sizeof(h->by_status) / sizeof(h->by_status[0]); status++) {
        if (h->by_status[status] <= 0)
            continue;
        (void)snprintf(key, sizeof(key), "%03u", status);
        lk_json_add_count(o, key, h->by_status[status]);
    }
}

static void add_http(lk_json *parent, const lk_report_http *h)
{
    lk_json *o = lk_json_object(parent, "http");

    lk_json_add_count_or_null(o, "requests", h->requests);
    lk_json_add_count_or_null(o, "attempts", h->attempts);
    lk_json_add_count_or_null(o, "errors", h->errors);
    lk_json_add_real(o, "error_share", h->error_share);
    lk_json_add_count_or_null(o, "client_errors", h->client_errors);
    lk_json_add_count_or_null(o, "client_gave_up", h->client_gave_up);
    lk_json_add_count_or_null(o, "rejected", h->rejected);
    lk_json_add_real(o, "rejected_share", h->rejected_share);
    add_by_status(h, o);
    lk_json_add_count_or_null(o, "first_attempts", h->first_attempts);
    lk_json_add_count_or_null(o, "retries", h->retries);
}

void lk_json_part_http(lk_json_part *p, lk_json *root)
{
    add_http(root, &p->report->http);
}

/* ---- calls ---- */

static void add_attempts_per_call(const lk_report_calls *c, lk_json *calls)
{
    lk_json *o = lk_json_object(calls, "attempts_per_call");

    lk_json_add_real(o, "mean", c->attempts_mean);
    lk_json_add_count_or_null(o, "p50", c->attempts_p50);
    lk_json_add_count_or_null(o, "p99", c->attempts_p99);
    lk_json_add_count_or_null(o, "max", c->attempts_max);
}

static void add_time_to_success(const lk_report_calls *c, lk_json *calls)
{
    lk_json *o = lk_json_object(calls, "time_to_success_s");

    lk_json_add_real(o, "mean", c->success_mean_s);
    lk_json_add_real(o, "p50", c->success_p50_s);
    lk_json_add_real(o, "p99", c->success_p99_s);
    lk_json_add_real(o, "max", c->success_max_s);
}

static void add_calls(lk_json_part *p, lk_json *parent, const lk_report_calls *c)
{
    lk_json *o = lk_json_object(parent, "calls");

    lk_json_part_text(p, o, "source", c->source);
    lk_json_add_count_or_null(o, "total", c->total);
    lk_json_add_count_or_null(o, "failed", c->failed);
    lk_json_add_real(o, "failed_share", c->failed_share);
    lk_json_add_count_or_null(o, "succeeded_first", c->succeeded_first);
    lk_json_add_count_or_null(o, "recovered", c->recovered);
    lk_json_add_count_or_null(o, "open", c->open);
    add_attempts_per_call(c, o);
    add_time_to_success(c, o);
    lk_json_add_real(o, "waiting_share", c->waiting_share);
    lk_json_add_count_or_null(o, "never_seen_in_http", c->never_seen_in_http);
    lk_json_add_count_or_null(o, "never_seen_in_sdk", c->never_seen_in_sdk);
    lk_json_add_count_or_null(o, "began_before", c->began_before);
    lk_json_add_bool(o, "counts_only", c->counts_only);
}

void lk_json_part_calls(lk_json_part *p, lk_json *root)
{
    add_calls(p, root, &p->report->calls);
}

/* ---- the incident ---- */

void lk_json_part_incident(lk_json_part *p, lk_json *root)
{
    const lk_report_incident *in = p->report->incident;
    lk_json *o;

    if (!in) {
        lk_json_add_null(root, "incident");
        return;
    }
    o = lk_json_object(root, "incident");
    lk_json_add_time(o, "start", in->start_ns);
    lk_json_add_time(o, "demand_back_to_baseline", in->demand_back_ns);
    lk_json_add_time(o, "recovered", in->recovered_ns);
    lk_json_add_real(o, "tail_s", in->tail_s);
    lk_json_add_real(o, "tail_retry_share", in->tail_retry_share);
    lk_json_add_bool(o, "given", in->given);
    lk_json_add_bool(o, "whole", in->whole);
    lk_json_add_count(o, "others", (int64_t)in->others);
    add_http(o, &in->http);
    add_calls(p, o, &in->calls);
}

/* ---- both rates, layers and amplification of a part ---- */

static void add_block(lk_json_part *p, lk_json *o, const lk_report_value *v)
{
    add_http(o, &v->http);
    add_calls(p, o, &v->calls);
    lk_json_retries(p, o, &v->retries);
}

static void add_value(lk_json_part *p, lk_json *array, const lk_report_value *v)
{
    lk_json *o = lk_json_part_item(array);

    lk_json_part_text(p, o, "value", v->value);
    add_block(p, o, v);
}

void lk_json_part_by(lk_json_part *p, lk_json *root)
{
    const lk_report_by *by = p->report->by;
    lk_json *o, *array;

    if (!by) {
        lk_json_add_null(root, "by");
        return;
    }
    o = lk_json_object(root, "by");
    lk_json_part_text(p, o, "field", by->field);
    array = lk_json_array(o, "values");
    for (size_t i = 0; i < by->value_count; i++)
        add_value(p, array, &by->values[i]);
    if (by->other)
        add_block(p, lk_json_object(o, "other"), by->other);
    else
        lk_json_add_null(o, "other");
    lk_json_add_count_or_null(o, "folded", by->folded);
}

void lk_json_part_reconciliation(lk_json_part *p, lk_json *root)
{
    const lk_report_reconciliation *c = &p->report->reconciliation;
    lk_json *o = lk_json_object(root, "reconciliation");

    lk_json_add_count_or_null(o, "rejected", c->rejected);
    lk_json_add_count_or_null(o, "in_recovered_calls", c->in_recovered_calls);
    lk_json_add_count_or_null(o, "in_failed_calls", c->in_failed_calls);
    lk_json_add_count_or_null(o, "in_open_calls", c->in_open_calls);
    lk_json_add_count_or_null(o, "unattributed", c->unattributed);
    lk_json_part_text(p, o, "explanation", c->explanation);
}

void lk_json_part_wasted(lk_json_part *p, lk_json *root)
{
    const lk_report_wasted *w = &p->report->wasted;
    lk_json *o = lk_json_object(root, "wasted");
    lk_json *budget;

    lk_json_add_count_or_null(o, "after_client_left", w->after_client_left);
    lk_json_add_count_or_null(o, "non_retryable", w->non_retryable);
    lk_json_add_count_or_null(o, "ignored_retry_after", w->ignored_retry_after);
    budget = lk_json_object(o, "over_budget");
    lk_json_add_count_or_null(budget, "0.1", w->over_tenth);
    lk_json_add_count_or_null(budget, "0.2", w->over_fifth);
    lk_json_add_real(o, "retry_share", w->retry_share);
}
