#include "link/sdk.h"
#include "base/time.h"
#include "model/json.h"

#include <math.h>

void lk_sdk_init(lk_sdk *s)
{
    *s = (lk_sdk){ 0 };
}

static bool read_time(const lk_json *value, int64_t *at_ns)
{
    lk_slice text;
    double seconds;

    if (lk_json_text(value, &text) && lk_time_rfc3339(text, at_ns, NULL))
        return true;
    if (!lk_json_number(value, &seconds) || !(fabs(seconds) < 9e9))
        return false;
    *at_ns = (int64_t)llround(seconds * 1e3) * LK_NS_PER_MS;
    return true;
}

static void count_span(lk_sdk *s, double span_s)
{
    if (!(span_s >= 0) || span_s > 1e9)
        return;
    s->timed++;
    s->spans[lk_pause_cell((int64_t)llround(span_s * 1e9))]++;
    s->span_sum_s += span_s;
    if (span_s > s->span_max_s)
        s->span_max_s = span_s;
}

static bool count_call(lk_sdk *s, const lk_json *call, int64_t since_ns, int64_t until_ns)
{
    double attempts = 1, span_s = (double)NAN;
    lk_slice outcome;
    int64_t at_ns;
    uint64_t n;

    if (!lk_json_text(lk_json_get(call, "outcome"), &outcome) ||
        !read_time(lk_json_get(call, "ts"), &at_ns))
        return false;
    if ((since_ns != LK_TIME_NONE && at_ns < since_ns) ||
        (until_ns != LK_TIME_NONE && at_ns >= until_ns)) {
        s->filtered++;
        return true;
    }
    (void)lk_json_number(lk_json_get(call, "attempts"), &attempts);
    n = attempts >= 1 && attempts < 1e9 ? (uint64_t)attempts : 1;
    s->calls++;
    s->lengths[n < LK_SDK_LENGTHS ? n : LK_SDK_LENGTHS]++;
    if (n > s->most)
        s->most = n;
    if (!lk_slice_is(outcome, "ok")) {
        s->failed++;
        return true;
    }
    s->recovered += n > 1;
    if (lk_json_number(lk_json_get(call, "duration_s"), &span_s))
        count_span(s, span_s);
    return true;
}

bool lk_sdk_take(lk_sdk *s, lk_slice line, int64_t since_ns, int64_t until_ns)
{
    lk_json *call = lk_json_parse(line);
    bool ok = call && count_call(s, call, since_ns, until_ns);

    lk_json_free(call);
    s->lines++;
    s->rejected += !ok;
    return ok;
}

static int64_t length_quantile(const lk_sdk *s, double q)
{
    uint64_t seen = 0;

    for (size_t n = 0; n <= LK_SDK_LENGTHS; n++) {
        seen += s->lengths[n];
        if (seen && (double)seen >= q * (double)s->calls)
            return (int64_t)n;
    }
    return LK_COUNT_NONE;
}

static double span_quantile_s(const lk_sdk *s, double q)
{
    uint64_t seen = 0;

    for (size_t cell = 0; cell <= LK_PAUSES_MAX; cell++) {
        seen += s->spans[cell];
        if (seen && (double)seen >= q * (double)s->timed)
            return fmin(lk_pause_value_s(cell), s->span_max_s);
    }
    return (double)NAN;
}

static double mean_length(const lk_sdk *s)
{
    double sum = 0;

    for (size_t n = 0; n <= LK_SDK_LENGTHS; n++)
        sum += (double)n * (double)s->lengths[n];
    return sum / (double)s->calls;
}

void lk_sdk_report(const lk_sdk *s, lk_report *r)
{
    lk_report_calls *c = &r->calls;
    int64_t seen = c->recovered != LK_COUNT_NONE && c->source ? c->recovered : 0;
    bool by_id = r->input.identity_call && r->calls.source &&
                 lk_slice_is(lk_slice_from(r->calls.source), "identity");

    if (!s->calls)
        return;
    c->source = "sdk-log";
    c->total = (int64_t)s->calls;
    c->failed = (int64_t)s->failed;
    c->failed_share = (double)s->failed / (double)s->calls;
    /* the access log also sees the tries of a proxy below the SDK */
    c->recovered = (int64_t)s->recovered;
    if (by_id && seen > c->recovered)
        c->recovered = seen;
    c->succeeded_first = c->total - c->failed - c->recovered;
    c->attempts_mean = mean_length(s);
    c->attempts_p50 = length_quantile(s, 0.5);
    c->attempts_p99 = length_quantile(s, 0.99);
    c->attempts_max = (int64_t)s->most;
    c->waiting_share = (double)NAN;
    if (!s->timed)
        return;
    c->success_mean_s = s->span_sum_s / (double)s->timed;
    c->success_p50_s = span_quantile_s(s, 0.5);
    c->success_p99_s = span_quantile_s(s, 0.99);
    c->success_max_s = s->span_max_s;
}
