/* report/axis — the time axis below a chart: round instants as ticks, and their labels.
 *
 * Units:  ns; column i covers [start_ns + i * column_ns, + column_ns).  */
#ifndef LK_REPORT_AXIS_H
#define LK_REPORT_AXIS_H

#include "report/words.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum lk_axis_label { LK_AXIS_SECONDS, LK_AXIS_MINUTES, LK_AXIS_DAYS } lk_axis_label;

typedef struct lk_axis {
    int64_t start_ns, column_ns;
    int64_t step_ns; /* from a tick to the next, wide enough for the labels */
    lk_axis_label kind;
    size_t label_width;
} lk_axis;

void lk_axis_init(lk_axis *axis, int64_t start_ns, int64_t column_ns);
bool lk_axis_is_tick(const lk_axis *axis, size_t column);
/* Of a column with a tick: "12:31:04", "12:31" or "07-15". */
lk_word lk_axis_label_at(const lk_axis *axis, size_t column);
/* The same of any instant. */
lk_word lk_axis_label_of(const lk_axis *axis, int64_t at_ns);
/* The first multiple of the step at or after the start of the axis. */
int64_t lk_axis_first_tick(const lk_axis *axis);

/* Per second, the mean of bins [from, to) in a column of `whole` of them.  A last column of less than half as many is
 * taken as whole, or a wave in one bin at a log's end would tower above those before it. */
double lk_axis_rate(const uint32_t *bins, size_t from, size_t to, size_t whole, double bin_s);

#endif
