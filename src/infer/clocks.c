#include "infer/clocks.h"

#include "base/whole.h"
#include "infer/case.h"
#include "infer/chance.h"
#include "infer/chapters.h"
#include "infer/crowding.h"
#include "infer/delays.h"
#include "infer/fold.h"
#include "infer/limits.h"
#include "infer/periodic.h"
#include "infer/retrying.h"
#include "infer/rows.h"
#include "infer/scheduling.h"
#include "infer/spectrum.h"
#include "infer/steps.h"
#include "infer/sums.h"
#include "infer/timetable.h"
#include "infer/timing.h"
#include "model/note.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define LEAST_SPAN_S 12.0 /* four of the shortest periods */

enum { LEAST_ATTEMPTS = 20, LEAST_REJECTED = 20, LINE_BINS_MAX = 1 << 19, SCRATCH_BIN = 72 /* bytes of scratch a bin */ };

/* ---- series ------------------------------------------------------------------------------- */

/* How many bins of the series make one of ours. */
static size_t merge_factor(size_t n)
{
    return (n + LINE_BINS_MAX - 1) / LINE_BINS_MAX;
}

static lk_code open_line(lk_case *c, const uint32_t *counts, lk_line *line, lk_err *e)
{
    const lk_series *s = &c->evidence->series;
    size_t merge = merge_factor(s->n), n = (s->n + merge - 1) / merge;
    double *x = LK_NEW(c->work, double, n);

    if (!x)
        return lk_fail(e, LK_EOOM, "no memory for a series of %zu bins", n);
    for (size_t i = 0; i < s->n; i++)
        x[i / merge] += counts[i];
    return lk_line_init(line, x, n, (double)s->bin_ns * 1e-9 * (double)merge, c->work, e);
}

static lk_code open_lines(lk_case *c, lk_err *e)
{
    const lk_evidence *ev = c->evidence;

    c->line_zero_s = (double)(ev->series.start_ns - ev->first_ns) * 1e-9;
    LK_TRY(open_line(c, ev->series.all, &c->line[LK_LINE_ALL], e));
    c->line_count = 1;
    c->frame = (lk_frame){ c->resolution_s, &c->line[LK_LINE_ALL], c->line_zero_s, c->span_s };
    if (ev->rejected < LEAST_REJECTED || ev->rejected >= ev->attempts)
        return LK_OK;
    c->line_count = 2;
    return open_line(c, ev->series.rejected, &c->line[LK_LINE_REJECTED], e);
}

/* ---- spectrum ----------------------------------------------------------------------------- */

typedef struct picture {
    double *period_s, *power;
    size_t n;
} picture;

/* Thins the whitened power to the largest of each group, longest periods first. */
static void thin(const double *white, size_t from, size_t to, double span_s, picture *p)
{
    size_t group = (to - from + LK_SPECTRUM_MAX) / LK_SPECTRUM_MAX;

    for (size_t k = from; k <= to; k += group) {
        size_t best = k;

        for (size_t i = k; i < k + group && i <= to; i++)
            best = white[i] > white[best] ? i : best;
        p->period_s[p->n] = span_s / (double)best;
        p->power[p->n++] = white[best];
    }
}

static lk_code whitened(lk_case *c, const lk_line *l, double **white, size_t *length, lk_err *e)
{
    size_t points;
    lk_spectrum *s = NULL;
    double *power, *work;

    *length = lk_spectrum_length(l->n);
    points = *length + 1;
    LK_TRY(lk_spectrum_new(c->scratch, *length, &s, e));
    power = LK_NEW(c->scratch, double, points);
    work = LK_NEW(c->scratch, double, LK_WHITEN_WORK);
    *white = LK_NEW(c->scratch, double, points);
    if (!power || !work || !*white)
        return lk_fail(e, LK_EOOM, "no memory for a spectrum of %zu points", points);
    LK_TRY(lk_spectrum_halves(s, l->y, l->n, power, e));
    lk_spectrum_whiten(power, points, 24, *white, work);
    return LK_OK;
}

static lk_code draw_spectrum(lk_case *c, lk_report_spectrum *out, lk_err *e)
{
    const lk_line *all = &c->line[LK_LINE_ALL];
    lk_mark mark = lk_arena_mark(c->scratch);
    double *white = NULL, span_s, shortest = lk_timing_shortest(all, &c->range),
           longest = lk_timing_longest(all, &c->range);
    lk_line l;
    size_t length = 2, from, to;
    picture p = { LK_NEW(c->arena, double, LK_SPECTRUM_MAX + 1),
                  LK_NEW(c->arena, double, LK_SPECTRUM_MAX + 1), 0 };

    if (!p.period_s || !p.power)
        return lk_fail(e, LK_EOOM, "no memory for a spectrum");
    LK_TRY(lk_line_widen(all, lk_timing_merge(all, &c->range), c->scratch, &l, e));
    LK_TRY(whitened(c, &l, &white, &length, e));
    span_s = 2.0 * (double)length * l.bin_s;
    from = lk_whole_size(fmax(1.0, ceil(span_s / longest)));
    to = lk_whole_size(fmin((double)length, floor(span_s / shortest)));
    if (from < to) {
        thin(white, from, to, span_s, &p);
        *out =
            (lk_report_spectrum){ .bin_s = l.bin_s,
                                  .n = p.n,
                                  .period_s = p.period_s,
                                  .power = p.power,
                                  .threshold = log((double)(to - from + 1) / 2.0) - c->ln_alpha };
    }
    lk_arena_rewind(c->scratch, mark);
    return LK_OK;
}

/* ---- the whole ---------------------------------------------------------------------------- */

static void say_series(const lk_case *c)
{
    const lk_line *l = &c->line[LK_LINE_ALL];
    double missing_s;
    size_t holes = lk_limits_holes(l, &missing_s);

    lk_steps_say(c->steps, 0, "1. Series");
    lk_steps_say(c->steps, 1, "%zu bins of %g s over %.6g s; stamps of %g s", l->n, l->bin_s,
                 c->span_s, c->resolution_s);
    lk_steps_say(c->steps, 1, "%" PRIu64 " attempts, %" PRIu64 " of them rejected%s",
                 c->evidence->attempts, c->evidence->rejected,
                 c->line_count > LK_LINE_REJECTED ? ": both are searched" : "");
    lk_steps_say(c->steps, 1, "holes, masked: %zu, %g s in all", holes, missing_s);
    lk_steps_say(c->steps, 1,
                 "steps of callers: %zu, one caller in %.0f, of those that never failed in %.0f",
                 c->evidence->hop_count, lk_case_scale(c),
                 ldexp(1.0, (int)c->evidence->calm_share_log2));
    lk_steps_say(c->steps, 1, "periods asked for in the arrivals: %.4g to %.4g s",
                 lk_timing_shortest(l, &c->range), lk_timing_longest(l, &c->range));
    lk_steps_say(c->steps, 1,
                 "alpha %g, so that a witness must reach ln p <= %.2f, its own trials counted",
                 exp(c->ln_alpha), c->ln_stands);
}

static bool is_any_explained(const lk_case *c)
{
    for (size_t u = 0; u < c->strides.unit_count; u++)
        if (c->explained[u] > 0.0)
            return true;
    return false;
}

/* A line without the arrivals of the callers that rows account for. */
static lk_code leave_rest(lk_case *c, size_t which, lk_err *e)
{
    const lk_line *whole = &c->line[which];
    double *x;

    c->rest[which] = *whole;
    if (!is_any_explained(c))
        return LK_OK;
    x = LK_NEW(c->work, double, whole->n);
    if (!x)
        return lk_fail(e, LK_EOOM, "no memory for a series of %zu bins", whole->n);
    for (size_t i = 0; i < whole->n; i++)
        x[i] = whole->x[i];
    LK_TRY(lk_case_take_off(c, which, (lk_bins){ c->line_zero_s, whole->bin_s, whole->n }, x, e));
    return lk_line_init(&c->rest[which], x, whole->n, whole->bin_s, c->work, e);
}

static lk_code search_times(lk_case *c, lk_err *e)
{
    lk_hits *hits = LK_NEW(c->work, lk_hits, LK_LINES);

    if (!hits)
        return lk_fail(e, LK_EOOM, "no memory for periods");
    if (lk_chapters_are_worth_it(c))
        LK_TRY(lk_chapters_search(c, e));
    for (size_t i = 0; i < c->line_count; i++) {
        LK_TRY(leave_rest(c, i, e));
        LK_TRY(lk_timing_find(c->timing, &c->rest[i], c->scratch, &hits[i], e));
    }
    c->rest_zero_s = c->line_zero_s;
    return lk_periodic_rows(c, hits, e);
}

static lk_code open_callers(lk_case *c, lk_err *e)
{
    LK_TRY(lk_strides_new(c->evidence, c->work, c->scratch, &c->strides, e));
    c->explained = LK_NEW(c->work, double, c->strides.unit_count);
    if (!c->explained)
        return lk_fail(e, LK_EOOM, "no memory for %zu callers", c->strides.unit_count);
    return LK_OK;
}

/* What callers do after failures. */
static lk_code search_delays(lk_case *c, lk_report *r, bool *sequence, lk_err *e)
{
    lk_delay_search how = { c->span_s, c->ln_trials, c->ln_stands, c->range };
    lk_delays *delays = LK_NEW(c->work, lk_delays, 1);

    if (!delays)
        return lk_fail(e, LK_EOOM, "no memory for delays");
    LK_TRY(lk_delays_find(&c->strides, &how, c->work, c->scratch, delays, e));
    LK_TRY(lk_retry_rows(c, delays, e));
    LK_TRY(lk_fixed_delay_rows(c, delays, r, e));
    return lk_shared_sequence(c, delays, sequence, e);
}

/* What they do after good answers. */
static lk_code search_schedules(lk_case *c, lk_err *e)
{
    lk_schedule_search how = { c->span_s, c->ln_trials, c->ln_stands, c->range, c->steps };
    lk_schedules *schedules = LK_NEW(c->work, lk_schedules, 1);

    if (!schedules)
        return lk_fail(e, LK_EOOM, "no memory for schedules");
    LK_TRY(lk_schedules_find(&c->strides, &how, c->work, c->scratch, schedules, e));
    return lk_schedule_rows(c, schedules, e);
}

static int rank(const lk_report_clock *c)
{
    return strcmp(c->kind, "retry") == 0 ? 0 : 1;
}

/* Worst first: retries, then by share. */
static int by_rank(const void *a, const void *b)
{
    const lk_report_clock *x = a, *y = b;
    int order = rank(x) - rank(y);
    double mine = isnan(x->share) ? 0.0 : x->share, theirs = isnan(y->share) ? 0.0 : y->share;

    if (order != 0)
        return order;
    if (mine > theirs || mine < theirs)
        return mine > theirs ? -1 : 1;
    return (x->period_s < y->period_s) - (x->period_s > y->period_s);
}

static bool has_retry(const lk_case *c)
{
    return c->row_count > 0 && rank(&c->row[0]) == 0;
}

static lk_code hand_over(lk_case *c, bool sequence, lk_report *r, lk_err *e)
{
    lk_steps_say(c->steps, 0, "6. What remains");
    lk_case_drop_echoes(c);
    qsort(c->row, c->row_count, sizeof(c->row[0]), by_rank);
    r->clocks = LK_NEW(c->arena, lk_report_clock, c->row_count);
    if (!r->clocks)
        return lk_fail(e, LK_EOOM, "no memory for %zu clocks", c->row_count);
    for (size_t i = 0; i < c->row_count; i++) {
        r->clocks[i] = c->row[i];
        r->clocks[i].ln_false_alarm = lk_chance_measured(c->row[i].ln_false_alarm, c->span_s);
    }
    r->clock_count = c->row_count;
    for (size_t i = 0; i < r->clock_count; i++)
        lk_steps_say(c->steps, 1, "%s clock of %.6g s: ln p %.2f, measured %.2f", r->clocks[i].kind,
                     r->clocks[i].period_s, c->row[i].ln_false_alarm, r->clocks[i].ln_false_alarm);
    for (size_t i = 0; i < r->clock_count; i++)
        LK_TRY(lk_fold(&c->evidence->series, &r->clocks[i], c->arena, e));
    lk_steps_say(c->steps, 1, "synchronised: %s",
                 has_retry(c) ? "yes, by a retry clock"
                 : sequence   ? "yes, by a shared sequence of delays"
                              : "no");
    r->synchronised = has_retry(c) || sequence ? LK_YES : LK_NO;
    /* A delay draws callers together only where they are found together. */
    for (size_t i = 0; i < r->fixed_delay_count && r->synchronised == LK_NO; i++)
        r->fixed_delays[i].synchronised = false;
    return lk_sums_offer(r, c->resolution_s, c->arena, e);
}

static lk_code search(lk_case *c, lk_report *r, bool *sequence, lk_err *e)
{
    lk_steps_say(c->steps, 0, "2. Callers after failures");
    LK_TRY(search_delays(c, r, sequence, e));
    lk_steps_say(c->steps, 0, "3. Callers after good answers");
    LK_TRY(search_schedules(c, e));
    lk_steps_say(c->steps, 0, "4. Populations whose callers nothing accounts for");
    LK_TRY(lk_crowd_rows(c, e));
    lk_steps_say(c->steps, 0, "5. Arrival times alone");
    return search_times(c, e);
}

static lk_code infer(lk_case *c, lk_report *r, lk_err *e)
{
    bool sequence = false;

    LK_TRY(open_lines(c, e));
    if (!lk_arena_reserve(c->scratch, SCRATCH_BIN * c->line[LK_LINE_ALL].n))
        return lk_fail(e, LK_EOOM, "no memory to look for clocks");
    LK_TRY(draw_spectrum(c, &r->spectrum, e));
    LK_TRY(lk_timing_open(&c->line[LK_LINE_ALL], &c->range, c->work, &c->timing, e));
    LK_TRY(open_callers(c, e));
    say_series(c);
    LK_TRY(search(c, r, &sequence, e));
    LK_TRY(hand_over(c, sequence, r, e));
    return lk_limits_note(c, r, e);
}

static double span_of(const lk_evidence *ev)
{
    return (double)(ev->last_ns - ev->first_ns) * 1e-9;
}

/* At the loosest a witness must still have seen something. */
static double needed(double alpha, const lk_evidence *ev)
{
    return fmin(lk_chance_needed(log(alpha), span_of(ev)), -1e-3);
}

static bool is_enough(const lk_evidence *ev)
{
    return ev->attempts >= LEAST_ATTEMPTS && ev->series.n > 1 &&
           span_of(ev) >= LEAST_SPAN_S;
}

lk_code lk_infer_clocks(const lk_evidence *evidence, const lk_symbols *symbols,
                        const lk_clock_search *how, lk_arena *arena, lk_arena *scratch,
                        lk_report *r, lk_err *e)
{
    lk_mark mark = lk_arena_mark(scratch);
    lk_arena work;
    lk_case *c;
    lk_code code;

    if (!is_enough(evidence))
        return lk_report_note(r, arena,
                              "Too few attempts, or too short a span, to tell whether callers "
                              "return together.",
                              e);
    lk_arena_init(&work, scratch->limit);
    c = LK_NEW(&work, lk_case, 1);
    if (c) {
        *c = (lk_case){ .evidence = evidence,
                        .symbols = symbols,
                        .arena = arena,
                        .work = &work,
                        .scratch = scratch,
                        .span_s = span_of(evidence),
                        .resolution_s = (double)evidence->resolution_ns * 1e-9,
                        .chapter_rows = LK_CLOCKS_MAX,
                        .ln_trials = log(6.0),
                        .ln_alpha = log(how->alpha),
                        .ln_stands = needed(how->alpha, evidence),
                        .range = { how->period_min_s, how->period_max_s },
                        .steps = how->steps };
        code = infer(c, r, e);
    } else {
        code = lk_fail(e, LK_EOOM, "no memory to look for clocks");
    }
    lk_arena_release(&work);
    lk_arena_rewind(scratch, mark);
    return code;
}
