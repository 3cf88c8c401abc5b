#include "infer/scheduling.h"

#include "base/whole.h"
#include "infer/rows.h"
#include "infer/waves.h"

#include <math.h>

/* Resultant of callers, of whom a few may be too few to test: those left out of the sample come when they do. */
#define SAME_BINS 0.5

/* How many callers each of the sample's stands for. */
static double scale_of(const lk_case *c, const lk_schedule *s)
{
    double sum = 0.0;

    for (size_t i = 0; i < s->callers; i++)
        sum += c->strides.weight[c->strides.row[s->stride[i]].unit];
    return s->callers > 0 ? sum / (double)s->callers : 1.0;
}

static lk_code add_waves(lk_case *c, const lk_schedule *s, lk_report_clock *row, lk_err *e)
{
    lk_beat *beats = LK_NEW(c->scratch, lk_beat, s->count);
    lk_waves w;

    if (!beats)
        return lk_fail(e, LK_EOOM, "no memory for %zu arrivals of a schedule", s->count);
    for (size_t i = 0; i < s->count; i++)
        beats[i] = s->beat[i];
    LK_TRY(lk_waves_of_beats(beats, s->count, &c->frame, c->work, &w, e));
    return lk_row_waves(c, &w, scale_of(c, s), row, e);
}

/* One caller's arrivals are no waves; their phase is worth knowing. */
static void forget_waves(lk_report_clock *row)
{
    row->waves = LK_COUNT_NONE;
    row->wave_count = 0;
    row->width_s = row->duty = (double)NAN;
}

static lk_code add_row(lk_case *c, const lk_schedule *s, lk_err *e)
{
    double from = s->beat[0].at_s, to = s->beat[s->count - 1].at_s;
    lk_report_clock *row = lk_row_new(c, "scheduled");

    if (!row)
        return LK_OK;
    c->strict[c->row_count - 1] = s->strict;
    row->period_s = s->period_s;
    row->period_error_s = s->period_error_s;
    row->ln_false_alarm = s->ln_p;
    row->callers = lk_nearest_even((double)s->callers * scale_of(c, s));
    row->from = "callers";
    if (s->together)
        LK_TRY(add_waves(c, s, row, e));
    if (s->callers == 1)
        forget_waves(row);
    row->start_ns = lk_case_instant(c, from);
    row->end_ns = lk_case_instant(c, to);
    row->share =
        fmin(1.0, (double)s->count * scale_of(c, s) / fmax(lk_case_arrivals(c, from, to), 1.0));
    row->survival_ratio = row->survival_low = row->survival_high = (double)NAN;
    LK_TRY(lk_row_names(c, s->stride, s->callers, row, e));
    return lk_row_candidates(c, LK_USE_SCHEDULE, row, e);
}

static void note_callers(lk_case *c, const lk_schedule *s)
{
    for (size_t u = 0; u < c->strides.unit_count; u++)
        if (s->member[u])
            c->explained[u] = fmax(c->explained[u], s->resultant >= SAME_BINS ? c->strides.weight[u] : 1.0);
}

lk_code lk_schedule_rows(lk_case *c, const lk_schedules *schedules, lk_err *e)
{
    lk_mark mark = lk_arena_mark(c->scratch);

    for (size_t i = 0; i < schedules->count; i++) {
        note_callers(c, &schedules->item[i]);
        LK_TRY(add_row(c, &schedules->item[i], e));
        lk_arena_rewind(c->scratch, mark);
    }
    return LK_OK;
}
