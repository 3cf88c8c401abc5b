/* format/outer — the time that a wrapper puts on a line, for lines that have none of their own.
 *
 * Wrappers stamp a line when it is shipped, at or after the end of its request.  So a stamp inside
 * counts, and that of the wrapper gives what is missing: the whole of it, or the zone.
 *
 * Units:  ns.  */
#ifndef LK_FORMAT_OUTER_H
#define LK_FORMAT_OUTER_H

#include "base/slice.h"

typedef enum lk_outer_kind {
    LK_OUTER_NONE = 0,
    LK_OUTER_TEXT,    /* any that JSON lines may have: RFC 3339, Unix time in any unit */
    LK_OUTER_YEARLESS /* "Nov 30 03:25:00": local, without year and zone */
} lk_outer_kind;

typedef struct lk_outer_stamp {
    lk_slice text; /* as it stands in the line */
    lk_outer_kind kind;
} lk_outer_stamp;

/* What it says. */
typedef struct lk_outer {
    int64_t at_ns;
    bool is_known;
    bool fraction;
    bool zoneless; /* read as if UTC */
} lk_outer;

struct lk_fields;

/* near_ns: an instant near it, for the year; LK_TIME_NONE = none, then a stamp without year is not
 * known. */
lk_outer lk_outer_read(const lk_outer_stamp *stamp, int64_t near_ns);

/* For a line whose stamp has no zone: what its clock is ahead of UTC, told by the wrapper's stamp, a
 * whole number of quarters of an hour; false when the two are not of about the same moment. */
bool lk_outer_ahead(const lk_outer *outer, const struct lk_fields *f, int64_t *ahead_ns);

#endif
