#include "link/sdk.h"
#include "base/time.h"
#include "base/whole.h"
#include "link/sdk_join.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void lk_sdk_init(lk_sdk *s)
{
    memset(s, 0, sizeof(*s));
    s->first_ns = s->last_ns = s->http_from_ns = s->http_to_ns = LK_TIME_NONE;
}

void lk_sdk_release(lk_sdk *s)
{
    free(s->ids);
    free(s->strangers);
    free(s->agents);
    lk_sdk_init(s);
}

static void count_span(lk_sdk *s, double span_s)
{
    if (!(span_s >= 0) || span_s > 1e9)
        return;
    s->timed++;
    s->spans[lk_pause_cell(lk_nearest(span_s * 1e9))]++;
    s->span_sum_s += span_s;
    if (span_s > s->span_max_s)
        s->span_max_s = span_s;
}

/* Clients past the bound share the last row, which no user agent bears the name of. */
static uint16_t client_of(lk_sdk *s, lk_slice name)
{
    lk_sdk_client *c;

    if (name.len > LK_SDK_CLIENT_MAX)
        name.len = LK_SDK_CLIENT_MAX;
    for (size_t i = s->client_count; i-- > 0;)
        if (lk_slice_equal(name, (lk_slice){ s->clients[i].name, s->clients[i].len }))
            return (uint16_t)i;
    if (s->client_count == LK_SDK_CLIENTS)
        return LK_SDK_CLIENTS - 1;
    c = &s->clients[s->client_count++];
    if (s->client_count < LK_SDK_CLIENTS && name.len) {
        memcpy(c->name, name.p, name.len);
        c->len = name.len;
    }
    return (uint16_t)(s->client_count - 1);
}

static void count_call(lk_sdk *s, const lk_sdk_call *call)
{
    uint64_t n = call->attempts ? call->attempts : 1;

    s->calls++;
    s->lengths[n < LK_SDK_LENGTHS ? n : LK_SDK_LENGTHS]++;
    if (n > s->most)
        s->most = n;
    if (s->first_ns == LK_TIME_NONE || call->at_ns < s->first_ns)
        s->first_ns = call->at_ns;
    if (s->last_ns == LK_TIME_NONE || call->at_ns > s->last_ns)
        s->last_ns = call->at_ns;
    if (call->failed) {
        s->failed++;
        return;
    }
    s->recovered += n > 1;
    count_span(s, call->span_s);
}

lk_code lk_sdk_add(lk_sdk *s, const lk_sdk_call *call, int64_t since_ns, int64_t until_ns,
                   lk_err *e)
{
    bool is_outside = (since_ns != LK_TIME_NONE && call->at_ns < since_ns) ||
                      (until_ns != LK_TIME_NONE && call->at_ns >= until_ns);
    uint16_t client = client_of(s, call->client);

    if (is_outside)
        s->filtered++;
    else
        count_call(s, call);
    s->clients[client].calls += !is_outside;
    s->clients[client].with_id += !is_outside && call->id;
    return call->id ? lk_sdk_keep_id(s, call, client, e) : LK_OK;
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

static void report_times(const lk_sdk *s, lk_report_calls *c)
{
    if (!s->timed)
        return;
    c->success_mean_s = s->span_sum_s / (double)s->timed;
    c->success_p50_s = span_quantile_s(s, 0.5);
    c->success_p99_s = span_quantile_s(s, 0.99);
    c->success_max_s = s->span_max_s;
}

void lk_sdk_report(lk_sdk *s, const lk_symbols *symbols, lk_report *r)
{
    lk_report_calls *c = &r->calls;
    int64_t seen = c->recovered != LK_COUNT_NONE && c->source ? c->recovered : 0;
    bool by_id = r->input.identity_call && r->calls.source &&
                 lk_slice_is(lk_slice_from(r->calls.source), "identity");

    if (!s->calls)
        return;
    c->source = "sdk-log";
    c->counts_only = false;
    c->total = (int64_t)s->calls;
    c->failed = (int64_t)s->failed;
    c->failed_share = (double)s->failed / (double)s->calls;
    /* the access log also sees the tries of a proxy below the SDK */
    c->recovered = (int64_t)s->recovered;
    if (by_id && seen > c->recovered)
        c->recovered = seen;
    if (c->recovered > c->total - c->failed)
        c->recovered = c->total - c->failed;
    c->succeeded_first = c->total - c->failed - c->recovered;
    c->attempts_mean = mean_length(s);
    c->attempts_p50 = length_quantile(s, 0.5);
    c->attempts_p99 = length_quantile(s, 0.99);
    c->attempts_max = (int64_t)s->most;
    c->waiting_share = (double)NAN;
    report_times(s, c);
    lk_sdk_compare(s, symbols, c);
}
