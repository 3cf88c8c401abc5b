#include "infer/capacity.h"

#include "base/whole.h"
#include "infer/limiter.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { BLOCKS_MIN = 6, WAVES_MIN = 3, REFUSED_MIN = 5, EVERYBODY = -1, FEW = 5, BYSTANDERS_MIN = 20,
       OVERLOAD_BLOCKS = 3 };

static const double BLOCK_S = 10;   /* admitted requests are counted over at least this */
static const double MINUTE_S = 60, COUNTED = 20; /* requests that a block should count, at least */
static const double REFUSING = 0.2; /* share refused of a stretch that is full */
static const double STEADY = 0.35;  /* interquartile range in medians */

/* One run. */
struct work {
    const lk_evidence *ev;
    const lk_symbols *symbols;
    lk_arena *arena, *scratch;
    lk_report *r;
    const lk_report_clock *clock; /* the leading retry clock; NULL = none */
    int slot;                     /* of lk_period.of_population; EVERYBODY */
    double period_s;              /* of the bins of ev->periods            */
};

/* Sums over some bins. */
typedef struct sums {
    double attempts, comebacks, rejected, admitted, seconds;
} sums;

static void add(const struct work *x, sums *s, const lk_period *p)
{
    double attempts = x->slot < 0 ? p->attempts : p->of_population[x->slot];
    double rejected = x->slot < 0 ? p->rejected : p->rejected_population[x->slot];

    s->attempts += attempts;
    s->comebacks += x->slot < 0 ? p->comebacks : p->comebacks_population[x->slot];
    s->rejected += rejected;
    s->admitted += fmax(0, attempts - rejected);
    s->seconds += x->period_s;
}

static int64_t start_of(const lk_evidence *ev, size_t i)
{
    return ev->periods_from_ns + (int64_t)i * ev->period_ns;
}

static bool is_in(const lk_evidence *ev, size_t i, const lk_report_incident *in)
{
    int64_t at = start_of(ev, i);

    if (!in)
        return true;
    return at + ev->period_ns > in->start_ns &&
           (in->recovered_ns == LK_TIME_NONE || at < in->recovered_ns);
}

static int ascending(const void *pa, const void *pb)
{
    double a = *(const double *)pa, b = *(const double *)pb;

    return (a > b) - (a < b);
}

/* ---- whose limit it is ---- */

static lk_slice name_slice(const struct work *x, size_t slot)
{
    return lk_intern_text(&x->symbols->populations, x->ev->populations[slot]);
}

static bool is_text(const char *a, const char *b)
{
    return a == b || (a && b && strcmp(a, b) == 0);
}

static int slot_named(const struct work *x, const char *population)
{
    for (size_t i = 0; population && i < x->ev->population_count; i++)
        if (lk_slice_is(name_slice(x, i), population))
            return (int)i;
    return EVERYBODY;
}

/* The one that has most of the rejections. */
static int slot_of_most(const struct work *x)
{
    double of[LK_PERIOD_POPULATIONS] = { 0 }, all = 0;
    size_t best = 0;

    for (size_t i = 0; i < x->ev->period_count; i++) {
        for (size_t k = 0; k < x->ev->population_count; k++)
            of[k] += x->ev->periods[i].rejected_population[k];
        all += x->ev->periods[i].rejected;
    }
    for (size_t k = 1; k < x->ev->population_count; k++)
        best = of[k] > of[best] ? k : best;
    return of[best] > 0.6 * all ? (int)best : EVERYBODY;
}

/* Callers of one kind are refused by a limit of their own as a rule. */
static void choose_population(struct work *x)
{
    lk_report_capacity *c = &x->r->capacity;

    x->slot = x->clock ? slot_named(x, x->clock->population) : EVERYBODY;
    if (x->slot < 0)
        x->slot = slot_of_most(x);
    if (x->slot >= 0)
        c->population = lk_arena_text(x->arena, name_slice(x, (size_t)x->slot));
}

/* ---- the allowance ---- */

/* Blocks of one wave each where there are waves: a bucket fills between them. */
static double block_width(const struct work *x)
{
    return x->clock ? fmax(x->clock->period_s, x->period_s) : fmax(BLOCK_S, x->period_s);
}

static int64_t first_block(const struct work *x)
{
    return x->clock ? x->clock->wave_list[0].start_ns - x->ev->period_ns / 2
                    : x->ev->periods_from_ns;
}

static bool is_full(const struct work *x, const sums *block, double width_s)
{
    return block->rejected >= REFUSED_MIN && block->rejected >= REFUSING * block->attempts &&
           block->seconds >= width_s - x->period_s - 1e-6;
}

/* The blocks that were full: rates of what was admitted, and what was asked for in each. */
static size_t rates_of(const struct work *x, double *rate, sums *full)
{
    double width_s = block_width(x);
    int64_t from = first_block(x), width_ns = lk_whole(width_s * 1e9);
    const lk_evidence *ev = x->ev;
    size_t n = 0;

    for (size_t i = 0, next; i < ev->period_count; i = next) {
        int64_t index = (start_of(ev, i) - from) / width_ns;
        sums block = { 0 };

        for (next = i; next < ev->period_count &&
                       (start_of(ev, next) - from) / width_ns == index;
             next++)
            if (is_in(ev, next, x->r->incident) && start_of(ev, next) >= from)
                add(x, &block, &ev->periods[next]);
        if (!is_full(x, &block, width_s))
            continue;
        full[n] = block;
        rate[n++] = block.admitted / block.seconds;
    }
    return n;
}

static void set_allowance(lk_report_capacity *c, double rate, double low, double high,
                          const char *source)
{
    c->allowance_per_s = rate;
    c->allowance_low = low;
    c->allowance_high = high;
    c->source = source;
}

/* One limit for everybody refuses everybody alike. */
static bool is_shared(const struct work *x)
{
    double of[LK_PERIOD_POPULATIONS] = { 0 }, rejected[LK_PERIOD_POPULATIONS] = { 0 };
    double all = 0, refused = 0, spared;

    for (size_t i = 0; i < x->ev->period_count; i++) {
        const lk_period *p = &x->ev->periods[i];

        if (!is_in(x->ev, i, x->r->incident))
            continue;
        for (size_t k = 0; k < x->ev->population_count; k++) {
            of[k] += p->of_population[k];
            rejected[k] += p->rejected_population[k];
        }
        all += p->attempts;
        refused += p->rejected;
    }
    spared = all;
    for (size_t k = 0; k < x->ev->population_count; k++)
        if (3 * rejected[k] * all >= refused * of[k])
            spared -= of[k];
    return spared <= 0.25 * all;
}

/* Normal, of deviations in units of their least variances, whose logarithms are given in sum. */
static double normal_likelihood(double squares, double logs, size_t n)
{
    double spread = fmax(1, squares / (double)n);

    return -0.5 * (logs + (double)n * log(spread) + squares / spread);
}

/* A limit admits so many, whatever is asked for; who refuses a share, as a failing server does, admits more
 * of more. */
static bool is_limit(const sums *full, size_t n)
{
    double admitted = 0, attempts = 0, share, around = 0, around_share = 0, logs = 0;

    for (size_t i = 0; i < n; i++) {
        admitted += full[i].admitted;
        attempts += full[i].attempts;
    }
    share = admitted / attempts;
    for (size_t i = 0; i < n; i++) {
        double d = full[i].admitted - admitted / (double)n, of = full[i].admitted - share * full[i].attempts;
        double v = fmax(1, share * (1 - share) * full[i].attempts);

        around += d * d;
        around_share += of * of / v;
        logs += log(v);
    }
    return normal_likelihood(around, 0, n) > normal_likelihood(around_share, logs, n);
}

/* Where what was admitted was steady. */
static lk_code infer_allowance(struct work *x, const lk_limiter *limiter, lk_err *e)
{
    double *rate = LK_NEW(x->scratch, double, x->ev->period_count + 1);
    sums *full = LK_NEW(x->scratch, sums, x->ev->period_count + 1);
    lk_report_capacity *c = &x->r->capacity;
    size_t n;

    if (!isnan(c->allowance_per_s)) /* given */
        return LK_OK;
    if (!isnan(limiter->rate_per_s)) { /* read between refusals: bursts do not raise it */
        set_allowance(c, limiter->rate_per_s, limiter->rate_low, limiter->rate_high, "inferred");
        return LK_OK;
    }
    if (!rate || !full)
        return lk_fail(e, LK_EOOM, "no memory for an allowance");
    n = x->slot >= 0 || is_shared(x) ? rates_of(x, rate, full) : 0;
    if (n >= (x->clock ? WAVES_MIN : BLOCKS_MIN) && is_limit(full, n)) {
        qsort(rate, n, sizeof(*rate), ascending);
        if (rate[n / 2] > 0 && rate[3 * n / 4] - rate[n / 4] <= STEADY * rate[n / 2])
            set_allowance(c, rate[n / 2], rate[n / 4], rate[3 * n / 4], "inferred");
    }
    return LK_OK;
}

/* ---- demand ---- */

struct demand {
    double *rate; /* room for one a bin */
    double seconds, admitted_per_s;
};

/* First attempts a second in blocks; gives how many blocks there are. */
static size_t demands_of(const struct work *x, double width_s, double *rate)
{
    size_t width = lk_whole_size(ceil(width_s / x->period_s - 1e-9)), n = 0;

    for (size_t i = 0; i < x->ev->period_count; i += width) {
        sums block = { 0 };

        for (size_t k = i; k < i + width && k < x->ev->period_count; k++)
            if (is_in(x->ev, k, x->r->incident))
                add(x, &block, &x->ev->periods[k]);
        if (2 * block.seconds >= width_s)
            rate[n++] = fmax(0, block.attempts - block.comebacks) / block.seconds;
    }
    return n;
}

/* The share of the time in which more is asked for: a burst every minute is none of it. */
static double share_above(const struct work *x, double *rate, double limit)
{
    double width_s = fmax(fmax(BLOCK_S, x->period_s), COUNTED / limit);
    size_t n, over = 0;

    if (!(width_s * (OVERLOAD_BLOCKS - 0.5) <= (double)x->ev->period_count * x->period_s))
        return (double)NAN;
    n = demands_of(x, width_s, rate);
    for (size_t i = 0; i < n; i++)
        over += rate[i] > limit;
    return n >= OVERLOAD_BLOCKS ? (double)over / (double)n : (double)NAN;
}

/* New work above the allowance most of the time.  Comebacks that could not be linked look like new
 * work, so that more has to be seen where calls were inferred. */
static void judge_overload(const struct work *x, struct demand *d)
{
    lk_report *r = x->r;
    const lk_report_capacity *c = &r->capacity;
    bool given = is_text(c->source, "given");
    double margin = given || r->calls.by_identity ? 1.08 : 1.2, over;

    if (!(c->allowance_per_s > 0) || isnan(c->demand_per_s) || !r->calls.source)
        return;
    if (given && d->admitted_per_s > 1.2 * c->allowance_per_s)
        return; /* more was admitted than that: the allowance is of other traffic */
    over = share_above(x, d->rate, c->allowance_per_s);
    if (given && isnan(over))
        r->overload = c->demand_per_s > c->allowance_per_s ? LK_YES : LK_NO;
    else if (over > 0.5 && c->demand_per_s > margin * c->allowance_per_s)
        r->overload = LK_YES;
    else if (c->demand_per_s < 0.9 * c->allowance_per_s ||
             (over < 0.3 && c->demand_per_s <= margin * c->allowance_per_s))
        r->overload = LK_NO;
}

/* Sustained demand: the median minute, which a burst does not raise; where there are few, the mean. */
static lk_code size_up(const struct work *x, struct demand *d, lk_err *e)
{
    lk_report_capacity *c = &x->r->capacity;
    sums all = { 0 };
    size_t n;

    *d = (struct demand){ .admitted_per_s = (double)NAN };
    d->rate = LK_NEW(x->scratch, double, x->ev->period_count + 1);
    if (!d->rate)
        return lk_fail(e, LK_EOOM, "no memory for the demand of %zu periods", x->ev->period_count);
    for (size_t i = 0; i < x->ev->period_count; i++)
        if (is_in(x->ev, i, x->r->incident))
            add(x, &all, &x->ev->periods[i]);
    d->seconds = all.seconds;
    if (all.seconds <= 0)
        return LK_OK;
    d->admitted_per_s = all.admitted / all.seconds;
    c->demand_per_s = fmax(0, all.attempts - all.comebacks) / all.seconds;
    n = demands_of(x, fmax(MINUTE_S, block_width(x)), d->rate);
    if (n >= OVERLOAD_BLOCKS) {
        qsort(d->rate, n, sizeof(*d->rate), ascending);
        c->demand_per_s = d->rate[n / 2];
    }
    c->spare_per_s = c->allowance_per_s - c->demand_per_s;
    return LK_OK;
}

/* What waits: under overload what is too much, as long as it lasted; else the first wave. */
static void size_backlog(const struct work *x, double seconds)
{
    lk_report_capacity *c = &x->r->capacity;

    if (x->r->overload == LK_YES) {
        c->deficit_per_s = c->demand_per_s - c->allowance_per_s;
        c->backlog = c->deficit_per_s * seconds;
        return; /* it never drains */
    }
    if (!x->clock)
        return;
    c->backlog = (double)x->clock->wave_list[0].arrivals;
    if (c->spare_per_s > 0)
        c->drain_s = c->backlog / c->spare_per_s;
}

/* ---- what a failure costs ---- */

/* In the incident, where the server was as busy for both. */
static void weigh_failures(const struct work *x)
{
    double served = 0, refused = 0, broken = 0, served_ns = 0, refused_ns = 0, broken_ns = 0;

    for (size_t i = 0; i < x->ev->period_count; i++) {
        const lk_period *p = &x->ev->periods[i];

        if (!is_in(x->ev, i, x->r->incident))
            continue;
        served += p->served;
        refused += p->refused;
        broken += p->broken;
        served_ns += (double)p->served_ns;
        refused_ns += (double)p->refused_ns;
        broken_ns += (double)p->broken_ns;
    }
    if (refused < FEW) { /* nothing was refused: what failed otherwise */
        refused = broken;
        refused_ns = broken_ns;
    }
    if (served >= FEW && refused >= FEW && served_ns > 0)
        x->r->capacity.failed_attempt_cost = refused_ns / refused / (served_ns / served);
}

/* ---- who pays ---- */

struct others {
    double attempts, rejected;
};

static bool is_in_wave(const struct work *x, int64_t at_ns)
{
    for (size_t i = 0; i < x->r->clock_count; i++) {
        const lk_report_clock *c = &x->r->clocks[i];

        if (strcmp(c->kind, "retry") != 0 || slot_named(x, c->population) < 0)
            continue; /* who comes in these waves is not known */
        for (size_t k = 0; k < c->wave_count; k++) {
            int64_t end = lk_seconds_after(c->wave_list[k].start_ns, c->wave_list[k].width_s);

            if (at_ns + x->ev->period_ns > c->wave_list[k].start_ns && at_ns <= end)
                return true;
        }
    }
    return false;
}

/* Those that do not come back in waves. */
static void watch_bystanders(const struct work *x)
{
    bool waves[LK_PERIOD_POPULATIONS] = { false };
    struct others in = { 0, 0 }, out = { 0, 0 };
    const lk_report_wave *last;

    if (!x->clock || 4 * x->period_s > x->clock->period_s ||
        slot_named(x, x->clock->population) < 0)
        return;
    for (size_t i = 0; i < x->r->clock_count; i++) {
        const lk_report_clock *c = &x->r->clocks[i];
        int slot = strcmp(c->kind, "retry") == 0 ? slot_named(x, c->population) : EVERYBODY;

        if (slot >= 0)
            waves[slot] = true;
    }
    last = &x->clock->wave_list[x->clock->wave_count - 1];
    for (size_t i = 0; i < x->ev->period_count; i++) {
        const lk_period *p = &x->ev->periods[i];
        struct others *o = is_in_wave(x, start_of(x->ev, i)) ? &in : &out;

        if (start_of(x->ev, i) + x->ev->period_ns <= x->clock->wave_list[0].start_ns ||
            start_of(x->ev, i) > lk_seconds_after(last->start_ns, x->clock->period_s))
            continue;
        o->attempts += p->attempts;
        o->rejected += p->rejected;
        for (size_t k = 0; k < x->ev->population_count; k++)
            if (waves[k]) {
                o->attempts -= p->of_population[k];
                o->rejected -= p->rejected_population[k];
            }
    }
    if (in.attempts >= BYSTANDERS_MIN && out.attempts >= BYSTANDERS_MIN) {
        x->r->capacity.bystanders_in_waves = in.rejected / in.attempts;
        x->r->capacity.bystanders_outside = out.rejected / out.attempts;
    }
}

/* ---- outlook ---- */

/* Waves shrink by a ratio: how many are left until one fits what is admitted in a period. */
static void look_out(const lk_evidence *ev, lk_report *r)
{
    static const double OUTLOOK_MOST_S = 1e8;
    const lk_report_clock *c = lk_report_leading_retry_clock(r);
    const lk_report_wave *last = c ? &c->wave_list[c->wave_count - 1] : NULL;
    double fits = c ? r->capacity.allowance_per_s * c->period_s : 0, left = 0;

    if (!c || isnan(fits) || fits <= 0)
        return;
    if ((double)(ev->last_ns - last->start_ns) / 1e9 > 2 * c->period_s) { /* they are over */
        r->outlook.waves_left = 0;
        return;
    }
    r->outlook.backlog = (double)last->arrivals;
    if ((double)last->arrivals > fits) {
        if (!(c->survival_ratio < 1))
            return;
        left = ceil(log(fits / (double)last->arrivals) / log(c->survival_ratio));
    }
    if (!(left * c->period_s < OUTLOOK_MOST_S))
        return; /* they hardly shrink: no end can be told */
    r->outlook.waves_left = lk_whole(left);
    r->outlook.below_allowance_ns = lk_seconds_after(last->start_ns, left * c->period_s);
}

/* ---- the limit ---- */

static lk_limited limited_by(const struct work *x)
{
    const lk_report_incident *in = x->r->incident;

    return (lk_limited){
        .all = x->slot < 0,
        .population = x->slot < 0 ? 0 : x->ev->populations[x->slot],
        .from_ns = in ? in->start_ns : x->ev->first_ns,
        .to_ns = in && in->recovered_ns != LK_TIME_NONE ? in->recovered_ns : x->ev->last_ns,
    };
}

static lk_code look_at_limit(struct work *x, lk_limiter *limiter, lk_err *e)
{
    lk_report_capacity *c = &x->r->capacity;
    lk_limited of = limited_by(x);
    double emptied_s, admitted;

    LK_TRY(lk_limiter_find(x->ev, &of, x->scratch, limiter, e));
    c->kind = limiter->kind;
    c->window_s = limiter->window_s;
    if (!x->clock)
        return LK_OK;
    LK_TRY(lk_limiter_emptied(x->ev, &of, x->clock, x->scratch, &emptied_s, &admitted, e));
    c->bucket_emptied_in_s = emptied_s;
    if (isnan(c->bucket)) {
        c->bucket = admitted;
    } else if (isnan(emptied_s) && x->clock->wave_list[0].peak_per_s > 0) {
        c->bucket_emptied_in_s = c->bucket / x->clock->wave_list[0].peak_per_s;
    }
    return LK_OK;
}

static lk_code fill(struct work *x, lk_err *e)
{
    struct demand demand;
    lk_limiter limiter;

    choose_population(x);
    LK_TRY(look_at_limit(x, &limiter, e));
    LK_TRY(infer_allowance(x, &limiter, e));
    LK_TRY(size_up(x, &demand, e));
    judge_overload(x, &demand);
    size_backlog(x, demand.seconds);
    weigh_failures(x);
    watch_bystanders(x);
    look_out(x->ev, x->r);
    return LK_OK;
}

lk_code lk_infer_capacity(const lk_evidence *ev, const lk_symbols *symbols,
                          const lk_given_capacity *given, lk_arena *arena, lk_arena *scratch,
                          lk_report *r, lk_err *e)
{
    lk_mark mark = lk_arena_mark(scratch);
    lk_report_capacity *c = &r->capacity;
    struct work x = { ev, symbols, arena, scratch, r, lk_report_leading_retry_clock(r), EVERYBODY,
                      (double)ev->period_ns / 1e9 };

    c->bucket = given->bucket;
    if (!isnan(given->allowance_per_s))
        set_allowance(c, given->allowance_per_s, given->allowance_per_s, given->allowance_per_s,
                      "given");
    if (ev->period_count && ev->period_ns > 0)
        LK_TRY(fill(&x, e));
    lk_arena_rewind(scratch, mark);
    return LK_OK;
}
