/* format/logfmt — key=value members of a line, values "quoted" where they hold blanks.
 *
 * Owner:  results point into the line; a quoted value keeps its backslashes.
 * Source: logfmt as Heroku's router and Go's loggers write it.  */
#ifndef LK_FORMAT_LOGFMT_H
#define LK_FORMAT_LOGFMT_H

#include "base/slice.h"

#include <stdbool.h>

typedef struct lk_member {
    lk_slice key, value;
    bool has_value; /* false: a word without '=', in `key` */
    bool quoted;
} lk_member;

/* The next member, and *p behind it; false at the end of the line.  A value that is not closed goes
 * to the end. */
bool lk_member_take(const char **p, const char *end, lk_member *out);

#endif
