#include "model/report.h"

#include <string.h>

static void init_input(lk_report_input *in)
{
    in->lines_total = in->lines_parsed = in->lines_filtered = LK_COUNT_NONE;
    in->lines_rejected = in->lines_ignored = LK_COUNT_NONE;
    in->span_start_ns = in->span_end_ns = LK_TIME_NONE;
    in->span_s = in->resolution_s = (double)NAN;
    in->unlisted_files = in->evicted_calls = in->folded_callers = in->late_lines = LK_COUNT_NONE;
    in->folded_targets = in->folded_user_agents = LK_COUNT_NONE;
    in->callers = in->targets = in->user_agents = LK_COUNT_NONE;
    in->callers_error = in->targets_error = in->user_agents_error = (double)NAN;
}

static void init_http(lk_report_http *h)
{
    h->requests = h->attempts = h->errors = h->client_errors = LK_COUNT_NONE;
    h->client_gave_up = h->rejected = LK_COUNT_NONE;
    h->error_share = h->rejected_share = (double)NAN;
    h->first_attempts = h->retries = LK_COUNT_NONE;
}

static void init_calls(lk_report_calls *c)
{
    c->total = c->failed = c->succeeded_first = c->recovered = c->open = LK_COUNT_NONE;
    c->failed_share = c->attempts_mean = (double)NAN;
    c->attempts_p50 = c->attempts_p99 = c->attempts_max = LK_COUNT_NONE;
    c->success_mean_s = c->success_p50_s = c->success_p99_s = c->success_max_s = (double)NAN;
    c->waiting_share = (double)NAN;
    c->never_seen_in_http = c->never_seen_in_sdk = c->began_before = LK_COUNT_NONE;
}

static void init_reconciliation(lk_report_reconciliation *c)
{
    c->rejected = c->in_recovered_calls = c->in_failed_calls = LK_COUNT_NONE;
    c->in_open_calls = c->unattributed = LK_COUNT_NONE;
}

static void init_retry_after(lk_report_retry_after *a)
{
    a->rejections = a->with_header = LK_COUNT_NONE;
    a->seconds = a->fraction = a->milliseconds = a->date = LK_COUNT_NONE;
    a->malformed = a->past = a->negative = a->zero = LK_COUNT_NONE;
    a->obedience = (lk_report_obedience){ LK_COUNT_NONE, (double)NAN, (double)NAN, (double)NAN,
                                          (double)NAN };
    a->share_bin_s = (double)NAN;
    a->share_from_ns = LK_TIME_NONE;
}

static void init_wasted(lk_report_wasted *w)
{
    w->after_client_left = w->non_retryable = w->ignored_retry_after = LK_COUNT_NONE;
    w->over_tenth = w->over_fifth = LK_COUNT_NONE;
    w->retry_share = (double)NAN;
}

static void init_capacity(lk_report *r)
{
    const double none = (double)NAN;

    r->capacity = (lk_report_capacity){
        .allowance_per_s = none, .allowance_low = none, .allowance_high = none, .bucket = none,
        .demand_per_s = none, .spare_per_s = none, .backlog = none, .drain_s = none,
        .bucket_emptied_in_s = none, .deficit_per_s = none, .window_s = none,
        .failed_attempt_cost = none, .bystanders_in_waves = none, .bystanders_outside = none,
    };
    r->workload.bin_s = r->workload.waves_from_s = none;
    r->workload.request_rate = (lk_report_request_rate){ none, none, none, none };
    r->workload.start_ns = LK_TIME_NONE;
    r->outlook = (lk_report_outlook){ LK_COUNT_NONE, LK_TIME_NONE, none };
}

void lk_report_expected_init(lk_report_expected *x)
{
    const double none = (double)NAN;

    *x = (lk_report_expected){ none, none, none, none, none, none, none, none, NULL, NULL };
}

void lk_report_value_init(lk_report_value *v)
{
    *v = (lk_report_value){ .value = NULL };
    init_http(&v->http);
    init_calls(&v->calls);
}

void lk_report_init(lk_report *r)
{
    *r = (lk_report){ .synchronised = LK_NOT_KNOWN, .overload = LK_NOT_KNOWN };
    init_input(&r->input);
    init_http(&r->http);
    init_calls(&r->calls);
    init_reconciliation(&r->reconciliation);
    init_wasted(&r->wasted);
    r->arrivals.bin_s = (double)NAN;
    r->arrivals.start_ns = LK_TIME_NONE;
    r->spectrum.bin_s = r->spectrum.threshold = (double)NAN;
    init_retry_after(&r->retry_after);
    init_capacity(r);
}

const lk_report_clock *lk_report_leading_retry_clock(const lk_report *r)
{
    const lk_report_clock *best = NULL;

    for (size_t i = 0; i < r->clock_count; i++) {
        const lk_report_clock *c = &r->clocks[i];

        if (strcmp(c->kind, "retry") == 0 && c->wave_count &&
            (!best || c->wave_list[0].arrivals > best->wave_list[0].arrivals))
            best = c;
    }
    return best;
}
