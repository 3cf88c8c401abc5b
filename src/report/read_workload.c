/* The workload and what is expected of an advice, read back. */
#include "model/evidence.h"
#include "report/read_part.h"

#include <math.h>
#include <stddef.h>

/* clang-format off */

static void read_crowd(lk_reader *rd, const lk_json *o, lk_report_workload *w, lk_report_crowd *c)
{
    static const lk_field FIELDS[] = {
        F(lk_report_crowd, TEXT, "population", population), F(lk_report_crowd, COUNT, "tasks", tasks),
        F(lk_report_crowd, COUNT, "calls", calls), F(lk_report_crowd, COUNT, "failed_calls", failed_calls),
        F(lk_report_crowd, COUNT, "requeued", requeued), F(lk_report_crowd, COUNT, "attempts", attempts),
        F(lk_report_crowd, COUNT, "failed", failed), F(lk_report_crowd, COUNT, "rejected", rejected),
        F(lk_report_crowd, COUNT, "later_attempts", later_attempts),
        F(lk_report_crowd, COUNT, "later_failed", later_failed),
        F(lk_report_crowd, REAL, "success_mean_s", success_mean_s),
        F(lk_report_crowd, REAL, "success_p99_s", success_p99_s),
        F(lk_report_crowd, REAL, "first_failure_s", first_failure_s),
        F(lk_report_crowd, REAL, "last_failure_s", last_failure_s),
        F(lk_report_crowd, REAL, "service_s", service_s), F(lk_report_crowd, REAL, "refusal_s", refusal_s),
        F(lk_report_crowd, TEXT, "admission", admission),
        F(lk_report_crowd, REAL, "allowance_per_s", allowance_per_s), F(lk_report_crowd, REAL, "bucket", bucket),
        F(lk_report_crowd, COUNT, "pool", pool), F(lk_report_crowd, REAL, "leave_share", leave_share), END_FIELDS
    };
    size_t n, shares, tasks = 0;
    double *share;

    lk_read_fields(rd, o, FIELDS, c);
    c->first = lk_read_bins(rd, o, "first", &n);
    lk_read_need(rd, "first", c->first);
    w->n = w->n ? w->n : n;
    lk_read_equal(rd, "first", n, w->n);
    for (size_t i = 0; c->first && i < n; i++)
        tasks += c->first[i];
    /* whatif makes room by one, and fills by the other */
    lk_read_sound(rd, "workload.populations[].tasks", (size_t)c->tasks == tasks, "is not the sum of 'first'");
    share = lk_read_reals(rd, o, "refused_share", LK_WORKLOAD_BINS, &shares);
    if (share)
        lk_read_equal(rd, "refused_share", shares, n);
    c->refused_share = share;
}

/* Older builds did not count them: without waves they are all. */
static void read_later(const lk_report_workload *w, lk_report_crowd *c)
{
    if (!isnan(w->waves_from_s))
        return;
    if (c->later_attempts == LK_COUNT_NONE)
        c->later_attempts = c->attempts;
    if (c->later_failed == LK_COUNT_NONE)
        c->later_failed = c->failed;
}

/* All of it or nothing, and only from an instant on. */
static bool is_rate(const lk_report_workload *w)
{
    const lk_report_request_rate *r = &w->request_rate;

    if (isnan(r->per_s))
        return isnan(r->bucket) && isnan(r->refused_cost) && isnan(r->debt);
    return r->per_s > 0 && r->bucket >= 1 && r->refused_cost >= 0 && r->refused_cost <= 1 && r->debt >= 0 &&
           !isnan(w->waves_from_s);
}

/* Within the bins: by one more where digits are rounded. */
static bool is_within(const lk_report_workload *w)
{
    return isnan(w->waves_from_s) ||
           (w->waves_from_s >= 0 && w->waves_from_s <= ((double)w->n + 1) * w->bin_s);
}

void lk_read_workload(lk_reader *rd, const lk_json *root)
{
    static const lk_field FIELDS[] = { F(lk_report_workload, TIME, "start", start_ns),
                                       F(lk_report_workload, REAL, "bin_s", bin_s),
                                       F(lk_report_workload, REAL, "waves_from_s", waves_from_s), END_FIELDS };
    static const lk_field RATE[] = { F(lk_report_request_rate, REAL, "per_s", per_s),
                                     F(lk_report_request_rate, REAL, "bucket", bucket),
                                     F(lk_report_request_rate, REAL, "refused_cost", refused_cost),
                                     F(lk_report_request_rate, REAL, "debt", debt), END_FIELDS };
    const lk_json *o = lk_read_object(rd, root, "workload"), *v;
    lk_report_workload *w = &rd->report->workload;

    lk_read_fields(rd, o, FIELDS, w);
    lk_read_fields(rd, lk_read_object(rd, o, "request_rate"), RATE, &w->request_rate);
    w->crowds = lk_read_array(rd, o, "populations", LK_CROWDS_SHOWN, sizeof(*w->crowds), &v, &w->count);
    for (size_t i = 0; i < w->count; i++, v = lk_json_next(v)) {
        read_crowd(rd, v, w, &w->crowds[i]);
        read_later(w, &w->crowds[i]);
    }
    lk_read_sound(rd, "workload.waves_from_s", is_within(w), "is not within the bins");
    lk_read_sound(rd, "workload.request_rate", is_rate(w), "is no rate with what belongs to it");
    lk_read_sound(rd, "workload.populations[].first", w->n <= LK_WORKLOAD_BINS, "has too many bins");
    lk_read_sound(rd, "workload.bin_s", !w->count || w->bin_s >= 1e-3, "is no width of a bin");
    lk_read_sound(rd, "workload.start", !w->count || w->start_ns >= 0, "is no instant");
    lk_read_sound(rd, "workload.bin_s",
                  !w->count || (double)w->start_ns + ((double)w->n + 1) * w->bin_s * 1e9 < 9e18,
                  "is no width of a bin");
}

void lk_read_expected(lk_reader *rd, const lk_json *advice, lk_report_expected *x)
{
    static const lk_field FIELDS[] = {
        F(lk_report_expected, TEXT, "simulated", what), F(lk_report_expected, TEXT, "why_not", why_not),
        F(lk_report_expected, REAL, "requests_before", requests_before),
        F(lk_report_expected, REAL, "requests_after", requests_after),
        F(lk_report_expected, REAL, "rejected_share_before", rejected_before),
        F(lk_report_expected, REAL, "rejected_share_after", rejected_after),
        F(lk_report_expected, REAL, "drain_before_s", drain_before_s),
        F(lk_report_expected, REAL, "drain_after_s", drain_after_s),
        F(lk_report_expected, REAL, "lost_before", lost_before),
        F(lk_report_expected, REAL, "lost_after", lost_after), END_FIELDS
    };

    lk_read_fields(rd, lk_read_object(rd, advice, "expected"), FIELDS, x);
}
/* clang-format on */
