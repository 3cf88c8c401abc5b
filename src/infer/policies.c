#include "infer/policies.h"
#include "base/hash.h"
#include "base/whole.h"
#include "infer/asked.h"
#include "infer/policy_defaults.h"
#include "infer/policy_judge.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS_MIN = 3, ENDLESS = 10, RESTART_MIN = 12, OBEDIENT_MIN = 3, OBEDIENT_MOST = 32 };

/* In a delay: as good as the first one; grown; more than a backoff grows at once, so of another layer; growing
 * again. */
static const double RESTART_WITHIN = 0.3, GROWN = 2, GROWN_MOST = 5, GROWN_AGAIN = 1.5;

/* One run: what all rows share. */
struct work {
    const lk_evidence *evidence;
    const lk_symbols *symbols;
    lk_arena *arena, *scratch;
    lk_report *r;
};

static double seconds(int64_t ns)
{
    return (double)ns / 1e9;
}

static const char *layer_name(uint8_t layer)
{
    return layer == LK_COMEBACK_TASK ? "job" : "sdk";
}

/* ---- from comebacks to arrays ---- */

/* Grain of the stamps that most of the comebacks have. */
static double grain_of(const struct work *x, const lk_comeback_set *s)
{
    double logged = seconds(x->evidence->resolution_ns);
    size_t fine = 0;

    for (size_t i = 0; i < s->count; i++)
        fine += s->sample[i].fraction;
    if (2 * fine < s->count)
        return 1;
    return fmax(0.001, logged < 0.5 ? logged : 0.001);
}

/* The answer took as long as the caller or the proxy had patience, and no log says how long. */
static bool holds_service(const lk_comeback *c)
{
    return !c->has_took && (c->status == 408 || c->status == 499 || c->status == 504);
}

static lk_code arrays_of(const struct work *x, const lk_comeback_set *s, lk_judged_set *out,
                         lk_err *e)
{
    size_t n = s->count;
    double *delay = LK_NEW(x->scratch, double, 3 * n + 1), grain = grain_of(x, s);
    unsigned *retry = LK_NEW(x->scratch, unsigned, n + 1);
    uint64_t *caller = LK_NEW(x->scratch, uint64_t, n + 1);
    bool *holds = LK_NEW(x->scratch, bool, n + 1);
    double longest = 1;

    if (!delay || !retry || !caller || !holds)
        return lk_fail(e, LK_EOOM, "no memory for %zu comebacks", n);
    for (size_t i = 0; i < n; i++) {
        const lk_comeback *c = &s->sample[i];

        delay[i] = fmax(seconds(c->pause_ns), -grain);
        delay[n + i] = c->previous_ns < 0 ? (double)NAN : seconds(c->previous_ns);
        delay[2 * n + i] = c->asked_ns < 0 ? (double)NAN : seconds(c->asked_ns);
        retry[i] = c->retry < LK_RETRIES_MAX ? c->retry : LK_RETRIES_MAX - 1;
        caller[i] = c->caller;
        holds[i] = holds_service(c);
        longest = fmax(longest, 1.2 * delay[i]);
    }
    *out = (lk_judged_set){
        { n, delay, retry, delay + n, delay + 2 * n, caller, grain, longest,
          x->evidence->asked_is_logged,
          s->total > s->by_id, NULL },
        caller,
        holds,
    };
    return LK_OK;
}

/* ---- delays by attempt ---- */

static int ascending(const void *pa, const void *pb)
{
    double a = *(const double *)pa, b = *(const double *)pb;

    return (a > b) - (a < b);
}

static double quantile(const double *sorted, size_t n, double q)
{
    return sorted[lk_whole_size(q * (double)(n - 1) + 0.5)];
}

/* The narrowest round width that covers `longest` in LK_DELAY_BINS. */
static double bin_for(double longest_s, double grain_s)
{
    static const double ROUND[] = { 1, 2, 5 };
    double least = fmax(longest_s / (LK_DELAY_BINS - 1), grain_s),
           power = pow(10, floor(log10(least)));

    for (size_t i = 0; i < 3; i++)
        if (ROUND[i] * power >= least * (1 - 1e-9))
            return ROUND[i] * power;
    return 10 * power;
}

static lk_code fill_delays(const struct work *x, double *sorted, size_t n, double grain,
                           lk_report_delays *out, lk_err *e)
{
    uint32_t *counts = LK_NEW(x->arena, uint32_t, LK_DELAY_BINS);

    if (!counts)
        return lk_fail(e, LK_EOOM, "no memory for a histogram of delays");
    qsort(sorted, n, sizeof(*sorted), ascending);
    out->p5_s = quantile(sorted, n, 0.05);
    out->p50_s = quantile(sorted, n, 0.5);
    out->p95_s = quantile(sorted, n, 0.95);
    out->bin_s = bin_for(fmax(0, sorted[n - 1]), grain);
    for (size_t i = 0; i < n; i++) {
        size_t bin = lk_whole_size(fmax(0, sorted[i]) / out->bin_s + 1e-9);

        counts[bin < LK_DELAY_BINS ? bin : LK_DELAY_BINS - 1]++;
        out->bins = bin + 1 > out->bins ? bin + 1 : out->bins;
    }
    out->bins = out->bins < LK_DELAY_BINS ? out->bins : LK_DELAY_BINS;
    out->counts = counts;
    return LK_OK;
}

static lk_code delays_by_attempt(const struct work *x, const lk_comeback_set *s,
                                 const lk_judged_set *set, lk_report_policy *row, lk_err *e)
{
    lk_report_delays *rows = LK_NEW(x->arena, lk_report_delays, LK_DELAY_ROWS);
    double *own = LK_NEW(x->scratch, double, s->count + 1);

    if (!rows || !own)
        return lk_fail(e, LK_EOOM, "no memory for delays by attempt");
    for (unsigned k = 0; k < LK_RETRIES_MAX && row->attempt_count < LK_DELAY_ROWS; k++) {
        lk_report_delays *d = &rows[row->attempt_count];
        size_t n = 0;

        for (size_t i = 0; i < s->count; i++)
            if (set->delays.retry[i] == k)
                own[n++] = set->delays.delay_s[i];
        if (!n)
            continue;
        *d = (lk_report_delays){ .attempt = (int64_t)k + 1, .n = (int64_t)s->by_retry[k] };
        LK_TRY(fill_delays(x, own, n, set->delays.grain_s, d, e));
        row->attempt_count++;
    }
    row->by_attempt = rows;
    return LK_OK;
}

/* ---- a counter that falls back ---- */

/* The attempt that waits as the first one did, after waits that grew: they begin anew there although the call
 * has failed all the while.  0: there is none. */
static unsigned restarts_at(const lk_report_policy *row)
{
    const lk_report_delays *d = row->by_attempt;

    for (size_t k = 2; k + 1 < row->attempt_count; k++) {
        double first = d[0].p50_s, least = first * (1 - RESTART_WITHIN), most = first * (1 + RESTART_WITHIN);

        if (d[k + 1].n < RESTART_MIN || d[k + 1].attempt != (int64_t)k + 2)
            return 0;
        if (first > 0 && d[k].p50_s >= least && d[k].p50_s <= most && d[k - 1].p50_s >= GROWN * first &&
            d[k - 1].p50_s <= GROWN_MOST * d[k - 2].p50_s && d[k + 1].p50_s >= GROWN_AGAIN * d[k].p50_s)
            return (unsigned)k;
    }
    return 0;
}

/* ---- what the layers say ---- */

static bool is_text(const char *a, const char *b)
{
    return a == b || (a && b && strcmp(a, b) == 0);
}

static const lk_report_layer *layer_of(const lk_report *r, const char *population, const char *name)
{
    for (size_t i = 0; i < r->layer_count; i++)
        if (is_text(r->layers[i].population, population) && is_text(r->layers[i].name, name))
            return &r->layers[i];
    return NULL;
}

/* Distinct callers, from the share of the hashes that the sample reaches when it is full. */
static int64_t callers_of(const lk_comeback_set *s)
{
    uint64_t last = 0;
    double n = 0;

    for (size_t i = 0; i < s->count; i++)
        n += i == 0 || s->sample[i].caller != s->sample[i - 1].caller;
    if (!s->count || s->total == s->count)
        return lk_whole(n);
    last = lk_hash_mix(s->sample[s->count - 1].caller);
    return lk_whole(n / (((double)last + 1) / 18446744073709551616.0) + 0.5);
}

static int64_t calls_of(const lk_comeback_set *s)
{
    int64_t n = 0;

    for (size_t i = 0; i < s->count; i++)
        n += i == 0 || s->sample[i].call != s->sample[i - 1].call;
    return s->total == s->count ? n : LK_COUNT_NONE;
}

/* ---- flags ---- */

static bool is_often(size_t part, size_t whole)
{
    return part >= 5 && 10 * part >= whole;
}

static unsigned flags_of_attempts(const lk_comeback_set *s)
{
    size_t left = 0, hopeless = 0, uncounted = 0;
    unsigned flags = 0;

    for (size_t i = 0; i < s->count; i++) {
        left += lk_status_client_gave_up(s->sample[i].status);
        hopeless += s->sample[i].status == 501 || s->sample[i].status == 505;
        uncounted += s->sample[i].uncounted;
    }
    if (is_often(uncounted, s->count))
        flags |= LK_FLAG_COUNTER_RESET;
    if (is_often(left, s->count))
        flags |= LK_FLAG_AFTER_CLIENT_LEFT;
    if (is_often(hopeless, s->count))
        flags |= LK_FLAG_NON_RETRYABLE;
    return flags;
}

static unsigned flags_of_layer(const lk_report_layer *layer, const lk_policy_verdict *v)
{
    return layer && layer->cap < 0 && layer->amplification_max >= ENDLESS && !v->merged_from ? LK_FLAG_NO_CAP : 0;
}

static void name_flags(unsigned flags, lk_report_policy *row)
{
    for (unsigned i = 0; i < LK_FLAGS; i++)
        if (flags & 1U << i)
            row->flags[row->flag_count++] = lk_policy_flag_name(i);
}

/* ---- a row ---- */

static double known(bool is_known, double v)
{
    return is_known && isfinite(v) ? v : (double)NAN;
}

static void fill_parameters(const lk_policy_verdict *v, lk_report_policy *row)
{
    const lk_policy_model *m = &v->model;
    unsigned uses = v->policy && m->policy == v->policy ? v->policy->uses : 0;
    bool told = v->policy && strncmp(v->policy->name, "retry-after", 11) == 0;

    row->policy = v->policy ? v->policy->name : NULL;
    row->base_s = known((uses & LK_USES_BASE) && !told, m->params.base_s);
    row->factor = known((uses & LK_USES_FACTOR) && !told, m->params.factor);
    row->cap_s = known((uses & LK_USES_CAP) != 0, m->params.cap_s);
    row->jitter = known((uses & LK_USES_JITTER) != 0, m->params.jitter);
    row->support = v->support;
    row->runner_up = v->runner_up ? v->runner_up->name : NULL;
    row->regime_change_at =
        v->flags & LK_FLAG_REGIME_CHANGE ? (int64_t)v->regime_from + 1 : LK_COUNT_NONE;
}

static const char *population_name(const struct work *x, uint32_t population)
{
    if (population == UINT32_MAX)
        return "other";
    return lk_arena_text(x->arena, lk_intern_text(&x->symbols->populations, population));
}

/* The retries as a caller counts them that begins anew after so many. */
static lk_code begin_anew(const struct work *x, lk_judged_set *set, size_t n, unsigned every, lk_err *e)
{
    unsigned *retry = LK_NEW(x->scratch, unsigned, n + 1);

    if (!retry)
        return lk_fail(e, LK_EOOM, "no memory for %zu comebacks", n);
    for (size_t i = 0; i < n; i++)
        retry[i] = set->delays.retry[i] % every;
    set->delays.retry = retry;
    return LK_OK;
}

static lk_code make_row(struct work *x, const lk_comeback_set *s, lk_report_policy *row, lk_err *e)
{
    const lk_report_layer *layer;
    unsigned flags = flags_of_attempts(s), restart;
    lk_policy_verdict v;
    lk_judged_set set;

    *row = (lk_report_policy){ .population = population_name(x, s->population),
                               .layer = layer_name(s->layer) };
    layer = layer_of(x->r, row->population, row->layer);
    row->callers = callers_of(s);
    row->calls = layer ? layer->units : calls_of(s);
    row->comebacks = (int64_t)s->total;
    row->max_attempts = layer ? layer->cap : LK_COUNT_NONE;
    LK_TRY(arrays_of(x, s, &set, e));
    LK_TRY(delays_by_attempt(x, s, &set, row, e));
    restart = 2 * s->by_id > s->total ? restarts_at(row) : 0;
    if (restart) {
        flags |= LK_FLAG_COUNTER_RESET;
        LK_TRY(begin_anew(x, &set, s->count, restart, e));
    }
    LK_TRY(lk_policy_judge(&set, x->scratch, &v, e));
    fill_parameters(&v, row);
    if (row->max_attempts < 0 && v.merged_from)
        row->max_attempts = (int64_t)v.merged_from + 1;
    LK_TRY(lk_defaults_that_fit(&set, &v, (lk_comeback_layer)s->layer, row->population,
                                row->max_attempts, x->scratch, row->looks_like, LK_DEFAULTS_SHOWN,
                                &row->looks_like_count, e));
    row->retry_after = lk_obedience_of(s);
    name_flags(v.flags | flags | flags_of_layer(layer, &v), row);
    return LK_OK;
}

/* Most comebacks first; a population's calls before its tasks; names break ties. */
static int most_first(const void *pa, const void *pb)
{
    const lk_report_policy *a = pa, *b = pb;
    int c = is_text(a->population, b->population)
                ? strcmp(b->layer, a->layer)
                : (a->comebacks < b->comebacks) - (a->comebacks > b->comebacks);

    return c ? c : strcmp(a->population ? a->population : "", b->population ? b->population : "");
}

static bool comes_back(const lk_evidence *in, uint32_t population)
{
    for (size_t i = 0; i < in->comeback_count; i++)
        if (in->comebacks[i].population == population && in->comebacks[i].total >= ROWS_MIN)
            return true;
    return false;
}

/* Too few failures to learn their delays from, but most of the next attempts come when the server asked for them:
 * that is no luck.  What came at other times may be new calls, and is not counted. */
static void add_obedient(struct work *x, uint32_t population)
{
    const double none = (double)NAN;
    size_t exact, told = lk_asked_steps(x->evidence, population, &exact);
    lk_report_policy *row = &x->r->policies[x->r->policy_count];

    if (exact < OBEDIENT_MIN || 2 * exact <= told)
        return;
    *row = (lk_report_policy){
        .population = population_name(x, population),
        .layer = layer_name(LK_COMEBACK_CALL),
        .callers = LK_COUNT_NONE, .calls = LK_COUNT_NONE,
        .comebacks = (int64_t)exact,
        .policy = "retry-after-exact",
        .base_s = none, .factor = none, .cap_s = none, .jitter = none,
        .max_attempts = LK_COUNT_NONE,
        .support = (double)exact / (double)told,
        .regime_change_at = LK_COUNT_NONE,
        .retry_after = { (int64_t)exact, 1, 0, 0, none },
    };
    x->r->policy_count++;
}

static bool is_among(uint32_t x, const uint32_t *list, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (list[i] == x)
            return true;
    return false;
}

static bool is_never_back(const lk_evidence *in, uint32_t population)
{
    for (size_t i = 0; i < in->never_back_count; i++)
        if (in->never_back[i].population == population)
            return true;
    return false;
}

/* The populations of which nothing was linked: the first of them that were told to wait. */
static void add_obedient_rows(struct work *x)
{
    const lk_evidence *in = x->evidence;
    uint32_t seen[OBEDIENT_MOST];
    size_t n = 0;

    for (size_t i = 0; i < in->hop_count && n < OBEDIENT_MOST; i++) {
        uint32_t population = in->hops[i].population;

        if (in->hops[i].asked_ns <= 0 || population == UINT32_MAX || is_among(population, seen, n) ||
            comes_back(in, population) || is_never_back(in, population))
            continue;
        seen[n++] = population;
        add_obedient(x, population);
    }
}

static void add_never_back(struct work *x, const lk_never_back *never)
{
    const double none = (double)NAN;

    if (!comes_back(x->evidence, never->population))
        x->r->policies[x->r->policy_count++] = (lk_report_policy){
            .population = population_name(x, never->population),
            .layer = layer_name(LK_COMEBACK_CALL),
            .callers = LK_COUNT_NONE,
            .calls = (int64_t)never->calls,
            .policy = "none",
            .base_s = none, .factor = none, .cap_s = none, .jitter = none,
            .max_attempts = 1,
            .support = none,
            .regime_change_at = LK_COUNT_NONE,
            .retry_after = lk_obedience_of(&(lk_comeback_set){ 0 }),
        };
}

/* Calls that follow failed ones without being their task's: the layers say so. */
static bool is_no_task(const struct work *x, const lk_comeback_set *s)
{
    return s->layer == LK_COMEBACK_TASK && s->population != UINT32_MAX &&
           !layer_of(x->r, population_name(x, s->population), layer_name(s->layer));
}

static lk_code make_rows(struct work *x, lk_err *e)
{
    const lk_evidence *in = x->evidence;

    x->r->policies = LK_NEW(x->arena, lk_report_policy, in->comeback_count + in->never_back_count + OBEDIENT_MOST);
    if (!x->r->policies)
        return lk_fail(e, LK_EOOM, "no memory for policies");
    for (size_t i = 0; i < in->comeback_count; i++) {
        lk_mark mark = lk_arena_mark(x->scratch);

        if (in->comebacks[i].total < ROWS_MIN || is_no_task(x, &in->comebacks[i]))
            continue;
        LK_TRY(make_row(x, &in->comebacks[i], &x->r->policies[x->r->policy_count++], e));
        lk_arena_rewind(x->scratch, mark);
    }
    for (size_t i = 0; i < in->never_back_count; i++)
        add_never_back(x, &in->never_back[i]);
    add_obedient_rows(x);
    return LK_OK;
}

/* The rows of one population stand together, at the place of its largest. */
static void sort_rows(lk_report *r)
{
    lk_report_policy *p = r->policies;
    size_t n = r->policy_count;

    for (size_t i = 1; i < n; i++)
        for (size_t j = i; j > 0 && most_first(&p[j], &p[j - 1]) < 0; j--) {
            lk_report_policy t = p[j];

            p[j] = p[j - 1];
            p[j - 1] = t;
        }
}

lk_code lk_infer_policies(const lk_evidence *evidence, const lk_symbols *symbols, lk_arena *arena,
                          lk_arena *scratch, lk_report *r, lk_err *e)
{
    struct work x = { evidence, symbols, arena, scratch, r };

    LK_TRY(make_rows(&x, e));
    sort_rows(r);
    return LK_OK;
}
