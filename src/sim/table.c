#include "sim/table.h"

#include <assert.h>
#include <math.h>
#include <string.h>

void lk_tables_init(lk_tables *t, lk_arena *arena)
{
    *t = (lk_tables){ .arena = arena };
}

lk_table *lk_tables_add(lk_tables *t, const char *name, const char *title, const lk_column *columns,
                        size_t count)
{
    lk_table *table;

    assert(t->count < LK_TABLES && count <= LK_TABLE_COLUMNS);
    table = &t->items[t->count++];
    *table = (lk_table){ .name = name, .title = title, .columns = columns, .column_count = count };
    return table;
}

void lk_tables_note(lk_tables *t, const char *note)
{
    assert(t->note_count < LK_TABLES);
    t->notes[t->note_count++] = note;
}

void lk_table_row(lk_tables *t, lk_table *table)
{
    if (table->row_count == table->row_capacity) {
        size_t size = table->row_capacity ? 2 * table->row_capacity : 16;
        lk_cell *cells = LK_NEW(t->arena, lk_cell, size * table->column_count);

        if (!cells) {
            t->failed = true;
            return;
        }
        if (table->row_count)
            memcpy(cells, table->cells, table->row_count * table->column_count * sizeof(*cells));
        table->cells = cells;
        table->row_capacity = size;
    }
    for (size_t i = 0; i < table->column_count; i++)
        table->cells[table->row_count * table->column_count + i] =
            (lk_cell){ NULL, (double)NAN, (double)NAN };
    table->row_count++;
    table->cell = 0;
}

static void put(lk_tables *t, lk_table *table, lk_cell cell)
{
    if (t->failed)
        return;
    assert(table->row_count && table->cell < table->column_count);
    table->cells[(table->row_count - 1) * table->column_count + table->cell++] = cell;
}

void lk_table_text(lk_tables *t, lk_table *table, const char *text)
{
    const char *copy = lk_arena_printf(t->arena, "%s", text);

    t->failed = t->failed || !copy;
    put(t, table, (lk_cell){ copy, (double)NAN, (double)NAN });
}

void lk_table_number(lk_tables *t, lk_table *table, double value)
{
    put(t, table, (lk_cell){ NULL, value, (double)NAN });
}

void lk_table_estimate(lk_tables *t, lk_table *table, const lk_estimate *x)
{
    put(t, table, (lk_cell){ NULL, x->mean, x->error });
}
