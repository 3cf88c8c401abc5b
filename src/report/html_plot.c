#include "report/html_plot.h"

#include "base/time.h"
#include "report/axis.h"
#include "report/words.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>

enum { TICKS = 4, LABELS_HEIGHT = 24, VIEW = 1000, AXIS_COLUMNS = 100 };

/* ---- scale ---- */

/* A round value for each of TICKS steps, so that the peak just fits. */
static double choose_step(double peak)
{
    static const double ROUND[] = { 1, 1.5, 2, 2.5, 3, 4, 5, 6, 8, 10 };
    double power = pow(10, floor(log10(peak / TICKS)));

    for (size_t i = 0; i < sizeof(ROUND) / sizeof(ROUND[0]); i++)
        if (ROUND[i] * power * TICKS >= peak * (1 - 1e-9))
            return ROUND[i] * power;
    return 10 * power;
}

static double y_of(const lk_plot *p, double value)
{
    double share = isfinite(value) ? value / p->top : 0;

    return (double)p->height * (1 - fmin(fmax(share, 0), 1));
}

static void draw_grid(lk_plot *p, const char *y_unit)
{
    for (size_t i = 0; i <= TICKS; i++) {
        double value = p->top * (double)i / TICKS, y = y_of(p, value);

        lk_html_draw(p->h, "<line class=\"%s\" x1=\"0\" x2=\"100%%\" y1=\"%.0f\" y2=\"%.0f\"/>",
                     i == 0 ? "axis" : "grid", y, y);
        lk_html_draw(p->h, "<text class=\"y\" x=\"-6\" y=\"%.0f\">", y + 4);
        lk_html_say(p->h, "%s", lk_word_scale(value).text);
        lk_html_raw(p->h, "</text>\n");
    }
    lk_html_raw(p->h, "<text class=\"unit\" x=\"-50\" y=\"-10\">");
    lk_html_say(p->h, "%s", y_unit);
    lk_html_raw(p->h, "</text>\n");
}

/* ---- frame ---- */

void lk_plot_open(lk_plot *p, lk_html *h, const char *label, double peak, const char *y_unit,
                  size_t lanes)
{
    *p = (lk_plot){ .h = h,
                    .top = TICKS * choose_step(peak > 0 && isfinite(peak) ? peak : 1),
                    .height = LK_PLOT_HEIGHT,
                    .below = lanes * LK_PLOT_LANE + (lanes ? 6 : 0),
                    .lanes = lanes };
    lk_html_draw(h, "<figure><svg class=\"plot\" height=\"%zu\" role=\"img\" aria-label=\"",
                 p->height + p->below + LABELS_HEIGHT);
    lk_html_say(h, "%s", label);
    lk_html_raw(h, "\">\n");
    draw_grid(p, y_unit);
}

void lk_plot_close(lk_plot *p, const char *caption)
{
    lk_html_raw(p->h, "</svg>\n");
    lk_html_element(p->h, "figcaption", NULL, "%s", caption);
    lk_html_raw(p->h, "</figure>\n");
}

static void open_view(lk_plot *p, double y, size_t height)
{
    lk_html_draw(p->h,
                 "<svg y=\"%.0f\" width=\"100%%\" height=\"%zu\" viewBox=\"0 0 %d %zu\" "
                 "preserveAspectRatio=\"none\">",
                 y, height, VIEW, height);
}

static void close_view(lk_plot *p)
{
    lk_html_raw(p->h, "</svg>\n");
}

/* ---- shapes ---- */

/* x to a tenth, y to a whole px: what an eye can see. */
static void put_steps(lk_plot *p, const double *values, size_t n)
{
    double at = y_of(p, 0);

    lk_html_draw(p->h, "M0 %.0f", at);
    for (size_t i = 0; i < n; i++) {
        double y = round(y_of(p, values[i]));

        if (values[i] > 0 && y >= (double)p->height)
            y = (double)p->height - 1; /* what is not nothing shows */
        if (fabs(y - at) > 0.5)
            lk_buf_printf(p->h->out, "H%.4gV%.0f", VIEW * (double)i / (double)n, y);
        at = y;
    }
    lk_html_draw(p->h, "H%dV%zu", VIEW, p->height);
}

static void put_path(lk_plot *p, const char *class)
{
    lk_html_draw(p->h, "<path class=\"%s\" d=\"", class);
}

void lk_plot_steps(lk_plot *p, const char *class, const double *values, size_t n)
{
    open_view(p, 0, p->height);
    put_path(p, class);
    put_steps(p, values, n);
    lk_html_raw(p->h, "Z\"/>");
    close_view(p);
}

void lk_plot_outline(lk_plot *p, const char *class, const double *values, size_t n)
{
    open_view(p, 0, p->height);
    put_path(p, class);
    put_steps(p, values, n);
    lk_html_raw(p->h, "\"/>");
    close_view(p);
}

void lk_plot_bars(lk_plot *p, const char *class, const double *values, size_t n)
{
    double width = VIEW / (double)n, gap = width * 0.15;

    open_view(p, 0, p->height);
    put_path(p, class);
    for (size_t i = 0; i < n; i++) {
        double y = fmin(y_of(p, values[i]), (double)p->height - (values[i] > 0));

        if (values[i] > 0)
            lk_buf_printf(p->h->out, "M%.4g %zuV%.0fh%.4gV%zuz", width * (double)i + gap, p->height,
                          y, width - 2 * gap, p->height);
    }
    lk_html_raw(p->h, "\"/>");
    close_view(p);
}

void lk_plot_curve(lk_plot *p, const char *class, const double *x, const double *y, size_t n)
{
    open_view(p, 0, p->height);
    put_path(p, class);
    for (size_t i = 0; i < n; i++)
        lk_buf_printf(p->h->out, "%c%.4g %.4g", i == 0 ? 'M' : 'L', VIEW * x[i], y_of(p, y[i]));
    lk_html_raw(p->h, "\"/>");
    close_view(p);
}

#define SAY_TEXT()                                      \
    do {                                                \
        char said[160];                                 \
        va_list args;                                   \
                                                        \
        va_start(args, fmt);                            \
        (void)vsnprintf(said, sizeof(said), fmt, args); \
        va_end(args);                                   \
        lk_html_say(p->h, "%s", said);                  \
    } while (0)

void lk_plot_level(lk_plot *p, double value, const char *fmt, ...)
{
    double y = y_of(p, value);

    lk_html_draw(p->h, "<line class=\"level\" x1=\"0\" x2=\"100%%\" y1=\"%.0f\" y2=\"%.0f\"/>", y,
                 y);
    lk_html_draw(p->h, "<text class=\"level halo\" x=\"100%%\" y=\"%.0f\">", y - 5);
    SAY_TEXT();
    lk_html_raw(p->h, "</text>\n");
}

void lk_plot_mark(lk_plot *p, const char *class, double x, size_t row, const char *fmt, ...)
{
    const char *side = x < 0.06 ? "start" : x > 0.94 ? "end" : "middle";

    lk_html_draw(p->h,
                 "<line class=\"mark %s\" x1=\"%.2f%%\" x2=\"%.2f%%\" y1=\"%zu\" y2=\"%zu\"/>",
                 class, 100 * x, 100 * x, 16 + 15 * row, p->height);
    lk_html_draw(p->h, "<text class=\"mark %s halo\" text-anchor=\"%s\" x=\"%.2f%%\" y=\"%zu\">",
                 class, side, 100 * x, 12 + 15 * row);
    SAY_TEXT();
    lk_html_raw(p->h, "</text>\n");
}

void lk_plot_hover(lk_plot *p, double x, double width, const char *fmt, ...)
{
    lk_html_draw(p->h, "<rect class=\"hit\" x=\"%.4g%%\" width=\"%.4g%%\" height=\"%zu\"><title>",
                 100 * x, 100 * width, p->height);
    SAY_TEXT();
    lk_html_raw(p->h, "</title></rect>\n");
}

void lk_plot_lane(lk_plot *p, size_t lane, const char *name, const double *x, size_t n)
{
    double y = (double)(p->height + 6 + lane * LK_PLOT_LANE), last = -1;

    lk_html_draw(p->h, "<text class=\"y\" x=\"-6\" y=\"%.0f\">", y + 11);
    lk_html_say(p->h, "%s", name);
    lk_html_raw(p->h, "</text>");
    open_view(p, y, LK_PLOT_LANE - 5);
    put_path(p, "tick");
    for (size_t i = 0; i < n; i++) {
        if (x[i] - last < 0.0015)
            continue;
        last = x[i];
        lk_buf_printf(p->h->out, "M%.4g 0v%d", VIEW * x[i], LK_PLOT_LANE - 5);
    }
    lk_html_raw(p->h, "\"/>");
    close_view(p);
}

/* ---- the x axis ---- */

/* Every third label stays where the page is narrow. */
void lk_plot_tick(lk_plot *p, double x, size_t index, const char *fmt, ...)
{
    const char *side = x < 0.03 ? "start" : x > 0.97 ? "end" : "middle";
    size_t y = p->height + p->below;

    lk_html_draw(p->h, "<line class=\"axis\" x1=\"%.2f%%\" x2=\"%.2f%%\" y1=\"%zu\" y2=\"%zu\"/>",
                 100 * x, 100 * x, p->height, p->height + 5);
    lk_html_draw(p->h, "<text class=\"x%s\" text-anchor=\"%s\" x=\"%.2f%%\" y=\"%zu\">",
                 index % 3 ? " wide" : "", side, 100 * x, y + 19);
    SAY_TEXT();
    lk_html_raw(p->h, "</text>\n");
}

void lk_plot_time_axis(lk_plot *p, int64_t start_ns, int64_t end_ns)
{
    int64_t span = end_ns - start_ns;
    lk_axis axis;
    size_t index = 0;

    if (span < AXIS_COLUMNS)
        return;
    lk_axis_init(&axis, start_ns, span / AXIS_COLUMNS);
    for (int64_t at = lk_axis_first_tick(&axis); at <= end_ns; at += axis.step_ns)
        lk_plot_tick(p, (double)(at - start_ns) / (double)span, index++, "%s",
                     lk_axis_label_of(&axis, at).text);
    if (index == 0)
        lk_plot_tick(p, 0, 0, "%s", lk_word_time(start_ns).text);
}

void lk_plot_seconds_axis(lk_plot *p, double to)
{
    double step = choose_step(to) * TICKS / 5;
    size_t index = 0;

    if (!(to > 0) || !isfinite(to))
        return;
    step = choose_step(to);
    for (double at = 0; at <= to * (1 + 1e-9); at += step)
        lk_plot_tick(p, at / to, index++, "%.6g s", at);
}

double lk_plot_log_x(double value, double from, double to)
{
    return log(value / from) / log(to / from);
}

void lk_plot_log_axis(lk_plot *p, double from, double to)
{
    static const struct {
        double s;
        const char *text;
    } MARKS[] = { { 0.01, "10 ms" },  { 0.1, "0.1 s" }, { 0.5, "0.5 s" }, { 1, "1 s" },
                  { 2, "2 s" },       { 5, "5 s" },     { 10, "10 s" },   { 20, "20 s" },
                  { 60, "1 min" },    { 120, "2 min" }, { 300, "5 min" }, { 600, "10 min" },
                  { 1800, "30 min" }, { 3600, "1 h" },  { 10800, "3 h" }, { 43200, "12 h" },
                  { 86400, "1 d" },   { 604800, "7 d" } };
    size_t index = 0;

    for (size_t i = 0; i < sizeof(MARKS) / sizeof(MARKS[0]); i++)
        if (MARKS[i].s >= from && MARKS[i].s <= to)
            lk_plot_tick(p, lk_plot_log_x(MARKS[i].s, from, to), index++, "%s", MARKS[i].text);
}
