/* format/w3c_split — a line of a W3C extended log as its columns.
 *
 * Columns stand between single blanks, or between tabs in a line that has one.  Quotes around a value
 * are part of the draft; between blanks IIS has them in agents, where they mean nothing.
 *
 * Owner:  results point into the line.
 * Source: W3C working draft WD-logfile-960323.  */
#ifndef LK_FORMAT_W3C_SPLIT_H
#define LK_FORMAT_W3C_SPLIT_H

#include "base/slice.h"

typedef struct lk_w3c_cursor {
    const char *p, *end; /* p NULL = no column is left */
    char separator;
    bool quotes; /* "a column in quotes" may hold separators */
} lk_w3c_cursor;

lk_w3c_cursor lk_w3c_cursor_at(lk_slice line);
/* False at the end. */
bool lk_w3c_next(lk_w3c_cursor *at, lk_slice *out);

/* Fills values[count] as far as the line goes; returns how many columns it has, count + 1 when there
 * are more. */
size_t lk_w3c_split(lk_slice line, size_t count, lk_slice *values);

#endif
