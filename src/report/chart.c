#include "report/chart.h"

#include "base/time.h"
#include "base/whole.h"
#include "report/axis.h"
#include "report/glyphs.h"
#include "report/words.h"

#include <math.h>
#include <string.h>

enum {
    ROWS = 6,
    LABEL = 9,          /* indent and y label, "1,500/min"            */
    MARGIN = LABEL + 2, /* ... a blank and the axis                   */
    COLUMNS_MAX = 400,
    BIN_COLUMNS_MAX = 8, /* a bin is not drawn wider than this         */
    WAVE_COLUMNS = 10    /* columns for a period, so that waves show   */
};

typedef struct plot {
    const lk_report_arrivals *arrivals;
    size_t from, to;    /* bins drawn */
    size_t bins, widen; /* bins a column, columns a bin: one of them is 1 */
    size_t columns;
    double *all, *rejected; /* [columns] attempts per unit of time */
    double row;             /* what one row stands for */
    double unit_s;
    const char *unit, *per; /* "second", "/s" */
} plot;

/* ---- shape ---- */

static size_t room(const lk_page *p)
{
    size_t width = p->style->width > p->width ? p->style->width : p->width;

    return width - MARGIN < COLUMNS_MAX ? width - MARGIN : COLUMNS_MAX;
}

static size_t divide_up(size_t a, size_t b)
{
    return (a + b - 1) / b;
}

/* Bins a column so that `n` fit: a round stretch of time if there is one. */
static size_t round_bins(size_t n, double bin_s, size_t columns)
{
    static const double ROUND_S[] = { 0.1,   0.2,   0.25,  0.5,   1,      2,      3,
                                      4,     5,     6,     8,     10,     12,     15,
                                      20,    30,    40,    60,    90,     120,    180,
                                      240,   300,   360,   600,   720,    900,    1200,
                                      1800,  2400,  3600,  5400,  7200,   10800,  14400,
                                      21600, 28800, 43200, 86400, 172800, 259200, 604800 };

    for (size_t i = 0; i < sizeof(ROUND_S) / sizeof(ROUND_S[0]); i++) {
        double bins = ROUND_S[i] / bin_s;

        if (bins >= 0.999 && fabs(bins - round(bins)) < 1e-6 &&
            divide_up(n, (size_t)lk_nearest(bins)) <= columns)
            return (size_t)lk_nearest(bins);
    }
    return divide_up(n, columns);
}

static void shape_whole(plot *g, const lk_report_arrivals *a, size_t columns)
{
    *g = (plot){ .arrivals = a, .to = a->n, .bins = 1, .widen = 1 };
    if (a->n > columns)
        g->bins = round_bins(a->n, a->bin_s, columns);
    else
        g->widen = columns / a->n < BIN_COLUMNS_MAX ? columns / a->n : BIN_COLUMNS_MAX;
    g->columns = divide_up(a->n, g->bins) * g->widen;
}

/* ---- values ---- */

/* Mean rate in each column; the last may have fewer bins. */
static void fill(const plot *g, const uint32_t *bins, double *out)
{
    for (size_t c = 0; c < g->columns; c++) {
        size_t from = g->from + c / g->widen * g->bins;
        size_t to = from + g->bins < g->to ? from + g->bins : g->to;

        out[c] = lk_axis_rate(bins, from, to, g->bins, g->arrivals->bin_s) * g->unit_s;
    }
}

static double highest(const double *x, size_t n)
{
    double most = 0;

    for (size_t i = 0; i < n; i++)
        most = fmax(most, x[i]);
    return most;
}

/* The unit of time in which the peak is at least 1. */
static void choose_unit(plot *g, double peak_per_s)
{
    static const struct {
        double seconds;
        const char *name, *per;
    } UNITS[] = { { 1, "second", "/s" },
                  { 60, "minute", "/min" },
                  { 3600, "hour", "/h" },
                  { 86400, "day", "/d" } };
    size_t i = 0;

    while (i + 1 < sizeof(UNITS) / sizeof(UNITS[0]) && peak_per_s * UNITS[i].seconds < 1)
        i++;
    g->unit_s = UNITS[i].seconds;
    g->unit = UNITS[i].name;
    g->per = UNITS[i].per;
}

/* A round height for each of ROWS rows, so that the peak just fits. */
static double choose_row(double peak)
{
    static const double ROUND[] = { 1, 1.5, 2, 2.5, 3, 4, 5, 6, 8, 10 };
    double power = pow(10, floor(log10(peak / ROWS)));

    for (size_t i = 0; i < sizeof(ROUND) / sizeof(ROUND[0]); i++)
        if (ROUND[i] * power * ROWS >= peak * (1 - 1e-9))
            return ROUND[i] * power;
    return 10 * power;
}

/* False when there is nothing to draw. */
static bool measure(lk_page *p, plot *g)
{
    g->all = LK_NEW(p->arena, double, g->columns);
    g->rejected = LK_NEW(p->arena, double, g->columns);
    if (!g->all || !g->rejected) {
        p->out->failed = true;
        return false;
    }
    g->unit_s = 1;
    fill(g, g->arrivals->all, g->all);
    if (highest(g->all, g->columns) <= 0)
        return false;
    choose_unit(g, highest(g->all, g->columns));
    fill(g, g->arrivals->all, g->all);
    if (g->arrivals->rejected)
        fill(g, g->arrivals->rejected, g->rejected);
    g->row = choose_row(highest(g->all, g->columns));
    return true;
}

/* ---- drawing ---- */

/* The last column with ink, plus one: lines do not end in blanks. */
static size_t inked(const plot *g, const double *values, size_t row)
{
    size_t end = g->columns;

    while (end > 0 && lk_level_of(values[end - 1], g->row, row) == 0)
        end--;
    return end;
}

static void draw_row(lk_page *p, const plot *g, const double *values, size_t row, bool labelled)
{
    const lk_glyphs *ink = lk_glyphs_of(p);
    size_t end = inked(g, values, row);
    const char *label =
        lk_page_print(p, "%s%s", lk_word_scale(g->row * (double)(row + 1)).text, g->per);

    lk_buf_printf(p->out, "%*s %s", LABEL, labelled ? label : "",
                  labelled ? ink->axis_label : ink->axis);
    if (values == g->rejected)
        lk_page_ink(p, LK_INK_RED);
    for (size_t c = 0; c < end; c++)
        lk_buf_text(p->out, ink->level[lk_level_of(values[c], g->row, row)]);
    if (values == g->rejected)
        lk_page_ink(p, LK_INK_PLAIN);
    lk_page_blank(p);
}

static void draw_base(lk_page *p, const plot *g, const lk_axis *axis)
{
    const lk_glyphs *ink = lk_glyphs_of(p);

    lk_buf_printf(p->out, "%*s %s", LABEL, "0", ink->corner);
    for (size_t c = 0; c < g->columns; c++)
        lk_buf_text(p->out, lk_axis_is_tick(axis, c) ? ink->tick : ink->base);
    lk_page_blank(p);
}

/* Labels stand centred below their ticks; the first column's time where there is no tick. */
static void draw_labels(lk_page *p, const plot *g, const lk_axis *axis)
{
    size_t half = axis->label_width / 2, at = 0;

    for (size_t c = 0; c < g->columns; c++) {
        size_t to = MARGIN - 1 + c - half;

        if (!lk_axis_is_tick(axis, c) || to < at || c + half > g->columns)
            continue;
        lk_buf_fill(p->out, ' ', to - at);
        lk_buf_text(p->out, lk_axis_label_at(axis, c).text);
        at = to + axis->label_width;
    }
    if (at == 0)
        lk_buf_printf(p->out, "%*s%s", MARGIN - 1, "", lk_word_time(axis->start_ns).text);
    lk_page_blank(p);
}

static size_t rows_for(const plot *g, const double *values)
{
    double rows = ceil(highest(values, g->columns) / g->row - 1e-9);

    return rows < 1 ? 1 : rows > ROWS ? ROWS : lk_whole_size(rows);
}

static void draw_panel(lk_page *p, const plot *g, const double *values, const lk_axis *axis)
{
    size_t rows = rows_for(g, values);

    for (size_t row = rows; row-- > 0;)
        draw_row(p, g, values, row, row + 1 == rows || (rows == ROWS && row + 1 == ROWS / 2));
    draw_base(p, g, axis);
}

static void draw(lk_page *p, const plot *g)
{
    const int64_t bin_ns = lk_nearest(g->arrivals->bin_s * 1e9);
    bool some_rejected = highest(g->rejected, g->columns) > 0;
    lk_axis axis;

    lk_axis_init(&axis, g->arrivals->start_ns + bin_ns * (int64_t)g->from,
                 bin_ns * (int64_t)g->bins / (int64_t)g->widen);
    draw_panel(p, g, g->all, &axis);
    if (some_rejected) {
        lk_page_para(p, MARGIN - 1, "of these, rejected (same scale):");
        draw_panel(p, g, g->rejected, &axis);
    }
    draw_labels(p, g, &axis);
    if (!some_rejected && g->arrivals->rejected)
        lk_page_para(p, 2, "None of these was rejected.");
}

/* ---- the two charts ---- */

/* Also: no instant up to one column past the end leaves what int64 nanoseconds can say. */
static bool is_drawable(const lk_report_arrivals *a)
{
    double span_ns = a->bin_s * 1e9 * (double)a->n;

    return a->n > 0 && a->all && a->start_ns != LK_TIME_NONE && a->bin_s >= 1e-6 &&
           (double)a->start_ns > -9e18 && (double)a->start_ns + 2 * span_ns < 9e18;
}

/* Means hide short peaks; this says what they hid. */
static void say_busiest(lk_page *p, const lk_report_arrivals *a)
{
    size_t best = 0;
    int64_t at;

    for (size_t i = 1; i < a->n; i++)
        if (a->all[i] > a->all[best])
            best = i;
    at = lk_later(a->start_ns, lk_nearest((double)best * a->bin_s * 1e9));
    lk_page_para(p, 2, "Busiest %s: %s, from %s UTC.", lk_word_setting(a->bin_s).text,
                 lk_word_counted(a->all[best], "HTTP attempt").text, lk_word_instant(at).text);
}

void lk_chart_overview(lk_page *p, const lk_report_arrivals *a)
{
    plot g;
    const char *note;

    if (!is_drawable(a))
        return;
    shape_whole(&g, a, room(p));
    if (!measure(p, &g))
        return;
    note = lk_page_print(p, "HTTP attempts per %s, the mean of each %s, times in UTC", g.unit,
                         lk_word_setting((double)g.bins * a->bin_s).text);
    lk_page_heading(p, "Arrivals", note);
    draw(p, &g);
    say_busiest(p, a);
}

/* From a quarter of a period before the wave, for as long as there is room. */
static bool shape_waves(plot *g, const lk_report_arrivals *a, double period_s, int64_t start_ns,
                        size_t columns)
{
    double period = period_s / a->bin_s;
    double first = ((double)start_ns - (double)a->start_ns) / 1e9 / a->bin_s - period / 4;

    if (!(period >= 4 && period < (double)a->n && first > -period && first < (double)a->n) ||
        start_ns == LK_TIME_NONE)
        return false;
    *g = (plot){ .arrivals = a,
                 .bins = lk_whole_size(fmax(1, floor(period / WAVE_COLUMNS))),
                 .widen = 1 };
    g->from = first > 0 ? lk_whole_size(first) : 0;
    g->columns = divide_up(a->n - g->from, g->bins);
    g->columns = g->columns < columns ? g->columns : columns;
    g->to = g->from + g->columns * g->bins < a->n ? g->from + g->columns * g->bins : a->n;
    return true;
}

void lk_chart_waves(lk_page *p, const lk_report_arrivals *a, double period_s, int64_t start_ns)
{
    plot whole, g;

    if (!is_drawable(a) || !shape_waves(&g, a, period_s, start_ns, room(p)))
        return;
    shape_whole(&whole, a, room(p));
    if (g.bins * 2 > whole.bins || !measure(p, &g))
        return;
    lk_page_blank(p);
    lk_page_para(
        p, 2, "Closer, at the waves of the %s clock: HTTP attempts per %s, the mean of each %s",
        lk_word_seconds(period_s).text, g.unit, lk_word_setting((double)g.bins * a->bin_s).text);
    draw(p, &g);
}
