#include "report/json_part.h"

#include <math.h>

static void add_first(lk_json *o, const lk_report_crowd *c, size_t n)
{
    lk_json *array = lk_json_array(o, "first");

    for (size_t i = 0; c->first && i < n; i++)
        lk_json_add_count(array, NULL, c->first[i]);
}

static void add_share(lk_json *o, const lk_report_crowd *c, size_t n)
{
    lk_json *array;

    if (!c->refused_share) {
        lk_json_add_null(o, "refused_share");
        return;
    }
    array = lk_json_array(o, "refused_share");
    for (size_t i = 0; i < n; i++)
        lk_json_add_real(array, NULL, c->refused_share[i]);
}

static void add_crowd(lk_json_part *p, lk_json *array, const lk_report_crowd *c, size_t n)
{
    lk_json *o = lk_json_part_item(array);

    lk_json_part_text(p, o, "population", c->population);
    lk_json_add_count_or_null(o, "tasks", c->tasks);
    lk_json_add_count_or_null(o, "calls", c->calls);
    lk_json_add_count_or_null(o, "failed_calls", c->failed_calls);
    lk_json_add_count_or_null(o, "requeued", c->requeued);
    lk_json_add_count_or_null(o, "attempts", c->attempts);
    lk_json_add_count_or_null(o, "failed", c->failed);
    lk_json_add_count_or_null(o, "rejected", c->rejected);
    lk_json_add_count_or_null(o, "later_attempts", c->later_attempts);
    lk_json_add_count_or_null(o, "later_failed", c->later_failed);
    lk_json_add_real(o, "success_mean_s", c->success_mean_s);
    lk_json_add_real(o, "success_p99_s", c->success_p99_s);
    lk_json_add_real(o, "first_failure_s", c->first_failure_s);
    lk_json_add_real(o, "last_failure_s", c->last_failure_s);
    lk_json_add_real(o, "service_s", c->service_s);
    lk_json_add_real(o, "refusal_s", c->refusal_s);
    lk_json_add_text(o, "admission", c->admission);
    lk_json_add_real(o, "allowance_per_s", c->allowance_per_s);
    lk_json_add_real(o, "bucket", c->bucket);
    lk_json_add_count_or_null(o, "pool", c->pool);
    lk_json_add_real(o, "leave_share", c->leave_share);
    add_first(o, c, n);
    add_share(o, c, n);
}

static void add_request_rate(lk_json *o, const lk_report_request_rate *r)
{
    lk_json *rate;

    if (isnan(r->per_s)) {
        lk_json_add_null(o, "request_rate");
        return;
    }
    rate = lk_json_object(o, "request_rate");
    lk_json_add_real(rate, "per_s", r->per_s);
    lk_json_add_real(rate, "bucket", r->bucket);
    lk_json_add_real(rate, "refused_cost", r->refused_cost);
    lk_json_add_real(rate, "debt", r->debt);
}

void lk_json_part_workload(lk_json_part *p, lk_json *root)
{
    const lk_report_workload *w = &p->report->workload;
    lk_json *o, *array;

    if (!w->count) {
        lk_json_add_null(root, "workload");
        return;
    }
    o = lk_json_object(root, "workload");
    lk_json_add_time(o, "start", w->start_ns);
    lk_json_add_real(o, "bin_s", w->bin_s);
    lk_json_add_real(o, "waves_from_s", w->waves_from_s);
    add_request_rate(o, &w->request_rate);
    array = lk_json_array(o, "populations");
    for (size_t i = 0; i < w->count; i++)
        add_crowd(p, array, &w->crowds[i], w->n);
}
