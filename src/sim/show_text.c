#include "sim/show.h"

#include "base/text.h"
#include "base/whole.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { CELL = 48, GAP = 2, INDENT = 2 };
enum { NAME = 38, CLAIMED = 7, GOT = 15 }; /* of figures; with the gaps and the verdict 80 */

/* ---- numbers ---- */

/* 6 digits at most, no exponent where it can be read without one. */
static void plain(double x, char *out, size_t size)
{
    if (isnan(x))
        (void)snprintf(out, size, "-");
    else if (isinf(x))
        (void)snprintf(out, size, "never");
    else if (fabs(x) < 1e9 && (fabs(x) >= 1e5 || x == floor(x)))
        (void)snprintf(out, size, "%.0f", x);
    else
        (void)snprintf(out, size, "%.5g", x);
}

void lk_show_number(double value, double error, bool ascii, char *out, size_t size)
{
    int digits, most;

    if (isnan(value) || isnan(error) || !(error > 1e-9 * fabs(value))) { /* or the sums' rounding */
        plain(value, out, size);
        return;
    }
    most = fabs(value) >= 1000 ? 1 : fabs(value) >= 10 ? 2 : fabs(value) >= 1 ? 3 : 4;
    digits = 1 - (int)floor(log10(error));
    digits = digits < 0 ? 0 : digits > most ? most : digits;
    if (error < 0.5 * pow(10, -most)) { /* nothing of it would be seen */
        plain(value, out, size);
        return;
    }
    (void)snprintf(out, size, "%.*f %s %.*f", digits, value, ascii ? "+-" : "\xc2\xb1", digits, error);
}

/* ---- tables ---- */

/* The name alone, where no two rows have the same. */
static bool names_differ(const lk_table *t)
{
    for (size_t a = 0; a < t->row_count; a++)
        for (size_t b = a + 1; b < t->row_count; b++) {
            const char *x = t->cells[a * t->column_count].text, *y = t->cells[b * t->column_count].text;

            if (x && y && strcspn(x, ":") == strcspn(y, ":") && strncmp(x, y, strcspn(x, ":")) == 0)
                return false;
        }
    return true;
}

static void cell_text(const lk_table *t, size_t row, size_t column, bool short_names, bool ascii,
                      char *out)
{
    const lk_cell *c = &t->cells[row * t->column_count + column];

    if (!c->text)
        lk_show_number(c->value, c->error, ascii, out, CELL);
    else if (short_names)
        (void)snprintf(out, CELL, "%.*s", (int)strcspn(c->text, ":"), c->text);
    else
        (void)snprintf(out, CELL, "%s", c->text);
}

/* Line `line` (0 or 1) of a head of one or two; single lines stand below. */
static void head_line(const char *head, int line, char *out)
{
    const char *below = strchr(head, '\n');

    if (!below)
        (void)snprintf(out, CELL, "%s", line ? head : "");
    else if (line)
        (void)snprintf(out, CELL, "%s", below + 1);
    else
        (void)snprintf(out, CELL, "%.*s", (int)(below - head), head);
}

static void widen(size_t *width, const char *text)
{
    size_t columns = lk_text_width(text);

    *width = columns > *width ? columns : *width;
}

static void measure(const lk_table *t, bool short_names, bool ascii, size_t *widths)
{
    char text[CELL];

    for (size_t c = 0; c < t->column_count; c++) {
        widths[c] = 0;
        for (int line = 0; line < 2; line++) {
            head_line(t->columns[c].head, line, text);
            widen(&widths[c], text);
        }
        for (size_t r = 0; r < t->row_count; r++) {
            cell_text(t, r, c, short_names, ascii, text);
            widen(&widths[c], text);
        }
    }
}

/* Texts to the left, numbers to the right; gap 0: the last one. */
static void put(lk_buf *out, const char *text, size_t width, bool left, size_t gap)
{
    size_t pad = width - (lk_text_width(text) < width ? lk_text_width(text) : width);

    if (!left)
        lk_buf_fill(out, ' ', pad);
    lk_buf_text(out, text);
    if (left && gap)
        lk_buf_fill(out, ' ', pad);
    lk_buf_fill(out, ' ', gap);
}

static void put_heads(lk_buf *out, const lk_table *t, const size_t *widths, size_t gap)
{
    char text[CELL];
    bool two = false;

    for (size_t c = 0; c < t->column_count; c++)
        two = two || strchr(t->columns[c].head, '\n');
    for (int line = two ? 0 : 1; line < 2; line++) {
        lk_buf_fill(out, ' ', INDENT);
        for (size_t c = 0; c < t->column_count; c++) {
            head_line(t->columns[c].head, line, text);
            put(out, text, widths[c], c == 0 && t->row_count && t->cells[0].text,
                c + 1 == t->column_count ? 0 : gap);
        }
        lk_buf_text(out, "\n");
    }
}

static void put_bar(lk_buf *out, const lk_table *t, size_t row, size_t room, bool ascii)
{
    double most = 0, mine = t->cells[(row + 1) * t->column_count - 1].value;

    for (size_t r = 0; r < t->row_count; r++)
        most = fmax(most, t->cells[(r + 1) * t->column_count - 1].value);
    if (!(most > 0) || !(mine > 0))
        return;
    lk_buf_fill(out, ' ', GAP);
    for (size_t i = 0; i < lk_whole_size(ceil(mine / most * (double)room)); i++)
        lk_buf_text(out, ascii ? "#" : "\xe2\x96\x88");
}

static void show_table(const lk_table *t, const lk_show_style *style, lk_buf *out)
{
    bool short_names = names_differ(t);
    size_t widths[LK_TABLE_COLUMNS], used = INDENT, gap = GAP;
    char text[CELL];

    measure(t, short_names, style->ascii, widths);
    for (size_t c = 0; c < t->column_count; c++)
        used += widths[c] + GAP;
    if (used - GAP > style->width - 1)
        gap = 1;
    lk_buf_printf(out, "\n%s\n", t->title);
    put_heads(out, t, widths, gap);
    for (size_t r = 0; r < t->row_count; r++) {
        lk_buf_fill(out, ' ', INDENT);
        for (size_t c = 0; c < t->column_count; c++) {
            cell_text(t, r, c, short_names, style->ascii, text);
            put(out, text, widths[c], t->cells[r * t->column_count + c].text != NULL,
                c + 1 == t->column_count ? 0 : gap);
        }
        if (t->bars && used + 8 < style->width)
            put_bar(out, t, r, style->width - used - 1, style->ascii);
        lk_buf_text(out, "\n");
    }
}

/* Words of `text`, broken before the width, each line after `indent` spaces. */
static void wrap(lk_buf *out, const char *text, size_t indent, size_t width)
{
    size_t at = 0;

    while (*(text += strspn(text, " ")) != '\0') {
        size_t len = strcspn(text, " ");

        if (at && at + 1 + len > width) {
            lk_buf_text(out, "\n");
            at = 0;
        }
        if (at)
            lk_buf_text(out, " ");
        else
            lk_buf_fill(out, ' ', indent);
        at = at ? at + 1 + len : indent + len;
        lk_buf_add(out, text, len);
        text += len;
    }
    lk_buf_text(out, "\n");
}

lk_code lk_show_text_tables(const lk_show_head *head, const lk_tables *t, const lk_show_style *style,
                            lk_buf *out, lk_err *e)
{
    (void)e;
    lk_buf_printf(out, "%s: %u run%s a row, seed %" PRIu64 "\n\n", head->model, head->runs,
                  head->runs == 1 ? "" : "s", head->seed);
    for (size_t i = 0; i < head->policy_count; i++)
        lk_buf_printf(out, "  %s\n", head->policies[i]);
    for (size_t i = 0; i < t->count; i++)
        show_table(&t->items[i], style, out);
    lk_buf_text(out, t->note_count ? "\n" : "");
    for (size_t i = 0; i < t->note_count; i++)
        wrap(out, t->notes[i], 0, style->width - 1);
    return LK_OK;
}

/* ---- figures ---- */

static const char *verdict_words(lk_figure_verdict v)
{
    static const char *const WORDS[] = { "holds", "does not hold", "cannot hold" };

    return WORDS[v];
}

static void figure_row(lk_buf *out, const lk_figure *x, const lk_show_style *style)
{
    char claimed[CELL], got[CELL];

    plain(x->claimed, claimed, sizeof(claimed));
    lk_show_number(x->got.mean, x->got.error, style->ascii, got, sizeof(got));
    put(out, x->name, NAME, true, GAP);
    put(out, claimed, CLAIMED, false, GAP);
    put(out, got, GOT, false, GAP);
    lk_buf_printf(out, "%s\n", verdict_words(x->verdict));
}

lk_code lk_show_text_figures(const lk_study *const *studies, const lk_figures *figures, size_t count,
                             const lk_show_style *style, lk_buf *out, lk_err *e)
{
    (void)e;
    for (size_t i = 0; i < count; i++) {
        lk_buf_printf(out, "%s%s  %s\n\n", i ? "\n" : "", studies[i]->name, studies[i]->title);
        put(out, "", NAME, true, GAP);
        put(out, "claimed", CLAIMED, false, GAP);
        put(out, "recomputed", GOT, false, 0);
        lk_buf_text(out, "\n");
        for (size_t j = 0; j < figures[i].count; j++) {
            const lk_figure *x = &figures[i].items[j];

            figure_row(out, x, style);
            if (x->why && (j + 1 == figures[i].count || x[1].why != x->why)) /* one reason, once */
                wrap(out, x->why, 4, style->width - 1);
        }
    }
    return LK_OK;
}
