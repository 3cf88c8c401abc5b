#include "sim/replay.h"

#include "base/time.h"
#include "base/whole.h"
#include "base/xoshiro.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define STARTS_SEED UINT64_C(0x7265706c61793a31)
#define WAITED_S 1.0  /* later than wanted by more: it queued */
#define MINUTE_S 60.0
#define REQUESTS_MOST 2e7
#define OTHERS_MOST 20
enum { SPAN_CELLS = 600, POPULATIONS = 2 * LK_REPLAY_ROWS };

static const double REFUSAL_S = 0.005; /* where no durations are logged */

/* ---- how each population comes back ---- */

static bool is_same(const char *a, const char *b)
{
    return a && b ? strcmp(a, b) == 0 : a == b;
}

static const lk_report_policy *policy_of(const lk_report *r, const lk_report_crowd *c,
                                         const char *layer)
{
    for (size_t i = 0; i < r->policy_count; i++)
        if (strcmp(r->policies[i].layer, layer) == 0 &&
            is_same(r->policies[i].population, c->population))
            return &r->policies[i];
    return NULL;
}

static int64_t cap_of(const lk_report *r, const lk_report_crowd *c, const lk_report_policy *p)
{
    if (p->max_attempts > 0)
        return p->max_attempts;
    for (size_t i = 0; i < r->layer_count; i++)
        if (strcmp(r->layers[i].name, "sdk") == 0 &&
            is_same(r->layers[i].population, c->population))
            return r->layers[i].cap;
    return LK_COUNT_NONE;
}

/* A delay as it was seen: of the rows by attempt, that of the retry. */
static double seen_delay_s(void *context, unsigned retry, double previous_s, double asked_s, double u)
{
    const lk_report_policy *p = context;
    const lk_report_delays *d =
        &p->by_attempt[retry < p->attempt_count ? retry : p->attempt_count - 1];
    double total = 0, seen = 0;

    (void)previous_s;
    (void)asked_s;
    for (size_t i = 0; i < d->bins; i++)
        total += d->counts[i];
    for (size_t i = 0; i < d->bins && total > 0; i++) {
        double n = d->counts[i];

        if (n > 0 && seen + n > u * total)
            return d->bin_s * ((double)i + (u * total - seen) / n);
        seen += n;
    }
    return d->p50_s;
}

static double known(double x, double otherwise)
{
    return isnan(x) ? otherwise : x;
}

static void set_sampler(const lk_report *r, lk_replay_row *row)
{
    const lk_report_policy *p = row->call;
    lk_policy_params params = { 1, 2, (double)INFINITY, 0.1, 0 };
    int64_t cap;

    if (!p || is_same(p->policy, "none"))
        return;
    cap = cap_of(r, row->crowd, p);
    params.base_s = known(p->base_s, params.base_s);
    params.factor = known(p->factor, params.factor);
    params.cap_s = known(p->cap_s, params.cap_s);
    params.jitter = known(p->jitter, params.jitter);
    params.attempts = cap > 0 && cap < 1000000 ? (unsigned)cap : 0;
    row->retries = true;
    if (p->policy && lk_policy_find(p->policy)) {
        lk_sampler_init(&row->sampler, lk_policy_find(p->policy), &params);
    } else if (p->attempt_count) {
        lk_sampler_init_callback(&row->sampler, seen_delay_s, (void *)(uintptr_t)p);
        row->sampler.params.attempts = params.attempts;
        row->by_delays = true;
    } else {
        row->retries = false;
    }
}

/* The middle of the delays before the job layer's calls, and how far they spread. */
static void set_requeue(lk_replay_row *row)
{
    const lk_report_policy *p = row->job;
    double n = 0, low = 0, middle = 0, high = 0;

    row->requeue_s = -1;
    for (size_t i = 0; p && i < p->attempt_count; i++) {
        const lk_report_delays *d = &p->by_attempt[i];

        n += (double)d->n;
        low += (double)d->n * d->p5_s;
        middle += (double)d->n * d->p50_s;
        high += (double)d->n * d->p95_s;
    }
    if (!(n > 0))
        return;
    row->requeue_s = middle / n;
    if (high - low > 0.1 * middle) {
        row->requeue_s = low / n;
        row->requeue_spread_s = (high - low) / n;
    }
}

static void set_row(const lk_report *r, const lk_report_crowd *c, lk_replay_row *row)
{
    *row = (lk_replay_row){ .crowd = c,
                            .call = policy_of(r, c, "sdk"),
                            .job = policy_of(r, c, "job") };
    set_sampler(r, row);
    set_requeue(row);
    row->retries |= row->requeue_s >= 0;
}

/* ---- who changes ---- */

static bool has_word(const char *text, const char *word)
{
    size_t n = strlen(word);

    for (; text && *text; text++) {
        size_t i = 0;

        while (i < n && tolower((unsigned char)text[i]) == tolower((unsigned char)word[i]))
            i++;
        if (i == n)
            return true;
    }
    return false;
}

static lk_code choose_named(lk_replay *w, const char *name, lk_err *e)
{
    for (size_t i = 0; i < w->count; i++)
        if (is_same(w->rows[i].crowd->population, name))
            w->rows[i].is_changed = true, w->changed = 1;
    for (size_t i = 0; !w->changed && i < w->count; i++) {
        w->rows[i].is_changed = has_word(w->rows[i].crowd->population, name);
        w->changed += w->rows[i].is_changed;
    }
    if (w->changed == 1)
        return LK_OK;
    return lk_fail(e, LK_EUSAGE,
                   w->changed ? "--population: more than one population has '%.60s' in its name"
                              : "--population: no population is called '%.60s'",
                   name);
}

static bool has_clock(const lk_report *r, const lk_report_crowd *c)
{
    for (size_t i = 0; i < r->clock_count; i++)
        if (strcmp(r->clocks[i].kind, "retry") == 0 && r->clocks[i].population &&
            is_same(r->clocks[i].population, c->population))
            return true;
    return false;
}

static lk_code choose(lk_replay *w, const char *name, lk_err *e)
{
    bool all = name && strcmp(name, "all") == 0;

    if (name && !all)
        return choose_named(w, name, e);
    for (size_t i = 0; !all && i < w->count; i++) {
        w->rows[i].is_changed = w->rows[i].crowd->failed > 0 && has_clock(w->report, w->rows[i].crowd);
        w->changed += w->rows[i].is_changed;
    }
    for (size_t i = 0; !w->changed && i < w->count; i++)
        w->rows[i].is_changed = w->rows[i].retries && w->rows[i].crowd->failed > 0;
    w->changed = 0;
    for (size_t i = 0; i < w->count; i++)
        w->changed += w->rows[i].is_changed;
    return w->changed ? LK_OK
                      : lk_fail(e, LK_EDATA, "nobody who was refused came back in this incident: no "
                                             "retry policy changes it");
}

/* ---- what the report must hold ---- */

static lk_code check_report(const lk_report *r, lk_err *e)
{
    if (r->workload.count)
        return LK_OK;
    if (!r->calls.source)
        return lk_fail(e, LK_EDATA,
                       "the report does not tell calls from retries (calls.source is null), so when "
                       "first attempts came is not known; analyze the log with --call-id, "
                       "--attempt-no or --caller");
    if (r->http.rejected <= 0 && !r->incident)
        return lk_fail(e, LK_EDATA, "nothing was refused in this report: there is no incident to "
                                    "simulate");
    return lk_fail(e, LK_EDATA, "the report has no workload (an older version wrote it): analyze the "
                                "log again");
}

static lk_code check_admission(const lk_replay *w, lk_err *e)
{
    for (size_t i = 0; i < w->count; i++)
        if (w->rows[i].is_changed && w->rows[i].crowd->admission &&
            strcmp(w->rows[i].crowd->admission, "open") != 0)
            return LK_OK;
    if (!isnan(w->allowance_per_s))
        return LK_OK;
    return lk_fail(e, LK_EDATA, "too few of their requests were refused to know what the server "
                                "admits: give it by --allowance");
}

static double retry_after_of(const lk_report *r)
{
    const lk_report_retry_after *a = &r->retry_after;

    if (a->value_count && 2 * a->with_header >= a->rejections)
        return a->values[0].value_s;
    return -1;
}

lk_code lk_replay_init(lk_replay *w, const lk_report *r, const lk_change *change, lk_err *e)
{
    const lk_report_workload *load = &r->workload;
    double phase;

    LK_TRY(check_report(r, e));
    *w = (lk_replay){ .report = r,
                      .retry_after_s = retry_after_of(r),
                      .allowance_per_s = change->allowance_per_s,
                      .bucket = change->bucket,
                      .tasks_most = (double)INFINITY,
                      .requests_most = REQUESTS_MOST };
    for (; w->count < load->count && w->count < LK_REPLAY_ROWS; w->count++)
        set_row(r, &load->crowds[w->count], &w->rows[w->count]);
    phase = (double)(load->start_ns % (int64_t)(MINUTE_S * 1e9)) / 1e9;
    w->zero_s = -phase;
    LK_TRY(choose(w, change->population, e));
    return check_admission(w, e);
}

/* ---- a world ---- */

typedef struct world {
    const lk_replay *w;
    const lk_change *change;
    double thin; /* share of the tasks that is simulated */
    lk_population populations[POPULATIONS];
    lk_sampler samplers[POPULATIONS];
    lk_server_options pools[LK_REPLAY_ROWS];
    size_t pool_of_number; /* of crowds that share one; 0 = not made yet */
    size_t row_of[POPULATIONS];
    bool is_changed[POPULATIONS];
    double from[POPULATIONS], keep[POPULATIONS]; /* its row's tasks from that share on, and how much */
    size_t count, pool_count;
    double *shares[LK_REPLAY_ROWS];
    size_t share_count;
} world;

static bool is_kind(const lk_report_crowd *c, const char *kind)
{
    return c->admission && strcmp(c->admission, kind) == 0;
}

/* The pool of a row, made when it is the first of its number; 0: none. */
static size_t pool_of(world *x, const lk_replay_row *row)
{
    const lk_replay *w = x->w;
    const lk_report_crowd *c = row->crowd;
    bool given = row->is_changed && !isnan(w->allowance_per_s);
    lk_server_options o = LK_SERVER_INIT;

    if (!given && !is_kind(c, "token-bucket") && !is_kind(c, "fixed-window"))
        return 0;
    if ((given || c->pool >= 0) && x->pool_of_number)
        return x->pool_of_number;
    o.quota = !given && is_kind(c, "fixed-window") ? LK_QUOTA_WINDOW : LK_QUOTA_BUCKET;
    o.allowance_per_s = x->thin * (given ? w->allowance_per_s : c->allowance_per_s);
    o.depth = known(w->bucket, known(c->bucket, given ? w->allowance_per_s : 1));
    o.depth = fmax(1, x->thin * o.depth);
    x->pools[x->pool_count++] = o;
    if (given || c->pool >= 0)
        x->pool_of_number = x->pool_count;
    return x->pool_count;
}

/* What everybody's requests draw on, before any pool. */
static void set_request_rate(const world *x, lk_server_options *o)
{
    const lk_report_request_rate *r = &x->w->report->workload.request_rate;

    if (isnan(r->per_s))
        return;
    o->requests_per_s = x->thin * r->per_s;
    o->requests_depth = 1 + x->thin * r->bucket; /* requests are whole ones here */
    o->requests_debt = x->thin * r->debt;
    o->requests_refused_cost = r->refused_cost;
    o->requests_refund = 1 - r->refused_cost;
    o->requests_from_s = x->w->report->workload.waves_from_s - x->w->zero_s;
}

/* The refused share in bins from a run's instant 0. */
static lk_code set_share(world *x, const lk_report_crowd *c, lk_population *p, lk_err *e)
{
    const lk_report_workload *load = &x->w->report->workload;
    size_t before = lk_whole_size(ceil(-x->w->zero_s / load->bin_s)), n = load->n + before;
    double *share = calloc(n + 1, sizeof(*share));

    if (!share)
        return lk_fail(e, LK_EOOM, "no memory for %zu bins", n);
    x->shares[x->share_count++] = share;
    for (size_t i = 0; i < load->n; i++)
        share[i + before] = c->refused_share[i];
    p->refused_share = share;
    p->refused_count = n;
    p->refused_bin_s = load->bin_s;
    return LK_OK;
}

static void apply(const world *x, const lk_change *c, lk_population *p, lk_sampler *s, double keep)
{
    lk_policy_params params = s->params;
    double per_s = 0;

    if (c->policy.policy) {
        unsigned attempts = c->policy.params.attempts ? c->policy.params.attempts : params.attempts;

        params = c->policy.params;
        params.attempts = attempts;
        lk_sampler_init(s, c->policy.policy, &params);
    }
    if (c->attempts)
        s->params.attempts = c->attempts;
    p->policy = s;
    if (c->concurrency)
        p->concurrency = lk_whole_u32(fmax(1, round(c->concurrency * x->thin)));
    p->deadline_s = known(c->deadline_s, 0);
    p->first_jitter_s = known(c->first_jitter_s, 0);
    p->pace_s = known(c->pace_s, 0) / x->thin;
    if (p->requeue_s >= 0)
        p->requeue_jitter_s += known(c->requeue_jitter_s, 0);
    if (c->queue_attempts)
        p->queue_attempts = c->queue_attempts;
    if (c->breaker_trips) {
        p->breaker_trips = c->breaker_trips;
        p->breaker_open_s = p->breaker_jitter_s = known(c->breaker_open_s, 30);
    }
    if (!isnan(c->budget)) {
        const lk_report_workload *load = &x->w->report->workload;

        per_s = (double)x->w->rows[x->row_of[p - x->populations]].crowd->tasks * keep * x->thin /
                ((double)load->n * load->bin_s);
        p->budget_per_s = c->budget * per_s;
        p->budget = fmax(10 * x->thin, 10 * p->budget_per_s);
        p->budget = fmax(1, p->budget);
    }
}

static lk_code add(world *x, size_t i, bool is_changed, double from, double keep, size_t pool,
                   lk_err *e)
{
    const lk_replay_row *row = &x->w->rows[i];
    const lk_report_crowd *c = row->crowd;
    lk_population *p = &x->populations[x->count];
    lk_sampler *s = &x->samplers[x->count];

    *p = (lk_population)LK_POPULATION_INIT;
    *s = row->sampler;
    x->row_of[x->count] = i;
    x->is_changed[x->count] = is_changed;
    x->from[x->count] = from;
    x->keep[x->count] = keep;
    p->name = c->population ? c->population : "callers";
    p->policy = row->call && row->retries ? s : NULL;
    p->requeue_s = row->requeue_s;
    p->requeue_jitter_s = row->requeue_spread_s;
    p->leave_share = row->requeue_s >= 0 ? known(c->leave_share, 0) : 0;
    p->service_s = known(c->service_s, 0);
    p->refusal_s = fmax(REFUSAL_S / 10, known(c->refusal_s, REFUSAL_S));
    p->pool = pool;
    x->count++;
    if (!pool && c->refused_share)
        LK_TRY(set_share(x, c, p, e));
    if (is_changed && x->change)
        apply(x, x->change, p, s, keep);
    return LK_OK;
}

/* Does the row share an allowance with one that changes? */
static bool is_tied(const lk_replay *w, const lk_replay_row *row)
{
    for (size_t i = 0; row->crowd->pool >= 0 && i < w->count; i++)
        if (w->rows[i].is_changed && w->rows[i].crowd->pool == row->crowd->pool)
            return true;
    return false;
}

static bool is_reached(const lk_replay *w, const lk_replay_row *row)
{
    return !w->alone || row->is_changed || is_tied(w, row);
}

static bool is_simulated(const lk_replay *w, const lk_replay_row *row)
{
    return is_reached(w, row) || !isnan(w->report->workload.request_rate.per_s);
}

/* Of those who change, so many; with the others that draw on the same request rate, OTHERS_MOST times as many. */
static double thinned(const lk_replay *w)
{
    double own = 0, all = 0;

    for (size_t i = 0; i < w->count; i++) {
        const lk_replay_row *row = &w->rows[i];
        double tasks = (double)row->crowd->tasks;

        own += is_reached(w, row) ? tasks : 0;
        all += is_simulated(w, row) ? tasks : 0;
    }
    return fmin(1, fmin(w->tasks_most / own, OTHERS_MOST * w->tasks_most / all));
}

static lk_code build(world *x, lk_err *e)
{
    const lk_replay *w = x->w;
    double share = x->change ? known(x->change->share, 1) : 1;

    for (size_t i = 0; i < w->count; i++) {
        const lk_replay_row *row = &w->rows[i];
        size_t pool;

        if (!is_simulated(w, row))
            continue;
        pool = pool_of(x, row);
        if (row->is_changed && share < 1)
            LK_TRY(add(x, i, false, share, 1 - share, pool, e));
        LK_TRY(add(x, i, row->is_changed, 0, row->is_changed ? share : 1, pool, e));
    }
    return LK_OK;
}

static void release(world *x)
{
    for (size_t i = 0; i < x->share_count; i++)
        free(x->shares[i]);
}

/* ---- a run ---- */

typedef struct tally {
    const world *x;
    double requests, rejected, calls, failed_calls;
    double others_from_s, others, others_rejected;
    double last_trouble_s;
    double spans, span_sum_s;
    uint32_t span[SPAN_CELLS + 1];
} tally;

/* The rows that change, all of their callers: also those of them that do not. */
static bool is_of_changed(const world *x, size_t population)
{
    return x->w->rows[x->row_of[population]].is_changed;
}

static void on_attempt(void *context, const lk_sat_attempt *a)
{
    tally *t = context;
    bool refused = a->status != 200;

    if (!is_of_changed(t->x, a->population)) {
        bool counts = a->start_s >= t->others_from_s;

        t->others += counts;
        t->others_rejected += counts && refused;
        return;
    }
    t->requests++;
    t->rejected += refused;
    if (refused || a->attempt_no > 1 || a->call_no > 1 || a->start_s - a->wanted_s > WAITED_S ||
        t->x->populations[a->population].first_jitter_s > 0)
        t->last_trouble_s = fmax(t->last_trouble_s, a->end_s);
}

static void on_call(void *context, const lk_sat_call *c)
{
    tally *t = context;
    double span = c->end_s - c->start_s;
    size_t cell = span > 0.001 ? lk_whole_size(log(span / 0.001) / log(1.03)) : 0;

    if (!is_of_changed(t->x, c->population))
        return;
    t->calls++;
    t->failed_calls += !c->ok;
    if (!c->ok)
        return;
    t->spans++;
    t->span_sum_s += span;
    t->span[cell < SPAN_CELLS ? cell : SPAN_CELLS]++;
}

static double span_quantile(const tally *t, double q)
{
    double seen = 0;

    for (size_t i = 0; t->spans > 0 && i <= SPAN_CELLS; i++) {
        seen += t->span[i];
        if (seen >= q * t->spans)
            return 0.001 * pow(1.03, (double)i + 0.5);
    }
    return (double)NAN;
}

/* Each bin's first attempts, evenly at random inside it.  Both halves of a row draw the same numbers, and
 * each takes its own. */
static size_t place(const world *x, size_t i, lk_xoshiro *random, double *at)
{
    const lk_report_workload *load = &x->w->report->workload;
    const lk_report_crowd *c = x->w->rows[x->row_of[i]].crowd;
    double from = x->from[i] * x->thin, keep = x->keep[i] * x->thin;
    size_t n = 0;

    for (size_t k = 0; k < load->n; k++)
        for (uint32_t j = 0; j < c->first[k]; j++) {
            double u = lk_xoshiro_unit(random), lot = keep < 1 ? lk_xoshiro_unit(random) : 0;

            if (lot < from || lot >= from + keep)
                continue;
            at[n++] = ((double)k + u) * load->bin_s - x->w->zero_s;
        }
    return n;
}

static void sum_tasks(const world *x, const lk_saturation_result *r, double *m)
{
    double took = 0;
    const lk_population_result *most = NULL;

    m[LK_REPLAY_LOST] = m[LK_REPLAY_OPEN] = m[LK_REPLAY_DONE] = 0;
    for (size_t i = 0; i < x->count; i++) {
        const lk_population_result *p = &r->populations[i];

        if (!is_of_changed(x, i))
            continue;
        m[LK_REPLAY_LOST] += (double)(p->lost + p->left) / x->thin;
        m[LK_REPLAY_OPEN] += (double)p->open / x->thin;
        m[LK_REPLAY_DONE] += (double)p->done / x->thin;
        took += p->done ? p->took_mean_s * (double)p->done / x->thin : 0;
        most = !most || p->done > most->done ? p : most;
    }
    m[LK_REPLAY_TASK_MEAN] = m[LK_REPLAY_DONE] > 0 ? took / m[LK_REPLAY_DONE] : (double)NAN;
    m[LK_REPLAY_TASK_P99] = most ? lk_population_quantile_s(most, 0.99) : (double)NAN;
}

/* As it was: the same instant for every world. */
static double first_failure_s(const lk_replay *w)
{
    double first = (double)INFINITY;

    for (size_t i = 0; i < w->count; i++)
        if (w->rows[i].is_changed)
            first = fmin(first, known(w->rows[i].crowd->first_failure_s, (double)INFINITY));
    return isfinite(first) ? first - w->zero_s : 0;
}

static void sum_up(const world *x, const tally *t, const lk_saturation_result *r, double *m)
{
    m[LK_REPLAY_REQUESTS] = t->requests / x->thin;
    m[LK_REPLAY_REJECTED] = t->requests > 0 ? t->rejected / t->requests : (double)NAN;
    m[LK_REPLAY_CALLS] = t->calls / x->thin;
    m[LK_REPLAY_FAILED_CALLS] = t->failed_calls / x->thin;
    m[LK_REPLAY_DRAIN] = fmax(0, t->last_trouble_s - first_failure_s(x->w));
    m[LK_REPLAY_CALL_MEAN] = t->spans > 0 ? t->span_sum_s / t->spans : (double)NAN;
    m[LK_REPLAY_CALL_P99] = span_quantile(t, 0.99);
    m[LK_REPLAY_PEAK] = lk_saturation_peak_per_s(r, r->bins, 0, (double)INFINITY) / x->thin;
    m[LK_REPLAY_BYSTANDER_REQUESTS] = t->others / x->thin;
    m[LK_REPLAY_BYSTANDERS] = t->others > 0 ? t->others_rejected / t->others : (double)NAN;
    sum_tasks(x, r, m);
}

static size_t tasks_of(const world *x)
{
    size_t n = 0;

    for (size_t i = 0; i < x->count; i++)
        n += (size_t)x->w->rows[x->row_of[i]].crowd->tasks;
    return n;
}

/* What the log has of the others is counted by whole bins. */
static double others_from_s(const lk_replay *w)
{
    const lk_report_workload *load = &w->report->workload;

    return load->bin_s * ceil(known(load->waves_from_s, 0) / load->bin_s - 1e-9) - w->zero_s;
}

static lk_code measure(const void *context, void *worker, uint64_t seed, uint64_t stream, double *m,
                       lk_err *e)
{
    const world *x = context;
    const lk_report_workload *load = &x->w->report->workload;
    double *at = calloc(tasks_of(x) + 1, sizeof(*at)), *next = at;
    lk_population populations[POPULATIONS];
    lk_saturation_options o = LK_SATURATION_INIT;
    lk_saturation_result r;
    tally t = { .x = x, .others_from_s = others_from_s(x->w) };
    lk_code code;

    (void)worker;
    if (!at)
        return lk_fail(e, LK_EOOM, "no memory for the tasks of an incident");
    memcpy(populations, x->populations, sizeof(populations));
    for (size_t i = 0; i < x->count; i++) {
        lk_xoshiro random;

        lk_xoshiro_init(&random, seed ^ STARTS_SEED, 64 * stream + x->row_of[i]);
        populations[i].at_s = next;
        populations[i].count = place(x, i, &random, next);
        next += populations[i].count;
    }
    o.populations = populations;
    o.population_count = x->count;
    o.server.retry_after_s = x->w->retry_after_s;
    set_request_rate(x, &o.server);
    o.pools = x->pools;
    o.pool_count = x->pool_count;
    o.span_s = fmax(14400, 20 * (double)load->n * load->bin_s);
    o.requests_max = (uint64_t)lk_whole(x->w->requests_most);
    o.observer = (lk_sat_observer){ &t, on_attempt, on_call };
    code = lk_saturation_run(&o, seed, stream, &r, e);
    free(at);
    LK_TRY(code);
    sum_up(x, &t, &r, m);
    lk_saturation_release(&r);
    return LK_OK;
}

lk_code lk_replay_run(const lk_replay *w, const lk_change *change, unsigned runs, lk_lab *lab,
                      lk_estimate *out, lk_err *e)
{
    world *x = calloc(1, sizeof(*x));
    lk_experiment experiment = { LK_REPLAY_MEASURES, runs, x, NULL, NULL, measure };
    lk_code code;

    if (!x)
        return lk_fail(e, LK_EOOM, "no memory for a simulation");
    *x = (world){ .w = w, .change = change, .thin = thinned(w) };
    code = build(x, e);
    if (code == LK_OK)
        code = lk_lab_run(lab, &experiment, out, e);
    release(x);
    free(x);
    return code;
}

/* ---- as it was ---- */

static double observed_peak(const lk_report *r)
{
    const lk_report_arrivals *a = &r->arrivals;
    const lk_report_workload *load = &r->workload;
    double most = 0, sum = 0, second = -(double)INFINITY;

    if (!a->n || a->bin_s > 1.01)
        return (double)NAN;
    for (size_t i = 0; i < a->n; i++) {
        double at_s = (double)(a->start_ns - load->start_ns) / 1e9 + (double)i * a->bin_s;

        if (floor(at_s) > second)
            sum = 0;
        second = floor(at_s);
        sum += a->all[i];
        if (at_s + a->bin_s > 0 && at_s < (double)load->n * load->bin_s)
            most = fmax(most, sum);
    }
    return most;
}

/* A report of an older build may lack it. */
static double counted(int64_t count)
{
    return count >= 0 ? (double)count : (double)NAN;
}

void lk_replay_observed(const lk_replay *w, double *out)
{
    double first = (double)INFINITY, last = -(double)INFINITY, spans = 0, span_sum = 0;
    double rejected = 0, others_rejected = 0;

    for (size_t i = 0; i < LK_REPLAY_MEASURES; i++)
        out[i] = (double)NAN;
    out[LK_REPLAY_REQUESTS] = out[LK_REPLAY_CALLS] = out[LK_REPLAY_FAILED_CALLS] = 0;
    out[LK_REPLAY_LOST] = out[LK_REPLAY_BYSTANDER_REQUESTS] = 0;
    for (size_t i = 0; i < w->count; i++) {
        const lk_report_crowd *c = w->rows[i].crowd;

        if (!w->rows[i].is_changed) {
            out[LK_REPLAY_BYSTANDER_REQUESTS] += counted(c->later_attempts);
            others_rejected += counted(c->later_failed);
            continue;
        }
        out[LK_REPLAY_REQUESTS] += (double)c->attempts;
        rejected += (double)c->failed;
        out[LK_REPLAY_CALLS] += (double)c->calls;
        out[LK_REPLAY_FAILED_CALLS] += (double)c->failed_calls;
        out[LK_REPLAY_LOST] += fmax(0, (double)(c->failed_calls - c->requeued));
        first = fmin(first, known(c->first_failure_s, (double)INFINITY));
        last = fmax(last, known(c->last_failure_s, -(double)INFINITY));
        spans += (double)(c->calls - c->failed_calls);
        if (c->calls > c->failed_calls)
            span_sum += c->success_mean_s * (double)(c->calls - c->failed_calls);
        out[LK_REPLAY_CALL_P99] = fmax(known(out[LK_REPLAY_CALL_P99], 0), c->success_p99_s);
    }
    out[LK_REPLAY_REJECTED] = rejected / out[LK_REPLAY_REQUESTS];
    out[LK_REPLAY_BYSTANDERS] = others_rejected / out[LK_REPLAY_BYSTANDER_REQUESTS];
    out[LK_REPLAY_DRAIN] = last > first ? last - first : (double)NAN;
    out[LK_REPLAY_CALL_MEAN] = spans > 0 ? span_sum / spans : (double)NAN;
    out[LK_REPLAY_DONE] = out[LK_REPLAY_CALLS] - out[LK_REPLAY_FAILED_CALLS];
    if (!(out[LK_REPLAY_CALL_P99] > 0) || w->changed > 1)
        out[LK_REPLAY_CALL_P99] = (double)NAN;
    out[LK_REPLAY_PEAK] = observed_peak(w->report);
}
