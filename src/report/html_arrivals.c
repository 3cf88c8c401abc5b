#include "report/html_part.h"

#include "base/time.h"
#include "base/whole.h"
#include "report/axis.h"
#include "report/html_plot.h"
#include "report/words.h"

#include <math.h>
#include <string.h>

enum { COLUMNS = 480, STRIPS = 96, LANES = 4, PERIODS_SHOWN = 12, PERIOD_COLUMNS = 24 };

/* A stretch of bins, drawn in columns of whole bins. */
typedef struct stretch {
    const lk_report_arrivals *arrivals;
    size_t from, to, bins; /* bins a column */
    size_t columns;
    double unit_s;
    const char *unit;
} stretch;

static size_t divide_up(size_t a, size_t b)
{
    return (a + b - 1) / b;
}

static double sum(const uint32_t *bins, size_t from, size_t to)
{
    double total = 0;

    for (size_t i = from; i < to; i++)
        total += bins[i];
    return total;
}

static int64_t instant_of(const stretch *s, size_t bin)
{
    return lk_later(s->arrivals->start_ns, lk_nearest((double)bin * s->arrivals->bin_s * 1e9));
}

/* Mean rate of each column; the last may have fewer bins. */
static double *rates_of(lk_html *h, const stretch *s, const uint32_t *bins)
{
    double *rate = LK_NEW(h->arena, double, s->columns);

    if (!rate)
        h->out->failed = true;
    for (size_t c = 0; rate && c < s->columns; c++) {
        size_t from = s->from + c * s->bins, to = from + s->bins < s->to ? from + s->bins : s->to;

        rate[c] = lk_axis_rate(bins, from, to, s->bins, s->arrivals->bin_s) * s->unit_s;
    }
    return rate;
}

static double highest(const double *x, size_t n)
{
    double most = 0;

    for (size_t i = 0; i < n; i++)
        most = fmax(most, x[i]);
    return most;
}

/* The unit of time in which the peak is at least 1. */
static void choose_unit(stretch *s, double peak_per_s)
{
    static const struct {
        double seconds;
        const char *name;
    } UNITS[] = { { 1, "second" }, { 60, "minute" }, { 3600, "hour" }, { 86400, "day" } };
    size_t i = 0;

    while (i + 1 < sizeof(UNITS) / sizeof(UNITS[0]) && peak_per_s * UNITS[i].seconds < 1)
        i++;
    s->unit_s = UNITS[i].seconds;
    s->unit = UNITS[i].name;
}

/* ---- the series ---- */

static const struct {
    const char *class, *text, *shape;
} KEYS[] = {
    { "all", "all attempts (behind)", "M0 0H20V10H0Z" },
    { "rej", "of these, rejected (in front)", "M0 0H20V10H0Z" },
    { "retry", "of these, retries (dashed line)", "M0 5H20" },
    { "tick", "waves of a clock (strokes below the axis)", "M4 0v10M10 0v10M16 0v10" },
};

static void draw_key(lk_html *h, bool some_rejected, bool some_retries, bool some_waves)
{
    const bool shown[] = { true, some_rejected, some_retries, some_waves };

    lk_html_raw(h, "<ul class=\"key\" aria-hidden=\"true\">");
    for (size_t i = 0; i < sizeof(KEYS) / sizeof(KEYS[0]); i++) {
        if (!shown[i])
            continue;
        lk_html_raw(h, "<li><svg viewBox=\"0 0 20 10\"><path class=\"");
        lk_html_raw(h, KEYS[i].class);
        lk_html_raw(h, "\" d=\"");
        lk_html_raw(h, KEYS[i].shape);
        lk_html_raw(h, "\"/>");
        lk_html_raw(h, "</svg>");
        lk_html_say(h, "%s", KEYS[i].text);
        lk_html_raw(h, "</li>");
    }
    lk_html_raw(h, "</ul>\n");
}

/* ---- words on hover, waves below ---- */

static void draw_hover(lk_plot *p, const stretch *s)
{
    size_t n = s->to - s->from, each = divide_up(n, STRIPS);

    for (size_t at = s->from; at < s->to; at += each) {
        size_t to = at + each < s->to ? at + each : s->to;
        double all = sum(s->arrivals->all, at, to);
        double rejected = s->arrivals->rejected ? sum(s->arrivals->rejected, at, to) : 0;

        if (all > 0)
            lk_plot_hover(p, (double)(at - s->from) / (double)n, (double)(to - at) / (double)n,
                          "%s to %s: %s, %s rejected", lk_word_time(instant_of(s, at)).text,
                          lk_word_time(instant_of(s, to)).text,
                          lk_word_counted(lk_whole(all), "attempt").text,
                          lk_word_count(lk_whole(rejected)).text);
    }
}

/* Clocks without a list of waves have no lane. */
static size_t lanes_of(const lk_report *r)
{
    size_t n = 0;

    for (size_t i = 0; i < r->clock_count; i++)
        n += r->clocks[i].wave_count > 0;
    return n < LANES ? n : LANES;
}

static void draw_lane(lk_plot *p, const stretch *s, const lk_report_clock *c, size_t lane,
                      size_t number)
{
    double *x = LK_NEW(p->h->arena, double, c->wave_count + 1);
    double start = (double)instant_of(s, s->from), end = (double)instant_of(s, s->to);
    size_t n = 0;

    if (!x)
        p->h->out->failed = true;
    for (size_t i = 0; x && i < c->wave_count; i++) {
        double at = ((double)c->wave_list[i].start_ns - start) / (end - start);

        if (at >= 0 && at <= 1)
            x[n++] = at;
    }
    lk_plot_lane(p, lane, lk_html_print(p->h, "clock %zu", number), x, x ? n : 0);
}

static void draw_lanes(lk_plot *p, const stretch *s, const lk_report *r)
{
    size_t lane = 0;

    for (size_t i = 0; i < r->clock_count && lane < LANES; i++)
        if (r->clocks[i].wave_count > 0)
            draw_lane(p, s, &r->clocks[i], lane++, i + 1);
}

static void mark(lk_plot *p, const stretch *s, int64_t at_ns, size_t row, const char *word)
{
    double start = (double)instant_of(s, s->from), end = (double)instant_of(s, s->to);
    double x = ((double)at_ns - start) / (end - start);

    if (at_ns != LK_TIME_NONE && x >= 0 && x <= 1)
        lk_plot_mark(p, "minor", x, row, "%s", word);
}

static void mark_incident(lk_plot *p, const stretch *s, const lk_report_incident *in)
{
    mark(p, s, in->start_ns, 0, "incident begins");
    mark(p, s, in->demand_back_ns, 1, "demand back");
    mark(p, s, in->recovered_ns, 2, "over");
}

static const char *describe(lk_html *h, const stretch *s, const char *title, double peak)
{
    return lk_html_print(
        h, "%s: HTTP attempts per %s from %s to %s UTC; the highest mean of %s is %s.", title,
        s->unit, lk_word_instant(instant_of(s, s->from)).text,
        lk_word_instant(instant_of(s, s->to)).text,
        lk_word_setting((double)s->bins * s->arrivals->bin_s).text, lk_word_scale(peak).text);
}

static void draw(lk_html *h, const lk_report *r, stretch *s, const char *title)
{
    double *all, *rejected = NULL, *retries = NULL, peak;
    bool some_rejected, some_retries;
    lk_plot p;

    s->unit_s = 1;
    all = rates_of(h, s, s->arrivals->all);
    if (!all || highest(all, s->columns) <= 0)
        return;
    choose_unit(s, highest(all, s->columns));
    all = rates_of(h, s, s->arrivals->all);
    if (s->arrivals->rejected)
        rejected = rates_of(h, s, s->arrivals->rejected);
    if (s->arrivals->retries)
        retries = rates_of(h, s, s->arrivals->retries);
    if (!all)
        return;
    peak = highest(all, s->columns);
    some_rejected = rejected && highest(rejected, s->columns) > 0;
    some_retries = retries && highest(retries, s->columns) > 0;
    draw_key(h, some_rejected, some_retries, lanes_of(r) > 0);
    lk_plot_open(&p, h, describe(h, s, title, peak), peak,
                 lk_html_print(h, "attempts per %s", s->unit), lanes_of(r));
    lk_plot_steps(&p, "all", all, s->columns);
    if (some_rejected)
        lk_plot_steps(&p, "rej", rejected, s->columns);
    if (some_retries)
        lk_plot_outline(&p, "retry", retries, s->columns);
    if (r->incident)
        mark_incident(&p, s, r->incident);
    draw_lanes(&p, s, r);
    draw_hover(&p, s);
    lk_plot_time_axis(&p, instant_of(s, s->from), instant_of(s, s->to));
    lk_plot_close(&p, lk_html_print(h, "%s. Each step is the mean of %s; times are UTC.%s", title,
                                    lk_word_setting((double)s->bins * s->arrivals->bin_s).text,
                                    some_rejected ? "" : " None of these was rejected."));
}

/* ---- the two pictures ---- */

static bool is_drawable(const lk_report_arrivals *a)
{
    double span_ns = a->bin_s * 1e9 * (double)a->n;

    return a->n > 0 && a->all && a->start_ns != LK_TIME_NONE && a->bin_s >= 1e-6 &&
           (double)a->start_ns > -9e18 && (double)a->start_ns + 2 * span_ns < 9e18;
}

static void draw_overview(lk_html *h, const lk_report *r)
{
    stretch s = { .arrivals = &r->arrivals, .to = r->arrivals.n };

    s.bins = divide_up(s.to, COLUMNS);
    s.columns = divide_up(s.to, s.bins);
    draw(h, r, &s, "The whole log");
}

/* The highest wave, its predecessor's end and the periods after it, where the overview is too coarse. */
static void draw_close(lk_html *h, const lk_report *r, const lk_report_clock *c)
{
    const lk_report_arrivals *a = &r->arrivals;
    const lk_report_wave *best = NULL;
    double period = c->period_s / a->bin_s, first;
    stretch s = { .arrivals = a, .bins = 1 };

    for (size_t i = 0; i < c->wave_count; i++)
        if (!best || c->wave_list[i].arrivals > best->arrivals)
            best = &c->wave_list[i];
    if (!best || best->start_ns == LK_TIME_NONE || !(period >= 4 && period < (double)a->n))
        return;
    if (period / (double)divide_up(a->n, COLUMNS) >= PERIOD_COLUMNS)
        return;
    first = ((double)best->start_ns - (double)a->start_ns) / 1e9 / a->bin_s - period / 4;
    if (!(first < (double)a->n) || first < -period)
        return;
    s.from = first > 0 ? lk_whole_size(first) : 0;
    s.to = s.from + lk_whole_size(period * PERIODS_SHOWN);
    s.to = s.to < a->n ? s.to : a->n;
    s.bins = divide_up(s.to - s.from, COLUMNS);
    s.columns = divide_up(s.to - s.from, s.bins);
    draw(h, r, &s,
         lk_html_print(h, "Closer, at the waves of the %s clock",
                       lk_word_seconds(c->period_s).text));
}

void lk_html_arrivals(lk_html *h, const lk_report *r)
{
    const lk_report_clock *c = lk_html_retry_clock(r);

    if (!is_drawable(&r->arrivals))
        return;
    lk_html_section(h, "arrivals", "When the attempts arrived");
    draw_overview(h, r);
    if (c)
        draw_close(h, r, c);
    lk_html_section_end(h);
}
