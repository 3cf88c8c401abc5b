#include "report/read_part.h"

#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/* clang-format off */

/* ---- verdict ---- */

static void read_verdict(lk_reader *rd, const lk_json *root)
{
    static const lk_field FIELDS[] = {
        F(lk_report, KNOWN, "synchronised", synchronised),
        F(lk_report, KNOWN, "overload", overload),
        F(lk_report, TEXT, "headline", headline), END_FIELDS
    };
    struct status { int64_t value; } status;
    static const lk_field STATUS[] = { F(struct status, COUNT, "exit_status", value), END_FIELDS };
    const lk_json *o = lk_read_object(rd, root, "verdict");

    lk_read_fields(rd, o, FIELDS, rd->report);
    lk_read_fields(rd, o, STATUS, &status);
    rd->report->exit_status = status.value >= 0 && status.value < 256 ? (int)status.value : 0;
}

/* ---- input ---- */

/* NULL-terminated; names that are null are passed over. */
static const char *const *read_wrappers(lk_reader *rd, const lk_json *file)
{
    size_t n, kept = 0;
    const char **names = lk_read_texts(rd, file, "wrappers", &n);
    const char **list = names && n ? LK_NEW(rd->arena, const char *, n + 1) : NULL;

    for (size_t i = 0; list && i < n; i++)
        if (names[i])
            list[kept++] = names[i];
    return list;
}

/* { "reason": count }, in the order of the report. */
static void read_reasons(lk_reader *rd, const lk_json *input, lk_report_input *in)
{
    const lk_json *o = lk_read_object(rd, input, "rejected_reasons"), *v;
    size_t n = 0;

    for (v = lk_json_first(o); v; v = lk_json_next(v))
        n++;
    in->reasons = LK_NEW(rd->arena, lk_report_reason, n + 1);
    lk_read_need(rd, "rejected_reasons", in->reasons);
    for (v = lk_json_first(o); in->reasons && v; v = lk_json_next(v)) {
        lk_report_reason *row = &in->reasons[in->reason_count++];
        lk_field field[2] = { { lk_json_key(v), LK_FIELD_COUNT, offsetof(lk_report_reason, count) },
                              END_FIELDS };

        lk_read_fields(rd, o, field, row);
        row->name = lk_arena_text(rd->arena, lk_slice_from(lk_json_key(v)));
        lk_read_need(rd, "rejected_reasons", row->name);
    }
}

static void read_files(lk_reader *rd, const lk_json *input, lk_report_input *in)
{
    static const lk_field FIELDS[] = {
        F(lk_report_file, TEXT, "path", path), F(lk_report_file, TEXT, "compression", compression),
        F(lk_report_file, TEXT, "format", format), F(lk_report_file, COUNT, "bytes", bytes),
        F(lk_report_file, COUNT, "bytes_decompressed", bytes_decompressed),
        F(lk_report_file, COUNT, "lines", lines), F(lk_report_file, COUNT, "rejected", rejected),
        F(lk_report_file, BOOL, "truncated", truncated), F(lk_report_file, TEXT, "problem", problem),
        END_FIELDS
    };
    const lk_json *v;

    in->files = lk_read_array(rd, input, "files", LK_READ_ROWS_MAX, sizeof(*in->files), &v, &in->file_count);
    for (size_t i = 0; i < in->file_count; i++, v = lk_json_next(v)) {
        lk_read_fields(rd, v, FIELDS, &in->files[i]);
        lk_read_need(rd, "path", in->files[i].path);
        in->files[i].wrappers = read_wrappers(rd, v);
    }
}

static void read_samples(lk_reader *rd, const lk_json *input, lk_report_input *in)
{
    static const lk_field FIELDS[] = {
        F(lk_report_sample, TEXT, "file", file), F(lk_report_sample, COUNT, "line", line),
        F(lk_report_sample, TEXT, "reason", reason), F(lk_report_sample, TEXT, "text", text),
        F(lk_report_sample, COUNT, "length", length), END_FIELDS
    };
    const lk_json *v;

    in->samples = lk_read_array(rd, input, "rejected_samples", LK_SAMPLES_MAX, sizeof(*in->samples), &v,
                                &in->sample_count);
    for (size_t i = 0; i < in->sample_count; i++, v = lk_json_next(v))
        lk_read_fields(rd, v, FIELDS, &in->samples[i]);
}

static void read_input(lk_reader *rd, const lk_json *root)
{
    static const struct {
        const char *key;
        lk_field fields[7];
    } PARTS[] = {
        { "lines", { F(lk_report_input, COUNT, "total", lines_total),
                     F(lk_report_input, COUNT, "parsed", lines_parsed),
                     F(lk_report_input, COUNT, "filtered", lines_filtered),
                     F(lk_report_input, COUNT, "rejected", lines_rejected),
                     F(lk_report_input, COUNT, "ignored", lines_ignored), END_FIELDS } },
        { "span", { F(lk_report_input, TIME, "start", span_start_ns),
                    F(lk_report_input, TIME, "end", span_end_ns),
                    F(lk_report_input, REAL, "seconds", span_s), END_FIELDS } },
        { "time", { F(lk_report_input, REAL, "resolution_s", resolution_s),
                    F(lk_report_input, TEXT, "moment", moment),
                    F(lk_report_input, BOOL, "corrected_to_start", corrected_to_start),
                    F(lk_report_input, TEXT, "zone", zone), END_FIELDS } },
        { "identity", { F(lk_report_input, TEXT, "call", identity_call),
                        F(lk_report_input, TEXT, "attempt", identity_attempt),
                        F(lk_report_input, TEXT, "task", identity_task),
                        F(lk_report_input, TEXT, "caller", identity_caller), END_FIELDS } },
        { "distinct", { F(lk_report_input, COUNT, "callers", callers),
                        F(lk_report_input, REAL, "callers_error", callers_error),
                        F(lk_report_input, COUNT, "targets", targets),
                        F(lk_report_input, REAL, "targets_error", targets_error),
                        F(lk_report_input, COUNT, "user_agents", user_agents),
                        F(lk_report_input, REAL, "user_agents_error", user_agents_error),
                        END_FIELDS } },
        { "limits", { F(lk_report_input, COUNT, "evicted_calls", evicted_calls),
                      F(lk_report_input, COUNT, "folded_callers", folded_callers),
                      F(lk_report_input, COUNT, "folded_targets", folded_targets),
                      F(lk_report_input, COUNT, "folded_user_agents", folded_user_agents),
                      F(lk_report_input, COUNT, "late_lines", late_lines),
                      F(lk_report_input, COUNT, "unlisted_files", unlisted_files), END_FIELDS } },
    };
    static const lk_field OWN[] = { F(lk_report_input, BOOL, "partial", partial),
                                    F(lk_report_input, TEXT, "rejection", rejection), END_FIELDS };
    const lk_json *input = lk_read_object(rd, root, "input");
    lk_report_input *in = &rd->report->input;

    lk_read_fields(rd, input, OWN, in);
    for (size_t i = 0; i < sizeof(PARTS) / sizeof(PARTS[0]); i++)
        lk_read_fields(rd, lk_read_object(rd, input, PARTS[i].key), PARTS[i].fields, in);
    read_files(rd, input, in);
    read_reasons(rd, input, in);
    read_samples(rd, input, in);
}

/* ---- http, calls, incident ---- */

static void read_http(lk_reader *rd, const lk_json *parent, lk_report_http *h)
{
    static const lk_field FIELDS[] = {
        F(lk_report_http, COUNT, "requests", requests), F(lk_report_http, COUNT, "attempts", attempts),
        F(lk_report_http, COUNT, "errors", errors), F(lk_report_http, REAL, "error_share", error_share),
        F(lk_report_http, COUNT, "client_errors", client_errors),
        F(lk_report_http, COUNT, "client_gave_up", client_gave_up),
        F(lk_report_http, COUNT, "rejected", rejected),
        F(lk_report_http, REAL, "rejected_share", rejected_share),
        F(lk_report_http, COUNT, "first_attempts", first_attempts),
        F(lk_report_http, COUNT, "retries", retries), END_FIELDS
    };
    static const lk_field ONE[] = { { NULL, LK_FIELD_COUNT, 0 }, END_FIELDS };
    const lk_json *o = lk_read_object(rd, parent, "http");
    const lk_json *v = lk_json_first(lk_read_object(rd, o, "by_status"));

    lk_read_fields(rd, o, FIELDS, h);
    for (; v; v = lk_json_next(v)) {
        const char *key = lk_json_key(v);
        lk_field row[2] = { ONE[0], ONE[1] };
        size_t status;

        if (!key || strlen(key) != 3 || strspn(key, "0123456789") != 3)
            continue;
        row[0].key = key;
        status = (size_t)strtoul(key, NULL, 10);
        lk_read_fields(rd, lk_read_object(rd, o, "by_status"), row, &h->by_status[status]);
    }
}

static void read_calls(lk_reader *rd, const lk_json *parent, lk_report_calls *c)
{
    static const lk_field FIELDS[] = {
        F(lk_report_calls, TEXT, "source", source), F(lk_report_calls, COUNT, "total", total),
        F(lk_report_calls, COUNT, "failed", failed),
        F(lk_report_calls, REAL, "failed_share", failed_share),
        F(lk_report_calls, COUNT, "succeeded_first", succeeded_first),
        F(lk_report_calls, COUNT, "recovered", recovered), F(lk_report_calls, COUNT, "open", open),
        F(lk_report_calls, REAL, "waiting_share", waiting_share),
        F(lk_report_calls, COUNT, "never_seen_in_http", never_seen_in_http),
        F(lk_report_calls, COUNT, "never_seen_in_sdk", never_seen_in_sdk),
        F(lk_report_calls, COUNT, "began_before", began_before),
        F(lk_report_calls, BOOL, "counts_only", counts_only), END_FIELDS
    };
    static const lk_field ATTEMPTS[] = {
        F(lk_report_calls, REAL, "mean", attempts_mean), F(lk_report_calls, COUNT, "p50", attempts_p50),
        F(lk_report_calls, COUNT, "p99", attempts_p99), F(lk_report_calls, COUNT, "max", attempts_max),
        END_FIELDS
    };
    static const lk_field SUCCESS[] = {
        F(lk_report_calls, REAL, "mean", success_mean_s), F(lk_report_calls, REAL, "p50", success_p50_s),
        F(lk_report_calls, REAL, "p99", success_p99_s), F(lk_report_calls, REAL, "max", success_max_s),
        END_FIELDS
    };
    const lk_json *o = lk_read_object(rd, parent, "calls");

    lk_read_fields(rd, o, FIELDS, c);
    lk_read_fields(rd, lk_read_object(rd, o, "attempts_per_call"), ATTEMPTS, c);
    lk_read_fields(rd, lk_read_object(rd, o, "time_to_success_s"), SUCCESS, c);
}

static void read_counts(lk_reader *rd, const lk_json *root)
{
    read_http(rd, root, &rd->report->http);
    read_calls(rd, root, &rd->report->calls);
}

static void read_incident(lk_reader *rd, const lk_json *root)
{
    static const lk_field FIELDS[] = {
        F(lk_report_incident, TIME, "start", start_ns),
        F(lk_report_incident, TIME, "demand_back_to_baseline", demand_back_ns),
        F(lk_report_incident, TIME, "recovered", recovered_ns),
        F(lk_report_incident, REAL, "tail_s", tail_s),
        F(lk_report_incident, REAL, "tail_retry_share", tail_retry_share),
        F(lk_report_incident, BOOL, "given", given), F(lk_report_incident, BOOL, "whole", whole),
        END_FIELDS
    };
    struct others { int64_t value; } others;
    static const lk_field OTHERS[] = { F(struct others, COUNT, "others", value), END_FIELDS };
    const lk_json *o = lk_read_object(rd, root, "incident");
    lk_report_incident *in;

    if (!o)
        return;
    in = LK_NEW(rd->arena, lk_report_incident, 1);
    lk_read_need(rd, "incident", in);
    if (!in)
        return;
    lk_read_fields(rd, o, FIELDS, in);
    lk_read_fields(rd, o, OTHERS, &others);
    in->others = others.value > 0 ? (size_t)others.value : 0;
    read_http(rd, o, &in->http);
    read_calls(rd, o, &in->calls);
    rd->report->incident = in;
}

static void read_reconciliation(lk_reader *rd, const lk_json *root)
{
    static const lk_field FIELDS[] = {
        F(lk_report_reconciliation, COUNT, "rejected", rejected),
        F(lk_report_reconciliation, COUNT, "in_recovered_calls", in_recovered_calls),
        F(lk_report_reconciliation, COUNT, "in_failed_calls", in_failed_calls),
        F(lk_report_reconciliation, COUNT, "in_open_calls", in_open_calls),
        F(lk_report_reconciliation, COUNT, "unattributed", unattributed),
        F(lk_report_reconciliation, TEXT, "explanation", explanation), END_FIELDS
    };

    lk_read_fields(rd, lk_read_object(rd, root, "reconciliation"), FIELDS, &rd->report->reconciliation);
}

static void read_wasted(lk_reader *rd, const lk_json *root)
{
    static const lk_field FIELDS[] = {
        F(lk_report_wasted, COUNT, "after_client_left", after_client_left),
        F(lk_report_wasted, COUNT, "non_retryable", non_retryable),
        F(lk_report_wasted, COUNT, "ignored_retry_after", ignored_retry_after),
        F(lk_report_wasted, REAL, "retry_share", retry_share), END_FIELDS
    };
    static const lk_field BUDGET[] = {
        F(lk_report_wasted, COUNT, "0.1", over_tenth), F(lk_report_wasted, COUNT, "0.2", over_fifth),
        END_FIELDS
    };
    const lk_json *o = lk_read_object(rd, root, "wasted");

    lk_read_fields(rd, o, FIELDS, &rd->report->wasted);
    lk_read_fields(rd, lk_read_object(rd, o, "over_budget"), BUDGET, &rd->report->wasted);
}

/* ---- arrivals and spectrum ---- */

static void read_arrivals(lk_reader *rd, const lk_json *root)
{
    static const lk_field FIELDS[] = { F(lk_report_arrivals, REAL, "bin_s", bin_s),
                                       F(lk_report_arrivals, TIME, "start", start_ns), END_FIELDS };
    const lk_json *o = lk_read_object(rd, root, "arrivals");
    lk_report_arrivals *a = &rd->report->arrivals;
    size_t n;

    lk_read_fields(rd, o, FIELDS, a);
    a->all = lk_read_bins(rd, o, "all", &a->n);
    a->rejected = lk_read_bins(rd, o, "rejected", &n);
    lk_read_equal(rd, "rejected", n, a->n);
    a->retries = lk_read_bins(rd, o, "retries", &n);
    if (a->retries)
        lk_read_equal(rd, "retries", n, a->n);
}

static void read_spectrum(lk_reader *rd, const lk_json *root)
{
    static const lk_field FIELDS[] = { F(lk_report_spectrum, REAL, "bin_s", bin_s),
                                       F(lk_report_spectrum, REAL, "threshold", threshold), END_FIELDS };
    const lk_json *o = lk_read_object(rd, root, "spectrum");
    lk_report_spectrum *s = &rd->report->spectrum;
    size_t n;

    lk_read_fields(rd, o, FIELDS, s);
    s->period_s = lk_read_reals(rd, o, "period_s", LK_SPECTRUM_MAX, &s->n);
    s->power = lk_read_reals(rd, o, "power", LK_SPECTRUM_MAX, &n);
    lk_read_equal(rd, "power", n, s->n);
}

/* ---- clocks ---- */

static void read_waves(lk_reader *rd, const lk_json *o, lk_report_clock *c)
{
    static const lk_field FIELDS[] = {
        F(lk_report_wave, TIME, "start", start_ns), F(lk_report_wave, COUNT, "arrivals", arrivals),
        F(lk_report_wave, COUNT, "rejected", rejected), F(lk_report_wave, REAL, "width_s", width_s),
        F(lk_report_wave, REAL, "peak_per_s", peak_per_s), END_FIELDS
    };
    const lk_json *v;

    c->wave_list = lk_read_array(rd, o, "wave_list", LK_READ_ROWS_MAX, sizeof(*c->wave_list), &v, &c->wave_count);
    for (size_t i = 0; i < c->wave_count; i++, v = lk_json_next(v))
        lk_read_fields(rd, v, FIELDS, &c->wave_list[i]);
}

static void read_candidates(lk_reader *rd, const lk_json *o, lk_report_clock *c)
{
    static const lk_field FIELDS[] = { F(lk_report_candidate, REAL, "constant_s", constant_s),
                                       F(lk_report_candidate, TEXT, "what", what), END_FIELDS };
    const lk_json *v;

    c->candidates = lk_read_array(rd, o, "candidates", LK_READ_ROWS_MAX, sizeof(*c->candidates), &v,
                                  &c->candidate_count);
    for (size_t i = 0; i < c->candidate_count; i++, v = lk_json_next(v))
        lk_read_fields(rd, v, FIELDS, &c->candidates[i]);
}

static void read_phase(lk_reader *rd, const lk_json *clock, lk_report_clock *c)
{
    const lk_json *o = lk_read_object(rd, clock, "phase");
    size_t n;

    c->phase_all = lk_read_bins(rd, o, "all", &c->phase_count);
    c->phase_rejected = lk_read_bins(rd, o, "rejected", &n);
    lk_read_equal(rd, "phase", n, c->phase_count);
}

static void read_interval(lk_reader *rd, const lk_json *o, lk_report_clock *c)
{
    size_t n;
    const double *bounds = lk_read_reals(rd, o, "survival_ratio_interval", 2, &n);

    c->survival_low = bounds && n == 2 ? bounds[0] : (double)NAN;
    c->survival_high = bounds && n == 2 ? bounds[1] : (double)NAN;
}

static void read_clock(lk_reader *rd, const lk_json *o, lk_report_clock *c)
{
    static const lk_field FIELDS[] = {
        F(lk_report_clock, TEXT, "kind", kind), F(lk_report_clock, REAL, "period_s", period_s),
        F(lk_report_clock, REAL, "period_error_s", period_error_s),
        F(lk_report_clock, REAL, "delay_s", delay_s),
        F(lk_report_clock, LOG, "false_alarm_probability", ln_false_alarm),
        F(lk_report_clock, TIME, "start", start_ns), F(lk_report_clock, TIME, "end", end_ns),
        F(lk_report_clock, COUNT, "waves", waves), F(lk_report_clock, REAL, "width_s", width_s),
        F(lk_report_clock, REAL, "duty", duty), F(lk_report_clock, REAL, "phase_s", phase_s),
        F(lk_report_clock, REAL, "drift_s", drift_s), F(lk_report_clock, TEXT, "population", population),
        F(lk_report_clock, REAL, "share", share),
        F(lk_report_clock, REAL, "survival_ratio", survival_ratio),
        F(lk_report_clock, TEXT, "owner", owner), END_FIELDS
    };
    static const lk_field CAUSE[] = {
        F(lk_report_clock, COUNT, "rejections", cause_rejections),
        F(lk_report_clock, TIME, "start", cause_start_ns), F(lk_report_clock, TIME, "end", cause_end_ns),
        END_FIELDS
    };
    static const lk_field EVIDENCE[] = {
        F(lk_report_clock, COUNT, "comebacks", comebacks),
        F(lk_report_clock, REAL, "comebacks_on_delay", comebacks_on_delay),
        F(lk_report_clock, REAL, "preceded_by_rejection", preceded_by_rejection),
        F(lk_report_clock, REAL, "rejected_share", rejected_share),
        F(lk_report_clock, COUNT, "callers", callers),
        F(lk_report_clock, BOOL, "at_whole_minutes", at_whole_minutes),
        F(lk_report_clock, TEXT, "from", from), END_FIELDS
    };

    lk_read_fields(rd, o, FIELDS, c);
    lk_read_fields(rd, lk_read_object(rd, o, "cause"), CAUSE, c);
    lk_read_fields(rd, lk_read_object(rd, o, "evidence"), EVIDENCE, c);
    c->targets = lk_read_texts(rd, o, "targets", &c->target_count);
    read_interval(rd, o, c);
    read_candidates(rd, o, c);
    read_waves(rd, o, c);
    read_phase(rd, o, c);
}

static void read_clocks(lk_reader *rd, const lk_json *root)
{
    lk_report *r = rd->report;
    const lk_json *v;

    r->clocks = lk_read_array(rd, root, "clocks", LK_READ_ROWS_MAX, sizeof(*r->clocks), &v, &r->clock_count);
    for (size_t i = 0; i < r->clock_count; i++, v = lk_json_next(v))
        read_clock(rd, v, &r->clocks[i]);
}

static void read_fixed_delays(lk_reader *rd, const lk_json *root)
{
    static const lk_field FIELDS[] = {
        F(lk_report_fixed_delay, REAL, "delay_s", delay_s),
        F(lk_report_fixed_delay, TEXT, "population", population),
        F(lk_report_fixed_delay, COUNT, "comebacks", comebacks),
        F(lk_report_fixed_delay, BOOL, "synchronised", synchronised), END_FIELDS
    };
    lk_report *r = rd->report;
    const lk_json *v;

    r->fixed_delays = lk_read_array(rd, root, "fixed_delays", LK_READ_ROWS_MAX, sizeof(*r->fixed_delays), &v,
                                    &r->fixed_delay_count);
    for (size_t i = 0; i < r->fixed_delay_count; i++, v = lk_json_next(v))
        lk_read_fields(rd, v, FIELDS, &r->fixed_delays[i]);
}

/* ---- layers, amplification, policies ---- */

static void layers_of(lk_reader *rd, const lk_json *root, lk_report_layers *r)
{
    static const lk_field FIELDS[] = {
        F(lk_report_layer, TEXT, "population", population), F(lk_report_layer, TEXT, "name", name),
        F(lk_report_layer, TEXT, "identity", identity), F(lk_report_layer, COUNT, "units", units),
        F(lk_report_layer, COUNT, "attempts", attempts),
        F(lk_report_layer, REAL, "amplification", amplification),
        F(lk_report_layer, COUNT, "amplification_max", amplification_max),
        F(lk_report_layer, COUNT, "cap", cap), F(lk_report_layer, KNOWN, "bounded", bounded),
        F(lk_report_layer, REAL, "delay_s", delay_s),
        F(lk_report_layer, REAL, "expected_amplification", expected), END_FIELDS
    };
    const lk_json *v;

    r->layers = lk_read_array(rd, root, "layers", LK_READ_ROWS_MAX, sizeof(*r->layers), &v, &r->layer_count);
    for (size_t i = 0; i < r->layer_count; i++, v = lk_json_next(v))
        lk_read_fields(rd, v, FIELDS, &r->layers[i]);
}

static void amplification_of(lk_reader *rd, const lk_json *root, lk_report_layers *r)
{
    static const lk_field FIELDS[] = {
        F(lk_report_amplification, TEXT, "population", population),
        F(lk_report_amplification, COUNT, "units", units),
        F(lk_report_amplification, COUNT, "attempts", attempts),
        F(lk_report_amplification, REAL, "mean", mean), F(lk_report_amplification, COUNT, "max", max),
        F(lk_report_amplification, KNOWN, "bounded", bounded),
        F(lk_report_amplification, COUNT, "cycle_units", cycle_units),
        F(lk_report_amplification, COUNT, "cycle_attempts", cycle_attempts),
        F(lk_report_amplification, REAL, "cycle_s", cycle_s), END_FIELDS
    };
    const lk_json *v;

    r->amplification = lk_read_array(rd, root, "amplification", LK_READ_ROWS_MAX, sizeof(*r->amplification), &v,
                                     &r->amplification_count);
    for (size_t i = 0; i < r->amplification_count; i++, v = lk_json_next(v))
        lk_read_fields(rd, v, FIELDS, &r->amplification[i]);
}

static void read_retries(lk_reader *rd, const lk_json *root)
{
    lk_report *r = rd->report;
    lk_report_layers all = { 0 };

    layers_of(rd, root, &all);
    amplification_of(rd, root, &all);
    r->layers = all.layers;
    r->layer_count = all.layer_count;
    r->amplification = all.amplification;
    r->amplification_count = all.amplification_count;
}

static void read_value(lk_reader *rd, const lk_json *o, lk_report_value *v)
{
    static const lk_field FIELDS[] = { F(lk_report_value, TEXT, "value", value), END_FIELDS };

    lk_report_value_init(v);
    lk_read_fields(rd, o, FIELDS, v);
    read_http(rd, o, &v->http);
    read_calls(rd, o, &v->calls);
    layers_of(rd, o, &v->retries);
    amplification_of(rd, o, &v->retries);
}

static void read_by(lk_reader *rd, const lk_json *root)
{
    static const lk_field FIELDS[] = { F(lk_report_by, TEXT, "field", field),
                                       F(lk_report_by, COUNT, "folded", folded), END_FIELDS };
    const lk_json *o = lk_read_object(rd, root, "by"), *other = o ? lk_read_object(rd, o, "other") : NULL;
    const lk_json *v;
    lk_report_by *by = o ? LK_NEW(rd->arena, lk_report_by, 1) : NULL;

    if (!by)
        return;
    lk_read_fields(rd, o, FIELDS, by);
    lk_read_need(rd, "field", by->field);
    by->values = lk_read_array(rd, o, "values", 200, sizeof(*by->values), &v, &by->value_count);
    for (size_t i = 0; i < by->value_count; i++, v = lk_json_next(v))
        read_value(rd, v, &by->values[i]);
    by->other = other ? LK_NEW(rd->arena, lk_report_value, 1) : NULL;
    if (by->other)
        read_value(rd, other, by->other);
    rd->report->by = by;
}

static void read_delays(lk_reader *rd, const lk_json *o, lk_report_policy *p)
{
    static const lk_field FIELDS[] = {
        F(lk_report_delays, COUNT, "attempt", attempt), F(lk_report_delays, COUNT, "n", n),
        F(lk_report_delays, REAL, "p5_s", p5_s), F(lk_report_delays, REAL, "p50_s", p50_s),
        F(lk_report_delays, REAL, "p95_s", p95_s), F(lk_report_delays, REAL, "bin_s", bin_s), END_FIELDS
    };
    const lk_json *v;
    lk_report_delays *list =
        lk_read_array(rd, o, "by_attempt", LK_READ_ROWS_MAX, sizeof(*list), &v, &p->attempt_count);

    p->by_attempt = list;
    for (size_t i = 0; i < p->attempt_count; i++, v = lk_json_next(v)) {
        lk_read_fields(rd, v, FIELDS, &list[i]);
        list[i].counts = lk_read_bins(rd, v, "counts", &list[i].bins);
    }
}

static const lk_field OBEDIENCE[] = {
    F(lk_report_obedience, COUNT, "told", told),         F(lk_report_obedience, REAL, "exact", exact),
    F(lk_report_obedience, REAL, "early", early),        F(lk_report_obedience, REAL, "spread", spread),
    F(lk_report_obedience, REAL, "unit_factor", unit_factor), END_FIELDS
};

static void read_policy(lk_reader *rd, const lk_json *o, lk_report_policy *p)
{
    static const lk_field FIELDS[] = {
        F(lk_report_policy, TEXT, "population", population), F(lk_report_policy, TEXT, "layer", layer),
        F(lk_report_policy, COUNT, "callers", callers), F(lk_report_policy, COUNT, "calls", calls),
        F(lk_report_policy, COUNT, "comebacks", comebacks), F(lk_report_policy, TEXT, "policy", policy),
        F(lk_report_policy, REAL, "base_s", base_s), F(lk_report_policy, REAL, "factor", factor),
        F(lk_report_policy, REAL, "cap_s", cap_s), F(lk_report_policy, REAL, "jitter", jitter),
        F(lk_report_policy, COUNT, "max_attempts", max_attempts),
        F(lk_report_policy, REAL, "support", support), F(lk_report_policy, TEXT, "runner_up", runner_up),
        F(lk_report_policy, COUNT, "regime_change_at", regime_change_at), END_FIELDS
    };
    size_t looks, flags;
    const char **look = lk_read_texts(rd, o, "looks_like", &looks);
    const char **flag = lk_read_texts(rd, o, "flags", &flags);

    lk_read_fields(rd, o, FIELDS, p);
    lk_read_need(rd, "layer", p->layer);
    for (size_t i = 0; look && i < looks && i < LK_DEFAULTS_SHOWN; i++)
        if (look[i])
            p->looks_like[p->looks_like_count++] = look[i];
    for (size_t i = 0; flag && i < flags && i < LK_POLICY_FLAGS; i++)
        if (flag[i])
            p->flags[p->flag_count++] = flag[i];
    p->retry_after.unit_factor = (double)NAN;
    lk_read_fields(rd, lk_read_object(rd, o, "retry_after"), OBEDIENCE, &p->retry_after);
    read_delays(rd, o, p);
}

static void read_policies(lk_reader *rd, const lk_json *root)
{
    lk_report *r = rd->report;
    const lk_json *v;

    r->policies = lk_read_array(rd, root, "policies", LK_READ_ROWS_MAX, sizeof(*r->policies), &v, &r->policy_count);
    for (size_t i = 0; i < r->policy_count; i++, v = lk_json_next(v))
        read_policy(rd, v, &r->policies[i]);
}

/* ---- Retry-After, notes ---- */

static void read_retry_after(lk_reader *rd, const lk_json *root)
{
    static const lk_field FIELDS[] = {
        F(lk_report_retry_after, COUNT, "rejections", rejections),
        F(lk_report_retry_after, COUNT, "with_header", with_header),
        F(lk_report_retry_after, COUNT, "malformed", malformed), F(lk_report_retry_after, COUNT, "negative", negative),
        F(lk_report_retry_after, COUNT, "past", past), F(lk_report_retry_after, COUNT, "zero", zero),
        F(lk_report_retry_after, TIME, "share_from", share_from_ns),
        F(lk_report_retry_after, REAL, "share_bin_s", share_bin_s), END_FIELDS
    };
    static const lk_field FORMS[] = {
        F(lk_report_retry_after, COUNT, "seconds", seconds), F(lk_report_retry_after, COUNT, "fraction", fraction),
        F(lk_report_retry_after, COUNT, "milliseconds", milliseconds), F(lk_report_retry_after, COUNT, "date", date),
        END_FIELDS
    };
    static const lk_field ASKED[] = { F(lk_report_asked, REAL, "value_s", value_s),
                                      F(lk_report_asked, COUNT, "count", count), END_FIELDS };
    const lk_json *o = lk_read_object(rd, root, "retry_after"), *v;
    lk_report_retry_after *a = &rd->report->retry_after;

    size_t findings;
    const char **finding = lk_read_texts(rd, o, "findings", &findings);

    lk_read_fields(rd, o, FIELDS, a);
    lk_read_fields(rd, o, OBEDIENCE, &a->obedience);
    lk_read_fields(rd, lk_read_object(rd, o, "forms"), FORMS, a);
    a->shares = lk_read_reals(rd, o, "share_over_time", LK_ASKED_SHARES, &a->share_count);
    for (size_t i = 0; finding && i < findings && i < LK_ASKED_FINDINGS; i++)
        if (finding[i])
            a->findings[a->finding_count++] = finding[i];
    a->values = lk_read_array(rd, o, "values", LK_READ_ROWS_MAX, sizeof(*a->values), &v, &a->value_count);
    for (size_t i = 0; i < a->value_count; i++, v = lk_json_next(v))
        lk_read_fields(rd, v, ASKED, &a->values[i]);
}

/* ---- capacity, outlook, advice ---- */

static void read_capacity(lk_reader *rd, const lk_json *root)
{
    static const lk_field CAPACITY[] = {
        F(lk_report_capacity, REAL, "allowance_per_s", allowance_per_s),
        F(lk_report_capacity, REAL, "allowance_low_per_s", allowance_low),
        F(lk_report_capacity, REAL, "allowance_high_per_s", allowance_high),
        F(lk_report_capacity, TEXT, "source", source),
        F(lk_report_capacity, REAL, "demand_per_s", demand_per_s),
        F(lk_report_capacity, REAL, "spare_per_s", spare_per_s),
        F(lk_report_capacity, REAL, "backlog", backlog), F(lk_report_capacity, REAL, "drain_s", drain_s),
        F(lk_report_capacity, TEXT, "population", population), F(lk_report_capacity, TEXT, "kind", kind),
        F(lk_report_capacity, REAL, "deficit_per_s", deficit_per_s), F(lk_report_capacity, REAL, "bucket", bucket),
        F(lk_report_capacity, REAL, "window_s", window_s),
        F(lk_report_capacity, REAL, "failed_attempt_cost", failed_attempt_cost),
        F(lk_report_capacity, REAL, "bucket_emptied_in_s", bucket_emptied_in_s), END_FIELDS
    };
    static const lk_field BYSTANDERS[] = {
        F(lk_report_capacity, REAL, "rejected_in_waves", bystanders_in_waves),
        F(lk_report_capacity, REAL, "rejected_outside", bystanders_outside), END_FIELDS
    };
    static const lk_field OUTLOOK[] = {
        F(lk_report_outlook, COUNT, "waves_left", waves_left),
        F(lk_report_outlook, TIME, "below_allowance_at", below_allowance_ns),
        F(lk_report_outlook, REAL, "backlog", backlog), END_FIELDS
    };
    const lk_json *o = lk_read_object(rd, root, "capacity");
    lk_report_capacity *c = &rd->report->capacity;

    lk_read_fields(rd, o, CAPACITY, c);
    lk_read_fields(rd, lk_read_object(rd, o, "bystanders"), BYSTANDERS, c);
    if (isfinite(c->allowance_per_s))
        lk_read_need(rd, "source", c->source);
    lk_read_fields(rd, lk_read_object(rd, root, "outlook"), OUTLOOK, &rd->report->outlook);
}

static void read_advice(lk_reader *rd, const lk_json *root)
{
    static const lk_field FIELDS[] = {
        F(lk_report_advice, TEXT, "action", action), F(lk_report_advice, REAL, "value", value),
        F(lk_report_advice, TEXT, "unit", unit), F(lk_report_advice, TEXT, "why", why), END_FIELDS
    };
    const lk_json *v;
    lk_report_advice *list = lk_read_array(rd, root, "advice", LK_ADVICE_MAX, sizeof(*list), &v,
                                           &rd->report->advice_count);

    for (size_t i = 0; i < rd->report->advice_count; i++, v = lk_json_next(v)) {
        lk_read_fields(rd, v, FIELDS, &list[i]);
        lk_read_expected(rd, v, &list[i].expected);
        lk_read_need(rd, "action", list[i].action);
        lk_read_need(rd, "why", list[i].why);
        if (isfinite(list[i].value))
            lk_read_need(rd, "unit", list[i].unit);
        rd->report->advice[i] = list[i];
    }
}

static void read_notes(lk_reader *rd, const lk_json *root)
{
    size_t n;
    const char **notes = lk_read_texts(rd, root, "notes", &n);

    rd->report->notes = notes;
    for (size_t i = 0; i < n; i++)
        if (notes[i])
            notes[rd->report->note_count++] = notes[i];
}

void (*const LK_READ_PARTS[])(lk_reader *rd, const lk_json *root) = {
    read_verdict, read_input, read_counts, read_incident, read_reconciliation, read_wasted, read_arrivals,
    read_spectrum, read_clocks, read_fixed_delays, read_retries, read_by, read_policies,
    read_retry_after, read_capacity, lk_read_workload, read_advice, read_notes, NULL
};
/* clang-format on */
