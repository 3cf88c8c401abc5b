#include "report/html_part.h"

#include "base/whole.h"
#include "report/html_plot.h"
#include "report/words.h"

#include <math.h>

enum { POINTS = 480, HARMONICS = 3, MARKED = 3, ROWS = 3 };

typedef struct range {
    double from, to, peak;
} range;

static bool is_point(const lk_report_spectrum *s, size_t i)
{
    return isfinite(s->power[i]) && isfinite(s->period_s[i]) && s->period_s[i] > 0;
}

static range range_of(const lk_report_spectrum *s)
{
    range g = { (double)INFINITY, 0, 0 };

    for (size_t i = 0; i < s->n; i++) {
        if (!is_point(s, i))
            continue;
        g.from = fmin(g.from, s->period_s[i]);
        g.to = fmax(g.to, s->period_s[i]);
        g.peak = fmax(g.peak, s->power[i]);
    }
    return g;
}

/* The highest power in each of POINTS equal steps of the axis: no peak is thinned away. */
static size_t thin(const lk_report_spectrum *s, const range *g, double x[POINTS + 2],
                   double y[POINTS + 2])
{
    double high[POINTS] = { 0 };
    bool some[POINTS] = { false };
    size_t n = 1;

    for (size_t i = 0; i < s->n; i++) {
        size_t k;

        if (!is_point(s, i))
            continue;
        k = lk_whole_size(lk_plot_log_x(s->period_s[i], g->from, g->to) * (POINTS - 1));
        high[k] = fmax(high[k], s->power[i]);
        some[k] = true;
    }
    for (size_t k = 0; k < POINTS; k++) {
        if (!some[k])
            continue;
        x[n] = (double)k / (POINTS - 1);
        y[n++] = high[k];
    }
    x[0] = x[1];
    x[n] = x[n - 1];
    y[0] = y[n] = 0; /* the filled shape stands on the axis */
    return n + 1;
}

static void mark_clock(lk_plot *p, const lk_report_clock *c, const range *g, size_t row)
{
    for (int k = HARMONICS; k >= 1; k--) {
        double period = c->period_s / k;

        if (!(period > g->from && period < g->to))
            continue;
        if (k == 1)
            lk_plot_mark(p, "main", lk_plot_log_x(period, g->from, g->to), row, "%s s",
                         lk_word_within(c->period_s, c->period_error_s).text);
        else
            lk_plot_mark(p, "minor wide", lk_plot_log_x(period, g->from, g->to), row, "÷%d", k);
    }
}

static void draw(lk_html *h, const lk_report *r, const range *g)
{
    const lk_report_spectrum *s = &r->spectrum;
    double x[POINTS + 2], y[POINTS + 2];
    size_t n = thin(s, g, x, y);
    double peak = isfinite(s->threshold) ? fmax(g->peak, s->threshold) : g->peak;
    lk_plot p;

    lk_plot_open(&p, h,
                 lk_html_print(h,
                               "Periodogram of the arrivals for periods from %s to %s; the highest "
                               "power is %s, the threshold %s.",
                               lk_word_seconds(g->from).text, lk_word_seconds(g->to).text,
                               lk_word_scale(g->peak).text, lk_word_scale(s->threshold).text),
                 peak * 1.25, "power against that of noise", 0);
    lk_plot_curve(&p, "power", x, y, n);
    if (isfinite(s->threshold))
        lk_plot_level(&p, s->threshold, "threshold: chance does not reach it");
    for (size_t i = 0; i < r->clock_count && i < MARKED; i++)
        mark_clock(&p, &r->clocks[i], g, i % ROWS);
    lk_plot_log_axis(&p, g->from, g->to);
    lk_plot_close(&p, "How strongly each period is in the arrivals; period on a logarithmic scale. "
                      "Dashed lines: the clocks found, and as ÷2 and ÷3 their harmonics, which are "
                      "the same clock seen again.");
}

void lk_html_spectrum(lk_html *h, const lk_report *r)
{
    const lk_report_spectrum *s = &r->spectrum;
    range g;

    if (s->n < 8 || !s->period_s || !s->power)
        return;
    g = range_of(s);
    if (!(g.to > g.from) || !(g.peak > 0))
        return;
    lk_html_section(h, "spectrum", "Periodogram");
    draw(h, r, &g);
    lk_html_how(h,
                &(lk_html_basis){
                    .measured = lk_html_print(
                        h,
                        "The squared Fourier transform of arrivals in bins of %s, divided by "
                        "its local noise.",
                        lk_word_setting(s->bin_s).text),
                    .population = "All HTTP attempts of the log.",
                    .sure = "Above the threshold, pure chance shows in few of many logs. A clock "
                            "that callers show by their own steps may stay below it.",
                    .change = "A longer log, or times to the millisecond, sharpen the peaks.",
                });
    lk_html_section_end(h);
}
