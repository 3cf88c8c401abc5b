/* format/w3c_lines — lines of a W3C extended log, IIS's and CloudFront's.
 *
 * Columns stand between single blanks, or between tabs in a line that has one.  What they are is
 * said by the #Fields line above, which may change in the middle of a file.  Lines without one above
 * them are read by those of the log's other pieces, whichever fits, or else by what the server logs
 * when nobody told it otherwise.
 *
 * Units:  date and time are UTC and the end of the request, whole seconds as a rule.
 * Owner:  slices point into the line, or into the cache's room where blanks were put back.
 * Errors: LK_REJECT_UNRECOGNISED more columns than were named, or no date where there should be one;
 *         CUT fewer columns; TIMESTAMP, STATUS unreadable, or never logged.  */
#ifndef LK_FORMAT_W3C_LINES_H
#define LK_FORMAT_W3C_LINES_H

#include "format/layout.h"

/* How a server writes what its columns cannot hold. */
typedef struct lk_w3c_dialect {
    bool is_edge;        /* as in lk_w3c_columns                                  */
    int64_t took_unit;   /* ns in one of time-taken, where it is a whole number    */
    char escape;         /* '+' for a blank, or '%' before two hex digits          */
    const char *columns; /* logged by default                                     */
} lk_w3c_dialect;

/* For lk_format.directive. */
void lk_w3c_directive(lk_parse_cache *c, lk_slice line);

bool lk_w3c_read(const lk_w3c_dialect *d, const lk_layout *l, lk_parse_cache *c, lk_slice line,
                 lk_fields *out, lk_reject *why);
/* For lk_format.each: by the names on the #Fields line, or the default ones where there is none. */
void lk_w3c_each(const lk_w3c_dialect *d, lk_parse_cache *c, lk_slice line, lk_field_visit *visit,
                 void *ctx);
/* The columns of *c are those of the sniffer. */
bool lk_w3c_observe(const lk_w3c_dialect *d, lk_sniffer *s, lk_parse_cache *c, lk_slice line,
                    lk_fields *out);
/* A line that nobody can read, in a file that has no #Fields so far: is it such a log's? */
bool lk_w3c_observe_headless(const lk_w3c_dialect *d, lk_sniffer *s, lk_parse_cache *c,
                             lk_slice line, lk_fields *out);
void lk_w3c_decide(const lk_w3c_dialect *d, const lk_sniffer *s, lk_layout *out);

#endif
