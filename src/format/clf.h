/* format/clf — the fields of a line of the common log family, as text.
 *
 *     [vhost:port ]host ident user [dd/Mon/yyyy:hh:mm:ss +zzzz] "request" status bytes
 *     then nothing (common), or "referer" "user agent" (combined), then further columns (the tail).
 *
 * lighttpd has the vhost where the ident stands, told by its point or port.
 *
 * ident and user may hold blanks: the stamp is what is looked for.  Quoted fields end at a quote
 * that no backslash escapes and that a blank or the end of the line follows.
 *
 * Owner:  slices point into the line.
 * Errors: LK_REJECT_UNRECOGNISED no such line at all; TIMESTAMP it has a stamp of another form;
 *         STATUS no status behind the request; CUT the line ends before its status.
 * Source: Apache httpd mod_log_config, nginx log module; lighttpd mod_accesslog.  */
#ifndef LK_FORMAT_CLF_H
#define LK_FORMAT_CLF_H

#include "base/marks.h"
#include "format/fields.h"

typedef struct lk_clf {
    lk_slice caller;
    bool caller_is_plain; /* digits and points: an address that nothing has to be taken off */
    lk_slice host; /* of a vhost column, with its port; NONE = has none */
    lk_slice stamp; /* between the brackets */
    lk_slice request;
    unsigned status; /* LK_STATUS_UNKNOWN where the log has "-", "-1" or four digits */
    bool has_agent; /* the two quoted fields of combined are there */
    lk_slice agent;
    lk_slice tail;         /* what follows, without the blank before it; len 0 = nothing */
    size_t columns_before; /* columns of the line before the tail */
} lk_clf;

bool lk_clf_split(lk_slice line, lk_clf *out, lk_reject *why);

/* The same where its quotes may be known: all of them, or none. */
bool lk_clf_split_known(lk_slice line, const lk_quotes *quotes, lk_clf *out, lk_reject *why);

/* The same, slower: without a look at whether the line is as plain as most. */
bool lk_clf_split_careful(lk_slice line, lk_clf *out, lk_reject *why);

/* For a tail that makes no sense because the agent holds raw quotes: takes the agent to the last
 * quote of the line and the tail from there. */
void lk_clf_widen_agent(lk_clf *clf);

/* Just behind the closing quote of the field that opens at p[0]; NULL when it never closes. */
const char *lk_quoted_end(const char *p, const char *end);

#endif
