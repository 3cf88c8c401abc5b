/* sim/table — what a model says: tables of numbers with their standard errors.
 *
 * Shapes: cells[rows][columns], grown row by row.
 * Owner:  the arena given at the start; texts are the caller's, or the arena's.
 * Errors: when memory ends, `failed` is set and further cells are dropped; one check at the end.  */
#ifndef LK_SIM_TABLE_H
#define LK_SIM_TABLE_H

#include "sim/lab.h"

#include "base/arena.h"

#include <stdbool.h>

enum { LK_TABLE_COLUMNS = 12, LK_TABLES = 12 };

typedef struct lk_cell {
    const char *text; /* NULL: a number            */
    double value;     /* NAN: not known            */
    double error;     /* standard error; NAN: none */
} lk_cell;

typedef struct lk_column {
    const char *name; /* as in JSON and CSV: "makespan", "time_to_success_s" */
    const char *head; /* as in text; a '\n' makes two lines                  */
} lk_column;

typedef struct lk_table {
    const char *name, *title;
    const lk_column *columns; /* [column_count] */
    size_t column_count, row_count, row_capacity, cell; /* cell: of the row begun last */
    lk_cell *cells;
    bool bars; /* text draws the last column as bars too */
} lk_table;

typedef struct lk_tables {
    lk_arena *arena;
    lk_table items[LK_TABLES];
    size_t count;
    const char *notes[LK_TABLES]; /* sentences below the tables */
    size_t note_count;
    bool failed;
} lk_tables;

void lk_tables_init(lk_tables *t, lk_arena *arena);
/* Never NULL; columns[count]. */
lk_table *lk_tables_add(lk_tables *t, const char *name, const char *title, const lk_column *columns,
                        size_t count);
void lk_tables_note(lk_tables *t, const char *note);

void lk_table_row(lk_tables *t, lk_table *table);
void lk_table_text(lk_tables *t, lk_table *table, const char *text); /* copied */
void lk_table_number(lk_tables *t, lk_table *table, double value);   /* exact, or a count */
void lk_table_estimate(lk_tables *t, lk_table *table, const lk_estimate *x);

#endif
