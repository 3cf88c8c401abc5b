/* format/upstream — the tries that a proxy hides in one line: nginx's lists of upstreams.
 *
 * "502, 200" are two tries of one group, "302 : 200" went on by an internal redirect; a list may
 * end in a dangling " : " when what it was redirected to had no upstream.
 *
 * The try behind a " : " is marked, for it goes on with the one before it and is no retry.
 *
 * Shapes: statuses "502, 200" and times "0.001, 0.025" are of one length; '-' is not known.
 * Owner:  tries are in the parse cache.
 * Cost:   the first LK_TRIES_MAX tries of a line.
 * Source: ngx_http_upstream.c (ngx_http_upstream_status_variable and its like).  */
#ifndef LK_FORMAT_UPSTREAM_H
#define LK_FORMAT_UPSTREAM_H

#include "format/cache.h"

/* What a line has of them; NONE = not logged. */
typedef struct lk_upstream {
    lk_slice statuses, times;
} lk_upstream;

/* Past the whole list whose first element ends at p: behind "a," comes another, and behind " : "
 * as well. */
const char *lk_upstream_list_end(const char *p, const char *end);

/* A list of statuses, '-' among them; the last as a number, LK_STATUS_UNKNOWN for '-'. */
bool lk_upstream_is_statuses(lk_slice list, size_t *count, unsigned *last);
/* A list of times in seconds, '-' among them, with their sum. */
bool lk_upstream_is_times(lk_slice list, size_t *count, int64_t *sum_ns);

/* Sets tries and their number when there are two or more; the last is the answer, with the status
 * of the line. */
void lk_upstream_read(const lk_upstream *u, lk_parse_cache *c, lk_fields *out);

#endif
