#include "infer/retrying.h"

#include "base/whole.h"
#include "infer/asked.h"
#include "infer/owners.h"
#include "infer/rounds.h"
#include "infer/rows.h"
#include "infer/stats.h"
#include "infer/steps.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define SAME_PERIOD 0.03
#define SNAP_S 0.15 /* whole-second stamps: a typed delay this near a whole second is one */
#define COARSE_S 0.5
#define ONCE_CHANCES 0.25 /* share of the returns that could have repeated a delay seen once     */
#define KNOWN_MARGIN 0.03
#define FIRST_SHARE 0.7
#define WIDEST_WAVE 0.7
#define REPEATED_IN_SEQUENCE 0.7
#define LOST_SHARE 0.25
#define LOST_EXACT 0.06
#define LOST_TURNS 6.0
#define SAME_TURN 0.7  /* least ratio of gaps that are one delay with other service times */
#define ENDLESS_TURNS 1.5
#define TURNS_LEAST 10.0 /* fewer may be an incident of which the log is cut out */
#define UNANSWERED_SHARE 0.95
#define ENDLESS_SHARE 0.8
#define NEXT_SHARE 0.6 /* of a delay's successors that are one other delay                    */

enum { SEQUENCE_STEPS_LEAST = 2, SEQUENCE_CALLERS = 8, OBEDIENT_LEAST = 8, POPULATIONS_ASKED = 8 };

static bool is_retry(const lk_delay *d)
{
    return d->synchronised && d->answer.cause == LK_CAUSE_RETRY;
}

/* A few callers together on one delay, of whom none was ever answered: a clock, whatever drives it. */
static bool is_mute(const lk_delay *d)
{
    return d->synchronised && d->answer.cause == LK_CAUSE_UNKNOWN && lk_answer_was_never(&d->answer) &&
           !d->herd.is_cycle;
}

/* A step inside a longer cycle. */
static bool is_cycling(const lk_delay *d)
{
    return d->herd.is_cycle && d->herd.period_s > 1.2 * d->herd.gap_s;
}

/* A line that was lost makes two turns look like one: few comebacks, at a multiple of a commoner
 * delay or cycle. */
static bool is_lost_turn(const lk_delays *all, const lk_delay *d)
{
    for (size_t i = 0; i < all->count; i++) {
        const lk_herd *o = &all->item[i].herd;
        double base = isnan(o->period_s) ? o->gap_s : o->period_s, ratio = d->herd.gap_s / base;

        if (&all->item[i] != d && rint(ratio) >= 2.0 && rint(ratio) <= LOST_TURNS &&
            fabs(ratio - rint(ratio)) <= LOST_EXACT && !is_cycling(d) &&
            (double)d->herd.count <= LOST_SHARE * (double)o->count)
            return true;
    }
    return false;
}

typedef struct company {
    size_t others;  /* other delays that follow failures                */
    size_t passing; /* of them: never repeated, or on a cycle of their own */
} company;

/* Taken once, or coming again after a time that is not this herd's: draws in a sequence do. */
static bool is_passing(const lk_herd *o, const lk_herd *h)
{
    return isnan(o->period_s) ||
           (o->is_cycle && !(fabs(o->period_s / h->period_s - 1.0) <= SAME_PERIOD));
}

static company company_of(const lk_delays *all, const lk_delay *d)
{
    company c = { 0 };

    for (size_t i = 0; i < all->count; i++) {
        const lk_delay *o = &all->item[i];

        if (o == d || o->answer.cause == LK_CAUSE_SCHEDULE || is_lost_turn(all, o))
            continue;
        c.others++;
        c.passing += is_passing(&o->herd, &d->herd);
    }
    return c;
}

/* Share of a herd's comebacks that follow the caller's first failure in a row. */
static double first_share(const lk_strides *s, const lk_herd *h)
{
    double first = 0.0;

    for (size_t i = h->from; i < h->to; i++) {
        uint32_t before = s->row[h->member[i].stride].previous;

        first += before == LK_NO_STRIDE || !s->row[before].failed;
    }
    return first / (double)(h->to - h->from);
}

/* A delay that nobody could repeat, for all succeeded, counts as a clock when it stands alone and
 * follows first failures.  Among delays that pass by in a sequence a repetition must be the rule:
 * two equal draws are none. */
static double period_of(const lk_case *c, const lk_delays *all, const lk_delay *d)
{
    company with = company_of(all, d);
    const lk_herd *h = &d->herd;

    if (!isnan(h->period_s))
        return with.passing >= SEQUENCE_STEPS_LEAST && h->linked < REPEATED_IN_SEQUENCE
                   ? (double)NAN
                   : h->period_s;
    if (with.others > 0 || first_share(&c->strides, h) < FIRST_SHARE ||
        (double)h->chances > ONCE_CHANCES * (double)(h->to - h->from))
        return (double)NAN;
    return h->gap_s;
}

/* Of delays on one cycle the longest names it: the others are steps inside. */
static bool is_inner_step(const lk_delays *all, const lk_delay *d, double period_s)
{
    for (size_t i = 0; i < all->count; i++) {
        const lk_delay *o = &all->item[i];

        if (o != d && is_retry(o) && fabs(o->herd.period_s / period_s - 1.0) <= SAME_PERIOD &&
            o->herd.gap_s > d->herd.gap_s)
            return true;
    }
    return false;
}

static bool is_inside_cycle(const lk_delays *all, const lk_delay *d)
{
    for (size_t i = 0; i < all->count; i++)
        if (is_retry(&all->item[i]) && all->item[i].herd.is_cycle &&
            all->item[i].herd.period_s > 1.5 * d->herd.gap_s)
            return !d->herd.is_cycle;
    return false;
}

static double typed_delay(const lk_case *c, double delay_s)
{
    double whole = rint(delay_s);

    return c->resolution_s >= COARSE_S && fabs(delay_s - whole) <= SNAP_S ? whole : delay_s;
}

static lk_code name_row(lk_case *c, const lk_herd *h, lk_report_clock *row, lk_err *e)
{
    size_t n = h->to - h->from, *stride = LK_NEW(c->scratch, size_t, n);

    if (!stride)
        return lk_fail(e, LK_EOOM, "no memory for %zu comebacks", n);
    for (size_t i = 0; i < n; i++)
        stride[i] = h->member[h->from + i].stride;
    return lk_row_names(c, stride, n, row, e);
}

/* Of the failures of the herd's callers that were followed by another attempt while the clock ran:
 * what share came back on the delay?  And how many arrivals are theirs? */
static lk_code count_callers(lk_case *c, const lk_herd *h, lk_report_clock *row, lk_err *e)
{
    const lk_strides *s = &c->strides;
    bool *seen = LK_NEW(c->scratch, bool, s->unit_count);
    double came = 0.0, on = 0.0, arrivals = 0.0;
    double from = h->member[h->from].back_s - h->gap_s, to = h->member[h->to - 1].back_s;

    if (!seen)
        return lk_fail(e, LK_EOOM, "no memory for %zu callers", s->unit_count);
    for (size_t i = h->from; i < h->to; i++)
        seen[s->row[h->member[i].stride].unit] = true;
    for (size_t i = 0; i < s->n; i++) {
        const lk_stride *one = &s->row[i];

        if (!seen[one->unit] || one->at_s < from - 1e-6 || one->at_s > to + 1e-6)
            continue;
        arrivals += 1.0;
        came += one->failed && isfinite(one->gap_s);
        on += one->failed && lk_constant_holds(&h->constant, one);
    }
    row->comebacks_on_delay = came > 0.0 ? on / came : (double)NAN;
    row->share = fmin(1.0, arrivals * lk_case_scale(c) / fmax(lk_case_arrivals(c, from, to), 1.0));
    return LK_OK;
}

static void fill_evidence(const lk_case *c, const lk_delay *d, lk_report_clock *row)
{
    const lk_answer *a = &d->answer;
    double steps = a->steps_after_failure + a->steps_after_answer;

    row->ln_false_alarm = d->ln_p;
    row->delay_s = typed_delay(c, d->herd.delay_s);
    row->drift_s = row->period_s - row->delay_s;
    row->comebacks = lk_nearest_even((double)(d->herd.to - d->herd.from) * lk_case_scale(c));
    row->callers = lk_nearest_even((double)d->herd.callers * lk_case_scale(c));
    row->preceded_by_rejection = steps > 0.0 ? a->steps_after_failure / steps : (double)NAN;
    row->from = "callers";
}

/* Failures where the first wave came from; of a delay that counts from answers, when they were answered. */
static void fill_cause(lk_case *c, const lk_delay *d, const lk_rounds *r, lk_report_clock *row)
{
    bool by_end = !d->herd.is_cycle && d->herd.constant.measure == LK_MEASURE_PAUSE;
    double failures = 0.0;

    if (r->origins == 0)
        return;
    for (size_t i = 0; i < c->strides.n; i++) {
        const lk_stride *s = &c->strides.row[i];

        double at_s = by_end ? lk_stride_end_s(s) : s->at_s;

        failures += s->failed && at_s >= r->origin_from_s && at_s <= r->origin_to_s;
    }
    row->cause_rejections = lk_nearest_even(failures * lk_case_scale(c));
    row->cause_start_ns = lk_case_instant(c, r->origin_from_s);
    row->cause_end_ns = lk_case_instant(c, r->origin_to_s);
}

static double period_error(const lk_case *c, const lk_herd *h, const lk_waves *w)
{
    double least = c->resolution_s / sqrt(12.0 * (double)(h->to - h->from));

    return fmax(isnan(w->period_error_s) ? h->delay_error_s : w->period_error_s, least);
}

/* The waves of a herd: of its callers with all their comebacks where the delay repeats. */
static lk_code find_waves(lk_case *c, const lk_delay *d, double period_s, lk_rounds *out, lk_err *e)
{
    lk_rounds_frame in = { &c->strides, &c->frame, c->work, c->scratch };
    lk_herd herd = d->herd;

    if (!herd.is_cycle)
        LK_TRY(lk_herd_widen(&c->strides, &d->herd, c->work, c->scratch, &herd, e));
    herd.period_s = period_s;
    herd.is_cycle = d->herd.is_cycle;
    return lk_rounds_find(&herd, &in, out, e);
}

/* Waves with no quiet between them are none: callers on one delay at phases of their own. */
static bool has_quiet(const lk_waves *w, double period_s)
{
    size_t most = 0;

    for (size_t i = 1; i < w->count; i++)
        most = w->item[i].arrivals > w->item[most].arrivals ? i : most;
    return w->count > 0 && w->item[most].width_s <= WIDEST_WAVE * period_s;
}

static lk_code fill_row(lk_case *c, const lk_delay *d, const lk_rounds *r, lk_report_clock *row,
                        lk_err *e)
{
    row->period_error_s = period_error(c, &d->herd, &r->waves);
    fill_evidence(c, d, row);
    fill_cause(c, d, r, row);
    LK_TRY(lk_row_waves(c, &r->waves, lk_case_scale(c), row, e));
    LK_TRY(count_callers(c, &d->herd, row, e));
    LK_TRY(name_row(c, &d->herd, row, e));
    return lk_row_candidates(c, LK_USE_RETRY, row, e);
}

/* Of a herd's callers: which share was never answered, and which share does the log show neither beginning
 * nor ending, for they kept to the delay from its first turn to its last? */
typedef struct silence {
    double unanswered, endless;
    double one_call; /* joined by a call's id: no schedule repeats one */
} silence;

static silence silence_of(const lk_case *c, const lk_herd *h, double period_s)
{
    const lk_strides *s = &c->strides;
    double reach = ENDLESS_TURNS * period_s + c->resolution_s, n = (double)(h->to - h->from);
    silence out = { 0.0, 0.0, 0.0 };

    for (size_t i = h->from; i < h->to; i++) {
        const lk_stride *own = &s->row[h->member[i].stride], *first = &s->row[s->first[own->unit]];

        out.endless += first->at_s <= reach && lk_constant_holds(&h->constant, first) &&
                       s->row[s->first[own->unit + 1] - 1].at_s >= c->span_s - reach;
        out.unanswered += !s->answered[own->unit];
        out.one_call += own->by_id;
    }
    return (silence){ out.unanswered / n, out.endless / n, out.one_call / n };
}

static bool is_among(uint32_t x, const uint32_t *list, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (list[i] == x)
            return true;
    return false;
}

/* The herd's callers come when a Retry-After told them to: no schedule asks. */
static bool is_obedient(const lk_case *c, const lk_herd *h)
{
    size_t exact, steps = 0, obeyed = 0, asked = 0;
    uint32_t seen[POPULATIONS_ASKED];

    for (size_t i = h->from; i < h->to && asked < POPULATIONS_ASKED; i++) {
        const lk_stride *own = &c->strides.row[h->member[i].stride];

        if (is_among(own->population, seen, asked))
            continue;
        seen[asked++] = own->population;
        steps += lk_asked_steps(c->evidence, own->population, &exact);
        obeyed += exact;
    }
    return steps >= OBEDIENT_LEAST && 2 * obeyed > steps;
}

/* Where nobody was ever answered, what they would have done then is not known: are they known to tick, or do
 * they at least not begin with a failure?  NULL = it is a retry for all that one can see. */
static const char *kind_unanswered(const lk_case *c, const lk_delay *d, const lk_report_clock *row)
{
    silence s = silence_of(c, &d->herd, row->period_s);

    if (s.unanswered < UNANSWERED_SHARE || s.endless < ENDLESS_SHARE || s.one_call > 0.5 ||
        c->span_s < TURNS_LEAST * row->period_s || is_obedient(c, &d->herd))
        return NULL;
    return lk_owner_is_scheduler(row) || row->at_whole_minutes ? "scheduled" : "unexplained";
}

static lk_code make_no_retry(lk_case *c, const char *kind, lk_report_clock *row, lk_err *e)
{
    row->kind = kind;
    row->delay_s = row->drift_s = row->comebacks_on_delay = row->preceded_by_rejection = (double)NAN;
    row->survival_ratio = row->survival_low = row->survival_high = (double)NAN;
    row->comebacks = row->cause_rejections = LK_COUNT_NONE;
    row->cause_start_ns = row->cause_end_ns = LK_TIME_NONE;
    return lk_row_candidates(c, strcmp(kind, "scheduled") == 0 ? LK_USE_SCHEDULE : LK_USE_ANY, row,
                             e);
}

static lk_code conclude(const lk_case *c, const char *why)
{
    lk_steps_say(c->steps, 2, "-> %s", why);
    return LK_OK;
}

static bool is_repeated(const lk_herd *h)
{
    return !h->is_cycle && !isnan(h->period_s);
}

/* Callers of a delay are accounted for, together or not. */
static void note_callers(lk_case *c, const lk_delay *d)
{
    for (size_t i = 0; i < d->herd.count; i++) {
        size_t unit = c->strides.row[d->herd.member[i].stride].unit;

        c->explained[unit] = fmax(c->explained[unit], 1.0);
    }
}

/* Callers that keep a delay at phases of their own and were never answered. */
static bool is_apart(const lk_delay *d)
{
    return !d->synchronised && lk_answer_was_never(&d->answer) && is_repeated(&d->herd);
}

static void place_apart(const lk_case *c, const lk_herd *h, lk_report_clock *row)
{
    const lk_strides *s = &c->strides;
    double from_s = c->span_s, to_s = 0.0;

    for (size_t i = 0; i < h->count; i++) {
        uint32_t unit = s->row[h->member[i].stride].unit;

        from_s = fmin(from_s, s->row[s->first[unit]].at_s);
        to_s = fmax(to_s, s->row[s->first[unit + 1] - 1].at_s);
    }
    row->start_ns = lk_case_instant(c, from_s);
    row->end_ns = lk_case_instant(c, to_s);
}

/* Of such callers that the log shows neither beginning nor ending (a probe that is refused) a clock is known,
 * and not what drives it; *out = nothing else is to be said of them. */
static lk_code ask_apart(lk_case *c, lk_delay *d, bool *out, lk_err *e)
{
    lk_mark mark = lk_arena_mark(c->scratch);
    lk_report_clock *row = is_apart(d) ? lk_row_new(c, "unexplained") : NULL;
    const char *kind;

    *out = false;
    if (!row)
        return LK_OK;
    row->period_s = d->herd.period_s;
    row->period_error_s = c->resolution_s / sqrt(12.0 * (double)d->herd.count);
    fill_evidence(c, d, row);
    row->ln_false_alarm = d->herd.constant.ln_gap;
    LK_TRY(count_callers(c, &d->herd, row, e));
    LK_TRY(name_row(c, &d->herd, row, e));
    place_apart(c, &d->herd, row);
    kind = kind_unanswered(c, d, row);
    if (!kind) {
        c->row_count--;
        lk_arena_rewind(c->scratch, mark);
        return LK_OK;
    }
    *out = true;
    note_callers(c, d);
    LK_TRY(make_no_retry(c, kind, row, e));
    lk_arena_rewind(c->scratch, mark);
    if (strcmp(kind, "scheduled") != 0)
        return conclude(c, "apart, and never answered from the log's first turn to its last: retry or schedule "
                           "is not shown");
    d->answer.cause = LK_CAUSE_SCHEDULE;
    return conclude(c, "apart, never answered, and known to tick: a schedule");
}

static lk_code add_row(lk_case *c, const lk_delays *all, lk_delay *d, double period_s, lk_err *e)
{
    lk_mark mark = lk_arena_mark(c->scratch);
    lk_report_clock *row;
    const char *kind;
    lk_rounds r;
    bool is_known;

    LK_TRY(find_waves(c, d, period_s, &r, e));
    if (!d->by_cycle && !has_quiet(&r.waves, period_s)) {
        d->synchronised = false;
        LK_TRY(ask_apart(c, d, &is_known, e));
        return is_known ? LK_OK : conclude(c, "a fixed delay; its waves have no quiet between them");
    }
    row = lk_row_new(c, "retry");
    if (!row)
        return LK_OK;
    row->period_s = period_s;
    LK_TRY(fill_row(c, d, &r, row, e));
    kind = kind_unanswered(c, d, row);
    if (is_mute(d) && !kind)
        kind = "unexplained";
    (void)conclude(c, !kind                            ? "a retry clock"
                      : strcmp(kind, "scheduled") == 0 ? "never answered, and known to tick: a schedule"
                      : is_mute(d) ? "a few callers, never answered: retry or schedule is not shown"
                                   : "never answered, from the log's first turn to its last: retry or "
                                     "schedule is not shown");
    if (kind)
        LK_TRY(make_no_retry(c, kind, row, e));
    if (is_inside_cycle(all, d))
        row->survival_ratio = row->survival_low = row->survival_high = (double)NAN;
    lk_arena_rewind(c->scratch, mark);
    return LK_OK;
}

/* Notes from where to where the turns of a delay's herd reach. */
static lk_code note_known(lk_case *c, const lk_delay *d, lk_err *e)
{
    lk_mark mark = lk_arena_mark(c->scratch);
    double *gap = LK_NEW(c->scratch, double, d->herd.count);

    if (!gap)
        return lk_fail(e, LK_EOOM, "no memory for %zu comebacks", d->herd.count);
    for (size_t i = 0; i < d->herd.count; i++)
        gap[i] = c->strides.row[d->herd.member[i].stride].gap_s;
    c->known[c->known_count++] =
        (lk_span){ (1.0 - KNOWN_MARGIN) * lk_quantile(gap, d->herd.count, 0.05),
                   (1.0 + KNOWN_MARGIN) * lk_quantile(gap, d->herd.count, 0.95) };
    lk_arena_rewind(c->scratch, mark);
    return LK_OK;
}

/* Where no durations are logged the service time lies inside the gap: when it changes, one delay
 * looks like two.  The one with more comebacks stands for both. */
static lk_code is_other_regime(lk_case *c, const lk_delays *all, const lk_delay *d, bool *out,
                               lk_err *e)
{
    *out = false;
    for (size_t i = 0; i < all->count && !c->strides.has_pauses && !*out; i++) {
        const lk_delay *o = &all->item[i];
        double ratio = fmin(o->herd.gap_s, d->herd.gap_s) / fmax(o->herd.gap_s, d->herd.gap_s);

        if (o != d && is_retry(o) && is_repeated(&o->herd) && is_repeated(&d->herd) &&
            ratio >= SAME_TURN && o->herd.count > d->herd.count)
            LK_TRY(lk_herd_is_of(&c->strides, &d->herd, &o->herd, c->scratch, out, e));
    }
    return LK_OK;
}

static const char *why_no_period(const lk_delay *d)
{
    if (d->answer.cause == LK_CAUSE_SCHEDULE)
        return "no retry: it follows good answers as well";
    if (d->answer.cause == LK_CAUSE_UNKNOWN)
        return "whether failures cause it is not shown";
    if (!d->synchronised)
        return "a fixed delay, but its callers do not come together";
    return "one step of a sequence: it does not repeat";
}

static void say_delay(const lk_case *c, const lk_delay *d)
{
    const lk_herd *h = &d->herd;
    const lk_answer *a = &d->answer;

    lk_steps_say(c->steps, 1, "a constant of %.6g s (%.4g to %.4g s, %s): ln p %.2f", h->delay_s,
                 h->constant.low_s, h->constant.high_s,
                 h->constant.measure == LK_MEASURE_PAUSE ? "end to start" : "start to start",
                 h->constant.ln_gap);
    lk_steps_say(c->steps, 2, "%zu comebacks of %zu callers; together: ln p %.2f, resultant %.2f%s",
                 h->to - h->from, h->callers, h->ln_sync + c->ln_trials, h->resultant,
                 d->by_cycle ? " (by their longer cycle)" : "");
    if (!isnan(h->period_s))
        lk_steps_say(c->steps, 2, "%s %.6g s, %zu turns",
                     h->is_cycle ? "a cycle over other delays of" : "repeated at once, every",
                     h->period_s, h->links);
    if (a->answered_callers > 0)
        lk_steps_say(c->steps, 2,
                     "follows %.2f of the failures and %.2f of the answers (%zu of %zu were answered)",
                     a->after_failure, a->after_answer, a->answered_callers, a->callers);
    else if (a->callers > 0)
        lk_steps_say(c->steps, 2, "follows %.2f of the failures (none of %zu was ever answered)",
                     a->after_failure, a->callers);
}

static lk_code take(lk_case *c, const lk_delays *all, lk_delay *d, lk_err *e)
{
    double period_s = is_retry(d) || is_mute(d) ? period_of(c, all, d) : (double)NAN;
    bool is_other, is_known;

    say_delay(c, d);
    LK_TRY(ask_apart(c, d, &is_known, e));
    if (is_known)
        return LK_OK;
    if (d->answer.cause == LK_CAUSE_RETRY || is_mute(d))
        note_callers(c, d);
    if (isnan(period_s))
        return conclude(c, why_no_period(d));
    if (is_inner_step(all, d, period_s))
        return conclude(c, "a step inside a longer cycle");
    if (is_lost_turn(all, d))
        return conclude(c, "a multiple of a commoner delay: lines are missing in between");
    LK_TRY(is_other_regime(c, all, d, &is_other, e));
    return is_other ? conclude(c, "another delay of the same callers under another service time")
                    : add_row(c, all, d, period_s, e);
}

/* Of a delay that is neither shown to follow failures nor to bring its callers together, waves are news. */
static bool accounts_for_waves(const lk_delay *d)
{
    return d->answer.cause == LK_CAUSE_RETRY || (d->answer.cause == LK_CAUSE_UNKNOWN && d->synchronised);
}

lk_code lk_retry_rows(lk_case *c, lk_delays *delays, lk_err *e)
{
    for (size_t i = 0; i < delays->count; i++)
        if (accounts_for_waves(&delays->item[i]))
            LK_TRY(note_known(c, &delays->item[i], e));
    for (size_t i = 0; i < delays->count; i++)
        LK_TRY(take(c, delays, &delays->item[i], e));
    return LK_OK;
}

/* ---- fixed delays ------------------------------------------------------------------------- */

static int by_comebacks(const void *a, const void *b)
{
    const lk_report_fixed_delay *x = a, *y = b;

    if (x->comebacks != y->comebacks)
        return x->comebacks > y->comebacks ? -1 : 1;
    return (x->delay_s > y->delay_s) - (x->delay_s < y->delay_s);
}

static lk_code fixed_delay(lk_case *c, const lk_delay *d, lk_report_fixed_delay *out, lk_err *e)
{
    lk_mark mark = lk_arena_mark(c->scratch);
    lk_report_clock named = { .population = NULL };

    LK_TRY(name_row(c, &d->herd, &named, e));
    *out = (lk_report_fixed_delay){ .delay_s = typed_delay(c, d->herd.delay_s),
                                    .population = named.population,
                                    .comebacks =
                                        lk_nearest_even((double)d->herd.count * lk_case_scale(c)),
                                    .synchronised = is_retry(d) };
    lk_arena_rewind(c->scratch, mark);
    return LK_OK;
}

lk_code lk_fixed_delay_rows(lk_case *c, const lk_delays *delays, lk_report *r, lk_err *e)
{
    r->fixed_delays = LK_NEW(c->arena, lk_report_fixed_delay, delays->count);
    if (!r->fixed_delays)
        return lk_fail(e, LK_EOOM, "no memory for %zu fixed delays", delays->count);
    for (size_t i = 0; i < delays->count; i++) {
        if (delays->item[i].answer.cause == LK_CAUSE_SCHEDULE ||
            is_lost_turn(delays, &delays->item[i]))
            continue;
        LK_TRY(fixed_delay(c, &delays->item[i], &r->fixed_delays[r->fixed_delay_count], e));
        r->fixed_delay_count++;
    }
    qsort(r->fixed_delays, r->fixed_delay_count, sizeof(*r->fixed_delays), by_comebacks);
    return LK_OK;
}

/* ---- a shared sequence -------------------------------------------------------------------- */

/* of[i] = 1 + the delay that stride i is a comeback on, 0 = none. */
static void mark_delays(const lk_delays *delays, unsigned char *of)
{
    for (size_t d = 0; d < delays->count; d++)
        for (size_t i = 0; is_retry(&delays->item[d]) && i < delays->item[d].herd.count; i++)
            of[delays->item[d].herd.member[i].stride] = (unsigned char)(d + 1);
}

/* Is one other delay the usual successor of this one? */
static bool has_successor(const lk_strides *s, const lk_herd *h, size_t self,
                          const unsigned char *of)
{
    size_t count[LK_DELAYS_MAX + 1] = { 0 }, came = 0, most = 0;

    for (size_t i = h->from; i < h->to; i++) {
        uint32_t next = s->row[h->member[i].stride].next;

        if (next == LK_NO_STRIDE || !s->row[next].failed || !isfinite(s->row[next].gap_s))
            continue;
        came++;
        count[of[next]]++;
    }
    for (size_t d = 1; d <= LK_DELAYS_MAX; d++)
        most = d != self + 1 && count[d] > most ? count[d] : most;
    return most >= SEQUENCE_CALLERS && (double)most >= NEXT_SHARE * (double)came;
}

lk_code lk_shared_sequence(lk_case *c, const lk_delays *delays, bool *out, lk_err *e)
{
    lk_mark mark = lk_arena_mark(c->scratch);
    unsigned char *of = LK_NEW(c->scratch, unsigned char, c->strides.n);
    size_t steps = 0;

    if (!of)
        return lk_fail(e, LK_EOOM, "no memory for a sequence of delays");
    mark_delays(delays, of);
    for (size_t d = 0; d < delays->count; d++)
        steps +=
            is_retry(&delays->item[d]) && has_successor(&c->strides, &delays->item[d].herd, d, of);
    *out = steps >= SEQUENCE_STEPS_LEAST;
    lk_arena_rewind(c->scratch, mark);
    return LK_OK;
}
