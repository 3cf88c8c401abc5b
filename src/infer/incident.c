#include "infer/incident.h"
#include "base/time.h"
#include "base/whole.h"
#include "model/attempt.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

enum { BLOCKS = 100, FAILED_MIN = 20 };

static const double RATIO_MIN = 20;     /* log-likelihood ratio of an incident */
static const double CONTRAST = 3;       /* its share of failed attempts, in those outside it */
static const double SHARE_MIN = 0.02;
static const double WHOLE_SHARE_MIN = 0.2; /* of an incident that the log shows nothing outside of */
static const double SURGE = 1.5;        /* in baselines */
static const int64_t BLOCK_NS = 10 * LK_NS_PER_S;
static const int64_t GAP_NS = 300 * LK_NS_PER_S;
static const int64_t BUDGET_NS = 60 * LK_NS_PER_S;

/* Bins [from, to). */
typedef struct segment {
    size_t from, to;
    double ratio;
} segment;

typedef struct totals {
    double attempts, failed, comebacks;
} totals;

static totals sum_of(const lk_evidence *ev, size_t from, size_t to)
{
    totals t = { 0 };

    for (size_t i = from; i < to; i++) {
        t.attempts += ev->periods[i].attempts;
        t.failed += ev->periods[i].failed;
        t.comebacks += ev->periods[i].comebacks;
    }
    return t;
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

/* Share of failed attempts in the quieter quarter of the log. */
static double quiet_share(const lk_evidence *ev)
{
    size_t width = (ev->period_count + BLOCKS - 1) / BLOCKS, n = 0;
    double share[BLOCKS];

    for (size_t i = 0; i < ev->period_count; i += width) {
        size_t to = i + width < ev->period_count ? i + width : ev->period_count;
        totals t = sum_of(ev, i, to);

        if (t.attempts > 0)
            share[n++] = t.failed / t.attempts;
    }
    if (!n)
        return 0;
    qsort(share, n, sizeof(*share), by_value);
    return share[n / 4];
}

/* What a failed attempt adds to the ratio, and what another one takes. */
typedef struct weights {
    double gain, cost;
} weights;

static weights weights_of(double quiet)
{
    double p0 = fmin(fmax(quiet, 0.002), 0.5), p1 = fmin(fmax(4 * p0, 0.04), 0.9);

    return (weights){ log(p1 / p0), log((1 - p0) / (1 - p1)) };
}

/* The segment of the greatest ratio between [from, to). */
static segment scan(const lk_evidence *ev, size_t from, size_t to, double quiet)
{
    weights w = weights_of(quiet);
    double sum = 0;
    segment best = { from, from, 0 };
    size_t begin = from;

    for (size_t i = from; i < to; i++) {
        const lk_period *b = &ev->periods[i];

        if (sum <= 0) {
            sum = 0;
            begin = i;
        }
        sum += w.gain * b->failed - w.cost * (b->attempts - b->failed);
        if (sum > best.ratio)
            best = (segment){ begin, i + 1, sum };
    }
    return best;
}

/* The deepest decline inside a segment: a time as quiet as the rest. */
static segment quiet_inside(const lk_evidence *ev, const segment *s, double quiet)
{
    weights w = weights_of(quiet);
    double sum = 0;
    segment best = { s->from, s->from, 0 };
    size_t begin = s->from;

    for (size_t i = s->from; i < s->to; i++) {
        const lk_period *b = &ev->periods[i];

        if (sum <= 0) {
            sum = 0;
            begin = i;
        }
        sum += w.cost * (b->attempts - b->failed) - w.gain * b->failed;
        if (sum > best.ratio)
            best = (segment){ begin, i + 1, sum };
    }
    return best;
}

/* Two incidents with a long quiet time between them are two: the larger one stays. */
static segment without_gap(const lk_evidence *ev, segment s, double quiet)
{
    for (;;) {
        segment gap = quiet_inside(ev, &s, quiet), before, after;
        int64_t gap_ns = (int64_t)(gap.to - gap.from) * ev->period_ns;

        if (gap.ratio < RATIO_MIN || gap_ns < GAP_NS || (gap.to - gap.from) * 4 < s.to - s.from)
            return s;
        before = scan(ev, s.from, gap.from, quiet);
        after = scan(ev, gap.to, s.to, quiet);
        s = before.ratio > after.ratio ? before : after;
    }
}

/* Nearly all of the log. */
static bool is_whole(const lk_evidence *ev, const segment *s)
{
    return (s->to - s->from) * 20 > ev->period_count * 19;
}

static bool is_incident(const lk_evidence *ev, const segment *s)
{
    totals in = sum_of(ev, s->from, s->to), all = sum_of(ev, 0, ev->period_count);
    double out = all.attempts > in.attempts
                     ? (all.failed - in.failed) / (all.attempts - in.attempts)
                     : 0;
    double share = in.attempts > 0 ? in.failed / in.attempts : 0;

    if (is_whole(ev, s)) /* it was never otherwise: everyday, or a log of nothing but the incident */
        return in.failed >= FAILED_MIN && share >= WHOLE_SHARE_MIN;
    return s->ratio >= RATIO_MIN && in.failed >= FAILED_MIN && share >= SHARE_MIN &&
           share >= CONTRAST * out;
}

static int64_t begin_of(const lk_evidence *ev, size_t bin)
{
    return ev->periods_from_ns + (int64_t)bin * ev->period_ns;
}

/* ---- demand ---- */

/* First attempts of a block of bins. */
static double demand_of(const lk_evidence *ev, size_t from, size_t to)
{
    totals t = sum_of(ev, from, to);

    return fmax(0, t.attempts - t.comebacks);
}

/* Its median over the whole blocks outside the incident; NAN when they are too few. */
static lk_code baseline(const lk_evidence *ev, const segment *s, size_t block, lk_arena *scratch,
                        double *out, lk_err *e)
{
    double *demand = LK_NEW(scratch, double, ev->period_count / block + 1);
    size_t n = 0;

    if (!demand)
        return lk_fail(e, LK_EOOM, "no memory for the demand of %zu bins", ev->period_count);
    for (size_t i = 0; i + block <= ev->period_count; i += block)
        if (i + block <= s->from || i >= s->to)
            demand[n++] = demand_of(ev, i, i + block);
    *out = (double)NAN;
    if (n < 3)
        return LK_OK;
    qsort(demand, n, sizeof(*demand), by_value);
    *out = demand[n / 2];
    return LK_OK;
}

/* Where the last surge inside the incident ends; s->from when there is none. */
static size_t surge_end(const lk_evidence *ev, const segment *s, size_t block, double base)
{
    double bound = SURGE * base + 3 * sqrt(base) + 2;
    size_t end = s->from;

    for (size_t i = s->from; i < s->to; i += block) {
        size_t to = i + block < s->to ? i + block : s->to;

        if (demand_of(ev, i, to) > bound)
            end = to;
    }
    while (end > s->from && demand_of(ev, end - 1, end) * (double)block <= bound)
        end--;
    return end;
}

static lk_code find_tail(const lk_evidence *ev, const segment *s, lk_arena *scratch,
                         lk_report_incident *out, lk_err *e)
{
    size_t block = (size_t)((BLOCK_NS + ev->period_ns - 1) / ev->period_ns), end;
    double base = (double)NAN;
    totals tail;

    LK_TRY(baseline(ev, s, block, scratch, &base, e));
    if (isnan(base))
        return LK_OK;
    end = surge_end(ev, s, block, base);
    if (end == s->from)
        return LK_OK;
    out->demand_back_ns = begin_of(ev, end);
    if (out->recovered_ns == LK_TIME_NONE)
        return LK_OK;
    out->tail_s = fmax(0, (double)(out->recovered_ns - out->demand_back_ns) / 1e9);
    tail = sum_of(ev, end, s->to);
    if (tail.attempts > 0)
        out->tail_retry_share = tail.comebacks / tail.attempts;
    return LK_OK;
}

/* ---- the account inside ---- */

static void count_statuses(const lk_evidence *ev, const segment *s, lk_report_http *h)
{
    for (size_t k = 0; k < ev->status_count; k++) {
        unsigned status = ev->statuses[k];
        int64_t n = 0;

        for (size_t i = s->from; i < s->to; i++)
            n += ev->periods[i].by_status[k];
        h->by_status[status] = n;
        if (lk_status_is_error(status))
            h->errors += n;
        if (status >= 400 && status <= 499 && status != 429 && !lk_status_client_gave_up(status))
            h->client_errors += n;
    }
}

static void count_http(const lk_evidence *ev, const segment *s, bool calls_known,
                       lk_report_http *h)
{
    int64_t calls = 0;

    h->requests = h->attempts = h->errors = h->client_errors = h->client_gave_up = h->rejected = 0;
    for (size_t i = s->from; i < s->to; i++) {
        const lk_period *b = &ev->periods[i];

        h->requests += b->requests;
        h->attempts += b->attempts;
        h->client_gave_up += b->gave_up;
        h->rejected += b->rejected;
        for (size_t f = 0; f < LK_FATES; f++)
            calls += b->calls[f];
    }
    count_statuses(ev, s, h);
    for (size_t i = s->from; i < s->to; i++) {
        h->errors += ev->periods[i].refused_good + ev->periods[i].refused_client;
        h->client_errors -= ev->periods[i].refused_client;
    }
    if (h->attempts > 0) {
        h->error_share = (double)h->errors / (double)h->attempts;
        h->rejected_share = (double)h->rejected / (double)h->attempts;
    }
    if (!calls_known)
        return;
    h->first_attempts = calls;
    h->retries = h->attempts > calls ? h->attempts - calls : 0;
}

static int64_t length_quantile(const uint64_t *lengths, uint64_t calls, int64_t most, double q)
{
    uint64_t seen = 0;

    for (size_t n = 0; n + 1 < LK_PERIOD_LENGTHS; n++) {
        seen += lengths[n];
        if ((double)seen >= q * (double)calls)
            return (int64_t)n;
    }
    return most < LK_PERIOD_LENGTHS ? most : LK_COUNT_NONE; /* beyond what was kept */
}

/* Inside a cell the times lie evenly on a logarithmic scale. */
static double span_quantile_s(const uint64_t *spans, uint64_t timed, double max_s, double q)
{
    double want = q * (double)timed, seen = 0;

    for (size_t cell = 0; cell < LK_PERIOD_SPANS; cell++) {
        double n = (double)spans[cell], from, to, part;

        if (n <= 0 || seen + n < want) {
            seen += n;
            continue;
        }
        part = (want - seen) / n;
        from = lk_span_edge_s(cell);
        to = cell + 1 < LK_PERIOD_SPANS ? fmin(lk_span_edge_s(cell + 1), max_s) : max_s;
        return from > 0 && to > from ? from * pow(to / from, part) : part * to;
    }
    return (double)NAN;
}

static void count_times(const lk_evidence *ev, const segment *s, lk_report_calls *c)
{
    uint64_t spans[LK_PERIOD_SPANS] = { 0 }, timed = 0;
    int64_t span_ns = 0, waited_ns = 0, max_ns = 0;

    for (size_t i = s->from; i < s->to; i++) {
        const lk_period *b = &ev->periods[i];

        timed += b->timed;
        span_ns += b->span_ns;
        waited_ns += b->waited_ns;
        max_ns = b->span_max_ns > max_ns ? b->span_max_ns : max_ns;
        for (size_t cell = 0; cell < LK_PERIOD_SPANS; cell++)
            spans[cell] += b->spans[cell];
    }
    if (!timed || span_ns <= 0)
        return;
    c->success_mean_s = (double)span_ns / 1e9 / (double)timed;
    c->success_max_s = (double)max_ns / 1e9;
    c->success_p50_s = span_quantile_s(spans, timed, c->success_max_s, 0.5);
    c->success_p99_s = span_quantile_s(spans, timed, c->success_max_s, 0.99);
    c->waiting_share = (double)waited_ns / (double)span_ns;
}

static void count_calls(const lk_evidence *ev, const segment *s, const char *source,
                        lk_report_calls *c)
{
    uint64_t fates[LK_FATES] = { 0 }, lengths[LK_PERIOD_LENGTHS] = { 0 }, http = 0;
    int64_t most = 0;

    for (size_t i = s->from; i < s->to; i++) {
        const lk_period *b = &ev->periods[i];

        for (size_t f = 0; f < LK_FATES; f++)
            fates[f] += b->calls[f];
        for (size_t n = 0; n < LK_PERIOD_LENGTHS; n++)
            lengths[n] += b->lengths[n];
        http += b->http;
        most = b->most > most ? b->most : most;
    }
    c->failed = (int64_t)fates[LK_FATE_FAILED];
    c->open = (int64_t)fates[LK_FATE_OPEN];
    c->recovered = (int64_t)fates[LK_FATE_RECOVERED];
    c->succeeded_first = (int64_t)fates[LK_FATE_FIRST];
    c->total = c->failed + c->open + c->recovered + c->succeeded_first;
    c->source = source;
    if (!c->total)
        return;
    c->failed_share = (double)c->failed / (double)c->total;
    c->attempts_mean = (double)http / (double)c->total;
    if (c->counts_only)
        return;
    c->attempts_p50 = length_quantile(lengths, (uint64_t)c->total, most, 0.5);
    c->attempts_p99 = length_quantile(lengths, (uint64_t)c->total, most, 0.99);
    c->attempts_max = most;
    count_times(ev, s, c);
}

/* ---- all of it ---- */

static void narrow(const lk_evidence *ev, segment *s)
{
    while (s->from < s->to && !ev->periods[s->from].failed)
        s->from++;
    while (s->to > s->from && !ev->periods[s->to - 1].failed)
        s->to--;
}

static size_t others(const lk_evidence *ev, const segment *main, double quiet)
{
    segment before = scan(ev, 0, main->from, quiet), after;
    size_t n = is_incident(ev, &before);

    after = scan(ev, main->to, ev->period_count, quiet);
    return n + is_incident(ev, &after);
}

static lk_code fill(const lk_evidence *ev, const segment *s, lk_arena *scratch, lk_report *r,
                    lk_report_incident *in, lk_err *e)
{
    bool calls_known = r->calls.source != NULL;

    in->calls.counts_only = r->calls.counts_only;
    LK_TRY(calls_known ? find_tail(ev, s, scratch, in, e) : LK_OK);
    count_http(ev, s, calls_known, &in->http);
    /* the callers' own log is not kept by time: what the access log shows stands here */
    if (calls_known)
        count_calls(ev, s, r->input.identity_call && r->calls.by_identity ? "identity" : "inferred",
                    &in->calls);
    return LK_OK;
}

/* Bad in its quieter quarter, too: from the first line to the last. */
static bool is_bad_throughout(const lk_evidence *ev, double quiet, segment *s)
{
    *s = (segment){ 0, ev->period_count, 0 };
    return quiet >= WHOLE_SHARE_MIN && is_incident(ev, s);
}

static lk_report_incident *new_incident(lk_arena *arena)
{
    lk_report_incident *in = LK_NEW(arena, lk_report_incident, 1);
    lk_report *blank = LK_NEW(arena, lk_report, 1);

    if (!in || !blank)
        return NULL;
    lk_report_init(blank);
    *in = (lk_report_incident){ .start_ns = LK_TIME_NONE,
                                .demand_back_ns = LK_TIME_NONE,
                                .recovered_ns = LK_TIME_NONE,
                                .tail_s = (double)NAN,
                                .tail_retry_share = (double)NAN,
                                .http = blank->http,
                                .calls = blank->calls };
    return in;
}

lk_code lk_infer_incident(const lk_evidence *ev, int64_t since_ns, int64_t until_ns,
                          lk_arena *arena, lk_arena *scratch, lk_report *r, lk_err *e)
{
    bool given = since_ns != LK_TIME_NONE || until_ns != LK_TIME_NONE;
    double quiet = ev->period_count ? quiet_share(ev) : 0;
    segment s = { 0, ev->period_count, 0 };
    lk_report_incident *in;

    if (!ev->period_count)
        return LK_OK;
    if (!given) {
        s = without_gap(ev, scan(ev, 0, ev->period_count, quiet), quiet);
        narrow(ev, &s);
        if (!is_incident(ev, &s) && !is_bad_throughout(ev, quiet, &s))
            return LK_OK;
    }
    in = new_incident(arena);
    if (!in)
        return lk_fail(e, LK_EOOM, "no memory for the incident");
    in->start_ns = since_ns != LK_TIME_NONE ? since_ns : begin_of(ev, s.from);
    if (until_ns != LK_TIME_NONE)
        in->recovered_ns = until_ns;
    else if (!given && s.to < ev->period_count)
        in->recovered_ns = begin_of(ev, s.to);
    in->given = given;
    in->whole = !given && is_whole(ev, &s);
    in->others = given ? 0 : others(ev, &s, quiet);
    r->incident = in;
    return fill(ev, &s, scratch, r, in, e);
}

static uint64_t over_budget(const lk_evidence *ev, double share)
{
    size_t window = (size_t)((BUDGET_NS + ev->period_ns - 1) / ev->period_ns), begin = 0;
    uint64_t cut = 0;

    for (begin = 0; begin < ev->period_count; begin += window) {
        size_t to = begin + window < ev->period_count ? begin + window : ev->period_count;
        totals t = sum_of(ev, begin, to);
        double allowed = floor(share * fmax(0, t.attempts - t.comebacks));

        if (t.comebacks > allowed)
            cut += (uint64_t)lk_whole(t.comebacks - allowed);
    }
    return cut;
}

void lk_infer_budgets(const lk_evidence *ev, lk_report *r)
{
    r->wasted.over_tenth = (int64_t)over_budget(ev, 0.1);
    r->wasted.over_fifth = (int64_t)over_budget(ev, 0.2);
}
