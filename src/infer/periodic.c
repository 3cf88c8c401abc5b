#include "infer/periodic.h"

#include "base/whole.h"
#include "infer/alias.h"
#include "infer/attribute.h"
#include "infer/fundamental.h"
#include "infer/rows.h"
#include "infer/steady.h"
#include "infer/steps.h"
#include "infer/track.h"

#include <math.h>
#include <string.h>

#define NEAR_WAVE 0.04 /* of the period: attempts that belong to a wave  */
#define SIDE_FACTOR 3.0
#define FITS 0.06 /* a period fitted to the waves may differ so much */

#define EXPLAINED "a clock found before, or its multiple, accounts for it"

#define STEADY_MARGIN 15.0 /* what no single wave shows must be so much less likely by chance */
#define LUCKY 4.0 /* rounds of the whole to waves that stand out: more, and they did by chance */
#define ROUNDS_SEEN 0.6 /* of the rounds from the first wave to the last   */

#define HARMONICS_MOST 16.0 /* of a clock: beyond them every ratio is nearly whole */
#define SAME_CLOCK 0.01  /* periods of one clock in two chapters                   */

enum { TRAINS_MAX = 4, WAVES_LEAST = 4, WAVES_TO_FIT = 4, HITS_ASKED = 24 };

typedef struct finding {
    const lk_hit *hit;
    const lk_line *line;
    size_t which;
    size_t from, to; /* bins */
    double period_s;
    lk_waves waves; /* in seconds of the line */
    bool is_own, keeps_period; /* the period is the one seen, none concluded from it; waves keep it */
    bool is_steady;            /* its waves stand out in their sum alone */
} finding;

/* At least 3.2 periods around where the hit stands. */
static void widen(finding *f)
{
    size_t least = lk_whole_size(3.2 * f->hit->period_s / f->line->bin_s);

    f->to = f->hit->to > f->hit->from + least ? f->hit->to : f->hit->from + least;
    f->to = f->to < f->line->n ? f->to : f->line->n;
    f->from = f->to > least && f->hit->from > f->to - least ? f->to - least : f->hit->from;
}

static lk_code find_period(lk_case *c, finding *f, lk_err *e)
{
    lk_line part = lk_line_part(f->line, f->from, f->to - f->from);

    f->period_s = f->hit->period_s;
    if (f->hit->engine == LK_ENGINE_COHERENCE)
        return lk_fundamental_find(&part, f->period_s, c->scratch, &f->period_s, e);
    return LK_OK;
}

/* Of a clock's period, a whole fraction. */
static bool is_fraction(const lk_case *c, double period_s)
{
    for (size_t i = 0; i < c->row_count; i++) {
        double ratio = c->row[i].period_s / period_s;

        if (rint(ratio) >= 2.0 && rint(ratio) <= HARMONICS_MOST &&
            fabs(ratio / rint(ratio) - 1.0) <= SAME_CLOCK)
            return true;
    }
    return false;
}

/* What the instants say of a period where the hit stands: *faster_s is the clock's. */
static lk_code ask_period(lk_case *c, const finding *f, double period_s, lk_alias_answer *out,
                          double *faster_s, lk_err *e)
{
    const lk_fine_series *fine = &c->evidence->series.fine;
    lk_alias_question q = { f->line, f->from, f->to, c->rest_zero_s, period_s, fine,
                            (double)(fine->start_ns - c->evidence->first_ns) * 1e-9,
                            c->explained, f->which == LK_LINE_REJECTED };

    LK_TRY(lk_alias_ask(&c->strides, &q, c->scratch, out, e));
    *faster_s = period_s / out->faster;
    if (out->faster > 1)
        lk_steps_say(c->steps, 2, "the clock is %u times as fast as %.6g s: %.6g s", out->faster,
                     period_s, *faster_s);
    return LK_OK;
}

/* Is the period the arrivals' own, or does a faster clock make it?  Asked of the period that was seen; where that
 * leads to no clock found before, of its fundamental. */
static lk_code ask_alias(lk_case *c, finding *f, bool *by_bins, lk_err *e)
{
    double asked_s = f->period_s;
    lk_alias_answer a;

    LK_TRY(ask_period(c, f, f->hit->period_s, &a, &f->period_s, e));
    if (!a.by_bins && asked_s != f->hit->period_s &&
        !(a.faster > 1 && (lk_case_explains(c, f->period_s) || is_fraction(c, f->period_s))))
        LK_TRY(ask_period(c, f, asked_s, &a, &f->period_s, e));
    *by_bins = a.by_bins;
    return LK_OK;
}

static bool is_as_seen(const finding *f)
{
    return fabs(f->period_s / f->hit->period_s - 1.0) <= SAME_CLOCK;
}

/* How far a fitted period may be off: a coherent one cannot lose a turn over its range. */
static double slip(const finding *f)
{
    double turns = (double)(f->to - f->from) * f->line->bin_s / f->hit->period_s;

    return f->hit->engine == LK_ENGINE_COHERENCE ? fmin(FITS, 1.0 / turns) : FITS;
}

static lk_code find_waves(lk_case *c, finding *f, lk_err *e)
{
    lk_track_range range = { f->from, f->to, f->period_s };

    if (c->chapter_rows < LK_CLOCKS_MAX) /* to where it goes on in the next chapter */
        range = (lk_track_range){ 0, f->line->n, f->period_s };
    LK_TRY(lk_track_waves(f->line, &range, c->work, c->scratch, &f->waves, e));
    lk_track_decay(&f->waves);
    f->keeps_period = f->waves.count >= WAVES_TO_FIT &&
                      fabs(f->waves.period_s / f->period_s - 1.0) < slip(f);
    f->is_own = is_as_seen(f);
    if (f->keeps_period)
        f->period_s = f->waves.period_s;
    return LK_OK;
}

/* A train of which single waves do not stand out: do its rounds, one on top of the other?  Of the whole line, or
 * at least where it was seen. */
static lk_code find_steady(lk_case *c, finding *f, lk_err *e)
{
    lk_track_range all = { 0, f->line->n, f->period_s }, range = { f->from, f->to, f->period_s };
    lk_waves w;

    if (f->hit->engine != LK_ENGINE_COHERENCE || f->hit->ln_p > c->ln_stands - STEADY_MARGIN ||
        is_fraction(c, f->period_s))
        return LK_OK;
    LK_TRY(lk_steady_waves(f->line, &all, c->work, c->scratch, &w, e));
    if (w.count == 0 && (range.from > all.from || range.to < all.to))
        LK_TRY(lk_steady_waves(f->line, &range, c->work, c->scratch, &w, e));
    if (w.count == 0)
        return LK_OK;
    lk_steps_say(c->steps, 2, "%zu rounds on top of each other show waves of %.3g that do not stand out alone",
                 w.count, w.item[0].arrivals);
    f->waves = w;
    f->period_s = w.period_s;
    f->is_steady = true;
    return LK_OK;
}

static lk_code ask_callers(lk_case *c, const finding *f, lk_answer *out, lk_err *e)
{
    double *at = LK_NEW(c->scratch, double, f->waves.count);
    double zero = c->rest_zero_s, bin = f->line->bin_s;
    lk_question q = { .measure = LK_MEASURE_GAP,
                      .step_s = f->period_s,
                      .tolerance_s = fmax(1.2 * c->resolution_s, 0.08 * f->period_s),
                      .wave_s = at,
                      .wave_count = f->waves.count,
                      .near_s = fmax(bin, NEAR_WAVE * f->period_s),
                      .side_factor = SIDE_FACTOR };

    if (!at)
        return lk_fail(e, LK_EOOM, "no memory for %zu waves", f->waves.count);
    for (size_t i = 0; i < f->waves.count; i++)
        at[i] = f->waves.item[i].centre_s + zero;
    q.from_s = (double)f->from * bin + zero - f->period_s;
    q.to_s = fmin((double)f->to * bin + zero, c->span_s - f->period_s - q.tolerance_s);
    return lk_attribute(&c->strides, &q, c->scratch, out, e);
}

static const char *kind_of(const lk_answer *a)
{
    switch (a->cause) {
    case LK_CAUSE_RETRY: return "retry";
    case LK_CAUSE_SCHEDULE: return "scheduled";
    case LK_CAUSE_UNKNOWN: break;
    }
    return "unexplained";
}

/* Rejections in the bins of a wave, no more than it has arrivals. */
static double rejected_in(const lk_case *c, const lk_wave *w)
{
    const lk_line *l = &c->rest[LK_LINE_REJECTED];
    size_t to = lk_line_bin(l, w->start_s + w->width_s);
    double sum = 0.0;

    for (size_t i = lk_line_bin(l, w->start_s); i <= to && i < l->n; i++)
        sum += l->x[i];
    return fmin(sum, w->arrivals);
}

/* The mean rejections of waves that stand out in their sum alone: above what the rest of the time has. */
static double mean_rejected(const lk_case *c, const lk_waves *w)
{
    const lk_line *l = &c->rest[LK_LINE_REJECTED];
    double inside = 0.0, all = 0.0, bins_in = 0.0, from = w->item[0].start_s,
           end = w->item[w->count - 1].start_s + w->period_s;
    size_t first = lk_line_bin(l, from), last = lk_line_bin(l, end);

    for (size_t i = first; i < last && i < l->n; i++)
        all += l->x[i];
    for (size_t k = 0; k < w->count; k++) {
        size_t to = lk_line_bin(l, w->item[k].start_s + w->item[k].width_s);

        for (size_t i = lk_line_bin(l, w->item[k].start_s); i <= to && i < l->n; i++) {
            inside += l->x[i];
            bins_in += 1.0;
        }
    }
    inside -= (all - inside) * bins_in / fmax((double)(last - first) - bins_in, 1.0);
    return fmin(fmax(inside / (double)w->count, 0.0), w->item[0].arrivals);
}

/* Waves with their rejections, as the whole log's clock counts them. */
static void complete(const lk_case *c, lk_waves *w, bool is_steady)
{
    bool is_split = c->line_count > LK_LINE_REJECTED;
    double mean = is_steady && is_split ? mean_rejected(c, w) : 0.0;

    for (size_t i = 0; i < w->count; i++) {
        if (is_split)
            w->item[i].rejected = is_steady ? mean : rejected_in(c, &w->item[i]);
        w->item[i].start_s += c->rest_zero_s;
        w->item[i].centre_s += c->rest_zero_s;
    }
}

static lk_code fill_row(lk_case *c, finding *f, const lk_answer *a, lk_report_clock *row, lk_err *e)
{
    double sizes = 0.0, from, to;

    row->period_s = f->period_s;
    row->period_error_s = f->waves.period_error_s;
    row->ln_false_alarm = f->hit->ln_p;
    row->from = f->which == LK_LINE_REJECTED ? "rejections" : "arrivals";
    if (a->cause != LK_CAUSE_UNKNOWN && (a->callers > 0 || a->steps_after_answer > 0.0))
        row->from = "callers";
    complete(c, &f->waves, f->is_steady);
    LK_TRY(lk_row_waves(c, &f->waves, 1.0, row, e));
    from = f->waves.item[0].start_s;
    to = f->waves.item[f->waves.count - 1].centre_s + row->width_s;
    for (size_t i = 0; i < f->waves.count; i++)
        sizes += f->waves.item[i].arrivals;
    row->share = fmin(1.0, sizes / fmax(lk_case_arrivals(c, from, to), 1.0));
    return lk_row_candidates(c, a->cause == LK_CAUSE_SCHEDULE ? LK_USE_SCHEDULE : LK_USE_ANY, row,
                             e);
}

/* Most of the rounds between the first wave and the last are waves, and they keep a period that was only
 * concluded from the one seen. */
static bool is_train(const finding *f)
{
    const lk_waves *w = &f->waves;

    return w->count >= WAVES_LEAST && (f->is_own || f->keeps_period) &&
           (double)w->count >=
               ROUNDS_SEEN * (double)(w->item[w->count - 1].round - w->item[0].round + 1);
}

/* A few neighbours that happen to stand out, of a period that holds for many times as long. */
static bool is_lucky(const finding *f)
{
    const lk_waves *w = &f->waves;
    double rounds = (double)(f->to - f->from) * f->line->bin_s / f->period_s;

    return f->hit->engine == LK_ENGINE_COHERENCE && LUCKY * (double)w->count < rounds;
}

static void say_hit(const lk_case *c, const finding *f)
{
    lk_steps_say(c->steps, 1, "%.6g s in %s by %s: ln p %.2f, from %.0f to %.0f s",
                 f->hit->period_s, f->which == LK_LINE_REJECTED ? "rejections" : "all arrivals",
                 f->hit->engine == LK_ENGINE_COHERENCE ? "row coherence" : "a lattice of bursts",
                 f->hit->ln_p, fmax(0.0, (double)f->from * f->line->bin_s + c->rest_zero_s),
                 (double)f->to * f->line->bin_s + c->rest_zero_s);
}

static void say_answer(const lk_case *c, const lk_answer *a)
{
    lk_steps_say(c->steps, 2, "in the waves %.2f failed; %zu callers step by the period",
                 a->failed_share, a->callers);
    if (a->answered_callers > 0)
        lk_steps_say(c->steps, 2,
                     "after %.2f of their failures and %.2f of their answers (%zu "
                     "were answered)",
                     a->after_failure, a->after_answer, a->answered_callers);
    else if (a->callers > 0)
        lk_steps_say(c->steps, 2, "after %.2f of their failures (none was ever answered)", a->after_failure);
}

static lk_code conclude(const lk_case *c, const char *why)
{
    lk_steps_say(c->steps, 2, "-> %s", why);
    return LK_OK;
}

/* How many rows of earlier chapters have this period; *last is the latest of them. */
static size_t list_same(const lk_case *c, double period_s, size_t *last)
{
    size_t count = 0;

    for (size_t i = c->chapter_rows; i < c->row_count; i++)
        if (fabs(period_s / c->row[i].period_s - 1.0) <= SAME_CLOCK) {
            *last = i;
            count++;
        }
    return count;
}

static lk_code add_row(lk_case *c, finding *f, const lk_answer *answer, lk_err *e)
{
    lk_report_clock *row = lk_row_new(c, kind_of(answer));

    return row ? fill_row(c, f, answer, row, e) : LK_OK;
}

/* Waves that stand out one by one, or in their sum; false = neither. */
static lk_code find_train(lk_case *c, finding *f, bool *is_found, lk_err *e)
{
    LK_TRY(find_waves(c, f, e));
    lk_steps_say(c->steps, 2, "%zu waves, period fitted to them %.6g s", f->waves.count, f->period_s);
    if (!is_train(f) || is_lucky(f))
        LK_TRY(find_steady(c, f, e));
    *is_found = f->is_steady || is_train(f);
    return LK_OK;
}

/* A herd of retries shrinks: waves that stay as they are do not follow from what the callers were told. */
static lk_code ask_cause(lk_case *c, const finding *f, lk_answer *out, lk_err *e)
{
    LK_TRY(ask_callers(c, f, out, e));
    if (f->is_steady && out->cause == LK_CAUSE_RETRY)
        out->cause = LK_CAUSE_UNKNOWN;
    return LK_OK;
}

/* A clock of an earlier chapter that is seen again: does it go on, or come another time? */
static lk_code see_again(lk_case *c, finding *f, lk_err *e)
{
    size_t last = 0, same = list_same(c, f->period_s, &last), rows = c->row_count;
    bool is_found;
    lk_answer answer;

    if (same == 0)
        return conclude(c, EXPLAINED);
    LK_TRY(find_train(c, f, &is_found, e));
    if (!is_found)
        return conclude(c, EXPLAINED);
    LK_TRY(ask_cause(c, f, &answer, e));
    LK_TRY(add_row(c, f, &answer, e));
    if (c->row_count == rows)
        return conclude(c, EXPLAINED);
    lk_steps_say(c->steps, 2, "%zu waves here, from %.0f to %.0f s; so far to %.0f s", f->waves.count,
                 (double)(c->row[rows].start_ns - c->evidence->first_ns) * 1e-9,
                 (double)(c->row[rows].end_ns - c->evidence->first_ns) * 1e-9,
                 (double)(c->row[last].end_ns - c->evidence->first_ns) * 1e-9);
    if (strcmp(c->row[last].kind, c->row[rows].kind) == 0 &&
        lk_row_goes_on(c, &c->row[last], &c->row[rows])) {
        c->row_count = rows;
        return conclude(c, "the clock of the chapter before goes on");
    }
    if (same < TRAINS_MAX && c->row[rows].start_ns > c->row[last].end_ns)
        return conclude(c, "a clock of an earlier chapter, another time");
    c->row_count = rows;
    return conclude(c, EXPLAINED);
}

static lk_code take(lk_case *c, const lk_hit *hit, size_t which, lk_err *e)
{
    finding f = { .hit = hit, .line = &c->rest[which], .which = which };
    lk_answer answer;
    bool by_bins, is_found;

    widen(&f);
    f.period_s = hit->period_s;
    if (c->chapter_rows == LK_CLOCKS_MAX && lk_case_explains(c, f.period_s)) {
        say_hit(c, &f);
        return conclude(c, EXPLAINED);
    }
    LK_TRY(find_period(c, &f, e));
    say_hit(c, &f);
    lk_steps_say(c->steps, 2, "fundamental %.6g s", f.period_s);
    if (lk_case_explains(c, f.period_s))
        return see_again(c, &f, e);
    LK_TRY(ask_alias(c, &f, &by_bins, e));
    if (by_bins)
        return conclude(c, "the bins make it, of a faster clock: callers' own instants lack it");
    if (!lk_period_in_range(&c->range, f.period_s))
        return conclude(c, "its fundamental is outside the range asked for");
    if (lk_case_explains(c, f.period_s))
        return see_again(c, &f, e);
    if (!is_as_seen(&f) && is_fraction(c, f.period_s))
        return conclude(c, "a harmonic of a clock found before");
    LK_TRY(find_train(c, &f, &is_found, e));
    c->short_train |= f.waves.count == WAVES_LEAST - 1;
    if (!is_found)
        return conclude(c, "no train: four waves at least, in most of their rounds");
    if (lk_case_explains(c, f.period_s))
        return conclude(c, EXPLAINED);
    LK_TRY(ask_cause(c, &f, &answer, e));
    say_answer(c, &answer);
    (void)conclude(c, kind_of(&answer));
    return add_row(c, &f, &answer, e);
}

/* The strongest hit not yet looked at, of all lines. */
static const lk_hit *next_hit(const lk_hits hits[LK_LINES], size_t lines, size_t *at, size_t *which)
{
    const lk_hit *best = NULL;

    for (size_t l = 0; l < lines; l++)
        if (at[l] < hits[l].count && (!best || hits[l].item[at[l]].ln_p < best->ln_p)) {
            best = &hits[l].item[at[l]];
            *which = l;
        }
    if (best)
        at[*which]++;
    return best;
}

lk_code lk_periodic_rows(lk_case *c, const lk_hits hits[LK_LINES], lk_err *e)
{
    lk_mark mark = lk_arena_mark(c->scratch);
    size_t at[LK_LINES] = { 0 }, which = 0;
    const lk_hit *hit;

    for (size_t i = 0; i < HITS_ASKED && (hit = next_hit(hits, c->line_count, at, &which)); i++) {
        if (hit->ln_p > c->ln_stands) {
            lk_steps_say(c->steps, 1, "%.6g s and what follows: ln p %.2f does not reach",
                         hit->period_s, hit->ln_p);
            break;
        }
        LK_TRY(take(c, hit, which, e));
        lk_arena_rewind(c->scratch, mark);
    }
    return LK_OK;
}
