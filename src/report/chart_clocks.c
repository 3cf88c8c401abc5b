#include "report/chart_clocks.h"

#include "base/whole.h"
#include "report/glyphs.h"
#include "report/words.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { ROWS = 4, MARGIN = 11, COLUMNS_LEAST = 20, POINTS_LEAST = 8, TICK_WIDTH = 5 };

/* ---- the periodogram ---------------------------------------------------------------------- */

typedef struct gram {
    double *power; /* [columns] the highest of the column's periods */
    size_t columns;
    double shortest_s, longest_s;
} gram;

static size_t column_of(const gram *g, double period_s)
{
    double share = log(period_s / g->shortest_s) / log(g->longest_s / g->shortest_s);
    double column = floor(share * (double)g->columns);

    return column <= 0 ? 0 : column >= (double)g->columns ? g->columns - 1 : lk_whole_size(column);
}

static bool measure(lk_page *p, const lk_report_spectrum *s, gram *g)
{
    *g = (gram){ .columns = p->width - MARGIN, .shortest_s = (double)INFINITY };
    for (size_t i = 0; i < s->n; i++) {
        g->shortest_s = fmin(g->shortest_s, s->period_s[i]);
        g->longest_s = fmax(g->longest_s, s->period_s[i]);
    }
    if (s->n < POINTS_LEAST || g->columns < COLUMNS_LEAST || !(g->longest_s > g->shortest_s) ||
        !(g->shortest_s > 0.0) || !(s->threshold > 0.0))
        return false;
    g->power = LK_NEW(p->arena, double, g->columns);
    if (!g->power) {
        p->out->failed = true;
        return false;
    }
    for (size_t i = 0; i < s->n; i++) {
        size_t c = column_of(g, s->period_s[i]);

        g->power[c] = fmax(g->power[c], s->power[i]);
    }
    for (size_t c = 1; c < g->columns; c++) /* long periods are far apart: no gaps between them */
        if (!(g->power[c] > 0.0))
            g->power[c] = g->power[c - 1];
    return true;
}

static void draw_row(lk_page *p, const gram *g, double height, size_t row)
{
    const lk_glyphs *ink = lk_glyphs_of(p);
    size_t end = g->columns;
    bool at_line = row + 1 == ROWS / 2;

    while (end > 0 && lk_level_of(g->power[end - 1], height, row) == 0)
        end--;
    lk_buf_printf(p->out, "%*s %s", MARGIN - 2, at_line ? "chance" : "",
                  at_line ? ink->axis_label : ink->axis);
    for (size_t c = 0; c < end; c++)
        lk_buf_text(p->out, ink->level[lk_level_of(g->power[c], height, row)]);
    lk_page_blank(p);
}

/* Round periods below their columns, as far as there is room. */
static void draw_axis(lk_page *p, const gram *g)
{
    static const double ROUND_S[] = { 1,   2,   3,   5,   10,   15,   20,   30,   60,
                                      120, 300, 600, 900, 1800, 3600, 7200, 14400 };
    const lk_glyphs *ink = lk_glyphs_of(p);
    char *line = LK_NEW(p->arena, char, g->columns + TICK_WIDTH + 1);
    bool *tick = LK_NEW(p->arena, bool, g->columns);
    size_t from = 0;

    if (!line || !tick) {
        p->out->failed = true;
        return;
    }
    memset(line, ' ', g->columns + TICK_WIDTH);
    for (size_t i = 0; i < sizeof(ROUND_S) / sizeof(ROUND_S[0]); i++) {
        size_t c = column_of(g, ROUND_S[i]), len;
        char text[16];

        if (ROUND_S[i] < g->shortest_s || ROUND_S[i] > g->longest_s || c < from)
            continue;
        len = (size_t)snprintf(text, sizeof(text), "%.0f s", ROUND_S[i]);
        if (c + len > g->columns)
            continue;
        tick[c] = true;
        memcpy(line + c, text, len);
        from = c + len + 1;
    }
    lk_buf_printf(p->out, "%*s %s", MARGIN - 2, "0", ink->corner);
    for (size_t c = 0; c < g->columns; c++)
        lk_buf_text(p->out, tick[c] ? ink->tick : ink->base);
    lk_page_blank(p);
    for (size_t end = g->columns + TICK_WIDTH; end > 0 && line[end - 1] == ' '; end--)
        line[end - 1] = '\0';
    lk_buf_printf(p->out, "%*s%s\n", MARGIN, "", line);
}

void lk_chart_spectrum(lk_page *p, const lk_report *r)
{
    gram g;

    if (!measure(p, &r->spectrum, &g))
        return;
    lk_page_blank(p);
    lk_page_para(p, 2,
                 "Rhythm of the arrivals by period (power, whitened). What stands above the line "
                 "is not chance alone; one clock shows at its fractions, too.");
    for (size_t row = ROWS; row-- > 0;)
        draw_row(p, &g, r->spectrum.threshold * 2.0 / ROWS, row);
    draw_axis(p, &g);
    lk_page_blank(p);
}

/* ---- the phase ---------------------------------------------------------------------------- */

void lk_chart_phase(lk_page *p, const lk_report_clock *c, size_t label, size_t at)
{
    const lk_glyphs *ink = lk_glyphs_of(p);
    size_t group = (c->phase_count + p->width - at - 1) / (p->width - at);
    double most = 0.0;

    if (c->phase_count == 0 || p->width <= at)
        return;
    for (size_t i = 0; i < c->phase_count; i++)
        most = fmax(most, c->phase_all[i]);
    lk_page_item(p, label, "phase", at, "the attempts of that time folded at the period, 0 to %s",
                 lk_word_seconds(c->period_s).text);
    lk_buf_fill(p->out, ' ', at);
    for (size_t i = 0; i < c->phase_count; i += group) {
        double fullest = 0.0;

        for (size_t k = i; k < i + group && k < c->phase_count; k++)
            fullest = fmax(fullest, c->phase_all[k]);
        lk_buf_text(p->out, ink->level[lk_level_of(fullest, fmax(most, 1.0), 0)]);
    }
    lk_page_blank(p);
}
