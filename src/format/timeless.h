/* format/timeless — access log lines that hold a request and no time.
 *
 * Some loggers for development write none by default.  Such lines cannot be placed in time, so they are
 * no requests to us (LK_REJECT_NO_TIME), but whoever wrote them can be told what to change.
 *
 * Owner:  rows are static.
 * Source: expressjs/morgan index.js (dev, short, tiny); uvicorn logging.py; Heroku's router, whose
 *         stamp is that of the log drain.  */
#ifndef LK_FORMAT_TIMELESS_H
#define LK_FORMAT_TIMELESS_H

#include "base/slice.h"

typedef struct lk_timeless {
    const char *name;   /* whose lines they are: "morgan's 'dev' format" */
    const char *remedy; /* what to change, as a sentence without its end */
} lk_timeless;

/* The row of such a line, be it coloured; NULL when it is none. */
const lk_timeless *lk_timeless_of(lk_slice line);

/* Where the words of such a line are, from 0; -1 = it has none. */
typedef struct lk_timeless_places {
    int caller, method, target, status, took_ms;
} lk_timeless_places;

enum { LK_TIMELESS_WORDS = 12 };

/* Splits such a line into its words, in `room` of `max` bytes, without colours; NULL when it is none. */
const lk_timeless_places *lk_timeless_split(lk_slice line, char *room, size_t max,
                                            lk_slice words[LK_TIMELESS_WORDS]);

/* The same for a line that is known to be one: of names and values when it has no row of its own. */
const lk_timeless *lk_timeless_row(lk_slice line);

#endif
