#include "infer/rows.h"

#include "base/whole.h"
#include "infer/steps.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define NAME_SHARE 0.9    /* of the strides: one population     */
#define TARGET_SHARE 0.05 /* of the strides: a target of note   */
#define SAME 0.03         /* periods that differ less are one   */
#define SAME_TURNS 0.1    /* ... nor may they drift apart by more of a turn */
#define STRICT 0.85       /* least share of its intervals that a multiple of another clock keeps */
#define LOST_TURNS 3.0
#define MISSED_TURNS 3.5 /* between two chapters' trains that are one */
#define FRACTIONS 16.0 /* harmonics of a retry clock         */
#define MULTIPLES 4.0  /* subharmonics of any clock          */
#define HIDDEN_MOST 0.5 /* of a series' bins: where more would be, none is hidden */
#define MINUTE_S 60.0
#define ON_MINUTE_S 3.0
#define ON_MINUTE_SHARE 0.8
#define SHORTEST_ON_MINUTE_S 15.0 /* shorter ones come by a minute too often by chance */

enum { TARGETS_MAX = 8, ECHOES = 8 };

lk_report_clock *lk_row_new(lk_case *c, const char *kind)
{
    lk_report_clock *row = &c->row[c->row_count];

    if (c->row_count == LK_CLOCKS_MAX)
        return NULL;
    c->strict[c->row_count++] = (double)NAN;
    *row = (lk_report_clock){ .kind = kind,
                              .start_ns = LK_TIME_NONE,
                              .end_ns = LK_TIME_NONE,
                              .waves = LK_COUNT_NONE,
                              .cause_rejections = LK_COUNT_NONE,
                              .cause_start_ns = LK_TIME_NONE,
                              .cause_end_ns = LK_TIME_NONE,
                              .comebacks = LK_COUNT_NONE,
                              .callers = LK_COUNT_NONE };
    row->period_s = row->period_error_s = row->delay_s = (double)NAN;
    row->width_s = row->duty = row->phase_s = row->drift_s = row->share = (double)NAN;
    row->survival_ratio = row->survival_low = row->survival_high = (double)NAN;
    row->comebacks_on_delay = row->preceded_by_rejection = row->rejected_share = (double)NAN;
    return row;
}

int64_t lk_case_instant(const lk_case *c, double at_s)
{
    return lk_later(c->evidence->first_ns, lk_nearest_even(at_s * 1e9));
}

double lk_case_scale(const lk_case *c)
{
    return ldexp(1.0, (int)c->evidence->hop_share_log2);
}

double lk_case_arrivals(const lk_case *c, double from_s, double to_s)
{
    const lk_line *all = &c->line[LK_LINE_ALL];
    size_t to = lk_line_bin(all, to_s - c->line_zero_s);
    double sum = 0.0;

    for (size_t i = lk_line_bin(all, from_s - c->line_zero_s); i <= to && i < all->n; i++)
        sum += all->x[i];
    return sum;
}

/* Bins in which sampled callers stand for others, too: how many there were is not known, so these bins hold
 * what the one before does. */
static void hide(const bool *hidden, size_t n, double *x)
{
    size_t count = 0;

    for (size_t i = 0; i < n; i++)
        count += hidden[i];
    if ((double)count > HIDDEN_MOST * (double)n)
        return;
    for (size_t i = 1; i < n; i++)
        if (hidden[i])
            x[i] = x[i - 1];
}

lk_code lk_case_take_off(lk_case *c, size_t which, lk_bins bins, double *x, lk_err *e)
{
    lk_mark mark = lk_arena_mark(c->scratch);
    bool *hidden = LK_NEW(c->scratch, bool, bins.n);

    if (!hidden)
        return lk_fail(e, LK_EOOM, "no memory for a series of %zu bins", bins.n);
    for (size_t i = 0; i < c->strides.n; i++) {
        const lk_stride *s = &c->strides.row[i];
        double explained = c->explained[s->unit],
               bin = floor((s->at_s - bins.zero_s) / bins.bin_s + 1e-6);

        if (!(explained > 0.0) || (which == LK_LINE_REJECTED && !s->rejected) || bin < 0.0 ||
            bin >= (double)bins.n)
            continue;
        x[(size_t)bin] = fmax(0.0, x[(size_t)bin] - explained);
        hidden[(size_t)bin] |= explained > 1.0;
    }
    hide(hidden, bins.n, x);
    lk_arena_rewind(c->scratch, mark);
    return LK_OK;
}

/* ---- waves -------------------------------------------------------------------------------- */

static lk_report_wave report_wave(const lk_case *c, const lk_wave *w, double scale)
{
    return (lk_report_wave){ .start_ns = lk_case_instant(c, fmax(w->start_s, 0.0)),
                             .arrivals = lk_nearest_even(w->arrivals * scale),
                             .rejected = lk_nearest_even(w->rejected * scale),
                             .width_s = w->width_s,
                             .peak_per_s = w->peak_per_s * scale };
}

static const lk_wave *largest(const lk_waves *w)
{
    const lk_wave *most = w->item;

    for (size_t i = 1; i < w->count; i++)
        most = w->item[i].arrivals > most->arrivals ? &w->item[i] : most;
    return most;
}

/* Whole seconds in the epoch are taken off first: their product with a period would lose digits. */
static double phase_of(const lk_case *c, double at_s, double period_s)
{
    int64_t at_ns = lk_case_instant(c, at_s), whole_s = at_ns / LK_NS_PER_S;
    double phase = fmod((double)whole_s, period_s) + (double)(at_ns % LK_NS_PER_S) * 1e-9;

    return fmod(phase + period_s, period_s);
}

/* The period is a whole number of minutes or a whole fraction of one, and waves begin on it. */
static bool is_on_minutes(const lk_case *c, const lk_waves *w, double period_s)
{
    double ratio = period_s >= MINUTE_S ? period_s / MINUTE_S : MINUTE_S / period_s;
    double unit = fmin(rint(period_s), MINUTE_S), reach = ON_MINUTE_S + c->resolution_s;
    size_t on = 0;

    if (period_s < SHORTEST_ON_MINUTE_S || fabs(ratio - rint(ratio)) > 0.005 * ratio)
        return false;
    for (size_t i = 0; i < w->count; i++) {
        double phase = phase_of(c, w->item[i].start_s, unit);

        on += phase <= reach || phase >= unit - c->resolution_s;
    }
    return (double)on >= ON_MINUTE_SHARE * (double)w->count;
}

static double rejected_share(const lk_waves *w)
{
    double arrivals = 0.0, rejected = 0.0;

    for (size_t i = 0; i < w->count; i++) {
        arrivals += w->item[i].arrivals;
        rejected += w->item[i].rejected;
    }
    return arrivals > 0.0 ? rejected / arrivals : (double)NAN;
}

lk_code lk_row_waves(lk_case *c, const lk_waves *w, double scale, lk_report_clock *row, lk_err *e)
{
    size_t shown = w->count < LK_WAVES_SHOWN ? w->count : LK_WAVES_SHOWN;
    size_t room = c->chapter_rows < LK_CLOCKS_MAX ? LK_WAVES_SHOWN : shown;
    const lk_wave *most, *last;

    row->waves = (int64_t)w->count;
    if (w->count == 0)
        return LK_OK;
    row->wave_list = LK_NEW(c->arena, lk_report_wave, room);
    if (!row->wave_list)
        return lk_fail(e, LK_EOOM, "no memory for %zu waves", room);
    for (size_t i = 0; i < shown; i++)
        row->wave_list[row->wave_count++] = report_wave(c, &w->item[i], scale);
    most = largest(w);
    last = &w->item[w->count - 1];
    row->start_ns = lk_case_instant(c, fmax(w->item[0].start_s, 0.0));
    row->end_ns = lk_case_instant(c, fmin(last->start_s + last->width_s, c->span_s));
    row->width_s = w->width_s;
    row->duty = w->width_s / row->period_s;
    row->phase_s = phase_of(c, most->centre_s, row->period_s);
    row->rejected_share = rejected_share(w);
    row->at_whole_minutes = is_on_minutes(c, w, row->period_s);
    row->survival_ratio = w->survival;
    row->survival_low = w->survival_low;
    row->survival_high = w->survival_high;
    return LK_OK;
}

/* ---- a clock in several chapters ---- */

static double mean_of(double a, double weight_a, double b, double weight_b)
{
    return isnan(a) || isnan(b) ? a : (a * weight_a + b * weight_b) / (weight_a + weight_b);
}

static double arrivals_between(const lk_case *c, int64_t from_ns, int64_t to_ns)
{
    return fmax(1.0, lk_case_arrivals(c, (double)(from_ns - c->evidence->first_ns) * 1e-9,
                                      (double)(to_ns - c->evidence->first_ns) * 1e-9));
}

/* What is known better counts more. */
static void join_periods(lk_report_clock *row, const lk_report_clock *later)
{
    double mine = 1.0 / fmax(row->period_error_s * row->period_error_s, 1e-18),
           theirs = 1.0 / fmax(later->period_error_s * later->period_error_s, 1e-18);

    if (isnan(mine) || isnan(theirs))
        return;
    row->period_s = mean_of(row->period_s, mine, later->period_s, theirs);
    row->period_error_s = 1.0 / sqrt(mine + theirs);
}

/* Room for all that is shown stands behind a row of a chapter. */
static void join_lists(lk_report_clock *row, const lk_report_clock *later)
{
    int64_t after_ns = lk_later(row->wave_list[row->wave_count - 1].start_ns,
                                lk_nearest_even(0.5e9 * row->period_s));

    for (size_t i = 0; i < later->wave_count && row->wave_count < LK_WAVES_SHOWN; i++)
        if (later->wave_list[i].start_ns > after_ns)
            row->wave_list[row->wave_count++] = later->wave_list[i];
}

bool lk_row_goes_on(const lk_case *c, lk_report_clock *row, const lk_report_clock *later)
{
    double period_ns = row->period_s * 1e9, fresh, before = (double)row->waves;

    if ((double)(later->start_ns - row->end_ns) > MISSED_TURNS * period_ns ||
        row->wave_count == 0)
        return false;
    if (later->end_ns <= row->end_ns)
        return true;
    fresh = fmin((double)later->waves, rint((double)(later->end_ns - row->end_ns) / period_ns));
    row->share = mean_of(row->share, arrivals_between(c, row->start_ns, row->end_ns), later->share,
                         arrivals_between(c, row->end_ns, later->end_ns));
    row->rejected_share = mean_of(row->rejected_share, before, later->rejected_share, fresh);
    row->width_s = mean_of(row->width_s, before, later->width_s, fresh);
    join_lists(row, later);
    join_periods(row, later);
    row->duty = row->width_s / row->period_s;
    row->at_whole_minutes &= later->at_whole_minutes;
    row->ln_false_alarm = fmin(row->ln_false_alarm, later->ln_false_alarm);
    row->waves += lk_nearest_even(fresh);
    row->end_ns = later->end_ns;
    return true;
}

/* ---- names -------------------------------------------------------------------------------- */

static lk_code copy_symbol(lk_case *c, const lk_intern *table, uint32_t id, const char **out,
                           lk_err *e)
{
    *out = lk_arena_text(c->arena, lk_intern_text(table, id));
    return *out ? LK_OK : lk_fail(e, LK_EOOM, "no memory for a name");
}

static uint32_t most_of(const uint32_t *count, size_t n)
{
    size_t most = 0;

    for (size_t i = 1; i < n; i++)
        most = count[i] > count[most] ? i : most;
    return (uint32_t)most;
}

static lk_code name_population(lk_case *c, const size_t *stride, size_t n, const char **out,
                               lk_err *e)
{
    lk_mark mark = lk_arena_mark(c->scratch);
    size_t symbols = c->symbols->populations.count + 1;
    uint32_t *count = LK_NEW(c->scratch, uint32_t, symbols), most;

    if (!count)
        return lk_fail(e, LK_EOOM, "no memory for %zu populations", symbols);
    for (size_t i = 0; i < n; i++)
        if (c->strides.row[stride[i]].population < symbols)
            count[c->strides.row[stride[i]].population]++;
    most = most_of(count, symbols);
    *out = NULL;
    if (n > 0 && (double)count[most] >= NAME_SHARE * (double)n)
        LK_TRY(copy_symbol(c, &c->symbols->populations, most, out, e));
    lk_arena_rewind(c->scratch, mark);
    return LK_OK;
}

static lk_code name_targets(lk_case *c, const size_t *stride, size_t n, lk_report_clock *row,
                            lk_err *e)
{
    size_t symbols = c->symbols->targets.count + 1;
    uint32_t *count = LK_NEW(c->scratch, uint32_t, symbols);

    row->targets = LK_NEW(c->arena, const char *, TARGETS_MAX);
    if (!count || !row->targets)
        return lk_fail(e, LK_EOOM, "no memory for %zu targets", symbols);
    for (size_t i = 0; i < n; i++)
        if (c->strides.row[stride[i]].target < symbols)
            count[c->strides.row[stride[i]].target]++;
    while (row->target_count < TARGETS_MAX) {
        uint32_t most = most_of(count, symbols);

        if (count[most] == 0 || (double)count[most] < TARGET_SHARE * (double)n)
            break;
        LK_TRY(copy_symbol(c, &c->symbols->targets, most, &row->targets[row->target_count], e));
        row->target_count++;
        count[most] = 0;
    }
    return LK_OK;
}

lk_code lk_row_names(lk_case *c, const size_t *stride, size_t n, lk_report_clock *row, lk_err *e)
{
    lk_mark mark = lk_arena_mark(c->scratch);

    LK_TRY(name_population(c, stride, n, &row->population, e));
    LK_TRY(name_targets(c, stride, n, row, e));
    lk_arena_rewind(c->scratch, mark);
    return LK_OK;
}

lk_code lk_row_candidates(lk_case *c, lk_use use, lk_report_clock *row, lk_err *e)
{
    double value = isnan(row->delay_s) ? row->period_s : row->delay_s;
    lk_candidates near;

    LK_TRY(lk_constants_near(value, row->period_error_s, use, c->arena, &near, e));
    if (!near.count) /* some constants count from the start: a visibility timeout, a cron line */
        LK_TRY(lk_constants_near(row->period_s, row->period_error_s, use, c->arena, &near, e));
    if (!near.count)
        LK_TRY(lk_constants_multiple(value, row->period_error_s, use, c->arena, &near, e));
    row->candidates = near.item;
    row->candidate_count = near.count;
    return LK_OK;
}

/* ---- the rest ----------------------------------------------------------------------------- */

static bool is_whole(double ratio, double most)
{
    return ratio >= 0.5 && ratio < most + 0.5 && fabs(ratio / rint(ratio) - 1.0) <= SAME &&
           fabs(ratio - rint(ratio)) <= SAME_TURNS;
}

static bool explains(const lk_report_clock *row, double period_s)
{
    if (fabs(period_s / row->period_s - 1.0) <= SAME)
        return true;
    return is_whole(period_s / row->period_s, MULTIPLES) ||
           (strcmp(row->kind, "retry") == 0 && is_whole(row->period_s / period_s, FRACTIONS));
}

/* A caller that comes in another clock's waves and skips some, or whose lines were lost in part. */
static bool is_echo(const lk_case *c, size_t i)
{
    if (isnan(c->strict[i]) || c->strict[i] >= STRICT)
        return false;
    for (size_t j = 0; j < c->row_count; j++) {
        double ratio = c->row[i].period_s / c->row[j].period_s;

        if (j != i && rint(ratio) >= 2.0 && fabs(ratio - rint(ratio)) <= SAME_TURNS &&
            c->row[j].share > c->row[i].share &&
            (rint(ratio) <= LOST_TURNS || c->row[j].waves != LK_COUNT_NONE))
            return true;
    }
    return false;
}

void lk_case_drop_echoes(lk_case *c)
{
    size_t kept = 0;
    bool echo[LK_CLOCKS_MAX];

    for (size_t i = 0; i < c->row_count; i++)
        echo[i] = is_echo(c, i);
    for (size_t i = 0; i < c->row_count; i++)
        if (echo[i]) {
            lk_steps_say(c->steps, 1, "%.6g s: callers that skip turns of another clock, dropped",
                         c->row[i].period_s);
        } else {
            c->strict[kept] = c->strict[i];
            c->row[kept++] = c->row[i];
        }
    c->row_count = kept;
}

/* A delay that callers come back on, together or not, or a simple fraction of it. */
static bool is_echo_of(const lk_span *known, double period_s)
{
    for (unsigned k = 1; k <= ECHOES; k++)
        if (k * period_s >= known->low_s && k * period_s <= known->high_s)
            return true;
    return false;
}

bool lk_case_explains(const lk_case *c, double period_s)
{
    for (size_t i = 0; i < c->row_count; i++)
        if (explains(&c->row[i], period_s))
            return true;
    for (size_t i = 0; i < c->known_count; i++)
        if (is_echo_of(&c->known[i], period_s))
            return true;
    return false;
}
