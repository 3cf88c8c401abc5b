#include "infer/crowding.h"

#include "infer/crowd.h"
#include "infer/fundamental.h"
#include "infer/rows.h"
#include "infer/steps.h"
#include "infer/timing.h"

#include <math.h>
#include <stdlib.h>

#define FAILED_LEAST 0.3 /* of a population's attempts */
#define FITS 0.02
/* Of wrong periods fewer than one in 250 passes the crowd's test (3,000 asked on logs without a retry
 * clock: none). */
#define CROWD_LN (-5.5)

enum { POPULATIONS_MAX = 3, FAILURES_LEAST = 40, HITS_ASKED = 6 };

typedef struct population {
    uint32_t id;
    size_t failed, attempts;
} population;

/* Nothing accounts for its caller yet. */
static bool is_open(const lk_case *c, const lk_stride *s)
{
    return !(c->explained[s->unit] > 0.0);
}

static int by_failures(const void *a, const void *b)
{
    const population *x = a, *y = b;

    if (x->failed != y->failed)
        return x->failed > y->failed ? -1 : 1;
    return (x->id > y->id) - (x->id < y->id);
}

/* The populations that fail most among callers whom nothing accounts for. */
static lk_code list_populations(lk_case *c, population **out, size_t *count, lk_err *e)
{
    size_t symbols = 1;
    population *p;

    for (size_t i = 0; i < c->strides.n; i++)
        if (c->strides.row[i].population >= symbols)
            symbols = (size_t)c->strides.row[i].population + 1;
    p = LK_NEW(c->scratch, population, symbols);
    if (!p)
        return lk_fail(e, LK_EOOM, "no memory for %zu populations", symbols);
    for (size_t i = 0; i < c->strides.n; i++) {
        const lk_stride *s = &c->strides.row[i];

        p[s->population].id = s->population;
        p[s->population].attempts += is_open(c, s);
        p[s->population].failed += is_open(c, s) && s->failed;
    }
    qsort(p, symbols, sizeof(*p), by_failures);
    *out = p;
    *count = symbols < POPULATIONS_MAX ? symbols : POPULATIONS_MAX;
    return LK_OK;
}

static int by_time(const void *a, const void *b)
{
    const lk_stride *const *x = a, *const *y = b;

    if ((*x)->at_s < (*y)->at_s || (*x)->at_s > (*y)->at_s)
        return (*x)->at_s < (*y)->at_s ? -1 : 1;
    return (*x > *y) - (*x < *y);
}

static lk_code pick(lk_case *c, const population *p, lk_crowd *out, lk_err *e)
{
    *out =
        (lk_crowd){ .row = LK_NEW(c->scratch, const lk_stride *, p->attempts), .frame = &c->frame };
    if (!out->row)
        return lk_fail(e, LK_EOOM, "no memory for %zu attempts", p->attempts);
    for (size_t i = 0; i < c->strides.n; i++) {
        const lk_stride *s = &c->strides.row[i];

        if (s->population == p->id && is_open(c, s))
            out->row[out->count++] = s;
    }
    qsort(out->row, out->count, sizeof(const lk_stride *), by_time);
    return LK_OK;
}

static lk_code open_line(lk_case *c, const lk_crowd *crowd, lk_line *out, lk_err *e)
{
    const lk_line *log = &c->line[LK_LINE_ALL];
    double *x = LK_NEW(c->scratch, double, log->n);

    if (!x)
        return lk_fail(e, LK_EOOM, "no memory for a series of %zu bins", log->n);
    for (size_t i = 0; i < crowd->count; i++) {
        size_t bin = lk_line_bin(log, crowd->row[i]->at_s - c->line_zero_s);

        x[bin < log->n ? bin : log->n - 1] += 1.0;
    }
    return lk_line_init(out, x, log->n, log->bin_s, c->scratch, e);
}

static lk_code fill_row(lk_case *c, const lk_crowd *crowd, const lk_waves *w, double period_s,
                        lk_report_clock *row, lk_err *e)
{
    double scale = lk_case_scale(c), to = w->item[w->count - 1].start_s, inside = 0.0;
    size_t first = (size_t)(crowd->row[0] - c->strides.row);

    row->period_s = fabs(w->period_s / period_s - 1.0) < FITS ? w->period_s : period_s;
    row->period_error_s = w->period_error_s;
    row->from = "rejections";
    LK_TRY(lk_row_waves(c, w, scale, row, e));
    to += w->item[w->count - 1].width_s;
    for (size_t i = 0; i < crowd->count; i++)
        inside += crowd->row[i]->at_s >= w->item[0].start_s && crowd->row[i]->at_s <= to;
    row->share = fmin(1.0, inside * scale / fmax(lk_case_arrivals(c, w->item[0].start_s, to), 1.0));
    LK_TRY(lk_row_names(c, &first, 1, row, e));
    row->target_count = 0;
    return lk_row_candidates(c, LK_USE_RETRY, row, e);
}

static lk_code add_row(lk_case *c, const lk_crowd *crowd, const lk_waves *w, double period_s,
                       double ln_p, lk_err *e)
{
    lk_report_clock *row = lk_row_new(c, "retry");

    for (size_t i = 0; i < crowd->count; i++)
        c->explained[crowd->row[i]->unit] = 1.0;
    if (!row)
        return LK_OK;
    row->ln_false_alarm = ln_p;
    return fill_row(c, crowd, w, period_s, row, e);
}

static lk_code ask(lk_case *c, const lk_crowd *crowd, const lk_line *line, const lk_hit *hit,
                   bool *found, lk_err *e)
{
    lk_line part = lk_line_part(line, hit->from, hit->to - hit->from);
    double period_s = hit->period_s;
    lk_crowd_answer answer;

    if (hit->engine == LK_ENGINE_COHERENCE)
        LK_TRY(lk_fundamental_find(&part, period_s, c->scratch, &period_s, e));
    if (lk_case_explains(c, period_s))
        return LK_OK;
    LK_TRY(lk_crowd_ask(crowd, period_s, c->work, c->scratch, &answer, e));
    *found = answer.is_retry;
    lk_steps_say(c->steps, 2, "%.6g s: ln p %.2f -> %s", period_s, hit->ln_p,
                 *found ? "its waves shrink as those of a retry do: a retry clock"
                        : "its waves do not shrink as those of a retry do");
    return *found ? add_row(c, crowd, &answer.waves, period_s, hit->ln_p, e) : LK_OK;
}

/* What the search of several populations, and the crowd's own test, are worth. */
static double ln_trials(const lk_case *c)
{
    return c->ln_trials + log(POPULATIONS_MAX) + CROWD_LN;
}

static lk_code ask_hits(lk_case *c, const lk_crowd *crowd, const lk_line *line, lk_hits *hits,
                        lk_err *e)
{
    bool found = false;

    for (size_t i = 0; i < hits->count && i < HITS_ASKED && !found; i++) {
        lk_hit hit = hits->item[i];

        hit.ln_p += ln_trials(c);
        if (hit.ln_p <= c->ln_stands)
            LK_TRY(ask(c, crowd, line, &hit, &found, e));
    }
    return LK_OK;
}

static lk_code search(lk_case *c, const population *p, lk_hits *hits, lk_err *e)
{
    lk_crowd crowd;
    lk_line line;

    lk_steps_say(c->steps, 1, "population of %zu attempts, %zu failed", p->attempts, p->failed);
    LK_TRY(pick(c, p, &crowd, e));
    LK_TRY(open_line(c, &crowd, &line, e));
    LK_TRY(lk_timing_find(c->timing, &line, c->scratch, hits, e));
    return ask_hits(c, &crowd, &line, hits, e);
}

lk_code lk_crowd_rows(lk_case *c, lk_err *e)
{
    lk_mark mark = lk_arena_mark(c->scratch);
    lk_hits *hits = LK_NEW(c->scratch, lk_hits, 1);
    population *p = NULL;
    size_t count = 0;

    if (!hits)
        return lk_fail(e, LK_EOOM, "no memory for periods");
    LK_TRY(list_populations(c, &p, &count, e));
    for (size_t i = 0; i < count; i++) {
        lk_mark here = lk_arena_mark(c->scratch);

        if (p[i].failed >= FAILURES_LEAST &&
            (double)p[i].failed >= FAILED_LEAST * (double)p[i].attempts)
            LK_TRY(search(c, &p[i], hits, e));
        lk_arena_rewind(c->scratch, here);
    }
    lk_arena_rewind(c->scratch, mark);
    return LK_OK;
}
