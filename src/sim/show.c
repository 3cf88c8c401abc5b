#include "sim/show.h"

#include "model/json.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- JSON ---- */

static void add_cell(lk_json *row, const char *name, const lk_cell *c)
{
    lk_json *pair;

    if (c->text) {
        lk_json_add_text(row, name, c->text);
    } else if (isnan(c->error)) {
        lk_json_add_real(row, name, c->value);
    } else {
        pair = lk_json_object(row, name);
        lk_json_add_real(pair, "mean", c->value);
        lk_json_add_real(pair, "standard_error", c->error);
    }
}

static void add_table(lk_json *tables, const lk_table *t)
{
    lk_json *rows = lk_json_array(tables, t->name);

    for (size_t r = 0; r < t->row_count; r++) {
        lk_json *row = lk_json_object(rows, NULL);

        for (size_t c = 0; c < t->column_count; c++)
            add_cell(row, t->columns[c].name, &t->cells[r * t->column_count + c]);
    }
}

static lk_code print(lk_json *root, lk_buf *out, lk_err *e)
{
    lk_code code = root ? lk_json_print(root, out, e) : lk_fail(e, LK_EOOM, "no memory for JSON");

    lk_json_free(root);
    return code;
}

static lk_code json_tables(const lk_show_head *head, const lk_tables *t, const lk_show_style *style,
                           lk_buf *out, lk_err *e)
{
    lk_json *root = lk_json_object(NULL, NULL), *tables;

    (void)style;
    lk_json_add_text(root, "schema", "lockstep.simulation/1");
    lk_json_add_text(root, "model", head->model);
    lk_json_add_count(root, "seed", (int64_t)head->seed);
    lk_json_add_count(root, "runs", head->runs);
    tables = lk_json_object(root, "tables");
    for (size_t i = 0; i < t->count; i++)
        add_table(tables, &t->items[i]);
    return print(root, out, e);
}

static void add_figures(lk_json *study, const char *name, const lk_figures *f)
{
    lk_json *figures;

    lk_json_add_text(study, "study", name);
    figures = lk_json_array(study, "figures");
    for (size_t i = 0; i < f->count; i++) {
        const lk_figure *x = &f->items[i];
        lk_json *row = lk_json_object(figures, NULL);

        lk_json_add_text(row, "name", x->name);
        lk_json_add_real(row, "claimed", x->claimed);
        lk_json_add_real(row, "recomputed", x->got.mean);
        lk_json_add_real(row, "standard_error", x->got.error);
        lk_json_add_text(row, "verdict", lk_figure_verdict_name(x->verdict));
        lk_json_add_text(row, "why", x->why);
    }
}

/* One study is an object; several stand in "studies". */
static lk_code json_figures(const lk_study *const *studies, const lk_figures *figures, size_t count,
                            const lk_show_style *style, lk_buf *out, lk_err *e)
{
    lk_json *root = lk_json_object(NULL, NULL), *all;

    (void)style;
    if (count == 1) {
        add_figures(root, studies[0]->name, &figures[0]);
        return print(root, out, e);
    }
    lk_json_add_text(root, "study", "all");
    all = lk_json_array(root, "studies");
    for (size_t i = 0; i < count; i++)
        add_figures(lk_json_object(all, NULL), studies[i]->name, &figures[i]);
    return print(root, out, e);
}

/* ---- CSV ---- */

static void csv_text(lk_buf *out, const char *text)
{
    lk_buf_text(out, "\"");
    for (; *text; text++)
        lk_buf_printf(out, *text == '"' ? "\"\"" : "%c", *text);
    lk_buf_text(out, "\"");
}

static void csv_number(lk_buf *out, double x)
{
    if (isfinite(x))
        lk_buf_printf(out, "%.9g", x);
}

static lk_code csv_tables(const lk_show_head *head, const lk_tables *t, const lk_show_style *style,
                          lk_buf *out, lk_err *e)
{
    (void)head;
    (void)style;
    (void)e;
    lk_buf_text(out, "table,row,column,value,standard_error\n");
    for (size_t i = 0; i < t->count; i++) {
        const lk_table *table = &t->items[i];

        for (size_t r = 0; r < table->row_count; r++)
            for (size_t c = 1; c < table->column_count; c++) {
                const lk_cell *first = &table->cells[r * table->column_count];

                lk_buf_printf(out, "%s,", table->name);
                if (first->text)
                    csv_text(out, first->text);
                else
                    csv_number(out, first->value);
                lk_buf_printf(out, ",%s,", table->columns[c].name);
                csv_number(out, first[c].value);
                lk_buf_text(out, ",");
                csv_number(out, first[c].error);
                lk_buf_text(out, "\n");
            }
    }
    return LK_OK;
}

static lk_code csv_figures(const lk_study *const *studies, const lk_figures *figures, size_t count,
                           const lk_show_style *style, lk_buf *out, lk_err *e)
{
    (void)style;
    (void)e;
    lk_buf_text(out, "study,name,claimed,recomputed,standard_error,verdict,why\n");
    for (size_t i = 0; i < count; i++)
        for (size_t j = 0; j < figures[i].count; j++) {
            const lk_figure *x = &figures[i].items[j];

            lk_buf_printf(out, "%s,", studies[i]->name);
            csv_text(out, x->name);
            lk_buf_text(out, ",");
            csv_number(out, x->claimed);
            lk_buf_text(out, ",");
            csv_number(out, x->got.mean);
            lk_buf_text(out, ",");
            csv_number(out, x->got.error);
            lk_buf_printf(out, ",%s,", lk_figure_verdict_name(x->verdict));
            csv_text(out, x->why ? x->why : "");
            lk_buf_text(out, "\n");
        }
    return LK_OK;
}

/* ---- the rows ---- */

const lk_show LK_SHOWS[] = {
    { "text", "tables for reading, standard errors beside the means", lk_show_text_tables,
      lk_show_text_figures },
    { "json", "one object", json_tables, json_figures },
    { "csv", "one row a value", csv_tables, csv_figures },
    { .name = NULL },
};

lk_code lk_show_find(const char *name, const lk_show **out, lk_err *e)
{
    for (const lk_show *s = LK_SHOWS; s->name; s++)
        if (strcmp(s->name, name) == 0) {
            *out = s;
            return LK_OK;
        }
    return lk_fail(e, LK_EUSAGE, "--format: '%s' is none of text, json, csv", name);
}
