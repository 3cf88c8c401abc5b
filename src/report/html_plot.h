/* report/html_plot — charts as inline SVG: axes with units, steps, bars and lines, words on hover.
 *
 * A plot is as wide as its page: x is a share of the width, drawn at 0..1000 in a stretched view box
 * or as percent, so that text and strokes keep their size on a telephone as on a wall.
 * Shapes: values[n] -> n columns of equal width.
 * Units:  x shares 0..1; y in what `y_unit` names; heights px.  */
#ifndef LK_REPORT_HTML_PLOT_H
#define LK_REPORT_HTML_PLOT_H

#include "report/html.h"

#include <stddef.h>

enum { LK_PLOT_HEIGHT = 190, LK_PLOT_LANE = 18 };

typedef struct lk_plot {
    lk_html *h;
    double top;    /* value at the upper edge */
    size_t height; /* of the drawing, px      */
    size_t below;  /* px taken below it by lanes */
    size_t lanes;
} lk_plot;

/* <figure> and its <svg>; `label` says in words what the picture shows.  `peak` > 0. */
void lk_plot_open(lk_plot *p, lk_html *h, const char *label, double peak, const char *y_unit,
                  size_t lanes);
/* `caption` (text) closes the figure. */
void lk_plot_close(lk_plot *p, const char *caption);

void lk_plot_steps(lk_plot *p, const char *class, const double *values, size_t n); /* filled */
void lk_plot_outline(lk_plot *p, const char *class, const double *values, size_t n);
void lk_plot_bars(lk_plot *p, const char *class, const double *values, size_t n); /* gaps between */
void lk_plot_curve(lk_plot *p, const char *class, const double *x, const double *y, size_t n);
/* A dashed line across, with its word. */
void lk_plot_level(lk_plot *p, double value, const char *fmt, ...) LK_PRINTF(3, 4);
/* A dashed line upright, with its word at the upper edge; `row` stacks words that would collide. */
void lk_plot_mark(lk_plot *p, const char *class, double x, size_t row, const char *fmt, ...)
    LK_PRINTF(5, 6);
/* Words for whoever points at this stretch. */
void lk_plot_hover(lk_plot *p, double x, double width, const char *fmt, ...) LK_PRINTF(4, 5);

/* A lane below the drawing: ticks at x[n], in order. */
void lk_plot_lane(lk_plot *p, size_t lane, const char *name, const double *x, size_t n);

/* Ticks of the x axis. */
void lk_plot_tick(lk_plot *p, double x, size_t index, const char *fmt, ...) LK_PRINTF(4, 5);
void lk_plot_time_axis(lk_plot *p, int64_t start_ns, int64_t end_ns);
/* Seconds from `from` to `to`; logarithmic where `log`. */
void lk_plot_seconds_axis(lk_plot *p, double to);
void lk_plot_log_axis(lk_plot *p, double from, double to);
/* Where a value stands on the logarithmic axis. */
double lk_plot_log_x(double value, double from, double to);

#endif
