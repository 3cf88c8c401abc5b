#include "infer/workload.h"

#include "base/whole.h"
#include "infer/admission.h"
#include "infer/request_rate.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double BEFORE_S = 30, WAVES_BEFORE_S = 60, AFTER_S = 60; /* around the incident */
static const double END_GRAIN_S = 4;
enum { REFUSED_MIN = 20 };                       /* fewer show no admission */

/* Where callers came back in waves, it is the waves, what set them off and a little more: what went on
 * before is another story. */
static void narrow_to_waves(const lk_report *r, int64_t *from_ns, int64_t *to_ns)
{
    int64_t first = INT64_MAX, last = INT64_MIN;

    for (size_t i = 0; i < r->clock_count; i++) {
        const lk_report_clock *c = &r->clocks[i];
        int64_t period = lk_whole(c->period_s * 1e9), from = c->start_ns - period;

        if (strcmp(c->kind, "retry") != 0)
            continue;
        if (c->cause_start_ns != LK_TIME_NONE && c->cause_start_ns < from)
            from = c->cause_start_ns;
        first = from < first ? from : first;
        last = c->end_ns + period > last ? c->end_ns + period : last;
    }
    if (last < first)
        return;
    first -= lk_whole(WAVES_BEFORE_S * 1e9);
    last += lk_whole(AFTER_S * 1e9);
    *from_ns = first > *from_ns ? first : *from_ns;
    *to_ns = last > *to_ns ? last : *to_ns;
}

bool lk_workload_span(const lk_evidence *ev, const lk_report *r, int64_t *from_ns, int64_t *to_ns)
{
    const lk_report_incident *in = r->incident;

    *from_ns = ev->first_ns;
    *to_ns = ev->last_ns;
    if (!r->calls.source || !(r->http.rejected > 0 || in))
        return false;
    if (in && in->start_ns != LK_TIME_NONE)
        *from_ns = in->start_ns - lk_whole(BEFORE_S * 1e9);
    if (in && in->recovered_ns != LK_TIME_NONE)
        *to_ns = lk_seconds_after(in->recovered_ns, AFTER_S);
    narrow_to_waves(r, from_ns, to_ns);
    if (*from_ns < ev->first_ns)
        *from_ns = ev->first_ns;
    if (*to_ns > ev->last_ns)
        *to_ns = ev->last_ns;
    return true;
}

/* ---- one row ---- */

static double mean_s(int64_t sum_ns, uint64_t count)
{
    return count ? (double)sum_ns / (double)count / 1e9 : (double)NAN;
}

static void count_bins(const lk_workload_window *w, const lk_workload_evidence_of *c,
                       lk_report_crowd *row)
{
    double bin_s = (double)w->bin_ns / 1e9;
    int64_t span_ns = 0, timed = 0;

    for (size_t i = 0; i < w->n; i++) {
        const lk_workload_bin *b = &c->bins[i];

        row->calls += b->calls;
        row->failed_calls += b->failed_calls;
        row->requeued += b->requeued;
        row->attempts += b->attempts;
        row->failed += b->failed;
        row->rejected += b->rejected;
        span_ns += b->span_ns;
        timed += b->timed;
        if (b->failed && isnan(row->first_failure_s))
            row->first_failure_s = (double)i * bin_s;
        if (b->failed)
            row->last_failure_s = (double)(i + 1) * bin_s;
    }
    row->success_mean_s = mean_s(span_ns, (uint64_t)timed);
}

/* A call that a task made again is no first attempt; where both fall into one bin they may stand in
 * its neighbour. */
static uint32_t *firsts(const lk_workload_window *w, const lk_workload_evidence_of *c,
                        lk_arena *arena, int64_t *tasks)
{
    uint32_t *first = LK_NEW(arena, uint32_t, w->n);
    int64_t owed = 0;

    *tasks = 0;
    for (size_t i = 0; first && i < w->n; i++) {
        int64_t fresh = (int64_t)c->bins[i].calls - (int64_t)c->bins[i].requeued - owed;

        owed = fresh < 0 ? -fresh : 0;
        first[i] = fresh > 0 ? (uint32_t)fresh : 0;
        *tasks += first[i];
    }
    return first;
}

static const lk_report_policy *job_of(const lk_report *r, const char *population)
{
    for (size_t i = 0; i < r->policy_count; i++) {
        const lk_report_policy *p = &r->policies[i];

        if (strcmp(p->layer, "job") == 0 && p->population && population &&
            strcmp(p->population, population) == 0)
            return p;
    }
    return NULL;
}

static lk_code fill(const lk_workload_window *w, const lk_workload_evidence_of *c,
                    const char *population, const lk_report *r, lk_arena *arena,
                    lk_report_crowd *row, lk_err *e)
{
    *row = (lk_report_crowd){ .population = population,
                              .pool = LK_COUNT_NONE,
                              .allowance_per_s = (double)NAN,
                              .bucket = (double)NAN,
                              .first_failure_s = (double)NAN,
                              .last_failure_s = (double)NAN,
                              .leave_share = (double)NAN };
    count_bins(w, c, row);
    row->success_p99_s = c->span_p99_ns >= 0 && (double)row->calls >= 0.8 * (double)c->calls
                             ? (double)c->span_p99_ns / 1e9
                             : (double)NAN;
    row->service_s = mean_s(c->served_ns, c->served);
    row->refusal_s = mean_s(c->refused_ns, c->refused);
    if (row->failed_calls > 0 && job_of(r, population))
        row->leave_share =
            fmin(1, fmax(0, 1 - (double)row->requeued / (double)row->failed_calls));
    row->first = firsts(w, c, arena, &row->tasks);
    return row->first ? LK_OK : lk_fail(e, LK_EOOM, "no memory for the workload");
}

/* ---- who is admitted by what ---- */

typedef struct fitting {
    const lk_workload_window *w;
    size_t merged; /* bins of the window in one of the fit */
    lk_arena *arena, *scratch;
    lk_report_crowd *rows;
    const lk_workload_evidence_of **from; /* [count] of each row */
    size_t count;
    lk_asked_served asked[LK_WORKLOAD_GROUPS];
    lk_admission found[LK_WORKLOAD_GROUPS];
    const double *shares[LK_CROWDS_SHOWN]; /* [n] refused, of each row; NULL = hardly anything was */
    size_t fitted[LK_WORKLOAD_GROUPS]; /* rows */
    size_t fitted_count;
} fitting;

/* What each of the rows asked for and got, in sum. */
static lk_code ask(const fitting *f, const size_t *rows, size_t count, lk_asked_served *out, lk_err *e)
{
    size_t n = (f->w->n + f->merged - 1) / f->merged;
    double *asked = LK_NEW(f->scratch, double, n), *served = LK_NEW(f->scratch, double, n);

    if (!asked || !served)
        return lk_fail(e, LK_EOOM, "no memory for the workload");
    for (size_t k = 0; k < count; k++) {
        const lk_workload_bin *bins = f->from[rows[k]]->bins;

        for (size_t i = 0; i < f->w->n; i++) {
            asked[i / f->merged] += bins[i].attempts;
            served[i / f->merged] += (double)bins[i].attempts - bins[i].failed;
        }
    }
    *out = (lk_asked_served){ n, (double)f->merged * (double)f->w->bin_ns / 1e9,
                              (double)(f->w->start_ns % (60 * LK_NS_PER_S)) / 1e9, asked, served };
    return LK_OK;
}

static const char *name_of(lk_admission_kind kind)
{
    switch (kind) {
    case LK_ADMISSION_OPEN: return "open";
    case LK_ADMISSION_BUCKET: return "token-bucket";
    case LK_ADMISSION_WINDOW: return "fixed-window";
    case LK_ADMISSION_SHARE: return "share";
    }
    return NULL;
}

static void settle(lk_report_crowd *row, const lk_admission *found)
{
    row->admission = name_of(found->kind);
    row->allowance_per_s = found->per_s;
    row->bucket = found->kind == LK_ADMISSION_BUCKET ? found->bucket : (double)NAN;
    if (found->kind != LK_ADMISSION_SHARE)
        row->refused_share = NULL;
}

static lk_code fit_row(fitting *f, size_t i, lk_err *e)
{
    lk_report_crowd *row = &f->rows[i];
    double *share, *coarse;
    size_t k = f->fitted_count;

    if (row->failed < REFUSED_MIN) {
        row->admission = name_of(LK_ADMISSION_OPEN);
        return LK_OK;
    }
    share = LK_NEW(f->arena, double, f->w->n);
    coarse = LK_NEW(f->scratch, double, f->w->n);
    if (!share || !coarse)
        return lk_fail(e, LK_EOOM, "no memory for the workload");
    LK_TRY(ask(f, &i, 1, &f->asked[k], e));
    LK_TRY(lk_admission_fit(&f->asked[k], f->scratch, &f->found[k], coarse, e));
    row->refused_share = f->shares[i] = share;
    for (size_t b = 0; b < f->w->n; b++) /* three digits are what there is */
        share[b] = fmin(1, fmax(0, round(1000 * coarse[b / f->merged]) / 1000));
    settle(row, &f->found[k]);
    f->fitted[f->fitted_count++] = i;
    return LK_OK;
}

/* One allowance for all whom something refused, where that explains them no worse. */
static lk_code fit_together(fitting *f, lk_err *e)
{
    lk_admission shared;
    double apart = 0;

    if (f->fitted_count < 2)
        return LK_OK;
    LK_TRY(lk_admission_fit_shared(f->asked, f->fitted_count, f->scratch, &shared, e));
    for (size_t k = 0; k < f->fitted_count; k++)
        apart += f->found[k].ln_likelihood;
    if (shared.kind == LK_ADMISSION_OPEN || shared.ln_likelihood < apart)
        return LK_OK;
    for (size_t k = 0; k < f->fitted_count; k++) {
        f->rows[f->fitted[k]].pool = 1;
        settle(&f->rows[f->fitted[k]], &shared);
    }
    return LK_OK;
}

/* ---- a rate that everybody draws on ---- */

static const lk_report_clock *clock_of(const lk_report *r, const char *population)
{
    for (size_t i = 0; i < r->clock_count; i++) {
        const lk_report_clock *c = &r->clocks[i];

        if (strcmp(c->kind, "retry") == 0 && c->population && population &&
            strcmp(c->population, population) == 0)
            return c;
    }
    return NULL;
}

/* Where what set the waves off is over; NAN: nobody comes back in waves. */
static double waves_from_s(const fitting *f, const lk_report *r)
{
    double from_s = (double)NAN;

    for (size_t i = 0; i < f->count; i++) {
        const lk_report_clock *c = clock_of(r, f->rows[i].population);
        double at_s = f->rows[i].first_failure_s;

        if (!c || isnan(at_s))
            continue;
        if (c->cause_end_ns != LK_TIME_NONE)
            at_s = fmax(at_s, (double)(c->cause_end_ns - f->w->start_ns) / 1e9);
        from_s = fmin(from_s, at_s);
    }
    return isnan(from_s) ? from_s : fmin(from_s, (double)f->w->n * (double)f->w->bin_ns / 1e9);
}

/* The first bin that begins at an instant or after it; NAN = the first of all. */
static size_t bin_from(const fitting *f, double from_s)
{
    return isnan(from_s) ? 0 : lk_whole_size(ceil(from_s * 1e9 / (double)f->w->bin_ns));
}

/* Of callers that do not come back in waves, what the waves took explains the refusals from then on; what
 * refused them before has its share. */
static lk_code explain_others(fitting *f, const lk_report *r, double from_s, const lk_request_rate *rate,
                              lk_report_request_rate *out, lk_err *e)
{
    size_t from = bin_from(f, from_s);

    *out = (lk_report_request_rate){ rate->per_s, rate->depth, rate->refused_cost, rate->debt };
    for (size_t i = 0; i < f->count; i++) {
        lk_report_crowd *row = &f->rows[i];
        double *share;

        if (clock_of(r, row->population) || row->failed < REFUSED_MIN)
            continue;
        share = LK_NEW(f->arena, double, f->w->n);
        if (!share)
            return lk_fail(e, LK_EOOM, "no memory for the workload");
        for (size_t b = 0; b < from && b < f->w->n; b++)
            share[b] = f->shares[i] ? f->shares[i][b] : 0;
        row->admission = "request-rate";
        row->allowance_per_s = row->bucket = (double)NAN;
        row->pool = LK_COUNT_NONE;
        row->refused_share = share;
    }
    return LK_OK;
}

/* Of callers that come back in waves, what the rate lets through is what their own allowance is asked for. */
static lk_code fit_behind(fitting *f, size_t i, const double *refused, lk_err *e)
{
    lk_asked_served a;
    double *asked, *share = LK_NEW(f->scratch, double, f->w->n);
    lk_admission found;

    LK_TRY(ask(f, &i, 1, &a, e));
    asked = LK_NEW(f->scratch, double, a.n);
    if (!share || !asked)
        return lk_fail(e, LK_EOOM, "no memory for the workload");
    for (size_t b = 0; b < a.n; b++)
        asked[b] = fmax(a.served[b], a.asked[b] * (1 - refused[b]));
    a.asked = asked;
    LK_TRY(lk_admission_fit(&a, f->scratch, &found, share, e));
    if (found.kind != LK_ADMISSION_SHARE) {
        settle(&f->rows[i], &found);
        f->rows[i].pool = LK_COUNT_NONE; /* an allowance of its own, whatever was fitted together before */
    }
    return LK_OK;
}

static lk_code fit_request_rate(fitting *f, const lk_report *r, double from_s, lk_report_request_rate *out,
                                lk_err *e)
{
    size_t in_waves[LK_CROWDS_SHOWN], others[LK_CROWDS_SHOWN], wave_count = 0, other_count = 0;
    double *refused = LK_NEW(f->scratch, double, f->w->n + 1);
    lk_asked_served waves, rest;
    lk_request_rate rate;
    int64_t failed = 0;
    bool found;

    if (!refused)
        return lk_fail(e, LK_EOOM, "no memory for the workload");
    for (size_t i = 0; i < f->count; i++)
        if (clock_of(r, f->rows[i].population)) {
            in_waves[wave_count++] = i;
        } else {
            others[other_count++] = i;
            failed += f->rows[i].later_failed;
        }
    if (isnan(from_s) || failed < REFUSED_MIN)
        return LK_OK;
    LK_TRY(ask(f, in_waves, wave_count, &waves, e));
    LK_TRY(ask(f, others, other_count, &rest, e));
    LK_TRY(lk_request_rate_fit(&waves, &rest, lk_whole_size(ceil(from_s / waves.bin_s)), f->scratch,
                               &found, &rate, refused, e));
    for (size_t i = 0; found && i < wave_count; i++)
        LK_TRY(fit_behind(f, in_waves[i], refused, e));
    return found ? explain_others(f, r, from_s, &rate, out, e) : LK_OK;
}

static void count_later(fitting *f, double from_s)
{
    size_t from = bin_from(f, from_s);

    for (size_t i = 0; i < f->count; i++)
        for (size_t b = from; b < f->w->n; b++) {
            f->rows[i].later_attempts += f->from[i]->bins[b].attempts;
            f->rows[i].later_failed += f->from[i]->bins[b].failed;
        }
}

/* ---- the rows ---- */

typedef struct order {
    const lk_workload_evidence_of *crowd;
    uint64_t failed, attempts;
} order;

static int by_failed(const void *pa, const void *pb)
{
    const order *a = pa, *b = pb;

    if (a->failed != b->failed)
        return a->failed > b->failed ? -1 : 1;
    if (a->attempts != b->attempts)
        return a->attempts > b->attempts ? -1 : 1;
    return (a->crowd->crowd > b->crowd->crowd) - (a->crowd->crowd < b->crowd->crowd);
}

/* The rest in one, which is not told apart. */
static lk_code fold(const lk_workload_window *w, const order *list, size_t count, lk_arena *scratch,
                    lk_workload_evidence_of *out, lk_err *e)
{
    lk_workload_bin *bins = LK_NEW(scratch, lk_workload_bin, w->n);

    if (!bins)
        return lk_fail(e, LK_EOOM, "no memory for the workload");
    *out = (lk_workload_evidence_of){ .bins = bins, .span_p99_ns = -1 };
    for (size_t k = 0; k < count; k++) {
        const lk_workload_evidence_of *c = list[k].crowd;

        out->served += c->served;
        out->served_ns += c->served_ns;
        out->refused += c->refused;
        out->refused_ns += c->refused_ns;
        for (size_t i = 0; i < w->n; i++) {
            bins[i].span_ns += c->bins[i].span_ns;
            bins[i].attempts += c->bins[i].attempts;
            bins[i].failed += c->bins[i].failed;
            bins[i].rejected += c->bins[i].rejected;
            bins[i].calls += c->bins[i].calls;
            bins[i].requeued += c->bins[i].requeued;
            bins[i].failed_calls += c->bins[i].failed_calls;
            bins[i].timed += c->bins[i].timed;
        }
    }
    return LK_OK;
}

static size_t rank(const lk_workload_window *w, order *list)
{
    size_t count = 0;

    for (size_t i = 0; i < w->count; i++) {
        order *o = &list[count];

        *o = (order){ &w->crowds[i], 0, 0 };
        for (size_t k = 0; k < w->n; k++) {
            o->failed += w->crowds[i].bins[k].failed;
            o->attempts += w->crowds[i].bins[k].attempts + w->crowds[i].bins[k].calls;
        }
        count += o->attempts > 0;
    }
    qsort(list, count, sizeof(*list), by_failed);
    return count;
}

static const char *population_of(const lk_workload_evidence_of *c, const uint32_t *populations,
                                 const lk_symbols *symbols, lk_arena *arena)
{
    uint32_t symbol = populations[c->crowd];

    return symbol == UINT32_MAX
               ? NULL
               : lk_arena_text(arena, lk_intern_text(&symbols->populations, symbol));
}

/* Whom nothing, or hardly anything, refused has no row of its own. */
static size_t own_rows(const order *list, size_t count)
{
    size_t own = 0;

    while (own < count && list[own].failed >= REFUSED_MIN)
        own++;
    return own < LK_CROWDS_SHOWN ? own : LK_CROWDS_SHOWN - 1;
}

static lk_code fill_rows(fitting *f, const order *list, size_t count, const uint32_t *populations,
                         const lk_symbols *symbols, lk_report *r, lk_err *e)
{
    size_t own = own_rows(list, count);
    lk_workload_evidence_of *rest = LK_NEW(f->scratch, lk_workload_evidence_of, 1);

    if (!rest)
        return lk_fail(e, LK_EOOM, "no memory for the workload");
    for (size_t i = 0; i < own; i++) {
        const char *name = population_of(list[i].crowd, populations, symbols, f->arena);

        f->from[i] = list[i].crowd;
        LK_TRY(fill(f->w, list[i].crowd, name, r, f->arena, &f->rows[i], e));
    }
    f->count = own;
    if (own == count)
        return LK_OK;
    LK_TRY(fold(f->w, list + own, count - own, f->scratch, rest, e));
    f->from[own] = rest;
    f->count = own + 1;
    return fill(f->w, rest, NULL, r, f->arena, &f->rows[own], e);
}

/* Where the stamps are those of the ends and say no more, what is served stands later than what came
 * with it and was refused. */
static size_t merged_of(const lk_workload_window *w, const lk_report *r)
{
    bool known = r->input.corrected_to_start ||
                 (r->input.moment && strcmp(r->input.moment, "start") == 0);

    return known ? 1 : lk_whole_size(fmax(1, ceil(END_GRAIN_S * 1e9 / (double)w->bin_ns)));
}

lk_code lk_infer_workload(const lk_workload_window *w, const uint32_t *populations,
                          const lk_symbols *symbols, lk_arena *arena, lk_arena *scratch,
                          lk_report *r, lk_err *e)
{
    order *list = LK_NEW(scratch, order, w->count + 1);
    fitting *f = LK_NEW(scratch, fitting, 1);

    if (!w->n)
        return LK_OK;
    if (!list || !f)
        return lk_fail(e, LK_EOOM, "no memory for the workload");
    *f = (fitting){ .w = w, .merged = merged_of(w, r), .arena = arena, .scratch = scratch };
    f->rows = LK_NEW(arena, lk_report_crowd, LK_CROWDS_SHOWN);
    f->from = LK_NEW(scratch, const lk_workload_evidence_of *, LK_CROWDS_SHOWN);
    if (!f->rows || !f->from)
        return lk_fail(e, LK_EOOM, "no memory for the workload");
    LK_TRY(fill_rows(f, list, rank(w, list), populations, symbols, r, e));
    for (size_t i = 0; i < f->count; i++)
        LK_TRY(fit_row(f, i, e));
    LK_TRY(fit_together(f, e));
    r->workload.waves_from_s = waves_from_s(f, r);
    count_later(f, r->workload.waves_from_s);
    LK_TRY(fit_request_rate(f, r, r->workload.waves_from_s, &r->workload.request_rate, e));
    r->workload.bin_s = (double)w->bin_ns / 1e9;
    r->workload.start_ns = w->start_ns;
    r->workload.n = w->n;
    r->workload.crowds = f->rows;
    r->workload.count = f->count;
    return LK_OK;
}
