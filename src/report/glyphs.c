#include "report/glyphs.h"

#include "base/whole.h"

#include <math.h>

static const lk_glyphs UTF8_GLYPHS = {
    { " ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█" }, "│", "┤", "└", "─", "┬"
};
static const lk_glyphs ASCII_GLYPHS = {
    { " ", ".", ".", ".", ":", ":", ":", "#", "#" }, "|", "|", "+", "-", "+"
};

const lk_glyphs *lk_glyphs_of(const lk_page *p)
{
    return p->style->ascii ? &ASCII_GLYPHS : &UTF8_GLYPHS;
}

size_t lk_level_of(double value, double height, size_t row)
{
    double levels = value / height * LK_LEVELS - (double)(row * LK_LEVELS);

    if (value > 0 && row == 0)
        levels = fmax(levels, 1);
    return levels <= 0 ? 0 : levels >= LK_LEVELS ? LK_LEVELS : (size_t)lk_nearest(levels);
}
