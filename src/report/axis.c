#include "report/axis.h"

#include "base/time.h"

#include <string.h>

enum { LABEL_GAP = 3 };

/* Where a label stands in "2025-07-15 12:31:04". */
static const struct {
    size_t from, width;
} LABELS[] = {
    [LK_AXIS_SECONDS] = { 11, 8 },
    [LK_AXIS_MINUTES] = { 11, 5 },
    [LK_AXIS_DAYS] = { 5, 5 },
};

typedef struct step {
    int64_t seconds;
    lk_axis_label kind;
} step;

/* clang-format off */
static const step STEPS[] = {
    { 1, LK_AXIS_SECONDS }, { 2, LK_AXIS_SECONDS }, { 5, LK_AXIS_SECONDS },
    { 10, LK_AXIS_SECONDS }, { 15, LK_AXIS_SECONDS }, { 30, LK_AXIS_SECONDS },
    { 60, LK_AXIS_MINUTES }, { 120, LK_AXIS_MINUTES }, { 300, LK_AXIS_MINUTES },
    { 600, LK_AXIS_MINUTES }, { 900, LK_AXIS_MINUTES }, { 1800, LK_AXIS_MINUTES },
    { 3600, LK_AXIS_MINUTES }, { 7200, LK_AXIS_MINUTES }, { 10800, LK_AXIS_MINUTES },
    { 21600, LK_AXIS_MINUTES }, { 43200, LK_AXIS_MINUTES },
    { 86400, LK_AXIS_DAYS }, { 172800, LK_AXIS_DAYS }, { 604800, LK_AXIS_DAYS },
    { 1209600, LK_AXIS_DAYS }, { 2592000, LK_AXIS_DAYS }, { 5184000, LK_AXIS_DAYS },
    { 15552000, LK_AXIS_DAYS }, { 31536000, LK_AXIS_DAYS },
};
/* clang-format on */

enum { STEP_COUNT = sizeof(STEPS) / sizeof(STEPS[0]) };

static bool has_room(const step *s, int64_t column_ns)
{
    double columns = (double)s->seconds * 1e9 / (double)column_ns;

    return columns >= (double)(LABELS[s->kind].width + LABEL_GAP);
}

void lk_axis_init(lk_axis *axis, int64_t start_ns, int64_t column_ns)
{
    size_t i = 0;

    while (i + 1 < STEP_COUNT && !has_room(&STEPS[i], column_ns))
        i++;
    *axis = (lk_axis){ .start_ns = start_ns,
                       .column_ns = column_ns,
                       .step_ns = STEPS[i].seconds * LK_NS_PER_S,
                       .kind = STEPS[i].kind,
                       .label_width = LABELS[STEPS[i].kind].width };
}

/* The last multiple of the step up to the end of the column. */
static int64_t tick_before_end(const lk_axis *axis, size_t column)
{
    int64_t last = axis->start_ns + ((int64_t)column + 1) * axis->column_ns - 1;

    return lk_floor_div(last, axis->step_ns) * axis->step_ns;
}

bool lk_axis_is_tick(const lk_axis *axis, size_t column)
{
    return tick_before_end(axis, column) >= axis->start_ns + (int64_t)column * axis->column_ns;
}

lk_word lk_axis_label_of(const lk_axis *axis, int64_t at_ns)
{
    lk_word w = lk_word_instant(at_ns);

    memmove(w.text, w.text + LABELS[axis->kind].from, axis->label_width);
    w.text[axis->label_width] = '\0';
    return w;
}

lk_word lk_axis_label_at(const lk_axis *axis, size_t column)
{
    return lk_axis_label_of(axis, tick_before_end(axis, column));
}

int64_t lk_axis_first_tick(const lk_axis *axis)
{
    return -lk_floor_div(-axis->start_ns, axis->step_ns) * axis->step_ns;
}

double lk_axis_rate(const uint32_t *bins, size_t from, size_t to, size_t whole, double bin_s)
{
    const size_t n = 2 * (to - from) < whole ? whole : to - from;
    double total = 0;

    for (size_t i = from; i < to; i++)
        total += bins[i];
    return total / ((double)n * bin_s);
}
